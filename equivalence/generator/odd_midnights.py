"""A time zone whose clocks are changed around the midnights of given days, and moments beside the changes.

    STD5DST,69/0,307/0:30      the 70th day of a year begins at 01:00; on the 308th, at half past midnight,
                               the last half hour of the day before comes again

So it was in Havana, Sao Paulo, and St. John's until 2011: a local day is no range of moments, local dates run
backwards, and a day's midnight is another time or comes twice. Where the days of a query's constants are no
such days in any real zone, POSIX writes one in which they are. Must not know queries or servers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# days that columns have anyway: clocks are put forward on one and back on the other
_FORWARD, _BACK = dt.date(2024, 3, 10), dt.date(2024, 11, 3)
# of other years a server may know the rule and not apply it
_YEARS = range(1971, 2037)
# days in the year that must lie between the two changes
_APART = 4
_WEST = dt.timedelta(hours=5)
_SUMMER = dt.timedelta(hours=4)
_HALF = dt.timedelta(minutes=30)
# minutes from the change back at 00:30, in the hour before it and that hour again; from that forward at 00:00
_BACK_CLOSE, _FORWARD_CLOSE = (-20, 10, 40), (10,)
# days of 23 and of 25 hours lie between
_BACK_FAR, _FORWARD_FAR = (-0.5, -750, 720, 1450), (0, -1410, -720, 690)


@dataclass(frozen=True, slots=True)
class Beside:
    """A session's zone, and texts of values beside its changes of clocks, by the names of their types; the
    first of them tell most.
    """

    zone: str
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


SKIPPED_DAY = Beside(
    "Pacific/Apia",
    {
        # the day that Samoa left out begins when the next one does
        "date": ("2011-12-30", "2011-12-31", "2011-12-29"),
        "timestamp": ("2011-12-30 00:00:00", "2011-12-31 00:00:00"),
        "timestamptz": ("2011-12-30 10:00:00+00", "2011-12-30 09:00:00+00"),
    },
)


def odd_midnights(days: Iterable[str]) -> Beside:
    """The zone in which clocks are put back on the first of the days and forward on another, where there are
    such: dates as ISO writes them.
    """
    known = [day for text in days if (day := _day(text)) is not None]
    back = known[0] if known else _BACK
    later = back + dt.timedelta(days=120)
    forward = next(day for day in (*known, _FORWARD, later) if abs(_number(day) - _number(back)) >= _APART)
    return Beside(
        f"STD5DST,{_number(forward)}/0,{_number(back)}/0:30",
        {
            "date": tuple(str(day) for day in (back, back - dt.timedelta(1), forward)),
            "timestamp": (
                *(f"{forward} {time}" for time in ("00:10:00", "01:10:00", "00:00:00", "01:00:00")),
                f"{back} 00:10:00",
                f"{back - dt.timedelta(1)} 23:40:00",
            ),
            "timestamptz": (
                *_beside(forward, _WEST, _FORWARD_CLOSE),
                *_beside(back, _SUMMER + _HALF, _BACK_CLOSE),
                *_beside(forward, _WEST, _FORWARD_FAR),
                *_beside(back, _SUMMER + _HALF, _BACK_FAR),
            ),
        },
    )


def _day(text: str) -> dt.date | None:
    try:
        day = dt.date.fromisoformat(text[:10])
    except ValueError:
        return None
    return day if day.year in _YEARS else None


def _number(day: dt.date) -> int:
    """Days of the year before it, as POSIX counts them with leap days."""
    return day.timetuple().tm_yday - 1


def _beside(day: dt.date, change: dt.timedelta, minutes: Iterable[float]) -> tuple[str, ...]:
    at = dt.datetime.combine(day, dt.time.min) + change
    return tuple(f"{at + dt.timedelta(minutes=m)}+00" for m in minutes)
