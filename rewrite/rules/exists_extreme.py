"""[NOT] EXISTS a row on one side of a value: a comparison with the extreme of the rows that are left.

    SELECT r.at FROM reading r WHERE NOT EXISTS (SELECT 1 FROM reading n WHERE n.meter = r.meter AND n.at >
    r.at AND n.at <= r.at + 7) -->
    SELECT r.at FROM reading r WHERE ((SELECT min(n.at) FROM reading n WHERE n.meter = r.meter AND n.at >
    r.at) <= r.at + 7) IS NOT TRUE

    SELECT r.at, EXISTS (SELECT 1 FROM reading n WHERE n.meter = r.meter AND n.at > r.due) FROM reading r
    -->
    SELECT r.at, COALESCE((SELECT max(n.at) FROM reading n WHERE n.meter = r.meter) > r.due, false) FROM
    reading r

Of rows that meet the other conditions one is below a value where the least is; where there are none, the
least is NULL, which counts as false where EXISTS is asked for as a value. The subquery is decorrelated by
other rules, to a window where it looks at the next or the previous row. Hazards 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import FALSE, aggregate
from rewright.sql.facts import may_differ
from rewright.sql.types import BOOL
from rewright.sql.walk import (
    as_product,
    conjoin,
    copy_fresh,
    has_subquery,
    is_plain,
    replace_node,
    used_rels,
    walk_block,
)

EXTREMES = {"<": "min", "<=": "min", ">": "max", ">=": "max"}


@rule(SELECT, guards=("no-row-is-no-extreme",), priority=74, category="predicate")
def exists_extreme(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    yield from _conditions(block, ctx)
    yield from _values(block, ctx)


def _conditions(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Conjuncts of WHERE, where NULL is as good as FALSE."""
    items, preds = as_product(block)
    for pred in preds:
        negated = isinstance(pred, a.Not)
        node = pred.arg if isinstance(pred, a.Not) else pred
        if not isinstance(node, a.Exists):
            continue
        for test in _tests(node.query, ctx):
            met: a.Expr = test
            # NULL is not TRUE, but NOT NULL is not either: without a row NOT EXISTS is TRUE
            if negated:
                known = ctx.holds("no-row-is-no-extreme", False)
                met = a.Not(test) if known else a.IsBool(test, "true", negated=True)
            where = conjoin(met if p == pred else p for p in preds)
            yield Rewrite(
                replace(block, from_=tuple(items), where=where),
                "a row on one side of a value exists where the extreme of the rows is there",
            )


def _values(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """EXISTS that is shown, counted, or one of several conditions of which one is enough."""
    # these are conditions by themselves, taken by the other half with a simpler result
    whole = {p for p in as_product(block)[1] if isinstance(p, a.Exists)}
    whole |= {p.arg for p in as_product(block)[1] if isinstance(p, a.Not) and isinstance(p.arg, a.Exists)}
    shown = [t.expr for t in block.targets] + ([] if block.where is None else [block.where])
    asked = [n for e in shown for n in walk_block(e) if isinstance(n, a.Exists) and n not in whole]
    for node in dict.fromkeys(asked):
        for test in _tests(node.query, ctx):
            known = ctx.holds("no-row-is-no-extreme", False)
            # shown as a value EXISTS is false where the extreme's comparison is NULL
            met = test if known else a.Coalesce((test, FALSE), BOOL)
            # everywhere alike: GROUP BY, and ORDER BY beside DISTINCT, name an output by its expression
            made = replace_node(block, node, met)
            yield Rewrite(made, "whether a row is on one side of a value, the extreme of the rows says")


def _tests(query: a.Query, ctx: Context) -> Iterator[a.Op]:
    """Comparisons that are TRUE where the query has a row, one for each of its inequalities."""
    if not isinstance(query, a.Select) or not is_plain(replace(query, limit=None)) or may_differ(query):
        return
    # LIMIT 1 in EXISTS is a habit; LIMIT 0 makes it false
    if query.limit is not None and not (isinstance(query.limit, a.Const) and query.limit.value == "1"):
        return
    inner = take_apart(replace(query, targets=(), distinct=None, order_by=(), limit=None))
    # a subquery inside would be copied once for each inequality
    if inner is None or has_subquery(query):
        return
    # each inequality may be the one that the extreme is compared by: the others stay inside
    for one in inner.others:
        pair = _compared(one, inner.rels)
        best = None if pair is None else aggregate(EXTREMES[pair[0]], pair[1])
        if pair is None or best is None or not isinstance(one, a.Op):
            continue
        rest = [*(t.op for t in inner.ties), *inner.local, *(p for p in inner.others if p is not one)]
        asked = a.Select((a.Target("best", best),), inner.items, conjoin(rest), ((),))
        value = a.ScalarSubquery(copy_fresh(asked, ctx.fresh)[0], best.type)
        yield replace(one, args=tuple(value if x == pair[1] else x for x in one.args))


def _compared(pred: a.Expr, inside: frozenset[int]) -> tuple[str, a.Expr] | None:
    """How an expression of the inner rows is compared with a value from outside. What compares two types
    goes by the order of each of them, as all operators of a btree family do; of days and moments the inner
    ones are those that the others are taken for.
    """
    # only < and > have an end; `<>` is exists_inequality's
    if not isinstance(pred, a.Op) or pred.op.btree not in EXTREMES or not pred.op.is_builtin:
        return None
    if len(pred.args) != 2:
        return None
    left, right = pred.args
    # min goes by the column's collation, the comparison by the other's
    if left.type.collation != right.type.collation:
        return None
    own = [bool(used_rels(x)) and used_rels(x) <= inside for x in pred.args]
    # a value of inner and outer columns together is no column to take the least of
    if own == [True, False] and not used_rels(right) & inside and _taken_for(pred.op.right, pred.op.left):
        return pred.op.btree, left
    if own == [False, True] and not used_rels(left) & inside and _taken_for(pred.op.left, pred.op.right):
        return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[pred.op.btree], right
    return None


def _taken_for(outer: str, inner: str) -> bool:
    """Whether a comparison takes values of one type for such of the other, where it is of days or moments."""
    # `date < timestamptz` goes by the session's zone: only widening of the outer value keeps the inner order
    moments = ("date", "timestamp", "timestamptz")
    return not {outer, inner} <= {*moments} or moments.index(outer) <= moments.index(inner)
