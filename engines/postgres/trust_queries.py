"""The queries that find everything one SELECT could call, and judge whose it is.

Owns the queries: names to all objects that they could mean, then everything reached from those, through
views, policies, index and statistics expressions, constraints, types and casts (PostgreSQL manual, "System
Catalogs"; the bound trees that the server keeps are read as pg_node_tree texts). They are planned and run by
the server on its own catalogs only, and must run with ``search_path`` empty: with any other one, a better
match in somebody's schema would take the place of a built-in operator. Must not know what is done with the
answer. What counts as trusted is `trust_rules`' business.
"""

from __future__ import annotations

from rewright.engines.postgres.trust_rules import (
    AM,
    BUILTIN_FUNCTION,
    CLASS,
    FIRST_NORMAL_OID,
    OPCLASS,
    OPERATOR,
    PROC,
    TRUSTED_FUNCTION,
    TYPE,
    builtin,
    member,
    trusted,
)

# Whose name it is: in the schema that was written, or in one that the search path goes through.
_VISIBLE = "case when m.schema = '' then n.nspname = any (%(path)s::text[]) else n.nspname = m.schema end"
# the first schema of the path wins, as in RangeVarGetRelid
_FIRST = "order by array_position(%(path)s::text[], n.nspname::text) limit 1"

# Every function of a name counts, whatever its arguments: which one is called is known only after parsing.
# An attribute in dot notation may be a function of one row: r.f is f(r) (manual, 8.16.5).
_ASKED = f"""
asked_relations as materialized (
  select m.place, f.* from unnest(%(relation_schemas)s::text[],
    %(relation_names)s::text[]) with ordinality m (schema, name, place)
  cross join lateral (
    select c.oid, c.relkind, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = m.name and {_VISIBLE} {_FIRST}) f),
asked_types as materialized (
  select m.place, f.* from unnest(%(type_schemas)s::text[], %(type_names)s::text[]) with ordinality m (schema,
    name, place)
  cross join lateral (
    select t.oid, n.nspname from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typname = m.name and {_VISIBLE} {_FIRST}) f),
asked_functions as materialized (
  select m.schema as asked, n.nspname, p.oid, p.proargtypes::oid[] as arguments, {BUILTIN_FUNCTION} as ours
  from unnest(%(function_schemas)s::text[], %(function_names)s::text[]) m (schema, name)
  join pg_proc p on p.proname = m.name join pg_namespace n on n.oid = p.pronamespace
  where {_VISIBLE}
  union all
  select '', n.nspname, p.oid, p.proargtypes::oid[], {BUILTIN_FUNCTION}
  from unnest(%(attributes)s::text[]) m (name) join pg_proc p on p.proname = m.name
    join pg_namespace n on n.oid = p.pronamespace
  join pg_type t on t.oid = p.proargtypes[0] left join pg_type b on b.oid = t.typbasetype
  where n.nspname = any (%(path)s::text[]) and not {builtin("p", "proowner")}
    and ('c' in (t.typtype, coalesce(b.typtype, 'x')) or t.typtype = 'p')),
asked_operators as materialized (
  select m.schema as asked, n.nspname, o.oid, array[o.oprleft, o.oprright] as arguments
  from unnest(%(operator_schemas)s::text[], %(operator_names)s::text[]) m (schema, name)
  join pg_operator o on o.oprname = m.name join pg_namespace n on n.oid = o.oprnamespace
  where {_VISIBLE} and not {builtin("o", "oprowner")})"""

# locations and lengths are numbers as well, and a place such as 16500 would look like an OID
# Integers of a bound tree that can be OIDs of what users made; places in the text are no OIDs.
_NUMBERS = r"""regexp_matches(regexp_replace(t.tree, ':\w*(location|len) -?\d+', '', 'g'),
  '[ (](\d{5,10})(?=[ )}])', 'g') as found (number)"""
# calls by OIDs below 16384, too: a built-in may be one that is refused
_CALLS = r"""regexp_matches(t.tree, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d{1,5})(?=[ }])',
  'g') as found (number)"""

# pg_node_tree texts, each of which the planner may fold, inline or estimate with
_TREES = f"""
  select w.ev_action::text || coalesce(w.ev_qual::text, '') from pg_rewrite w
    where r.class = {CLASS} and w.ev_class = r.oid and w.ev_type = '1'
  union all select coalesce(i.indexprs::text, '') || coalesce(i.indpred::text, '') from pg_index i
    where r.class = {CLASS} and i.indrelid = r.oid
  union all select k.conbin::text from pg_constraint k where r.class = {CLASS} and k.conrelid = r.oid
    and k.contype = 'c'
  union all select k.conbin::text from pg_constraint k where r.class = {TYPE} and k.contypid = r.oid
  union all select coalesce(l.polqual::text, '') || coalesce(l.polwithcheck::text, '') from pg_policy l
    where r.class = {CLASS} and l.polrelid = r.oid
  union all select d.adbin::text from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid
    and a.attnum = d.adnum
    where r.class = {CLASS} and d.adrelid = r.oid and a.attgenerated <> ''
  union all select x.stxexprs::text from pg_statistic_ext x where r.class = {CLASS} and x.stxrelid = r.oid
  union all select coalesce(h.partexprs::text, '') from pg_partitioned_table h where r.class = {CLASS}
    and h.partrelid = r.oid
  union all select coalesce(c.relpartbound::text, '') from pg_class c where r.class = {CLASS}
    and c.oid = r.oid
  union all select coalesce(p.prosqlbody::text, '') || coalesce(p.proargdefaults::text, '') from pg_proc p
    where r.class = {PROC} and p.oid = r.oid and p.oid >= {FIRST_NORMAL_OID}"""

