"""What the catalog says of everything that planning or running one SELECT could call, and whose that is.

Owns the queries: names to all objects that they could mean, then everything reached from those, through
views, policies, index and statistics expressions, constraints, types and casts (PostgreSQL manual, "System
Catalogs"; the bound trees that the server keeps are read as pg_node_tree texts). They are planned and run by
the server on its own catalogs only, and must run with ``search_path`` empty: with any other one, a better
match in somebody's schema would take the place of a built-in operator. Must not know what is done with the
answer.

An object is trusted when it is the server's own (made by initdb and still the bootstrap superuser's), or a
member of an extension, where the extension and the object are both a superuser's. A function is trusted only
if no name in it is looked up when it runs (C, internal, or an SQL body that was parsed when it was made,
whose references are followed), and if it does not run SQL, or read types, that its arguments name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.sql.mentions import Mentions

# Built-in functions that run a query, or a type's checks, that an argument names: what they run is seen in no
# tree.
# XML exports take a query or a table's name as text; ts_stat takes a query; the pg_input_... functions take a
# type's
INDIRECT = (
    "query_to_xml",
    "query_to_xmlschema",
    "query_to_xml_and_xmlschema",
    "cursor_to_xml",
    "cursor_to_xmlschema",
    "table_to_xml",
    "table_to_xmlschema",
    "table_to_xml_and_xmlschema",
    "schema_to_xml",
    "schema_to_xmlschema",
    "schema_to_xml_and_xmlschema",
    "database_to_xml",
    "database_to_xmlschema",
    "database_to_xml_and_xmlschema",
    "ts_stat",
    "pg_input_is_valid",
    "pg_input_error_info",
    "satisfies_hash_partition",
)
# Volatile built-in functions without effect on anything but the answer; all others are refused.
# pg_sleep delays only its own statement, which has a limit; sizes are read of relations that are named anyway
WITHOUT_EFFECT = (
    "random",
    "random_normal",
    "clock_timestamp",
    "timeofday",
    "gen_random_uuid",
    "uuidv4",
    "uuidv7",
    "array_sample",
    "array_shuffle",
    "pg_sleep",
    "pg_is_in_recovery",
    "pg_relation_size",
    "pg_table_size",
    "pg_indexes_size",
    "pg_total_relation_size",
    "pg_database_size",
)
# stable functions of other extensions may call SPI with a text that an argument holds
# Extensions whose stable functions run no SQL that an argument holds (tablefunc's and xml2's do).
PLAIN_EXTENSIONS = (
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "earthdistance",
    "fuzzystrmatch",
    "hstore",
    "intarray",
    "isn",
    "ltree",
    "pg_trgm",
    "pgcrypto",
    "postgis",
    "seg",
    "unaccent",
    "uuid-ossp",
    "vector",
)

# FirstNormalObjectId (transam.h): below are the objects that initdb made
_FIRST_NORMAL_OID = 16384
# BOOTSTRAP_SUPERUSERID: the role that initdb runs as
_BOOTSTRAP = 10
# OIDs of the catalogs themselves, the same in all versions
_CLASS, _TYPE, _PROC, _OPERATOR, _OPCLASS, _AM, _EXTENSION = 1259, 1247, 1255, 2617, 2616, 2601, 3079


def _builtin(alias: str, owner: str) -> str:
    # both: a superuser may replace a built-in function or give it to another role, and it keeps its OID
    return f"({alias}.oid < {_FIRST_NORMAL_OID} and {alias}.{owner} = {_BOOTSTRAP})"


def _superuser(oid: str) -> str:
    return f"exists (select from pg_roles su where su.oid = {oid} and su.rolsuper)"


def _member(catalog: int, oid: str, more: str = "") -> str:
    # an objid is unique within its catalog only
    """In an extension of a superuser's."""
    return f"""exists (select from pg_depend md join pg_extension mx on mx.oid = md.refobjid
      where md.classid = {catalog} and md.objid = {oid} and md.refclassid = {_EXTENSION} and md.deptype = 'e'
        and {_superuser("mx.extowner")} {more})"""


def _own(owner: str) -> str:
    return f"(%(own)s and {owner} = (select me.oid from pg_roles me where me.rolname = current_user))"


# 2275 is cstring: input functions, which read a text as any type; ts_rewrite's form of two arguments runs a
# query
# a function that finds what it runs by its arguments, or that changes something
_HARMFUL = f"""(p.proname = any (%(indirect)s::text[]) or {2275} = any (p.proargtypes::oid[])
   or (p.proname = 'ts_rewrite' and p.pronargs = 2)
   or (p.prokind = 'f' and p.provolatile = 'v' and p.proname <> all (%(harmless)s::text[])))"""
_BUILTIN_FUNCTION = f"({_builtin('p', 'proowner')} and not {_HARMFUL})"
_PLAIN_MEMBER = "and (p.provolatile = 'i' or p.prokind <> 'f' or mx.extname = any (%(plain)s::text[]))"
# languages 12 and 13 are internal and C: no name in them is looked up at run time; prosqlbody is parsed
# already
_KNOWN_CODE = f"""(p.prolang in (12, 13) or p.prosqlbody is not null) and p.provolatile <> 'v'
   and {_member(_PROC, "p.oid", _PLAIN_MEMBER)}"""
_TRUSTED_FUNCTION = (
    f"({_BUILTIN_FUNCTION} or ({_KNOWN_CODE} and {_superuser('p.proowner')}) or {_own('p.proowner')})"
)


def _trusted(alias: str, owner: str, catalog: int) -> str:
    return (
        f"({_builtin(alias, owner)} or ({_member(catalog, alias + '.oid')} and "
        f"{_superuser(f'{alias}.{owner}')})"
        f" or {_own(f'{alias}.{owner}')})"
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
  select m.schema as asked, n.nspname, p.oid, p.proargtypes::oid[] as arguments, {_BUILTIN_FUNCTION} as ours
  from unnest(%(function_schemas)s::text[], %(function_names)s::text[]) m (schema, name)
  join pg_proc p on p.proname = m.name join pg_namespace n on n.oid = p.pronamespace
  where {_VISIBLE}
  union all
  select '', n.nspname, p.oid, p.proargtypes::oid[], {_BUILTIN_FUNCTION}
  from unnest(%(attributes)s::text[]) m (name) join pg_proc p on p.proname = m.name
    join pg_namespace n on n.oid = p.pronamespace
  join pg_type t on t.oid = p.proargtypes[0] left join pg_type b on b.oid = t.typbasetype
  where n.nspname = any (%(path)s::text[]) and not {_builtin("p", "proowner")}
    and ('c' in (t.typtype, coalesce(b.typtype, 'x')) or t.typtype = 'p')),
asked_operators as materialized (
  select m.schema as asked, n.nspname, o.oid, array[o.oprleft, o.oprright] as arguments
  from unnest(%(operator_schemas)s::text[], %(operator_names)s::text[]) m (schema, name)
  join pg_operator o on o.oprname = m.name join pg_namespace n on n.oid = o.oprnamespace
  where {_VISIBLE} and not {_builtin("o", "oprowner")})"""

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
    where r.class = {_CLASS} and w.ev_class = r.oid and w.ev_type = '1'
  union all select coalesce(i.indexprs::text, '') || coalesce(i.indpred::text, '') from pg_index i
    where r.class = {_CLASS} and i.indrelid = r.oid
  union all select k.conbin::text from pg_constraint k where r.class = {_CLASS} and k.conrelid = r.oid
    and k.contype = 'c'
  union all select k.conbin::text from pg_constraint k where r.class = {_TYPE} and k.contypid = r.oid
  union all select coalesce(l.polqual::text, '') || coalesce(l.polwithcheck::text, '') from pg_policy l
    where r.class = {_CLASS} and l.polrelid = r.oid
  union all select d.adbin::text from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid
    and a.attnum = d.adnum
    where r.class = {_CLASS} and d.adrelid = r.oid and a.attgenerated <> ''
  union all select x.stxexprs::text from pg_statistic_ext x where r.class = {_CLASS} and x.stxrelid = r.oid
  union all select coalesce(h.partexprs::text, '') from pg_partitioned_table h where r.class = {_CLASS}
    and h.partrelid = r.oid
  union all select coalesce(c.relpartbound::text, '') from pg_class c where r.class = {_CLASS}
    and c.oid = r.oid
  union all select coalesce(p.prosqlbody::text, '') || coalesce(p.proargdefaults::text, '') from pg_proc p
    where r.class = {_PROC} and p.oid = r.oid and p.oid >= {_FIRST_NORMAL_OID}"""

# whatever the planner may open with the object: types of all its columns, also of those that nobody reads
# one row an object, directly behind ``r``
_BEHIND = f"""
  select {_TYPE}, a.atttypid from pg_attribute a
    where r.class = {_CLASS} and a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  union all select {_TYPE}, c.reltype from pg_class c where r.class = {_CLASS} and c.oid = r.oid
  union all select {_AM}, c.relam from pg_class c where r.class = {_CLASS} and c.oid = r.oid
  union all select {_CLASS}, h.inhrelid from pg_inherits h where r.class = {_CLASS} and h.inhparent = r.oid
  union all select {_CLASS}, h.inhparent from pg_inherits h where r.class = {_CLASS} and h.inhrelid = r.oid
  union all select {_OPCLASS}, o from pg_index i, unnest(i.indclass::oid[]) o where r.class = {_CLASS}
    and i.indrelid = r.oid
  union all select {_OPCLASS}, o from pg_partitioned_table h, unnest(h.partclass::oid[]) o
    where r.class = {_CLASS} and h.partrelid = r.oid
  union all select {_TYPE}, o from pg_type t, unnest(array[t.typelem, t.typbasetype]) o
    where r.class = {_TYPE} and t.oid = r.oid
  union all select {_TYPE}, a.atttypid from pg_type t join pg_attribute a on a.attrelid = t.typrelid
    where r.class = {_TYPE} and t.oid = r.oid and t.typtype = 'c' and a.attnum > 0 and not a.attisdropped
  union all select {_PROC}, o from pg_type t, unnest(array[t.typinput, t.typoutput, t.typreceive, t.typsend,
    t.typmodin,
      t.typmodout, t.typanalyze, t.typsubscript]::oid[]) o where r.class = {_TYPE} and t.oid = r.oid
        and o >= {_FIRST_NORMAL_OID}
  union all select k.class, k.oid from pg_range g, lateral (values ({_TYPE}, g.rngsubtype), ({_PROC},
    g.rngcanonical::oid),
      ({_PROC}, g.rngsubdiff::oid), ({_OPCLASS}, g.rngsubopc)) k (class, oid)
    where r.class = {_TYPE} and r.oid in (g.rngtypid, g.rngmultitypid)
  union all select {_PROC}, o from pg_operator p, unnest(array[p.oprcode, p.oprrest, p.oprjoin]::oid[]) o
    where r.class = {_OPERATOR} and p.oid = r.oid
  union all select {_OPERATOR}, o from pg_operator p, unnest(array[p.oprcom, p.oprnegate]) o
    where r.class = {_OPERATOR} and p.oid = r.oid
  union all select {_PROC}, o from pg_aggregate g, unnest(array[g.aggtransfn, g.aggfinalfn, g.aggcombinefn,
    g.aggserialfn,
      g.aggdeserialfn, g.aggmtransfn, g.aggminvtransfn, g.aggmfinalfn]::oid[]) o
    where r.class = {_PROC} and g.aggfnoid = r.oid and o >= {_FIRST_NORMAL_OID}
  union all select {_OPERATOR}, g.aggsortop from pg_aggregate g where r.class = {_PROC} and g.aggfnoid = r.oid
  union all select k.class, k.oid from ({_TREES}) t (tree) cross join lateral {_NUMBERS}
    cross join lateral (
      select {_CLASS} as class, c.oid from pg_class c where c.oid = found.number[1]::oid
      union all select {_TYPE}, y.oid from pg_type y where y.oid = found.number[1]::oid
      union all select {_PROC}, p.oid from pg_proc p where p.oid = found.number[1]::oid
      union all select {_OPERATOR}, p.oid from pg_operator p where p.oid = found.number[1]::oid) k
    where found.number[1]::bigint between {_FIRST_NORMAL_OID} and 4294967295
  union all select {_PROC}, p.oid from ({_TREES}) t (tree) cross join lateral {_CALLS}
    join pg_proc p on p.oid = found.number[1]::oid where not {_BUILTIN_FUNCTION}"""

# what initdb made needs no look behind it
_FOREIGN = f"""case e.class
  when {_CLASS} then not exists (select from pg_class c where c.oid = e.oid and {_builtin("c", "relowner")})
  when {_TYPE} then not exists (select from pg_type t where t.oid = e.oid and {_builtin("t", "typowner")})
  when {_PROC} then not exists (select from pg_proc p where p.oid = e.oid and {_BUILTIN_FUNCTION})
  when {_OPERATOR} then not exists (select from pg_operator o where o.oid = e.oid
    and {_builtin("o", "oprowner")})
  when {_OPCLASS} then not exists (select from pg_opclass o where o.oid = e.oid
    and {_builtin("o", "opcowner")})
  else e.oid >= {_FIRST_NORMAL_OID} end"""

