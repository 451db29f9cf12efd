"""The shape of a schema as the generator needs it: columns, keys, references, checks.

Read from the catalogs of the scratch database in which the DDL was run, so it is what PostgreSQL
understood. Must not know queries.
"""

from __future__ import annotations

import graphlib
from dataclasses import dataclass
from typing import Any, Literal

import psycopg

Family = Literal[
    "int", "numeric", "float", "text", "bool", "date", "timestamp", "time", "interval", "enum", "other"
]
_FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "int"),
    "numeric": "numeric",
    **dict.fromkeys(("float4", "float8"), "float"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "citext"), "text"),
    "bool": "bool",
    "date": "date",
    **dict.fromkeys(("timestamp", "timestamptz"), "timestamp"),
    **dict.fromkeys(("time", "timetz"), "time"),
    "interval": "interval",
}


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """A stored column. ``type`` is what format_type prints, ``base`` the base type's internal name."""

    name: str
    type: str
    base: str
    typmod: int
    family: Family
    nullable: bool
    generated: bool = False
    labels: tuple[str, ...] = ()
    domain: bool = False
    # what a value of its domain meets, which is called VALUE there
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    columns: tuple[int, ...]
    nulls_distinct: bool
    # may be violated until the end of a transaction
    deferrable: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key; ``parent`` is an index into Shape.tables."""

    name: str
    columns: tuple[int, ...]
    parent: int
    parent_columns: tuple[int, ...]
    deferrable: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    expression: str
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableShape:
    schema: str
    name: str
    oid: int
    columns: tuple[ColumnShape, ...]
    keys: tuple[Key, ...]
    references: tuple[Reference, ...]
    checks: tuple[Check, ...]
    plain: bool  # no inheritance, no partitions: a stand-in can replace it
    insertable: bool = True  # False for a partition (filled through its root)
    # what is read or filled along with it: inheritance children, the root of a partition
    relatives: tuple[int, ...] = ()
    # read by a unique index of some rows or of expressions, or by one that excludes: rows pass it, or do not;
    # and those that say which partition a row is in
    indexed: frozenset[int] = frozenset()
    # the condition that rows of a partition meet; empty for other tables
    bounds: str = ""

    @property
    def stored(self) -> tuple[int, ...]:
        """Positions of the columns that are given values."""
        return tuple(i for i, column in enumerate(self.columns) if not column.generated)


@dataclass(frozen=True, slots=True)
class Shape:
    """All tables; ``order`` lists them parents first, references in ``cyclic`` not counted."""

    tables: tuple[TableShape, ...]
    order: tuple[int, ...]
    cyclic: frozenset[tuple[int, str]]

    @property
    def deferrable(self) -> bool:
        """Whether a transaction may read rows that violate a constraint."""
        keys = any(key.deferrable for table in self.tables for key in table.keys)
        return keys or any(r.deferrable for table in self.tables for r in table.references)

    def find(self, schema: str, name: str, path: tuple[str, ...] = ("public",)) -> int | None:
        for wanted in (schema,) if schema else path:
            for index, table in enumerate(self.tables):
                if (table.schema, table.name) == (wanted, name):
                    return index
        return None


_TABLES = """
select c.oid::int8, n.nspname, c.relname,
       c.relkind = 'p' or exists (select from pg_inherits i
         where i.inhparent = c.oid or i.inhrelid = c.oid) as family,
       c.relispartition, coalesce(pg_get_partition_constraintdef(c.oid), '')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'rw_batch',
  'pg_toast')
  and n.nspname not like 'pg\\_temp%%'
order by c.oid"""
_INHERITS = """
select i.inhparent::int8, i.inhrelid::int8, c.relispartition
from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind in ('r', 'p')"""
_COLUMNS = """
select a.attrelid::int8, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), coalesce(b.typname,
  t.typname),
       case when t.typtype = 'd' then t.typtypmod else a.atttypmod end,
       a.attnotnull or t.typnotnull, a.attgenerated <> '', t.typtype = 'd', coalesce(b.typtype,
         t.typtype) = 'e',
       (select array_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
         where e.enumtypid = coalesce(b.oid, t.oid)),
       coalesce((select string_agg('(' || pg_get_expr(k.conbin, 0) || ')', ' and ') from pg_constraint k
         where k.contypid = t.oid and k.contype = 'c'), '')
from pg_attribute a join pg_type t on t.oid = a.atttypid
left join pg_type b on t.typtype = 'd' and b.oid = t.typbasetype
where a.attrelid = any(%s) and a.attnum > 0 and not a.attisdropped order by 1, 2"""
_KEYS = """
select i.indrelid::int8, i.indkey::int2[]::int[], i.indnullsnotdistinct, not i.indimmediate or
       exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u')
         and k.condeferrable)
