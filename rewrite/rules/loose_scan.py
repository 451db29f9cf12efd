"""The different values of a column one after the other, by a recursion that asks an index for the next one.

    SELECT DISTINCT o.day FROM ord o WHERE o.day IS NOT NULL
    -->
    WITH RECURSIVE steps(value) AS (SELECT min(o.day) FROM ord o WHERE o.day IS NOT NULL
                                    UNION ALL
                                    SELECT (SELECT min(o.day) FROM ord o WHERE o.day IS NOT NULL AND o.day >
                                    steps.value) FROM steps WHERE steps.value IS NOT NULL)
    SELECT value FROM steps WHERE value IS NOT NULL

Extremes and first rows of groups by the column are then looked up for each value. The last step finds none,
which is NULL; it is shown where some row's value is. PostgreSQL guesses the number of steps (ten), so that
its estimate is too low where there are many values: runs decide. Known as loose index scan, or index skip
scan. Hazards 1, 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, stable
from rewright.rewrite.rules.by_group import Groups, asked_singly, grouping_columns
from rewright.rewrite.rules.partial import aggregates
from rewright.sql import algebra as a
from rewright.sql.build import ONE, aggregate, compare
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import as_product, conjoin, copy_fresh, free_of_all, is_lateral, references_whole, walk


@rule(
    SELECT.where(reads_tables, stable),
    guards=("null-has-no-group",),
    known_as="loose index scan; index skip scan",
    priority=30,
    blind=True,
    flattered=True,
)
def loose_scan(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    keys = grouping_columns(block)
    items, preds = as_product(block)
    # of two columns the next pair would need `(a, b) > (x, y)` and an order over both
    if keys is None or len(keys) != 1 or len(items) != 1:
        return
    (key,), (scan,) = keys, items
    # the steps read the scan again and again by themselves: nothing of another block may be in its conditions
    if (
        not isinstance(scan, a.Scan)
        or free_of_all(preds) - {scan.rel}
        or is_lateral(scan)
        or references_whole(block, scan.rel)
    ):
        return
    # a CTE's scan has no index; equal values must look alike, as a step shows one of them
    if any(isinstance(n, a.CteScan) for p in preds for n in walk(p)) or look_of_type(key.type) is None:
        return
    filled = (key.rel, key.pos) in ctx.facts.nonnull_columns(block)
    # the group of NULL is not found by an equality
    plain = block.distinct == () or (not block.distinct and not aggregates(block))
    if not filled and not ctx.holds("null-has-no-group", plain):
        return
    steps = _steps(scan, key, preds, ctx)
    if steps is None:
        return
    read = a.CteScan(ctx.fresh(), steps.cte, steps.name, steps.columns)
    value = a.Column(read.rel, 0, key.type, "value")
    tie = compare("=", key, value)
    if tie is None:
        return
    groups = Groups(
        read,
        (_asked(value, None if filled or not plain else key, scan, preds, ctx),),
        (scan,),
        (*preds, tie),
        {(key.rel, key.pos): value},
        # a step is a value that some row has: each of its groups has rows
        each_has_rows=True,
        ctes=(steps,),
    )
    yield from asked_singly(block, keys, groups, ctx, f"the values of {key.name} are stepped through")


def _steps(scan: a.Scan, key: a.Column, preds: Sequence[a.Expr], ctx: Context) -> a.Cte | None:
    least, number, rel = aggregate("min", key), ctx.fresh(), ctx.fresh()
    columns = (a.OutputColumn("value", key.type),)
    before = a.Column(rel, 0, key.type, "value")
    greater = compare(">", key, before)
    # max of a varchar is text: the recursion's two arms would have different types
    if least is None or greater is None or least.type != key.type:
        return None
    target = (a.Target("value", least),)
    first = a.Select(target, (scan,), conjoin(preds), ((),))
    following = a.Select(target, (scan,), conjoin((*preds, greater)), ((),))
    step = a.Select(
        (a.Target("value", a.ScalarSubquery(copy_fresh(following, ctx.fresh)[0], key.type)),),
        (a.CteScan(rel, number, "steps", columns),),
        # without it the recursion would go on from NULL for ever
        a.IsNull(before, negated=True),
    )
    body = a.SetOp("union", True, copy_fresh(first, ctx.fresh)[0], step, columns)
    return a.Cte(number, "steps", body, columns, recursive=True)


def _asked(value: a.Expr, key: a.Expr | None, scan: a.Scan, preds: Sequence[a.Expr], ctx: Context) -> a.Expr:
    """The values that steps find; with a ``key`` that may be NULL the last NULL too, where it is one."""
    found = a.IsNull(value, negated=True)
    if key is None:
        return found
    query = a.Select(ONE, (scan,), conjoin((*preds, a.IsNull(key))))
    return a.Or((found, a.Exists(copy_fresh(query, ctx.fresh)[0])))
