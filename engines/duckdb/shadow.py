r"""The PostgreSQL that stands behind a lake session: the lake's tables as empty ones, and nothing else.

It answers what is PostgreSQL's business (``\d``, information_schema, pg_catalog, SET, SHOW, transactions,
version(), drivers' start-up queries) with PostgreSQL's own answers, and checks who may log in. Rows are only
ever read from DuckDB: a statement that would read a shadow table here fails instead of finding nothing. Tools
that show only what one may select have to see the tables, so the privilege is there; each table holds one
row, and a policy that is looked at before any other condition raises an error for it.

Each user of a lake has a role of her own, which may log in and look, nothing else: no setting, function or
statement that is left to it writes, takes a lock others wait for, or touches another's session. Nothing rests
on settings, which a client could change back. docs/decisions/0311-a-lake-user-has-a-role-without-rights.md.

Owns the shadow database's roles, rights and tables. Must not know the wire, or how lake queries run.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from rewright.engines.duckdb.pgtypes import pg_type
from rewright.engines.duckdb.shadow_rights import withdraw

# MaxHeapAttributeNumber (htup_details.h): PostgreSQL takes no more
MAX_COLUMNS = 1600
_PREFIX = "lake user "
# NAMEDATALEN - 1: PostgreSQL would cut a longer name, which could then be another user's
_LONGEST_NAME = 63
_LOCK_PATIENCE = "500ms"
"""How long a change of the tables waits for who is looking at one: others wait behind it. It is tried again
later.
"""


@dataclass(frozen=True, slots=True)
class ShadowColumn:
    """Name and DuckDB type of a lake table's column."""

    name: str
    type: str


Tables = Mapping[str, Sequence[ShadowColumn]]
Schemas = Mapping[str, Tables]
"""Tables by schema: ``public`` has the lake's own, any other those of a database beside it."""
LAKE = "public"

# the lowest cost puts it before the client's own conditions, of which leakproof ones may go before a policy
# otherwise
# in a schema of its own, so that \d of public does not list it; plpgsql is never inlined
_UNREAD = """
create schema if not exists rewright_lake;
create or replace function rewright_lake.unread() returns boolean language plpgsql stable cost 0.000001 as $$
begin
  raise exception 'the rows of a lake are not read this way' using
    errcode = 'insufficient_privilege', hint = 'Send the query as a statement of its own.';
end $$;
grant usage on schema rewright_lake to public"""

SERVER: Mapping[str, str] = {
    # nobody but this account of the operating system reaches it, whatever password a client gives its role
    "listen_addresses": "",
    "shared_buffers": "16MB",
    "max_connections": "500",
    "reserved_connections": "20",
    "max_worker_processes": "0",
    "max_notify_queue_pages": "64",
    "temp_file_limit": "64MB",
    # a client's errors fill no log
    "log_min_messages": "log",
}
"""Settings of the shadow's server that no client can change."""
BACKEND_MEMORY = 256 << 20
"""Bytes of its own that one session's server process may have (Linux)."""
READER = "rewright_reader"
"""The role as which Rewright itself asks how PostgreSQL reads a text."""
# so that one user's sessions do not take all the places of the server behind a lake
_USER_CONNECTIONS = 100


def provision(dsn: str, database: str, schemas: Schemas) -> None:
    """Make (or make again) the shadow ``database`` on a server of ours. ``dsn``: its superuser. Raises
    psycopg.Error.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        _database(connection, database)
        _role(connection, READER)
        connection.execute(sql.SQL("grant pg_use_reserved_connections to {}").format(sql.Identifier(READER)))
        # it has every statement's tree printed to itself (engines.duckdb.dialect), which shall not fill the
        # log
        connection.execute(
            sql.SQL("alter role {} set log_min_messages = 'fatal'").format(sql.Identifier(READER))
        )
        for name, value in (
            ("default_transaction_read_only", "on"),
            ("timezone", "UTC"),
            ("jit", "off"),
            ("enable_tidscan", "off"),
        ):
            connection.execute(
                sql.SQL("alter database {} set {} = {}").format(
                    sql.Identifier(database), sql.Identifier(name), sql.Literal(value)
                )
            )
        connection.execute(sql.SQL("revoke all on database {} from public").format(sql.Identifier(database)))
        connection.execute(sql.SQL("grant connect on database {} to public").format(sql.Identifier(database)))
        # what PostgreSQL runs itself stands in temporary tables of the reader's
        connection.execute(
            sql.SQL("grant temp on database {} to {}").format(
                sql.Identifier(database), sql.Identifier(READER)
            )
        )
        for other in ("postgres", "template1"):
            connection.execute(sql.SQL("revoke all on database {} from public").format(sql.Identifier(other)))
    withdraw(dsn, database)
    synchronise(dsn, database, schemas)


def role_of(user: str) -> str:
    """The role of a lake's user: of the same name, unless that is a role of the server's own, or too long for
    one.
    """
    reserved = user in {"postgres", "scratch", "public", "none", READER} or user.startswith(("pg_", _PREFIX))
    if not reserved and len(user.encode()) <= _LONGEST_NAME:
        return user
    return _PREFIX + hashlib.blake2b(user.encode(), digest_size=12).hexdigest()


def admit(dsn: str, user: str) -> str:
    """Make sure that a user has a role; its name. ``dsn``: the server's superuser. Raises psycopg.Error."""
    role = role_of(user)
    with psycopg.connect(dsn, autocommit=True) as connection:
        _role(connection, role, _USER_CONNECTIONS)
    return role


