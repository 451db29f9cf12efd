"""A snapshot of a database's schema: what a user created, looked up by name and search path.

Owns lookup by PostgreSQL's rules (pg_catalog first unless the path names it) and the digest. The records
are in `rewright.sql.records`, built-in objects in `rewright.sql.builtins`. Must not know where a snapshot
came from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from rewright.sql.algebra import TableRef
from rewright.sql.builtins import builtins
from rewright.sql.records import (
    CastInfo,
    Check,
    CollationInfo,
    ForeignKey,
    FunctionInfo,
    Key,
    OperatorInfo,
    RelationKind,
    Table,
    TableColumn,
    TypeInfo,
    key_of,
    type_key,
)

__all__ = [
    "CastInfo",
    "Catalog",
    "Check",
    "CollationInfo",
    "ForeignKey",
    "FunctionInfo",
    "Key",
    "OperatorInfo",
    "RelationKind",
    "Table",
    "TableColumn",
    "TypeInfo",
    "key_of",
    "type_key",
]


@dataclass(frozen=True)
class Catalog:
    """What a user has created in one database, and the server's version (as server_version_num)."""

    relations: tuple[Table, ...] = ()
    types: tuple[TypeInfo, ...] = ()
    functions: tuple[FunctionInfo, ...] = ()
    operators: tuple[OperatorInfo, ...] = ()
    casts: tuple[CastInfo, ...] = ()
    collations: tuple[CollationInfo, ...] = ()
    schemas: tuple[str, ...] = ("public",)
    version: int = 180000
    # row security is a fact about a role; names of extensions are kept for `unknown` verdicts
    extensions: tuple[str, ...] = ()
    # names of functions, relations and operators, without schemas, that exist and are not understood: what
    # calls, reads or computes by such a name is not bound
    opaque_functions: frozenset[str] = frozenset()
    opaque_relations: frozenset[str] = frozenset()
    opaque_operators: frozenset[str] = frozenset()
    # whether nobody adds to it, a label of an enum or a child of a table: only of a schema given as DDL (F23)
    fixed: bool = False

    def table(self, ref: TableRef) -> Table:
        """The relation, or KeyError."""
        found = self._by_ref.get(ref)
        if found is None and ref.schema == "pg_catalog":
            found = builtins().relations.get(ref.name)
        if found is None:
            raise KeyError(f"{ref.schema}.{ref.name}")
        return found

    def has_table(self, ref: TableRef) -> bool:
        try:
            self.table(ref)
        except KeyError:
            return False
        return True

    def find_table(self, name: str, search_path: Iterable[str]) -> Table | None:
        """The relation an unqualified name means: pg_catalog comes first unless the path names it."""
        for schema in _effective(search_path):
            ref = TableRef(schema, name)
            if self.has_table(ref):
                return self.table(ref)
        return None

    def type(self, key: str) -> TypeInfo:
        """The type of that key, or KeyError; array types of user types are made up as needed."""
        found = self._types.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def find_type(self, name: str, search_path: Iterable[str]) -> TypeInfo | None:
        for schema in _effective(search_path):
            found = self._types.get(type_key(schema, name))
            if found is not None:
                return found
        return None

    def functions_named(self, name: str, schemas: Sequence[str]) -> list[FunctionInfo]:
        """Functions of that name in the given schemas, in the order of the schemas."""
        found = [f for f in self._functions.get(name, ()) if f.schema in schemas]
        if not found:
            return list(builtins().functions(name)) if "pg_catalog" in schemas else []
        if "pg_catalog" in schemas:
            found.extend(builtins().functions(name))
        return sorted(found, key=lambda f: schemas.index(f.schema))

    def operators_named(self, name: str, schemas: Sequence[str]) -> list[OperatorInfo]:
        found = [o for o in self._operators.get(name, ()) if o.schema in schemas]
        if not found:
            return list(builtins().operators(name)) if "pg_catalog" in schemas else []
        if "pg_catalog" in schemas:
            found.extend(builtins().operators(name))
        return sorted(found, key=lambda o: schemas.index(o.schema))

    def cast(self, source: str, target: str) -> CastInfo | None:
        """The pg_cast row between two types."""
        return self._casts.get((source, target))

    def collation(self, name: str, search_path: Iterable[str]) -> CollationInfo | None:
        for schema in _effective(search_path):
            found = self._collations.get((schema, name))
            if found is not None:
                return found
        return None

    def digest(self) -> str:
        """A hash that changes with any fact of the catalog; the order of the records does not matter."""
        return self._digest

    def concerning(self, refs: Collection[TableRef]) -> Catalog:
        """What it says of these relations, and of all that is no relation."""
        names = {ref.name for ref in refs}
        return replace(
            self,
            relations=tuple(one for one in self.relations if one.ref in refs),
            opaque_relations=self.opaque_relations & names,
        )

    def with_relations(self, *relations: Table) -> Catalog:
        """The same catalog with these relations added or replaced."""
        kept = {r.ref: r for r in self.relations} | {r.ref: r for r in relations}
        return replace(self, relations=tuple(kept.values()))

    # ------------------------------------------------------------------ lookups, made once

    @cached_property
    def _digest(self) -> str:
        parts = []
        for name in ("relations", "types", "functions", "operators", "casts", "collations"):
            rows = sorted(json.dumps(asdict(r), sort_keys=True, default=str) for r in getattr(self, name))
            parts.append(rows)
        parts.append([str(self.version // 10000), *sorted(self.extensions)])
        if self.opaque_functions or self.opaque_relations:
            parts += [sorted(self.opaque_functions), sorted(self.opaque_relations)]
        if self.opaque_operators:
            parts += [["operators"], sorted(self.opaque_operators)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @cached_property
    def _by_ref(self) -> Mapping[TableRef, Table]:
        return {r.ref: r for r in self.relations}

    @cached_property
    def _types(self) -> Mapping[str, TypeInfo]:
        own: dict[str, TypeInfo] = {}
        for relation in self.relations:
            fields = tuple((c.name, c.type) for c in relation.columns)
            _add_type(own, TypeInfo(relation.ref.schema, relation.ref.name, "c", "C", fields=fields))
        for t in self.types:
            _add_type(own, t)
        return {**builtins().types, **own} if own else builtins().types

    @cached_property
    def _functions(self) -> Mapping[str, tuple[FunctionInfo, ...]]:
        own: dict[str, tuple[FunctionInfo, ...]] = {}
        for f in self.functions:
            own[f.name] = (*own.get(f.name, ()), f)
        return own

    @cached_property
    def _operators(self) -> Mapping[str, tuple[OperatorInfo, ...]]:
        own: dict[str, tuple[OperatorInfo, ...]] = {}
        for o in self.operators:
            own[o.name] = (*own.get(o.name, ()), o)
        return own

    @cached_property
    def _casts(self) -> Mapping[tuple[str, str], CastInfo]:
        own = {(c.source, c.target): c for c in self.casts}
        return {**builtins().casts, **own} if own else builtins().casts

    @cached_property
    def _collations(self) -> Mapping[tuple[str, str], CollationInfo]:
        known = (*builtins().collations, *self.collations)
        return {(c.schema, c.name): c for c in known}


def _effective(search_path: Iterable[str]) -> tuple[str, ...]:
    path = tuple(search_path)
    return path if "pg_catalog" in path else ("pg_catalog", *path)


def _add_type(types: dict[str, TypeInfo], info: TypeInfo) -> None:
    """Add a type and, unless it has one, its array type."""
    array = info.array or type_key(info.schema, f"_{info.name}")
    types[info.key] = replace(info, array=array)
    # a domain over arrays is of their category, and has arrays of its own
    if array not in types and (info.category != "A" or info.kind == "d"):
        types[array] = TypeInfo(
            info.schema, f"_{info.name}", "b", "A", element=info.key, collation=info.collation
        )
