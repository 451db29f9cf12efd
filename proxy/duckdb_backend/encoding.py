"""Rows of a lake as messages of the protocol.

Owns what is sent to the process that fetched the rows, which encodes them: so it imports nothing of sessions,
whose modules that process does not have. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend import values
from rewright.proxy.duckdb_backend.ports import Encode
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.proxy.wire.backend import DataRow


def encoder_of(columns: tuple[ResultColumn, ...], formats: tuple[int, ...]) -> Encode:
    """Raises SqlError: 08P01, another number of formats than of columns."""
    if len(formats) > 1 and len(formats) != len(columns):
        raise SqlError(
            "08P01", f"bind message has {len(formats)} result formats but query has {len(columns)} columns"
        )
    return RowEncoder(tuple((c.type_oid, encoding.format_of(formats, i)) for i, c in enumerate(columns)))


@dataclass(frozen=True, slots=True)
class RowEncoder:
    """Rows as DataRow messages; ``kinds``: each column's type and format."""

    kinds: tuple[tuple[int, int], ...]

    def __call__(self, rows: Sequence[tuple[object, ...]]) -> bytes:
        return b"".join(
            DataRow(tuple(values.encode(v, *k) for v, k in zip(row, self.kinds, strict=True))).encode()
            for row in rows
        )
