"""Spans of whole days in words: a day, a month, a quarter, a half, a year.

Owns their grammar. Must not know what bounds them (`since`, `before`) nor SQL.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from rewright.ask.reading.words import Token

MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
# `May` is its own abbreviation
MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name and name != "May"}
MONTHS["sept"] = 9
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 0,
}
_PARTS = {"month": 1, "quarter": 3, "half": 6}
_SHORT_PARTS = {f"q{n}": (3, n) for n in range(1, 5)} | {f"h{n}": (6, n) for n in (1, 2)}
"""Months of a part, and which part of the year it is."""
_FILL = {"the", "year", "month", "of", "date", "calendar", "whole", "iso", "full", "years", "dates"}
# years beyond these are numbers of something else
_EARLIEST, _LATEST = 1500, 2200


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days from ``first`` until before ``after``; ``month`` where the span is a month without a year
    (``first`` is None).
    """

    first: date | None
    after: date | None
    month: int | None = None


def word_at(words: Sequence[Token], at: int) -> str:
    return words[at].word if 0 <= at < len(words) else ""


def skip(words: Sequence[Token], at: int, fill: set[str] = _FILL) -> int:
    while word_at(words, at) in fill:
        at += 1
    return at


def span_at(words: Sequence[Token], at: int) -> tuple[Span, int] | None:
    """A day, month, quarter or year."""
    at = skip(words, at)
    token = words[at] if at < len(words) else None
    if token is None:
        return None
    if token.kind == "iso":
        try:
            day = date.fromisoformat(token.word)
        except ValueError:
            # a day that no month has (`2023-02-30`) is no date at all
            return None
        return Span(day, day + timedelta(days=1)), at + 1
    if token.word in MONTHS:
        return _month(words, at)
    if (part := part_of_year(words, at)) is not None:
        return part
    if (year := year_at(words, at)) is not None:
        return Span(date(year, 1, 1), date(year + 1, 1, 1)), at + 1
    if (
        # `3 March 2023`, the day before the month
        token.kind == "number"
        and (month := word_at(words, at + 1)) in MONTHS
        and 1 <= float(token.word) <= 31
    ):
        return _day(words, at + 2, MONTHS[month], token.word)
    return None


def _month(words: Sequence[Token], at: int) -> tuple[Span, int] | None:
    month = MONTHS[words[at].word]
    after = at + 1
    # `March 3rd`: the ending goes, so that the number can be read
    number = word_at(words, after).removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    if number.isdigit() and 1 <= int(number) <= 31:
        return _day(words, after + 1, month, number) or None
    after = skip(words, after, {",", "of"})
    if (year := year_at(words, after)) is not None:
        return Span(date(year, month, 1), _next_month(year, month)), after + 1
    # `may` and `march` in small letters are verbs; `mar` is cut from too much
    if words[at].word in {"may", "mar", "march"} and not words[at].text[0].isupper():
        return None
    return Span(None, None, month), at + 1


def _day(words: Sequence[Token], at: int, month: int, day: str) -> tuple[Span, int] | None:
    at = skip(words, at, {",", "of"})
    year = year_at(words, at)
    # a day without its year is no span that data could be asked for
    if year is None:
        return None
    try:
        first = date(year, month, int(float(day)))
    except ValueError:
        return None
    return Span(first, first + timedelta(days=1)), at + 1


def part_of_year(words: Sequence[Token], at: int) -> tuple[Span, int] | None:
    """`Q3 2023`, `the last quarter of 2023`, `the first half of 2023`, `the last month of 2023`."""
    word, after = word_at(words, at), at + 1
    length, number = _SHORT_PARTS.get(word, (0, 0))
    if word in _ORDINALS and (length := _PARTS.get(word_at(words, at + 1), 0)):
        number, after = _ORDINALS[word], at + 2
        # the last quarter is the fourth, the last half the second
        number = 12 // length if word == "last" else number
    # a fourth half does not exist
    if not number or number * length > 12:
        return None
    after = skip(words, after, {"of", "the", "year", "in", ","})
    year = year_at(words, after)
    if year is None:
        return None
    last = number * length
    return Span(date(year, last - length + 1, 1), _next_month(year, last)), after + 1


def year_at(words: Sequence[Token], at: int) -> int | None:
    word = word_at(words, at)
    # a year has no comma: `2,020 orders`
    number = at < len(words) and words[at].kind == "number" and "," not in words[at].text
    return (
        int(word)
        if number and len(word) == 4 and word.isdigit() and _EARLIEST <= int(word) < _LATEST
        else None
    )


def month_of(year: int, month: int) -> tuple[date, date]:
    """Its first day, and the first of the next."""
    return date(year, month, 1), _next_month(year, month)


def _next_month(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1)
