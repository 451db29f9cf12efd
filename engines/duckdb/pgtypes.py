"""DuckDB's types as PostgreSQL's, by name: for row descriptions and for the shadow schema.

What PostgreSQL has no type for becomes the nearest that holds every value (UBIGINT and HUGEINT: numeric),
nested types json, lists of scalars arrays. Must not know values or the wire.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PgType:
    """A PostgreSQL type: its OID, SQL spelling, typmod, and the OID of its array type (0: none of ours)."""

    oid: int
    name: str
    array: int = 0
    typmod: int = -1

    @property
    def sql(self) -> str:
        return self.name


TEXT = PgType(25, "text", 1009)
JSON = PgType(114, "json", 199)
NUMERIC = PgType(1700, "numeric", 1231)
_TYPES: Mapping[str, PgType] = {
    "BOOLEAN": PgType(16, "boolean", 1000),
    "TINYINT": PgType(21, "smallint", 1005),
    "UTINYINT": PgType(21, "smallint", 1005),
    "SMALLINT": PgType(21, "smallint", 1005),
    "USMALLINT": PgType(23, "integer", 1007),
    "INTEGER": PgType(23, "integer", 1007),
    "UINTEGER": PgType(20, "bigint", 1016),
    "BIGINT": PgType(20, "bigint", 1016),
    "UBIGINT": NUMERIC,
    "HUGEINT": NUMERIC,
    "UHUGEINT": NUMERIC,
    "BIGNUM": NUMERIC,
    "VARINT": NUMERIC,
    "FLOAT": PgType(700, "real", 1021),
    "DOUBLE": PgType(701, "double precision", 1022),
    "VARCHAR": TEXT,
    "BLOB": PgType(17, "bytea", 1001),
    "DATE": PgType(1082, "date", 1182),
    "TIME": PgType(1083, "time", 1183),
    "TIME_NS": PgType(1083, "time", 1183),
    "TIME WITH TIME ZONE": PgType(1266, "timetz"),
    "TIMESTAMP": PgType(1114, "timestamp", 1115),
    "TIMESTAMP_S": PgType(1114, "timestamp", 1115),
    "TIMESTAMP_MS": PgType(1114, "timestamp", 1115),
    "TIMESTAMP_NS": PgType(1114, "timestamp", 1115),
    "TIMESTAMP WITH TIME ZONE": PgType(1184, "timestamptz", 1185),
    "INTERVAL": PgType(1186, "interval", 1187),
    "UUID": PgType(2950, "uuid", 2951),
    "JSON": JSON,
    "BIT": TEXT,
    "NULL": TEXT,
    '"NULL"': TEXT,
}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)\Z")
_LIST = re.compile(r"(.*)\[\d*\]\Z", re.DOTALL)

# PostgreSQL's type of a parameter -> DuckDB's
PARAMETER_TYPES: Mapping[int, str] = {
    16: "BOOLEAN",
    17: "BLOB",
    20: "BIGINT",
    21: "SMALLINT",
    23: "INTEGER",
    25: "VARCHAR",
    114: "JSON",
    700: "FLOAT",
    701: "DOUBLE",
    1042: "VARCHAR",
    1043: "VARCHAR",
    1082: "DATE",
    1083: "TIME",
    1114: "TIMESTAMP",
    1184: "TIMESTAMPTZ",
    1186: "INTERVAL",
    1700: "DECIMAL(38, 10)",
    2950: "UUID",
    1007: "INTEGER[]",
    1009: "VARCHAR[]",
    1015: "VARCHAR[]",
    1016: "BIGINT[]",
    1022: "DOUBLE[]",
    1182: "DATE[]",
}


def pg_type(duckdb: str) -> PgType:
    """The PostgreSQL type for a DuckDB type as DESCRIBE names it."""
    name = duckdb.strip()
    if name in _TYPES:
        return _TYPES[name]
    if found := _DECIMAL.match(name):
        precision, scale = int(found[1]), int(found[2])
        return PgType(1700, f"numeric({precision},{scale})", 1231, ((precision << 16) | scale) + 4)
    if (found := _LIST.match(name)) and not name.startswith(("STRUCT", "MAP", "UNION")):
        element = pg_type(found[1])
        if element.array and element is not JSON:
            return PgType(element.array, f"{element.name.split('(')[0]}[]")
        return JSON
    if name.startswith(("STRUCT", "MAP", "UNION")):
        return JSON
    return TEXT
