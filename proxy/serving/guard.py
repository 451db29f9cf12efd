"""The guard: one statement run in the client's own session that says whether a replacement may run there.

Owns its SQL, its arguments and how its row is judged; also the SQL with which the optimiser captures the
digest that the guard compares. It never raises: names are resolved by joins over the effective search path,
not by to_regclass, which fails on a schema the role may not use. Catalogs are read with the transaction's own
snapshot: own uncommitted DDL and temporary tables are seen as the query itself would see them. The server's
planner reads them as they are now; where a transaction keeps an older snapshot the two differ, and nothing is
served (docs/decisions/0960-one-snapshot-for-facts-and-plans.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewright.proxy.ports import Guard, RelationName
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.sql.own_words import servers_own

_TEXT_ARRAY, _OID_ARRAY, _BOOL, _INT8 = 1009, 1028, 16, 20
PARAM_TYPES = (_TEXT_ARRAY, _TEXT_ARRAY, _OID_ARRAY, _TEXT_ARRAY, _TEXT_ARRAY, _TEXT_ARRAY, _BOOL, _INT8)

# What a proof may rest on, as text, one line a fact. xmin only where nothing but a redefinition moves it
# much. What no answer depends on is left out, so that a REINDEX, a replica identity or a new partition, also
# of a table that foreign keys refer to (which copies these), does not end a rewrite.
_FACTS = servers_own("""
  select 'r ' || pg_catalog.concat_ws(' ', c.oid, c.relkind, c.relpersistence, c.relrowsecurity,
    pg_catalog.md5(c.relpartbound::text),
                           case when c.relkind = 'v' then pg_catalog.concat_ws(' ', c.relowner,
                             c.reloptions) end) as fact
    from pg_catalog.pg_class c where c.oid = any ({relations})
  union all
  select 'a ' || pg_catalog.concat_ws(' ', a.attrelid, a.attnum, a.attname, a.atttypid,
                           a.atttypmod, a.attnotnull,
                           a.attcollation, a.attgenerated,
                           case when a.attgenerated <> '' then (select pg_catalog.md5(d.adbin::text)
                             from pg_catalog.pg_attrdef d where d.adrelid = a.attrelid
                               and d.adnum = a.attnum) end)
    from pg_catalog.pg_attribute a where a.attrelid = any ({relations}) and a.attnum > 0
  union all
  select 'c ' || (pg_catalog.to_jsonb(k) - 'conindid'::text)::text
    from pg_catalog.pg_constraint k where k.conrelid = any ({relations})
     and not exists (select from pg_catalog.pg_constraint top
       where top.oid = k.conparentid and top.conrelid = k.conrelid)
  union all
  select 'i '
    || (pg_catalog.to_jsonb(i) - '{{indexrelid,indisclustered,indisreplident,indcheckxmin}}'::text[])::text
    from pg_catalog.pg_index i where i.indrelid = any ({relations}) and (i.indisunique or i.indisexclusion)
  union all
  select 'h ' || pg_catalog.concat_ws(' ', h.inhparent, h.inhrelid)
    from pg_catalog.pg_inherits h join pg_catalog.pg_class c on c.oid = h.inhparent
   where h.inhparent = any ({relations}) and c.relkind <> 'p'
  union all
  select 'p ' || above.oid from above where above.oid = any ({relations})
  union all
  select 'v ' || pg_catalog.concat_ws(' ', w.ev_class, w.ev_type, w.ev_enabled,
                           pg_catalog.md5(w.ev_action::text))
    from pg_catalog.pg_rewrite w where w.ev_class = any ({relations})
  union all
  select 'd ' || pg_catalog.concat_ws(' ', d.refclassid, d.refobjid, coalesce(p.xmin, o.xmin), q.xmin)
    from pg_catalog.pg_rewrite w
    join pg_catalog.pg_depend d on d.classid = 2618 and d.objid = w.oid
     and d.refclassid = any (array[1255, 2617]::oid[])
    left join pg_catalog.pg_proc p on d.refclassid = 1255 and p.oid = d.refobjid
    left join pg_catalog.pg_operator o on d.refclassid = 2617 and o.oid = d.refobjid
    left join pg_catalog.pg_proc q on q.oid = o.oprcode
   where w.ev_class = any ({relations})
  union all
  select 'f ' || pg_catalog.concat_ws(' ', p.oid, p.xmin) from pg_catalog.pg_proc p
   where p.proname = any ({functions}) and (p.pronamespace <> 11 or p.oid >= 16384)
  union all
  select 'o ' || pg_catalog.concat_ws(' ', o.oid, o.xmin, p.xmin)
    from pg_catalog.pg_operator o left join pg_catalog.pg_proc p on p.oid = o.oprcode
   where o.oprname = any ({operators}) and (o.oprnamespace <> 11 or o.oid >= 16384)
  union all
  select 'k ' || pg_catalog.concat_ws(' ', k.oid, k.xmin, p.xmin)
    from pg_catalog.pg_cast k left join pg_catalog.pg_proc p on p.oid = k.castfunc where k.oid >= 16384
  union all
  select 'y ' || pg_catalog.concat_ws(' ', y.oid, y.xmin) from pg_catalog.pg_type y
   where y.oid = any (select typ
    from types)
  union all
  select 'm ' || (pg_catalog.to_jsonb(k) - 'conindid'::text)::text
    from pg_catalog.pg_constraint k where k.contypid = any (select typ from types)
  union all
  select 'n ' || pg_catalog.concat_ws(' ', n.oid, n.xmin, n.collversion,
                           pg_catalog.pg_collation_actual_version(n.oid))
    from pg_catalog.pg_collation n
   where n.oid = any (select a.attcollation from pg_catalog.pg_attribute a
      where a.attrelid = any ({relations}))
      or n.oid = any (select d.refobjid from indexes join pg_catalog.pg_depend d on d.classid = 1259
        and d.objid = indexes.oid and d.refclassid = 3456)
      or n.collname = any ({types}) and n.oid >= 16384
  union all
  select 'l ' || pg_catalog.concat_ws(' ', pg_catalog.to_jsonb(b) ->> 'datcollversion',
    pg_catalog.pg_collation_actual_version(100))
    from pg_catalog.pg_database b where b.datname = pg_catalog.current_database()
  union all
  select 't ' || pg_catalog.concat_ws(' ', t.tgconstraint, t.tgrelid, t.tgenabled)
    from keys join pg_catalog.pg_trigger t on t.tgconstraint = keys.oid where t.tgenabled <> 'O'
  union all
  select 'u ' || pg_catalog.concat_ws(' ', keys.oid, x.convalidated, pg_catalog.to_jsonb(x) ->> 'conenforced')
    from keys join pg_catalog.pg_constraint x on x.oid = keys.oid
   where not x.convalidated or pg_catalog.to_jsonb(x) ->> 'conenforced' = 'false'
  union all
  select 'j ' || x.indexrelid from indexes join pg_catalog.pg_index x on x.indexrelid = indexes.oid
   where not (x.indisvalid and x.indisready and x.indislive and x.indisunique)
  union all
  select 's ' || s.srrelid from pg_catalog.pg_subscription_rel s where {foreign_keys}
    and s.srrelid = any (select oid from tree)
  union all
  select 'g ' || pg_catalog.concat_ws(' ', g.setrole, x.setting)
    from pg_catalog.pg_db_role_setting g, pg_catalog.unnest(g.setconfig) as x (setting)
   where {foreign_keys} and x.setting ~* '^session_replication_role='
     and g.setdatabase = any (array[0, (select b.oid from pg_catalog.pg_database b
       where b.datname = pg_catalog.current_database())]::oid[])
