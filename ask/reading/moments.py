"""Times of a question: `in April 2021`, `on or after Jan 1, 2023`, `in the past 7 days`, `between 2018 and
2020`.

Owns the grammar of times and their bounds as SQL; a moment is a span, its end exclusive. Must not know
columns.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from rewright.ask.reading.words import Token

_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name and name != "May"}
_MONTHS["sept"] = 9
_UNITS = {
    "day": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "hour": "hour",
    "decade": "decade",
}
_UNITS |= {f"{unit}s": unit for unit in _UNITS}
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
}
_INSIDE = {"in", "on", "during", "for", "of", "from", "within", "throughout", "over"}
_DAYS_ONLY = {"over", "on"}
"""Before these a number is no year."""
_FILL = {"the", "year", "month", "of", "date", "calendar", "whole", "iso", "full", "years", "dates"}
_EARLIEST, _LATEST = 1500, 2200


@dataclass(frozen=True, slots=True)
class Moment:
    """``start`` and ``end`` (exclusive) are SQL expressions or None; ``years`` and ``month`` serve columns
    that hold such numbers.
    """

    said: str
    start: str | None = None
    end: str | None = None
    years: tuple[int | None, int | None] | None = None
    month: int | None = None

    @property
    def whole_years(self) -> bool:
        """Whether a column of years can tell it."""
        return all(bound is None or bound.endswith("-01-01'") for bound in (self.start, self.end))


@dataclass(frozen=True, slots=True)
class _Span:
    """Whole days from ``first`` until before ``after``; ``month`` where the span is a month without a year
    (``first`` is None).
    """

    first: date | None
    after: date | None
    month: int | None = None


def moment_at(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The moment that begins at a token, and how many tokens it takes."""
    found = _relative(words, at) or _bounded(words, at)
    if found is None:
        return None
    moment, end = found
    text = " ".join(t.text for t in words[at:end])
    return replace(moment, said=text), end - at


def _word(words: Sequence[Token], at: int) -> str:
    return words[at].word if 0 <= at < len(words) else ""


def _skip(words: Sequence[Token], at: int, fill: set[str] = _FILL) -> int:
    while _word(words, at) in fill:
        at += 1
    return at


# ------------------------------------------------------------------ spans


def _span(words: Sequence[Token], at: int) -> tuple[_Span, int] | None:
    """A day, month, quarter or year."""
    at = _skip(words, at)
    token = words[at] if at < len(words) else None
    if token is None:
        return None
    if token.kind == "iso":
        try:
            day = date.fromisoformat(token.word)
        except ValueError:
            return None
        return _Span(day, day + timedelta(days=1)), at + 1
    if token.word in _MONTHS:
        return _month(words, at)
    if (quarter := _quarter(words, at)) is not None:
        return quarter
    if (year := _year(words, at)) is not None:
        return _Span(date(year, 1, 1), date(year + 1, 1, 1)), at + 1
    if token.kind == "number" and (month := _word(words, at + 1)) in _MONTHS and 1 <= float(token.word) <= 31:
        return _day(words, at + 2, _MONTHS[month], token.word)
    return None


def _month(words: Sequence[Token], at: int) -> tuple[_Span, int] | None:
    month = _MONTHS[words[at].word]
    after = at + 1
    number = _word(words, after).removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    if number.isdigit() and 1 <= int(number) <= 31:
        return _day(words, after + 1, month, number) or None
    after = _skip(words, after, {",", "of"})
    if (year := _year(words, after)) is not None:
        return _Span(date(year, month, 1), _next_month(year, month)), after + 1
    if words[at].word in {"may", "mar", "march"} and not words[at].text[0].isupper():
        return None
    return _Span(None, None, month), at + 1


def _day(words: Sequence[Token], at: int, month: int, day: str) -> tuple[_Span, int] | None:
    at = _skip(words, at, {",", "of"})
    year = _year(words, at)
    if year is None:
        return None
    try:
        first = date(year, month, int(float(day)))
    except ValueError:
        return None
    return _Span(first, first + timedelta(days=1)), at + 1


