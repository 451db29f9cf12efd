"""Times of a question: `in April 2021`, `on or after Jan 1, 2023`, `in the past 7 days`, `between 2018 and
2020`.

Owns the grammar of times and their bounds as SQL; a moment is a span, its end exclusive. Must not know
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from rewright.ask.reading.spans import MONTHS, Span, month_of, part_of_year, skip, span_at, word_at, year_at
from rewright.ask.reading.words import Token

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
_INSIDE = {"in", "on", "during", "for", "of", "from", "within", "throughout", "over"}
# before these a bare number is an amount: `over 2000 members`
_DAYS_ONLY = {"over", "on"}
"""Before these a number is no year."""


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
    def whole_years(self) -> bool:
        """Whether a column of years can tell it."""
        return all(bound is None or bound.endswith("-01-01'") for bound in (self.start, self.end))


def moment_at(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The moment that begins at a token, and how many tokens it takes."""
    found = _bounded(words, at) or _long_ago(words, at) or _relative(words, at)
    if found is None:
        return None
    moment, end = found
    # relative to another year: nothing here could say from which day to count
    if _relates(moment) and word_at(words, end) in {"of", "in"} and year_at(words, end + 1) is not None:
        return None  # `the last 6 months of 2023` are not the last six months
    text = " ".join(t.text for t in words[at:end])
    return replace(moment, said=text), end - at


# ------------------------------------------------------------------ bounds


