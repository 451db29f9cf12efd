"""PostgreSQL databases beside a lake: attached read-only before the lock, named ``database.table`` in queries.

Owns the extension's file, the attachment and what a client may not reach through it. Must not know the configuration.
The extension comes from the package ``duckdb-extension-postgres-scanner``; nothing is ever downloaded by DuckDB.
DuckDB manual, "PostgreSQL Extension". docs/decisions/0185-postgresql-beside-the-lake.md.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rewright.engines.duckdb.quoting import literal, quoted

PACKAGE = "duckdb-extension-postgres-scanner"
_MODULE = "duckdb_extension_postgres_scanner"
CATALOGS = frozenset({"pg_catalog", "information_schema", "pg_toast"})
_APPLICATION = "rewright lake"


@dataclass(frozen=True, slots=True)
class Beside:
    """A PostgreSQL database that a lake's queries may name. ``dsn``: of a role that should only read."""

    name: str
    dsn: str = field(repr=False)


def extension_file() -> Path | None:
    """The extension for exactly this DuckDB, or None where the package is missing or of another version."""
    spec = importlib.util.find_spec(_MODULE)
    if spec is None or spec.origin is None:
        return None
    wanted = f"v{duckdb.__version__}"
    files = Path(spec.origin).parent.rglob("postgres_scanner.duckdb_extension")
    return next((file for file in files if wanted in file.parts), None)


def attach(connection: Any, databases: Sequence[Beside]) -> Mapping[str, tuple[str, str]]:
    """Attach each database read-only; what could not be attached comes back as name -> (SQLSTATE, reason).

    The password goes through a secret, so that it stands in none of DuckDB's catalogs. To be called before the
    connection is locked.
    """
    if not databases:
        return {}
    file = extension_file()
    if file is None:
        told = f"needs the package {PACKAGE} for DuckDB {duckdb.__version__}, which is not installed"
        return {one.name: ("0A000", told) for one in databases}
    connection.execute(f"LOAD {literal(str(file))}")
    return {one.name: failure for one in databases if (failure := _attach_one(connection, one)) is not None}


def _attach_one(connection: Any, one: Beside) -> tuple[str, str] | None:
    try:
        options = {key: str(value) for key, value in conninfo_to_dict(one.dsn).items() if value is not None}
    except ProgrammingError:
        return "08001", "its address cannot be read"
    password = options.pop("password", "")
    options.setdefault("connect_timeout", "5")
    options.setdefault("application_name", _APPLICATION)
    name = quoted(one.name)
    try:
        secret = f"CREATE OR REPLACE SECRET {quoted('beside ' + one.name)} (TYPE postgres, PASSWORD {literal(password)})"
        connection.execute(secret)
        connection.execute(
            f"ATTACH {literal(make_conninfo('', **options))} AS {name}"
            f" (TYPE postgres, READ_ONLY, SECRET {quoted('beside ' + one.name)})"
        )
        connection.execute(f"SELECT 1 FROM {name}.pg_catalog.pg_class LIMIT 1").fetchall()
    except duckdb.Error:
        # DuckDB's text repeats the address; it is the operator's business, and the doctor's
        return "08001", "cannot be reached"
    return None


def tables_beside(connection: Any, name: str) -> dict[str, list[tuple[str, str]]]:
    """The tables of the schema ``public`` of an attached database: name -> (column, DuckDB type) in order.

    :raises duckdb.Error: the database is gone.
    """
    rows = connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns()"
        " WHERE database_name = ? AND schema_name = 'public' ORDER BY table_name, column_index",
        [name],
    ).fetchall()
    found: dict[str, list[tuple[str, str]]] = {}
    for table, column, type_ in rows:
        found.setdefault(str(table), []).append((str(column), str(type_)))
    return found
