"""Which implicit casts and literal types a text may leave out.

A call prints with its arguments as short as possible; whether the short form means the same is decided by
resolving it again with the binder's own rules and comparing with the tree. Must not know text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice, product

from rewright.sql.algebra import (
    Aggregate,
    ArrayExpr,
    ArrayOp,
    Call,
    Case,
    Cast,
    Coalesce,
    Const,
    Expr,
    InList,
    IsDistinct,
    MinMax,
    NullIf,
    OperatorRef,
    Quantified,
    Select,
    Target,
    WindowCall,
    output_columns,
)
from rewright.sql.binder import rows
from rewright.sql.binder.coerce import (
    array_of,
    coerce,
    common_type,
    element_of,
    resolve_polymorphic,
    resolve_unknown,
)
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import coerce_args, make_op, resolve_function
from rewright.sql.binder.scope import Context
from rewright.sql.records import key_of
from rewright.sql.types import UNKNOWN

_TEXTUAL = {"text", "varchar", "bpchar"}
# sixteen choices: four arguments in both forms
_MAX_TRIES = 16


def short(expr: Expr) -> Expr:
    """An argument without its implicit casts, string literals without their type."""
    while isinstance(expr, Cast) and expr.implicit:
        expr = expr.arg
    if isinstance(expr, Const) and expr.value is not None and expr.type.name in _TEXTUAL:
        return Const(expr.value, UNKNOWN)
    # a typed NULL is printed bare where the type follows from the others
    if isinstance(expr, Const) and expr.value is None:
        return Const(None, UNKNOWN)
    return expr


def shorten(args: Sequence[Expr], same: Callable[[Sequence[Expr]], bool]) -> list[Expr] | None:
    """The shortest form of ``args`` for which ``same`` holds; None when not even the full form does."""
    # the shortest forms come first, since each pair has the short one first
    forms = [(short(a), a) if short(a) is not a else (a,) for a in args]
    for choice in islice(product(*forms), _MAX_TRIES):
        if _holds(same, choice):
            return list(choice)
    return list(args) if _holds(same, args) else None


def _holds(same: Callable[[Sequence[Expr]], bool], args: Sequence[Expr]) -> bool:
    try:
        return same(args)
    # the short form does not resolve at all
    except (BindError, Unsupported):
        return False


def op_args(context: Context, op: OperatorRef, args: Sequence[Expr]) -> list[Expr] | None:
    """Arguments with which the operator's plain name still means ``op`` over ``args``."""
    wanted = tuple(args)

    def same(given: Sequence[Expr]) -> bool:
        left = given[0] if len(given) == 2 else None
        made = make_op(context, op.name, left, given[-1])
        return made.op == op and made.args == wanted

    return shorten(args, same)


def call_args(
    context: Context, expr: Call | Aggregate | WindowCall, schemas: Sequence[str]
) -> list[Expr] | None:
    """Arguments with which the function's name still means this very call."""
    args = expr.args
    # direct arguments are resolved together with those of WITHIN GROUP: left as they are
    if isinstance(expr, Aggregate) and expr.direct:
        return list(args)

    def same(given: Sequence[Expr]) -> bool:
        keys = [key_of(a.type) for a in given]
        variadic = is_variadic_call(expr)
        # with types of the short arguments, as the server would look
        found = resolve_function(context, schemas, expr.func.name, keys, variadic=variadic)
        if found is None or found.info.to_ref() != expr.func:
            return False
        real, result = resolve_polymorphic(context.catalog, keys, found.args, found.info.result)
        # polymorphic arguments are fixed by the others
        done = tuple(resolve_unknown(context, a) for a in coerce_args(context, given, real))
        return done == args and result == key_of(expr.type)

    return shorten(args, same)


def is_variadic_call(expr: Call | Aggregate | WindowCall) -> bool:
    """Whether the call was written VARIADIC array (not as a list of single values)."""
    func = expr.func
    if not func.variadic or len(expr.args) != len(func.arg_types) or not expr.args:
        return False
    declared, given = func.arg_types[-1], expr.args[-1].type
    # VARIADIC "any" takes single values always
    return declared != "any" and (
        key_of(given) == declared or (declared.endswith("array") and given.is_array)
    )