def _bounded(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    word, after = word_at(words, at), word_at(words, at + 1)
    # closed ranges first: their first half reads as an open bound by itself
    if (word in {"between", "from"}) and (pair := _pair(words, at + 1)) is not None:
        return pair
    if word == "on" and after == "or" and word_at(words, at + 2) in {"after", "before"}:
        return _open(words, at + 3, word_at(words, at + 2), inclusive=True)
    if word in {"after", "before"} and after == "or" and word_at(words, at + 2) in {"on", "in", "during"}:
        return _open(words, at + 3, word, inclusive=True)
    if word in {"since", "after", "before", "until", "till"}:
        kind = "after" if word in {"since", "after"} else "before"
        return _open(words, at + 1, kind, inclusive=word in {"since", "until", "till"})
    if word in {"later", "earlier"} and after == "than":
        return _open(words, at + 2, "after" if word == "later" else "before", inclusive=False)
    # a preposition, or a word that can only be a time; a bare number is none
    inside = word in _INSIDE
    found = span_at(words, at + inside)
    begins = word in {*MONTHS, "year"} or words[at].kind == "iso" or part_of_year(words, at) is not None
    if found is None or not (inside or begins):
        return None
    span, end = found
    # `over 2010` compares with a number
    if word in _DAYS_ONLY and year_at(words, at + 1) is not None:
        return None
    onwards = word_at(words, end + 1) if word_at(words, end) == "or" else ""
    if onwards in {"later", "after", "newer", "earlier", "before"}:
        kind = "before" if onwards in {"earlier", "before"} else "after"
        opened = _open(words, at + inside, kind, inclusive=True)
        return (opened[0], end + 2) if opened is not None else None
    # `for 2000 dollars` is money, not the year
    if (
        inside
        and word in {"for", "of", "from", "over"}
        and year_at(words, at + 1) is not None
        and _noun(words, end)
    ):
        return None
    return _inside(span), end


def _noun(words: Sequence[Token], at: int) -> bool:
    return word_at(words, at) in {"dollars", "euros", "points", "people", "meters", "miles", "km"}


def _pair(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    first = span_at(words, at)
    if first is None:
        return None
    joint = skip(words, first[1], {","})
    if word_at(words, joint) not in {"and", "to", "until", "through", "till"}:
        return None
    second = span_at(words, joint + 1)
    # the end knows its year: a beginning that is only a month is of the same one
    if second is not None and second[0].first is not None and first[0].month is not None:
        # `between January and March 2023`: the year is said once
        first = Span(*month_of(second[0].first.year, first[0].month)), first[1]
    if second is None or first[0].first is None or second[0].after is None:
        return None
    end = second[1]
    if word_at(words, end) == "(" and word_at(words, end + 1) in {"inclusive", "included"}:
        while end < len(words) and words[end].word != ")":
            end += 1
        end += 1
    elif word_at(words, end) == "inclusive":
        end += 1
    # `after` is exclusive, so the last day is the one before it
    years = (first[0].first.year, (second[0].after - timedelta(days=1)).year)
    return Moment("", _literal(first[0].first), _literal(second[0].after), years), end


def _open(words: Sequence[Token], at: int, kind: str, *, inclusive: bool) -> tuple[Moment, int] | None:
    found = span_at(words, at)
    if found is None or found[0].first is None or found[0].after is None:
        return None
    span, end = found
    first, after = found[0].first, found[0].after
    assert span.after is not None
    last = (after - timedelta(days=1)).year
    # `after 2020` begins behind the year, `since 2020` with it
    if kind == "after":
        return Moment(
            "",
            start=_literal(first if inclusive else after),
            years=(first.year if inclusive else last + 1, None),
        ), end
    return Moment(
        "", end=_literal(after if inclusive else first), years=(None, last if inclusive else first.year - 1)
    ), end


def _inside(span: Span) -> Moment:
    # `in April` of every year has no bounds, only a month
    if span.first is None or span.after is None:
        return Moment("", month=span.month)
    # spans of a month's length serve columns that hold month numbers
    month = span.first.month if 28 <= (span.after - span.first).days <= 31 else None
    years = (span.first.year, (span.after - timedelta(days=1)).year)
    return Moment("", _literal(span.first), _literal(span.after), years, month)


def _literal(day: date) -> str:
    return f"date '{day.isoformat()}'"


# ------------------------------------------------------------------ relative to today


def _relates(moment: Moment) -> bool:
    """Whether a moment depends on today."""
    return any("current_date" in (bound or "") for bound in (moment.start, moment.end))


def _relative(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    start = at
    if word_at(words, at) in {*_INSIDE, "since"}:
        at += 1
    at = skip(words, at, {"the", "of", "whole"})
    if (start != at and word_at(words, at) in {"today", "yesterday"}) or word_at(words, start) in {
        "today",
        "yesterday",
    }:
        day = "current_date" if word_at(words, at) == "today" else "current_date - 1"
        return Moment("", day, f"{day} + 1"), at + 1
    past = word_at(words, at) in {"past", "last", "previous", "preceding"}
    this = word_at(words, at) in {"this", "current"}
    if not past and not this:
        return _ago(words, start)
    number, at = 0, skip(words, at + 1)
    if at < len(words) and words[at].kind == "number" and words[at].word.isdigit():
        number, at = int(words[at].word), at + 1
    # `the last 2 calendar months` begin with the first of a month
    calendar_said = "calendar" in {word_at(words, at), word_at(words, at - 1)}
    at = skip(words, at)
    unit = _UNITS.get(word_at(words, at) or "", "") or _UNITS.get(word_at(words, at - 1), "")
    if not unit or unit == "decade":
        return None
    end = at + 1 if word_at(words, at) in _UNITS else at
    # a bare `last` before a word that is no unit may be a last name
    if (
        start == at - 1
        and past
        and not number
        and word_at(words, start) == "last"
        and word_at(words, at) not in _UNITS
    ):
        return None
    return _made(words, end, number, unit, this=this, calendar_said=calendar_said)


def _made(
    words: Sequence[Token], end: int, number: int, unit: str, *, this: bool, calendar_said: bool
) -> tuple[Moment, int]:
    qualifier, after = _qualifier(words, end)
    current = f"date_trunc('{unit}', current_date)"
    if this:
        return Moment("", current, f"{current} + {_interval(unit, 1)}"), after
    length = _interval(unit, number or 1)
    # the running unit is not over, so the last whole ones end before it
    if not number or qualifier == "excluding":
        return Moment("", f"{current} - {length}", current), after
    if calendar_said:
        return Moment("", f"date_trunc('{unit}', current_date - {length})"), after
    # `the last 7 days including today` are today and six before
    if qualifier == "today" and unit == "day":
        length = f"interval '{number - 1} days'"
    # `last week` is the calendar's, `the last 2 weeks` end today
    return Moment("", f"current_date - {length}"), after


def _interval(unit: str, number: int) -> str:
    """PostgreSQL has no quarters in intervals."""
    # so quarters are counted as three months each
    if unit == "quarter":
        unit, number = "month", 3 * number
    return f"interval '{number} {unit}{'s' * (number != 1)}'"


def _qualifier(words: Sequence[Token], at: int) -> tuple[str, int]:
    """`inclusive of today`, `excluding the current month`, in commas or brackets."""
    held = at
    at = skip(words, at, {",", "("})
    if word_at(words, at) in {"inclusive", "including"}:
        # what may follow `including`, in any order, to the end of the remark
        end = skip(
            words,
            at + 1,
            {"of", "today", "now", "the", "current", "date", "day", "ago", "week", "month", ")", "1"},
        )
        return ("today" if "today" in [t.word for t in words[at:end]] else ""), end
    # without such a remark nothing was read, and the commas stay for others
    negated = word_at(words, at) == "not" and word_at(words, at + 1) == "including"
    if negated or word_at(words, at) in {"excluding", "exclusive"}:
        end = skip(words, at + 1 + negated, {"of", "the", "current", "this", *_UNITS, ")", "iso"})
        return "excluding", end
    return "", held


def _long_ago(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """`more than 5 years ago`, `less than 2 weeks ago`: before or since that day."""
    more = word_at(words, at) in {"more", "longer"} and word_at(words, at + 1) == "than"
    less = word_at(words, at) in {"less", "fewer"} and word_at(words, at + 1) == "than"
    over = word_at(words, at) == "over"
    number = at + (2 if more or less else 1)
    if not (more or less or over) or word_at(words, number + 2) != "ago":
        return None
    unit = _UNITS.get(word_at(words, number + 1), "")
    # columns of dates know no hours
    if words[number].kind != "number" or not words[number].word.isdigit() or unit in {"", "decade", "hour"}:
        return None
    day = f"current_date - {_interval(unit, int(words[number].word))}"
    return (Moment("", day) if less else Moment("", end=day)), number + 3


def _ago(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """`2 years ago`: within that year; `since 3 days ago` is not read."""
    if at + 2 < len(words) and words[at].kind == "number" and words[at + 2].word == "ago":
        unit = _UNITS.get(words[at + 1].word, "")
        if unit and unit != "decade" and words[at].word.isdigit():
            first = f"date_trunc('{unit}', current_date - {_interval(unit, int(words[at].word))})"
            return Moment("", first, f"{first} + {_interval(unit, 1)}"), at + 3
    return None
