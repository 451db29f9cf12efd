"""Values of local answers on the wire: Python values as PostgreSQL's text or binary form.

Owns the few types local answers use (bool, int8, float8, text, timestamptz, json and whatever is sent as
text).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, datetime

from rewright.proxy.wire.backend import Column

BOOL, INT8, INT4, TEXT, FLOAT8, TIMESTAMPTZ, JSON = 16, 20, 23, 25, 701, 1184, 114
# bool, int2, int4, int8, float4, float8, date, time, timetz, timestamp, timestamptz, interval, uuid
_SIZES = {
    16: 1,
    21: 2,
    23: 4,
    20: 8,
    700: 4,
    701: 8,
    1082: 4,
    1083: 8,
    1266: 12,
    1114: 8,
    1184: 8,
    1186: 16,
    2950: 16,
}
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def column(name: str, type_oid: int, form: int, typmod: int = -1) -> Column:
    return Column(name.encode(), type_oid, _SIZES.get(type_oid, -1), typmod, format=form)


def encode(value: object, type_oid: int, form: int) -> bytes | None:
    """``form``: 0 text, 1 binary. Raises ValueError when the value does not fit its type."""
    if value is None:
        return None
    return _binary(value, type_oid) if form == 1 else _text(value)


def _text(value: object) -> bytes:
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(sep=" ").encode()
    return str(value).replace("\0", "").encode("utf-8", "replace")


_PACKERS: dict[int, Callable[[object], bytes]] = {
    BOOL: lambda value: b"\1" if value else b"\0",
    INT8: lambda value: struct.pack("!q", value),
    INT4: lambda value: struct.pack("!i", value),
    FLOAT8: lambda value: struct.pack("!d", value),
}


def _binary(value: object, type_oid: int) -> bytes:
    if type_oid == TIMESTAMPTZ and isinstance(value, datetime):
        since = value - _EPOCH
        return struct.pack("!q", (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds)
    packer = _PACKERS.get(type_oid)
    if packer is None:
        return _text(value)
    try:
        return packer(value)
    except struct.error as error:
        raise ValueError(f"{value!r} is no value of type {type_oid}") from error
