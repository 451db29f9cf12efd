"""A disjunction of conditions on different columns or tables becomes UNION ALL of branches that exclude each other.

    SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE v.page = 'abc' OR c.state = 'TX'
    -->
    SELECT u.id, u.name FROM (SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE v.page = 'abc' UNION ALL
      SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE c.state = 'TX' AND (v.page = 'abc') IS NOT TRUE) u

A condition over several tables can be applied only after they are joined; each branch has one that an index or an early filter
serves. On one table it is for servers that do not combine indexes well. SOUNDNESS 9, 11.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.or_join_union import MOST_ARMS, common_equality, union_of_arms
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.walk import (
    as_product,
    conjuncts,
    disjuncts,
    free_of_all,
    free_rels,
    from_rels,
    has_subquery,
    references_whole,
    walk,
)


@rule(SELECT, guards=("arms-cannot-fail",), priority=58, category="predicate")
def or_union(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    rels = from_rels(items)
    if not items or free_of_all(items) or any(references_whole(block, r) for r in rels):
        return
    if any(has_subquery(t.expr) for t in block.targets) or is_volatile(block):
        return
    for pred in preds:
        arms = disjuncts(pred)
        if not 2 <= len(arms) <= MOST_ARMS or has_subquery(pred) or free_rels(pred) - rels:
            continue
        if not ctx.holds("arms-cannot-fail", ctx.facts.cannot_fail(pred)):
            continue
        if not _apart(arms, rels) or common_equality(arms):
            continue
        made = union_of_arms(block, items, [p for p in preds if p != pred], arms, ctx)
        yield Rewrite(made, "each branch of the disjunction is looked up by itself, without overlap")


def _apart(arms: tuple[a.Expr, ...], rels: frozenset[int]) -> bool:
    """Whether the arms ask for different columns, each of one table, none of them a join (see or_join_union)."""
    sides = [frozenset((n.rel, n.pos) for n in walk(arm) if isinstance(n, a.Column)) for arm in arms]
    joins = any(is_equality(c) and len(free_rels(c) & rels) > 1 for arm in arms for c in conjuncts(arm))
    return not joins and all(sides) and not frozenset.intersection(*sides)
