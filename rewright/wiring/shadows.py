"""The shadow PostgreSQL behind the configured lakes (docs/decisions/0100): started with ``serve``, gone with it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import psycopg

from rewright.config.model import Config

# durability is of no use to empty tables
SERVER: Mapping[str, str] = {"shared_buffers": "16MB", "max_connections": "500"}
ROLE = "lake"


class ShadowFailed(Exception):
    """A lake cannot be served; the message says why."""


def lakes_of(config: Config) -> dict[str, str]:
    """Database name -> directory of each lake."""
    return {name: one.path for name, one in config.databases.items() if one.engine == "duckdb"}


class Shadows:
    """A context manager; without lakes it does nothing.

    ``applied(config)`` gives the configuration with the shadow's address in each lake's ``dsn``. Entering raises ShadowFailed.
    """

    def __init__(self, config: Config) -> None:
        self._lakes = lakes_of(config)
        self._method = config.auth.method
        self._stack = ExitStack()
        self._password = secrets.token_hex(16)
        self._server: Any = None

    def __enter__(self) -> Self:
        if self._lakes and self._method == "passthrough":
            raise ShadowFailed(
                "a lake has no server behind it that authenticates: set [auth] method to file (users.toml),"
                " or to trust for clients on this machine"
            )
        if self._lakes:
            try:
                self._start()
            except BaseException:
                self._stack.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def applied(self, config: Config) -> Config:
        if self._server is None:
            return config
        databases = {
            name: replace(one, dsn=self._dsn(name)) if name in self._lakes else one
            for name, one in config.databases.items()
        }
        return replace(config, databases=databases)

    def _dsn(self, name: str) -> str:
        return f"postgresql://{ROLE}:{self._password}@127.0.0.1:{self._server.port}/{quote(name, safe='')}?sslmode=disable"

    def _start(self) -> None:
        try:
            from engines.duckdb.shadow import provision
            from engines.postgres.installation import ServerUnavailable
            from engines.postgres.scratch import ScratchServer
        except ImportError as error:
            raise ShadowFailed(f"serving a lake needs the extras lake and embedded: {error.name}") from error
        try:
            self._server = self._stack.enter_context(ScratchServer(SERVER))
            for name, path in self._lakes.items():
                provision(self._server.dsn(), name, {ROLE: self._password}, tables_in(path))
        except (ServerUnavailable, psycopg.Error) as error:
            raise ShadowFailed(f"the shadow server of the lake does not start: {error}") from error


def tables_in(path: str) -> dict[str, Any]:
    """The lake's tables and accepted views with their columns' DuckDB types. Raises ShadowFailed."""
    from engines.duckdb.errors import LakeError
    from engines.duckdb.locked import quoted
    from engines.duckdb.shadow import ShadowColumn
    from lake.api import open_lake

    try:
        with open_lake(Path(path).expanduser()) as lake:
            found: dict[str, Any] = {
                table.name: [ShadowColumn(c.name, c.type) for c in table.columns] for table in lake.tables()
            }
            for view in set(lake.database.names()) - found.keys():
                try:
                    columns = lake.database.describe(f"select * from {quoted(view)}")
                except LakeError:
                    continue  # its tables are gone
                found[view] = [ShadowColumn(column, type_) for column, type_ in columns]
            return found
    except LakeError as error:
        raise ShadowFailed(f"lake {path}: {error}") from error
