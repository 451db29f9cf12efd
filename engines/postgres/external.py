"""A throw-away server that somebody else runs, used as the embedded one is ([verify] scratch = a DSN).

Owns the unprivileged role there and the databases made in it. The DSN's role must be a superuser of a server
that holds nothing of value: limits are set and rights revoked on it. Must not know what is done there.
"""

from __future__ import annotations

import itertools
import os
import secrets

import psycopg
from psycopg import sql

from rewright.engines.postgres.installation import ServerUnavailable

ROLE = "rewright_scratch"


class ExternalScratch:
    """The same offers as ``ScratchServer``; raises ServerUnavailable when the server can't be used so."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        # several processes may share the server; each has its own role
        self._role = f"{ROLE}_{os.getpid()}_{secrets.token_hex(4)}"
        self._password = secrets.token_hex(16)
        self._names = itertools.count(1)
        try:
            with self._connect() as connection:
                row = connection.execute("select current_setting('is_superuser')").fetchone()
                if row is None or row[0] != "on":
                    raise ServerUnavailable(
                        "[verify] scratch: the role must be a superuser of a throw-away server"
                    )
                connection.execute(
                    sql.SQL("create role {} login password {}").format(
                        sql.Identifier(self._role), sql.Literal(self._password)
                    )
                )
        except psycopg.Error as error:
            raise ServerUnavailable(f"[verify] scratch: {error.diag.message_primary or error}") from error

    def dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        """For the superuser; ``unix`` makes no difference."""
        del unix
        return psycopg.conninfo.make_conninfo(self._dsn, dbname=database)

    def unprivileged_dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        """For a role that may only log in."""
        del unix
        return psycopg.conninfo.make_conninfo(
            self._dsn, dbname=database, user=self._role, password=self._password
        )

    def create_database(self, name: str | None = None, *, template: str = "template0") -> str:
        name = name or f"{self._role}_{next(self._names)}"
        with self._connect() as connection:
            connection.execute(
                sql.SQL("create database {} owner {} template {}").format(
                    sql.Identifier(name), sql.Identifier(self._role), sql.Identifier(template)
                )
            )
        return name

    def drop_database(self, name: str) -> None:
        with self._connect() as connection:
            connection.execute(
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )

    def stop(self) -> None:
        """Drop the role and what it owns, as far as that can be done."""
        try:
            with self._connect() as connection:
                owned = connection.execute(
                    "select d.datname from pg_database d join pg_roles r on r.oid = d.datdba where "
                    "r.rolname = %s",
                    [self._role],
                ).fetchall()
                for (name,) in owned:
                    self.drop_database(str(name))
                connection.execute(sql.SQL("drop role if exists {}").format(sql.Identifier(self._role)))
        except psycopg.Error:
            return

    def _connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            self._dsn, autocommit=True, application_name="rewright scratch", connect_timeout=10
        )