""")

# above: parents of foreign tables. indexes: unique ones with those of partitions. types: users' types of
# columns and of names, with what domains and arrays are made of. tree: the relations with all partitions, the
# targets of their foreign keys too. keys: these, with their
# copies on partitions.
_SETS = servers_own("""
with recursive above (oid) as (
  select h.inhparent from pg_catalog.pg_foreign_table f
    join pg_catalog.pg_inherits h on h.inhrelid = f.ftrelid
  union select h.inhparent from above join pg_catalog.pg_inherits h on h.inhrelid = above.oid
), types (typ) as (
  select a.atttypid from pg_catalog.pg_attribute a where a.attrelid = any ({relations})
    and a.atttypid >= 16384
  union select y.oid from pg_catalog.pg_type y where y.typname = any ({types}) and y.oid >= 16384
  union select part from types join pg_catalog.pg_type y on y.oid = typ,
    pg_catalog.unnest(array[y.typbasetype,
    y.typelem]) as part
   where part >= 16384
), indexes (oid) as (
  select i.indexrelid from pg_catalog.pg_index i where i.indrelid = any ({relations}) and i.indisunique
  union select h.inhrelid from indexes join pg_catalog.pg_inherits h on h.inhparent = indexes.oid
), keys (oid, conrelid, confrelid) as (
  select k.oid, k.conrelid, k.confrelid from pg_catalog.pg_constraint k
   where {foreign_keys} and k.contype = 'f' and k.conrelid = any ({relations})
  union select k.oid, k.conrelid, k.confrelid from keys
    join pg_catalog.pg_constraint k on k.conparentid = keys.oid
), tree (oid) as (
  select r from pg_catalog.unnest({relations}) as r where {foreign_keys}
  union select confrelid from keys
  union select h.inhrelid from tree join pg_catalog.pg_inherits h on h.inhparent = tree.oid
)
""")

_DIGEST = (
    "pg_catalog.md5(coalesce(({sets} select pg_catalog.string_agg(fact, e'\\n' order by fact"
    " collate pg_catalog.\"C\") from ({facts}) as facts), ''))"
)

# The session sees no state of the tables from before they were looked at ($8, a transaction number). Rows
# may break a foreign key afterwards only by what a replica does: the session is none, and has written none
# of the rows itself.
_KEPT = servers_own("""
  pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::int8 >= $8 and (not $7 or (
    pg_catalog.current_setting('session_replication_role') = 'origin'
    and not exists (
      with recursive tree (oid) as (
        select r from pg_catalog.unnest((select $3)::oid[]) as r where (select $7)::bool
        union select h.inhrelid from tree join pg_catalog.pg_inherits h on h.inhparent = tree.oid
      )
      select from tree where pg_catalog.pg_stat_get_xact_tuples_inserted(tree.oid)
        + pg_catalog.pg_stat_get_xact_tuples_updated(tree.oid)
        + pg_catalog.pg_stat_get_xact_tuples_deleted(tree.oid) > 0)))""")

# Row-level security stands in the way where its policies apply to this role and may do more than leave rows
# out: a policy made of leakproof functions alone can neither fail, nor read tables, nor change anything, and
# leaves the same rows
# to both texts, of which a proof holds as of the whole table (none rests on a foreign key to such a table).
# Below a view its
# owner's rights count, which are not looked at here.
_FILTERED = servers_own("""
  exists (
    select from pg_catalog.pg_class c where c.oid = any ($3) and c.relrowsecurity and (
      exists (select from pg_catalog.pg_class v where v.oid = any ($3) and v.relkind = 'v')
      or pg_catalog.row_security_active(c.oid) and exists (
        select from pg_catalog.pg_policy p where p.polrelid = c.oid
          and p.polcmd = any (array['r', '*']::pg_catalog."char"[]) and (
          exists (select from pg_catalog.regexp_matches(p.polqual::text, '[{]([A-Z_0-9]+)', 'g') as n (name)
                   where n.name[1] <> all (array['VAR', 'CONST', 'OPEXPR', 'FUNCEXPR', 'BOOLEXPR', 'NULLTEST',
                     'BOOLEANTEST',
                     'RELABELTYPE', 'SCALARARRAYOPEXPR', 'ARRAYEXPR', 'SQLVALUEFUNCTION']))
          or exists (select from pg_catalog.regexp_matches(p.polqual::text, ':(?:opfuncid|funcid) ([0-9]+)',
            'g') as f (oid)
                      where not exists (select from pg_catalog.pg_proc q
                        where q.oid = f.oid[1]::pg_catalog.oid
                        and q.proleakproof and q.provolatile <> 'v'))))))""")

# Where the session looks names up. To ask makes its temporary schema where that would be the first, which a
# standby and roles without the right refuse, with an error, and after which prepared statements may mean
# other tables: NULL then. A sub-select, so that the planner does not ask to estimate.
_SCHEMAS = servers_own("""(select case
  when pg_catalog.pg_my_temp_schema() <> 0::oid
    or pg_catalog.strpos(pg_catalog.lower(pg_catalog.current_setting('search_path')), 'pg_temp') = 0
    or exists (select from pg_catalog.pg_namespace first
      where first.nspname::text = any (pg_catalog.string_to_array(pg_catalog.regexp_replace(
          pg_catalog.split_part(pg_catalog.lower(pg_catalog.current_setting('search_path')), 'pg_temp', 1),
          '[[:space:]]', '', 'g'), ','))
        and pg_catalog.has_schema_privilege(first.oid, 'usage'))
  then pg_catalog.current_schemas(true) end)::text[]""")
_GUARD = servers_own("""
select {settings}
  current_user, session_user, pg_catalog.current_setting('role'),
  {schemas},
  pg_catalog.current_setting('standard_conforming_strings'),
  pg_catalog.current_setting('transform_null_equals'),
  pg_catalog.current_setting('array_nulls'),
  pg_catalog.current_setting('TimeZone'),
  pg_catalog.current_setting('transaction_isolation'),
  (select pg_catalog.array_agg(
            (select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
              where c.relname = w.name
                and case when w.schema = '' then n.nspname::text = any ({schemas})
                         else n.nspname = w.schema end
              order by pg_catalog.array_position({schemas}, n.nspname::text) limit 1)
            order by w.place)
     from rows from (pg_catalog.unnest($1), pg_catalog.unnest($2))
       with ordinality as w (schema, name, place)),
  {filtered},
  exists (select from pg_catalog.pg_class c where c.oid = any ($3) and c.relpersistence = 't'),
  (select pg_catalog.bool_and(pg_catalog.has_table_privilege(r, 'select')) from pg_catalog.unnest($3) as r),
  {kept},
  {digest}