# whatever the planner may open with the object: types of all its columns, also of those that nobody reads
# one row an object, directly behind ``r``
_BEHIND = f"""
  select {TYPE}, a.atttypid from pg_attribute a
    where r.class = {CLASS} and a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  union all select {TYPE}, c.reltype from pg_class c where r.class = {CLASS} and c.oid = r.oid
  union all select {AM}, c.relam from pg_class c where r.class = {CLASS} and c.oid = r.oid
  union all select {CLASS}, h.inhrelid from pg_inherits h where r.class = {CLASS} and h.inhparent = r.oid
  union all select {CLASS}, h.inhparent from pg_inherits h where r.class = {CLASS} and h.inhrelid = r.oid
  union all select {OPCLASS}, o from pg_index i, unnest(i.indclass::oid[]) o where r.class = {CLASS}
    and i.indrelid = r.oid
  union all select {OPCLASS}, o from pg_partitioned_table h, unnest(h.partclass::oid[]) o
    where r.class = {CLASS} and h.partrelid = r.oid
  union all select {TYPE}, o from pg_type t, unnest(array[t.typelem, t.typbasetype]) o
    where r.class = {TYPE} and t.oid = r.oid
  union all select {TYPE}, a.atttypid from pg_type t join pg_attribute a on a.attrelid = t.typrelid
    where r.class = {TYPE} and t.oid = r.oid and t.typtype = 'c' and a.attnum > 0 and not a.attisdropped
  union all select {PROC}, o from pg_type t, unnest(array[t.typinput, t.typoutput, t.typreceive, t.typsend,
    t.typmodin,
      t.typmodout, t.typanalyze, t.typsubscript]::oid[]) o where r.class = {TYPE} and t.oid = r.oid
        and o >= {FIRST_NORMAL_OID}
  union all select k.class, k.oid from pg_range g, lateral (values ({TYPE}, g.rngsubtype), ({PROC},
    g.rngcanonical::oid),
      ({PROC}, g.rngsubdiff::oid), ({OPCLASS}, g.rngsubopc)) k (class, oid)
    where r.class = {TYPE} and r.oid in (g.rngtypid, g.rngmultitypid)
  union all select {PROC}, o from pg_operator p, unnest(array[p.oprcode, p.oprrest, p.oprjoin]::oid[]) o
    where r.class = {OPERATOR} and p.oid = r.oid
  union all select {OPERATOR}, o from pg_operator p, unnest(array[p.oprcom, p.oprnegate]) o
    where r.class = {OPERATOR} and p.oid = r.oid
  union all select {PROC}, o from pg_aggregate g, unnest(array[g.aggtransfn, g.aggfinalfn, g.aggcombinefn,
    g.aggserialfn,
      g.aggdeserialfn, g.aggmtransfn, g.aggminvtransfn, g.aggmfinalfn]::oid[]) o
    where r.class = {PROC} and g.aggfnoid = r.oid and o >= {FIRST_NORMAL_OID}
  union all select {OPERATOR}, g.aggsortop from pg_aggregate g where r.class = {PROC} and g.aggfnoid = r.oid
  union all select k.class, k.oid from ({_TREES}) t (tree) cross join lateral {_NUMBERS}
    cross join lateral (
      select {CLASS} as class, c.oid from pg_class c where c.oid = found.number[1]::oid
      union all select {TYPE}, y.oid from pg_type y where y.oid = found.number[1]::oid
      union all select {PROC}, p.oid from pg_proc p where p.oid = found.number[1]::oid
      union all select {OPERATOR}, p.oid from pg_operator p where p.oid = found.number[1]::oid) k
    where found.number[1]::bigint between {FIRST_NORMAL_OID} and 4294967295
  union all select {PROC}, p.oid from ({_TREES}) t (tree) cross join lateral {_CALLS}
    join pg_proc p on p.oid = found.number[1]::oid where not {BUILTIN_FUNCTION}"""

