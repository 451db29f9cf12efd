r"""The PostgreSQL that stands behind a lake session: the lake's tables as empty ones, and nothing else.

It answers what is PostgreSQL's business (``\d``, information_schema, pg_catalog, SET, SHOW, transactions, version(), drivers'
start-up queries) with PostgreSQL's own answers, and checks who may log in. Rows are only ever read from DuckDB: a statement that
would read a shadow table here fails instead of finding nothing. Tools that show only what one may select have to see the tables, so the
privilege is there; each table holds one row, and a policy that is looked at before any other condition raises an error for it.

Owns the shadow database's roles and tables. Must not know the wire, or how lake queries run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from rewright.engines.duckdb.pgtypes import pg_type

MAX_COLUMNS = 1600


@dataclass(frozen=True, slots=True)
class ShadowColumn:
    """Name and DuckDB type of a lake table's column."""

    name: str
    type: str


Tables = Mapping[str, Sequence[ShadowColumn]]
Schemas = Mapping[str, Tables]
"""Tables by schema: ``public`` has the lake's own, any other those of a database beside it."""
LAKE = "public"
# the lowest cost puts it before the client's own conditions, of which leakproof ones may go before a policy otherwise
_UNREAD = """
create schema if not exists rewright_lake;
create or replace function rewright_lake.unread() returns boolean language plpgsql stable cost 0.000001 as $$
begin
  raise exception 'the rows of a lake are not read this way' using
    errcode = 'insufficient_privilege', hint = 'Send the query as a statement of its own.';
end $$;
grant usage on schema rewright_lake to public"""


def provision(dsn: str, database: str, users: Mapping[str, str], schemas: Schemas) -> None:
    """Make (or make again) the shadow ``database`` on a server of ours.

    ``dsn``: its superuser. ``users``: role -> password; each may log in and look, nothing else. Raises psycopg.Error.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        _database(connection, database)
        for role, password in users.items():
            _role(connection, role, password)
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
        for role in users:
            connection.execute(
                sql.SQL("grant connect on database {} to {}").format(
                    sql.Identifier(database), sql.Identifier(role)
                )
            )
    synchronise(dsn, database, schemas)


def synchronise(dsn: str, database: str, schemas: Schemas) -> None:
    """Make the shadow's tables those of the lake: new ones appear, gone ones vanish, changed ones are made again.

    ``dsn``: the server's superuser. Raises psycopg.Error.
    """
    wanted = {
        (schema, name): [(c.name, pg_type(c.type).sql) for c in columns[:MAX_COLUMNS]]
        for schema, tables in schemas.items()
        for name, columns in tables.items()
    }
    with psycopg.connect(dsn, dbname=database) as connection:
        connection.execute("set transaction read write")
        connection.execute("revoke create on schema public from public")
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


def _role(connection: psycopg.Connection[tuple[object, ...]], role: str, password: str) -> None:
    found = connection.execute("select rolsuper from pg_roles where rolname = %s", [role]).fetchone()
    if found is not None and found[0]:
        raise ValueError(f"{role} is a superuser of the shadow server: name another role")
    verb = sql.SQL("create" if found is None else "alter")
    connection.execute(
        sql.SQL("{} role {} login password {}").format(verb, sql.Identifier(role), sql.Literal(password))
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
    import hashlib

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
