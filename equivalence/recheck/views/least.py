"""The row of each part that stands first in an order, where nothing but what rows are parted and sorted by is
seen of it, as the least or greatest of the part.

    (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM t) x … n = 1
    is  (SELECT k, min(v) AS v, 1 AS n FROM t GROUP BY k) x
    SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v     is  SELECT k, min(v) FROM t GROUP BY k ORDER BY k

A part is a group. What stands first is the least value, or NULL where NULLs stand first: there must be none
then. Which of several rows with the least value stands first is not seen. Conditions beside ``n = 1`` are
asked of fewer rows: whether they fail is open. So it is of rows that stand behind a part's first under a cut.
Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.recheck.views.joined import joined
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.builtins import builtins
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8, equality_is_identity
from rewright.sql.walk import (
    bottom_up,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    returns_set,
    walk,
)

# conditions on a number that is at least 1
_IS_ONE = frozenset({("=", "1"), ("<=", "1"), ("<", "2")})
_TURNED = {"=": "=", ">=": "<=", ">": "<"}
# min and max of these are values of the same type
_KEPT_TYPES = frozenset({"int2", "int4", "int8", "text", "date", "timestamp", "timestamptz"})
_Conditions = tuple[a.Expr, ...]


def least(query: a.Query, changes: Changes) -> a.Query:
    cut = any(isinstance(n, a.Select | a.SetOp) and n.limit is not None for n in walk(query))

    def change(node: a.Node) -> a.Node:
        if not isinstance(node, a.Select):
            return node
        groups = _distinct_on(node, changes)
        # a cut may end with the first row of a part, whose least value is known behind all of them
        if groups is not None and cut:
            changes.ask_of_others(replace(node, distinct=None, limit=None, offset=None, order_by=()))
        return _block(groups or node, changes, cut=cut)

    made = bottom_up(query, change)
    # numbered rows are sorted by their parts, groups need not be: a cut above that is sorted may read on
    if cut and made != query:
        changes.ask_behind_cuts(query)
    return made


def _block(block: a.Select, changes: Changes, *, cut: bool) -> a.Select:
    rows = joined(block)
    if rows is None:
        return block
    base, asked = list(rows.base), rows.asked
    # one condition after the other, since each item may want its own first row
    for n, item in enumerate(base):
        base[n], asked = _of_item(item, asked, changes, cut=cut)
    added = []
    for x in rows.added:
        item, on = _of_item(x.item, x.on, changes, cut=cut)
        added.append(replace(x, item=item, on=on))
    made = replace(rows, base=tuple(base), added=tuple(added), asked=asked)
    if made == rows:
        return block
    found = made.block()
    return replace(block, from_=found.from_, where=found.where)


def _of_item(
    item: a.FromItem, asked: _Conditions, changes: Changes, *, cut: bool
) -> tuple[a.FromItem, _Conditions]:
    if not isinstance(item, a.Derived) or item.security_barrier or not isinstance(item.query, a.Select):
        return item, asked
    for n, condition in enumerate(asked):
        at = _first_of(condition, item.rel)
        made = None if at is None else _groups(item.query, at, changes)
        if made is not None:
            rest = asked[:n] + asked[n + 1 :]
            # what else is asked was asked of all numbered rows
            if any(changes.known.errors(p) for p in (*rest, *conjuncts(item.query.where))):
                changes.modulo.add("errors")
            if cut:
                changes.ask_of_others(replace(item.query, order_by=()))
            return replace(item, query=made), rest
    return item, asked


def _first_of(condition: a.Expr, rel: int) -> int | None:
    """The column of an item that a condition wants to be 1, where it is at least that."""
    if not isinstance(condition, a.Op) or not condition.op.is_builtin or len(condition.args) != 2:
        return None
    left, right = (x.arg if isinstance(x, a.Cast) and x.implicit else x for x in condition.args)
    name: str | None = condition.op.name
    if isinstance(left, a.Const):
        # `=` and `<` turned round; >= has no place on the left
        left, right, name = right, left, _TURNED.get(condition.op.name)
    if not isinstance(left, a.Column) or left.rel != rel or not isinstance(right, a.Const):
        return None
    whole = right.type.is_builtin and right.type.name in {"int2", "int4", "int8"}
    return left.pos if whole and (name, right.value) in _IS_ONE else None


def _groups(query: a.Select, at: int, changes: Changes) -> a.Select | None:
    bare = a.Select(query.targets, query.from_, query.where, order_by=query.order_by)
    call = query.targets[at].expr
    # DISTINCT, LIMIT and groups beside the number work on numbered rows
    if query != bare or is_volatile(query) or not isinstance(call, a.WindowCall) or not _is_number(call):
        return None
    # groups are not sorted as the numbered rows are: that must not have failed
    if any(not changes.known.cannot_fail(k.expr) for k in query.order_by):
        return None
    parts, keys = call.window.partition_by, call.window.order_by
    return _grouped(query, parts, keys, call, changes)


def _distinct_on(query: a.Select, changes: Changes) -> a.Select | None:
    """A block of DISTINCT ON as groups, sorted by what it is distinct on."""
    parts = tuple(dict.fromkeys(query.distinct or ()))
    keys = query.order_by[len(parts) :]
    # without keys behind those of DISTINCT ON any row may be the one
    if not parts or not keys or query.group_by is not None or query.having is not None or is_volatile(query):
        return None
    by_parts = query.order_by[: len(parts)]
    # each part once, and nothing else in front
    if any(k.expr not in parts for k in by_parts) or len({k.expr for k in by_parts}) < len(parts):
        return None
    if any(has_aggregate(t.expr) or has_window(t.expr) or returns_set(t.expr) for t in query.targets):
        return None
    rows = a.Select(query.targets, query.from_, query.where)
    made = _grouped(rows, parts, keys, None, changes)
    if made is None:
        return None
    return replace(query, targets=made.targets, distinct=None, group_by=made.group_by, order_by=by_parts)


def _grouped(
    query: a.Select,
    parts: Sequence[a.Expr],
    keys: Sequence[a.SortKey],
    number: a.Expr | None,
    changes: Changes,
) -> a.Select | None:
    """The rows' groups by the parts, with the least of the first key; ``number``: what shows 1."""
    first = keys[0]
    if not _are_columns(parts, query) or not _is_sorted_by_value(first, query):
        return None
    if not all(changes.known.cannot_fail(k.expr) for k in keys):
        return None
    function = "max" if first.descending else "min"
    refs = [f for f in builtins().functions(function) if f.kind == "a" and f.args == (first.expr.type.name,)]
    if len(refs) != 1:
        # no aggregate, or several, for the type
        return None
    targets: list[a.Target] = []
    for target in query.targets:
        if target.expr == number:
            targets.append(replace(target, expr=a.Const("1", INT8)))
        elif target.expr in parts:
            targets.append(target)
        elif target.expr == first.expr:
            value = a.Aggregate(refs[0].to_ref(), (first.expr,), first.expr.type)
            targets.append(replace(target, expr=value))
        else:
            # a column that is neither part nor key is of the first row alone
            return None
    # a NULL that stands first is no least value
    if first.nulls_first and not _never_null(query, first, changes):
        return None
    group = tuple(dict.fromkeys(parts))
    return a.Select(tuple(targets), query.from_, conjoin(conjuncts(query.where)), (group,))


