"""PostgreSQL databases beside a lake: attached read-only before the lock, named ``database.table`` in
queries.

Owns the extension's file, the attachment and what a client may not reach through it. Must not know the
configuration. The extension comes from the package ``duckdb-extension-postgres-scanner``; nothing is ever
downloaded by DuckDB. DuckDB manual, "PostgreSQL Extension".
docs/decisions/0185-postgresql-beside-the-lake.md.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.quoting import literal, quoted

if TYPE_CHECKING:
    from rewright.engines.postgres.session import Session

PACKAGE = "duckdb-extension-postgres-scanner"
_MODULE = "duckdb_extension_postgres_scanner"
CATALOGS = frozenset({"pg_catalog", "information_schema", "pg_toast"})
_APPLICATION = "rewright lake"
# r, p, v, m, f: tables, partitioned ones, views, materialized views, foreign tables
_NAMED = """
select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where lower(n.nspname) = lower(%s) and lower(c.relname) = lower(%s) and c.relkind in ('r', 'p', 'v', 'm',
  'f')"""


@dataclass(frozen=True, slots=True)
class Beside:
    """A PostgreSQL database that a lake's queries may name. ``dsn``: of a role that should only read."""

    name: str
    dsn: str = field(repr=False)


class TablesBeside:
    """Whether tables of a database beside may be read with the rights of its account; asks the database each
    time.

    A view or an index calls its owner's functions, in whose place the account would run them: what the
    optimiser may not plan (`rewright.engines.postgres.gate`) is not read here either. One at a time.
    """

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        self._session: Session | None = None

    def require_trusted(self, schema: str, table: str) -> None:
        """Raises LakeError: it uses what others own, or the database cannot be asked."""
        # psycopg takes a sixth of a lake's start, and most lakes have nothing beside them
        from rewright.engines.postgres.session import Session, SessionError, Untrusted

        try:
            if self._session is None:
                self._session = Session(self._beside.dsn)
            # DuckDB's names have no case; what is not there is for DuckDB to say
            # lower(): several relations may match, and each has to pass
            for found in self._session.ask(_NAMED, [schema, table]):
                self._session.require_trusted(
                    "select * from " + ".".join(quoted(str(name)) for name in found)
                )
        except Untrusted as error:
            raise LakeError(f"{self._beside.name}.{table} is not read: {error}", sqlstate="42501") from error
        except SessionError as error:
            # without a connection the words may hold the address
            said = str(error) if error.sqlstate else "cannot be asked"
            raise LakeError(
                f"database {self._beside.name} beside the lake: {said}", sqlstate=error.sqlstate or "08006"
            ) from error

    def close(self) -> None:
        if self._session is not None:
            self._session.close()


def extension_file() -> Path | None:
    """The extension for exactly this DuckDB, or None where the package is missing or of another version."""
    spec = importlib.util.find_spec(_MODULE)
    if spec is None or spec.origin is None:
        return None
    # an extension's binary interface belongs to one exact version of DuckDB
    wanted = f"v{duckdb.__version__}"
    files = Path(spec.origin).parent.rglob("postgres_scanner.duckdb_extension")
    return next((file for file in files if wanted in file.parts), None)


def attach(connection: Any, databases: Sequence[Beside]) -> Mapping[str, tuple[str, str]]:
    """Attach each database read-only; what could not be attached comes back as name -> (SQLSTATE, reason).

    The password goes through a secret, so that it stands in none of DuckDB's catalogs. To be called before
    the connection is locked.
    """
    if not databases:
        return {}
    file = extension_file()
    if file is None:
        told = f"needs the package {PACKAGE} for DuckDB {duckdb.__version__}, which is not installed"
        return {one.name: ("0A000", told) for one in databases}
    # INSTALL could download an extension; LOAD of a file never does
    connection.execute(f"LOAD {literal(str(file))}")
    return {one.name: failure for one in databases if (failure := _attach_one(connection, one)) is not None}


def _attach_one(connection: Any, one: Beside) -> tuple[str, str] | None:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        options = {key: str(value) for key, value in conninfo_to_dict(one.dsn).items() if value is not None}
    except ProgrammingError:
        return "08001", "its address cannot be read"
    # out of the connection string, which duckdb_databases() shows
    password = options.pop("password", "")
    options.setdefault("connect_timeout", "5")
    options.setdefault("application_name", _APPLICATION)
    # conditions are sent along: their operators must not be looked for in anybody's schema
    options["options"] = f"{options.get('options', '')} -c search_path=pg_catalog".strip()
    name = quoted(one.name)
    try:
        secret = (
            f"CREATE OR REPLACE SECRET {quoted('beside ' + one.name)} (TYPE postgres, PASSWORD "
            f"{literal(password)})"
        )
        connection.execute(secret)
        connection.execute(
            f"ATTACH {literal(make_conninfo('', **options))} AS {name}"
            f" (TYPE postgres, READ_ONLY, SECRET {quoted('beside ' + one.name)})"
        )
        # ATTACH connects lazily: a first query tells whether the address works
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
