"""Tables that only multiply rows under DISTINCT are asked for a match instead of joined.

    SELECT DISTINCT c.id, c.name FROM cust c JOIN ord o ON o.cust = c.id WHERE o.total > 100
    -->
    SELECT DISTINCT c.id, c.name FROM cust c WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id AND o.total
    > 100)

What is shown comes from other tables, so each of their rows counts once however many matches it has. The same
for GROUP BY without aggregates, and with aggregates that ignore duplicates (min, max, DISTINCT ones); a LEFT
JOIN of which nothing is used goes altogether, and of several of which either must match (`either_match`) each
is asked by itself. Calcite: JoinToSemiJoin. Hazards 5d, 8.

Calcite: JoinToSemiJoinRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.either import ignores_duplicates
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, no_sets, no_windows, rule, stable
from rewright.rewrite.rules.either_match import either_match
from rewright.rewrite.rules.naming import all_named
from rewright.sql import algebra as a
from rewright.sql.types import INT4
from rewright.sql.walk import (
    as_product,
    conjoin,
    free_rels,
    from_rels,
    has_subquery,
    is_lateral,
    used_rels,
)


@rule(
    SELECT.where(stable, no_sets, no_windows),
    guards=("duplicates-do-not-count", "null-is-refused"),
    known_as="JoinToSemiJoinRule",
    priority=72,
    category="join",
)
def distinct_semijoin(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # DISTINCT ON shows one row of several: which one depends on the duplicates
    if block.distinct or not ctx.holds("duplicates-do-not-count", ignores_duplicates(block)):
        return
    yield from _unused_outer(block)
    yield from _matched(block)
    either = either_match(block, ctx)
    if either is not None:
        yield Rewrite(either, "of lists beside each other it is only asked whether either has a match")


def _above(block: a.Select) -> frozenset[int]:
    """The range variables that are used above FROM and WHERE."""
    return used_rels(replace(block, from_=(), where=None))


def _matched(block: a.Select) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    shown = _above(block)
    # a function in FROM may give rows that no EXISTS asks for cheaper
    idle = [i for i in items if not from_rels((i,)) & shown and not isinstance(i, a.FunctionScan)]
    kept = [i for i in items if i not in idle]
    # an idle item that a LATERAL one reads has to stay beside it
    if not idle or not kept or any(is_lateral(i) for i in items):
        return
    # an aggregate over everything gives a row also where nothing is left to show it
    if block.group_by == ((),) and not shown:
        return
    # items tied to each other must match together: two EXISTS would let each match by itself
    for group in _connected(idle, preds):
        rels = from_rels(group)
        own = [p for p in preds if free_rels(p) & rels]
        # untied to the kept rows it is a question of its own, asked once: no join to save
        if any(has_subquery(p) for p in own) or not any(free_rels(p) - rels for p in own):
            continue
        others = [i for i in items if i not in group]
        inner = a.Select((a.Target("?column?", a.Const("1", INT4)),), tuple(group), conjoin(own))
        rest = [p for p in preds if p not in own]
        made = replace(block, from_=tuple(others), where=conjoin((*rest, a.Exists(inner))))
        yield Rewrite(made, f"of {all_named(group)} it is only asked whether a matching row exists")


def _connected(idle: Sequence[a.FromItem], preds: Sequence[a.Expr]) -> Iterator[list[a.FromItem]]:
    """Idle items in groups that conditions tie together without the kept ones."""
    left = list(idle)
    while left:
        group = [left.pop(0)]
        grown = True
        while grown:
            rels = from_rels(group)
            near = [
                i for i in left if any(free_rels(p) & rels and free_rels(p) & from_rels((i,)) for p in preds)
            ]
            # the group takes in whatever a condition ties to it, until nothing is added
            grown = bool(near)
            group += near
            left = [i for i in left if i not in near]
        yield group


def _unused_outer(block: a.Select) -> Iterator[Rewrite]:
    """LEFT JOINs at the top of FROM of whose right side nothing is used."""
    for number, item in enumerate(block.from_):
        if not isinstance(item, a.Join) or item.kind != "left":
            continue
        theirs = from_rels((item.right,))
        # WHERE, targets and the other items: ON of the join itself does not count
        rest = replace(block, from_=tuple(i for i in block.from_ if i is not item))
        # `WHERE o.x IS NULL` asks whether there is a partner: anti_join's case
        if theirs & (used_rels(rest) | used_rels(item.left)):
            continue
        made = replace(block, from_=(*block.from_[:number], item.left, *block.from_[number + 1 :]))
        yield Rewrite(made, "the outer join only multiplies rows")
