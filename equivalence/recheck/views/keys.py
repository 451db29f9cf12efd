"""Sort keys behind others that decide them: of blocks, and of aggregates that read rows in an order.

Rows that agree on some keys agree on what these determine: by a key of the table, by equalities with them or
with constants, or as they are one group. Rows that show the same are as one, whichever comes first. Equal
values that look different determine no more than what is equal to them, so that only of columns whose equal
values are the same an expression follows. A key is computed: it must not fail, or be shown anyway. Where a
query is cut, more rows may be computed for the longer order than for the shorter. Of an aggregate without
GROUP BY there is one row, which has no order, and no cut where it is kept. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import NOTHING, Assumptions
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    bottom_up,
    has_aggregate,
    has_subquery,
    has_window,
    map_parts,
    returns_set,
    walk,
)

_Keys = tuple[a.SortKey, ...]


def keys(query: a.Query, changes: Changes) -> a.Query:
    cut = any(isinstance(n, a.Select | a.SetOp) and n.limit is not None for n in walk(query))

    def change(node: a.Node) -> a.Node:
        if not isinstance(node, a.Select):
            return node
        made = _block(node, changes)
        # an index may give the shorter order, so that nothing behind the cut is computed; a sort needs all
        if cut and made.order_by != node.order_by and not has_aggregate(made.order_by[0].expr):
            changes.ask_of_others(replace(node, limit=None, offset=None, order_by=()))
        return made

    def within(part: a.Node) -> a.Node:
        return bottom_up(part, lambda n: _lone(change(n), changes, top=False))

    whole: a.Query = map_parts(query, within)
    made: a.Query = _lone(change(whole), changes, top=True)
    return made


def _lone(node: Any, changes: Changes, *, top: bool) -> Any:
    """The one row of all that a block aggregates, without an order, and a cut that keeps it; any other node
    as it is.
    """
    if not isinstance(node, a.Select) or node.group_by != ((),) or node.distinct is not None:
        return node
    limit, shown = node.limit, [t.expr for t in node.targets]
    several = any(returns_set(x) for x in (*shown, *(k.expr for k in node.order_by)))
    number = limit.value if isinstance(limit, a.Const) else "" if limit is not None else "1"
    if several or node.offset is not None or number is None or not number.isdigit() or int(number) == 0:
        return node
    for key in (k.expr for k in node.order_by if k.expr not in shown):
        if changes.known.errors(key) or not changes.known.cannot_fail(key):
            return node
        if has_window(key) or has_subquery(key):
            return node
    # a LIMIT keeps what is asked around the block from being its HAVING: all is computed that is shown
    for x in shown if not top and (node.order_by or limit is not None) else ():
        changes.ask_of_others(a.Select((), where=x))
    return replace(node, order_by=(), limit=None, with_ties=False)


def _block(block: a.Select, changes: Changes) -> a.Select:
    rows = replace(block, targets=(), group_by=None, having=None, distinct=None, order_by=())

    def visit(node: Any) -> Any:
        if isinstance(node, QUERIES):
            return node
        node = map_parts(node, visit)
        plain = isinstance(node, a.Aggregate) and not node.distinct and not node.direct
        return replace(node, order_by=_first(node.order_by, rows, changes)) if plain else node

    targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
    having = None if block.having is None else visit(block.having)
    order = tuple(replace(k, expr=visit(k.expr)) for k in block.order_by)
    block = replace(block, targets=targets, having=having, order_by=order)
    if block.distinct is not None or any(returns_set(t.expr) for t in block.targets):
        return block
    order = _first(block.order_by, block, changes)
    for n in range(1, len(order)):
        basis = _one_row(order[:n], order[n:], block, changes)
        if basis is not None:
            changes.rest_on(basis)
            return replace(block, order_by=order[:n])
    return replace(block, order_by=order)


def _one_row(first: _Keys, later: _Keys, block: a.Select, changes: Changes) -> Assumptions | None:
    """What makes rows that agree on the first keys one row to whoever reads the block."""
    known = changes.known

    def plain(x: a.Expr) -> bool:
        return known.cannot_fail(x) and not (known.errors(x) or has_window(x) or has_subquery(x))

    gone = [k.expr for k in later]
    if block.with_ties or not all(plain(x) and not has_aggregate(x) for x in gone):
        return None
    if not all(k.op.is_builtin for k in later) or not all(plain(t.expr) for t in block.targets):
        return None
    before, rests = _agreed(first), NOTHING
    for target, look in zip(block.targets, known.looks(block), strict=True):
        x = target.expr
        read = [n for n in walk(x) if isinstance(n, (*REFERENCES, a.Aggregate, a.Grouping))]
        if not read or (x in before and look is not None):
            continue
        # a column that the keys determine, or what is computed of such
        same = all(isinstance(n, a.Column) and equality_is_identity(n.type) for n in read)
        asked = replace(later[0], expr=x)
        basis = None if x in before or not (look or same) else _decided(asked, before, block, changes)
        if basis is None:
            return None
        rests |= basis
    return rests


def _first(order: _Keys, rows: a.Select, changes: Changes) -> _Keys:
    """The keys that those before them do not decide."""
    kept: list[a.SortKey] = []
    for key in order:
        basis = _decided(key, _agreed(kept), rows, changes) if kept else None
        if basis is None:
            kept.append(key)
        else:
            changes.rest_on(basis)
    return tuple(kept)


def _agreed(keys: Iterable[a.SortKey]) -> list[a.Expr]:
    """What rows that tie agree on, by the order of the type's own operators."""
    return [k.expr for k in keys if k.op.is_builtin]


def _decided(
    key: a.SortKey, before: Iterable[a.Expr], rows: a.Select, changes: Changes
) -> Assumptions | None:
    """What makes rows that agree on the keys before agree on this one."""
    x, known = key.expr, changes.known
    shown = any(t.expr == x for t in rows.targets)
    fails = bool(known.errors(x)) or not known.cannot_fail(x)
    if not key.op.is_builtin or has_subquery(x) or has_window(x) or (fails and not shown):
        return None
    if rows.group_by is not None:
        one = len(rows.group_by) == 1 and set(rows.group_by[0]) <= set(before)
        return NOTHING if one else None
    parts = [n for n in walk(x) if isinstance(n, a.Column | a.WholeRow | a.SystemColumn)]
    columns = [n for n in parts if isinstance(n, a.Column)]
    if has_aggregate(x) or not columns or len(columns) < len(parts):
        return None
    if columns != [x] and not all(equality_is_identity(c.type) for c in columns):
        return None
    start = [(k.rel, k.pos) for k in before if isinstance(k, a.Column)]
    return known.closure(rows, start).has([(c.rel, c.pos) for c in columns])
