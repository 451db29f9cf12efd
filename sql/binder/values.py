"""VALUES: rows of expressions, every column of one type."""

from __future__ import annotations

from typing import Any

from rewright.sql.algebra import Expr, OutputColumn
from rewright.sql.binder.calls import in_kind
from rewright.sql.binder.coerce import coerce, common_type, shared_typmod
from rewright.sql.binder.errors import BindError
from rewright.sql.binder.recursion import bind_exprs
from rewright.sql.binder.scope import Scope


def bind_value_rows(scope: Scope, node: Any) -> tuple[tuple[tuple[Expr, ...], ...], tuple[OutputColumn, ...]]:
    """The rows of VALUES, every column of one type."""
    with in_kind(scope, "values"):
        rows = [bind_exprs(scope, row) for row in node.valuesLists]
    width = len(rows[0])
    if any(len(r) != width for r in rows):
        raise BindError("42601", "VALUES lists must all be the same length")
    columns: list[list[Expr]] = []
    types: list[OutputColumn] = []
    for i in range(width):
        cells = [r[i] for r in rows]
        type_ = common_type(scope.context, cells, "VALUES")
        done = [coerce(scope.context, c, type_.without_typmod()) for c in cells]
        columns.append(done)
        types.append(OutputColumn(f"column{i + 1}", shared_typmod(type_, done)))
    return tuple(zip(*columns, strict=True)), tuple(types)
