"""Opening a DuckDB that can read the lake's folders and do nothing else.

Owns the lock-down: external access only to given folders, configuration locked, no extension loading, limits
on memory and threads. Must not know what statements say (``guard``) or what the tables mean.
Settings: DuckDB manual, "Securing DuckDB". docs/decisions/0081-locked-duckdb.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.beside import Beside, attach
from rewright.engines.duckdb.quoting import literal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one lake connection may use. Memory in DuckDB's notation; `seconds` bounds one statement."""

    memory: str = "2GB"
    threads: int = 2
    seconds: float = 60.0


def open_locked(folders: Sequence[Path], limits: Limits | None = None, *, scratch: Path | None = None) -> Any:
    """A fresh in-memory DuckDB connection that may read only below `folders` (existing, absolute).

    No extension is installed or loaded, nothing spills to disk unless `scratch` is given, Python variables of
    this process are not tables, and no setting can be changed any more.
    """
    return open_beside(folders, limits, (), scratch=scratch)[0]


def open_beside(
    folders: Sequence[Path],
    limits: Limits | None = None,
    databases: Sequence[Beside] = (),
    *,
    scratch: Path | None = None,
) -> tuple[Any, Mapping[str, tuple[str, str]]]:
    """As `open_locked`, with PostgreSQL databases attached read-only; and why some are not: name ->
    (SQLSTATE, reason).
    """
    limits = limits or Limits()
    connection = duckdb.connect(
        ":memory:",
        config={
            # else a variable of this process of the name of a table could be read as one
            "python_enable_replacements": False,
            # nothing is downloaded on a client's word
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_unsigned_extensions": False,
            "allow_community_extensions": False,
            "memory_limit": limits.memory,
            "threads": limits.threads,
        },
    )
    # with the slash, a prefix of a name does not open its neighbours
    allowed = [str(folder.resolve()).rstrip("/") + "/" for folder in folders]
    # while external access is still on: ATTACH needs it
    missing = attach(connection, databases)
    # an empty directory: no spilling to disk
    connection.execute(f"SET temp_directory = {literal(str(scratch) if scratch else '')}")
    connection.execute(f"SET allowed_directories = [{', '.join(literal(name) for name in allowed)}]")
    connection.execute("SET enable_external_access = false")
    # as the server behind a lake's sessions has it; DuckDB takes the machine's
    connection.execute("SET TimeZone = 'UTC'")
    # last: after it no SET works any more, by whomever
    connection.execute("SET lock_configuration = true")
    return connection, missing
