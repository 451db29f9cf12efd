"""Times of day and kinds of days: `after 11pm`, `between 9:30 am and noon`, `at the weekend`.

Owns their grammar: they are written as one word first (`23h00`), which is then read with its bound. Of parts
of a day only noon and midnight are times; what morning is, nobody says. Must not know columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.ask.reading.moments import Moment
from rewright.ask.reading.spans import word_at
from rewright.ask.reading.words import Token

_PART = r"(?:o'?clock )?(?:in the (?:morning|afternoon|evening)|at night)"
_HALF = rf"(?P<half>a\.?m\b\.?|p\.?m\b\.?|{_PART})"
_TOLD = re.compile(r"\b(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?\s*" + _HALF, re.IGNORECASE)
# neither a date (`2024-01-05`) nor a ratio or a longer time stands around it
_OF_24 = re.compile(r"(?<![\w:.-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::00)?(?![\w:.])")
# `midnight` alone may be a name (a film, a colour); only a bound before it makes it a time
_NAMED = re.compile(
    r"\b(?P<bound>after|before|until|since|and|to|between|from) (?P<name>noon|midnight)\b", re.IGNORECASE
)
_CLOCK = re.compile(r"^(\d\d)h(\d\d)$")
_QUOTED = re.compile(r"[\"'`][^\"'`]*\d[^\"'`]*[\"'`]")
"""Values that hold numbers stay as they are, and so does all that stands beside them."""
# PostgreSQL takes `time '24:00'` as the day's end, so a half-open range reaches it
_DAY = "24h00"
_BOUNDS = {"after": ">", "since": ">=", "from": ">=", "before": "<", "until": "<", "till": "<"}
_JOINTS = {"and", "to", "until", "till"}
_KINDS_OF_DAYS = {
    "weekend": (6, 7),
    "weekends": (6, 7),
    "weekdays": (1, 2, 3, 4, 5),
    "workdays": (1, 2, 3, 4, 5),
}
_BEFORE_DAYS = {"on", "at", "during", "over"}


def clocks_written(question: str) -> str:
    """Times of day as one word each.

    >>> clocks_written("rides between 10 pm and midnight, or before 8:30 in the morning")
    'rides between 22h00 and 24h00, or before 08h30'
    """
    if _QUOTED.search(question):
        return question
    written = _OF_24.sub(lambda m: f"{int(m['hour']):02}h{m['minute']}", _TOLD.sub(_half_of_day, question))
    return (
        _NAMED.sub(_named, written) if _CLOCK_SAID.search(written) or _ONLY_NAMED.search(written) else written
    )


_CLOCK_SAID = re.compile(r"\b\d\dh\d\d\b")
_ONLY_NAMED = re.compile(r"\b(?:before|after|until) noon\b", re.IGNORECASE)


def _half_of_day(match: re.Match[str]) -> str:
    # 12 am is hour 0 and 12 pm hour 12
    hour, half = int(match["hour"]) % 12, match["half"].lower()
    # `2 at night` is early, `10 at night` late; six divides them
    late = half.startswith("p") or "afternoon" in half or "evening" in half or ("night" in half and hour >= 6)
    return f"{hour + 12 * late:02}h{match['minute'] or '00'}"


def _named(match: re.Match[str]) -> str:
    """`after midnight` is the next day's beginning; until it, the day's end."""
    # `between midnight and 6` begins with it, `between 10 pm and midnight` ends with it
    begins = match["bound"].lower() in {"after", "since", "between", "from"}
    if match["name"].lower() == "noon":
        return f"{match['bound']} 12h00"
    return f"{match['bound']} {'00h00' if begins else _DAY}"


def clock_at(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The time of day or kind of day that begins at a token, and how many tokens it takes."""
    word = word_at(words, at)
    if (found := _kind_of_day(words, at)) is not None:
        return found
    if word in {"between", "from"} and (first := _clock(words, at + 1)):
        second = _clock(words, at + 3) if word_at(words, at + 2) in _JOINTS else ""
        if second:
            said = f"{word} {first} {word_at(words, at + 2)} {second}"
            # half-open: a ride at 23:00 is not `between 22:00 and 23:00`, as with dates
            return Moment(said, clock=((">=", first), ("<", second))), 4
    inclusive = word == "at" and word_at(words, at + 1) in {"or", "and"}
    if (
        inclusive
        and (bound := word_at(words, at + 2)) in {"after", "before"}
        and (told := _clock(words, at + 3))
    ):
        return Moment(f"at or {bound} {told}", clock=((">=" if bound == "after" else "<=", told),)), 4
    if word in _BOUNDS and (told := _clock(words, at + 1)):
        end = at + 2
        or_later = word_at(words, end) == "or" and word_at(words, end + 1) in {"later", "earlier"}
        # `from 8 pm or later` says the bound twice, perhaps another one: left unread, which refuses
        if or_later:
            return None
        return Moment(f"{word} {told}", clock=((_BOUNDS[word], told),)), 2
    return None


def _kind_of_day(words: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    start = at
    if word_at(words, at) not in _BEFORE_DAYS:
        return None
    # the days must be said as when (`on weekends`); a `weekend` rate is a column or a value
    at += 1 + (word_at(words, at + 1) in {"the", "a"})
    days = _KINDS_OF_DAYS.get(word_at(words, at))
    behind = word_at(words, at + 1)
    if days is None or behind in {"or", "and", "vs", "versus"}:
        return None  # `on weekends versus weekdays`: not both at once
    return Moment(" ".join(t.text for t in words[start : at + 1]), weekdays=days), at + 1 - start


def _clock(words: Sequence[Token], at: int) -> str:
    found = _CLOCK.match(word_at(words, at))
    return f"{found[1]}:{found[2]}" if found is not None else ""
