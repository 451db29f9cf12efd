"""Making expressions that the binder would have made: operators and aggregates looked up by name and types.

Must not know rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.sql import algebra as a
from rewright.sql.builtins import builtins
from rewright.sql.records import key_of
from rewright.sql.types import BOOL, INT8, SqlType


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


def int8(value: int) -> a.Const:
    return a.Const(str(value), INT8)


def union_all(arms: Sequence[a.Query]) -> a.Query:
    """One or more queries as a chain of UNION ALL, with the columns of the first."""
    made = arms[0]
    for arm in arms[1:]:
        made = a.SetOp("union", True, made, arm, a.output_columns(arms[0]))
    return made


TRUE = a.Const("t", BOOL)
FALSE = a.Const("f", BOOL)
