"""Moments at which a time zone's clocks are changed, and moments beside them.

Taken from the system's time zone database, which may know a zone otherwise than the server does: the moments
are only values that are tried. Owns no zone's rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

# summer time begins and ends in it, where there is one
_YEAR = 2024
# railways and telegraphs ended local mean time between these years
_LOCAL = range(1880, 1920)
# half a day before and after, and within the hour that is left out or comes twice
_BESIDE = (
    dt.timedelta(hours=-13),
    dt.timedelta(minutes=-30),
    dt.timedelta(minutes=30),
    dt.timedelta(hours=13),
)
_WITHIN = dt.timedelta(minutes=10)
_FORTNIGHT = dt.timedelta(days=14)


@lru_cache(maxsize=64)
def moments_of_zone(name: str) -> tuple[str, ...]:
    """Texts of moments around a zone's changes of clocks; none for a zone that is not known here."""
    try:
        zone = ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # what is not found is a KeyError
        return ()
    changes = list(_changes(zone, [_day(_YEAR, n) for n in range(367)]))
    early = next(_changes(zone, [_day(year, 30 * n) for year in _LOCAL for n in range(12)]), None)
    found = [change + beside for change in changes for beside in _BESIDE]
    # a month that began at no midnight
    found += [] if early is None else [early + _FORTNIGHT]
    return tuple(f"{moment:%Y-%m-%d %H:%M}:00+00" for moment in found)


@lru_cache(maxsize=64)
def local_times_of_one_moment(name: str) -> tuple[str, str, str] | None:
    """Texts of two local times and of the moment that both are, where a zone's clocks are put forward: the
    first is left out by them. None for a zone that is not known here, or whose clocks are not changed.
    """
    try:
        zone = ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return None
    for change in _changes(zone, [_day(_YEAR, n) for n in range(367)]):
        moment = change + _WITHIN
        before, after = ((change + aside).astimezone(zone).utcoffset() for aside in (-_WITHIN, _WITHIN))
        if before is not None and after is not None and before < after:
            one, other = (f"{moment + offset:%Y-%m-%d %H:%M}:00" for offset in (before, after))
            return one, other, f"{moment:%Y-%m-%d %H:%M}:00+00"
    return None


def _day(year: int, number: int) -> dt.datetime:
    return dt.datetime(year, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=number)


def _changes(zone: ZoneInfo, moments: list[dt.datetime]) -> Iterator[dt.datetime]:
    """When the distance from UTC changes between two of the moments that follow each other, to the minute."""
    for start, end in pairwise(moments):
        before, after = start, end
        known = before.astimezone(zone).utcoffset()
        if known == after.astimezone(zone).utcoffset():
            continue
        while after - before > dt.timedelta(minutes=1):
            middle = before + (after - before) / 2
            if middle.astimezone(zone).utcoffset() == known:
                before = middle
            else:
                after = middle
        yield after
