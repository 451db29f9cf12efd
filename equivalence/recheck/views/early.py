"""Groupings among joined tables whose parts are put together above the join: as the rows that they group.

    SELECT c.state, sum(p.v) FROM (SELECT cust, sum(x) AS v FROM sale GROUP BY cust) p, c WHERE …
    is  SELECT c.state, sum(sale.x) FROM sale, c WHERE …

A group's rows agree in what it is grouped by, and the block sees no more of it but sums that it adds up,
counts that it adds up, least values of which it takes the least, greatest of which the greatest. Whatever
else it aggregates must not ask how often a row is there. The sum of no counts is NULL, so that the block's
own groups must have rows: it is grouped, in one way, by something. What is grouped, and what the block
asks, is computed of other rows: what that may raise is left open. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.facts import order_sensitive
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.facts.looks import look_alone
from rewright.sql.records import key_of
from rewright.sql.types import EXACT_INTEGERS, INT4, INT8, NUMERIC
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    as_product,
    bottom_up,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    has_window,
    map_parts,
    outer_exprs,
    references_whole,
    returns_set,
    substitute,
    walk,
)

_ADDED = EXACT_INTEGERS | {"numeric"}
_OF_VALUES = frozenset({"min", "max", "bool_and", "bool_or", "every"})
# an aggregate of a part, and what the part is
_TOGETHER = {("sum", "sum"), ("sum", "count"), ("min", "min"), ("max", "max")}


def early(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


class _Otherwise(Exception):
    """The block sees something else of the grouping."""


def _block(block: a.Select, changes: Changes) -> a.Select:
    # in several sets a sum of no counts would be another value
    grouped = block.group_by is not None and len(block.group_by) == 1
    if not grouped or has_window(block) or any(returns_set(e) for e in outer_exprs(block)):
        return block
    while True:
        items, _ = as_product(block)
        made = (m for i in items if (m := _opened(block, i, changes)) is not None)
        following = next(made, None)
        if following is None:
            return block
        block = following


def _opened(block: a.Select, item: a.FromItem, changes: Changes) -> a.Select | None:
    """The block over the rows of a grouping; None where ``item`` is none, or more is seen of it."""
    # its row as a whole would lose its columns
    if not isinstance(item, a.Derived) or references_whole(block, item.rel) or not _is_grouping(item):
        return None
    inner = item.query
    assert isinstance(inner, a.Select)
    parts = {(item.rel, n): t.expr for n, t in enumerate(inner.targets)}
    keys = {at: e for at, e in parts.items() if not isinstance(e, a.Aggregate)}
    try:
        above = _put_together(replace(block, from_=(), where=None), parts)
    except _Otherwise:
        return None
    items, preds = as_product(block)
    others = tuple(i for i in items if i is not item)
    seen = [n for x in (above, *others, *preds) for n in walk(x) if isinstance(n, REFERENCES)]
    # what is aggregated early may be read within aggregates above alone
    if any(n.rel == item.rel and (not isinstance(n, a.Column) or (n.rel, n.pos) not in keys) for n in seen):
        return None
    # more rows are computed: those that the join takes away
    if any(changes.known.errors(x) - OVERFLOW for x in (inner, *preds)):
        changes.modulo.add("errors")
    if changes.known.may_overflow(inner):
        changes.modulo.add("overflow")
    from_ = tuple(x for i in items for x in (inner.from_ if i is item else (i,)))
    where = conjoin((*preds, *conjuncts(inner.where)))
    made: a.Select = substitute(replace(above, from_=from_, where=where), keys)
    return made


def _is_grouping(item: a.Derived) -> bool:
    """Whether it shows keys whose equal values look the same, and parts that can be put together."""
    query = item.query
    if item.lateral or item.security_barrier or not isinstance(query, a.Select) or free_rels(query):
        return False
    bare = a.Select(query.targets, query.from_, query.where, query.group_by, order_by=query.order_by)
    # HAVING, DISTINCT and LIMIT work on the groups
    if query != bare or query.group_by is None or len(query.group_by) != 1 or has_window(query):
        return False
    keys = query.group_by[0]
    # an empty set of keys has its one group also of no rows
    if not keys or any(returns_set(e) for e in outer_exprs(query)):
        return False
    shown = [t.expr for t in query.targets if not isinstance(t.expr, a.Const)]
    return all((e in keys and look_alone(e) is not None) or _is_part(e) for e in shown)


def _is_part(e: a.Expr) -> bool:
    if not isinstance(e, a.Aggregate) or not e.func.is_builtin or e.distinct or e.order_by or e.direct:
        return False
    if has_subquery(e):
        return False
    if e.func.name == "count":
        return True
    if len(e.args) != 1 or not e.args[0].type.is_builtin:
        return False
    kind = e.args[0].type
    return (e.func.name == "sum" and kind.name in _ADDED) or (
        e.func.name in {"min", "max"} and look_alone(e.args[0]) is not None
    )


def _put_together(block: a.Select, parts: Mapping[tuple[int, int], a.Expr]) -> a.Select:
    """What the block computes of groups, of single rows. Raises _Otherwise."""

    def visit(n: Any) -> Any:
        match n:
            case _ if isinstance(n, QUERIES) and n is not block:
                return n
            case a.Coalesce(args=(total, zero)) if _is_zero(zero):
                return _counted(total, n, parts) or map_parts(n, visit)
            case a.Aggregate():
                return _whole(n, parts, whole=block.group_by == ((),))
            case a.Op(op=op, type=type_) if op.is_builtin and op.name == "/" and type_ == NUMERIC:
                quotient = map_parts(n, visit)
                return _average(*quotient.args) or quotient
            case _:
                return _same(map_parts(n, visit))

    made: a.Select = visit(block)
    return made


def _part_of(call: a.Expr, parts: Mapping[tuple[int, int], a.Expr]) -> a.Aggregate | None:
    """The part that an aggregate reads and nothing else."""
    # sum(p.v + 1) adds 1 for each group, not for each row
    if not isinstance(call, a.Aggregate) or len(call.args) != 1 or not isinstance(call.args[0], a.Column):
        return None
    part = parts.get((call.args[0].rel, call.args[0].pos))
    return part if isinstance(part, a.Aggregate) else None


def _whole(call: a.Aggregate, parts: Mapping[tuple[int, int], a.Expr], *, whole: bool) -> a.Expr:
    """``whole``: the aggregate is of all rows, of which there may be none."""
    part = _part_of(call, parts)
    plain = call.func.is_builtin and not order_sensitive(call) and not call.direct
    if part is None:
        # min, max and DISTINCT do not see that rows are there more often
        if plain and (call.distinct or call.func.name in _OF_VALUES):
            return call
        raise _Otherwise
    if not plain or call.distinct or (call.func.name, part.func.name) not in _TOGETHER:
        raise _Otherwise
    if part.func.name == "count" and (call.filter is not None or whole):
        raise _Otherwise  # there may be no group to count in: NULL, and not 0
    found = replace(part, filter=_both(call, part))
    if found.type == call.type:
        return found
    # sum(bigint) is numeric, and count() bigint
    if (found.type, call.type) == (INT8, NUMERIC):
        return a.Cast(found, NUMERIC, implicit=True)
    raise _Otherwise


def _both(call: a.Aggregate, part: a.Aggregate) -> a.Expr | None:
    return conjoin(x for x in (call.filter, part.filter) if x is not None)


def _counted(total: a.Expr, whole: a.Coalesce, parts: Mapping[tuple[int, int], a.Expr]) -> a.Expr | None:
    """A sum of counts, 0 where there is none: the count."""
    call = total.arg if isinstance(total, a.Cast) else total
    part = _part_of(call, parts)
    if part is None or not isinstance(call, a.Aggregate) or call.distinct or call.direct or call.order_by:
        return None
    if not call.func.is_builtin or (call.func.name, part.func.name) != ("sum", "count"):
        return None
    count = replace(part, filter=_both(call, part))
    # 0 as a numeric has no decimals, as the sum of bigints has none
    if whole.type == INT8:
        return count
    return a.Cast(count, NUMERIC, implicit=True) if whole.type == NUMERIC else None


def _is_zero(x: a.Expr) -> bool:
    if isinstance(x, a.Cast) and x.type in {INT8, NUMERIC}:
        x = x.arg
    return isinstance(x, a.Const) and x.value == "0" and x.type in {INT4, INT8}


def _same(node: Any) -> Any:
    """A bigint that becomes numeric and bigint again."""
    if isinstance(node, a.Cast) and isinstance(node.arg, a.Cast) and node.arg.type == NUMERIC:
        return node.arg.arg if node.type == node.arg.arg.type == INT8 else node
    return node


def _average(total: a.Expr, number: a.Expr) -> a.Expr | None:
    """The average of what is summed, where the sum is divided by the number of what is summed: so the server
    computes it (numeric_avg, int8_avg).
    """
    whole, count = (_integral(x) for x in (total, number))
    if (
        not isinstance(whole, a.Aggregate)
        or not isinstance(count, a.Aggregate)
        or count.star
        or not _is_part(whole)
    ):
        return None
    named = (whole.func.name, count.func.name) == ("sum", "count") and _is_part(count)
    func = function("avg", key_of(whole.args[0].type)) if named else None
    # another filter, or another value: no average of one set of rows
    if func is None or (whole.args, whole.filter) != (count.args, count.filter):
        return None
    return replace(whole, func=func, type=NUMERIC)


def _integral(x: a.Expr) -> a.Expr:
    return x.arg if isinstance(x, a.Cast) and x.type == NUMERIC and x.arg.type == INT8 else x
