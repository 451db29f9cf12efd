"""Keys, references and checks of a snapshot, and why some are in doubt, for PostgreSQL 14 to 18.

Owns which declared constraints may not hold of the stored rows: collations whose library changed, equality
that is a user's function, checks that were skipped. Read with an empty search_path, columns as ``catalog.py``
names them.
"""

from __future__ import annotations

from rewright.engines.postgres.catalog_queries import OURS_OR_TEMP
from rewright.sql.types import DETERMINISTIC_COLLATIONS, IDENTITY_EQUALITY, TEXT_LIKE

# What a type is made of: (root, typ, coll), with the collations that comparing its values depends on.
# arrays compare their elements, domains their base, ranges their subtype, rows their fields. 3802 is jsonb,
# whose texts compare under the database's collation.
_PARTS = """
parts(root, typ, coll) as (
  select t.oid, t.oid, t.typcollation from pg_type t where t.oid in ({roots})
  union
  select p.root, x.typ, x.coll from parts p join pg_type t on t.oid = p.typ cross join lateral (
    select t.typbasetype, p.coll where t.typtype = 'd'
    union all select t.typelem, 0::oid where t.typelem <> 0 and t.typcategory = 'A'
    union all select t.oid, 100::oid where t.oid = 3802
    union all select r.rngsubtype, r.rngcollation from pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)
    union all select a.atttypid, a.attcollation from pg_attribute a
      where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) x(typ, coll))"""

# Collations whose order the library gives now may differ from the one under which rows were checked and
# indexes built
# NULL where the library has no versions: such a collation never counts as stale
_STALE = """
stale(oid) as (
  select c.oid from pg_collation c where c.collversion <> pg_collation_actual_version(c.oid)
  union all
  select 100 from pg_database d where d.datname = current_database()
    and to_jsonb(d) ->> 'datcollversion' <> pg_collation_actual_version(100))"""

# types whose equality is a user's function: base types, and ranges over an operator class of a user's
# 16384 is FirstNormalObjectId: from there on objects are users'
_FOREIGN_TYPES = """
foreign_types(oid) as (
  select t.oid from pg_type t where t.oid >= 16384 and t.typtype = 'b' and not (t.typcategory = 'A'
    and t.typelem <> 0)
  union all
  select x.oid from pg_range r, unnest(array[r.rngtypid, r.rngmultitypid]) x(oid)
    where r.rngsubopc >= 16384)"""

_UNIQUE_TYPES = (
    "select a.atttypid from pg_index i join pg_attribute a on a.attrelid = i.indrelid where i.indisunique"
)
# what a CHECK names besides its columns, such as the type of a literal, is among what it depends on
_CHECKED_TYPES = (
    "select a.atttypid from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid"
    " where k.contype = 'c' union select d.refobjid from pg_depend d"
    " where d.classid = 'pg_constraint'::regclass and d.refclassid = 'pg_type'::regclass"
)


def _doubts(roots: str) -> str:
    """Common table expressions that say of which types equality (F18) or order (F17) may have changed."""
    return f"""
with recursive {_PARTS.format(roots=roots)}, {_STALE}, {_FOREIGN_TYPES},
stale_types(oid) as (select root from parts where coll in (select oid from stale)),
changed_types(oid) as (select root from parts where typ in (select oid from foreign_types))"""


# such a constraint is a unique key in other words; strategy 3 is = of btree, 1 of hash
# an exclusion constraint all of whose operators are the equality of their operator class
_EQUAL_EXCLUSION = """(i.indisexclusion and exists (select 1 from pg_constraint x
  where x.conindid = i.indexrelid and x.contype = 'x'
  and not exists (select 1 from unnest(x.conexclop::oid[], i.indclass::oid[]) k(op, class)
    where not exists (select 1 from pg_amop m join pg_opclass o on o.opcfamily = m.amopfamily
      join pg_am am on am.oid = o.opcmethod
      where o.oid = k.class and m.amopopr = k.op and am.amname in ('btree', 'hash')
        and m.amopstrategy = case am.amname when 'btree' then 3 else 1 end))))"""

