"""The catalog queries of a snapshot, for PostgreSQL 14 to 18, read with an empty search_path.

Owns the differences between the versions. Every query returns columns named as ``catalog.py`` reads
them. System schemas, other sessions' temporary schemas and the information schema are left out.
"""

from __future__ import annotations

# Names of types as keys: typname, preceded by the schema unless it is pg_catalog.
_KEY = "case when {n}.nspname = 'pg_catalog' then {t}.typname else {n}.nspname || '.' || {t}.typname end"
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

RELATIONS = f"""
select c.oid, n.nspname as schema, c.relname as name, c.relkind::text as kind,
  c.relrowsecurity as row_security, c.relpersistence::text as persistence, c.relispartition as is_partition,
  coalesce(c.reloptions::text[], '{{}}') as options,
  case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) else '' end as definition,
  exists (select 1 from pg_rewrite r where r.ev_class = c.oid and r.rulename <> '_RETURN') as has_rules,
  exists (select 1 from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers,
  exists (select 1 from pg_inherits i where i.inhparent = c.oid) and c.relkind = 'r' as has_children
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


def keys(version: int) -> str:
    nulls_distinct = "not i.indnullsnotdistinct" if version >= 150000 else "true"
    period = "coalesce(con.conperiod, false)" if version >= 180000 else "false"
    return f"""
select i.indrelid as oid, ic.relname as name, i.indisprimary as primary, {nulls_distinct} as nulls_distinct,
  not i.indimmediate as deferrable, i.indpred is not null as partial, i.indexprs is not null as expression,
  i.indisvalid and i.indisready and i.indislive as valid, {period} as period, con.oid is not null as constraint,
  array(select coalesce(a.attname::text, '') from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
    where k.n <= i.indnkeyatts order by k.n) as columns,
  exists (select 1 from unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[])
      with ordinality k(attnum, class, coll, n)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    left join pg_opclass o on o.oid = k.class left join pg_collation co on co.oid = k.coll
    where k.n <= i.indnkeyatts and (not coalesce(o.opcdefault, false)
      or k.coll is distinct from coalesce(a.attcollation, k.coll)
      or not coalesce(co.collisdeterministic, true))) as foreign_equality
from pg_index i join pg_class ic on ic.oid = i.indexrelid
join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
left join pg_constraint con on con.conindid = i.indexrelid and con.conrelid = i.indrelid and con.contype in ('p', 'u', 'x')
where i.indisunique and c.relkind in ('r', 'p', 'f', 'm') and {_OURS_OR_TEMP.format("n")}
order by i.indrelid, i.indisprimary desc, ic.relname"""


def foreign_keys(version: int) -> str:
    enforced = "k.conenforced" if version >= 180000 else "true"
    period = "k.conperiod" if version >= 180000 else "false"
    return f"""
select k.conrelid as oid, k.conname as name, fn.nspname as target_schema, f.relname as target,
  k.confmatchtype::text as match, k.convalidated as validated, {enforced} as enforced,
  k.condeferrable as deferrable, {period} as period,
  not exists (select 1 from pg_trigger t where t.tgconstraint = k.oid and t.tgenabled <> 'O') as triggers_enabled,
  array(select a.attname::text from unnest(k.conkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum order by u.n) as columns,
  array(select a.attname::text from unnest(k.confkey) with ordinality u(attnum, n)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum order by u.n) as target_columns
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
where k.contype = 'f' and {_OURS_OR_TEMP.format("n")}
order by k.conrelid, k.conname, k.oid"""


def checks(version: int) -> str:
    enforced = "k.conenforced" if version >= 180000 else "true"
    return f"""
select k.conrelid as oid, k.contypid as type_oid, k.conname as name, k.convalidated as validated,
  {enforced} as enforced, k.connoinherit as no_inherit, pg_get_expr(k.conbin, k.conrelid) as text
from pg_constraint k join pg_namespace n on n.oid = k.connamespace
where k.contype = 'c' and {_OURS_OR_TEMP.format("n")}
order by k.conrelid, k.contypid, k.conname"""


TYPES = f"""
select t.oid, n.nspname as schema, t.typname as name, t.typtype::text as kind, t.typcategory::text as category,
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
  f.proisstrict as f_strict, f.proretset as f_returns_set, f.prokind::text as f_kind, f.proleakproof as f_leakproof,
  f.provariadic <> 0 as f_variadic""".format(args=keys_by_oids("f.proargtypes"))

OPERATORS = f"""
select n.nspname as schema, o.oprname as name, coalesce({key_by_oid("o.oprleft")}, '') as left,
  {key_by_oid("o.oprright")} as right, {key_by_oid("o.oprresult")} as result,
  coalesce(com.oprname::text, '') as commutator, coalesce(neg.oprname::text, '') as negator,
  coalesce((array['<', '<=', '=', '>=', '>'])[bt.amopstrategy], '') as btree, coalesce(bt.opfname::text, '') as family,
  {_FUNCTION_REF}
from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
join pg_proc f on f.oid = o.oprcode join pg_namespace fn on fn.oid = f.pronamespace
left join pg_operator com on com.oid = o.oprcom left join pg_operator neg on neg.oid = o.oprnegate
left join lateral (select am.amopstrategy, fam.opfname from pg_amop am
  join pg_opfamily fam on fam.oid = am.amopfamily join pg_am m on m.oid = fam.opfmethod
  where am.amopopr = o.oid and m.amname = 'btree' and am.amoppurpose = 's' order by fam.oid limit 1) bt on true
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