def _never_null(query: a.Select, key: a.SortKey, changes: Changes) -> bool:
    rows = a.Select(query.targets, query.from_, query.where)
    basis = changes.known.never_null(key.expr, changes.known.nonnull_columns(rows), rows)
    if basis is not None:
        changes.rest_on(basis)
    return basis is not None


def _is_number(call: a.WindowCall) -> bool:
    """Whether it is row_number() of parts that are sorted."""
    frame = call.window.frame
    named = call.func.is_builtin and call.func.name == "row_number" and call.filter is None
    placed = frame.start_offset is None and frame.end_offset is None
    return named and placed and bool(call.window.partition_by and call.window.order_by)


def _are_columns(parts: Sequence[a.Expr], query: a.Select) -> bool:
    own = from_rels(query.from_)
    return all(isinstance(p, a.Column) and p.rel in own and equality_is_identity(p.type) for p in parts)


def _is_sorted_by_value(key: a.SortKey, query: a.Select) -> bool:
    type_, rels, own = key.expr.type, free_rels(key.expr), from_rels(query.from_)
    plain = type_.name in _KEPT_TYPES and type_.typmod == -1 and equality_is_identity(type_)
    return plain and key.op.is_builtin and bool(rels) and rels <= own and not has_subquery(key.expr)
