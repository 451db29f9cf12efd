"""Keys, NULLs, strictness and failure of parts of a block, as rules ask about them.

Answers are conservative: a fact is given only where the schema's usable constraints or the shape of the
query imply it; keys come with the names of the constraints they rest on. Must not know any rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts.effects import own_errors
from rewright.sql.records import Table
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    as_product,
    conjuncts,
    free_rels,
    returns_set,
    walk,
    walk_block,
)

# A key: positions of columns, and the constraints it rests on
KeyFact = tuple[frozenset[int], frozenset[str]]

# Aggregates whose value over no rows is not NULL
NOT_NULL_ON_EMPTY = frozenset(
    # where a value would stand among no rows is known, too
    {"count", "regr_count", "rank", "dense_rank", "percent_rank", "cume_dist"}
)
# Strict built-in operators and functions that raise no error where `own_errors` says so, too (of the argument types at hand).
# Arithmetic can overflow and divide by zero; only what is listed here counts as safe.
SAFE_OPERATORS = frozenset({"=", "<>", "<", "<=", ">", ">=", "~~", "!~~", "||"})
SAFE_FUNCTIONS = frozenset(
    {"substring", "lower", "upper", "length", "char_length", "btrim", "ltrim", "rtrim"}
)


def table_of(item: a.FromItem, ctx: Context) -> Table | None:
    """The stored table a Scan reads, when its constraints speak for all rows scanned (F4)."""
    if not isinstance(item, a.Scan) or not ctx.catalog.has_table(item.table):
        return None
    table = ctx.catalog.table(item.table)
    if table.kind not in {"table", "partitioned", "matview"}:
        return None
    return None if table.has_children and not item.only else table


def keys_of(item: a.FromItem, ctx: Context) -> list[KeyFact]:
    """Sets of columns no two rows of ``item`` share, NULLs counted as distinct from nothing."""
    table = table_of(item, ctx)
    if table is not None:
        return list(_table_keys(table))
    if isinstance(item, a.Derived):
        return query_keys(item.query, ctx)
    if isinstance(item, a.CteScan):
        cte = ctx.ctes.get(item.cte)
        return [] if cte is None or cte.recursive else query_keys(cte.query, ctx)
    return []


def _table_keys(table: Table) -> Iterator[KeyFact]:
    not_null = {i for i, c in enumerate(table.columns) if c.not_null}
    for key in table.keys:
        if not key.usable:
            continue
        columns = frozenset(table.position(c) for c in key.columns)
        if key.primary or columns <= not_null or not key.nulls_distinct:
            yield columns, frozenset({key.name})


def query_keys(query: a.Query, ctx: Context) -> list[KeyFact]:
    """Keys of a query's result, by output position."""
    if isinstance(query, a.SetOp):
        every = frozenset(range(len(query.columns)))
        return [] if query.all else [(every, frozenset())]
    if not isinstance(query, a.Select) or any(returns_set(t.expr) for t in query.targets):
        return []
    found: list[KeyFact] = []
    if query.distinct == ():
        found.append((frozenset(range(len(query.targets))), frozenset()))
    if query.group_by is not None and len(query.group_by) == 1:
        where = [_position(query.targets, e) for e in query.group_by[0]]
        if all(w is not None for w in where):
            found.append((frozenset(w for w in where if w is not None), frozenset()))
    elif query.group_by is None and len(query.from_) == 1:
        found += _projected(query, ctx)
    return found


def _projected(query: a.Select, ctx: Context) -> Iterator[KeyFact]:
    item = query.from_[0]
    if isinstance(item, a.Join):
        return
    for columns, basis in keys_of(item, ctx):
        where = [_position(query.targets, ("column", item.rel, p)) for p in columns]
        if all(w is not None for w in where):
            yield frozenset(w for w in where if w is not None), basis


def _position(targets: tuple[a.Target, ...], wanted: Any) -> int | None:
    for i, t in enumerate(targets):
        e = t.expr
        if e == wanted or (isinstance(e, a.Column) and ("column", e.rel, e.pos) == wanted):
            return i
    return None


def not_null(expr: a.Expr, items: Iterable[a.FromItem], ctx: Context) -> frozenset[str] | None:
    """The constraints by which ``expr`` is never NULL over rows of ``items`` (top level, not padded)."""
    if isinstance(expr, a.Const):
        return None if expr.value is None else frozenset()
    if isinstance(expr, a.Cast) and expr.method in {"binary", "typmod", "func"}:
        return not_null(expr.arg, items, ctx)
    if not isinstance(expr, a.Column):
        return None
    for item in items:
        if not isinstance(item, a.Join) and item.rel == expr.rel:
            return column_not_null(item, expr.pos, ctx)
    return None


def column_not_null(item: a.FromItem, pos: int, ctx: Context) -> frozenset[str] | None:
    table = table_of(item, ctx)
    if table is not None:
        column = table.columns[pos]
        return (
            frozenset({column.not_null_constraint or f"{table.ref.name}.{column.name} not null"})
            if column.not_null
            else None
        )
    query = item.query if isinstance(item, a.Derived) else None
    if isinstance(item, a.CteScan) and item.cte in ctx.ctes and not ctx.ctes[item.cte].recursive:
        query = ctx.ctes[item.cte].query
    if not isinstance(query, a.Select) or (query.group_by is not None and len(query.group_by) != 1):
        return None
    expr = query.targets[pos].expr
    if isinstance(expr, a.Aggregate):
        return frozenset() if expr.func.name in NOT_NULL_ON_EMPTY else None
    return not_null(expr, as_product(query)[0], ctx)


