"""An answer's columns, rows and end as messages, for whoever answers without a server.

Owns nothing but the layout. Must not know where the rows come from.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.proxy.ports import LocalRows, ResultColumn, SqlError
from rewright.proxy.wire import backend, values
from rewright.proxy.wire.backend import CommandComplete, DataRow, RowDescription

Formats = tuple[int, ...]


def format_of(formats: Formats, index: int) -> int:
    """As Bind gives them: none is text, one is for all."""
    if not formats:
        return 0
    return formats[0] if len(formats) == 1 else formats[index]


def description_or_no_data(columns: Sequence[ResultColumn], formats: Formats = ()) -> bytes:
    """What Describe is told."""
    return description(columns, formats) if columns else backend.NO_DATA


def description(columns: Sequence[ResultColumn], formats: Formats = ()) -> bytes:
    """RowDescription, of no columns, too: a SELECT may have none."""
    return RowDescription(
        tuple(
            values.column(c.name, c.type_oid, format_of(formats, i), c.typmod) for i, c in enumerate(columns)
        )
    ).encode()


def data_rows(outcome: LocalRows, formats: Formats = ()) -> list[bytes]:
    """Raises SqlError when the formats don't fit the columns."""
    if len(formats) > 1 and len(formats) != len(outcome.columns):
        raise SqlError(
            "08P01",
            f"bind message has {len(formats)} result formats but query has {len(outcome.columns)} columns",
        )
    types = [(column.type_oid, format_of(formats, i)) for i, column in enumerate(outcome.columns)]
    return [
        DataRow(tuple(values.encode(v, *t) for v, t in zip(row, types, strict=True))).encode()
        for row in outcome.rows
    ]


def completion(outcome: LocalRows) -> bytes:
    return CommandComplete((outcome.tag or f"SELECT {len(outcome.rows)}").encode()).encode()


def notices(texts: Sequence[str]) -> bytes:
    return b"".join(backend.notice(text) for text in texts)


def error(failure: SqlError) -> bytes:
    return backend.error(failure.sqlstate, failure.message, hint=failure.hint, detail=failure.detail)
