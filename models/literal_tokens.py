"""Which tokens of an SQL text are values of somebody's, and which are part of the language.

Owns the reading of the scanner's tokens. Must not know placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pglast.error import Error as PglastError
from pglast.parser import Token, scan

# names of PostgreSQL's tokens (gram.y)
_LITERALS = {
    "SCONST": "quoted literal",
    "USCONST": "quoted literal",
    # a minus is a token of its own
    "ICONST": "integer, not negative",
    "FCONST": "number, not negative",
    "BCONST": "bit string",
    "XCONST": "bit string",
}

# constants that say nothing of anybody
EVERYBODYS = frozenset({"0", "1"})
COMMENTS = frozenset({"C_COMMENT", "SQL_COMMENT"})

# words of the language that stand in quotes: date_trunc('week', …), as extract(week from …) has them without
_UNITS = frozenset(
    {
        "millisecond",
        "milliseconds",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
        "decade",
        "century",
        "dow",
        "isodow",
        "doy",
        "isoyear",
        "epoch",
    }
)
_WITH_UNIT = frozenset({"date_trunc", "date_part"})

# types whose modifiers stand in parentheses after their name: numeric(10, 2), varchar(30)
_WITH_MODIFIER = frozenset(
    {
        "NUMERIC",
        "DECIMAL_P",
        "DEC",
        "VARCHAR",
        "VARYING",
        "CHAR_P",
        "CHARACTER",
        "BIT",
        "FLOAT_P",
        "TIME",
        "TIMESTAMP",
        "INTERVAL",
    }
)

# what may follow a position in ORDER BY or GROUP BY; ASCII_44 is a comma, 41 a closing parenthesis, 59 a
# semicolon
_AFTER_POSITION = frozenset(
    {
        "",
        "ASCII_44",
        "ASCII_41",
        "ASCII_59",
        "ASC",
        "DESC",
        "NULLS_LA",
        "NULLS_P",
        "LIMIT",
        "OFFSET",
        "FETCH",
        "HAVING",
        "ORDER",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "WINDOW",
    }
)

_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)(?: 00:00:00(?:\+00)?)?")
_INTERVAL = re.compile(r"(\d{1,6}) (second|minute|hour|day|week|month|year)s?")

_SECONDS = {"hour": 3600, "minute": 60, "second": 1}


def tokens_of(text: str) -> list[Token] | None:
    try:
        return list(scan(text))
    # the scanner raises on unbalanced quotes and comments
    except (PglastError, ValueError):
        return None


def identifiers(tokens: Sequence[Token], text: str) -> Iterable[str]:
    for token in tokens:
        word = text[token.start : token.end + 1]
        # keywords may be names of columns: message, value
        if token.name in {"IDENT", "UIDENT"} or token.kind != "NO_KEYWORD":
            yield word.strip('"').replace('""', '"')


def kind_of(tokens: Sequence[Token], i: int, text: str) -> str:
    """``date literal`` for the string of ``date '…'``, else by the token."""
    before = tokens[i - 1] if i else None
    # date '…': the word before tells the type
    if before is not None and tokens[i].name in {"SCONST", "USCONST"}:
        word = text[before.start : before.end + 1].lower()
        if word in {
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "interval",
            "json",
            "jsonb",
            "uuid",
            "numeric",
        }:
            return f"{word} literal"
    return _LITERALS[tokens[i].name]


def is_value(tokens: Sequence[Token], i: int, text: str, word: str) -> bool:
    """Whether a token is a literal to be hidden."""
    if tokens[i].name not in _LITERALS or word in EVERYBODYS:
        return False
    if _is_unit(tokens, i, text, word):
        return False
    # SubPlan 1, InitPlan 2: names that EXPLAIN gives
    before = text[tokens[i - 1].start : tokens[i - 1].end + 1].lower() if i else ""
    return before not in {"subplan", "initplan"} and not _structural(tokens, i, word)


def _is_unit(tokens: Sequence[Token], i: int, text: str, word: str) -> bool:
    """Whether a token is the first argument of a function that takes the name of a unit there."""
    if i < 2 or tokens[i - 1].name != "ASCII_40" or bare(word).lower() not in _UNITS:
        return False
    return text[tokens[i - 2].start : tokens[i - 2].end + 1].lower() in _WITH_UNIT


def as_planned(literal: str) -> str:
    """What EXPLAIN would print for a date or an interval, without quotes; any other literal as it is."""
    text = bare(literal)
    if match := _MIDNIGHT.fullmatch(text):
        return match[1]
    if match := _INTERVAL.fullmatch(text.lower()):
        return _span(int(match[1]), match[2])
    return text


def _span(number: int, unit: str) -> str:
    """An interval of one unit in the style ``postgres``."""
    if unit in _SECONDS:
        seconds = number * _SECONDS[unit]
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if unit == "week":
        return _counted(7 * number, "day")
    if unit == "month":
        years, months = divmod(number, 12)
        return " ".join(filter(None, (_counted(years, "year"), _counted(months, "mon"))))
    return _counted(number, unit)


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}" if number else ""


def bare(literal: str) -> str:
    """A literal's text without its quotes."""
    return literal[1:-1].replace("''", "'") if literal[:1] == literal[-1:] == "'" else literal


def _structural(tokens: Sequence[Token], i: int, word: str) -> bool:
    """Integers that are no values: type modifiers, output positions in GROUP BY and ORDER BY."""
    # positions and modifiers have at most four digits; a longer number is a value
    if tokens[i].name != "ICONST" or len(word) > 4:
        return False
    return _is_modifier(tokens, i) or _is_position(tokens, i)


def _is_modifier(tokens: Sequence[Token], i: int) -> bool:
    j = i - 1
    # numeric(10, 2): back over numbers and commas to the parenthesis
    while j > 0 and tokens[j].name in {"ICONST", "ASCII_44"}:
        j -= 1
    closes = tokens[i + 1].name if i + 1 < len(tokens) else ""
    return (
        j > 0
        and tokens[j].name == "ASCII_40"
        and tokens[j - 1].name in _WITH_MODIFIER
        and closes in {"ASCII_44", "ASCII_41"}
    )


def _is_position(tokens: Sequence[Token], i: int) -> bool:
    following = tokens[i + 1].name if i + 1 < len(tokens) else ""
    # ORDER BY 1 + x: not a position
    if following not in _AFTER_POSITION:
        return False
    depth = 0
    before = tokens[i - 1].name if i else ""
    # right behind BY or a comma
    if before not in {"BY", "ASCII_44"}:
        return False
    for token in reversed(tokens[:i]):
        # backwards to BY on the same level of parentheses; a clause's keyword first means that it is none
        if token.name == "ASCII_41":
            depth += 1
        elif token.name == "ASCII_40":
            if depth == 0:
                return False
            depth -= 1
        elif depth == 0 and token.name == "BY":
            return True
        elif depth == 0 and token.name in {"SELECT", "FROM", "WHERE", "VALUES", "LIMIT", "OFFSET", "IN_P"}:
            return False
    return False
