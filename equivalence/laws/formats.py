"""Which period a date written by ``to_char`` names.

Owns formats of the year with four digits, the month and the day in figures, with plain signs between them:
these are the same in every language. Must not know expressions.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_FORMAT = re.compile(r"(?:YYYY|MM|DD|[-/. _:])+")
_FIGURES = {"YYYY": r"(?P<year>[1-9]\d{3})", "MM": r"(?P<month>\d\d)", "DD": r"(?P<day>\d\d)"}
_PART = re.compile("|".join(_FIGURES))


def named_period(form: str, text: str) -> tuple[datetime, datetime] | None:
    """The year, month or day of our era whose moments ``to_char(…, form)`` writes as ``text``: its start, and
    the start of the next one. None where it is no single period.
    """
    parts = _PART.findall(form)
    # 'DD' alone names a day in each month: no single period
    if not _FORMAT.fullmatch(form) or sorted(parts) not in (["YYYY"], ["MM", "YYYY"], ["DD", "MM", "YYYY"]):
        return None
    pattern = _PART.sub(lambda m: _FIGURES[m[0]], re.escape(form).replace(r"\-", "-"))
    found = re.fullmatch(pattern, text)
    # '2023-7' is no text that 'YYYY-MM' writes: the condition is never TRUE, which is left to others
    if found is None:
        return None
    year, month, day = (int(found.groupdict().get(name) or 1) for name in ("year", "month", "day"))
    try:
        start = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}")
    except ValueError:
        return None
    if "DD" in parts:
        return start, start + timedelta(days=1)
    months = 1 if "MM" in parts else 12
    # counted in months from the year's first, so that December leads into the next year
    return (start, start.replace(year=year + (month - 1 + months) // 12, month=(month - 1 + months) % 12 + 1))
