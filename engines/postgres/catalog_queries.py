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
OURS_OR_TEMP = (
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
# others change what a statement does. Bounds of partitions are not read: they may be untrue of rows (F23).
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
  c.oid in (select oid from above_foreign) as foreign_children
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f', 'v', 'm') and {OURS_OR_TEMP.format("n")}
order by c.oid"""

PARENTS = f"""
select i.inhrelid as oid, n.nspname as schema, c.relname as name
from pg_inherits i join pg_class c on c.oid = i.inhparent join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f') and {OURS_OR_TEMP.format("n")}
order by i.inhrelid, i.inhseqno"""

# A NOT NULL constraint that is NOT VALID (18) does not hold for the rows that are there, nor do those of the
# parents, on which SET NOT NULL makes a valid one without a look at such children (F11).
_UNCHECKED_18 = """
with recursive unchecked(oid, name) as (
  select k.conrelid, a.attname from pg_constraint k
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'n' and not k.convalidated
  union select h.inhparent, u.name from unchecked u join pg_inherits h on h.inhrelid = u.oid
)"""
_NOT_NULL_18 = """
left join pg_constraint nn on nn.conrelid = a.attrelid and nn.contype = 'n' and nn.conkey = array[a.attnum]"""


def columns(version: int) -> str:
    unchecked, valid, name, join = "", "true", "''", ""
    if version >= 180000:
        # connoinherit: the rows of children may still be NULL
        unchecked, valid, name, join = (
            _UNCHECKED_18,
            """coalesce(not nn.connoinherit, true)
    and (a.attrelid, a.attname) not in (select oid, name from unchecked)""",
            "coalesce(nn.conname::text, '')",
            _NOT_NULL_18,
        )
    return f"""{unchecked}
select a.attrelid as oid, a.attname as name, a.attnum, t.typname as type, tn.nspname as type_schema,
  t.typtype = 'e' as enum,
  a.atttypmod as typmod, {_COLLATION.format("a.attcollation")} as collation,
  a.attnotnull and {valid} as not_null, {name} as not_null_constraint,
  a.attidentity::text as identity, a.attgenerated::text as generated,
  pg_get_expr(d.adbin, d.adrelid) as default
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum{join}
where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm')
  and {OURS_OR_TEMP.format("n")}
order by a.attrelid, a.attnum"""


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
  t.typtype = 'e' as enum,
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
  coalesce(pg_get_expr(p.proargdefaults, 0), '') as default_text,
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