""")

# those of the guard's row before the settings
_FIXED_COLUMNS = 15
# A zone that is spelled out, as POSIX has it, may call its own distance by a name that queries mean UTC by:
# under 'UTC+3' a moment AT TIME ZONE 'UTC' is three hours sooner (DecodeTimezoneAbbrev)
_OWN_ZONE = re.compile(r"(?![a-z_]+/)(?=.*[0-9]).*(?:utc|gmt)", re.IGNORECASE)


# Parameters whose values the planner does not see: planning takes longer than the guard runs, and the plan
# that the server keeps after some executions is not thought dearer than one for these values.
_OPAQUE = tuple(
    f"(select ${number})::pg_catalog.{kind}"
    for number, kind in ((3, "oid[]"), (4, "text[]"), (5, "text[]"), (6, "text[]"), (7, "bool"))
)


def settings_columns(settings: Sequence[str]) -> str:
    """The named ``rewright.*`` settings as columns of a SELECT, unset ones NULL."""
    return ", ".join(f"pg_catalog.current_setting('rewright.{name}', true)" for name in settings)


def settings_sql(settings: Sequence[str]) -> str:
    """What a session is asked for before the guard: the named settings, and where it looks names up."""
    return "select " + ", ".join(
        [*filter(None, [settings_columns(settings)]), f"{_SCHEMAS}::pg_catalog.text"]
    )


def guard_sql(settings: Sequence[str]) -> str:
    """The guard statement; its first columns are the named ``rewright.*`` settings, unset ones NULL."""
    columns = f"{settings_columns(settings)}, " if settings else ""
    return _GUARD.format(
        settings=columns, schemas=_SCHEMAS, filtered=_FILTERED, kept=_KEPT, digest=_digest(_OPAQUE)
    )


def _digest(arguments: Sequence[str]) -> str:
    """``arguments``: expressions for what ``PARAM_TYPES`` lists from the third on."""
    names = dict(
        zip(("relations", "functions", "operators", "types", "foreign_keys"), arguments, strict=True)
    )
    return _DIGEST.format(sets=_SETS.format(**names), facts=_FACTS.format(**names))


def capture_sql(guard: Guard) -> str:
    """A query whose one value is ``Guard.digest``: to be run in the transaction that read the catalog."""
    relations = f"'{_array(str(oid) for oid in _oids(guard))}'::pg_catalog.oid[]"
    names = [_text_array(items) for items in (guard.functions, guard.operators, guard.types)]
    return "select " + _digest([relations, *names, "true" if guard.foreign_keys else "false"])


def _text_array(items: Iterable[str]) -> str:
    return "e'" + _array(items).replace("\\", "\\\\").replace("'", "\\'") + "'::pg_catalog.text[]"


def arguments(guard: Guard) -> tuple[bytes, ...]:
    """Values for the guard's parameters, in text format."""
    names = [split_name(relation.name) for relation in guard.relations]
    return tuple(
        text.encode()
        for text in (
            _array(schema for schema, _ in names),
            _array(name for _, name in names),
            _array(str(oid) for oid in _oids(guard)),
            _array(guard.functions),
            _array(guard.operators),
            _array(guard.types),
            "t" if guard.foreign_keys else "f",
            str(guard.snapshot),
        )
    )


