"""Values of lake answers on the wire: Python values as PostgreSQL's text and binary forms, parameters the
other way.

Owns the forms of every type a lake column can have (PostgreSQL manual, chapter 8; binary forms as its send
functions write them). Must not know DuckDB, portals or sockets. Nested values that are no array of scalars
travel as json.
"""

from __future__ import annotations

import json
import math
import re
import struct
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

from rewright.proxy.ports import SqlError

BOOL, BYTEA, INT8, INT2, INT4, TEXT, JSON = 16, 17, 20, 21, 23, 25, 114
FLOAT4, FLOAT8, BPCHAR, VARCHAR, DATE, TIME = 700, 701, 1042, 1043, 1082, 1083
TIMESTAMP, TIMESTAMPTZ, INTERVAL, TIMETZ, NUMERIC, UUID, JSONB = 1114, 1184, 1186, 1266, 1700, 2950, 3802
UNKNOWN = 705

# array type -> element type
ARRAYS: Mapping[int, int] = {
    1000: BOOL,
    1001: BYTEA,
    1005: INT2,
    1007: INT4,
    1009: TEXT,
    1015: VARCHAR,
    1016: INT8,
    1021: FLOAT4,
    1022: FLOAT8,
    1115: TIMESTAMP,
    1182: DATE,
    1183: TIME,
    1185: TIMESTAMPTZ,
    1187: INTERVAL,
    1231: NUMERIC,
    2951: UUID,
    199: JSON,
}
_EPOCH_DAY = date(2000, 1, 1)
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - timestamp without time zone
_EPOCH_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_DAY_MICROS = 86_400_000_000


_HALVES_SHOW = 2.0**53
"""From here on a midpoint between two doubles may have as few digits as they."""


class BadValue(ValueError):
    """A parameter whose bytes are no value of its type. ``sqlstate`` as PostgreSQL would say it."""

    def __init__(self, message: str, sqlstate: str = "22P02") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


# --------------------------------------------------------------------------- to the client


def encode(value: object, oid: int, form: int) -> bytes | None:
    """A value as PostgreSQL sends it; ``form``: 0 text, 1 binary. None is NULL."""
    if value is None:
        return None
    return to_binary(value, oid) if form == 1 else to_text(value, oid).encode("utf-8", "replace")


def to_text(value: Any, oid: int) -> str:
    """The text form, as the type's output function prints it under default settings."""
    if isinstance(value, str):
        # a text, or a value that comes in its text form
        return (interval_told(value) if oid == INTERVAL else value).replace("\0", "")
    if oid in ARRAYS:
        return _array_text(value, ARRAYS[oid])
    match value:
        case bool():
            return "t" if value else "f"
        case float():
            return float_text(value, single=oid == FLOAT4)
        case datetime():
            return _datetime_text(value)
        case date():
            return value.isoformat()
        case time():
            return _time_text(value)
        case timedelta():
            return interval_text(value)
        case bytes() | bytearray() | memoryview():
            return "\\x" + bytes(value).hex()
        case Decimal():
            return "NaN" if value.is_nan() else format(value, "f")
        case dict() | list() | tuple():
            return json_text(value)
        case _:
            return str(value).replace("\0", "")