def _quarter(words: Sequence[Token], at: int) -> tuple[_Span, int] | None:
    word = _word(words, at)
    number = int(word[1]) if word in {"q1", "q2", "q3", "q4"} else 0
    after = at + 1
    if word in _ORDINALS and _word(words, at + 1) == "quarter":
        number, after = _ORDINALS[word], at + 2
    after = _skip(words, after, {"of", "the", "year", ","})
    year = _year(words, after) if number else None
    if year is None:
        return None
    month = 3 * number - 2
    return _Span(date(year, month, 1), _next_month(year, month + 2)), after + 1


def _year(words: Sequence[Token], at: int) -> int | None:
    word = _word(words, at)
    number = at < len(words) and words[at].kind == "number" and "," not in words[at].text
    return (
        int(word)
        if number and len(word) == 4 and word.isdigit() and _EARLIEST <= int(word) < _LATEST
        else None
    )


def _next_month(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1)


# ------------------------------------------------------------------ bounds


def _bounded(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    word, after = _word(words, at), _word(words, at + 1)
    if (word in {"between", "from"}) and (pair := _pair(words, at + 1)) is not None:
        return pair
    if word == "on" and after == "or" and _word(words, at + 2) in {"after", "before"}:
        return _open(words, at + 3, _word(words, at + 2), inclusive=True)
    if word in {"after", "before"} and after == "or" and _word(words, at + 2) in {"on", "in", "during"}:
        return _open(words, at + 3, word, inclusive=True)
    if word in {"since", "after", "before", "until", "till"}:
        kind = "after" if word in {"since", "after"} else "before"
        return _open(words, at + 1, kind, inclusive=word in {"since", "until", "till"})
    if word in {"later", "earlier"} and after == "than":
        return _open(words, at + 2, "after" if word == "later" else "before", inclusive=False)
    inside = word in _INSIDE
    found = _span(words, at + inside)
    if found is None or not (inside or words[at].kind == "iso" or word in {*_MONTHS, "year"}):
        return None
    span, end = found
    if word in _DAYS_ONLY and _year(words, at + 1) is not None:
        return None
    onwards = _word(words, end + 1) if _word(words, end) == "or" else ""
    if onwards in {"later", "after", "newer", "earlier", "before"}:
        kind = "before" if onwards in {"earlier", "before"} else "after"
        opened = _open(words, at + inside, kind, inclusive=True)
        return (opened[0], end + 2) if opened is not None else None
    if (
        inside
        and word in {"for", "of", "from", "over"}
        and _year(words, at + 1) is not None
        and _noun(words, end)
    ):
        return None
    return _inside(span), end


def _noun(words: Sequence[Token], at: int) -> bool:
    return _word(words, at) in {"dollars", "euros", "points", "people", "meters", "miles", "km"}


def _pair(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    first = _span(words, at)
    if first is None:
        return None
    joint = _skip(words, first[1], {","})
    if _word(words, joint) not in {"and", "to", "until", "through", "till"}:
        return None
    second = _span(words, joint + 1)
    if second is None or first[0].first is None or second[0].after is None:
        return None
    end = second[1]
    if _word(words, end) == "(" and _word(words, end + 1) in {"inclusive", "included"}:
        while end < len(words) and words[end].word != ")":
            end += 1
        end += 1
    elif _word(words, end) == "inclusive":
        end += 1
    years = (first[0].first.year, (second[0].after - timedelta(days=1)).year)
    return Moment("", _literal(first[0].first), _literal(second[0].after), years), end


def _open(words: Sequence[Token], at: int, kind: str, *, inclusive: bool) -> tuple[Moment, int] | None:
    found = _span(words, at)
    if found is None or found[0].first is None or found[0].after is None:
        return None
    span, end = found
    first, after = found[0].first, found[0].after
    assert span.after is not None
    last = (after - timedelta(days=1)).year
    if kind == "after":
        return Moment(
            "",
            start=_literal(first if inclusive else after),
            years=(first.year if inclusive else last + 1, None),
        ), end
    return Moment(
        "", end=_literal(after if inclusive else first), years=(None, last if inclusive else first.year - 1)
    ), end


def _inside(span: _Span) -> Moment:
    if span.first is None or span.after is None:
        return Moment("", month=span.month)
    month = span.first.month if 28 <= (span.after - span.first).days <= 31 else None
    years = (span.first.year, (span.after - timedelta(days=1)).year)
    return Moment("", _literal(span.first), _literal(span.after), years, month)


def _literal(day: date) -> str:
    return f"date '{day.isoformat()}'"


# ------------------------------------------------------------------ relative to today


def _relative(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    start = at
    if _word(words, at) in {*_INSIDE, "since"}:
        at += 1
    at = _skip(words, at, {"the", "each", "of", "whole"})
    if (start != at and _word(words, at) in {"today", "yesterday"}) or _word(words, start) in {
        "today",
        "yesterday",
    }:
        day = "current_date" if _word(words, at) == "today" else "current_date - 1"
        return Moment("", day, f"{day} + 1"), at + 1
    past = _word(words, at) in {"past", "last", "previous", "preceding"}
    this = _word(words, at) in {"this", "current"}
    if not past and not this:
        return _ago(words, start)
    number, at = 0, _skip(words, at + 1)
    if at < len(words) and words[at].kind == "number" and words[at].word.isdigit():
        number, at = int(words[at].word), at + 1
    calendar_said = "calendar" in {_word(words, at), _word(words, at - 1)}
    at = _skip(words, at)
    unit = _UNITS.get(_word(words, at) or "", "") or _UNITS.get(_word(words, at - 1), "")
    if not unit or unit == "decade":
        return None
    end = at + 1 if _word(words, at) in _UNITS else at
    if (
        start == at - 1
        and past
        and not number
        and _word(words, start) == "last"
        and _word(words, at) not in _UNITS
    ):
        return None
    return _made(words, end, number, unit, this=this, calendar_said=calendar_said)


def _made(
    words: Sequence[Token], end: int, number: int, unit: str, *, this: bool, calendar_said: bool
) -> tuple[Moment, int]:
    qualifier, after = _qualifier(words, end)
    current = f"date_trunc('{unit}', current_date)"
    if this:
        return Moment("", current, f"{current} + interval '1 {unit}'"), after
    length = f"interval '{number or 1} {_plural(unit, number or 1)}'"
    if not number or qualifier == "excluding":
        return Moment("", f"{current} - {length}", current), after
    if calendar_said:
        return Moment("", f"date_trunc('{unit}', current_date - {length})"), after
    if qualifier == "today" and unit == "day":
        length = f"interval '{number - 1} days'"
    return Moment("", f"current_date - {length}"), after


def _plural(unit: str, number: int) -> str:
    return unit if number == 1 else f"{unit}s"


def _qualifier(words: Sequence[Token], at: int) -> tuple[str, int]:
    """`inclusive of today`, `excluding the current month`, in commas or brackets."""
    held = at
    at = _skip(words, at, {",", "("})
    if _word(words, at) in {"inclusive", "including"}:
        end = _skip(
            words,
            at + 1,
            {"of", "today", "now", "the", "current", "date", "day", "ago", "week", "month", ")", "1"},
        )
        return ("today" if "today" in [t.word for t in words[at:end]] else ""), end
    negated = _word(words, at) == "not" and _word(words, at + 1) == "including"
    if negated or _word(words, at) in {"excluding", "exclusive"}:
        end = _skip(words, at + 1 + negated, {"of", "the", "current", "this", *_UNITS, ")", "iso"})
        return "excluding", end
    return "", held


def _ago(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """`2 years ago`: within that year; `since 3 days ago` is not read."""
    if at + 2 < len(words) and words[at].kind == "number" and words[at + 2].word == "ago":
        unit = _UNITS.get(words[at + 1].word, "")
        if unit and unit != "decade" and words[at].word.isdigit():
            length = f"interval '{words[at].word} {_plural(unit, int(words[at].word))}'"
            first = f"date_trunc('{unit}', current_date - {length})"
            return Moment("", first, f"{first} + interval '1 {unit}'"), at + 3
    return None
