"""A condition on the local date of a moment with time zone bounds the moment itself, in every time zone.

    SELECT t.id FROM tick t WHERE t.at::date = date '2000-03-05'
    -->
    SELECT t.id FROM tick t WHERE t.at::date = date '2000-03-05' AND t.at >= '2000-02-26 00:00:00+00' AND t.at < '2000-03-15 00:00:00+00'

The local date depends on the session's zone, so the condition stays; no zone is a week from UTC, so the bounds always hold with it. An
index on the column, partitions and statistics then count. (Without a time zone date_range finds exact ranges.) SOUNDNESS 16, M16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.zones import Span, moment, span, utc
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.walk import as_product, conjoin, conjuncts


@rule(SELECT, priority=82, category="predicate")
def zone_range(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    preds = as_product(block)[1]
    bounded = {
        arg
        for p in preds
        if isinstance(p, a.Op) and len(p.args) == 2 and utc(p.args[1])
        for arg in p.args[:1]
    }
    found: dict[a.Column, list[Span]] = {}
    for pred in preds:
        one = span(pred)
        if one is not None and one.column not in bounded:
            found.setdefault(one.column, []).append(one)
    added = [bound for column, spans in found.items() for bound in _bounds(column, spans)]
    if added:
        where = conjoin((*conjuncts(block.where), *added))
        yield Rewrite(
            replace(block, where=where), "a local date bounds the moment in every time zone", literal=True
        )


def _bounds(column: a.Column, spans: list[Span]) -> Iterator[a.Expr]:
    """The tightest of all."""
    lows, highs = [s.low for s in spans if s.low], [s.high for s in spans if s.high]
    for name, at in ((">=", max(lows, default=None)), ("<", min(highs, default=None))):
        bound = None if at is None else compare(name, column, moment(at, column.type))
        if bound is not None:
            yield bound
