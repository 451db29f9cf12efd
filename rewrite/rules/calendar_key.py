"""Values that lie in the day, month or hour that a calendar's row begins are found by equality.

    FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-31', interval '1 day') d(day)
         LEFT JOIN visit v ON v.at >= d.day AND v.at < d.day + interval '1 day'
    -->
    FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-31', interval '1 day') d(day)
         LEFT JOIN visit v ON v.at::date = d.day::date

A join on two bounds compares each row with each day; equal ones are hashed, and can be grouped before the
join. Weeks, months and years are cut by date_trunc, for values that the calendar reaches. Once with the
bounds of the whole calendar, for which an index may serve, and once without.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.equivalence.laws.calendars import by_calendar
from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.sql import algebra as a


@rule(QUERY.whole(), priority=88, category="join")
def calendar_key(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    del ctx  # the calendar says all that there is to know
    why = "what lies in a unit of a calendar is found by that unit"
    # the bounds may make an index useful, or only cost: both ways are offered and EXPLAIN decides
    plain, bounded = by_calendar(block, "kept"), by_calendar(block, "added")
    if plain != block:
        yield Rewrite(bounded, f"{why}, within the bounds of the whole")
        yield Rewrite(plain, why)
