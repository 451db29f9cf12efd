"""SQL text to the bound tree: PostgreSQL's names and types resolved against a catalog.

The package follows the server's parse analysis (src/backend/parser) file by file, so that what the server
accepts, refuses and infers is what is bound here; what the algebra has no node for raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pglast.parser import ParseError

from rewright.sql.algebra import Query
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.exprs import bind_expr
from rewright.sql.binder.recursion import bind_query
from rewright.sql.binder.scope import Binders, Context, Scope
from rewright.sql.binder.select import bind_select_stmt
from rewright.sql.binder.syntax import ast
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import TooDeep, parse
from rewright.sql.types import SqlType

__all__ = ["BindError", "Unsupported", "bind", "bind_node"]

_MAX_TEXT = 1_000_000
_BINDERS = Binders(bind_expr, bind_select_stmt)


def bind(
    text: str,
    catalog: Catalog,
    *,
    search_path: Sequence[str] = ("public",),
    param_types: Sequence[SqlType | None] = (),
    placeholders: Mapping[str, int] | None = None,
) -> Query:
    """One SELECT (or VALUES) statement as a tree.

    ``placeholders`` maps the values of literals that stand for a template's holes to Param numbers.
    ``param_types`` are the declared types of $1, $2, …; None for one to be inferred. Raises BindError with
    the server's SQLSTATE where the server would refuse, Unsupported for what the algebra cannot say.
    """
    if len(text) > _MAX_TEXT:
        raise Unsupported("a text of more than a million characters")
    try:
        statements = parse(text)
    except ParseError as error:
        raise BindError("42601", str(error.args[0])) from None
    except TooDeep as error:
        raise Unsupported(str(error)) from None
    if len(statements) != 1:
        raise Unsupported("more or less than one statement")
    return bind_node(
        statements[0].stmt,
        catalog,
        search_path=search_path,
        param_types=param_types,
        placeholders=placeholders,
    )


def bind_node(
    node: Any,
    catalog: Catalog,
    *,
    search_path: Sequence[str] = ("public",),
    param_types: Sequence[SqlType | None] = (),
    placeholders: Mapping[str, int] | None = None,
) -> Query:
    """As `bind`, from an already parsed SelectStmt."""
    if not isinstance(node, ast.SelectStmt):
        raise Unsupported(f"{type(node).__name__}: not a SELECT")
    declared = {i: t for i, t in enumerate(param_types, 1) if t is not None}
    context = Context(
        catalog,
        tuple(search_path),
        dict(declared),
        placeholders=dict(placeholders or {}),
        binders=_BINDERS,
    )
    try:
        query = bind_query(Scope(context), node)
    except RecursionError:
        raise Unsupported("a text nested too deeply") from None
    return _settle_params(query)


def _settle_params(query: Query) -> Query:
    """42P18 for a parameter that nothing gave a type."""
    from rewright.sql.algebra import Param
    from rewright.sql.walk import all_exprs_of_query

    for expr in all_exprs_of_query(query):
        if isinstance(expr, Param) and expr.type.name == "unknown":
            raise BindError("42P18", f"could not determine data type of parameter ${expr.index}")
    return query
