"""Conditions as hints write them: `gender = 'F'`, `age between 20 and 30 and retired = false`.

Owns reading them into conditions on columns that exist. What does not match whole is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.intent import (
    Column,
    Compared,
    Condition,
    During,
    Known,
    OneOf,
    Ranged,
    Spelled,
)
from rewright.ask.reading.moment import Moment
from rewright.ask.reading.odd_names import plain_name
from rewright.sql.printer.names import quote_literal

_NAME = r"(?:`[^`]+`|\"[^\"]+\"|\w+)"
_COLUMN = rf"(?P<column>(?:{_NAME}\.)?{_NAME})"
_VALUE = r"(?:'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?|true|false)"
_TEST = re.compile(
    # `is` with a value is how people write `=`; longer operators stand first, or `<` would match `<=`
    rf"\s*(?:{_COLUMN})\s*(?:"
    rf"(?P<null>\s*is\s+(?P<known>not\s+)?null\b)"
    rf"|between\s+(?P<low>{_VALUE})\s+and\s+(?P<high>{_VALUE})"
    rf"|(?P<unlike>not\s+)?i?like\s+(?P<pattern>'[^']*')"
    rf"|(?P<out>not\s+)?in\s*\((?P<list>\s*{_VALUE}(?:\s*,\s*{_VALUE})*\s*)\)"
    rf"|(?P<operator>==|=|!=|<>|>=|<=|>|<|is\s+not\s+|is\s+)\s*(?P<right>{_VALUE}))"
    rf"\s*(?:(?:\band\b|&&|$))",
    re.IGNORECASE,
)
_YEAR_OF = re.compile(
    rf"\s*(?:year\s*\(\s*{_COLUMN}\s*\)"
    rf"|strftime\s*\(\s*'%Y'\s*,\s*{_COLUMN.replace('<column>', '<column2>')}\s*\)"
    rf"|extract\s*\(\s*year\s+from\s+{_COLUMN.replace('<column>', '<column3>')}\s*\)"
    rf"|date_part\s*\(\s*'year'\s*,\s*{_COLUMN.replace('<column>', '<column4>')}\s*\))"
    r"\s*(?P<operator>==|=|>=|<=|>|<)\s*'?(?P<year>\d{4})'?\s*(?:\band\b|&&|$)",
    re.IGNORECASE,
)
"""`year(paid_on) = 2023`"""
_SAME = {"==": "=", "<>": "!=", "is": "=", "is not": "!="}
_TRUE, _FALSE = {"true", "t", "1", "yes", "y"}, {"false", "f", "0", "no", "n"}


def conditions_of(text: str, context: Context) -> list[dict[ColumnContext, Condition]]:
    """The conditions that all have to hold, each by the columns it may be of; empty where the text is
    anything else.
    """
    found = list[dict[ColumnContext, Condition]]()
    at = 0
    text = text.strip().rstrip(".")
    while at < len(text):
        match = _YEAR_OF.match(text, at) or _TEST.match(text, at)
        if match is None:
            # all of it or nothing: a half of a condition is another condition
            return []
        made = _made(match, context)
        if not made:
            return []
        found.append(made)
        at = match.end()
    return found


def _made(match: re.Match[str], context: Context) -> dict[ColumnContext, Condition]:
    if match.re is _YEAR_OF:
        name = next(match[key] for key in ("column", "column2", "column3", "column4") if match[key])
        dated = (c for c in _named(name, context) if c.kind == "date")
        return {c: During(c, _years(match["operator"], int(match["year"]))) for c in dated}
    return {c: test for c in _named(match["column"], context) if (test := _test(c, match)) is not None}


def _years(operator: str, year: int) -> Moment:
    """The years that compare so with one."""
    low = {">": year + 1, ">=": year, "<": None, "<=": None}.get(operator, year)
    high = {"<": year - 1, "<=": year, ">": None, ">=": None}.get(operator, year)
    start = None if low is None else f"date '{low:04}-01-01'"
    end = None if high is None else f"date '{high + 1:04}-01-01'"
    return Moment(f"{operator} {year}", start, end, (low, high))


def _named(name: str, context: Context) -> Iterator[ColumnContext]:
    *of, own = (part.strip('`"').lower() for part in re.findall(_NAME, name))
    for table in context.tables:
        if not of or of[-1] == table.ref.name.lower():
            yield from (c for c in table.columns if own in {c.name.lower(), plain_name(c.name)})


def _test(column: ColumnContext, match: re.Match[str]) -> Condition | None:
    if match["null"]:
        return Known(column, negated=not match["known"])
    if match["pattern"]:
        return Spelled(column, match["pattern"][1:-1], negated=bool(match["unlike"]))
    if match["low"]:
        low, high = (_literal(column, match[side]) for side in ("low", "high"))
        return Ranged(Column(column), low, high) if low and high else None
    if match["list"]:
        values = [_value(column, one) for one in re.findall(_VALUE, match["list"], re.IGNORECASE)]
        held = tuple(v for v in values if v is not None)
        # a list of which the column can hold only some values would lose the rest
        return OneOf(column, held, negated=bool(match["out"])) if len(held) == len(values) else None
    operator = " ".join(match["operator"].lower().split())
    return _compared(column, _SAME.get(operator, operator), match["right"])


def _compared(column: ColumnContext, operator: str, right: str) -> Condition | None:
    # a flag compared with text (`= 'yes'`) is the flag or its negation
    if operator in {"=", "!="} and column.kind == "boolean":
        said = right.strip("'\"").lower()
        return (
            Known(column, negated=(said in _FALSE) == (operator == "=")) if said in _TRUE | _FALSE else None
        )
    if operator in {"=", "!="} and column.kind in {"text", "number"}:
        value = _value(column, right)
        return None if value is None else OneOf(column, (value,), negated=operator == "!=")
    literal = _literal(column, right)
    return Compared(Column(column), "<>" if operator == "!=" else operator, literal) if literal else None


def _value(column: ColumnContext, said: str) -> str | None:
    """A value as the column writes it; None where it can't hold it."""
    bare = said.strip("'\"")
    if column.kind == "number":
        return bare if re.fullmatch(r"-?\d+(?:\.\d+)?", bare) else None
    if column.kind != "text":
        return None
    # the spelling of the data, as = minds the case; else the hint's
    return next((v for v in column.values if v.lower() == bare.lower()), bare)


def _literal(column: ColumnContext, said: str) -> str | None:
    """A literal to compare a column of numbers or times with."""
    bare = said.strip("'\"")
    if column.kind == "number":
        return bare if re.fullmatch(r"-?\d+(?:\.\d+)?", bare) else None
    if column.kind == "date" and re.fullmatch(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?", bare):
        return f"{column.type} {quote_literal(bare)}"
    return None