def synchronise(dsn: str, database: str, schemas: Schemas) -> None:
    """Make the shadow's tables those of the lake: new ones appear, gone ones vanish, changed ones are made
    again.

    ``dsn``: the server's superuser. Raises psycopg.Error.
    """
    wanted = {
        (schema, name): [(c.name, pg_type(c.type).sql) for c in columns[:MAX_COLUMNS]]
        for schema, tables in schemas.items()
        for name, columns in tables.items()
    }
    with psycopg.connect(dsn, dbname=database) as connection:
        connection.execute("set transaction read write")
        connection.execute(sql.SQL("set local lock_timeout = {}").format(_LOCK_PATIENCE))
        connection.execute(_UNREAD)
        for schema in schemas.keys() - {LAKE}:
            _schema(connection, schema)
        there = _present(connection)
        for key in there.keys() - wanted.keys():
            connection.execute(sql.SQL("drop table {} cascade").format(sql.Identifier(*key)))
        for key, columns in wanted.items():
            if there.get(key) != _digest(columns):
                _create(connection, key, columns)


def _schema(connection: psycopg.Connection[tuple[object, ...]], name: str) -> None:
    """A schema for a database beside the lake: its tables are listed, and cannot be read here either."""
    schema = sql.Identifier(name)
    connection.execute(sql.SQL("create schema if not exists {}").format(schema))
    connection.execute(sql.SQL("grant usage on schema {} to public").format(schema))


def _database(connection: psycopg.Connection[tuple[object, ...]], database: str) -> None:
    found = connection.execute("select 1 from pg_database where datname = %s", [database]).fetchone()
    if found is None:
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(database)))


def _role(connection: psycopg.Connection[tuple[object, ...]], role: str, connections: int = -1) -> None:
    found = connection.execute("select rolsuper from pg_roles where rolname = %s", [role]).fetchone()
    if found is not None:
        if found[0]:
            raise ValueError(f"{role} is a superuser of the shadow server")
        return
    with contextlib.suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        # another worker may be making it
        connection.execute(
            sql.SQL(
                "create role {} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls "
                "connection limit {}"
            ).format(sql.Identifier(role), sql.Literal(connections))
        )


def _present(connection: psycopg.Connection[tuple[object, ...]]) -> dict[tuple[str, str], str]:
    rows = connection.execute(
        "select n.nspname, c.relname, coalesce(obj_description(c.oid, 'pg_class'), '')"
        " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind = 'r'"
    ).fetchall()
    return {(str(schema), str(name)): str(comment) for schema, name, comment in rows}


def _digest(columns: Sequence[tuple[str, str]]) -> str:
    """Kept as the table's comment: what it was made from."""
    return "lake table " + hashlib.blake2b(repr(columns).encode(), digest_size=8).hexdigest()


def _create(
    connection: psycopg.Connection[tuple[object, ...]],
    key: tuple[str, str],
    columns: Sequence[tuple[str, str]],
) -> None:
    table = sql.Identifier(*key)
    connection.execute(sql.SQL("drop table if exists {} cascade").format(table))
    inside = sql.SQL(", ").join(
        sql.SQL("{} ").format(sql.Identifier(column)) + sql.SQL(type_) for column, type_ in columns
    )
    connection.execute(sql.SQL("create table {} ({})").format(table, inside))
    connection.execute(sql.SQL("insert into {} default values").format(table))
    connection.execute(sql.SQL("alter table {} enable row level security").format(table))
    connection.execute(
        sql.SQL('create policy "rows come from the lake" on {} using (rewright_lake.unread())').format(table)
    )
    connection.execute(sql.SQL("grant select, references on {} to public").format(table))
    connection.execute(sql.SQL("comment on table {} is {}").format(table, sql.Literal(_digest(columns))))
