"""Conditions that say nothing: a key against the least or greatest one of rows that the block joins anyway.

    s.day = d.id AND d.year = 1998 AND s.day >= (SELECT min(id) FROM d WHERE year = 1998)

A row of d that joins s meets the subquery's conditions, so its id is one of those whose least is taken, and
equals s.day. Where the other conditions hold the bound holds, and where they don't the row is gone anyway.
Of d's own column such a bound only says that it is there (hazards M2):

    d.year = 1998 AND d.id >= (SELECT min(id) FROM d WHERE year = 1998)
    -->
    d.year = 1998 AND d.id IS NOT NULL

    t.at::date = '2000-03-05' AND t.at >= '2000-02-26 00:00:00+00'

The same of a moment whose local date is known: no time zone is a week from UTC; and of one whose start of the
month is. Taken out of both queries of a pair before it is proved. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from rewright.equivalence.laws.forms import Form, Walk, harmless
from rewright.equivalence.laws.zones import Span, around, span, utc
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_equality
from rewright.sql.types import EXACT_INTEGERS
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    free_rels,
    renumber,
)

ORDERED = EXACT_INTEGERS | {"date"}
EXTREMES = {">=": "min", "<=": "max"}


def without_bounds(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without such conditions."""
    return _WithoutBounds(catalog).form(query)


class _WithoutBounds(Walk):
    def block(self, block: a.Select) -> a.Select:
        items, preds = as_product(block)
        # what the joins' conditions say of a moment counts, too; dropped are conditions of WHERE alone
        spans = [s for p in preds if (s := span(p)) is not None]
        own = conjuncts(block.where)
        kept = tuple(q for p in own if not _is_around(p, spans) for q in self._said(p, items, preds))
        return block if kept == tuple(own) else replace(block, where=conjoin(kept))

    def _said(self, pred: a.Expr, items: Sequence[a.FromItem], preds: Sequence[a.Expr]) -> tuple[a.Expr, ...]:
        """What a condition says beside the others: nothing, that a column is there, or just what it does."""
        if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin:
            return (pred,)
        key, bound = pred.args
        if not isinstance(key, a.Column) or not isinstance(bound, a.ScalarSubquery):
            return (pred,)
        if key.type.name not in ORDERED or not key.type.is_builtin:
            return (pred,)
        read = self._extreme(bound.query, EXTREMES.get(pred.op.btree, ""))
        if read is None or read[1].type != key.type:
            return (pred,)
        scan, column, own = read
        found = [replace(column, rel=i.rel) for i in items if _is_among(i, scan, own, preds)]
        # an equality says that the key is there, too
        if any(is_equality(p) and set(_sides(p)) == {mine, key} for p in preds for mine in found):
            return ()
        return (a.IsNull(key, negated=True),) if key in found else (pred,)

    def _extreme(self, query: a.Query, name: str) -> tuple[a.Scan, a.Column, tuple[a.Expr, ...]] | None:
        """Table, column and conditions of ``SELECT min(column) FROM table WHERE …``."""
        if not name or not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
            return None
        value, scan = query.targets[0].expr, query.from_[0]
        # compared with a bare SELECT min(column) FROM t WHERE …, so that HAVING, LIMIT, DISTINCT and the like
        # all refuse
        whole = a.Select(query.targets, query.from_, query.where, ((),), order_by=query.order_by)
        if query != whole or not isinstance(scan, a.Scan) or not isinstance(value, a.Aggregate):
            return None
        (column,) = value.args if len(value.args) == 1 else (None,)
        # min(x) FILTER (WHERE …) is the least of fewer rows
        plain = value == a.Aggregate(value.func, value.args, value.type)
        if (
            not plain
            or value.func.name != name
            or not value.func.is_builtin
            or not isinstance(column, a.Column)
        ):
            return None
        own = conjuncts(query.where)
        # a correlated condition may leave out the joined row; one that may fail would fail no more
        if column.rel != scan.rel or any(
            free_rels(p) - {scan.rel} or not harmless(p, self.facts) for p in own
        ):
            return None
        return scan, column, own


def _is_around(pred: a.Expr, spans: Sequence[Span]) -> bool:
    """Whether a moment is only asked to lie where its local date puts it in any time zone."""
    if isinstance(pred, a.Or):
        # years before Christ are one arm of an OR there, so that the whole OR must be the one that the span
        # says
        return any(s.ancient and pred in around(s) for s in spans)
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin:
        return False
    column, bound = pred.args
    moment = utc(bound)
    if moment is None or bound.type.name != column.type.name:
        return False  # compared by way of the session's zone
    known = [s for s in spans if s.column == column and not s.ancient]
    lows = [s.low for s in known if s.low is not None]
    highs = [s.high for s in known if s.high is not None]
    if pred.op.name in {">", ">="}:
        return any(moment < low or (moment == low and pred.op.name == ">=") for low in lows)
    return pred.op.name in {"<", "<="} and any(moment >= high for high in highs)


def _is_among(
    item: a.FromItem, scan: a.Scan, own: Sequence[a.Expr], preds: Sequence[a.Expr]
) -> TypeGuard[a.Scan]:
    """Whether the rows of ``item`` that are left are among those of the ``scan`` that meet its ``own``
    conditions.
    """
    if not isinstance(item, a.Scan) or (item.table, item.only) != (scan.table, scan.only):
        return False
    return all(renumber(p, {scan.rel: item.rel}) in preds for p in own)


def _sides(pred: a.Expr) -> tuple[a.Expr, ...]:
    return pred.args if isinstance(pred, a.Op) else ()
