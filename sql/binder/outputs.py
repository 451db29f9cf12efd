"""Giving a query's columns other types: casts in its targets where that changes nothing else.

Used by set operations and quantified comparisons, whose sides must have equal types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.sql.algebra import Column, Const, Derived, Expr, Param, Query, Select, Target, output_columns
from rewright.sql.binder.coerce import coerce
from rewright.sql.binder.scope import Context
from rewright.sql.catalog import key_of
from rewright.sql.types import SqlType


def cast_outputs(context: Context, query: Query, types: Sequence[SqlType]) -> Query:
    """``query`` with its columns of these types (modifiers are not enforced).

    A cast goes into the target list of a plain block; below DISTINCT, a set operation or VALUES it would
    change which rows are equal, so there the query becomes a derived table.
    """
    columns = output_columns(query)
    if all(key_of(c.type) == key_of(t) for c, t in zip(columns, types, strict=True)):
        return query
    if isinstance(query, Select) and (query.distinct is None or _only_literals(query, types)):
        targets = tuple(
            Target(t.name, _cast(context, t.expr, want)) for t, want in zip(query.targets, types, strict=True)
        )
        return replace(query, targets=targets)
    rel = context.rel()
    names = tuple(c.name for c in columns)
    inner = Derived(rel, query, f"u{rel}", names)
    targets = tuple(
        Target(c.name, _cast(context, Column(rel, i, c.type, c.name), want))
        for i, (c, want) in enumerate(zip(columns, types, strict=True))
    )
    return Select(targets, (inner,))


def _cast(context: Context, expr: Expr, want: SqlType) -> Expr:
    if key_of(expr.type) == key_of(want):
        return expr
    return coerce(context, expr, want.without_typmod())


def _only_literals(query: Select, types: Sequence[SqlType]) -> bool:
    """Whether only untyped literals change: they are equal in all rows, whatever their type."""
    changed = [t.expr for t, w in zip(query.targets, types, strict=True) if key_of(t.expr.type) != key_of(w)]
    return all(isinstance(e, Const | Param) and e.type.name == "unknown" for e in changed)
