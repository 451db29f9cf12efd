"""Column references and stars: names to columns through the scopes."""

from __future__ import annotations

from typing import Any

from rewright.sql.algebra import Expr, RowExpr, WholeRow
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import NsItem, Scope, value_of
from rewright.sql.binder.syntax import ast
from rewright.sql.types import RECORD


def bind_column_ref(scope: Scope, node: Any) -> Expr:
    """``a``, ``t.a``, ``s.t.a``, ``t`` or ``t.*`` as a value (transformColumnRef)."""
    names = [f.sval if isinstance(f, ast.String) else "*" for f in node.fields]
    if len(names) == 1:
        return _bare(scope, names[0])
    if len(names) > 4 or (len(names) == 4 and names[0]):
        raise Unsupported("a column reference qualified by a database")
    return _qualified(scope, names[-2], names[-1], names[-3] if len(names) == 3 else "")


def _bare(scope: Scope, name: str) -> Expr:
    found = scope.column(name)
    if found is not None:
        return found
    item = scope.relation(name)
    if item is not None:
        return whole_row(item)
    raise BindError("42703", f'column "{name}" does not exist')


def _qualified(scope: Scope, relation: str, name: str, schema: str) -> Expr:
    item = scope.relation(relation, schema)
    if item is None:
        raise BindError("42P01", f'missing FROM-clause entry for table "{relation}"')
    if name == "*":
        return whole_row(item)
    found = value_of(item, name)
    if found is not None:
        return found
    raise BindError("42703", f"column {relation}.{name} does not exist")


def whole_row(item: NsItem) -> Expr:
    """``t`` used as a value; of a join alias, a row of its columns."""
    names = tuple(c.name for c in item.columns)
    if item.rel < 0:
        return RowExpr(tuple(c.expr for c in item.columns), RECORD, names)
    if len(item.columns) == 1 and item.row_type is not None and item.row_type.name != "record":
        # a function returning one scalar stands for its value
        return item.columns[0].expr if item.table is None else WholeRow(item.rel, item.row_type, names)
    return WholeRow(item.rel, item.row_type or RECORD, names)


def expand_star(scope: Scope, node: Any) -> list[tuple[str, Expr]]:
    """The columns of ``*`` or ``t.*``, in order; 42601 for a bare star without FROM."""
    names = [f.sval if isinstance(f, ast.String) else "*" for f in node.fields]
    if len(names) == 1:
        visible = [i for i in scope.items if i.cols_visible and not i.lateral_only]
        if not visible:
            raise BindError("42601", "SELECT * with no tables specified is not valid")
        return [(c.name, c.expr) for item in visible for c in item.columns]
    item = scope.relation(names[-2], names[-3] if len(names) == 3 else "")
    if item is None:
        raise BindError("42P01", f'missing FROM-clause entry for table "{names[-2]}"')
    return [(c.name, c.expr) for c in item.columns]
