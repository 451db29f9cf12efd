"""A count of the intervals that hold a moment, to the count of those that began before it less that of those
that ended before it.

    SELECT d.day, (SELECT count(*) FROM visit v
                   WHERE v.began < d.day AND (v.ended IS NULL OR v.ended >= d.day)) AS n FROM d
    -->
    SELECT d.day, (SELECT count(*) FROM visit v WHERE v.began < d.day)
                - (SELECT count(*) FROM visit v WHERE v.began IS NOT NULL AND v.ended IS NOT NULL
                   AND greatest(v.began, v.ended) < d.day) AS n FROM d

Each of the two compares one value: a window over both kinds of rows gives it (`merged_running`). Rows that
end before they begin are in both counts once they have done both, and are never open: hence the greatest.
The comparisons are each other's complement, ``<`` and ``>=`` or ``<=`` and ``>``. Known as temporal
aggregation (Kline and Snodgrass 1995).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rewright.equivalence.laws.intervals import counted
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.merged_running import Upto, upto_of
from rewright.rewrite.rules.running_window import not_null
from rewright.sql import algebra as a
from rewright.sql.build import compare, operator
from rewright.sql.types import INT8
from rewright.sql.walk import (
    block_exprs,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    from_rels,
    replace_node,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class _Open:
    """``begin`` and ``end`` are conjuncts of a count; ``ended``: the value and the bound of the latter."""

    begin: a.Expr
    began: Upto
    end: a.Expr
    ended: Upto
    may_go_on: bool


@rule(
    SELECT.where(reads_tables),
    guards=("ends-meet", "begin-counts"),
    known_as="temporal aggregation (Kline and Snodgrass 1995)",
    priority=72,
    category="predicate",
)
def open_count(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    nodes = [n for e in block_exprs(replace(block, ctes=())) for n in walk_block(e)]
    for node in dict.fromkeys(n for n in nodes if isinstance(n, a.ScalarSubquery)):
        query = counted(node)
        found = None if query is None else _open(query, ctx)
        if query is None or found is None:
            continue
        made = _difference(query, found, ctx)
        if made is not None:
            why = "what is open is what began less what ended"
            yield Rewrite(replace_node(block, node, made), why)


def _open(query: a.Select, ctx: Context) -> _Open | None:
    inside = from_rels(query.from_)
    preds = conjuncts(query.where)
    for begin in preds:
        began = upto_of(begin, inside)
        # of the two comparisons the one that looks back in time
        if began is None or began.falling:
            continue
        for end in preds:
            ended, may_go_on = _end(end, inside)
            # the same moment has to be compared with both ends
            if ended is None or not ended.falling or ended.outer != began.outer:
                continue
            same = ended.inner.type == began.inner.type
            # `began <= d AND ended >= d`: an interval that ends at d has both begun and not ended, the two
            # overlap
            if same and ctx.holds("ends-meet", began.strict != ended.strict):
                return _Open(begin, began, end, ended, may_go_on)
    return None


def _end(pred: a.Expr, inside: frozenset[int]) -> tuple[Upto | None, bool]:
    """The comparison of an end, and whether there need not be one."""
    if not isinstance(pred, a.Or):
        return upto_of(pred, inside), False
    bounds = [p for p in pred.args if not isinstance(p, a.IsNull)]
    nulls = [p for p in pred.args if isinstance(p, a.IsNull) and not p.negated and not p.row_form]
    # `ended IS NULL OR ended >= d` has the NULL of an interval that goes on; anything else is another
    # condition
    if len(bounds) != 1 or len(nulls) != 1:
        return None, False
    found = upto_of(bounds[0], inside)
    if found is None:
        return None, False
    # of an expression that is NULL where its one column is
    alike = nulls[0].arg == found.inner or columns_used((found.inner,), inside) == [nulls[0].arg]
    return (found if alike else None), True


def _difference(query: a.Select, found: _Open, ctx: Context) -> a.Expr | None:
    rest = [p for p in conjuncts(query.where) if p not in {found.begin, found.end}]
    values = (found.began.inner, found.ended.inner)
    # an interval that ends before it begins has not begun when it ends: only the later moment closes it
    both = a.MinMax(True, values, values[0].type) if ctx.holds("begin-counts", False) is False else values[1]
    name = "<" if found.began.strict else "<="
    late, early = (compare(name, x, found.began.outer) for x in (values[0], both))
    minus = operator("-", INT8, INT8)
    if late is None or early is None or minus is None:
        return None
    # without `ended IS NULL` an interval that goes on was not counted, and is never subtracted
    some = [] if found.may_go_on else not_null(values[1:])
    began = replace(query, where=conjoin((*rest, late, *some)))
    ended = replace(query, where=conjoin((*rest, *not_null(values), early)))
    parts = (a.ScalarSubquery(began, INT8), copy_fresh(a.ScalarSubquery(ended, INT8), ctx.fresh)[0])
    return a.Op(minus, parts, INT8)