# such a constraint tells rows apart that are equal and have a moment in common: plain columns by the equality
# of their types, and one range by &&
_RANGES_MEET = "'pg_catalog.&&(pg_catalog.anyrange,pg_catalog.anyrange)'::regoperator"
_IDENTICAL = ", ".join(f"'{name}'" for name in sorted(IDENTITY_EQUALITY | TEXT_LIKE))
_ORDINARY = ", ".join(f"'{name}'" for name in sorted(DETERMINISTIC_COLLATIONS))
_APART = f"""(i.indisexclusion and i.indpred is null and i.indexprs is null and ic.relam = (select am.oid
    from pg_am am where am.amname = 'gist')
  and exists (select 1 from pg_constraint x where x.conindid = i.indexrelid and x.contype = 'x' and (
    select count(*) filter (where k.op = {_RANGES_MEET}) = 1 and bool_and(k.op is null
      or k.op = {_RANGES_MEET} or coalesce(o.oprname = '=' and o.oprnamespace = 'pg_catalog'::regnamespace
        and t.typnamespace = 'pg_catalog'::regnamespace and t.typname in ({_IDENTICAL})
        and (k.coll = 0 or k.coll = a.attcollation and l.collnamespace = 'pg_catalog'::regnamespace
          and l.collname in ({_ORDINARY})), false))
    from unnest(x.conexclop::oid[], i.indkey::int2[], i.indcollation::oid[]) k(op, attnum, coll)
    left join pg_operator o on o.oid = k.op left join pg_collation l on l.oid = k.coll
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    left join pg_type t on t.oid = a.atttypid)))"""

# operator classes of a user's own, which may call equal what is not; those that btree_gist brings are the
# equality of the types
_USERS_CLASS = """{0} >= 16384 and {0} not in (select d.objid from pg_depend d
  join pg_extension e on e.oid = d.refobjid where d.classid = 'pg_opclass'::regclass and d.deptype = 'e'
  and d.refclassid = 'pg_extension'::regclass and e.extname = 'btree_gist')"""


