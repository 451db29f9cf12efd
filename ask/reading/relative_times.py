"""Times of a question that are counted from today or from now: `in the past 7 days`, `2 years ago`, `since
last month`, `in the last hour`.

Owns their grammar and their bounds as SQL. Must not know columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.reading.moment import Moment
from rewright.ask.reading.spans import skip, word_at
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
INSIDE = {"in", "on", "during", "for", "of", "from", "within", "throughout", "over"}


def relates(moment: Moment) -> bool:
    """Whether a moment depends on today or now."""
    bounds = f"{moment.start} {moment.end}"
    return "current_date" in bounds or "localtimestamp" in bounds


def relative(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The moment that begins at a token and is told from today, and where it ends."""
    found = _long_ago(words, at) or _of_today(words, at)
    if found is None or word_at(words, at) != "since":
        return found
    # `since last month` does not end with it
    moment, end = found
    return Moment("", moment.start), end


def _of_today(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    start = at
    if word_at(words, at) in {*INSIDE, "since"}:
        at += 1
    at = skip(words, at, {"the", "of", "whole"})
    if (start != at and word_at(words, at) in {"today", "yesterday"}) or word_at(words, start) in {
        "today",
        "yesterday",
    }:
        day = "current_date" if word_at(words, at) == "today" else "current_date - 1"
        return Moment("", day, f"{day} + 1"), at + 1
    past = word_at(words, at) in {"past", "last", "previous", "preceding"}
    # the last hour is the 60 minutes until now; the one before this one is the clock's
    rolling = word_at(words, at) in {"past", "last"}
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
    if rolling and unit == "hour" and not number:
        return Moment("", f"localtimestamp - {_interval(unit, 1)}"), end
    return _made(words, end, number, unit, this=this, calendar_said=calendar_said)


def _made(
    words: Sequence[Token], end: int, number: int, unit: str, *, this: bool, calendar_said: bool
) -> tuple[Moment, int]:
    qualifier, after = _qualifier(words, end)
    now = _now(unit)
    current = f"date_trunc('{unit}', {now})"
    if this:
        return Moment("", current, f"{current} + {_interval(unit, 1)}"), after
    length = _interval(unit, number or 1)
    # `the last 3 months excluding today` end with yesterday, not with the last whole month
    if number and qualifier == "excluding today":
        return Moment("", f"{now} - {length}", "current_date"), after
    # the running unit is not over, so the last whole ones end before it
    if not number or qualifier == "excluding":
        return Moment("", f"{current} - {length}", current), after
    if calendar_said:
        return Moment("", f"date_trunc('{unit}', {now} - {length})"), after
    # `the last 7 days including today` are today and six before
    if qualifier == "today" and unit == "day":
        length = f"interval '{number - 1} days'"
    # `last week` is the calendar's, `the last 2 weeks` end today
    return Moment("", f"{now} - {length}"), after


def _now(unit: str) -> str:
    """From what so many units are counted: an hour from now, anything longer from today's beginning."""
    return "localtimestamp" if unit == "hour" else "current_date"


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
        start = at + 1 + negated
        end = skip(words, start, {"of", "the", "current", "this", "today", *_UNITS, ")", "iso"})
        told = {t.word for t in words[start:end]}
        # `excluding refunds` says nothing of the time
        if told & {"today", *_UNITS}:
            return "excluding today" if "today" in told else "excluding", end
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
    if words[number].kind != "number" or not words[number].word.isdigit() or unit in {"", "decade"}:
        return None
    day = f"{_now(unit)} - {_interval(unit, int(words[number].word))}"
    return (Moment("", day) if less else Moment("", end=day)), number + 3


def _ago(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """`2 years ago`: within that year; `since 3 days ago` is not read."""
    if at + 2 < len(words) and words[at].kind == "number" and words[at + 2].word == "ago":
        unit = _UNITS.get(words[at + 1].word, "")
        if unit and unit != "decade" and words[at].word.isdigit():
            first = f"date_trunc('{unit}', {_now(unit)} - {_interval(unit, int(words[at].word))})"
            return Moment("", first, f"{first} + {_interval(unit, 1)}"), at + 3
    return None
