"""A time that a question names, as bounds in SQL.

Owns the type alone; the grammars that make it are `moments`, `relative_times` and `clock`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """``start`` and ``end`` (exclusive) are SQL expressions or None; ``years`` and ``month`` serve columns
    that hold such numbers. ``clock``: bounds on the time of day, each an operator and `HH:MM`; ``weekdays``:
    the days of the week, 1 for Monday.
    """

    said: str
    start: str | None = None
    end: str | None = None
    years: tuple[int | None, int | None] | None = None
    month: int | None = None
    clock: tuple[tuple[str, str], ...] = ()
    weekdays: tuple[int, ...] = ()

    @property
    def of_each_day(self) -> bool:
        """Whether it is a time or a kind of day, whatever the date."""
        return bool(self.clock or self.weekdays)

    @property
    def over_midnight(self) -> bool:
        """Whether its time of day begins later than it ends."""
        return len(self.clock) > 1 and self.clock[0][1] > self.clock[1][1]

    @property
    def whole_years(self) -> bool:
        """Whether a column of years can tell it."""
        return all(bound is None or bound.endswith("-01-01'") for bound in (self.start, self.end))