def keys(version: int) -> str:
    # NULLS NOT DISTINCT is PostgreSQL 15's, WITHOUT OVERLAPS 18's
    nulls_distinct = "not i.indnullsnotdistinct" if version >= 150000 else "true"
    period = "coalesce(con.conperiod, false)" if version >= 180000 else "false"
    # an index that is invalid on one partition says nothing of the whole table
    return f"""
{_doubts(_UNIQUE_TYPES)},
invalid(oid) as (
  select i.indexrelid from pg_index i
    where not (i.indisvalid and i.indisready and i.indislive and (i.indisunique or i.indisexclusion))
  union select h.inhparent from invalid v join pg_inherits h on h.inhrelid = v.oid
)
select i.indrelid as oid, ic.relname as name, i.indisprimary as primary, {nulls_distinct} as nulls_distinct,
  not i.indimmediate as deferrable, i.indpred is not null as partial, i.indexprs is not null as expression,
  coalesce(pg_get_expr(i.indpred, i.indrelid), '') as predicate,
  case when i.indexprs is null then '{{}}'::text[] else array(select pg_get_indexdef(i.indexrelid, n, true)
    from generate_series(1, i.indnkeyatts::int) n order by n) end as expressions,
  i.indexrelid not in (select oid from invalid) as valid, {period} or {_APART} as period,
    {_APART} as exclusion, con.oid is not null as constraint,
  array(select coalesce(a.attname::text, '') from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
    where k.n <= i.indnkeyatts
    order by coalesce(con.conexclop[k.n] = {_RANGES_MEET}, false), k.n) as columns,
  exists (select 1 from unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[])
      with ordinality k(attnum, class, coll, n)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    left join pg_opclass o on o.oid = k.class left join pg_collation co on co.oid = k.coll
    left join pg_collation ca on ca.oid = a.attcollation
    where k.n <= i.indnkeyatts and (not coalesce(o.opcdefault, false)
      or not coalesce(co.collisdeterministic, true) or not coalesce(ca.collisdeterministic,
        true))) as foreign_equality,
  case
    when exists (select 1 from unnest(i.indkey::int2[], i.indcollation::oid[]) k(attnum, coll)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where k.coll in (select oid from stale) or a.atttypid in (select oid from stale_types))
      or exists (select 1 from pg_partitioned_table p where p.partrelid = i.indrelid
        and p.partcollation::oid[] && array(select oid from stale))
      or ((i.indpred is not null or i.indexprs is not null) and exists (select 1 from stale where oid = 100
        or oid in (select a.attcollation from pg_attribute a where a.attrelid = i.indrelid)
        or oid in (select d.refobjid from pg_depend d where d.classid = 'pg_class'::regclass
          and d.objid = i.indexrelid and d.refclassid = 'pg_collation'::regclass))) then 'F17'
    when exists (select 1 from unnest(i.indkey::int2[], i.indclass::oid[]) k(attnum, class)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where {_USERS_CLASS.format("k.class")} or a.atttypid in (select oid from changed_types))
      or exists (select 1 from pg_partitioned_table p, unnest(p.partclass::oid[]) as class
        where p.partrelid = i.indrelid and class >= 16384) then 'F18'
    else '' end as doubt
from pg_index i join pg_class ic on ic.oid = i.indexrelid
join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
left join pg_constraint con on con.conindid = i.indexrelid and con.conrelid = i.indrelid
  and con.contype in ('p', 'u', 'x')
where (i.indisunique or {_EQUAL_EXCLUSION} or {_APART}) and c.relkind in ('r', 'p', 'f', 'm')
  and {OURS_OR_TEMP.format("n")}
order by i.indrelid, i.indisprimary desc, ic.relname"""


def foreign_keys(version: int) -> str:
    """A key of a partitioned table holds if all its copies on partitions do, and if all their triggers fire.

    Left out are its copies that point at single partitions of the table that is referred to: a row has its
    partner in one of these. In doubt (F15) are the tables of a subscription, whose worker applies rows as a
    replica, all of them where some role or database is set up to act as one, and those where a BEFORE trigger
    (bits 1, 2: FOR EACH ROW, BEFORE) or an INSTEAD rule may undo what ON DELETE or ON UPDATE does.
    """
    enforced = "bool_and(k.conenforced)" if version >= 180000 else "true"
    period = "k.conperiod" if version >= 180000 else "false"
    # By the top constraint, which PostgreSQL copies to each pair of partitions. tgenabled O fires in ordinary
    # sessions; a disabled trigger (D) checks nothing. Rows that logical replication applies are not checked
    # by triggers of kind O, and a session_replication_role that a role or database sets makes later sessions
    # skip the checks.
    return f"""
with recursive family(top, oid) as (
  select k.oid, k.oid from pg_constraint k where k.contype = 'f' and k.conparentid = 0
  union all select f.top, k.oid from family f join pg_constraint k on k.conparentid = f.oid
), state(top, validated, enforced) as (
  select f.top, bool_and(k.convalidated), {enforced} from family f join pg_constraint k on k.oid = f.oid
    group by f.top
), disabled(top) as (
  select f.top from family f join pg_trigger t on t.tgconstraint = f.oid where t.tgenabled <> 'O'
), undone(top) as (
  select f.top from family f join pg_constraint k on k.oid = f.oid
  cross join lateral (select k.confdeltype = 'c' as by_delete,
    k.confdeltype in ('n', 'd') or k.confupdtype in ('c', 'n', 'd') as by_update) x
  where exists (select 1 from pg_trigger t where t.tgrelid = k.conrelid and not t.tgisinternal
      and t.tgtype & 3 = 3 and (x.by_delete and t.tgtype & 8 <> 0 or x.by_update and t.tgtype & 16 <> 0))
    or exists (select 1 from pg_rewrite r where r.ev_class = k.conrelid and r.is_instead
      and (x.by_delete and r.ev_type = '4' or x.by_update and r.ev_type = '2'))
), subscribed(oid) as (
  select s.srrelid from pg_subscription_rel s
  union select case when i.inhrelid = s.oid then i.inhparent else i.inhrelid end
    from subscribed s join pg_inherits i on s.oid in (i.inhrelid, i.inhparent)
), replicas(n) as (
  select count(*) from pg_db_role_setting s, unnest(s.setconfig) c
  where (s.setdatabase = 0 or s.setdatabase = (select oid from pg_database
    where datname = current_database()))
    and c ~* '^session_replication_role=' and c !~* '=origin$'
)
select k.conrelid as oid, k.conname as name, fn.nspname as target_schema, f.relname as target,
  k.confmatchtype::text as match, s.validated, s.enforced,
  k.condeferrable as deferrable, {period} as period,
  y.top not in (select top from disabled) as triggers_enabled,
  case when r.n > 0 or k.conrelid in (select oid from subscribed) or k.confrelid in (select oid
    from subscribed) or y.top in (select top from undone)
    then 'F15' else '' end as doubt,
  array(select a.attname::text from unnest(k.conkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum order by u.n) as columns,
  array(select a.attname::text from unnest(k.confkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum order by u.n) as target_columns
from pg_constraint k join family y on y.oid = k.oid join state s on s.top = y.top cross join replicas r
join pg_constraint root on root.oid = y.top and root.confrelid = k.confrelid
join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
where k.contype = 'f' and {OURS_OR_TEMP.format("n")}
order by k.conrelid, k.conname, k.oid"""


