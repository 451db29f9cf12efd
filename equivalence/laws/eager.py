"""Groupings below a join whose parts are put together above it: undone in both queries of a pair before it is
proved.

    SELECT c.state, sum(p.v) FROM (SELECT cust, sum(amount) AS v FROM sale GROUP BY cust) p, cust c WHERE c.id
    = p.cust GROUP BY c.state -->
    SELECT c.state, sum(s.amount) FROM sale s, cust c WHERE c.id = s.cust GROUP BY c.state

Each row of p stands for the rows of its group. They agree on the keys, and the block looks at nothing else of
p but sums of sums and of counts, least of least and greatest of greatest values; whatever else it aggregates
does not ask how often a row is there (hazards 6a-6e; Yan and Larson 1995, read backwards). Above there may
be several grouping sets: each is a grouping of the same rows. What fails is a reservation where more rows are
computed. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.lookups import is_zero
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.facts.looks import look_alone
from rewright.sql.records import key_of
from rewright.sql.types import INT4, INT8, NUMERIC
from rewright.sql.walk import (
    QUERIES,
    as_product,
    conjoin,
    conjuncts,
    has_subquery,
    has_window,
    is_closed,
    is_plain_grouping,
    map_parts,
    references_whole,
    returns_set,
    substitute,
    walk,
)

_EXACT = frozenset({"int2", "int4", "int8", "numeric"})


def without_early_groups(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without groupings that are put together further out. ``modulo``: what may
    fail in them for rows that the joins take away.
    """
    return _WithoutEarlyGroups(catalog).form(query)


class _Unfit(Exception):
    """The block looks at more of the grouping than its rows can tell."""


class _WithoutEarlyGroups(Walk):
    def block(self, block: a.Select) -> a.Select:
        # each round undoes one grouping: the block then reads its tables, among which the next one is found
        while True:
            items, _ = as_product(block)
            made = (found for item in items if (found := self._undone(block, item)) is not None)
            following = next(made, None)
            if following is None:
                return block
            block = following

    def _undone(self, block: a.Select, item: a.FromItem) -> a.Select | None:
        parts = _parts_of(item) if isinstance(item, a.Derived) else None
        if parts is None or not isinstance(item, a.Derived) or not _is_grouped(block):
            return None
        # SELECT p FROM … shows the group's row as a whole
        if references_whole(block, item.rel):
            return None
        inner = item.query
        assert isinstance(inner, a.Select)
        items, preds = as_product(block)
        try:
            above = _put_together(replace(block, from_=(), where=None), item.rel, parts)
        except _Unfit:
            return None
        keys = {(item.rel, i): e for i, e in enumerate(parts) if not isinstance(e, a.Aggregate)}
        # GROUP BY GROUPING SETS: of two keys that are one expression one set may hold only the first
        if not _is_one_set(block) and not _told_apart(list(keys.values())):
            return None
        late = {(item.rel, i) for i, e in enumerate(parts) if isinstance(e, a.Aggregate)}
        rest = (*(i for i in items if i is not item), *preds)
        # a condition p.v > 100 asks the whole sum, which no single row has
        if any(isinstance(n, a.Column) and (n.rel, n.pos) in late for x in (above, *rest) for n in walk(x)):
            return None
        self.reserve_other_rows(inner)
        # in the place of the grouping, so that the other items keep their order and SELECT * its columns
        at = items.index(item)
        from_ = (*items[:at], *inner.from_, *items[at + 1 :])
        where = conjoin((*preds, *conjuncts(inner.where)))
        made: a.Select = substitute(replace(above, from_=from_, where=where), keys)
        return made


def _is_grouped(block: a.Select) -> bool:
    """Whether a set of it may be empty of rows matters to counts only."""
    return (
        block.group_by is not None
        # GROUPING() tells sets apart by the keys as they are written
        and (_is_one_set(block) or not any(isinstance(n, a.Grouping) for n in walk(block)))
        and not is_volatile(block)
        and not any(has_window(x) or returns_set(x) for x in (t.expr for t in block.targets))
        and not any(has_window(k.expr) for k in block.order_by)
    )


def _is_one_set(block: a.Select) -> bool:
    return block.group_by is not None and len(block.group_by) == 1


def _told_apart(keys: Sequence[a.Expr]) -> bool:
    """In several sets one key may be NULL where another is not: each must stay an expression of its own."""
    return all(isinstance(k, a.Column) for k in keys) and len(set(keys)) == len(keys)


def _parts_of(item: a.Derived) -> list[a.Expr] | None:
    """Keys and aggregates of a plain grouping, by column."""
    query = item.query
    if (
        item.lateral
        or item.security_barrier
        or not isinstance(query, a.Select)
        or not is_plain_grouping(query)
    ):
        return None
    # a grouping by nothing is one row also of no rows: its count of 0 would be gone
    if not query.group_by or not query.group_by[0] or not is_closed(query) or is_volatile(query):
        return None
    shown = [t.expr for t in query.targets]
    # keys that look different where they are equal: which one stands for the group is open
    fit = all(isinstance(e, a.Const) or _is_key(e, query.group_by[0]) or _is_part(e) for e in shown)
    return shown if fit else None


def _is_key(e: a.Expr, keys: Sequence[a.Expr]) -> bool:
    return e in keys and look_alone(e) is not None


