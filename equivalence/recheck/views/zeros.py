"""Sums of groups that add 0 for some rows, as the sum of the other rows, and 0 where there are none.

    sum(CASE WHEN p THEN v ELSE 0 END)  is  coalesce(sum(v) FILTER (WHERE p), 0)

The group has rows, and v is never NULL: something is added. Zeros change no sum, and show no decimals here.
Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8, NUMERIC
from rewright.sql.walk import QUERIES, bottom_up, group_keys, has_subquery, map_parts

_NUMBERS = frozenset({"int2", "int4", "int8", "numeric"})


def zeros(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) and group_keys(node) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    never_null = changes.known.nonnull_columns(a.Select((), block.from_, block.where))

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        case = _case(n) if isinstance(n, a.Aggregate) else None
        if case is None:
            return map_parts(n, visit)
        ((test, added),) = case.whens
        basis = changes.known.never_null(added, never_null)
        if basis is None:
            return n
        changes.rest_on(basis)
        zero = a.Const("0", INT8 if n.type == INT8 else NUMERIC)
        return a.Coalesce((replace(n, args=(added,), filter=test), zero), n.type)

    targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
    order = tuple(replace(k, expr=visit(k.expr)) for k in block.order_by)
    having = None if block.having is None else visit(block.having)
    return replace(block, targets=targets, order_by=order, having=having)


def _case(call: a.Aggregate) -> a.Case | None:
    if not call.func.is_builtin or call.func.name != "sum" or call.type not in {INT8, NUMERIC}:
        return None
    plain = call.filter is None and not call.distinct and not has_subquery(call) and not is_volatile(call)
    case = call.args[0]
    if not plain or not isinstance(case, a.Case) or len(case.whens) != 1 or case.type.typmod != -1:
        return None
    added, zero = case.whens[0][1], case.default
    if isinstance(zero, a.Cast) and zero.type.typmod == -1:
        zero = zero.arg
    exact = added.type.is_builtin and added.type.name in _NUMBERS and added.type.same_base(case.type)
    none = isinstance(zero, a.Const) and zero.value == "0" and zero.type.name in _NUMBERS
    return case if exact and none else None
