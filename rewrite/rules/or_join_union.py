"""A join on a disjunction becomes UNION ALL of joins that exclude each other.

    SELECT sum(s.amount) FROM sale s, cust c WHERE s.cust = c.id OR s.part = c.address
    -->
    SELECT sum(u.amount) FROM (SELECT s.amount FROM sale s, cust c WHERE s.cust = c.id UNION ALL
                               SELECT s.amount FROM sale s, cust c WHERE s.part = c.address AND (s.cust = c.id) IS NOT TRUE) u

A disjunction can only be joined by comparing every pair; each arm has an equality to hash. SOUNDNESS 9, 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, is_volatile
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
)

MOST_ARMS = 4


@rule(SELECT, guards=("arms-cannot-fail",), priority=68, category="join")
def or_join_union(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    rels = from_rels(items)
    if len(items) < 2 or free_of_all(items) or any(references_whole(block, r) for r in rels):
        return
    for pred in preds:
        arms = disjuncts(pred)
        if not 2 <= len(arms) <= MOST_ARMS or is_volatile(pred) or has_subquery(pred):
            continue
        # an arm is evaluated on more or other rows than before
        if not ctx.holds("arms-cannot-fail", ctx.facts.cannot_fail(pred)):
            continue
        if all(_joins(arm, rels) for arm in arms) and not common_equality(arms):
            rest = [p for p in preds if p != pred]
            yield Rewrite(
                union_of_arms(block, items, rest, arms, ctx),
                "each arm of the disjunction is joined by itself, without overlap",
            )


def _joins(arm: a.Expr, rels: frozenset[int]) -> bool:
    """Whether an arm has an equality between two items."""
    return any(is_equality(c) and len(free_rels(c) & rels) >= 2 for c in conjuncts(arm))


def common_equality(arms: tuple[a.Expr, ...]) -> bool:
    """The server takes conjuncts out of a disjunction that all arms share."""
    return bool(frozenset.intersection(*(frozenset(conjuncts(arm)) for arm in arms)))


def union_of_arms(
    block: a.Select, items: list[a.FromItem], rest: list[a.Expr], arms: tuple[a.Expr, ...], ctx: Context
) -> a.Select:
    above = replace(block, from_=(), where=None)
    shown = columns_used((above,), from_rels(items))
    names = tuple(f"c{i + 1}" for i in range(len(shown))) or ("one",)
    columns = tuple(a.Target(n, c) for n, c in zip(names, shown, strict=False)) or (
        a.Target("one", a.Const("1", a.COUNT_TYPE)),
    )
    union: a.Query | None = None
    for i, arm in enumerate(arms):
        before = [
            a.IsBool(x, "true", negated=True) for x in arms[:i] if ctx.holds("arms-exclude-each-other", True)
        ]
        made = a.Select(columns, tuple(items), conjoin((*rest, *conjuncts(arm), *before)))
        part, _ = copy_fresh(made, ctx.fresh)
        union = part if union is None else a.SetOp("union", True, union, part, a.output_columns(made))
    assert union is not None
    rel = ctx.fresh()
    mapping: dict[tuple[int, int], a.Expr] = {
        (c.rel, c.pos): a.Column(rel, i, c.type, names[i]) for i, c in enumerate(shown)
    }
    lifted: a.Select = substitute(above, mapping)
    return replace(lifted, from_=(a.Derived(rel, union, "arms", names),))
