"""Built-ins whose equivalent depends on the constants they are called with: patterns, formats, fields,
lengths.

Owns, for each signature, which constants have a sure equivalent and what it is; others are left to
PostgreSQL. Must not know trees beyond their constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from rewright.engines.duckdb.dialect.numbers import raising
from rewright.engines.duckdb.dialect.patterns import like_pattern, regular_expression
from rewright.engines.duckdb.dialect.times import STAMP, STAMPTZ
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NotTranslated, scale_of
from rewright.engines.duckdb.quoting import literal


class Words(Protocol):
    """What is needed of the printer."""

    def sql(self, node: Node) -> str: ...

    def text_of(self, node: Node) -> str:
        """A constant text (or one that PostgreSQL works out of constants). Raises NotTranslated."""

    def number_of(self, node: Node) -> int:
        """A constant integer. Raises NotTranslated."""

    def scale(self, node: Node) -> int | None:
        """The scale of all values of a numeric expression; None: not known."""


Special = Callable[[Words, Sequence[Node]], str]


def _matches(words: Words, args: Sequence[Node], *, insensitive: bool, negated: bool) -> str:
    pattern = regular_expression(words.text_of(args[1]), insensitive=insensitive)
    told = f"regexp_matches({words.sql(args[0])}, {literal(pattern)})"
    return f"(NOT {told})" if negated else told


def _like(words: Words, args: Sequence[Node], *, negated: bool) -> str:
    pattern = like_pattern(words.text_of(args[1]))
    return f"({words.sql(args[0])} {'NOT ' if negated else ''}LIKE {literal(pattern)} ESCAPE '\\')"


def _ilike(words: Words, args: Sequence[Node], *, negated: bool) -> str:
    """Case folds of ASCII letters only are sure, and by a regular expression they are exact."""
    from rewright.engines.duckdb.dialect.patterns import like_expression

    told = f"regexp_matches({words.sql(args[0])}, {literal(like_expression(words.text_of(args[1])))})"
    return f"(NOT {told})" if negated else told


_FORMATS: Sequence[tuple[str, str]] = (
    # longer names first: DDD before DD, HH24 before HH12, Month before Mon
    ("YYYY", "lpad(CAST(year({x}) AS VARCHAR), 4, '0')"),
    ("HH24", "lpad(CAST(hour({x}) AS VARCHAR), 2, '0')"),
    ("HH12", "lpad(CAST((hour({x}) + 11) % 12 + 1 AS VARCHAR), 2, '0')"),
    ("MM", "lpad(CAST(month({x}) AS VARCHAR), 2, '0')"),
    ("MI", "lpad(CAST(minute({x}) AS VARCHAR), 2, '0')"),
    ("DDD", "lpad(CAST(dayofyear({x}) AS VARCHAR), 3, '0')"),
    ("DD", "lpad(CAST(day({x}) AS VARCHAR), 2, '0')"),
    ("SS", "lpad(CAST(second({x}) AS VARCHAR), 2, '0')"),
    ("Month", "rpad(monthname({x}), 9, ' ')"),
    ("Mon", "left(monthname({x}), 3)"),
    ("Day", "rpad(dayname({x}), 9, ' ')"),
    ("Dy", "left(dayname({x}), 3)"),
    ("Q", "CAST(quarter({x}) AS VARCHAR)"),
)
# other characters may be patterns of a format that is not known here, such as AM or J
_PLAIN = frozenset("-/. :,;")


def _to_char(words: Words, args: Sequence[Node]) -> str:
    x, rest = words.sql(args[0]), words.text_of(args[1])
    parts: list[str] = []
    while rest:
        found = next(((word, sql) for word, sql in _FORMATS if rest.startswith(word)), None)
        if found is not None:
            parts.append(found[1].format(x=x))
            rest = rest[len(found[0]) :]
        elif rest[0] in _PLAIN:
            parts.append(literal(rest[0]))
            rest = rest[1:]
        else:
            raise NotTranslated("this format of to_char")
        # suffixes and prefixes: ordinals, spelled numbers, fill mode, translated names
        if rest[:2].upper() in {"TH", "SP", "FM", "FX", "TM"}:
            raise NotTranslated("this format of to_char")
    # PostgreSQL gives NULL for an empty format
    if not parts:
        raise NotTranslated("this format of to_char")
    odd = raising("0A000", "to_char of this date is not served on a lake")
    return (
        # infinity has no month; years before 1 and from 10000 on are written with other widths
        f"(CASE WHEN NOT isfinite({x}) OR year({x}) NOT BETWEEN 1 AND 9999 THEN {odd} ELSE "
        f"{' || '.join(parts)} END)"
    )


_TRUNCATED = frozenset(["year", "quarter", "month", "week", "day", "hour", "minute", "second"])


def _date_trunc(words: Words, args: Sequence[Node], *, type_: str) -> str:
    unit = words.text_of(args[0]).lower()
    if unit not in _TRUNCATED:
        raise NotTranslated("this unit of date_trunc")
    # DuckDB's date_trunc of a date is a timestamp, of a timestamp one without a zone
    return f"CAST(date_trunc('{unit}', {words.sql(args[1])}) AS {type_})"


_FIELDS = frozenset(
    ["year", "quarter", "month", "week", "day", "hour", "minute", "dow", "doy", "isodow", "isoyear"]
)
_DATE_FIELDS = _FIELDS - {"hour", "minute"}


def _extract(words: Words, args: Sequence[Node], *, type_: str, fields: frozenset[str]) -> str:
    field, x = words.text_of(args[0]).lower(), words.sql(args[1])
    # PostgreSQL 14's extract gives numeric with six digits of seconds; date_part gives double precision
    if field in {"second", "epoch"} and fields is _FIELDS and type_ != "DOUBLE":
        micros = f"date_part('microseconds', {x})" if field == "second" else f"epoch_us({x})"
        told = f"CAST(CAST({micros} AS DECIMAL(38,0)) * CAST('0.000001' AS DECIMAL(7,6)) AS DECIMAL(25,6))"
    elif field not in fields:
        raise NotTranslated("this field of extract")
    else:
        told = f"CAST(date_part('{field}', {x}) AS {type_})"
    odd = raising("0A000", "extract of this date is not served on a lake")
    # extract of infinity is NULL, infinity or an error by field; years before Christ differ by one
    return f"(CASE WHEN NOT isfinite({x}) OR year({x}) < 1 THEN {odd} ELSE {told} END)"


def _numeric_typmod(words: Words, args: Sequence[Node]) -> str:
    found = scale_of(words.number_of(args[1]))
    if found is None:
        raise NotTranslated("this precision of numeric")
    return f"CAST({words.sql(args[0])} AS DECIMAL({found[0]},{found[1]}))"


def _round(words: Words, args: Sequence[Node]) -> str:
    scale = words.number_of(args[1])
    # negative scales round to tens; DuckDB's DECIMAL has none
    if not 0 <= scale <= 18:
        raise NotTranslated("this scale of round")
    # casts to DECIMAL round halves away from zero, as numeric's round
    return f"CAST({words.sql(args[0])} AS DECIMAL(38,{scale}))"


def _varchar(words: Words, args: Sequence[Node]) -> str:
    """An explicit cast cuts; casts that are no client's own (assignments) do not stand in queries."""
    # typmod of varchar is its length and the four bytes of a header (VARHDRSZ)
    length = words.number_of(args[1]) - 4
    return words.sql(args[0]) if length < 0 else f"left({words.sql(args[0])}, {length})"


