"""SQL's grammar is recursive: expressions hold queries, queries hold expressions.

Owns the way back up: what the binders of single clauses call for the expressions and queries inside. The
functions themselves come with the context, so that no file need import those above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.sql.algebra import Expr, Query
from rewright.sql.binder.coerce import coerce_boolean
from rewright.sql.binder.scope import Binders, Scope


def bind_expr(scope: Scope, node: Any) -> Expr:
    """Any expression node; unknown literals stay unknown."""
    return _binders(scope).expr(scope, node)


def bind_exprs(scope: Scope, nodes: Sequence[Any] | None) -> list[Expr]:
    expr = _binders(scope).expr
    return [expr(scope, n) for n in nodes or ()]


def bind_condition(scope: Scope, node: Any, construct: str) -> Expr:
    return coerce_boolean(scope.context, bind_expr(scope, node), construct)


def bind_query(scope: Scope, node: Any, *, resolve_unknowns: bool = True) -> Query:
    """A SelectStmt in a scope of its own (``scope`` is fresh, its parent what it can see outside).

    ``resolve_unknowns``: whether untyped literals among the outputs become text.
    """
    return _binders(scope).query(scope, node, resolve_unknowns)


def _binders(scope: Scope) -> Binders:
    found = scope.context.binders
    assert found is not None, "a context without binders binds no syntax"
    return found
