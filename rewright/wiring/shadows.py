"""The shadow PostgreSQL behind the configured lakes (docs/decisions/0100): started with ``serve``, gone with
it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import psycopg
from psycopg.conninfo import make_conninfo

from rewright import logs
from rewright.config.model import Config
from rewright.wiring.opening import Home, fingerprint, lakes_of, opened
from rewright.wiring.shadow_limits import ShadowWarden

if TYPE_CHECKING:
    from rewright.lake.api import Lake

log = logs.logger()
WATCH_SECONDS = 3.0


class ShadowFailed(Exception):
    """A lake cannot be served; the message says why."""


class Shadows:
    """A context manager; without lakes it does nothing.

    ``applied(config)`` gives the configuration with the shadow's address in each lake's ``dsn``. Entering
    raises ShadowFailed.
    """

    def __init__(self, config: Config) -> None:
        self._lakes = lakes_of(config)
        self._others = len(config.databases) - len(self._lakes)
        self._method = config.auth.method
        self._stack = ExitStack()
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
            # not entered, so not left either: a server that runs already is stopped here
            except BaseException:
                self._stack.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _go_without(self, name: str, error: ShadowFailed) -> None:
        """A lake that can't be opened does not keep clients from the other databases; with nothing else there
        is nothing to serve.
        """
        del self._lakes[name]
        if not (self._lakes or self._others):
            raise error
        log.error(
            "lake.unavailable", database=name, reason=str(error), meaning="not served until the next start"
        )

    def applied(self, config: Config) -> Config:
        if self._server is None:
            return config
        databases = {
            name: replace(one, dsn=self._dsn(name)) if name in self._lakes else one
            for name, one in config.databases.items()
        }
        return replace(config, databases=databases)

    def _dsn(self, name: str) -> str:
        from rewright.engines.duckdb.shadow import READER

        return make_conninfo(self._server.dsn(unix=True), user=READER, dbname=name, password="")

    def _start(self) -> None:
        try:
            from rewright.engines.duckdb.errors import LakeError
            from rewright.engines.duckdb.shadow import BACKEND_MEMORY, SERVER, provision
            from rewright.engines.postgres.installation import ServerUnavailable
            from rewright.engines.postgres.scratch import ScratchServer
        except ImportError as error:
            raise ShadowFailed(f"serving a lake needs the extra lake: {error.name} is missing") from error
        try:
            self._server = self._stack.enter_context(ScratchServer(SERVER, memory=BACKEND_MEMORY))
            address = self._server.dsn(unix=True)
            seen: dict[str, str] = {}
            for name, home in list(self._lakes.items()):
                # before its tables are read: what changes from then on is noticed
                with suppress(LakeError, OSError, sqlite3.Error):
                    seen[name] = fingerprint(home)
                try:
                    provision(address, name, schemas_of(home))
                except ShadowFailed as error:
                    self._go_without(name, error)
            for thread in (_Watch(address, self._lakes, seen), ShadowWarden(address)):
                thread.start()
                self._stack.callback(thread.stop)
        except (ServerUnavailable, psycopg.Error) as error:
            raise ShadowFailed(f"the shadow server of the lake does not start: {error}") from error


class _Watch(threading.Thread):
    """Keeps the shadow's tables those of the lakes: files that come and go, accepted resolutions, tables
    beside.
    """

    def __init__(self, server: str, lakes: Mapping[str, Home], seen: dict[str, str]) -> None:
        """``seen``: fingerprints of the lakes as the shadow was made from them."""
        super().__init__(name="shadow watch", daemon=True)
        self._server = server
        self._lakes = lakes
        self._seen = seen
        self._ended = threading.Event()

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        while not self._ended.wait(WATCH_SECONDS):
            for name, home in self._lakes.items():
                self._look(name, home)

    def _look(self, name: str, home: Home) -> None:
        from rewright.engines.duckdb.errors import LakeError
        from rewright.engines.duckdb.shadow import synchronise

        try:
            # tables are described anew only when something changed: that reads every file's head
            now = fingerprint(home)
            if self._seen.get(name) != now:
                synchronise(self._server, name, schemas_of(home))
                log.info("lake.changed", database=name)
            self._seen[name] = now
        except (LakeError, ShadowFailed, OSError, sqlite3.Error, psycopg.Error) as error:
            log.warning("lake.watch_failed", database=name, reason=str(error).split("\n")[0])
        # a mistake of ours with one lake must not end the thread that looks at all of them
        except Exception as error:
            log.warning("lake.watch_failed", database=name, reason=type(error).__name__, exc_info=error)


def schemas_of(home: Home) -> dict[str, dict[str, Any]]:
    """The lake's tables and accepted views, and the tables beside it, with their columns' DuckDB types.
    Raises ShadowFailed.
    """
    from rewright.engines.duckdb.errors import LakeError

    try:
        with opened(home) as lake:
            return tables_of(lake)
    except LakeError as error:
        raise ShadowFailed(f"lake {home.path}: {error}") from error


def tables_of(lake: Lake) -> dict[str, dict[str, Any]]:
    """An opened lake's tables and accepted views, and the tables beside it, with
    their columns' DuckDB types.
    """
    from rewright.engines.duckdb.errors import LakeError
    from rewright.engines.duckdb.quoting import quoted
    from rewright.engines.duckdb.shadow import LAKE, ShadowColumn

    found: dict[str, Any] = {
        table.name: [ShadowColumn(c.name, c.type) for c in table.columns] for table in lake.tables()
    }
    for view in set(lake.database.names()) - found.keys():
        try:
            columns = lake.database.describe(f"select * from {quoted(view)}")
        except LakeError:
            continue  # its tables are gone
        found[view] = [ShadowColumn(column, type_) for column, type_ in columns]
    beside = {
        name: {t: [ShadowColumn(*column) for column in columns] for t, columns in tables.items()}
        for name, tables in lake.database.beside().items()
    }
    return {**beside, LAKE: found}