def float_text(value: float, *, single: bool = False) -> str:
    """Shortest digits that read back, in float8out's layout (exponent below -4 or from 15 on; float4: from
    6).
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    shortest = _shortest_single(value) if single else _shortest_double(abs(value))
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    minus = "-" if value < 0 or sign else ""
    if point - 1 < -4 or point - 1 >= (6 if single else 15):
        rest = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{rest}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    if point >= len(text):
        return f"{minus}{text}{'0' * (point - len(text))}"
    return f"{minus}{text[:point]}.{text[point:]}"


def _shortest_double(value: float) -> str:
    """The shortest digits strictly between the neighbours' midpoints: Python also takes the midpoint itself,
    PostgreSQL does not.
    """
    text = repr(value)
    if value < _HALVES_SHOW:
        return text
    told, exact = Decimal(text), Decimal(value)
    other = Decimal(math.nextafter(value, math.inf if told > exact else 0.0))
    with localcontext() as context:
        context.prec = 400
        return f"{value:.16e}" if 2 * told == exact + other else text


def _single(value: float) -> bytes:
    """The bytes of the nearest float4; none where that is infinite and the value is not."""
    try:
        return struct.pack("!f", value)
    except OverflowError:
        return b""


def _shortest_single(value: float) -> str:
    for precision in range(1, 10):
        text = f"{abs(value):.{precision}g}"
        if _single(float(text)) == _single(abs(value)):
            return text
    return repr(abs(value))


def _datetime_text(value: datetime) -> str:
    zone = "+00" if value.tzinfo is not None else ""
    if value.tzinfo is not None:
        value = value.astimezone(UTC)
    text = f"{value:%H:%M:%S}" + _fraction(value.microsecond)
    return f"{value.year:04d}-{value.month:02d}-{value.day:02d} {text}{zone}"


def _time_text(value: time) -> str:
    text = f"{value:%H:%M:%S}" + _fraction(value.microsecond)
    offset = value.utcoffset()
    if offset is None:
        return text
    seconds = int(offset.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    minutes = f":{rest // 60:02d}" if rest else ""
    return f"{text}{'-' if seconds < 0 else '+'}{hours:02d}{minutes}"


def _fraction(microseconds: int) -> str:
    return f".{microseconds:06d}".rstrip("0") if microseconds else ""


def interval_text(value: timedelta) -> str:
    """Days and time in IntervalStyle postgres; months do not survive DuckDB's Python values."""
    days, total = _days_and_micros(value)
    parts = [f"{days} day{'' if days == 1 else 's'}"] if days else []
    if total or not parts:
        seconds, micros = divmod(abs(total), 1_000_000)
        sign = "-" if total < 0 else ("+" if days < 0 else "")
        hours, rest = divmod(seconds, 3600)
        parts.append(f"{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}{_fraction(micros)}")
    return " ".join(parts)


def _days_and_micros(value: timedelta) -> tuple[int, int]:
    """Days and microseconds of one sign, where Python keeps negative days and positive seconds."""
    days, micros = value.days, value.seconds * 1_000_000 + value.microseconds
    if days < 0 and micros:
        days, micros = days + 1, micros - _DAY_MICROS
    return days, micros