# what initdb made needs no look behind it
_FOREIGN = f"""case e.class
  when {CLASS} then not exists (select from pg_class c where c.oid = e.oid and {builtin("c", "relowner")})
  when {TYPE} then not exists (select from pg_type t where t.oid = e.oid and {builtin("t", "typowner")})
  when {PROC} then not exists (select from pg_proc p where p.oid = e.oid and {BUILTIN_FUNCTION})
  when {OPERATOR} then not exists (select from pg_operator o where o.oid = e.oid
    and {builtin("o", "oprowner")})
  when {OPCLASS} then not exists (select from pg_opclass o where o.oid = e.oid
    and {builtin("o", "opcowner")})
  else e.oid >= {FIRST_NORMAL_OID} end"""

# UNION, not UNION ALL: objects may reach themselves. A function's name may also be a type's: numeric(x) is a
# cast
_REACHED = f"""
reached (class, oid) as (
  select e.class, e.oid from (
    select {CLASS}, oid from asked_relations
    union select {TYPE}, oid from asked_types
    union select {TYPE}, unnest(%(parameters)s::oid[])
    union select {PROC}, oid from asked_functions where not ours
    union select {TYPE}, t.oid from unnest(%(function_schemas)s::text[],
      %(function_names)s::text[]) m (schema, name)
      join pg_type t on t.typname = m.name join pg_namespace n on n.oid = t.typnamespace where {_VISIBLE}
    union select {OPERATOR}, oid from asked_operators) e (class, oid)
  where {_FOREIGN}
  union
  select e.class, e.oid from reached r cross join lateral ({_BEHIND}) e (class, oid)
  where e.oid <> 0 and {_FOREIGN})"""

# types that were never reached can't be an argument's
_OCCURS = f"(u < {FIRST_NORMAL_OID} or exists (select from reached q where q.class = {TYPE} and q.oid = u))"


def _possible(type_oid: str) -> str:
    """Whether a value of this type can occur: a built-in one, an extension's, or one that was reached."""
    return (
        f"({type_oid} < {FIRST_NORMAL_OID} or {member(TYPE, type_oid)}"
        f" or exists (select from reached q where q.class = {TYPE} and q.oid = {type_oid}))"
    )


# casts are found by their types alone, so any between two types that can occur may be called
_STRANGERS = f"""
strangers (class, oid) as (
  select r.class, r.oid from reached r join pg_proc p on p.oid = r.oid where r.class = {PROC}
    and not {TRUSTED_FUNCTION}
  union all select r.class, r.oid from reached r join pg_operator o on o.oid = r.oid
    where r.class = {OPERATOR} and not {trusted("o", "oprowner", OPERATOR)}
  union all select r.class, r.oid from reached r join pg_opclass o on o.oid = r.oid
    where r.class = {OPCLASS} and not {trusted("o", "opcowner", OPCLASS)}
  union all select r.class, r.oid from reached r where r.class = {AM} and not {member(AM, "r.oid")}
  union all select r.class, r.oid from reached r join pg_class c on c.oid = r.oid where r.class = {CLASS}
    and c.relkind = 'f'
  union all select {PROC}, p.oid from pg_cast k join pg_proc p on p.oid = k.castfunc
    where p.oid >= {FIRST_NORMAL_OID} and {_possible("k.castsource")} and {_possible("k.casttarget")}
      and not {TRUSTED_FUNCTION})"""

_DESCRIBED = f"""
  select pg_describe_object(s.class, s.oid, 0), s.class::int, case s.class
    when {PROC} then (select pg_get_userbyid(p.proowner)::text from pg_proc p where p.oid = s.oid)
    when {OPERATOR} then (select pg_get_userbyid(o.oprowner)::text from pg_operator o where o.oid = s.oid)
    when {OPCLASS} then (select pg_get_userbyid(o.opcowner)::text from pg_opclass o where o.oid = s.oid)
    when {CLASS} then (select pg_get_userbyid(c.relowner)::text from pg_class c where c.oid = s.oid)
      else '' end,
    s.oid::bigint < {FIRST_NORMAL_OID}
  from strangers s order by s.oid::bigint limit 1"""

# all answers in one row: a second query would see another state of the catalog
LOOK = f"""
with recursive {_ASKED}, {_REACHED}, {_STRANGERS},
schemas as (
  select a.nspname from asked_functions a
    where a.asked = '' and not exists (select from unnest(a.arguments) u where not {_OCCURS})
  union select a.nspname from asked_operators a
    where a.asked = '' and not exists (select from unnest(a.arguments) u where not {_OCCURS}))
select array(select array[a.place::text, a.oid::text, a.relkind::text, a.nspname::text] from asked_relations a
  order by a.place),
  array(select array[a.place::text, a.nspname::text] from asked_types a order by a.place),
  array(select s.nspname::text from schemas s),
  (select to_json(d) from ({_DESCRIBED}) d (what, class, owner, builtin))"""

# the relations alone, to lock them before anything else is looked at
RELATIONS = f"""
with {_ASKED.split("asked_types", maxsplit=1)[0].strip().rstrip(",")}
select a.place, a.oid::bigint, a.relkind::text, a.nspname::text from asked_relations a order by a.place"""
