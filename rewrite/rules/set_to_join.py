"""INTERSECT and EXCEPT become semi- and anti-joins, for which the server has more plans.

    SELECT o.cust FROM ord o WHERE o.cust > 1 EXCEPT SELECT v.cust FROM visit v
    -->
    SELECT DISTINCT l.cust FROM (SELECT o.cust FROM ord o WHERE o.cust > 1) l
     WHERE NOT EXISTS (SELECT 1 FROM (SELECT v.cust FROM visit v) r WHERE r.cust = l.cust)

Set operations take NULLs for the same; the equality does not, so one side of each column must be free of
NULLs. DISTINCT is left out over a key. Calcite: IntersectToSemiJoinRule; MinusToAntiJoinRule. Hazards 9.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.rewrite.rules.base import SET_OPERATION, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import ONE, compare
from rewright.sql.facts import may_differ
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import conjoin


@rule(
    SET_OPERATION,
    guards=("no-null-meets-null",),
    known_as="IntersectToSemiJoinRule; MinusToAntiJoinRule",
    priority=73,
)
def set_to_join(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    # INTERSECT ALL and EXCEPT ALL count how often a row stands on each side
    if block.op == "union" or block.all or block.with_ties:
        return
    facts = ctx.facts
    left, right = facts.nonnull_outputs(block.left), facts.nonnull_outputs(block.right)
    # NULL on one side only meets nothing under either equality
    basis = [p if p is not None else q for p, q in zip(left, right, strict=True)]
    # called once for each row of the left side, a volatile right side would change
    if not ctx.holds("no-null-meets-null", None not in basis) or may_differ(block):
        return
    # rows of a keyed left side differ already: DISTINCT would only sort them
    key = facts.is_unique(block.left)
    made = _joined(block, keyed=key is not None, ctx=ctx)
    if made is not None:
        kind = "a semi-join" if block.op == "intersect" else "an anti-join"
        names = frozenset(x.name for b in (*basis, key) for x in b or ())
        yield Rewrite(made, f"{block.op.upper()} becomes {kind}", names)


def _joined(block: a.SetOp, *, keyed: bool, ctx: Context) -> a.Select | None:
    names = tuple(c.name for c in block.columns)
    left = a.Derived(ctx.fresh(), block.left, "l", names)
    right = a.Derived(ctx.fresh(), block.right, "r", names)
    mine = [a.Column(left.rel, i, c.type, c.name) for i, c in enumerate(block.columns)]
    tests = [compare("=", a.Column(right.rel, c.pos, c.type, c.name), c) for c in mine]
    # of equal values that look different (1.0, 1.00) another one might be shown
    if None in tests or any(look_of_type(c.type) is None for c in mine):
        return None
    exists = a.Exists(a.Select(ONE, (right,), conjoin(t for t in tests if t is not None)))
    return a.Select(
        tuple(a.Target(c.name, c) for c in mine),
        (left,),
        exists if block.op == "intersect" else a.Not(exists),
        distinct=None if keyed else (),
        order_by=tuple(a.SortKey(mine[k.pos], k.descending, k.nulls_first, k.op) for k in block.order_by),
        limit=block.limit,
        offset=block.offset,
        ctes=block.ctes,
    )
