"""A scratch server that another process owns: what worker processes are handed.

Owns making and dropping databases by address alone, with names no other process uses.
"""

from __future__ import annotations

import itertools
import os
import secrets
from dataclasses import dataclass, field
from typing import Any, Protocol

import psycopg
from psycopg import sql

from rewright.engines.postgres.cluster import UNPRIVILEGED, creating


class AddressLike(Protocol):
    """`rewright.engines.postgres.scratch.Address`: roles and passwords of a server, picklable."""

    def uri(self, user: str, database: str, *, unix: bool) -> str: ...


@dataclass(slots=True)
class SharedServer:
    """The Server protocol of `refuter.scratch_database` over an address."""

    address: AddressLike
    _numbers: Any = field(default_factory=itertools.count)

    def dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        return self.address.uri("postgres", database, unix=unix)

    def unprivileged_dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        return self.address.uri("scratch", database, unix=unix)

    def create_database(
        self, name: str | None = None, *, template: str = "template0", locale: str = ""
    ) -> str:
        name = name or f"pair_{os.getpid()}_{secrets.token_hex(3)}_{next(self._numbers)}"
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            connection.execute(creating(connection, name, UNPRIVILEGED, template, locale))
        return name

    def drop_databases_of(self, pid: int) -> None:
        """What a process that did not end by itself has left."""
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            found = connection.execute(
                "select datname from pg_database where starts_with(datname, %s)", [f"pair_{pid}_"]
            ).fetchall()
        for (name,) in found:
            self.drop_database(name)

    def drop_database(self, name: str) -> None:
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            connection.execute(
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )
