"""Making expressions that the binder would have made: operators and aggregates looked up by name and types.

Must not know rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.builtins import builtins
from rewright.sql.records import key_of
from rewright.sql.types import BOOL, INT4, INT8, NUMERIC, SqlType
from rewright.sql.walk import Place, conjoin, conjuncts, map_kind


def operator(name: str, left: SqlType, right: SqlType) -> a.OperatorRef | None:
    """The built-in operator of exactly these types; text's for varchar is not looked for."""
    for found in builtins().operators(name):
        if found.left == key_of(left) and found.right == key_of(right):
            return found.to_ref()
    return None


def compare(name: str, left: a.Expr, right: a.Expr) -> a.Op | None:
    ref = operator(name, left.type, right.type)
    return None if ref is None else a.Op(ref, (left, right), BOOL)


def aggregate(name: str, arg: a.Expr) -> a.Aggregate | None:
    """A plain aggregate whose result has its argument's type (min, max)."""
    for found in builtins().functions(name):
        if found.kind == "a" and found.args == (key_of(arg.type),) and found.result == key_of(arg.type):
            return a.Aggregate(found.to_ref(), (arg,), arg.type.without_typmod())
    return None


def function(name: str, *args: str) -> a.FunctionRef | None:
    try:
        return builtins().function_ref(name, args)
    except KeyError:
        return None


def cast_to_int8(expr: a.Expr) -> a.Expr:
    """Numeric to bigint, as ``expr::bigint`` binds."""
    func = function("int8", "numeric")
    return a.Cast(expr, INT8, method="func", func=func)


def as_numeric(expr: a.Expr) -> a.Expr | None:
    """A number as numeric, as ``expr::numeric`` binds; None for other types."""
    if expr.type.is_builtin and expr.type.name == "numeric":
        return expr
    func = function("numeric", key_of(expr.type))
    return None if func is None else a.Cast(expr, NUMERIC, method="func", func=func)


def null(type_: SqlType) -> a.Expr:
    """NULL as ``NULL::type`` binds."""
    plain = replace(type_, typmod=-1)
    bare = a.Const(None, plain)
    return bare if plain == type_ else a.Cast(bare, type_, method="typmod")


def int8(value: int) -> a.Const:
    return a.Const(str(value), INT8)


def derived(
    rel: int, alias: str, query: a.Select, *, lateral: bool = False
) -> tuple[a.Derived, list[a.Column]]:
    """A block as a subquery in FROM, and its columns as they are read around it."""
    columns = [a.Column(rel, i, t.expr.type, t.name) for i, t in enumerate(query.targets)]
    return a.Derived(rel, query, alias, tuple(c.name for c in columns), lateral=lateral), columns


def numbered(prefix: str, exprs: Iterable[a.Expr]) -> tuple[a.Target, ...]:
    """Outputs called by a prefix and their number."""
    return tuple(a.Target(f"{prefix}{i}", e) for i, e in enumerate(exprs, 1))


def moved_to(shown: Iterable[a.Column], columns: Iterable[a.Column]) -> dict[Place, a.Expr]:
    """For `walk.substitute`: columns that are read elsewhere now."""
    return {(old.rel, old.pos): new for old, new in zip(shown, columns, strict=False)}


def left_join(items: Sequence[a.FromItem], item: a.FromItem, on: a.Expr | None) -> tuple[a.FromItem, ...]:
    """A product with something more joined to its rows, where there is a partner."""
    left = items[0]
    for other in items[1:]:
        left = a.Join("inner", left, other, None)
    return (a.Join("left", left, item, on),)


def over(expr: a.Expr, window: a.Window, asked: Sequence[a.Expr] = ()) -> a.Expr:
    """An expression with its aggregates as window calls, of the rows that meet ``asked``."""

    def call(g: a.Aggregate) -> a.WindowCall:
        only = conjoin((*asked, *(() if g.filter is None else (g.filter,))))
        return a.WindowCall(g.func, g.args, window, g.type, star=g.star, filter=only)

    return map_kind(expr, a.Aggregate, call)


def ascending(exprs: Sequence[a.Expr]) -> tuple[a.SortKey, ...] | None:
    """Sort keys that bring equal values of each expression together; None where a type has no order."""
    found = []
    for e in exprs:
        less = operator("<", e.type, e.type)
        if less is None and e.type.is_builtin and e.type.name == "varchar":
            text = replace(e.type, name="text", typmod=-1)
            less = operator("<", text, text)
        if less is None:
            return None
        found.append(a.SortKey(e, False, False, less))
    return tuple(found)


def of_rows(expr: a.Expr, own: a.Expr | None) -> a.Expr:
    """An expression with its aggregates taken of the rows that meet a condition."""
    if own is None:
        return expr
    return map_kind(
        expr, a.Aggregate, lambda g: replace(g, filter=conjoin((*conjuncts(own), *conjuncts(g.filter))))
    )


def or_zero(value: a.Expr) -> a.Expr:
    """A count that is NULL where there is nothing to count."""
    return a.Coalesce((value, a.Const("0", value.type)), value.type)


def union_all(arms: Sequence[a.Query]) -> a.Query:
    """One or more queries as a chain of UNION ALL, with the columns of the first."""
    made = arms[0]
    for arm in arms[1:]:
        made = a.SetOp("union", True, made, arm, a.output_columns(arms[0]))
    return made


# what EXISTS selects: any row does
ONE = (a.Target("one", a.Const("1", INT4)),)
TRUE = a.Const("t", BOOL)
FALSE = a.Const("f", BOOL)
