"""Constants of an analysed query: PostgreSQL's bytes of a value as a literal of DuckDB's, or of PostgreSQL's.

Owns the layout of the types that are read (little-endian, as on every platform the embedded server is built
for; varlena with a four-byte header, numerics as ``numeric.c`` lays them out). Must not know expressions.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from rewright.engines.duckdb.dialect.types import (
    BOOL,
    BYTEA,
    DATE,
    DUCKDB_TYPES,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    NAME,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNKNOWN,
    UUID,
    VARCHAR,
    NotTranslated,
)
from rewright.engines.duckdb.quoting import literal

_EPOCH_DAYS = date(2000, 1, 1).toordinal()
_MOST_MICROS = 250_000_000_000_000_000
"""Microseconds from 2000 to about the year 9922, and back to before Christ: what lies further is left to
PostgreSQL.
"""
# the year 36, well after 1: Python's dates begin there
_LEAST_MICROS = -62_000_000_000_000_000
# the widest DECIMAL that DuckDB has
_DIGITS = 38


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval as PostgreSQL keeps it."""

    months: int
    days: int
    micros: int


def value_of(data: bytes, oid: int) -> Any:
    """A constant as a Python value: dates and times as counts from 2000 on, intervals as Interval.

    :raises NotTranslated: a type that is not read here.
    """
    reader = _READERS.get(oid)
    if reader is None:
        raise NotTranslated(f"constants of the type with OID {oid}")
    return reader(data)


def duckdb_literal(value: Any, oid: int) -> str:
    """A value that ``value_of`` gave, of one type, in DuckDB's dialect.

    :raises NotTranslated: DuckDB has no equal value.
    """
    if value is None:
        # NULL of a type without DuckDB's equal has no type to be cast to
        return f"CAST(NULL AS {DUCKDB_TYPES[oid]})" if oid in DUCKDB_TYPES else "NULL"
    match oid:
        case 16:
            return "TRUE" if value else "FALSE"
        case 21 | 23 | 20:
            return f"CAST({value} AS {DUCKDB_TYPES[oid]})"
        # by way of text, which holds NaN and infinities; repr() is the shortest that reads back as the same
        case 700 | 701:
            return f"CAST('{_float(value)}' AS {DUCKDB_TYPES[oid]})"
        case 25 | 1043 | 705 | 19:
            return literal(value)
        case 1700:
            # digits and scale of their own: 1.50 stays 1.50
            return _decimal(value)
        case 1082:
            return f"DATE '{_day(value)}'"
        case 1083:
            return f"TIME '{_clock(value)}'"
        case 1114:
            return f"TIMESTAMP '{_stamp(value)}'"
        case 1184:
            return f"TIMESTAMPTZ '{_stamp(value)}+00'"
        case 1186:
            return f"(to_months({value.months}) + to_days({value.days}) + to_microseconds({value.micros}))"
        case 2950:
            return f"CAST('{value}' AS UUID)"
        case 17:
            return "CAST('" + "".join(f"\\x{byte:02X}" for byte in value) + "' AS BLOB)"
    raise NotTranslated(f"constants of the type with OID {oid}")


def _float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise NotTranslated("NaN and infinity as numeric values")
    sign, digits, exponent = value.as_tuple()
    del sign
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    # a scale may be longer than the digits: 0.001 is DECIMAL(3,3)
    width = max(len(digits) + max(0, exponent), scale, 1)
    if width > _DIGITS:
        raise NotTranslated("numeric values of more than 38 digits")
    return f"CAST('{value:f}' AS DECIMAL({width},{scale}))"


def _day(days: int) -> str:
    try:
        return date.fromordinal(_EPOCH_DAYS + days).isoformat()
    except (ValueError, OverflowError) as error:
        raise NotTranslated("dates before the year 1, after 9999 or infinite") from error


def _stamp(micros: int) -> str:
    if not _LEAST_MICROS < micros < _MOST_MICROS:
        raise NotTranslated("times before the year 1, after 9999 or infinite")
    days, rest = divmod(micros, 86_400_000_000)
    return f"{_day(days)} {_clock(rest)}"


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    # PostgreSQL has 24:00:00 as a time of its own
    if seconds >= 86_400:
        raise NotTranslated("the time 24:00:00")
    return str(timedelta(seconds=seconds)).rjust(8, "0") + f".{fraction:06d}"


def _body(data: bytes) -> bytes:
    """What follows a varlena's header; constants are neither short nor packed."""
    (header,) = struct.unpack_from("<I", data)
    # VARATT_IS_4B_U (varatt.h): the two lowest bits tell short and compressed ones, little-endian
    if header & 0x03:
        raise NotTranslated("a packed constant")
    return data[4 : header >> 2]


def _text(data: bytes) -> str:
    return _body(data).decode()


def _numeric(data: bytes) -> Decimal:
    body = _body(data)
    (header,) = struct.unpack_from("<H", body)
    # NUMERIC_SPECIAL; numeric.c: the two highest bits are the form
    if header & 0xC000 == 0xC000:
        return Decimal({0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}[header & 0xF000])
    # NUMERIC_SHORT: scale and weight in the header, the weight's seventh bit its sign
    if header & 0x8000:
        negative, scale = bool(header & 0x2000), (header & 0x1F80) >> 7
        weight = (header & 0x3F) - (0x40 if header & 0x40 else 0)
        groups = body[2:]
    else:
        # NUMERIC_LONG: two bytes of sign and scale, two of weight
        negative, scale = header & 0xC000 == 0x4000, header & 0x3FFF
        (weight,) = struct.unpack_from("<h", body, 2)
        groups = body[4:]
    digits = struct.unpack(f"<{len(groups) // 2}h", groups)
    # base 10,000, most significant first
    total = 0
    for one in digits:
        total = total * 10_000 + one
    exponent = 4 * (weight - len(digits) + 1)
    # to the scale: the last group may hold more or fewer digits than are shown
    shift = exponent + scale
    total = total * 10**shift if shift >= 0 else total // 10**-shift
    return Decimal((int(negative), tuple(map(int, str(total))), -scale))


def _interval(data: bytes) -> Interval:
    micros, days, months = struct.unpack_from("<qii", data)
    # since PostgreSQL 17 the extreme counts are infinity
    if micros in {2**63 - 1, -(2**63)}:
        raise NotTranslated("infinite intervals")
    return Interval(months, days, micros)


def _uuid(data: bytes) -> str:
    import uuid

    return str(uuid.UUID(bytes=data[:16]))


def _unpacking(form: str) -> Callable[[bytes], Any]:
    return lambda data: struct.unpack_from(form, data)[0]


_READERS: Mapping[int, Callable[[bytes], Any]] = {
    BOOL: lambda data: data[0] != 0,
    INT2: _unpacking("<h"),
    INT4: _unpacking("<i"),
    INT8: _unpacking("<q"),
    FLOAT4: _unpacking("<f"),
    FLOAT8: _unpacking("<d"),
    TEXT: _text,
    VARCHAR: _text,
    # unknown and name are C strings, not varlena
    UNKNOWN: lambda data: data.rstrip(b"\0").decode(),
    NAME: lambda data: data.rstrip(b"\0").decode(),
    NUMERIC: _numeric,
    DATE: _unpacking("<i"),
    TIME: _unpacking("<q"),
    TIMESTAMP: _unpacking("<q"),
    TIMESTAMPTZ: _unpacking("<q"),
    INTERVAL: _interval,
    UUID: _uuid,
    BYTEA: _body,
}