def json_text(value: Any) -> str:
    """Nested values as json; keys in their order, numbers with all their digits, what json lacks as text."""
    match value:
        case dict():
            pairs = (f"{_json_string(str(k))}: {json_text(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple() | set():
            return "[" + ", ".join(map(json_text, value)) + "]"
        case None | bool() | int():
            return json.dumps(value)
        case float() if math.isfinite(value):
            return float_text(value)
        case Decimal() if value.is_finite():
            return format(value, "f")
        case _:
            return _json_string(value if isinstance(value, str) else to_text(value, TEXT))


def _json_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_PLAIN = re.compile(r"[^\s{}\",\\]+\Z")


def _array_text(value: Any, element: int) -> str:
    inside = ",".join("NULL" if item is None else _array_item(to_text(item, element)) for item in value)
    return "{" + inside + "}"


def _array_item(text: str) -> str:
    # Unquoted, NULL would be read back as no value (array_out quotes it, too).
    if _PLAIN.match(text) and text.upper() != "NULL":
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_binary(value: Any, oid: int) -> bytes:
    """The binary form, as the type's send function writes it. Types without a binary
    form of ours go as text.
    """
    if isinstance(value, str) and (told := _packed_text(value, oid)) is not None:
        return told
    if oid in ARRAYS:
        return _array_binary(value, ARRAYS[oid])
    packer = _PACKERS.get(oid)
    return packer(value) if packer is not None else to_text(value, oid).encode("utf-8", "replace")


_TEXTUAL = frozenset({TEXT, VARCHAR, BPCHAR, UNKNOWN, JSON, JSONB, 18, 19, 142})
"""Types whose binary form is their text (but jsonb, whose version goes before it); char, name and xml among
them.
"""
_FIRST_NORMAL_OID = 16384
"""From here on are types that users made: of an enumeration the binary form is its text, too."""
_ENDLESS: Mapping[int, tuple[str, int]] = {DATE: ("!i", 31), TIMESTAMP: ("!q", 63), TIMESTAMPTZ: ("!q", 63)}


def _packed_text(value: str, oid: int) -> bytes | None:
    """The binary form of a value that comes in its text form; None: the text is the value."""
    if oid in _ENDLESS and value in {"infinity", "-infinity"}:
        form, bits = _ENDLESS[oid]
        return struct.pack(form, 2**bits - 1 if value == "infinity" else -(2**bits))
    if oid in _ENDLESS and (value.endswith(" BC") or not value[4:5] == "-"):
        raise SqlError("0A000", "dates before the year 1 or after 9999 have no binary form on a lake")
    if oid == INTERVAL:
        months, days, micros = interval_parts(value)
        return struct.pack("!qii", micros, days, months)
    if oid in _READERS or (oid in ARRAYS and ARRAYS[oid] != INTERVAL):
        return to_binary(_from_text(value, oid), oid)
    if oid not in _TEXTUAL:
        raise SqlError("0A000", f"values of the type with OID {oid} have no binary form on a lake")
    return None


_INTERVAL = re.compile(
    r"(?:([-+]?\d+) years? ?)?(?:([-+]?\d+) mon(?:th)?s? ?)?(?:([-+]?\d+) days? "
    r"?)?(?:([-+]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?\Z"
)
_ENDLESS_INTERVALS = {
    # what no interval has in all of its parts is how PostgreSQL keeps infinity (INTERVAL_NOEND)
    "infinity": (2**31 - 1, 2**31 - 1, 2**63 - 1),
    "-infinity": (-(2**31), -(2**31), -(2**63)),
}


def interval_parts(text: str) -> tuple[int, int, int]:
    """Months, days and microseconds of an interval as DuckDB or PostgreSQL (style postgres) writes it. Raises
    BadValue.
    """
    if text in _ENDLESS_INTERVALS:
        return _ENDLESS_INTERVALS[text]
    found = _INTERVAL.match(text)
    if found is None:
        raise BadValue(f"invalid input syntax for type interval: {text!r}", "22007")
    years, months, days = (int(found[i] or 0) for i in (1, 2, 3))
    seconds = int(found[5] or 0) * 3600 + int(found[6] or 0) * 60 + int(found[7] or 0)
    micros = seconds * 1_000_000 + int((found[8] or "").ljust(6, "0"))
    return years * 12 + months, days, -micros if found[4] == "-" else micros


def interval_told(text: str) -> str:
    """An interval as DuckDB writes it in PostgreSQL's style (IntervalStyle postgres; EncodeInterval)."""
    if text in _ENDLESS_INTERVALS:
        return text
    months, days, micros = interval_parts(text)
    parts, minus = [], False
    # years and months have one sign, as integer division gives them
    years, rest = divmod(abs(months), 12)
    sign = -1 if months < 0 else 1
    for number, word in ((sign * years, "year"), (sign * rest, "mon"), (days, "day")):
        if number:
            plus = "+" if minus and number > 0 else ""
            parts.append(f"{plus}{number} {word}{'' if number == 1 else 's'}")
            minus = number < 0
    if micros or not parts:
        seconds, fraction = divmod(abs(micros), 1_000_000)
        plus = "-" if micros < 0 else "+" if minus else ""
        parts.append(
            f"{plus}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{_fraction(fraction)}"
        )
    return " ".join(parts)


def _array_binary(items: Any, element: int) -> bytes:
    items = list(items)
    head = struct.pack("!iiI", int(bool(items)), int(any(i is None for i in items)), element)
    if not items:
        return head
    parts = [head, struct.pack("!ii", len(items), 1)]
    for item in items:
        data = None if item is None else to_binary(item, element)
        parts.append(struct.pack("!i", -1) if data is None else struct.pack("!i", len(data)) + data)
    return b"".join(parts)


def _numeric_binary(value: Any) -> bytes:
    """ndigits, weight, sign, dscale, base-10000 digits (numeric_send)."""
    number = Decimal(value)
    if number.is_nan():
        return struct.pack("!hhHh", 0, 0, 0xC000, 0)
    if number.is_infinite():
        return struct.pack("!hhHh", 0, 0, 0xD000 if number > 0 else 0xF000, 0)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    whole = "".join(map(str, digits)) + "0" * max(0, exponent)
    integer, fraction = (whole[:-scale], whole[-scale:].rjust(scale, "0")) if scale else (whole, "")
    integer = integer.lstrip("0")
    integer = integer.rjust(-(-len(integer) // 4) * 4, "0")
    fraction = fraction.ljust(-(-len(fraction) // 4) * 4, "0")
    groups = [int((integer + fraction)[i : i + 4]) for i in range(0, len(integer) + len(fraction), 4)]
    weight = len(integer) // 4 - 1
    while groups and groups[0] == 0:
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == 0:
        groups.pop()
    if not groups:
        weight = 0
    # numeric has no negative zero.
    negative = 0x4000 if sign and groups else 0
    return struct.pack(f"!hhHh{len(groups)}h", len(groups), weight, negative, scale, *groups)


def _micros(value: timedelta) -> int:
    return (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds


def _clock(value: time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _timetz_binary(value: time) -> bytes:
    offset = value.utcoffset() or timedelta()
    # timetz counts its zone in seconds west of Greenwich; Python east of it.
    return struct.pack("!qi", _clock(value), -int(offset.total_seconds()))


def _stamp_binary(value: datetime) -> bytes:
    return struct.pack("!q", _micros(value.replace(tzinfo=None) - _EPOCH))


def _stamptz_binary(value: datetime) -> bytes:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return struct.pack("!q", _micros(aware - _EPOCH_UTC))


def _interval_binary(value: timedelta) -> bytes:
    days, micros = _days_and_micros(value)
    return struct.pack("!qii", micros, days, 0)


_PACKERS: Mapping[int, Callable[[Any], bytes]] = {
    BOOL: lambda v: b"\1" if v else b"\0",
    INT2: lambda v: struct.pack("!h", int(v)),
    INT4: lambda v: struct.pack("!i", int(v)),
    INT8: lambda v: struct.pack("!q", int(v)),
    FLOAT4: lambda v: struct.pack("!f", float(v)),
    FLOAT8: lambda v: struct.pack("!d", float(v)),
    NUMERIC: _numeric_binary,
    BYTEA: bytes,
    DATE: lambda v: struct.pack("!i", (v - _EPOCH_DAY).days),
    TIME: lambda v: struct.pack("!q", _clock(v)),
    TIMETZ: _timetz_binary,
    TIMESTAMP: _stamp_binary,
    TIMESTAMPTZ: _stamptz_binary,
    INTERVAL: _interval_binary,
    UUID: lambda v: (v if isinstance(v, uuid.UUID) else uuid.UUID(str(v))).bytes,
    JSONB: lambda v: b"\1" + to_text(v, JSON).encode(),
}


# --------------------------------------------------------------------------- from the client


def decode(data: bytes | None, oid: int, form: int) -> object:
    """A parameter as a Python value. Raises BadValue."""
    if data is None:
        return None
    try:
        return _from_binary(data, oid) if form == 1 else _from_text(data.decode(), oid)
    except (
        ValueError,
        struct.error,
        InvalidOperation,
        UnicodeDecodeError,
        OverflowError,
        IndexError,
    ) as error:
        if isinstance(error, BadValue):
            raise
        raise BadValue(f"invalid input for type {oid}", "22P02" if form == 0 else "22P03") from error


def _from_text(text: str, oid: int) -> object:
    if oid in ARRAYS:
        return [None if item is None else _from_text(item, ARRAYS[oid]) for item in _array_items(text)]
    reader = _READERS.get(oid)
    return reader(text) if reader is not None else text


def _bool(text: str) -> bool:
    word = text.strip().lower()
    if word and any(whole.startswith(word) for whole in ("true", "yes", "on", "1")) and word != "o":
        return True
    if word and any(whole.startswith(word) for whole in ("false", "no", "off", "0")) and word != "o":
        return False
    raise BadValue(f"invalid input syntax for type boolean: {text!r}")


_ESCAPE = re.compile(rb"\\(?:\\|([0-3][0-7]{2})|(.?))", re.DOTALL)


def _bytes(text: str) -> bytes:
    """In the hex form, or in the one with escapes, which older clients write (manual, section 8.4)."""
    if text.startswith("\\x"):
        return bytes.fromhex(text[2:])

    def told(found: re.Match[bytes]) -> bytes:
        if found[2] is not None:
            raise BadValue("invalid input syntax for type bytea")
        return b"\\" if found[1] is None else bytes([int(found[1], 8)])

    return _ESCAPE.sub(told, text.encode())


def _stamp(text: str) -> datetime:
    return datetime.fromisoformat(text.strip()).replace(tzinfo=None)


def _stamptz(text: str) -> datetime:
    found = datetime.fromisoformat(text.strip())
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


_READERS: Mapping[int, Callable[[str], object]] = {
    BOOL: _bool,
    INT2: int,
    INT4: int,
    INT8: int,
    FLOAT4: float,
    FLOAT8: float,
    NUMERIC: Decimal,
    BYTEA: _bytes,
    DATE: lambda t: date.fromisoformat(t.strip()),
    TIME: lambda t: time.fromisoformat(t.strip()),
    TIMESTAMP: _stamp,
    TIMESTAMPTZ: _stamptz,
    UUID: uuid.UUID,
}


def _from_binary(data: bytes, oid: int) -> object:
    if oid in ARRAYS:
        return _array_from_binary(data)
    unpacker = _UNPACKERS.get(oid)
    if unpacker is not None:
        return unpacker(data)
    # read as a text, the bytes of other types would be something else, or nothing
    if oid and oid not in _TEXTUAL and oid < _FIRST_NORMAL_OID:
        raise BadValue(f"values of the type with OID {oid} have no binary form on a lake", "0A000")
    return data.decode()


def _array_from_binary(data: bytes) -> list[object]:
    dimensions, _, element = struct.unpack_from("!iiI", data)
    if dimensions == 0:
        return []
    if dimensions != 1:
        raise BadValue("arrays of several dimensions are not supported", "0A000")
    (count,) = struct.unpack_from("!i", data, 12)
    # Behind dimensions, flags, element type, and one pair of length and lower bound.
    at = 20
    items: list[object] = []
    for _ in range(count):
        (size,) = struct.unpack_from("!i", data, at)
        at += 4
        if size < 0:
            items.append(None)
            continue
        if at + size > len(data):
            raise BadValue("truncated array", "22P03")
        items.append(_from_binary(data[at : at + size], element))
        at += size
    return items


def _numeric_from_binary(data: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack_from("!hhHh", data)
    if sign == 0xC000:
        return Decimal("NaN")
    if sign in {0xD000, 0xF000}:
        return Decimal("Infinity" if sign == 0xD000 else "-Infinity")
    groups = struct.unpack_from(f"!{count}h", data, 8)
    if sign not in {0, 0x4000} or scale < 0 or not all(0 <= group < 10_000 for group in groups):
        raise BadValue("invalid number in external numeric value", "22P03")
    # By its digits: arithmetic would round to what Python's context holds.
    digits = "".join(f"{group:04d}" for group in groups) or "0"
    exponent = 4 * (weight - count + 1) if groups else 0
    # The scale is a part of the value: 1.50 is shown with two digits, and what is behind it does not count.
    kept = exponent + scale
    digits = digits + "0" * kept if kept > 0 else digits[: max(0, len(digits) + kept)]
    return Decimal(f"{'-' if sign else ''}{digits or '0'}E{-scale}")


def _interval_of(data: bytes) -> str:
    """In its text form: Python's values have no months."""
    micros, days, months = struct.unpack("!qii", data)
    for endless, parts in _ENDLESS_INTERVALS.items():
        if parts == (months, days, micros):
            return endless
    seconds, fraction = divmod(abs(micros), 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:06d}"
    return f"{months} mons {days} days {'-' if micros < 0 else ''}{clock}"


def _time_of(micros: int) -> time:
    # PostgreSQL has 24:00:00 as a time of its own; Python, and so a lake, ends before it
    if not 0 <= micros < _DAY_MICROS:
        raise BadValue("time out of range", "22008")
    seconds, fraction = divmod(micros, 1_000_000)
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, fraction)


_UNPACKERS: Mapping[int, Callable[[bytes], object]] = {
    BOOL: lambda d: d != b"\0",
    INT2: lambda d: struct.unpack("!h", d)[0],
    INT4: lambda d: struct.unpack("!i", d)[0],
    INT8: lambda d: struct.unpack("!q", d)[0],
    FLOAT4: lambda d: struct.unpack("!f", d)[0],
    FLOAT8: lambda d: struct.unpack("!d", d)[0],
    NUMERIC: _numeric_from_binary,
    BYTEA: bytes,
    DATE: lambda d: _EPOCH_DAY + timedelta(days=struct.unpack("!i", d)[0]),
    TIME: lambda d: _time_of(struct.unpack("!q", d)[0]),
    TIMESTAMP: lambda d: _EPOCH + timedelta(microseconds=struct.unpack("!q", d)[0]),
    TIMESTAMPTZ: lambda d: _EPOCH_UTC + timedelta(microseconds=struct.unpack("!q", d)[0]),
    INTERVAL: _interval_of,
    UUID: lambda d: uuid.UUID(bytes=d),
    JSONB: lambda d: d[1:].decode(),
}


# What an alternative took is not given back: on blanks alone it would be tried with each of them.
_ITEM = re.compile(r'\s*+(?:"((?:[^"\\]|\\.)*+)"|([^,{}"]*+))\s*+(,|$)', re.DOTALL)


def _array_items(text: str) -> list[str | None]:
    """Elements of a one-dimensional array literal. Raises BadValue."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise BadValue(f"malformed array literal: {text[:40]!r}")
    items: list[str | None] = []
    inside = text[1:-1]
    at = 0
    # Behind a last comma stands one more item, which is empty.
    while at < len(inside) or (items and inside.endswith(",") and at == len(inside)):
        found = _ITEM.match(inside, at)
        if found is None:
            raise BadValue(f"malformed array literal: {text[:40]!r}")
        if found[1] is not None:
            items.append(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL))
        else:
            word = found[2].strip()
            items.append(None if word.upper() == "NULL" else word)
        at = found.end()
        if found[3] == "":
            break
    return items
