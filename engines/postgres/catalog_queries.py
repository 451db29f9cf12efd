"""The catalog queries of a snapshot, for PostgreSQL 14 to 18, read with an empty search_path.

Owns the differences between the versions. Every query returns columns named as ``catalog.py`` reads
them. System schemas, other sessions' temporary schemas and the information schema are left out.
"""

from __future__ import annotations

# a user's type of a built-in's name must not be taken for it
# Names of types as keys: typname, preceded by the schema unless it is pg_catalog.
_KEY = "case when {n}.nspname = 'pg_catalog' then {t}.typname else {n}.nspname || '.' || {t}.typname end"
# the prefix pg_ is reserved for system schemas (manual, 5.10.1)
_OURS = "{0}.nspname !~ '^pg_' and {0}.nspname <> 'information_schema'"
_OURS_OR_TEMP = (
    "({0}.nspname !~ '^pg_' and {0}.nspname <> 'information_schema' or {0}.oid = pg_my_temp_schema())"
)

# '' for types without collation, 'default', a name in pg_catalog, or schema.name
_COLLATION = """
case when {0} = 0 then '' else (
  select case when cn.nspname = 'pg_catalog' then co.collname::text else cn.nspname || '.' || co.collname end
  from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace where co.oid = {0}) end"""


def type_key(alias: str) -> str:
    """An expression for the key of the type in ``alias``, whose schema is in ``{alias}n``."""
    return _KEY.format(t=alias, n=alias + "n")


def key_by_oid(expression: str) -> str:
    """A scalar subquery for the key of the type with that OID; NULL for OID 0."""
    return (
        f"(select {type_key('kt')} from pg_type kt join pg_namespace ktn on ktn.oid = kt.typnamespace "
        f"where kt.oid = {expression})"
    )


def keys_by_oids(expression: str) -> str:
    """An array of the keys of the types in an oidvector or oid[]."""
    return (
        f"array(select {type_key('at')} from unnest({expression}) with ordinality u(o, n) "
        f"join pg_type at on at.oid = u.o join pg_namespace atn on atn.oid = at.typnamespace order by u.n)"
    )


SCHEMAS = f"select n.nspname as name from pg_namespace n where {_OURS.format('n')} order by 1"

EXTENSIONS = "select extname as name from pg_extension order by 1"

# A partition may be a foreign table, whose rows nobody here checks. _RETURN is the rule that makes a view;
# others change what a statement does. Bounds are left out where a collation's library has changed since rows
# were routed by it; 100 is the OID of the collation "default".
RELATIONS = f"""
with recursive above_foreign(oid) as (
  select i.inhparent from pg_inherits i join pg_class f on f.oid = i.inhrelid where f.relkind = 'f'
  union select i.inhparent from above_foreign a join pg_inherits i on i.inhrelid = a.oid
)
select c.oid, n.nspname as schema, c.relname as name, c.relkind::text as kind,
  c.relrowsecurity as row_security, c.relpersistence::text as persistence, c.relispartition as is_partition,
  coalesce(c.reloptions::text[], '{{}}') as options,
  case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) else '' end as definition,
  exists (select 1 from pg_rewrite r where r.ev_class = c.oid and r.rulename <> '_RETURN') as has_rules,
  exists (select 1 from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers,
  exists (select 1 from pg_inherits i where i.inhparent = c.oid) and c.relkind = 'r' as has_children,
  c.oid in (select oid from above_foreign) as foreign_children,
  case when c.relispartition and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
      and not exists (select 1 from pg_inherits i join pg_class p on p.oid = i.inhparent
        where i.inhrelid = c.oid and p.relispartition)
      and not exists (select 1 from pg_collation k where k.collversion <> pg_collation_actual_version(k.oid))
      and not exists (select 1 from pg_database d where d.datname = current_database()
        and to_jsonb(d) ->> 'datcollversion' <> pg_collation_actual_version(100))
    then coalesce(pg_get_partition_constraintdef(c.oid), '') else '' end as bounds
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f', 'v', 'm') and {_OURS_OR_TEMP.format("n")}
order by c.oid"""

PARENTS = f"""
select i.inhrelid as oid, n.nspname as schema, c.relname as name
from pg_inherits i join pg_class c on c.oid = i.inhparent join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f') and {_OURS_OR_TEMP.format("n")}
order by i.inhrelid, i.inhseqno"""

# a NOT NULL constraint that is NOT VALID (18) does not hold for the rows that are there
_NOT_NULL_18 = """
left join pg_constraint nn on nn.conrelid = a.attrelid and nn.contype = 'n' and nn.conkey = array[a.attnum]"""