# UNION, not UNION ALL: objects may reach themselves. A function's name may also be a type's: numeric(x) is a
# cast
_REACHED = f"""
reached (class, oid) as (
  select e.class, e.oid from (
    select {_CLASS}, oid from asked_relations
    union select {_TYPE}, oid from asked_types
    union select {_TYPE}, unnest(%(parameters)s::oid[])
    union select {_PROC}, oid from asked_functions where not ours
    union select {_TYPE}, t.oid from unnest(%(function_schemas)s::text[],
      %(function_names)s::text[]) m (schema, name)
      join pg_type t on t.typname = m.name join pg_namespace n on n.oid = t.typnamespace where {_VISIBLE}
    union select {_OPERATOR}, oid from asked_operators) e (class, oid)
  where {_FOREIGN}
  union
  select e.class, e.oid from reached r cross join lateral ({_BEHIND}) e (class, oid)
  where e.oid <> 0 and {_FOREIGN})"""


# types that were never reached can't be an argument's
_OCCURS = f"(u < {_FIRST_NORMAL_OID} or exists (select from reached q where q.class = {_TYPE} and q.oid = u))"


def _possible(type_oid: str) -> str:
    """Whether a value of this type can occur: a built-in one, an extension's, or one that was reached."""
    return (
        f"({type_oid} < {_FIRST_NORMAL_OID} or {_member(_TYPE, type_oid)}"
        f" or exists (select from reached q where q.class = {_TYPE} and q.oid = {type_oid}))"
    )


# casts are found by their types alone, so any between two types that can occur may be called
_STRANGERS = f"""
strangers (class, oid) as (
  select r.class, r.oid from reached r join pg_proc p on p.oid = r.oid where r.class = {_PROC}
    and not {_TRUSTED_FUNCTION}
  union all select r.class, r.oid from reached r join pg_operator o on o.oid = r.oid
    where r.class = {_OPERATOR} and not {_trusted("o", "oprowner", _OPERATOR)}
  union all select r.class, r.oid from reached r join pg_opclass o on o.oid = r.oid
    where r.class = {_OPCLASS} and not {_trusted("o", "opcowner", _OPCLASS)}
  union all select r.class, r.oid from reached r where r.class = {_AM} and not {_member(_AM, "r.oid")}
  union all select r.class, r.oid from reached r join pg_class c on c.oid = r.oid where r.class = {_CLASS}
    and c.relkind = 'f'
  union all select {_PROC}, p.oid from pg_cast k join pg_proc p on p.oid = k.castfunc
    where p.oid >= {_FIRST_NORMAL_OID} and {_possible("k.castsource")} and {_possible("k.casttarget")}
      and not {_TRUSTED_FUNCTION})"""

_DESCRIBED = f"""
  select pg_describe_object(s.class, s.oid, 0), s.class::int, case s.class
    when {_PROC} then (select pg_get_userbyid(p.proowner)::text from pg_proc p where p.oid = s.oid)
    when {_OPERATOR} then (select pg_get_userbyid(o.oprowner)::text from pg_operator o where o.oid = s.oid)
    when {_OPCLASS} then (select pg_get_userbyid(o.opcowner)::text from pg_opclass o where o.oid = s.oid)
    when {_CLASS} then (select pg_get_userbyid(c.relowner)::text from pg_class c where c.oid = s.oid)
      else '' end,
    s.oid::bigint < {_FIRST_NORMAL_OID}
  from strangers s order by s.oid::bigint limit 1"""

