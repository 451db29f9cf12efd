"""Rows from one number to another of row_number(), sorted by it: OFFSET and LIMIT in the window's order.

    SELECT id FROM (SELECT id, row_number() OVER (ORDER BY day, id) AS n FROM t) q
      WHERE n BETWEEN 11 AND 20 ORDER BY n
    -->
    SELECT id FROM t ORDER BY day, id OFFSET 10 LIMIT 10

All rows are numbered in one order, so that those with the numbers m + 1 to m + n are the ones that OFFSET m
and LIMIT n leave; sorted by their number they come in the window's order. Where that order leaves ties either
may choose otherwise: a reservation. Nothing else is asked of the rows, and the number is not shown. What is
shown is computed for other rows, and so is a reservation where it may fail. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    conjuncts,
    has_aggregate,
    has_window,
    references_whole,
    returns_set,
    substitute,
    walk,
)

_INTEGERS = frozenset({"int2", "int4", "int8"})


def as_pages(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its pages by number as pages by place."""
    return _AsPages(catalog).form(query)


class _AsPages(Walk):
    def block(self, block: a.Select) -> a.Select:
        item = block.from_[0] if len(block.from_) == 1 else None
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            return block
        inner = item.query
        # grouped or cut, inside or outside: the numbers are of other rows than FROM has
        if not isinstance(inner, a.Select) or not _is_bare(block) or not _is_bare(inner):
            return block
        at = _number(inner, block, item.rel)
        if at is None or references_whole(block, item.rel):
            return block
        found = numbers_asked(conjuncts(block.where), a.Column(item.rel, at, inner.targets[at].expr.type, ""))
        number = inner.targets[at].expr
        # a condition on anything but the number takes rows away after they were numbered
        if found is None or not isinstance(number, a.WindowCall):
            return block
        order = number.window.order_by
        basis = self.facts.exprs_determine(replace(inner, targets=()), [k.expr for k in order])
        self.reserve({"tie-order"} if basis is None else ())
        self.rest_on(basis or ())
        self.reserve_failures(*(t.expr for t in (*block.targets, *inner.targets)))
        first, last = found
        # all rows are numbered, by some plans before any is kept; a cut ends at its last row
        if last is not None:
            self.reserve_uncut(inner)
        shown = {(item.rel, i): t.expr for i, t in enumerate(inner.targets)}
        return replace(
            inner,
            targets=substitute(replace(block, from_=(), where=None, order_by=()), shown).targets,
            order_by=order,
            # numbers begin with 1, places with 0
            offset=None if first == 1 else a.Const(str(first - 1), a.COUNT_TYPE),
            limit=None if last is None else a.Const(str(last - first + 1), a.COUNT_TYPE),
        )


def _is_bare(block: a.Select) -> bool:
    """Whether its rows are those of FROM and WHERE, neither grouped nor cut."""
    cut = block.limit is not None or block.offset is not None or block.distinct is not None
    odd = any(returns_set(t.expr) or has_aggregate(t.expr) for t in block.targets)
    return not (cut or odd or block.ctes or block.group_by is not None or is_volatile(block))


def _number(inner: a.Select, block: a.Select, rel: int) -> int | None:
    """Which column numbers all rows in an order: the block sorts by it alone, and does not show it."""
    # a window outside sees the page only
    if len(block.order_by) != 1 or any(has_window(t.expr) for t in block.targets):
        return None
    (key,) = block.order_by
    by = key.expr
    # ORDER BY n DESC, n + 1 or another column is another order
    if not isinstance(by, a.Column) or by.rel != rel or not key.op.is_builtin or key.op.name != "<":
        return None
    if any(
        isinstance(n, a.Column) and (n.rel, n.pos) == (rel, by.pos) for t in block.targets for n in walk(t)
    ):
        return None
    calls = [n for t in inner.targets for n in walk(t) if isinstance(n, a.WindowCall)]
    number = inner.targets[by.pos].expr
    # a second window in the subquery is computed of all rows, and would see the page only
    if calls != [number] or not isinstance(number, a.WindowCall) or inner.order_by:
        return None
    plain = number.func.is_builtin and number.func.name == "row_number" and number.filter is None
    return by.pos if plain and number.window.order_by and not number.window.partition_by else None


def numbers_asked(asked: Sequence[a.Expr], number: a.Column) -> tuple[int, int | None] | None:
    """The first number that conditions on numbers of rows leave, and the last; None where something else is
    asked, or no row is left.
    """
    first, last = 1, None
    for p in asked:
        if not isinstance(p, a.Op) or not p.op.is_builtin or len(p.args) != 2:
            return None
        name, (left, right) = p.op.name, p.args
        if isinstance(right, a.Column):
            name, left, right = FLIPPED.get(name, ""), right, left
        known = right.arg if isinstance(right, a.Cast) and right.implicit else right
        # t.x > 3 beside n <= 10 leaves fewer than ten rows
        if not isinstance(left, a.Column) or (left.rel, left.pos) != (number.rel, number.pos):
            return None
        if not isinstance(known, a.Const) or known.value is None or known.type.name not in _INTEGERS:
            return None
        bound = int(known.value)
        if name in {">", ">=", "="}:
            first = max(first, bound + (name == ">"))
        if name in {"<", "<=", "="}:
            least = bound - (name == "<")
            last = least if last is None else min(last, least)
        elif name not in {">", ">="}:
            return None
    empty = last is not None and last < first
    # no row is left, or all of them: nothing to cut
    return None if empty or (first == 1 and last is None) else (first, last)
