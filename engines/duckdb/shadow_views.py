"""Views that a lake's user made, as PostgreSQL lists them: in a schema of the shadow called like her role,
with which her search_path begins.

Owns those schemas and views: names and columns alone, nothing can be read there. Must not know what the views
mean, or where they are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import psycopg
from psycopg import sql

from rewright.engines.duckdb.shadow import MAX_COLUMNS, role_of

_OURS = "views of a lake's user"
ViewColumn = tuple[str, int, int]
"""Name, type's OID and typmod."""


def show_view(dsn: str, user: str, name: str, columns: Sequence[ViewColumn]) -> None:
    """List a view, in the place of one that was called so. ``dsn``: the shadow database, as its superuser.

    Raises psycopg.Error.
    """
    with psycopg.connect(dsn) as connection:
        connection.execute("set transaction read write")
        if (schema := _schema(connection, user)) is None:
            return
        view = sql.Identifier(schema, name)
        connection.execute(sql.SQL("drop view if exists {}").format(view))
        shown = [
            sql.SQL("NULL::{} AS {}").format(
                sql.SQL(_spelled(connection, oid, typmod)), sql.Identifier(column)
            )
            for column, oid, typmod in columns[:MAX_COLUMNS]
        ]
        connection.execute(
            sql.SQL("create view {} as select {} where rewright_lake.unread()").format(
                view, sql.SQL(", ").join(shown)
            )
        )
        connection.execute(sql.SQL("grant select on {} to {}").format(view, sql.Identifier(role_of(user))))


def hide_views(dsn: str, user: str, names: Collection[str]) -> None:
    """List these of a user's views no longer. Raises psycopg.Error."""
    with psycopg.connect(dsn) as connection:
        connection.execute("set transaction read write")
        for name in _shown(connection, user) & set(names):
            connection.execute(sql.SQL("drop view {}").format(sql.Identifier(role_of(user), name)))


def _shown(connection: psycopg.Connection[tuple[object, ...]], user: str) -> set[str]:
    rows = connection.execute(
        "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = %s"
        " and c.relkind = 'v' and obj_description(n.oid, 'pg_namespace') = %s",
        [role_of(user), _OURS],
    )
    return {str(name) for (name,) in rows}


def _schema(connection: psycopg.Connection[tuple[object, ...]], user: str) -> str | None:
    """Her schema, which is made; None: there is one of that name that is not ours."""
    name = role_of(user)
    # two workers may list a view of hers at once
    connection.execute("select pg_advisory_xact_lock(hashtext('rewright lake views'))")
    found = connection.execute(
        "select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = %s", [name]
    ).fetchone()
    if found is not None:
        return name if found[0] == _OURS else None
    schema = sql.Identifier(name)
    connection.execute(sql.SQL("create schema {}").format(schema))
    connection.execute(sql.SQL("comment on schema {} is {}").format(schema, sql.Literal(_OURS)))
    connection.execute(sql.SQL("grant usage on schema {} to {}").format(schema, schema))
    return name


def _spelled(connection: psycopg.Connection[tuple[object, ...]], oid: int, typmod: int) -> str:
    row = connection.execute("select format_type(%s::oid, %s)", [oid, typmod]).fetchone()
    assert row is not None
    return str(row[0])
