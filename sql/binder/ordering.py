"""ORDER BY, LIMIT and OFFSET where only outputs can be named: of set operations and VALUES; LIMIT of every
query.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from rewright.sql.algebra import Const, Expr, OutputColumn, OutputSortKey
from rewright.sql.binder.calls import in_kind, sort_key
from rewright.sql.binder.coerce import coerce
from rewright.sql.binder.errors import BindError
from rewright.sql.binder.recursion import bind_expr
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.types import INT8, NUMERIC
from rewright.sql.walk import free_rels

# of the largest bigint
_DIGITS = 19


def bind_output_order(
    scope: Scope, nodes: Sequence[Any] | None, columns: Sequence[OutputColumn]
) -> tuple[OutputSortKey, ...]:
    """ORDER BY over a set operation or VALUES: output names and numbers only."""
    return tuple(_output_key(scope, n, columns) for n in nodes or ())


def _output_key(scope: Scope, node: Any, columns: Sequence[OutputColumn]) -> OutputSortKey:
    at = _output_position(node.node, columns)
    key = sort_key(scope, Const(None, columns[at].type), node)
    return OutputSortKey(at, key.descending, key.nulls_first, key.op)


def _output_position(node: Any, columns: Sequence[OutputColumn]) -> int:
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer) and not node.isnull:
        at = node.val.ival or 0
        if not 1 <= at <= len(columns):
            raise BindError("42P10", f"ORDER BY position {at} is not in select list")
        return int(at) - 1
    if isinstance(node, ast.ColumnRef) and len(node.fields) == 1 and isinstance(node.fields[0], ast.String):
        name = node.fields[0].sval
        found = [i for i, c in enumerate(columns) if c.name == name]
        if len(found) > 1:
            raise BindError("42702", f'ORDER BY "{name}" is ambiguous')
        if found:
            return found[0]
        raise BindError("42703", f'column "{name}" does not exist')
    if isinstance(node, ast.A_Const):
        raise BindError("42601", "non-integer constant in ORDER BY")
    raise BindError("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")


def bind_limits(scope: Scope, node: Any) -> tuple[Expr | None, Expr | None]:
    with in_kind(scope, "limit"):
        return _bind_limit(scope, node.limitCount), _bind_limit(scope, node.limitOffset)


def _bind_limit(scope: Scope, node: Any) -> Expr | None:
    """A count as bigint; LIMIT NULL and LIMIT ALL are no limit."""
    if node is None:
        return None
    bound = bind_expr(scope, node)
    if isinstance(bound, Const):
        if bound.value is None:
            return None
        if bound.type.name in {"int2", "int4", "int8"}:
            return Const(bound.value, INT8)
        if bound.type == NUMERIC and (whole := _rounded(bound.value)) is not None:
            return Const(str(whole), INT8)
    # as a value that is stored in a column of the type (coerce_to_specific_type): fractions are rounded
    count = coerce(scope.context, bound, INT8, "a")
    if free_rels(count) & scope.rels:
        raise BindError("42P10", "argument of LIMIT must not contain variables")
    return count


def _rounded(value: str) -> int | None:
    """A numeric constant as the server makes it bigint, halves away from zero; None where it does not."""
    number = Decimal(value)
    if not number.is_finite() or number.adjusted() > _DIGITS:
        return None
    whole = int(number.to_integral_value(ROUND_HALF_UP))
    return whole if -(1 << 63) <= whole < 1 << 63 else None
