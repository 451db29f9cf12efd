"""A condition on the local date of a moment, or on how it is written, bounds the moment itself, in every time
zone.

    SELECT t.id FROM tick t WHERE t.at::date = date '2000-03-05'
    -->
    SELECT t.id FROM tick t WHERE t.at::date = date '2000-03-05' AND t.at >= '2000-02-26 00:00:00+00' AND t.at
    < '2000-03-15 00:00:00+00'

The local date depends on the session's zone, so the condition stays; no zone is a week from UTC, so the
bounds always hold with it. An index on the column, partitions and statistics then count. The same of
date_trunc and of dates AT TIME ZONE a zone, and of to_char, which writes years before Christ as those after.
Without a time zone the bounds of date_trunc are exact and the condition stays all the same, for what it may
raise (date_range puts ranges in the place of conditions). Nearest in Calcite: DateRangeRules. Hazards 16,
M16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.zones import Span, around, span, utc
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, conjoin, conjuncts


@rule(SELECT, known_as="DateRangeRules", priority=82, category="predicate")
def zone_range(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    preds = as_product(block)[1]
    # columns with a bound in UTC have been given theirs before
    bounded = {
        arg
        for p in preds
        if isinstance(p, a.Op) and len(p.args) == 2 and utc(p.args[1])
        for arg in p.args[:1]
    }
    found: dict[a.Column, list[Span]] = {}
    added: list[a.Expr] = []
    for pred in preds:
        one = span(pred)
        if one is None or one.column in bounded:
            continue
        # to_char writes years before Christ alike: its bounds are two ranges, which do not meet in one
        if one.ancient:
            added += [bound for bound in around(one) if bound not in preds]
        else:
            found.setdefault(one.column, []).append(one)
    # several conditions on one column are met by the narrowest bounds
    added += [bound for spans in found.values() for bound in around(_tightest(spans))]
    if added:
        where = conjoin((*conjuncts(block.where), *added))
        yield Rewrite(
            replace(block, where=where), "a local date bounds the moment in every time zone", literal=True
        )


def _tightest(spans: list[Span]) -> Span:
    lows, highs = [s.low for s in spans if s.low], [s.high for s in spans if s.high]
    return replace(spans[0], low=max(lows, default=None), high=min(highs, default=None))
