"""Relations that a session can't read without running code of somebody who may do less than its role.

Owns that judgement: views, policies, expressions of indexes, casts and what else reading reaches. Must not
know why they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from rewright.engines.postgres import trust
from rewright.sql.algebra import TableRef
from rewright.sql.mentions import mentions_of
from rewright.sql.printing import quote_ident

_PATH = ("pg_catalog",)
# Policies, indexes and columns of a table are its owner's. Who may act as the session's role anyway (a
# superuser may as any) gains nothing by what he put there; a view may read the tables of others, and is
# looked at.
_TRUSTED = """
select n.nspname::text, c.relname::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'f') and c.oid >= 16384
  and (pg_has_role(c.relowner, (select me.oid from pg_roles me where me.rolname = current_user), 'MEMBER')
    or c.relowner = (select d.datdba from pg_database d where d.datname = current_database()))
"""


def strange_relations(connection: psycopg.Connection[Any], refs: Sequence[TableRef]) -> dict[TableRef, str]:
    """The relations that reading would run others' code for, with the reason in words.

    Looks once where nothing is strange, else by halves, some ten times for each. Raises psycopg.Error.
    """
    # rolled back, so that within a block of the session's own its settings are as before
    with connection.transaction(force_rollback=True):
        connection.execute("set transaction read only")
        connection.execute("set local search_path = ''")
        connection.execute("set local jit = off")
        trusted = {TableRef(schema, name) for schema, name in connection.execute(_TRUSTED).fetchall()}
        return _among(connection, [ref for ref in refs if ref not in trusted])


def _among(connection: psycopg.Connection[Any], refs: Sequence[TableRef]) -> dict[TableRef, str]:
    stranger = _stranger(connection, refs) if refs else None
    if stranger is None:
        return {}
    if len(refs) == 1:
        return {refs[0]: stranger.reason}
    half = len(refs) // 2
    return _among(connection, refs[:half]) | _among(connection, refs[half:])


def _stranger(connection: psycopg.Connection[Any], refs: Sequence[TableRef]) -> trust.Stranger | None:
    listed = ", ".join(f"{quote_ident(ref.schema)}.{quote_ident(ref.name)}" for ref in refs)
    mentions = mentions_of(f"select from {listed}", connection.info.server_version)
    return trust.look_once(connection, trust.Question(mentions, _PATH)).stranger