def _oids(guard: Guard) -> tuple[int, ...]:
    return tuple(dict.fromkeys([r.oid for r in guard.relations] + list(guard.below)))


def oid_array(guard: Guard) -> bytes:
    """The relations of both texts, as a parameter of type oid[]."""
    return _array(str(oid) for oid in _oids(guard)).encode()


def _array(items: Iterable[str]) -> str:
    return "{" + ",".join('"' + i.replace("\\", "\\\\").replace('"', '\\"') + '"' for i in items) + "}"


# an item of a list of names: quoted, or up to the next comma
_PATH_ITEM = re.compile(r'\s*("(?:[^"]|"")*"|[^\s,][^,]*)')


def split_name(name: str) -> tuple[str, str]:
    """``s1."T"`` -> ("s1", "T"); no schema: "". Unquoted parts fold to lower case."""
    parts: list[str] = []
    rest = name.strip()
    while rest:
        if rest.startswith('"'):
            end = 1
            # A doubled quote stands for one in the name.
            while (end := rest.index('"', end)) >= 0 and rest[end + 1 : end + 2] == '"':
                end += 2
            parts.append(rest[1:end].replace('""', '"'))
            rest = rest[end + 1 :].lstrip(". ")
        else:
            part, _, rest = rest.partition(".")
            parts.append(part.strip().lower())
            rest = rest.strip()
    schema = parts[-2] if len(parts) > 1 else ""
    return schema, parts[-1] if parts else ""


