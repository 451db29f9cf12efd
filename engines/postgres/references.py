"""Whether the stored rows keep a foreign key, whatever its declaration says.

Owns the anti-join. Must not know who relies on the answer.
"""

from __future__ import annotations

from typing import Any

import psycopg

from rewright.engines.postgres.looking import BREAKS, GONE, Broken, Kept, Look, within
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


def look(connection: psycopg.Connection[Any], table: TableRef, name: str, seconds: float) -> Kept | Broken:
    """Look for a row that breaks the foreign key ``name`` of ``table``, for at most ``seconds``.

    Runs in a read-only transaction of its own, outside of any other. Never raises for what the server says.
    """
    return within(connection, seconds, lambda one: _look(one, table, name))


def _look(one: Look, table: TableRef, name: str) -> Kept | Broken:
    found = one.connection.execute(_BUILD, [table.schema, table.name, name]).fetchone()
    if found is None:
        return GONE
    plain, statement = found
    if not plain:
        return Broken("its equality is not that of a plain type", seen=False)
    return Kept(one.snapshot()) if one.row(statement) is None else BREAKS
