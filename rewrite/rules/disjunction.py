"""A disjunction becomes UNION ALL of a block for each arm, which exclude each other, so that each can use an
index or a hash of its own.

Where one arm fails on rows that another has taken, it would fail no more, or the other way round: arms must
not fail. Hazards 9, 11; the OR-expansion of Oracle and DB2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import moved_to, numbered, union_all
from rewright.sql.facts import is_equality, may_differ
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    disjuncts,
    free_of_all,
    free_rels,
    from_rels,
    has_subquery,
    references_whole,
    substitute,
    walk,
)

# each further arm carries the negation of all before it: longer conditions, less gain
MOST_ARMS = 4


@rule(SELECT, guards=("arms-cannot-fail",), known_as="OR-expansion of joins", priority=68, category="join")
def or_join_union(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """A join on a disjunction becomes UNION ALL of joins that exclude each other.

        SELECT sum(s.amount) FROM sale s, cust c WHERE s.cust = c.id OR s.part = c.address
        -->
        SELECT sum(u.amount) FROM (SELECT s.amount FROM sale s, cust c WHERE s.cust = c.id UNION ALL
                                   SELECT s.amount FROM sale s, cust c WHERE s.part = c.address AND (s.cust =
                                   c.id) IS NOT TRUE) u

    A disjunction can only be joined by comparing every pair; each arm has an equality to hash.

    Known as OR-expansion of joins.
    """
    rels = from_rels(block.from_)
    for arms, rest, items in _disjunctions(block, ctx):
        # one arm without an equality is still a comparison of every pair
        if len(items) > 1 and all(_joins(arm, rels) for arm in arms):
            why = "each arm of the disjunction is joined by itself, without overlap"
            yield Rewrite(_union_of_arms(block, items, rest, arms, ctx), why)


@rule(SELECT, guards=("arms-cannot-fail",), known_as="OR-expansion", priority=58, category="predicate")
def or_union(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """A disjunction of conditions on different columns or tables becomes UNION ALL of branches that exclude
    each other.

        SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE v.page = 'abc' OR c.state = 'TX'
        -->
        SELECT u.id, u.name FROM (SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE v.page =
        'abc' UNION ALL
          SELECT v.id, c.name FROM visit v JOIN cust c ON c.id = v.cust WHERE c.state = 'TX' AND (v.page =
          'abc') IS NOT TRUE) u

    A condition over several tables can be applied only after they are joined; each branch has one that an
    index or an early filter serves. On one table it is for servers that do not combine indexes well.
    Hazards 9, 11.

    Calcite: OR-expansion.
    """
    rels = from_rels(block.from_)
    # subqueries in the list would be asked of rows of either branch, which hides them from other rules
    if any(has_subquery(t.expr) for t in block.targets) or may_differ(block):
        return
    for arms, rest, items in _disjunctions(block, ctx):
        # an arm that reads outer rows has its value for all rows of the block alike
        if not free_of_all(arms) - rels and _apart(arms, rels):
            why = "each branch of the disjunction is looked up by itself, without overlap"
            yield Rewrite(_union_of_arms(block, items, rest, arms, ctx), why)


_Disjunction = tuple[tuple[a.Expr, ...], list[a.Expr], list[a.FromItem]]


def _disjunctions(block: a.Select, ctx: Context) -> Iterator[_Disjunction]:
    """The arms of each disjunction that may be taken apart, the other conjuncts, and what the block reads."""
    items, preds = as_product(block)
    # a LATERAL item reads others that each branch would have to copy with it; whole rows have no columns
    if not items or free_of_all(items) or any(references_whole(block, r) for r in from_rels(items)):
        return
    for pred in preds:
        arms = disjuncts(pred)
        if (
            not 2 <= len(arms) <= MOST_ARMS
            or may_differ(pred)
            or has_subquery(pred)
            # the planner takes the shared equality out itself and joins by it
            or _common_equality(arms)
        ):
            continue
        # an arm is evaluated on more or other rows than before
        if ctx.holds("arms-cannot-fail", ctx.facts.cannot_fail(pred)):
            yield arms, [p for p in preds if p != pred], items


def _joins(arm: a.Expr, rels: frozenset[int]) -> bool:
    """Whether an arm has an equality between two items."""
    return any(is_equality(c) and len(free_rels(c) & rels) >= 2 for c in conjuncts(arm))


def _apart(arms: tuple[a.Expr, ...], rels: frozenset[int]) -> bool:
    """Whether the arms ask for different columns, each of one table, none of them a
    join (see or_join_union).
    """
    sides = [frozenset((n.rel, n.pos) for n in walk(arm) if isinstance(n, a.Column)) for arm in arms]
    # arms on one column (`x = 1 OR x > 9`) are ranges of one index already
    return not any(_joins(arm, rels) for arm in arms) and all(sides) and not frozenset.intersection(*sides)


def _common_equality(arms: tuple[a.Expr, ...]) -> bool:
    """The server takes conjuncts out of a disjunction that all arms share."""
    return bool(frozenset.intersection(*(frozenset(conjuncts(arm)) for arm in arms)))


def _union_of_arms(
    block: a.Select, items: list[a.FromItem], rest: list[a.Expr], arms: tuple[a.Expr, ...], ctx: Context
) -> a.Select:
    above = replace(block, from_=(), where=None)
    shown = columns_used((above,), from_rels(items))
    # only counted, the rows show no column; a UNION needs one
    columns = numbered("c", shown) or (a.Target("one", a.Const("1", a.COUNT_TYPE)),)
    parts = []
    for i, arm in enumerate(arms):
        # a row of several arms is that of the first of them
        before = [
            a.IsBool(x, "true", negated=True) for x in arms[:i] if ctx.holds("arms-exclude-each-other", True)
        ]
        made = a.Select(columns, tuple(items), conjoin((*rest, *conjuncts(arm), *before)))
        # the arms are joined by copies of the same items: range numbers must differ
        parts.append(copy_fresh(made, ctx.fresh)[0])
    rel = ctx.fresh()
    read = [a.Column(rel, i, t.expr.type, t.name) for i, t in enumerate(columns)]
    union = a.Derived(rel, union_all(parts), "arms", tuple(t.name for t in columns))
    return replace(substitute(above, moved_to(shown, read)), from_=(union,))