def columns(version: int) -> str:
    valid, name, join = "true", "''", ""
    if version >= 180000:
        # connoinherit: the rows of children may still be NULL
        valid, name, join = (
            "coalesce(nn.convalidated and not nn.connoinherit, true)",
            "coalesce(nn.conname::text, '')",
            _NOT_NULL_18,
        )
    return f"""
select a.attrelid as oid, a.attname as name, a.attnum, t.typname as type, tn.nspname as type_schema,
  a.atttypmod as typmod, {_COLLATION.format("a.attcollation")} as collation,
  a.attnotnull and {valid} as not_null, {name} as not_null_constraint,
  a.attidentity::text as identity, a.attgenerated::text as generated,
  pg_get_expr(d.adbin, d.adrelid) as default
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum{join}
where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm')
  and {_OURS_OR_TEMP.format("n")}
order by a.attrelid, a.attnum"""


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
_CHECKED_TYPES = (
    "select a.atttypid from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid"
    " where k.contype = 'c'"
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
  i.indexrelid not in (select oid from invalid) as valid, {period} as period,
    con.oid is not null as constraint,
  array(select coalesce(a.attname::text, '') from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
    where k.n <= i.indnkeyatts order by k.n) as columns,
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
      or ((i.indpred is not null or i.indexprs is not null) and exists (select 1 from stale)) then 'F17'
    when exists (select 1 from unnest(i.indkey::int2[], i.indclass::oid[]) k(attnum, class)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where k.class >= 16384 or a.atttypid in (select oid from changed_types))
      or exists (select 1 from pg_partitioned_table p, unnest(p.partclass::oid[]) as class
        where p.partrelid = i.indrelid and class >= 16384) then 'F18'
    else '' end as doubt
from pg_index i join pg_class ic on ic.oid = i.indexrelid
join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
left join pg_constraint con on con.conindid = i.indexrelid and con.conrelid = i.indrelid
  and con.contype in ('p', 'u', 'x')
where (i.indisunique or {_EQUAL_EXCLUSION}) and c.relkind in ('r', 'p', 'f', 'm')
  and {_OURS_OR_TEMP.format("n")}
order by i.indrelid, i.indisprimary desc, ic.relname"""


def foreign_keys(version: int) -> str:
    """A key of a partitioned table holds if all its copies on partitions do, and if all their triggers fire.

    In doubt (F15) are the tables of a subscription, whose worker applies rows as a replica, and all of them
    where some role or database is set up to act as one.
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
    from subscribed)
    then 'F15' else '' end as doubt,
  array(select a.attname::text from unnest(k.conkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum order by u.n) as columns,
  array(select a.attname::text from unnest(k.confkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum order by u.n) as target_columns
from pg_constraint k join family y on y.oid = k.oid join state s on s.top = y.top cross join replicas r
join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
where k.contype = 'f' and {_OURS_OR_TEMP.format("n")}
order by k.conrelid, k.conname, k.oid"""


def checks(version: int) -> str:
    """A CHECK is in doubt where it compares texts whose order has changed since (F17)."""
    enforced = "k.conenforced" if version >= 180000 else "true"
    return f"""
{_doubts(_CHECKED_TYPES)}
select k.conrelid as oid, k.contypid as type_oid, k.conname as name, k.convalidated as validated,
  {enforced} as enforced, k.connoinherit as no_inherit, pg_get_expr(k.conbin, k.conrelid) as text,
  case when exists (select 1 from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)
      and (a.attcollation in (select oid from stale) or a.atttypid in (select oid from stale_types)))
    or exists (select 1 from pg_depend d where d.classid = 'pg_constraint'::regclass and d.objid = k.oid
      and d.refclassid = 'pg_collation'::regclass and d.refobjid in (select oid from stale))
    then 'F17' else '' end as doubt
from pg_constraint k join pg_namespace n on n.oid = k.connamespace
where k.contype = 'c' and {_OURS_OR_TEMP.format("n")}
order by k.conrelid, k.contypid, k.conname"""


TYPES = f"""
select t.oid, n.nspname as schema, t.typname as name, t.typtype::text as kind,
  t.typcategory::text as category,
  t.typispreferred as preferred,
  case when t.typcategory = 'A' then {key_by_oid("t.typelem")} end as element,
  {key_by_oid("t.typarray")} as array, {_COLLATION.format("t.typcollation")} as collation,
  {key_by_oid("t.typbasetype")} as base, t.typtypmod as base_typmod, t.typnotnull as not_null,
  array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as labels,
  {key_by_oid("r.rngsubtype")} as subtype, ip.provolatile::text as input_volatility,
  op.provolatile::text as output_volatility, t.typrelid as relation
from pg_type t join pg_namespace n on n.oid = t.typnamespace
left join pg_class c on c.oid = t.typrelid
left join pg_type elem on elem.oid = t.typelem and t.typcategory = 'A'
left join pg_class ec on ec.oid = elem.typrelid
left join pg_range r on r.rngtypid = t.oid or r.rngmultitypid = t.oid
left join pg_proc ip on ip.oid = t.typinput left join pg_proc op on op.oid = t.typoutput
where {_OURS.format("n")} and t.typtype in ('b', 'c', 'd', 'e', 'r', 'm', 'p')
  and coalesce(c.relkind, 'c') = 'c' and coalesce(ec.relkind, 'c') = 'c'
order by t.oid"""

COMPOSITE_FIELDS = f"""
select a.attrelid as oid, a.attname as name, t.typname as type, tn.nspname as type_schema,
  a.atttypmod as typmod, {_COLLATION.format("a.attcollation")} as collation
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
where c.relkind = 'c' and a.attnum > 0 and not a.attisdropped and {_OURS.format("n")}
order by a.attrelid, a.attnum"""

FUNCTIONS = f"""
select n.nspname as schema, p.proname as name, {keys_by_oids("p.proargtypes")} as args,
  {key_by_oid("p.prorettype")} as result, p.prokind::text as kind, p.provolatile::text as volatility,
  p.proisstrict as strict, p.proretset as returns_set, p.proleakproof as leakproof,
  {key_by_oid("p.provariadic")} as variadic, p.pronargdefaults as defaults,
  coalesce(p.proargnames, '{{}}') as arg_names, coalesce(p.proargmodes::text[], '{{}}') as modes,
  case when p.proallargtypes is null then '{{}}' else {keys_by_oids("p.proallargtypes")} end as all_types,
  coalesce(a.aggkind::text, '') as agg_kind, coalesce(a.aggnumdirectargs, 0) as direct_args,
  l.lanname as language, coalesce(p.prosrc, '') as body
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
left join pg_aggregate a on a.aggfnoid = p.oid
where {_OURS.format("n")} and p.prokind in ('f', 'a', 'w')
order by p.oid"""

_FUNCTION_REF = """
fn.nspname as f_schema, f.proname as f_name, {args} as f_args, f.provolatile::text as f_volatility,
  f.proisstrict as f_strict, f.proretset as f_returns_set, f.prokind::text as f_kind,
  f.proleakproof as f_leakproof,
  f.provariadic <> 0 as f_variadic""".format(args=keys_by_oids("f.proargtypes"))

OPERATORS = f"""
select n.nspname as schema, o.oprname as name, coalesce({key_by_oid("o.oprleft")}, '') as left,
  {key_by_oid("o.oprright")} as right, {key_by_oid("o.oprresult")} as result,
  coalesce(com.oprname::text, '') as commutator, coalesce(neg.oprname::text, '') as negator,
  coalesce((array['<', '<=', '=', '>=', '>'])[bt.amopstrategy], '') as btree, coalesce(bt.opfname::text,
    '') as family,
  {_FUNCTION_REF}
from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
join pg_proc f on f.oid = o.oprcode join pg_namespace fn on fn.oid = f.pronamespace
left join pg_operator com on com.oid = o.oprcom left join pg_operator neg on neg.oid = o.oprnegate
left join lateral (select am.amopstrategy, fam.opfname from pg_amop am
  join pg_opfamily fam on fam.oid = am.amopfamily join pg_am m on m.oid = fam.opfmethod
  where am.amopopr = o.oid and m.amname = 'btree' and am.amoppurpose = 's'
    order by fam.oid limit 1) bt on true
where {_OURS.format("n")}
order by o.oid"""

CASTS = f"""
select {key_by_oid("k.castsource")} as source, {key_by_oid("k.casttarget")} as target,
  k.castcontext::text as context, k.castmethod::text as method, {_FUNCTION_REF}
from pg_cast k left join pg_proc f on f.oid = k.castfunc left join pg_namespace fn on fn.oid = f.pronamespace
where k.oid >= 16384
order by k.oid"""

COLLATIONS = f"""
select n.nspname as schema, c.collname as name, c.collisdeterministic as deterministic
from pg_collation c join pg_namespace n on n.oid = c.collnamespace
where {_OURS.format("n")} and c.collencoding in (-1, pg_char_to_encoding(getdatabaseencoding()))
order by c.oid"""
