"""The types of PostgreSQL whose values DuckDB holds without loss, and the word for what cannot be said in
DuckDB. Must not know expressions.
"""

from __future__ import annotations

from collections.abc import Mapping

# OIDs of pg_type.dat: the same in all servers and versions
BOOL, BYTEA, NAME, INT8, INT2, INT4, TEXT = 16, 17, 19, 20, 21, 23, 25
FLOAT4, FLOAT8, UNKNOWN, VARCHAR, DATE, TIME = 700, 701, 705, 1043, 1082, 1083
TIMESTAMP, TIMESTAMPTZ, INTERVAL, NUMERIC, UUID = 1114, 1184, 1186, 1700, 2950
JSON, TIMETZ, ANYARRAY = 114, 1266, 2277

DUCKDB_TYPES: Mapping[int, str] = {
    BOOL: "BOOLEAN",
    BYTEA: "BLOB",
    INT8: "BIGINT",
    INT2: "SMALLINT",
    INT4: "INTEGER",
    TEXT: "VARCHAR",
    VARCHAR: "VARCHAR",
    UNKNOWN: "VARCHAR",
    FLOAT4: "FLOAT",
    FLOAT8: "DOUBLE",
    DATE: "DATE",
    TIME: "TIME",
    TIMESTAMP: "TIMESTAMP",
    TIMESTAMPTZ: "TIMESTAMPTZ",
    INTERVAL: "INTERVAL",
    UUID: "UUID",
}
"""Types with the same values on both sides. Numeric is missing: a DECIMAL needs its scale."""
ARRAYS: Mapping[int, int] = {
    1000: BOOL,
    1005: INT2,
    1007: INT4,
    1016: INT8,
    1009: TEXT,
    1015: VARCHAR,
    1021: FLOAT4,
    1022: FLOAT8,
    1182: DATE,
    1115: TIMESTAMP,
    1185: TIMESTAMPTZ,
    2951: UUID,
}
"""Array type -> type of the elements, for those whose lists are the same."""
HELD = frozenset({*DUCKDB_TYPES, NUMERIC, *ARRAYS})


class NotTranslated(Exception):
    """Part of a statement has no sure equivalent in DuckDB; the message says which, to stand after "because
    of".
    """


def scale_of(typmod: int) -> tuple[int, int] | None:
    """Precision and scale that a numeric's typmod declares; None: none, or such as DuckDB has not."""
    # numeric_typmod: VARHDRSZ added to precision << 16 | scale (numeric.c make_numeric_typmod)
    if typmod < 4:
        return None
    precision, scale = (typmod - 4) >> 16 & 0xFFFF, (typmod - 4) & 0x7FF
    # the scale has eleven bits and a sign since PostgreSQL 15
    scale = (scale ^ 1024) - 1024
    return (precision, scale) if precision <= 38 and 0 <= scale <= precision else None