# --------------------------------------------------------------------------- expressions


def is_equality(expr: a.Expr) -> bool:
    return isinstance(expr, a.Op) and len(expr.args) == 2 and expr.op.btree == "=" and expr.op.is_builtin


def is_strict_path(expr: a.Expr, target: a.Expr) -> bool:
    """Whether ``expr`` is NULL whenever ``target``, a part of it, is."""
    if expr == target:
        return True
    match expr:
        case a.Op(op=op, args=args):
            return op.function.strict and any(is_strict_path(x, target) for x in args)
        case a.Call(func=func, args=args):
            return func.strict and not func.returns_set and any(is_strict_path(x, target) for x in args)
        case a.Cast(arg=arg, method=method):
            return method in {"binary", "typmod", "func", "io"} and is_strict_path(arg, target)
        case a.Not(arg=arg):
            return is_strict_path(arg, target)
        case a.InList(op=op, left=left):
            return op.function.strict and is_strict_path(left, target)
        case _:
            return False


def rejects_null(conjunct: a.Expr, target: a.Expr) -> bool:
    """Whether ``conjunct`` is not TRUE when ``target`` is NULL (4a)."""
    match conjunct:
        case a.Or(args=args):
            return all(rejects_null(x, target) for x in args)
        case a.And(args=args):
            return any(rejects_null(x, target) for x in args)
        case a.IsNull(arg=arg, negated=True, row_form=False):
            return is_strict_path(arg, target)
        case _:
            return is_strict_path(conjunct, target)


def null_on_empty(expr: a.Expr) -> bool:
    """Whether an expression over aggregates of no rows is NULL (1c)."""
    return any(
        isinstance(n, a.Aggregate)
        and n.func.name not in NOT_NULL_ON_EMPTY
        and n.func.is_builtin
        and is_strict_path(expr, n)
        for n in walk_block(expr)
    )


def is_volatile(node: Any) -> bool:
    for n in walk(node):
        match n:
            case a.Call(func=f) | a.Aggregate(func=f) | a.WindowCall(func=f):
                if f.volatility is a.Volatility.VOLATILE:
                    return True
            case a.Op(op=op):
                if op.function.volatility is a.Volatility.VOLATILE:
                    return True
            case a.Opaque(volatility=v):
                if v is a.Volatility.VOLATILE:
                    return True
            case a.FunctionScan() | a.SystemColumn():
                return True
            case _:
                pass
    return False


def cannot_fail(node: Any) -> bool:
    """Whether evaluation raises no error on any value (M7); conservative."""
    for n in walk(node):
        match n:
            case a.Op(op=op):
                if not (op.is_builtin and op.name in SAFE_OPERATORS) or raises(n):
                    return False
            case a.Call(func=f):
                if not (f.is_builtin and f.name in SAFE_FUNCTIONS) or raises(n):
                    return False
            case a.Cast(method=method, implicit=implicit):
                if (method != "binary" and not implicit) or raises(n):
                    return False
            case a.ArrayExpr() if raises(n):
                return False
            case a.ScalarSubquery() | a.ArraySubquery() | a.Subscript() | a.FieldSelect() | a.Opaque():
                return False
            case _:
                pass
    return True


def raises(expr: a.Expr) -> bool:
    """Whether an expression itself, not its parts, may raise an error."""
    return bool(own_errors(expr, lambda _query: False))


def divides(node: Any) -> bool:
    """Whether an operator that fails on ordinary values (division, modulo) occurs."""
    return any(isinstance(n, a.Op) and n.op.name in {"/", "%"} for n in walk(node))


def shows_identity(expr: a.Expr) -> bool:
    """Whether an equal value is the same value, so that one may stand for the other (M4)."""
    return equality_is_identity(expr.type)


def order_sensitive(agg: a.Aggregate) -> bool:
    return (
        bool(agg.order_by or agg.direct)
        or agg.func.name
        in {
            "array_agg",
            "string_agg",
            "json_agg",
            "jsonb_agg",
            "xmlagg",
            "json_object_agg",
            "jsonb_object_agg",
        }
        or not agg.func.is_builtin
    )


def simple_aggregates(node: Any) -> bool:
    """Whether all aggregates are built in and do not depend on the order of their input."""
    return not any(isinstance(n, a.Aggregate) and order_sensitive(n) for n in walk_block(node))


def is_lateral(item: a.FromItem) -> bool:
    """Whether a FROM item refers to its neighbours (or to an enclosing block)."""
    return bool(free_rels(item)) and not isinstance(item, a.Join)


def local_conjuncts(select: a.Select, rels: frozenset[int]) -> tuple[a.Expr, ...]:
    return tuple(c for c in conjuncts(select.where) if free_rels(c) <= rels)