@dataclass(frozen=True, slots=True)
class GuardRow:
    """The guard's answer. ``settings``: texts in the order asked for, None where unset."""

    settings: tuple[str | None, ...]
    current_user: str
    session_user: str
    role: str
    search_path: str
    standard_strings: str
    null_equals: str
    array_nulls: str
    zone: str
    isolation: str
    oids: str
    row_security: str
    temporary: str
    privileges: str
    references: str
    digest: str

    @classmethod
    def read(cls, values: Sequence[bytes | None], settings: int) -> GuardRow:
        """From the values of the DataRow. Raises ProtocolViolation when there are
        not as many as asked for.
        """
        texts = [None if v is None else v.decode("utf-8", "replace") for v in values]
        if len(texts) != settings + _FIXED_COLUMNS:
            raise ProtocolViolation("the guard's row has another shape")
        return cls(tuple(texts[:settings]), *(text or "" for text in texts[settings:]))


def objection(row: GuardRow, guard: Guard, *, in_block: bool) -> str:
    """Why the replacement may not run here; "" when it may. The words are those of
    ``ServedStatement.reason``.

    ``in_block``: a failing Bind could not be rolled back, so table privileges must be plain.
    """
    checks = (
        ("settings", _reads_texts_as_proved(row)),
        ("role", row.role == "none"),
        ("temporary", row.temporary == "f"),
        ("names", row.oids == _expected_oids(guard.relations)),
        ("row security", row.row_security == "f"),
        ("search_path", guard.search_path is None or visible_path(row.search_path) == guard.search_path),
        ("facts", bool(guard.digest) and row.digest == guard.digest),
        (guard.about_rows, row.references == "t"),
        # REPEATABLE READ and SERIALIZABLE keep their first snapshot: the guard would read older catalogs than
        # the planner.
        ("isolation", row.isolation.startswith("read ")),
        ("privileges", not in_block or row.privileges in {"t", ""}),
    )
    return next((reason for reason, holds in checks if not holds), "")


def _reads_texts_as_proved(row: GuardRow) -> bool:
    """Whether the session reads constants as proofs take them to be read."""
    plain = row.standard_strings == "on" and row.null_equals == "off" and row.array_nulls == "on"
    return plain and not _OWN_ZONE.match(row.zone)


def _expected_oids(relations: Sequence[RelationName]) -> str:
    return "{" + ",".join(str(relation.oid) for relation in relations) + "}" if relations else ""


def visible_path(text: str) -> tuple[str, ...]:
    """An array of names as text, without the session's temporary schema."""
    return tuple(name for name in parse_array(text) if not name.startswith("pg_temp_"))


def named_path(setting: str, user: str) -> tuple[str, ...]:
    """The schemas that a search_path of ``user`` names, in the order in which they are looked into."""
    names = [split_name(part)[1] for part in _PATH_ITEM.findall(setting)]
    named = tuple(user if name == "$user" else name for name in names if name and name != "pg_temp")
    # Searched first where the path does not name it (manual, "The System Catalog Schema").
    return named if "pg_catalog" in named else ("pg_catalog", *named)


def parse_array(text: str) -> tuple[str, ...]:
    """The items of a one-dimensional array's text."""
    items: list[str] = []
    position = 1
    while position < len(text) - 1:
        if text[position] == '"':
            item, position = _quoted_item(text, position + 1)
        else:
            end = text.find(",", position)
            end = len(text) - 1 if end < 0 else end
            item, position = text[position:end], end
        items.append(item)
        position += 1
    return tuple(items)


def _quoted_item(text: str, position: int) -> tuple[str, int]:
    item = []
    while text[position] != '"':
        # A backslash keeps the next character, whatever it is (manual, "Array Input and Output Syntax").
        position += text[position] == "\\"
        item.append(text[position])
        position += 1
    return "".join(item), position + 1