from pg_index i where i.indrelid = any(%s) and i.indisunique and i.indpred is null and i.indexprs is null
order by i.indexrelid"""
_INDEXED = """
select i.indrelid::int8, d.refobjsubid from pg_index i join pg_depend d
  on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
 and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid > 0
where i.indrelid = any(%(oids)s) and (i.indisexclusion
  or i.indisunique and (i.indpred is not null or i.indexprs is not null))
union select p.partrelid::int8, k from pg_partitioned_table p, unnest(p.partattrs::int2[]) k
where p.partrelid = any(%(oids)s) and k > 0"""
_CONSTRAINTS = """
select conrelid::int8, contype::text, conname, conkey::int[], confrelid::int8, confkey::int[],
       pg_get_expr(conbin, conrelid), condeferrable
from pg_constraint where conrelid = any(%s) and contype in ('f', 'c') and conparentid = 0 order by oid"""


def family_of(base: str) -> Family:
    """The family of a base type by its internal name."""
    return _FAMILIES.get(base, "other")


def read_shape(connection: psycopg.Connection[Any]) -> Shape:
    """The shape of the connected database."""
    found = connection.execute(_TABLES).fetchall()
    oids = [row[0] for row in found]
    index = {oid: i for i, oid in enumerate(oids)}
    columns: dict[int, list[tuple[int, ColumnShape]]] = {oid: [] for oid in oids}
    for row in connection.execute(_COLUMNS, [oids]):
        columns[row[0]].append((row[1], _column(row)))
    places = {oid: {number: i for i, (number, _) in enumerate(columns[oid])} for oid in oids}
    keys: dict[int, list[Key]] = {oid: [] for oid in oids}
    for oid, numbers, not_distinct, late in connection.execute(_KEYS, [oids]):
        keys[oid].append(Key(tuple(places[oid][n] for n in numbers), not not_distinct, late))
    indexed: dict[int, set[int]] = {oid: set() for oid in oids}
    for oid, number in connection.execute(_INDEXED, {"oids": oids}):
        indexed[oid].add(places[oid][number])
    references: dict[int, list[Reference]] = {oid: [] for oid in oids}
    checks: dict[int, list[Check]] = {oid: [] for oid in oids}
    for oid, kind, name, own, parent, theirs, text, late in connection.execute(_CONSTRAINTS, [oids]):
        here = tuple(places[oid][n] for n in own or ())
        if kind == "c":
            checks[oid].append(Check(text, here))
        elif parent in index:
            there = tuple(places[parent][n] for n in theirs)
            references[oid].append(Reference(name, here, index[parent], there, late))
    relatives: dict[int, list[int]] = {oid: [] for oid in oids}
    for parent, child, partition in connection.execute(_INHERITS):
        if parent in index and child in index:
            one, other = (child, parent) if partition else (parent, child)
            relatives[one].append(index[other])
    tables = tuple(
        TableShape(
            schema,
            name,
            oid,
            tuple(column for _, column in columns[oid]),
            tuple(keys[oid]),
            tuple(references[oid]),
            tuple(checks[oid]),
            not family,
            not partition,
            tuple(relatives[oid]),
            frozenset(indexed[oid]),
            bounds,
        )
        for oid, schema, name, family, partition, bounds in found
    )
    return Shape(tables, *_order(tables))


def _column(row: tuple[Any, ...]) -> ColumnShape:
    _, _, name, type_, base, typmod, not_null, generated, domain, is_enum, labels, condition = row
    family: Family = "enum" if is_enum else _FAMILIES.get(base, "other")
    return ColumnShape(
        name, type_, base, typmod, family, not not_null, generated, tuple(labels or ()), domain, condition
    )


def _order(tables: tuple[TableShape, ...]) -> tuple[tuple[int, ...], frozenset[tuple[int, str]]]:
    """Tables parents first; a reference that closes a cycle is taken out and returned."""
    cyclic = {(i, r.name) for i, table in enumerate(tables) for r in table.references if r.parent == i}
    while True:
        graph = {
            i: {r.parent for r in table.references if (i, r.name) not in cyclic}
            for i, table in enumerate(tables)
        }
        try:
            return tuple(graphlib.TopologicalSorter(graph).static_order()), frozenset(cyclic)
        except graphlib.CycleError as error:
            child, parent = error.args[1][1], error.args[1][0]
            names = [r.name for r in tables[child].references if r.parent == parent]
            cyclic |= {(child, name) for name in names} or {
                (parent, r.name) for r in tables[parent].references if r.parent == child
            }
