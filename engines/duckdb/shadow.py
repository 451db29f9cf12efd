r"""The PostgreSQL that stands behind a lake session: the lake's tables as empty ones, and nothing else.

It answers what is PostgreSQL's business (``\d``, information_schema, pg_catalog, SET, SHOW, transactions, version(), drivers'
start-up queries) with PostgreSQL's own answers, and checks who may log in. Rows are only ever read from DuckDB: no
role may select from a shadow table, so a statement that would read one here fails instead of finding nothing.

Owns the shadow database's roles and tables. Must not know the wire, or how lake queries run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from engines.duckdb.pgtypes import pg_type

MAX_COLUMNS = 1600


@dataclass(frozen=True, slots=True)
class ShadowColumn:
    """Name and DuckDB type of a lake table's column."""

    name: str
    type: str


Tables = Mapping[str, Sequence[ShadowColumn]]


def provision(dsn: str, database: str, users: Mapping[str, str], tables: Tables) -> None:
    """Make (or make again) the shadow ``database`` on a server of ours.

    ``dsn``: its superuser. ``users``: role -> password; each may log in and look, nothing else. Raises psycopg.Error.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        _database(connection, database)
        for role, password in users.items():
            _role(connection, role, password)
        for name, value in (("default_transaction_read_only", "on"), ("timezone", "UTC"), ("jit", "off")):
            connection.execute(
                sql.SQL("alter database {} set {} = {}").format(
                    sql.Identifier(database), sql.Identifier(name), sql.Literal(value)
                )
            )
        connection.execute(sql.SQL("revoke all on database {} from public").format(sql.Identifier(database)))
        for role in users:
            connection.execute(
                sql.SQL("grant connect on database {} to {}").format(
                    sql.Identifier(database), sql.Identifier(role)
                )
            )
    synchronise(dsn, database, tables)


def synchronise(dsn: str, database: str, tables: Tables, views: Iterable[str] = ()) -> None:
    """Make the shadow's tables those of the lake: new ones appear, gone ones vanish, changed ones are made again.

    ``dsn``: the server's superuser. Raises psycopg.Error.
    """
    wanted = {
        name: [(c.name, pg_type(c.type).sql) for c in columns[:MAX_COLUMNS]]
        for name, columns in tables.items()
    }
    with psycopg.connect(dsn, dbname=database) as connection:
        connection.execute("set transaction read write")
        connection.execute("revoke create on schema public from public")
        there = _present(connection)
        for name in there.keys() - wanted.keys():
            connection.execute(sql.SQL("drop table public.{} cascade").format(sql.Identifier(name)))
        for name, columns in wanted.items():
            if there.get(name) != _digest(columns):
                _create(connection, name, columns)
        for name in views:
            connection.execute(
                sql.SQL("comment on table public.{} is 'an accepted resolution'").format(sql.Identifier(name))
            )


def _database(connection: psycopg.Connection[tuple[object, ...]], database: str) -> None:
    found = connection.execute("select 1 from pg_database where datname = %s", [database]).fetchone()
    if found is None:
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(database)))


def _role(connection: psycopg.Connection[tuple[object, ...]], role: str, password: str) -> None:
    found = connection.execute("select rolsuper from pg_roles where rolname = %s", [role]).fetchone()
    if found is not None and found[0]:
        raise ValueError(f"{role} is a superuser of the shadow server: name another role")
    verb = sql.SQL("create" if found is None else "alter")
    connection.execute(
        sql.SQL("{} role {} login password {}").format(verb, sql.Identifier(role), sql.Literal(password))
    )


def _present(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    rows = connection.execute(
        "select c.relname, coalesce(obj_description(c.oid, 'pg_class'), '') from pg_class c"
        " where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'"
    ).fetchall()
    return {str(name): str(comment) for name, comment in rows}


def _digest(columns: Sequence[tuple[str, str]]) -> str:
    """Kept as the table's comment: what it was made from."""
    import hashlib

    return "lake table " + hashlib.blake2b(repr(columns).encode(), digest_size=8).hexdigest()


def _create(
    connection: psycopg.Connection[tuple[object, ...]], name: str, columns: Sequence[tuple[str, str]]
) -> None:
    table = sql.Identifier(name)
    connection.execute(sql.SQL("drop table if exists public.{} cascade").format(table))
    inside = sql.SQL(", ").join(
        sql.SQL("{} ").format(sql.Identifier(column)) + sql.SQL(type_) for column, type_ in columns
    )
    connection.execute(sql.SQL("create table public.{} ({})").format(table, inside))
    connection.execute(
        sql.SQL("comment on table public.{} is {}").format(table, sql.Literal(_digest(columns)))
    )
