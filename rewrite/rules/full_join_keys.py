"""A condition on the merged key of a FULL JOIN is asked of both sides before they are grouped.

    SELECT coalesce(x.k, y.k), x.n, y.s FROM (SELECT k, count(*) AS n FROM a GROUP BY k) x
      FULL JOIN (SELECT k, sum(v) AS s FROM b GROUP BY k) y ON y.k = x.k WHERE coalesce(x.k, y.k) = 7
    -->
    SELECT coalesce(x.k, y.k), x.n, y.s FROM (SELECT k, count(*) AS n FROM a WHERE k = 7 GROUP BY k) x
      FULL JOIN (SELECT k, sum(v) AS s FROM b WHERE k = 7 GROUP BY k) y ON y.k = x.k
     WHERE coalesce(x.k, y.k) = 7

Partners have the same key, so that both meet the condition or neither does; what has no partner has its own
key as the merged one. A row that is left out on one side leaves its partner without one, which does not meet
the condition either: it stays where it was. Equal must mean identical. Hazards 7a, 7c. Calcite:
FilterJoinRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.rewrite.rules.pushing import can_push, push
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    columns_used,
    conjuncts,
    free_rels,
    has_subquery,
    references_whole,
    replace_item,
    replace_node,
    walk_block,
)


@rule(
    SELECT.where(filtered),
    guards=(
        "equal-is-identical",
        "no-limit-inside",
        "not-distinct-on",
        "grouped-by-column",
        "partitioned-by-column",
    ),
    known_as="FilterJoinRule",
    priority=80,
    category="predicate",
)
def full_join_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for join in block.from_:
        if not isinstance(join, a.Join) or join.kind != "full":
            continue
        made: a.FromItem = join
        for side in (join.left, join.right):
            if isinstance(side, a.Derived) and not references_whole(block, side.rel):
                # each side is restricted by itself: where only one can be, its lost partner is filtered above
                fewer = _restricted(side, join, conjuncts(block.where), ctx)
                made = replace_item(made, side, fewer)
        if made is not join:
            from_ = tuple(made if item is join else item for item in block.from_)
            yield Rewrite(
                replace(block, from_=from_),
                "what is asked of the merged key of a FULL JOIN is asked of its sides",
            )


def _restricted(side: a.Derived, join: a.Join, preds: Sequence[a.Expr], ctx: Context) -> a.Derived:
    """The side with what the conditions say of its key, where it can be asked inside."""
    if side.lateral or side.security_barrier:
        return side
    there = conjuncts(side.query.where) if isinstance(side.query, a.Select) else ()
    said = [own for p in preds if (own := _of_side(p, side, join, ctx)) is not None]
    fresh = [p for p in said if can_push(side.query, _places(p, side), ctx)]
    query = push(side.query, side.rel, fresh, ctx) if fresh else side.query
    # pushing gives an equal block for ever otherwise
    if isinstance(query, a.Select) and set(conjuncts(query.where)) <= set(there):
        return side  # it is asked already
    return replace(side, query=query)


def _places(pred: a.Expr, side: a.Derived) -> frozenset[int]:
    return frozenset(c.pos for c in columns_used((pred,), (side.rel,)))


def _of_side(pred: a.Expr, side: a.Derived, join: a.Join, ctx: Context) -> a.Expr | None:
    """A condition on merged keys alone, said of the side's own columns."""
    if has_subquery(pred) or may_differ(pred) or not ctx.facts.cannot_fail(pred):
        return None
    for node in dict.fromkeys(n for n in walk_block(pred) if isinstance(n, a.Coalesce)):
        own = _key_of(node, side, join, ctx)
        if own is not None:
            pred = replace_node(pred, node, own)
    # what is left of other tables makes it no condition of this side
    return pred if free_rels(pred) == {side.rel} else None


def _key_of(merged: a.Coalesce, side: a.Derived, join: a.Join, ctx: Context) -> a.Expr | None:
    """The side's half of a COALESCE of two columns that the join equates."""
    if len(merged.args) != 2 or not all(isinstance(x, a.Column) for x in merged.args):
        return None
    own = next((x for x in merged.args if free_rels(x) == {side.rel}), None)
    ties = (as_tie(p, frozenset({side.rel})) for p in conjuncts(join.on))
    # only columns that ON equates have one value in both
    tied = any(t is not None and t.symmetric and {t.inner, t.outer} == set(merged.args) for t in ties)
    if own is None or not tied:
        return None
    return own if ctx.holds("equal-is-identical", equality_is_identity(own.type)) else None
