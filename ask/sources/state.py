"""Which state of which database a role sees: cheap to ask, another text as soon as the answer to a question
might be another.

Owns the query behind it. What is known of a database (its context, queries made for questions) is kept under
its state, so nothing that one role was told is found by another, and nothing outlives a change of a table, a
function or a privilege. Must not know what is kept.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.sql.own_words import servers_own

# Every row of the catalogs that users can change, by its version (xmin). VACUUM and ANALYZE write theirs in
# place.
_STATE = servers_own("""
with relations as (
  select c.oid, c.xmin from pg_catalog.pg_class c
   where c.oid >= 16384 and c.relkind = any (array['r', 'v', 'm', 'p', 'f']::pg_catalog."char"[])
     and (c.relpersistence <> 't' or c.relnamespace = pg_catalog.pg_my_temp_schema())
     and c.relnamespace <> 'pg_toast'::pg_catalog.regnamespace
), lines (line) as (
  select 'c' || oid || ':' || xmin from relations
  union all select 'a' || a.attrelid || '.' || a.attnum || ':' || a.xmin
    from pg_catalog.pg_attribute a join relations r on r.oid = a.attrelid where a.attnum > 0
  union all select 'k' || oid || ':' || xmin from pg_catalog.pg_constraint where oid >= 16384
  union all select 'i' || i.indexrelid || ':' || i.xmin
    from pg_catalog.pg_index i join relations r on r.oid = i.indrelid
  union all select 'h' || inhrelid || ':' || xmin from pg_catalog.pg_inherits
  union all select 'n' || oid || ':' || xmin
    from pg_catalog.pg_namespace where nspname !~ '^pg_(toast_)?temp_'
  union all select 'f' || oid || ':' || xmin from pg_catalog.pg_proc where oid >= 16384
  union all select 'o' || oid || ':' || xmin from pg_catalog.pg_operator where oid >= 16384
  union all select 't' || t.oid || ':' || t.xmin from pg_catalog.pg_type t
    where t.oid >= 16384 and (t.typrelid = 0
      or t.typrelid = any (select oid from relations)) and t.typelem = 0
  union all select 'x' || oid || ':' || xmin from pg_catalog.pg_cast where oid >= 16384
  union all select 'l' || oid || ':' || xmin from pg_catalog.pg_collation where oid >= 16384
  union all select 'p' || oid || ':' || xmin from pg_catalog.pg_policy
  union all select 'm' || roleid || '.' || member || ':' || xmin from pg_catalog.pg_auth_members
  union all select 'd' || d.objoid || '.' || d.objsubid || ':' || d.xmin
    from pg_catalog.pg_description d join relations r on r.oid = d.objoid
  union all select 'u' || rolsuper || rolinherit || rolbypassrls
    from pg_catalog.pg_roles where rolname = current_user
)
select pg_catalog.current_database()::text, current_user::text, pg_catalog.current_schemas(false)::text[],
  pg_catalog.md5(pg_catalog.string_agg(line, ',' order by line collate pg_catalog."C"))
  from lines
""").encode()


@dataclass(frozen=True, slots=True)
class State:
    """``database`` by name, ``role`` the current one, ``path`` the schemas in which bare names are found;
    ``digest`` of the catalogs.
    """

    database: str
    role: str
    path: tuple[str, ...]
    digest: str

    def key(self) -> str:
        """One text for all of it, of fixed length."""
        return hashlib.sha256(repr((self.database, self.role, self.path, self.digest)).encode()).hexdigest()


def state_of(connection: psycopg.Connection[Any]) -> State:
    """The state that the connection's role sees now. Raises psycopg.Error."""
    row = connection.execute(_STATE).fetchone()
    assert row is not None
    database, role, path, digest = row
    return State(str(database), str(role), tuple(path), str(digest))
