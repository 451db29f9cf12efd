"""Row comparisons: ``(a, b) op (c, d)`` and row-wise IS DISTINCT FROM (make_row_comparison_op).

``=`` and ``<>`` become AND and OR of column comparisons, exactly as the server's parser does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import And, Const, Expr, IsDistinct, IsNull, Not, Op, Or, RowCompare
from rewright.sql.binder.coerce import base_of, info_of, resolve_unknown
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import make_op
from rewright.sql.binder.scope import Context

_ORDERINGS = {"<", "<=", ">", ">="}


def compare(
    context: Context,
    name: str,
    left: Sequence[Expr],
    right: Sequence[Expr],
    schemas: tuple[str, ...] | None,
) -> Expr:
    ops = pairwise(context, name, left, right, schemas)
    if len(ops) == 1:
        return ops[0]
    if all(o.op.btree == "=" for o in ops):
        return And(tuple(ops))
    if name == "<>" and all(o.op.name == "<>" for o in ops):
        return Or(tuple(ops))
    if name not in _ORDERINGS or any(o.op.btree != name for o in ops):
        raise Unsupported(f"row comparison with {name}")
    kind: Any = name
    lefts, rights = tuple(o.args[0] for o in ops), tuple(o.args[1] for o in ops)
    return RowCompare(kind, tuple(o.op for o in ops), lefts, rights)


def pairwise(
    context: Context,
    name: str,
    left: Sequence[Expr],
    right: Sequence[Expr],
    schemas: tuple[str, ...] | None = None,
) -> list[Op]:
    """One operator call per pair; 42601 when the rows differ in length or are empty."""
    if len(left) != len(right):
        raise BindError("42601", "unequal number of entries in row expressions")
    if not left:
        raise BindError("0A000", "cannot compare rows of zero length")
    ops = [make_op(context, name, a, b, schemas) for a, b in zip(left, right, strict=True)]
    if any(o.type.name != "bool" for o in ops):
        raise BindError("42804", "row comparison operator must yield type boolean")
    return ops


def distinct_pair(context: Context, left: Expr, right: Expr, *, negated: bool) -> Expr:
    """IS DISTINCT FROM of two values; against a bare NULL it is a NULL test of the value itself: a row of
    NULLs IS NULL, and is distinct from NULL.
    """
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Const) and a.value is None and a.type.name == "unknown":
            tested = resolve_unknown(context, b)
            if is_row(context, tested):
                return make_distinct(context, tested, Const(None, tested.type), negated=negated)
            return IsNull(tested, not negated)
    return make_distinct(context, left, right, negated=negated)


def is_row(context: Context, expr: Expr) -> bool:
    """Whether an expression is of a row type, for which IS NULL looks at the fields."""
    based = base_of(context.catalog, expr.type)
    return based.name == "record" or info_of(context.catalog, based).kind == "c"


def make_distinct(context: Context, left: Expr, right: Expr, *, negated: bool) -> Expr:
    op = make_op(context, "=", left, right)
    if op.type.name != "bool":
        raise BindError("42804", "IS DISTINCT FROM requires = operator to yield boolean")
    return IsDistinct(op.op, op.args[0], op.args[1], negated)


def distinct(context: Context, left: Sequence[Expr], right: Sequence[Expr], *, negated: bool) -> Expr:
    """OR of the pairs' IS DISTINCT FROM."""
    if len(left) != len(right):
        raise BindError("42601", "unequal number of entries in row expressions")
    pairs = [distinct_pair(context, a, b, negated=False) for a, b in zip(left, right, strict=True)]
    if not pairs:
        raise Unsupported("IS DISTINCT FROM on empty rows")
    whole: Expr = pairs[0] if len(pairs) == 1 else Or(tuple(pairs))
    if not negated:
        return whole
    if len(pairs) == 1 and isinstance(pairs[0], IsDistinct | IsNull):
        return replace(pairs[0], negated=not pairs[0].negated)
    return Not(whole)