# all answers in one row: a second query would see another state of the catalog
_LOOK = f"""
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
_RELATIONS = f"""
with {_ASKED.split("asked_types", maxsplit=1)[0].strip().rstrip(",")}
select a.place, a.oid::bigint, a.relkind::text, a.nspname::text from asked_relations a order by a.place"""

_TYPES: Mapping[str, str] = {"parameters": "oid[]", "own": "boolean"}


class _Statement:
    """A query of ours that is planned once for a connection: its plan takes the server far longer than its
    rows.

    It is prepared in SQL, inside the transaction that runs it, so that it works behind any pooler; equal
    names have equal texts.
    """

    def __init__(self, text: str) -> None:
        # psycopg's %(name)s become PREPARE's $1, each name once
        self.parameters = tuple(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
        for number, name in enumerate(self.parameters, 1):
            text = re.sub(rf"%\({name}\)s(::text\[\]|::oid\[\])?", f"${number}", text)
        types = ", ".join(_TYPES.get(name, "text[]") for name in self.parameters)
        # by the text, so that a new version of this program never runs an old plan
        self.name = "rewright_" + hashlib.sha256(text.encode()).hexdigest()[:24]
        self.prepare = f"prepare {self.name} ({types}) as {text}".encode()

    def run(self, connection: psycopg.Connection[Any], values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        # ClientCursor writes values into the text: EXECUTE takes no protocol parameters
        with psycopg.ClientCursor(connection) as cursor:
            # asked each time: a pooler may have given us another backend, which has not prepared it
            known = cursor.execute(
                "select from pg_prepared_statements where name = %s", [self.name]
            ).fetchone()
            if known is None:
                connection.execute(self.prepare)
            given = [values[name] for name in self.parameters]
            marks = ", ".join(["%s"] * len(given))
            return cursor.execute(f"execute {self.name} ({marks})".encode(), given).fetchall()


_RELATIONS_OF = _Statement(_RELATIONS)
_LOOK_AT = _Statement(_LOOK)


@dataclass(frozen=True, slots=True)
class Relation:
    """One that a text names. ``place``: which of the mentions, from 0; ``kind``: pg_class.relkind."""

    place: int
    oid: int
    kind: str
    schema: str


@dataclass(frozen=True, slots=True)
class Stranger:
    """An object that is not trusted. ``builtin``: PostgreSQL's own, but it runs what its arguments name or
    has effects.
    """

    what: str
    owner: str
    kind: int
    builtin: bool

    @property
    def reason(self) -> str:
        if self.builtin:
            return f"it uses {self.what}, which has effects or runs what its arguments name"
        if self.kind == _CLASS:
            return f"it reads foreign table {self.what.removeprefix('foreign table ')}"
        return f"it uses {self.what}, whose owner is {self.owner}" if self.owner else f"it uses {self.what}"


@dataclass(frozen=True, slots=True)
class Look:
    """``types``: schemas of the types named, by mention; ``schemas``: where unqualified functions and
    operators can be found.
    """

    relations: tuple[Relation, ...]
    types: tuple[tuple[int, str], ...]
    schemas: frozenset[str]
    stranger: Stranger | None


@dataclass(frozen=True, slots=True)
class Question:
    """``path``: schemas that names are looked up in, pg_catalog included; ``parameters``: OIDs of parameters'
    types;
    ``own``: what the session's own role owns is trusted, too.
    """

    mentions: Mentions
    path: tuple[str, ...]
    parameters: tuple[int, ...] = ()
    own: bool = False

    def values(self) -> dict[str, Any]:
        found = self.mentions
        return {
            "path": list(self.path),
            "relation_schemas": [m.name.schema for m in found.relations],
            "relation_names": [m.name.name for m in found.relations],
            "type_schemas": [m.name.schema for m in found.types],
            "type_names": [m.name.name for m in found.types],
            "function_schemas": [name.schema for name in found.functions],
            "function_names": [name.name for name in found.functions],
            "operator_schemas": [name.schema for name in found.operators],
            "operator_names": [name.name for name in found.operators],
            "attributes": list(found.attributes),
            "parameters": list(self.parameters),
            "own": self.own,
            "indirect": list(INDIRECT),
            "harmless": list(WITHOUT_EFFECT),
            "plain": list(PLAIN_EXTENSIONS),
        }


def relations(connection: psycopg.Connection[Any], question: Question) -> tuple[Relation, ...]:
    """What the relations' names mean now. Raises psycopg.Error."""
    rows = _RELATIONS_OF.run(connection, question.values())
    return tuple(Relation(int(place) - 1, int(oid), kind, schema) for place, oid, kind, schema in rows)


def look(connection: psycopg.Connection[Any], question: Question) -> Look:
    """Everything that the text could reach, judged. Raises psycopg.Error."""
    ((named, types, schemas, stranger),) = _LOOK_AT.run(connection, question.values())
    return Look(
        tuple(Relation(int(place) - 1, int(oid), kind, schema) for place, oid, kind, schema in named),
        tuple((int(place) - 1, schema) for place, schema in types),
        frozenset(schemas),
        None
        if stranger is None
        else Stranger(stranger["what"], stranger["owner"], stranger["class"], stranger["builtin"]),
    )


def names(values: Sequence[str]) -> str:
    """A search_path of these schemas."""
    return ", ".join('"' + value.replace('"', '""') + '"' for value in values)
