"""What a client sees of a result besides its rows: names, types, modifiers, order; and where ties are left open.

Owns the comparison of signatures and the question whether an ORDER BY is total (SOUNDNESS M9). Must not
know verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rewright.sql.algebra import (
    Aggregate,
    Column,
    Const,
    Expr,
    OutputColumn,
    Query,
    Select,
    SetOp,
    SortKey,
    Values,
    WindowCall,
    output_columns,
)
from rewright.sql.facts import NOTHING, Assumptions, Facts
from rewright.sql.types import FLOATS, equality_is_identity
from rewright.sql.walk import all_exprs, all_queries, block_exprs


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A visible sort key: the output position it equals, or None for a hidden one."""

    pos: int | None
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Signature:
    columns: tuple[OutputColumn, ...]
    order: tuple[OrderKey, ...]


def signature_of(query: Query) -> Signature:
    """The signature of a result."""
    return Signature(output_columns(query), tuple(_order(query)))


def _order(query: Query) -> Iterator[OrderKey]:
    match query:
        case Select():
            for key in query.order_by:
                at = next((i for i, t in enumerate(query.targets) if t.expr == key.expr), None)
                yield OrderKey(at, key.descending, key.nulls_first)
        case SetOp() | Values():
            for k in query.order_by:
                yield OrderKey(k.pos, k.descending, k.nulls_first)


def difference(one: Signature, other: Signature) -> str | None:
    """The first difference of names, types or modifiers, in words; None when a client can't tell."""
    if len(one.columns) != len(other.columns):
        return f"{len(one.columns)} columns against {len(other.columns)}"
    for i, (a, b) in enumerate(zip(one.columns, other.columns, strict=True), 1):
        if a.name != b.name:
            return f"column {i} is called {a.name!r} in one and {b.name!r} in the other"
        if not a.type.same_base(b.type):
            return f"column {i} ({a.name}) is {a.type.name} in one and {b.type.name} in the other"
        if a.type.typmod != b.type.typmod:
            return f"column {i} ({a.name}) has type modifier {a.type.typmod} in one, {b.type.typmod} in the other"
    return None


# --------------------------------------------------------------------------- ties


def order_is_total(query: Query, facts: Facts) -> Assumptions | None:
    """What shows that ORDER BY leaves no choice among rows that a client could tell apart; None if nothing.

    True for at most one row, for keys that contain a key of the result, and for keys that cover every
    output column, where equal values of it can't be told apart.
    """
    single = facts.at_most_one_row(query)
    if single is not None:
        return single
    signature = signature_of(query)
    if not signature.order:
        return None
    shown = {k.pos for k in signature.order if k.pos is not None}
    if len(shown) == len(signature.columns) and None not in facts.looks(query):
        return NOTHING
    unique = facts.is_unique(query, shown)
    if unique is not None:
        return unique
    return _keys_determine(query, facts) if isinstance(query, Select) else None


def _keys_determine(query: Select, facts: Facts) -> Assumptions | None:
    """Hidden sort keys may be a key of the rows too."""
    if query.distinct is not None:
        return None
    return facts.exprs_determine(query, [k.expr for k in query.order_by])


@dataclass(frozen=True, slots=True)
class Tie:
    """A place where the server chooses freely among rows: ``where`` says it for people."""

    where: str


def open_ties(query: Query, facts: Facts) -> list[Tie]:
    """Places at which equal sort keys (or none) make the result depend on the plan.

    LIMIT and OFFSET, DISTINCT ON, order-sensitive window functions and aggregates, and the visible order.
    """
    found: list[Tie] = []
    for q in all_queries(query):
        if _cuts(q) and order_is_total(_uncut(q), facts) is None:
            found.append(Tie("LIMIT or OFFSET over an order with ties"))
        if isinstance(q, Select):
            if q.distinct and order_is_total(_plain(q), facts) is None:
                found.append(Tie("DISTINCT ON over an order with ties"))
            for expr in block_exprs(q):
                found += [t for e in all_exprs(expr) for t in _expr_ties(e, q, facts)]
    if query_order(query) and order_is_total(query, facts) is None:
        found.append(Tie("ORDER BY with ties"))
    return list(dict.fromkeys(found))


def query_order(query: Query) -> bool:
    """Whether the result has a visible order."""
    return bool(query.order_by)


def _cuts(query: Query) -> bool:
    if isinstance(query.limit, Const) and query.limit.value == "0":
        return False
    with_ties = not isinstance(query, Values) and query.with_ties
    return (query.limit is not None and not with_ties) or query.offset is not None


def _uncut(query: Query) -> Query:
    """The query without LIMIT: LIMIT 1 makes one row, but not which."""
    from dataclasses import replace

    return replace(query, limit=None, offset=None)


def _plain(query: Select) -> Select:
    from dataclasses import replace

    return replace(query, limit=None, offset=None, distinct=None)


_ORDERED_WINDOWS = {"row_number", "first_value", "last_value", "nth_value", "lag", "lead", "ntile"}
_ORDERED_AGGREGATES = {
    *("array_agg", "string_agg", "json_agg", "jsonb_agg", "xmlagg", "json_object_agg", "jsonb_object_agg"),
    "any_value",
}


def _expr_ties(expr: Expr, block: Select, facts: Facts) -> Iterator[Tie]:
    match expr:
        case WindowCall():
            framed = expr.window.frame.mode == "rows"
            if (expr.func.name in _ORDERED_WINDOWS or framed) and not _window_is_total(expr, block, facts):
                yield Tie(f"{expr.func.name}() over a window order with ties")
        case Aggregate():
            if _is_order_sensitive(expr) and not _aggregate_is_total(expr, block, facts):
                yield Tie(f"{expr.func.name}() over an order with ties")
        case _:
            return


def _is_order_sensitive(expr: Aggregate) -> bool:
    if not expr.func.is_builtin or expr.func.name in _ORDERED_AGGREGATES:
        return True
    return expr.func.name in {"sum", "avg"} and any(a.type.name in FLOATS for a in expr.args)


def _aggregate_is_total(expr: Aggregate, block: Select, facts: Facts) -> bool:
    """Whether the ORDER BY inside an aggregate fixes the order of its distinguishable inputs."""
    keys = [k.expr for k in expr.order_by]
    if keys and all(a in keys or isinstance(a, Const) for a in expr.args):
        return all(equality_is_identity(a.type) or isinstance(a, Const) for a in expr.args)
    return bool(keys) and _determines(keys, block, facts)


def _window_is_total(expr: WindowCall, block: Select, facts: Facts) -> bool:
    exprs: list[Expr] = [*expr.window.partition_by, *(k.expr for k in expr.window.order_by)]
    return facts.exprs_determine(block, exprs) is not None


def _determines(exprs: list[Expr], block: Select, facts: Facts) -> bool:
    columns = [(e.rel, e.pos) for e in exprs if isinstance(e, Column)]
    return facts.determines_rows(block, columns) is not None


__all__ = [
    "OrderKey",
    "Signature",
    "SortKey",
    "Tie",
    "difference",
    "open_ties",
    "order_is_total",
    "signature_of",
]
