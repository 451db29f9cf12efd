"""May a query be replaced at all? Reasons why not, in words for people (SOUNDNESS M8, M13-M15, DESIGN 5).

Owns what is refused whatever the replacement is. Ties under LIMIT are no reason: they become reservations of
a proof. Must not know verdicts, sessions or roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewright.sql.algebra import (
    Aggregate,
    ArrayOp,
    Call,
    Derived,
    Expr,
    FunctionRef,
    FunctionScan,
    InList,
    Op,
    OperatorRef,
    Query,
    Scan,
    Select,
    SystemColumn,
    Volatility,
    WindowCall,
)
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.types import SqlType
from rewright.sql.walk import all_exprs, all_queries, block_exprs, from_tree


@dataclass(frozen=True, slots=True)
class Reason:
    """``code`` is stable; ``text`` is what people read (``volatile function random()``)."""

    code: str
    text: str


def eligible(query: Query, catalog: Catalog, search_path: Sequence[str] = ("public",)) -> Reason | None:
    """Why a bound query is left alone; None when it may be replaced."""
    return next(_reasons(query, catalog, tuple(search_path)), None)


def bind_eligible(
    text: str,
    catalog: Catalog,
    *,
    search_path: Sequence[str] = ("public",),
    param_types: Sequence[SqlType | None] = (),
) -> Query | Reason:
    """The bound query, or the reason why it can't be one that is replaced."""
    try:
        query = bind(text, catalog, search_path=search_path, param_types=param_types)
    except Unsupported as error:
        return Reason("unsupported", error.feature)
    except BindError as error:
        return Reason("does not bind", f"{error.message} ({error.sqlstate})")
    return eligible(query, catalog, search_path) or query


def _reasons(query: Query, catalog: Catalog, search_path: tuple[str, ...]) -> Iterator[Reason]:
    scanned = 0
    for q in all_queries(query):
        if isinstance(q, Select):
            for item in q.from_:
                for leaf in from_tree(item):
                    scanned += isinstance(leaf, Scan)
                    yield from _of_item(leaf, catalog)
        for expr in block_exprs(q):
            for e in all_exprs(expr):
                yield from _of_expr(e, catalog, search_path)
    if not scanned:
        yield Reason("no table", "reads no table")


def _of_item(leaf: object, catalog: Catalog) -> Iterator[Reason]:
    if isinstance(leaf, Derived) and leaf.security_barrier:
        yield Reason("security barrier", f"view {leaf.view.name if leaf.view else ''} is a security barrier")
    if isinstance(leaf, FunctionScan) and isinstance(leaf.call, Call) and not leaf.call.func.is_builtin:
        yield Reason("function", f"function {leaf.call.func.name}() in FROM is not built in")
    if not isinstance(leaf, Scan):
        return
    name = leaf.table.name
    if leaf.table.schema in {"pg_catalog", "information_schema"}:
        yield Reason("system table", f"reads the system table {name}")
        return
    table = catalog.table(leaf.table)
    if table.row_security:
        yield Reason("row security", f"table {name} has row-level security")
    if table.has_children:
        yield Reason("inheritance", f"table {name} has inheritance children")
    if table.kind == "foreign":
        yield Reason("foreign table", f"{name} is a foreign table")
    if table.temporary:
        yield Reason("temporary table", f"{name} is a temporary table")


def _of_expr(expr: Expr, catalog: Catalog, search_path: tuple[str, ...]) -> Iterator[Reason]:
    match expr:
        case SystemColumn():
            yield Reason("system column", f"reads the system column {expr.name}")
        case Call() | Aggregate() | WindowCall():
            yield from _of_function(expr.func, catalog, search_path)
        case Op() | InList() | ArrayOp():
            yield from _of_operator(expr.op, catalog, search_path)
        case _:
            return


def _of_function(func: FunctionRef, catalog: Catalog, search_path: tuple[str, ...]) -> Iterator[Reason]:
    if func.volatility is Volatility.VOLATILE:
        yield Reason("volatile", f"volatile function {func.name}()")
    elif not func.is_builtin and func.volatility is Volatility.STABLE:
        yield Reason(
            "stable", f"function {func.name}() is not built in and only stable: how often it runs may show"
        )
    if func.is_builtin and catalog.functions_named(func.name, _users(search_path)):
        yield Reason("shadowed", f"function {func.name}() has namesakes in the search path")


def _of_operator(op: OperatorRef, catalog: Catalog, search_path: tuple[str, ...]) -> Iterator[Reason]:
    if op.function.volatility is Volatility.VOLATILE:
        yield Reason("volatile", f"volatile operator {op.name}")
    if op.is_builtin and catalog.operators_named(op.name, _users(search_path)):
        yield Reason("shadowed", f"operator {op.name} has namesakes in the search path")


def _users(search_path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(s for s in search_path if s != "pg_catalog")
