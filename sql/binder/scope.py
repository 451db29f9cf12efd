"""Name spaces: which range variables and columns an expression can see, by PostgreSQL's rules.

Owns the lookup of column and relation names through nested blocks, LATERAL visibility and the merged
columns of joins (after parse_relation.c's namespace items). Must not know expressions beyond what a name
stands for, nor types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rewright.sql.algebra import Cte, Expr, FunctionScan, OutputColumn, Query, SystemColumn
from rewright.sql.binder.errors import BindError
from rewright.sql.catalog import Catalog, Table
from rewright.sql.types import SqlType

_SYSTEM = {
    "ctid": SqlType("tid"),
    "xmin": SqlType("xid"),
    "xmax": SqlType("xid"),
    "cmin": SqlType("cid"),
    "cmax": SqlType("cid"),
    "tableoid": SqlType("oid"),
}


@dataclass(slots=True)
class NsColumn:
    name: str
    expr: Expr


@dataclass(slots=True)
class NsItem:
    """One entry of a FROM clause's name space: a range variable, or a join's merged columns."""

    alias: str
    columns: list[NsColumn]
    rel: int = -1  # -1: a join
    table: Table | None = None
    cols_visible: bool = True
    rel_visible: bool = True
    lateral_only: bool = False
    lateral_ok: bool = True
    schema: str = ""
    row_type: SqlType | None = None


@dataclass(slots=True)
class CteEntry:
    """A CTE in scope; ``query_columns`` are known once its query (or first arm) is bound."""

    cte: int
    name: str
    columns: tuple[OutputColumn, ...]
    used: int = 0
    self_reference: bool = False
    bound: Cte | None = None


@dataclass(frozen=True, slots=True)
class Binders:
    """The binders that all others call again for what is nested in their syntax
    (`rewright.sql.binder.recursion`).
    """

    expr: Callable[[Scope, Any], Expr]
    # with resolve_unknowns
    query: Callable[[Scope, Any, bool], Query]


@dataclass(slots=True)
class Context:
    """What one bind call shares: the catalog, the path, numbers given out, parameter types."""

    catalog: Catalog
    search_path: tuple[str, ...]
    params: dict[int, SqlType] = field(default_factory=dict)
    next_rel: int = 0
    next_cte: int = 0
    view_depth: int = 0
    # sentinel values of a template's literals -> Param index
    placeholders: dict[str, int] = field(default_factory=dict)
    # None where only types and operators are resolved
    binders: Binders | None = None

    @property
    def schemas(self) -> tuple[str, ...]:
        """The effective search path."""
        path = self.search_path
        return path if "pg_catalog" in path else ("pg_catalog", *path)

    def rel(self) -> int:
        self.next_rel += 1
        return self.next_rel

    def cte(self) -> int:
        self.next_cte += 1
        return self.next_cte


@dataclass(slots=True)
class Scope:
    """One query level while it is being bound."""

    context: Context
    parent: Scope | None = None
    items: list[NsItem] = field(default_factory=list)
    ctes: dict[str, CteEntry] = field(default_factory=dict)
    rels: set[int] = field(default_factory=set)
    kind: str = "target"
    has_aggregates: bool = False
    has_windows: bool = False
    lateral_active: bool = False
    windows: dict[str, Any] = field(default_factory=dict)
    # names of those that a call is made over
    used_windows: set[str] = field(default_factory=set)
    # set-returning functions of the select list, as items for FROM
    expansions: list[FunctionScan] = field(default_factory=list)

    def levels(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find_cte(self, name: str) -> CteEntry | None:
        for scope in self.levels():
            if name in scope.ctes:
                return scope.ctes[name]
        return None

    def _usable(self, item: NsItem, name: str) -> bool:
        """Whether an item counts at this level; reports a LATERAL reference that is not allowed."""
        if not item.lateral_only:
            return True
        if not self.lateral_active:
            return False
        if not item.lateral_ok:
            raise BindError("42P10", f'invalid reference to FROM-clause entry for table "{name}"')
        return True

    def column(self, name: str) -> Expr | None:
        """The column an unqualified name means; None when no level has one."""
        for scope in self.levels():
            found: Expr | None = None
            for item in scope.items:
                if not item.cols_visible or (item.lateral_only and not scope.lateral_active):
                    continue
                expr = value_of(item, name)
                if expr is None:
                    continue
                if found is not None:
                    raise BindError("42702", f'column reference "{name}" is ambiguous')
                scope._usable(item, item.alias)
                found = expr
            if found is not None:
                return found
        return None

    def relation(self, name: str, schema: str = "") -> NsItem | None:
        """The range variable of that name, innermost level first."""
        for scope in self.levels():
            found: NsItem | None = None
            for item in scope.items:
                if not item.rel_visible or item.alias != name or (schema and item.schema != schema):
                    continue
                if item.lateral_only and not scope.lateral_active:
                    continue
                if found is not None:
                    raise BindError("42P09", f'table reference "{name}" is ambiguous')
                scope._usable(item, name)
                found = item
            if found is not None:
                return found
        return None


def column_of(item: NsItem, name: str) -> Expr | None:
    """A column of one item; 42702 when the item has two of that name."""
    found = [c.expr for c in item.columns if c.name == name]
    if len(found) > 1:
        raise BindError("42702", f'column reference "{name}" is ambiguous')
    return found[0] if found else None


def value_of(item: NsItem, name: str) -> Expr | None:
    """A column of one item, or a system column of its table: an inner table's ``xmin`` hides an outer column
    of the name (scanNSItemForColumn).
    """
    found = column_of(item, name)
    if found is not None or name not in _SYSTEM or item.table is None or item.table.kind == "view":
        return found
    return SystemColumn(item.rel, name, _SYSTEM[name])


def check_unique(items: list[NsItem]) -> None:
    """42712 when two visible relations share a name (and neither is told apart by its schema)."""
    seen: set[tuple[str, str]] = set()
    for item in items:
        if not item.rel_visible or not item.alias:
            continue
        key = (item.alias, item.schema)
        if key in seen:
            raise BindError("42712", f'table name "{item.alias}" specified more than once')
        seen.add(key)
