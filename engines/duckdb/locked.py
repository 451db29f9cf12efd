"""Opening a DuckDB that can read the lake's folders and do nothing else.

Owns the lock-down: external access only to given folders, configuration locked, no extension loading, limits on
memory and threads, and only reading statements. Must not know what the tables mean.
Settings: DuckDB manual, "Securing DuckDB". docs/decisions/0081-locked-duckdb.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.beside import CATALOGS, Beside, attach
from rewright.engines.duckdb.errors import Forbidden, translated
from rewright.engines.duckdb.quoting import literal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one lake connection may use. Memory in DuckDB's notation; `seconds` bounds one statement."""

    memory: str = "2GB"
    threads: int = 2
    seconds: float = 60.0


READS = frozenset({"SELECT", "EXPLAIN"})
_BARRED_FUNCTIONS = (
    "read_csv", "read_csv_auto", "read_parquet", "parquet_scan", "read_json", "read_json_auto", "read_ndjson",
    "read_ndjson_auto", "read_json_objects", "read_json_objects_auto", "read_ndjson_objects", "read_text", "read_blob",
    "sniff_csv", "glob", "getenv", "query", "query_table", "sqlite_scan", "postgres_scan", "postgres_query",
    "mysql_scan", "iceberg_scan", "delta_scan", "st_read", "parquet_metadata", "parquet_schema",
    "parquet_file_metadata", "parquet_kv_metadata", "parquet_bloom_probe", "seq_scan", "arrow_scan", "pandas_scan", "python_map_function",
    "duckdb_secrets", "which_secret", "duckdb_settings", "duckdb_databases", "pg_clear_cache", "duckdb_logs", "duckdb_temporary_files", "checkpoint", "force_checkpoint",
    "enable_logging", "disable_logging", "current_setting", "read_duckdb", "write_log", "duckdb_log_contexts", "parse_duckdb_log_message",
)  # fmt: skip
"""Functions a client's statement may not call although the folders are readable: the files behind tables are not its business."""


def open_locked(folders: Sequence[Path], limits: Limits | None = None, *, scratch: Path | None = None) -> Any:
    """A fresh in-memory DuckDB connection that may read only below `folders` (existing, absolute).

    No extension is installed or loaded, nothing spills to disk unless `scratch` is given, Python variables of this
    process are not tables, and no setting can be changed any more.
    """
    return open_beside(folders, limits, (), scratch=scratch)[0]


def open_beside(
    folders: Sequence[Path],
    limits: Limits | None = None,
    databases: Sequence[Beside] = (),
    *,
    scratch: Path | None = None,
) -> tuple[Any, Mapping[str, tuple[str, str]]]:
    """As `open_locked`, with PostgreSQL databases attached read-only; and why some are not: name -> (SQLSTATE, reason)."""
    limits = limits or Limits()
    connection = duckdb.connect(
        ":memory:",
        config={
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_unsigned_extensions": False,
            "allow_community_extensions": False,
            "memory_limit": limits.memory,
            "threads": limits.threads,
        },
    )
    allowed = [str(folder.resolve()).rstrip("/") + "/" for folder in folders]
    missing = attach(connection, databases)
    connection.execute(f"SET temp_directory = {literal(str(scratch) if scratch else '')}")
    connection.execute(f"SET allowed_directories = [{', '.join(literal(name) for name in allowed)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection, missing


def guard(sql: str, connection: Any) -> str:
    """Return `sql` if it is one reading statement that calls no file function; raise `Forbidden` otherwise.

    The lock of `open_locked` keeps a statement inside the lake; this keeps it from writing into the session and from
    reading the lake's files behind its tables.
    """
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise translated(error) from error
    if len(statements) != 1:
        raise Forbidden("exactly one statement is allowed", sqlstate="42601")
    kind = str(statements[0].type).rsplit(".", 1)[-1].removesuffix("_STATEMENT")
    if kind not in READS:
        raise Forbidden(f"{kind} is not allowed: a lake is read-only", sqlstate="25006")
    _refuse_functions(sql)
    return sql


def _refuse_functions(sql: str) -> None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        # not understood there: then no such word may appear at all
        lowered = sql.lower()
        for name in (*_BARRED_FUNCTIONS, "postgres_", *CATALOGS):
            if name in lowered:
                raise Forbidden(f"function {name} is not allowed on a lake") from None
        return
    if isinstance(tree, (exp.Command, exp.Pragma, exp.Set, exp.Attach, exp.Copy)):
        raise Forbidden("only queries are allowed on a lake", sqlstate="25006")
    for node in tree.find_all(exp.Func, exp.Table):
        _refuse_node(node, exp)


def _refuse_node(node: Any, exp: Any) -> None:
    if isinstance(node, exp.Table):
        name = node.name
        if (
            "/" in name
            or "*" in name
            or name.lower().endswith((".csv", ".parquet", ".json", ".gz", ".db", ".txt"))
        ):
            raise Forbidden(f"reading the file {name!r} directly is not allowed on a lake")
        if node.catalog and node.db.lower() in CATALOGS:
            raise Forbidden(f"the catalogs of {node.catalog} are not part of the lake")
        return
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
    if name in _BARRED_FUNCTIONS or name.startswith(("read_", "pragma_", "postgres_")):
        raise Forbidden(f"function {name} is not allowed on a lake")