def checks(version: int) -> str:
    """A CHECK is in doubt where it compares texts whose order has changed since (F17), or values whose
    equality is a user's function, also inside of arrays, ranges and rows (F18). So are all CHECKs of domains
    (F22): ALTER DOMAIN looks neither at the rows of tables that are not committed nor at values that are
    under way.
    """
    enforced = "k.conenforced" if version >= 180000 else "true"
    return f"""
{_doubts(_CHECKED_TYPES)}
select k.conrelid as oid, k.contypid as type_oid, k.conname as name, k.convalidated as validated,
  {enforced} as enforced, k.connoinherit as no_inherit, pg_get_expr(k.conbin, k.conrelid) as text,
  case when k.contypid <> 0 then 'F22'
    when exists (select 1 from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)
      and (a.attcollation in (select oid from stale) or a.atttypid in (select oid from stale_types)))
    or exists (select 1 from pg_depend d where d.classid = 'pg_constraint'::regclass and d.objid = k.oid
      and d.refclassid = 'pg_collation'::regclass and d.refobjid in (select oid from stale))
    then 'F17'
    when exists (select 1 from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)
      and a.atttypid in (select oid from changed_types))
    or exists (select 1 from pg_depend d where d.classid = 'pg_constraint'::regclass and d.objid = k.oid
      and d.refclassid = 'pg_type'::regclass and d.refobjid in (select oid from changed_types))
    then 'F18' else '' end as doubt
from pg_constraint k join pg_namespace n on n.oid = k.connamespace
where k.contype = 'c' and {OURS_OR_TEMP.format("n")}
order by k.conrelid, k.contypid, k.conname"""


def exclusions() -> str:
    """Definitions of the exclusion constraints that `keys` does not give as keys, one row each."""
    return f"""
select x.conrelid as oid, pg_get_constraintdef(x.oid) as definition
from pg_constraint x join pg_index i on i.indexrelid = x.conindid
join pg_class ic on ic.oid = i.indexrelid
join pg_class c on c.oid = x.conrelid join pg_namespace n on n.oid = c.relnamespace
where x.contype = 'x' and not {_EQUAL_EXCLUSION} and not {_APART} and {OURS_OR_TEMP.format("n")}
order by x.conrelid, x.conname"""