def _is_part(e: a.Expr) -> bool:
    if not isinstance(e, a.Aggregate) or not e.func.is_builtin or e.distinct or e.order_by or e.direct:
        return False
    # a subquery in it is correlated with the inner block, whose numbers go
    if any(has_subquery(x) for x in (*e.args, *([e.filter] if e.filter is not None else []))):
        return False
    if e.func.name == "count":
        return True
    if len(e.args) != 1 or not e.args[0].type.is_builtin:
        return False
    # floats add up otherwise in another order
    if e.func.name == "sum":
        return e.args[0].type.name in _EXACT
    # of equal values that look different another one may be the least
    return e.func.name in {"min", "max"} and look_alone(e.args[0]) is not None


def _put_together(block: a.Select, rel: int, parts: Sequence[a.Expr]) -> a.Select:
    """What stands above FROM and WHERE, over single rows. Raises _Unfit."""
    empty = () in (block.group_by or ())

    def visit(n: Any) -> Any:
        # what is read within subqueries of the block is caught by the check for late columns
        if isinstance(n, QUERIES):
            return n
        if isinstance(n, a.Coalesce) and (counted := _counted(n, rel, parts)) is not None:
            return counted
        if isinstance(n, a.Aggregate):
            return _whole(n, rel, parts, empty=empty)
        return _simpler(map_parts(n, visit))

    made: a.Select = map_parts(block, visit)
    return made


def _whole(outer: a.Aggregate, rel: int, parts: Sequence[a.Expr], *, empty: bool) -> a.Expr:
    read = outer.args[0] if len(outer.args) == 1 else None
    part = parts[read.pos] if isinstance(read, a.Column) and read.rel == rel else None
    if not isinstance(part, a.Aggregate):
        # of what is there more often now: only what does not count it
        if not outer.func.is_builtin or not (outer.distinct or outer.func.name in EXTREMES):
            # sum(c.bonus) beside p would add the bonus once for each sale instead of once for each group
            raise _Unfit
        return outer
    name, inner = outer.func.name, part.func.name
    plain = outer.func.is_builtin and not outer.distinct and not outer.order_by and not outer.direct
    if not plain or (name, inner) not in {("sum", "sum"), ("sum", "count"), ("min", "min"), ("max", "max")}:
        # avg of averages, sum of least values and the like are of the parts, not of the rows
        raise _Unfit
    if inner == "count" and (empty or outer.filter is not None):
        raise _Unfit  # the sum of no counts is NULL, the count of no rows 0
    # a row is in the whole where the group passed the outer filter and the row the inner one
    both = [f for f in (outer.filter, part.filter) if f is not None]
    found = replace(part, filter=conjoin(both))
    if found.type == outer.type:
        return found
    # sum(bigint) is numeric, where the sum of the rows themselves is bigint
    if found.type == INT8 and outer.type == NUMERIC:
        return a.Cast(found, NUMERIC, implicit=True)
    raise _Unfit


def _counted(n: a.Coalesce, rel: int, parts: Sequence[a.Expr]) -> a.Expr | None:
    """A sum of counts that is 0 where there is none to add, as a count: that is 0 over no rows."""
    # COALESCE(sum(n), 0) as people write it, with the cast back to bigint inside or without
    total = n.args[0].arg if isinstance(n.args[0], a.Cast) else n.args[0]
    if len(n.args) != 2 or not is_zero(_whole_number(n.args[1])) or not isinstance(total, a.Aggregate):
        return None
    read = total.args[0] if len(total.args) == 1 else None
    part = parts[read.pos] if isinstance(read, a.Column) and read.rel == rel else None
    plain = total.func.is_builtin and not total.distinct and not total.order_by and not total.direct
    if (
        not isinstance(part, a.Aggregate)
        or not plain
        or (total.func.name, part.func.name) != ("sum", "count")
    ):
        return None
    found = replace(part, filter=conjoin(f for f in (total.filter, part.filter) if f is not None))
    if found.type != INT8 or n.type not in {INT8, NUMERIC}:
        return None
    # a cast around the COALESCE makes a bigint of a numeric without decimals
    return found if n.type == INT8 else a.Cast(found, NUMERIC, implicit=True)


def _whole_number(expr: a.Expr) -> a.Expr:
    """An integer that is made numeric, as it is: 0 beside a sum of bigints."""
    whole = isinstance(expr, a.Cast) and expr.type == NUMERIC and expr.arg.type in {INT4, INT8}
    return expr.arg if whole and isinstance(expr, a.Cast) else expr


def _simpler(node: Any) -> Any:
    """An integer that is made numeric and an integer again; a sum that is divided by the number of what is
    summed, as the server computes averages (numeric_avg, int8_avg).
    """
    match node:
        case a.Cast(arg=a.Cast(arg=inner, type=middle), type=outer) if (
            inner.type == outer == INT8 and middle == NUMERIC
        ):
            return inner
        case a.Op(op=op, args=(total, number)) if op.is_builtin and op.name == "/" and node.type == NUMERIC:
            return _average(_integral(total), _integral(number)) or node
        case _:
            return node


def _integral(expr: a.Expr) -> a.Expr:
    whole = isinstance(expr, a.Cast) and expr.type == NUMERIC and expr.arg.type == INT8
    return expr.arg if whole and isinstance(expr, a.Cast) else expr


def _average(total: a.Expr, number: a.Expr) -> a.Aggregate | None:
    if not isinstance(total, a.Aggregate) or not isinstance(number, a.Aggregate) or number.star:
        return None
    if total.star or len(total.args) != 1 or not _is_part(total) or not _is_part(number):
        return None
    func = function("avg", key_of(total.args[0].type))
    named = total.func.name == "sum" and number.func.name == "count"
    same = (total.args, total.filter) == (number.args, number.filter)
    return replace(total, func=func, type=NUMERIC) if func is not None and named and same else None