def _array_length(words: Words, args: Sequence[Node]) -> str:
    if words.number_of(args[1]) != 1:
        raise NotTranslated("arrays of several dimensions")
    # an empty array has no dimension, so its length is NULL
    return f"CAST(nullif(len({words.sql(args[0])}), 0) AS INTEGER)"


def _decimals(words: Words, args: Sequence[Node], *, symbol: str, digits: int) -> str:
    """DuckDB keeps to 18 digits where both sides do, and fails on more: one side is made as wide as goes."""
    scale = words.scale(args[0])
    if scale is None or scale > digits or words.scale(args[1]) is None:
        raise NotTranslated("numerics of unknown scale")
    return f"(CAST({words.sql(args[0])} AS DECIMAL({digits},{scale})) {symbol} {words.sql(args[1])})"


SPECIAL: Mapping[str, Special] = {
    "textregexeq(text, text)": partial(_matches, insensitive=False, negated=False),
    "textregexne(text, text)": partial(_matches, insensitive=False, negated=True),
    "texticregexeq(text, text)": partial(_matches, insensitive=True, negated=False),
    "texticregexne(text, text)": partial(_matches, insensitive=True, negated=True),
    "textlike(text, text)": partial(_like, negated=False),
    "textnlike(text, text)": partial(_like, negated=True),
    "texticlike(text, text)": partial(_ilike, negated=False),
    "texticnlike(text, text)": partial(_ilike, negated=True),
    f"to_char({STAMP}, text)": _to_char,
    f"to_char({STAMPTZ}, text)": _to_char,
    f"date_trunc(text, {STAMP})": partial(_date_trunc, type_="TIMESTAMP"),
    f"date_trunc(text, {STAMPTZ})": partial(_date_trunc, type_="TIMESTAMPTZ"),
    "extract(text, date)": partial(_extract, type_="DECIMAL(19,0)", fields=_DATE_FIELDS),
    f"extract(text, {STAMP})": partial(_extract, type_="DECIMAL(19,0)", fields=_FIELDS),
    f"extract(text, {STAMPTZ})": partial(_extract, type_="DECIMAL(19,0)", fields=_FIELDS),
    "date_part(text, date)": partial(_extract, type_="DOUBLE", fields=_DATE_FIELDS),
    f"date_part(text, {STAMP})": partial(_extract, type_="DOUBLE", fields=_FIELDS),
    f"date_part(text, {STAMPTZ})": partial(_extract, type_="DOUBLE", fields=_FIELDS),
    "numeric(numeric, integer)": _numeric_typmod,
    "round(numeric, integer)": _round,
    "varchar(character varying, integer, boolean)": _varchar,
    "numeric_add(numeric, numeric)": partial(_decimals, symbol="+", digits=36),
    "numeric_sub(numeric, numeric)": partial(_decimals, symbol="-", digits=36),
    "numeric_mul(numeric, numeric)": partial(_decimals, symbol="*", digits=28),
    "array_length(anyarray, integer)": _array_length,
}
