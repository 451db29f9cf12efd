"""Constants that every server takes where a function reads them: patterns, fields of moments, zones, formats.

A constant that is refused (`s ~ '('`, `extract(hour FROM day)`, `at AT TIME ZONE 'Mars'`) fails for each row
that gets there, so that it counts what is asked before it. Only what is surely taken is known; what is not is
held to fail for any row. Must not know terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rewright.sql.facts.effects import searchable
from rewright.sql.types import SqlType

# names that no server refuses: what a wrong one raises would be raised for other rows
ZONES = frozenset({
    "UTC", "GMT", "Etc/UTC", "Etc/GMT", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Paris",
    "Europe/Berlin", "Europe/Madrid",
    "Europe/Rome", "Europe/Vienna", "Europe/Zurich", "Europe/Amsterdam", "Europe/Brussels",
    "Europe/Stockholm", "Europe/Oslo",
    "Europe/Copenhagen", "Europe/Helsinki", "Europe/Warsaw", "Europe/Prague", "Europe/Budapest",
    "Europe/Athens", "Europe/Istanbul",
    "Europe/Moscow", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles",
    "America/Toronto",
    "America/Mexico_City", "America/Bogota", "America/Lima", "America/Santiago", "America/Sao_Paulo",
    "Africa/Cairo", "Africa/Lagos",
    "Africa/Johannesburg", "Africa/Nairobi", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu",
    "Asia/Dhaka", "Asia/Bangkok",
    "Asia/Jakarta", "Asia/Singapore", "Asia/Hong_Kong", "Asia/Shanghai", "Asia/Manila", "Asia/Seoul",
    "Asia/Tokyo",
    "Australia/Perth", "Australia/Sydney", "Australia/Melbourne", "Pacific/Auckland",
})  # fmt: skip

# types of the places that substring() counts from, those of forms too
_PLACES = frozenset({"int2", "int4", "int8", "integer"})
_CUTS = frozenset({
    "microseconds", "milliseconds", "second", "minute", "hour", "day", "month", "quarter", "year", "decade",
    "century", "millennium",
})  # fmt: skip
_OF_DAYS = frozenset({
    "day", "week", "month", "quarter", "year", "decade", "century", "millennium", "doy", "dow", "isodow",
    "isoyear", "epoch", "julian",
})  # fmt: skip
_OF_TIMES = frozenset({"microseconds", "milliseconds", "second", "minute", "hour", "epoch"})
_FIELDS = {
    "date": _OF_DAYS,
    "timestamp": _OF_DAYS | _OF_TIMES,
    "timestamptz": _OF_DAYS | _OF_TIMES,
    "time": _OF_TIMES,
    "interval": _CUTS | {"epoch"},
}
# one character, or one of a kind; and how often
_ONE = (
    r"(?:[A-Za-z0-9 _,:;@#%&=<>!'\"~/-]|\.|\\[dws.\\/+*?()\[\]|^$-]"
    r"|\[\^?(?:-|-?(?:a-z|A-Z|0-9|a-f|A-F|1-9|[A-Za-z0-9 _.,:;@/+*?'%#&=!<>~$]|\\[dws.])+-?)\])"
)
_OFTEN = r"(?:[*+?]\??|\{\d{1,2}(?:,(?:\d{1,2})?)?\})?"
_PLAIN = re.compile(rf"\^?(?:{_ONE}{_OFTEN})*\$?")
# brackets within which there are no others, none of them escaped
_GROUP = re.compile(r"(?<!\\)\((?:\?:)?((?:[^()\[\]\\]|\\[dws.]|\[[^()\[\]\\]+\])*)\)(?P<often>[*+?{]?)")
_FLAGS = re.compile(r"[inc]*")
_NUMBERS = re.compile(r"(?:FM)?[09]{1,15}(?:,[09]{3})*(?:\.[09]{1,10})?")
_LETTERS = re.compile(
    r"(?:YYYY|YY|Q|MM|Mon|Month|DDD|DD|Dy|Day|IYYY|IW|WW|ID|D|HH24|HH12|HH|MI|SS|MS|US|FM|[ .,:/_-])*"
)


def takes(function: str, said: Sequence[str | None], types: Sequence[SqlType]) -> bool:
    """Whether a function of pg_catalog takes the constants that say what it does. ``said``: of each argument
    its text, None where it is no constant.
    """

    def taken(at: int, how: Callable[[str], bool]) -> bool:
        text = said[at]
        return text is not None and how(text)

    match function:
        case "extract" | "date_part" | "date_trunc":
            # date_trunc('day', at, 'UTC') has a zone, too
            zoned = len(said) == 2 or said[2] in ZONES
            return zoned and taken(0, lambda x: takes_field(function, x, types[1].name))
        # timezone(at) has the session's zone
        case "timezone":
            return len(said) == 1 or said[0] in ZONES
        case "to_char":
            return taken(1, lambda x: takes_format(x, types[0]))
        case "lpad" | "rpad":
            return taken(1, lambda x: x.lstrip("-").isdigit() and len(x) < 7)
        case "split_part":
            return taken(2, lambda x: x.strip("-0") != "")
        # substring(s from 3) never has a negative length
        case "substring" | "substr" if types[1].name in _PLACES:
            return len(said) == 2 or all(taken(at, str.isdigit) for at in range(1, len(said)))
    everywhere = function == "regexp_replace"
    return (
        takes_flags(said[3 if everywhere else 2 :], everywhere=everywhere)
        and taken(1, takes_pattern)
        and searchable(types)
    )


def takes_pattern(text: str) -> bool:
    """Whether a text is a regular expression: characters, classes and groups of them, each repeated at most
    once.
    """
    while (found := _GROUP.search(text)) is not None:
        inner = found[1]
        # what is repeated must have characters to repeat
        if not _is_alternatives(inner) or (found["often"] and ("^" in inner or "$" in inner)):
            return False
        text = f"{text[: found.start()]}g{text[found.start('often') :]}"
    return _is_alternatives(text)


def _is_alternatives(text: str) -> bool:
    # a bar in a class or behind a backslash leaves parts that are no patterns
    return all(_PLAIN.fullmatch(x) is not None and _counts_up(x) for x in text.split("|"))


def _counts_up(text: str) -> bool:
    """No {3,2}."""
    return all(int(low) <= int(high) for low, high in re.findall(r"\{(\d+),(\d+)\}", text))


def takes_like(text: str) -> bool:
    """Whether LIKE takes the pattern: it ends in no lone backslash."""
    return not text.endswith("\\")


def takes_field(function: str, field: str, of: str) -> bool:
    """Whether extract(), date_part() or date_trunc() know the field of the type."""
    known: frozenset[str] | set[str] = _FIELDS.get(of, frozenset())
    if function == "date_trunc":
        known = (
            (_CUTS | {"week"}) if of in {"timestamp", "timestamptz"} else _CUTS if of == "interval" else set()
        )
    return field.lower() in known


def takes_format(text: str, of: SqlType) -> bool:
    """Whether to_char() writes values of the type by the format, whatever they are."""
    if of.name in {"timestamp", "timestamptz"}:
        return _LETTERS.fullmatch(text) is not None
    return of.name in {"int4", "int8", "numeric", "float8"} and _NUMBERS.fullmatch(text) is not None


def takes_flags(flags: Sequence[str | None], *, everywhere: bool) -> bool:
    """Whether a function of regular expressions takes what follows the expression: nothing, or flags, with
    "g" where it may ask for a match ``everywhere``.
    """
    known = [x.replace("g", "") if everywhere else x for x in flags if x is not None]
    return len(flags) == len(known) < 2 and all(map(_FLAGS.fullmatch, known))
