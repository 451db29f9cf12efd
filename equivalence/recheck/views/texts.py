"""Arrays of a group's values that are written as one text, as the values put together.

    array_to_string(array_agg(x), d)  is  string_agg(x, d)

where x is never NULL, so that there is an array with something in it or no row. Integers are written as they
are cast. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.builtins import builtins
from rewright.sql.types import TEXT
from rewright.sql.walk import QUERIES, bottom_up, has_subquery, map_parts

_INTEGERS = frozenset({"int2", "int4", "int8"})


def texts(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        grouped = isinstance(node, a.Select) and node.group_by is not None
        return _block(node, changes) if grouped and isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    rows = a.Select((), block.from_, block.where)
    filled = changes.known.nonnull_columns(rows)

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        found = _array(n)
        if found is None:
            return map_parts(n, visit)
        values, between = found
        (value,) = values.args
        basis = changes.known.never_null(value, filled)
        if basis is None:
            return map_parts(n, visit)
        changes.rest_on(basis)
        shown = value if value.type == TEXT else a.Cast(value, TEXT, method="io")
        put_together = builtins().function_ref("string_agg", ("text", "text"))
        return replace(values, func=put_together, args=(shown, between), type=TEXT)

    targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
    order = tuple(replace(k, expr=visit(k.expr)) for k in block.order_by)
    having = None if block.having is None else visit(block.having)
    return replace(block, targets=targets, order_by=order, having=having)


def _array(node: Any) -> tuple[a.Aggregate, a.Const] | None:
    """The array that is written, of texts or of integers, and what is put between."""
    if not isinstance(node, a.Call) or len(node.args) != 2 or node.type != TEXT:
        return None
    values, between = node.args
    if (node.func.schema, node.func.name) != ("pg_catalog", "array_to_string"):
        return None
    if not isinstance(values, a.Aggregate) or has_subquery(values):
        return None
    if (values.func.schema, values.func.name) != ("pg_catalog", "array_agg"):
        return None
    if not isinstance(between, a.Const) or between.type != TEXT or between.value is None:
        return None
    of = values.args[0].type
    numbers = of.is_builtin and of.name in _INTEGERS and not values.distinct
    return (values, between) if of == TEXT or numbers else None
