"""Scalar subqueries grouped by columns that their conditions tie to a value: one group, or none.

Rows that equal one value are one group. Where no row is left there is no group, and the subquery is NULL;
without the grouping it has a row all the same, which is made NULL where there is nothing to count. What is
done with the aggregates is then done over no rows, too: it must not fail of what they are then. Nor must what
an aggregate computes once, as percentile_disc(2) does. Must not know the other forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import compare, function, int8
from rewright.sql.facts import null_on_empty
from rewright.sql.facts.aggregates import NOT_NULL_ON_EMPTY
from rewright.sql.types import SqlType, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    bottom_up,
    conjuncts,
    from_rels,
    has_window,
    map_kind,
    map_parts,
    returns_set,
    used_rels,
    walk,
)


def groups(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.ScalarSubquery) and isinstance(node.query, a.Select):
            made = _ungrouped(node.query, changes)
            return node if made is None else replace(node, query=made)
        return node

    return bottom_up(query, change)


def _ungrouped(block: a.Select, changes: Changes) -> a.Select | None:
    if not _plain(block) or not all(changes.known.cannot_fail(k.expr) for k in block.order_by):
        return None
    assert block.group_by is not None
    (keys,) = block.group_by
    inside = from_rels(block.from_)
    values = {k: v for p in conjuncts(block.where) for k, v in _equated(p, inside)}
    if not keys or any(k not in values for k in keys):
        return None
    shown = {k: values[k] for k in keys}
    value = _of_one_group(block.targets[0].expr, shown, inside, changes)
    having = None if block.having is None else _of_one_group(block.having, shown, inside, changes)
    if value is None or (having is None and block.having is not None):
        return None
    target = replace(block.targets[0], expr=_if_any(value, having))
    return replace(block, targets=(target,), group_by=((),), having=None, order_by=(), limit=None)


def _plain(block: a.Select) -> bool:
    """Grouped by one set of keys, and no cut but one that keeps a row."""
    limit = block.limit
    if limit is not None and not (isinstance(limit, a.Const) and (limit.value or "x").isdecimal()):
        return False
    if isinstance(limit, a.Const) and int(limit.value or 0) < 1:
        return False
    once = block.group_by is not None and len(block.group_by) == 1 and len(block.targets) == 1
    return once and block.distinct is None and block.offset is None and not block.ctes and not block.with_ties


def _equated(pred: a.Expr, inside: frozenset[int]) -> list[tuple[a.Expr, a.Expr]]:
    """What a condition of the block equates with a value from outside, and the value; a varchar column also
    where it is compared as text.
    """
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or (pred.op.name, pred.op.btree) != ("=", "="):
        return []
    # a local time is not told by the moment that it is, where clocks are put forward
    if pred.op.function.volatility is not a.Volatility.IMMUTABLE:
        return []
    found: list[tuple[a.Expr, a.Expr]] = []
    for key, value in (pred.args, pred.args[::-1]):
        own = used_rels(key)
        if (
            not own
            or not own <= inside
            or used_rels(value) & inside
            or not (_is_group(key) and _is_group(value))
        ):
            continue
        if any(isinstance(n, QUERIES) for x in (key, value) for n in walk(x)):
            continue
        found.append((key, value))
        if isinstance(key, a.Cast) and key.method == "binary" and isinstance(key.arg, a.Column):
            names = (key.arg.type.name, key.type.name)
            if names == ("varchar", "text") and key.arg.type.collation == key.type.collation:
                found.append((key.arg, value))
    return found


def _is_group(x: a.Expr) -> bool:
    """Whether what equals one value of the type is one group: not where a collation of the other side's tells
    fewer texts apart.
    """
    return x.type.is_builtin and (not x.type.collation or equality_is_identity(x.type))


def _of_one_group(
    expr: a.Expr, values: Mapping[a.Expr, a.Expr], inside: frozenset[int], changes: Changes
) -> a.Expr | None:
    """The expression with the keys' values for the keys; None where it says more of the group's rows than
    aggregates do, or may fail.
    """

    def visit(node: Any) -> Any:
        if isinstance(node, a.Aggregate):
            return node
        value = values.get(node)
        if value is not None and _alike(value.type, node.type):
            return value
        return map_parts(node, visit)

    made: a.Expr = visit(expr)
    if not all(_asks_of_none(x, changes) for x in walk(made) if isinstance(x, a.Aggregate)):
        return None
    around = map_kind(made, a.Aggregate, lambda g: a.Column(-1, 0, g.type))
    of_none = _without_rows(made, changes)
    if any(isinstance(n, (a.Grouping, *QUERIES)) for n in walk(around)) or used_rels(around) & inside:
        return None
    if has_window(made) or returns_set(made) or not changes.known.cannot_fail(of_none):
        return None
    return made


def _asks_of_none(call: a.Aggregate, changes: Changes) -> bool:
    """Whether what an aggregate asks once, where there are no rows as well, fails for none."""
    if not call.direct:
        return True
    if call.func.is_builtin and call.func.name in {"rank", "dense_rank", "percent_rank", "cume_dist"}:
        return all(map(changes.known.cannot_fail, call.direct))
    given = [x.arg if isinstance(x, a.Cast) and x.implicit else x for x in call.direct]
    shares = [x.value for x in given if isinstance(x, a.Const) and x.type.name in {"float8", "numeric"}]
    known = [re.fullmatch(r"0?\.\d+|0|1", v) for v in shares if v is not None]
    return call.func.is_builtin and len(known) == len(call.direct) and all(known)


def _without_rows(expr: a.Expr, changes: Changes) -> a.Expr:
    """The expression where there are no rows: most aggregates are NULL then, and what is strict is not called
    with NULL once its arguments are computed.
    """
    if isinstance(expr, a.Aggregate):
        if not expr.func.is_builtin or expr.func.name in NOT_NULL_ON_EMPTY:
            zero = expr.func.is_builtin and expr.func.name == "count"
            return a.Const("0", expr.type) if zero else a.Column(-1, 0, expr.type)
        return a.Const(None, expr.type)
    made: a.Expr = map_parts(expr, lambda n: _without_rows(n, changes))
    match made:
        case a.Op(args=args) if made.op.function.strict:
            given: tuple[a.Expr, ...] = args
        case a.Call(args=args) if made.func.strict and not made.func.returns_set:
            given = args
        case a.Cast(arg=arg) if made.method != "domain" and (made.func is None or made.func.strict):
            given = (arg,)
        case _:
            return made
    never = any(isinstance(x, a.Const) and x.value is None for x in given)
    return a.Const(None, made.type) if never and all(map(changes.known.cannot_fail, given)) else made


def _alike(value: SqlType, key: SqlType) -> bool:
    """Whether one may be shown for the other where they are equal."""
    return value == key and equality_is_identity(key)


def _if_any(value: a.Expr, having: a.Expr | None) -> a.Expr:
    if having is None and null_on_empty(value):
        return value
    count = function("count")
    assert count is not None
    some = compare(">", a.Aggregate(count, (), a.COUNT_TYPE, star=True), int8(0))
    assert some is not None
    test = some if having is None else a.And((some, having))
    return a.Case(((test, value),), a.Const(None, value.type), value.type)
