"""Groupings that a row is left-joined with by their whole key, as what they say of the row: subqueries. So is
a row by its number in a group (`placed`).

At most one group equals a row in all that groups are made by, and it holds the rows that equal it there. So
the join keeps each row once, with the group's aggregates over those rows; without a group there are none, and
an aggregate that is NULL over none is NULL, as a count is 0 where it is asked for so. The aggregates are then
not computed for groups that no row equals: they must not fail. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.cut_rows import cut_rows
from rewright.equivalence.recheck.views.placed import placed
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import null_on_empty
from rewright.sql.types import INT4, INT8, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    Fresh,
    bottom_up,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    from_rels,
    has_window,
    highest_number,
    map_kind,
    map_parts,
    references_whole,
    replace_item,
    returns_set,
    walk,
)


def lookups(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        return _block(node, fresh, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, fresh: Fresh, changes: Changes) -> a.Select:
    for join in [j for item in block.from_ for j in _left_joins(item)]:
        grouped = join.right
        if not isinstance(grouped, a.Derived) or references_whole(block, grouped.rel):
            continue
        ties = [_tied(p, grouped.rel, join) for p in conjuncts(join.on)]
        made = placed(block, join, ties, fresh, changes)
        if made is not None:
            block = made
            continue
        rows = _of_the_row(grouped, join)
        if rows is None:
            continue
        rest = replace(block, from_=tuple(replace_item(i, join, join.left) for i in block.from_))
        made = _read(rest, grouped, rows, fresh)
        if any(isinstance(n, a.Column) and n.rel == grouped.rel for n in walk(made)):
            continue
        changes.compute_again(grouped.query)
        block = made
    return cut_rows(block, fresh, changes)


def _left_joins(item: a.FromItem) -> Iterator[a.Join]:
    if isinstance(item, a.Join):
        if item.kind == "left":
            yield item
        yield from _left_joins(item.left)
        yield from _left_joins(item.right)


def _of_the_row(item: a.Derived, join: a.Join) -> a.Select | None:
    """What is grouped, of the rows that equal the joined one; None where the join is not by the whole key."""
    query = item.query
    if item.lateral or item.security_barrier or not isinstance(query, a.Select) or free_rels(query):
        return None
    cut = query.limit is not None or query.offset is not None or query.with_ties
    if cut or query.ctes or query.having is not None or query.distinct is not None:
        return None
    if query.group_by is None or len(query.group_by) != 1 or not query.group_by[0]:
        return None
    if any(has_window(t.expr) or returns_set(t.expr) for t in query.targets):
        return None
    ties: list[a.Expr] = []
    keys: set[a.Expr] = set()
    for pred in conjuncts(join.on):
        found = _tie(pred, item.rel, from_rels((join.left,)))
        if found is None:
            return None
        own, _ = found
        key = query.targets[own.pos].expr
        assert isinstance(pred, a.Op)
        ties.append(replace(pred, args=tuple(key if x == own else x for x in pred.args)))
        keys.add(key)
    if keys != set(query.group_by[0]):
        return None
    return replace(query, where=conjoin((*conjuncts(query.where), *ties)), group_by=((),), order_by=())


def _tie(pred: a.Expr, rel: int, others: frozenset[int]) -> tuple[a.Column, a.Column] | None:
    """A column of the grouping and one of the rows it is joined with that an equality ties, of one type of
    which all that equals a value is one group.
    """
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    if (pred.op.name, pred.op.btree) != ("=", "=") or pred.op.left != pred.op.right:
        return None
    one, other = pred.args
    if isinstance(other, a.Column) and other.rel == rel:
        one, other = other, one
    if not isinstance(one, a.Column) or not isinstance(other, a.Column):
        return None
    # a collation of the other side's may tell fewer texts apart
    alike = one.type.without_typmod() == other.type.without_typmod() and (
        equality_is_identity(one.type) or (one.type.is_builtin and not one.type.collation)
    )
    return (one, other) if one.rel == rel and other.rel in others and alike else None


def _tied(pred: a.Expr, rel: int, join: a.Join) -> tuple[a.Column, a.Expr] | None:
    found = _tie(pred, rel, from_rels((join.left,)))
    return None if found is None else (found[0], pred)


def _read(block: a.Select, item: a.Derived, rows: a.Select, fresh: Fresh) -> a.Select:
    """The block with what it reads of the grouping as subqueries, where that is known of no rows."""
    known: dict[int, a.ScalarSubquery] = {}
    values = {i: t for i, t in enumerate(rows.targets) if _of_aggregates(t.expr)}
    null = {i for i, t in values.items() if null_on_empty(t.expr)}
    zero = {i for i, t in values.items() if _counts(t.expr)}

    def of(pos: int) -> a.ScalarSubquery:
        if pos not in known:
            copied, _ = copy_fresh(replace(rows, targets=(values[pos],)), fresh)
            known[pos] = a.ScalarSubquery(copied, values[pos].expr.type)
        return known[pos]

    def visit(n: Any) -> Any:
        match n:
            case a.Coalesce(args=(a.Column(rel=item.rel, pos=pos), x)) if pos in zero and _is_zero(x):
                return of(pos)
            case a.Column(rel=item.rel, pos=pos) if pos in null:
                return of(pos)
            case _:
                return map_parts(n, visit)

    made: a.Select = visit(block)
    return made


def _of_aggregates(expr: a.Expr) -> bool:
    """Whether the expression sees rows by aggregates alone."""
    around = map_kind(expr, a.Aggregate, lambda g: a.Const(None, g.type))
    plain = not any(isinstance(n, (*REFERENCES, *QUERIES, a.Grouping)) for n in walk(around))
    calls = [n for n in walk(expr) if isinstance(n, a.Aggregate)]
    return plain and bool(calls) and not any(c.direct for c in calls)


def _counts(expr: a.Expr) -> bool:
    return isinstance(expr, a.Aggregate) and expr.func.is_builtin and expr.func.name == "count"


def _is_zero(x: a.Expr) -> bool:
    if isinstance(x, a.Cast) and x.type == INT8:
        x = x.arg
    return isinstance(x, a.Const) and x.value == "0" and x.type in {INT4, INT8}