def common_args(context: Context, expr: Coalesce | MinMax | Case | ArrayExpr) -> list[Expr]:
    """Arguments of CASE (default first), COALESCE and friends whose common type is still the same."""
    args: Sequence[Expr] = (
        (expr.default, *(r for _, r in expr.whens)) if isinstance(expr, Case) else expr.args
    )
    wanted = tuple(args)

    def same(given: Sequence[Expr]) -> bool:
        # a typmod is dropped where the branches differ
        type_ = common_type(context, list(given)).without_typmod()
        return tuple(coerce(context, g, type_) for g in given) == wanted

    return _all_or_nothing(args, same)


def _all_or_nothing(args: Sequence[Expr], same: Callable[[Sequence[Expr]], bool]) -> list[Expr]:
    briefly = [short(a) for a in args]
    if _holds(same, briefly):
        return briefly
    # NULL stays bare where only it changes nothing
    # one NULL at a time: two bare ones might decide the type together
    for i, a in enumerate(args):
        if isinstance(a, Const) and a.value is None:
            partly = [*args[:i], Const(None, UNKNOWN), *args[i + 1 :]]
            if _holds(same, partly):
                return partly
    return list(args)


def in_list_args(context: Context, expr: InList) -> list[Expr]:
    """Left side and items of IN."""
    wanted = (expr.left, *expr.items)

    def same(given: Sequence[Expr]) -> bool:
        # NOT IN and IN resolve the operator by the left side and the items' common type
        shared = common_type(context, list(given)).without_typmod()
        op = make_op(context, expr.op.name, given[0], Const(None, shared))
        items = [coerce(context, coerce(context, g, shared), op.args[1].type) for g in given[1:]]
        return op.op == expr.op and (op.args[0], *items) == wanted

    return _all_or_nothing(wanted, same)


def pair_args(context: Context, expr: IsDistinct | NullIf) -> list[Expr] | None:
    return op_args(context, expr.op, (expr.left, expr.right))


def array_op_args(context: Context, expr: ArrayOp) -> list[Expr] | None:
    def same(given: Sequence[Expr]) -> bool:
        left, array = given
        element = element_of(context.catalog, array.type) if array.type.name != "unknown" else UNKNOWN
        if element is None:
            return False
        op = make_op(context, expr.op.name, left, Const(None, element))
        done = coerce(context, array, array_of(context.catalog, op.args[1].type))
        return (op.op, op.args[0], done) == (expr.op, expr.left, expr.array)

    return shorten((expr.left, expr.array), same)


def quantified(context: Context, expr: Quantified) -> tuple[list[Expr], Select | None]:
    """Left side and, where its targets lose implicit casts too, the query to print instead."""
    name = expr.ops[0].name
    query = expr.query
    # DISTINCT would see other values without casts
    plain = query if isinstance(query, Select) and query.distinct is None else None
    brief = _brief_targets(plain) if plain else None
    # first without casts on both sides, then with those of the query
    for candidate in (brief, plain):
        columns = output_columns(candidate or query)

        def same(given: Sequence[Expr], types: Sequence[Const]) -> bool:
            ops = rows.pairwise(context, name, list(given), list(types))
            lefts = tuple(o.args[0] for o in ops)
            wanted = [key_of(c.type) for c in output_columns(query)]
            return (
                tuple(o.op for o in ops) == expr.ops
                and lefts == expr.left
                and [key_of(o.args[1].type) for o in ops] == wanted
            )

        types = [Const(None, c.type) for c in columns]
        for lefts in ([short(a) for a in expr.left], list(expr.left)):
            if _holds(lambda given, types=types: same(given, types), lefts):  # type: ignore[misc] # mypy cannot infer a lambda with a default
                return lefts, candidate
    return list(expr.left), None


def _brief_targets(query: Select) -> Select:
    targets = tuple(Target(t.name, _without_casts(t.expr)) for t in query.targets)
    return replace(query, targets=targets)


def _without_casts(expr: Expr) -> Expr:
    while isinstance(expr, Cast) and expr.implicit:
        expr = expr.arg
    return expr
