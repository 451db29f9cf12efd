"""The catalog under construction, and how statements name what is in it.

Owns the tables, types and functions made so far and the search path that names are read under. Must not know
statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pglast.stream import RawStream

from rewright.sql.algebra import Query, TableRef
from rewright.sql.binder.errors import BindError
from rewright.sql.binder.scope import Context
from rewright.sql.binder.typenames import resolve_type
from rewright.sql.catalog import Catalog
from rewright.sql.records import CollationInfo, FunctionInfo, Table, TypeInfo
from rewright.sql.types import SqlType

# MaxHeapAttributeNumber (htup_details.h)
MAX_COLUMNS = 1600


@dataclass
class Builder:
    """The catalog so far, and the search path that names are read under."""

    tables: dict[TableRef, Table] = field(default_factory=dict)
    types: dict[str, TypeInfo] = field(default_factory=dict)
    functions: list[FunctionInfo] = field(default_factory=list)
    collations: list[CollationInfo] = field(default_factory=list)
    # what was made and is not understood, by names without schemas
    opaque_functions: set[str] = field(default_factory=set)
    opaque_relations: set[str] = field(default_factory=set)
    opaque_operators: set[str] = field(default_factory=set)
    schemas: set[str] = field(default_factory=lambda: {"public"})
    # of partitioned tables, the columns that rows are told apart by
    partitioned: dict[TableRef, tuple[str, ...]] = field(default_factory=dict)
    search_path: tuple[str, ...] = ("public",)
    in_transaction: bool = False
    # sequences, and indexes that were given a name, by schema and name
    relations: set[tuple[str, str]] = field(default_factory=set)
    # what the server has named by itself: the table, and the name that it has here
    unnamed: set[tuple[TableRef, str]] = field(default_factory=set)
    # tables with indexes that the server has named by itself
    unnamed_indexes: set[TableRef] = field(default_factory=set)
    # which statements foreign keys make the server run on their tables, and which of them triggers or rules
    # may undo, as bits of pg_trigger.tgtype
    acting: dict[tuple[TableRef, str], int] = field(default_factory=dict)
    meddled: dict[TableRef, int] = field(default_factory=dict)
    # whether rows come in as on a replica, past the triggers that keep references
    replicated: bool = False
    # what the queries of views meant when they were made
    views: dict[TableRef, Query] = field(default_factory=dict)
    # indexes of partitions that were attached to an index of their parent, both by schema and name
    attached: set[tuple[tuple[str, str], tuple[str, str]]] = field(default_factory=set)
    # tables that were renamed, or had something renamed: names that the server made may say older ones
    renamed: set[TableRef] = field(default_factory=set)
    # tables with a key that INCLUDEs columns: it goes with any of them
    covering: set[TableRef] = field(default_factory=set)
    # made when first asked for, and again after a change
    _catalog: Catalog | None = None
    _types: Catalog | None = None

    def changed(self) -> None:
        self._catalog = None

    def catalog(self) -> Catalog:
        if self._catalog is None:
            self._catalog = Catalog(
                tuple(self.tables.values()),
                tuple(self.types.values()),
                tuple(self.functions),
                collations=tuple(self.collations),
                opaque_functions=frozenset(self.opaque_functions),
                opaque_relations=frozenset(self.opaque_relations),
                opaque_operators=frozenset(self.opaque_operators),
                schemas=tuple(sorted(self.schemas)),
                fixed=True,
            )
        return self._catalog

    def resolve(self, node: Any) -> SqlType:
        """The type a TypeName means. Row types of tables are looked up only when nothing else fits: making
        them known after every table would cost a quadratic time.
        """
        if self._types is None:
            self._types = Catalog(types=tuple(self.types.values()))
        try:
            return resolve_type(Context(self._types, self.search_path), node)
        except BindError:
            return resolve_type(self.context, node)

    @property
    def context(self) -> Context:
        return Context(self.catalog(), self.search_path)

    def new_name(self, names: Sequence[str]) -> tuple[str, str]:
        """Schema and name for a new object."""
        if len(names) > 1:
            if names[0] not in self.schemas:
                raise BindError("3F000", f'schema "{names[0]}" does not exist')
            return names[0], names[-1]
        # the first schema of the path that there is is where new objects go
        return next((s for s in self.search_path if s in self.schemas), "public"), names[-1]

    def existing_name(self, names: Sequence[str]) -> TableRef:
        if len(names) > 1:
            return TableRef(names[0], names[1])
        for schema in self.search_path:
            if TableRef(schema, names[0]) in self.tables:
                return TableRef(schema, names[0])
        # a name that nobody created: PostgreSQL's usual schema, so that the error names one
        return TableRef("public", names[0])

    def existing(self, node: Any) -> TableRef:
        """The table a RangeVar means; 42P01 when there is none."""
        ref = self.existing_name([n for n in (node.schemaname, node.relname) if n])
        if ref not in self.tables:
            raise BindError("42P01", f'relation "{ref.name}" does not exist')
        return ref

    def add(self, table: Table) -> None:
        if table.ref in self.tables:
            raise BindError("42P07", f'relation "{table.ref.name}" already exists')
        if len(table.columns) > MAX_COLUMNS:
            raise BindError("54011", f"tables can have at most {MAX_COLUMNS} columns")
        self.replace(table)

    def replace(self, table: Table) -> None:
        self.tables[table.ref] = table
        self.changed()

    def drop(self, ref: TableRef) -> None:
        """Drop a relation with its partitions and children, and what else CASCADE takes with it."""
        gone = self.tables.pop(ref)
        keys = {(ref.schema, k.name) for k in gone.keys}
        self.attached = {pair for pair in self.attached if not keys & set(pair)}
        self.unnamed = {pair for pair in self.unnamed if pair[0] != ref}
        self.unnamed_indexes.discard(ref)
        self.views.pop(ref, None)
        # a later table of the name is another one
        self.drop_references(ref)
        for other in list(self.tables.values()):
            if other.ref in self.tables and (other.partition_of == ref or ref in other.parents):
                self.drop(other.ref)
        self.changed()

    def drop_references(self, target: TableRef) -> None:
        """Drop all foreign keys that refer to a table."""
        for other in list(self.tables.values()):
            kept = tuple(f for f in other.foreign_keys if f.target != target)
            self.tables[other.ref] = replace(other, foreign_keys=kept)
        self.changed()

    def add_type(self, info: TypeInfo) -> None:
        if info.key in self.types:
            raise BindError("42710", f'type "{info.name}" already exists')
        self.replace_type(info)

    def replace_type(self, info: TypeInfo) -> None:
        self.types[info.key] = info
        self._types = None
        self.changed()


def expression_text(node: Any) -> str:
    """An expression's text, as pglast prints it."""
    return str(RawStream()(node))


def check_name(node: Any, default: str) -> str:
    return node.conname or default
