"""Whether the stored rows keep a foreign key, whatever its declaration says.

Owns the anti-join and the limits it runs in. Must not know who relies on the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.engines.postgres.gate import Refused, admit
from rewright.sql.algebra import TableRef

# One row: whether the server's own equality of plain types decides it, and the anti-join's text. The
# relations are meant ONLY themselves, as the constraint means them, unless they are partitioned. MATCH FULL
# also refuses rows
# NULL in part.
_BUILD = """
select not exists (
    select from unnest(k.conpfeqop) as used join pg_operator o on o.oid = used
     where o.oid >= 16384 or o.oprname <> '=')
  and not exists (
    select from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_type b on b.oid = case t.typtype when 'd' then t.typbasetype else t.oid end
     where (a.attrelid = k.conrelid and a.attnum = any (k.conkey) or a.attrelid = k.confrelid
       and a.attnum = any (k.confkey))
       and b.oid >= 16384 and b.typtype <> 'e'),
  format('select 1 from %%s%%s c where (%%s) and not exists (select from %%s%%s p where %%s) limit 1',
    case c.relkind when 'p' then '' else 'only ' end, k.conrelid::regclass,
    (select string_agg(format('c.%%I is not null', a.attname), case k.confmatchtype when 'f' then ' or '
      else ' and ' end)
       from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)),
    case r.relkind when 'p' then '' else 'only ' end, k.confrelid::regclass,
    (select string_agg(format('p.%%I operator(pg_catalog.=) c.%%I', there.attname, here.attname), ' and ')
       from unnest(k.conkey, k.confkey) as u (mine, its)
       join pg_attribute here on here.attrelid = k.conrelid and here.attnum = u.mine
       join pg_attribute there on there.attrelid = k.confrelid and there.attnum = u.its))
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class r on r.oid = k.confrelid
where k.contype = 'f' and n.nspname = %s and c.relname = %s and k.conname = %s"""


@dataclass(frozen=True, slots=True)
class Kept:
    """No row breaks it. ``snapshot``: ``pg_snapshot_xmax`` of the state that was looked at."""

    snapshot: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A row breaks it, or (``seen`` False) it could not be looked at; ``reason`` is for people and shows no
    value.

    ``lasting``: another try will hardly do better.
    """

    reason: str
    seen: bool
    lasting: bool = True


def look(connection: psycopg.Connection[Any], table: TableRef, name: str, seconds: float) -> Kept | Broken:
    """Look for a row that breaks the foreign key ``name`` of ``table``, for at most ``seconds``.

    Runs in a read-only transaction of its own, outside of any other. Never raises for what the server says.
    """
    if seconds <= 0:
        return Broken("there was no time to look at its rows", seen=False, lasting=False)
    try:
        with connection.transaction():
            return _look(connection, table, name, seconds)
    except psycopg.errors.QueryCanceled:
        return Broken(f"looking at its rows took longer than {seconds:.1f} s", seen=False)
    except psycopg.Error as error:
        said = error.diag.message_primary or type(error).__name__
        return Broken(f"its rows could not be looked at: {said}", seen=False, lasting=not connection.closed)


def _look(connection: psycopg.Connection[Any], table: TableRef, name: str, seconds: float) -> Kept | Broken:
    # each statement sees what is committed when it begins: the gate the catalog as the planner does, and the
    # number at the end is no older than the rows that were looked at
    connection.execute("set transaction isolation level read committed, read only")
    settings = {
        "statement_timeout": f"{max(int(seconds * 1000), 1)}ms",
        # names come out qualified, and policies raise an error where they would hide rows
        "search_path": "",
        "row_security": "off",
    }
    for setting, value in settings.items():
        connection.execute("select set_config(%s, %s, true)", [setting, value])
    found = connection.execute(_BUILD, [table.schema, table.name, name]).fetchone()
    if found is None:
        return Broken("it is not there any more", seen=False)
    plain, statement = found
    if not plain:
        return Broken("its equality is not that of a plain type", seen=False)
    # planning reads statistics of the tables' indexes, whose expressions may be somebody's functions
    try:
        admitted = admit(connection, statement, ("pg_catalog",))
    except Refused as refused:
        return Broken(f"its rows may not be looked at: {refused}", seen=False)
    for setting, value in admitted.settings.items():
        connection.execute("select pg_catalog.set_config(%s, %s, true)", [setting, value])
    if connection.execute(admitted.text.encode()).fetchone() is not None:
        return Broken("a stored row breaks it", seen=True)
    row = connection.execute("select pg_snapshot_xmax(pg_current_snapshot())::text::int8").fetchone()
    assert row is not None
    return Kept(int(row[0]))
