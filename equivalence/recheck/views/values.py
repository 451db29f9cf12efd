"""What is joined for its values, of which there is a row at most: the values as subqueries.

    FROM c LEFT JOIN m ON m.id = c.m
    is  FROM c, and m's columns are (SELECT m.x FROM m WHERE m.id = c.m)
    FROM c, LATERAL (SELECT sum(x) AS s FROM o WHERE o.c = c.id) g
    is  FROM c, and g's are (SELECT sum(x) FROM o WHERE o.c = c.id)
    FROM c JOIN (SELECT k, sum(x) AS s FROM o GROUP BY k) g ON g.k = c.k
    is  FROM c WHERE EXISTS (SELECT FROM o WHERE k = c.k), and g's are (SELECT sum(x) FROM o WHERE k = c.k)

An aggregate without GROUP BY is one row. A group that is joined by all that it is made by is of the rows that
equal the columns it is joined by, if there are any and HAVING holds of them. What an outer join does not find
is NULL, as a subquery without rows is. What may fail of these is computed of other rows: it is left open.
Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.joined import Added, Joined, joined
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import null
from rewright.sql.facts import is_volatile, null_on_empty
from rewright.sql.types import BOOL, INT4, INT8, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    SUBQUERIES,
    Fresh,
    bottom_up,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    group_keys,
    has_aggregate,
    has_subquery,
    has_window,
    highest_number,
    map_parts,
    references_whole,
    returns_set,
    walk,
)

_ONE = a.Const("1", INT4)
_Read = Callable[[int], a.Expr]


def values(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        return _block(node, changes, fresh) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes, fresh: Fresh) -> a.Select:
    above = replace(block, from_=(), where=None)
    # groups and aggregates above count the rows that are joined
    if block.group_by is not None or is_volatile(block) or has_aggregate(above):
        return block
    while True:
        rows = joined(block)
        # joins that are not steps (RIGHT, FULL) have no rows that could be taken one by one
        if rows is None:
            return block
        found = (m for x in (*rows.base, *rows.added) if (m := _without(block, rows, x, changes, fresh)))
        following = next(found, None)
        if following is None:
            return block
        block = following


def _without(
    block: a.Select, rows: Joined, one: a.FromItem | Added, changes: Changes, fresh: Fresh
) -> a.Select | None:
    item = one.item if isinstance(one, Added) else one
    # a row shown as a whole has columns of its own
    if isinstance(item, a.Join) or references_whole(block, item.rel):
        return None
    rest = Joined(
        tuple(x for x in rows.base if x is not one), tuple(x for x in rows.added if x is not one), rows.asked
    )
    # without the item nothing would be left in FROM, or a LATERAL item reads it
    if not rest.base or any(item.rel in free_rels(x) for x in rest.base):
        return None
    found = _one_row(one, item, changes) or _of_group(rest, one, item, changes)
    if found is None:
        return None
    read, zero, there, asked = found
    rest = replace(rest, asked=(*(p for p in rest.asked if p not in asked), *there))

    def visit(n: Any) -> Any:
        # a count that is absent is 0 by COALESCE, and by itself where it counts nothing
        if isinstance(n, a.Coalesce) and len(n.args) == 2 and _is_zero(n.args[1]):
            counts = _counts(n.args[0], item.rel, zero)
            if counts is not None:
                return written_again(counts, fresh)
        if isinstance(n, a.Column) and n.rel == item.rel:
            return written_again(read(n.pos), fresh)
        return map_parts(n, visit)

    tree = rest.block()
    made: a.Select = visit(replace(block, from_=tree.from_, where=tree.where))
    return made


_Found = tuple[_Read, Callable[[int], a.Expr | None], tuple[a.Expr, ...], tuple[a.Expr, ...]]


def _one_row(one: a.FromItem | Added, item: a.FromItem, changes: Changes) -> _Found | None:
    if isinstance(item, a.Derived) and not item.security_barrier and _is_simple(item.query):
        query = item.query
        assert isinstance(query, a.Select)
        always = not isinstance(one, Added) or one.on in {(), (a.Const("t", BOOL),)}
        # ON FALSE keeps the row with NULLs though the aggregate has one
        if query.group_by != ((),) or query.having is not None or not always:
            return None
        changes.compute_again(query)
        return lambda pos: _seen(query.targets[pos].expr, query, query.where, {}), _nothing, (), ()
    # an inner join with a table may find no row: only LEFT JOIN keeps the other side
    if not isinstance(one, Added) or not isinstance(item, a.Scan):
        return None
    row = a.Select((a.Target("one", _ONE),), (item,), conjoin(one.on))
    basis = changes.known.at_most_one_row(row)
    # two partners would be two rows
    if basis is None:
        return None
    changes.rest_on(basis)
    changes.compute_again(row)
    types = {n.pos: n for n in _columns(item)}

    def read(pos: int) -> a.Expr:
        return a.ScalarSubquery(replace(row, targets=(a.Target("v", types[pos]),)), types[pos].type)

    return read, _nothing, (), ()


def _columns(item: a.Scan) -> list[a.Column]:
    return [a.Column(item.rel, i, c.type, c.name) for i, c in enumerate(item.columns)]


def _nothing(_: int) -> None:
    return None


def _of_group(rest: Joined, one: a.FromItem | Added, item: a.FromItem, changes: Changes) -> _Found | None:
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier or not _is_simple(item.query):
        return None
    query = item.query
    assert isinstance(query, a.Select)
    shown = (*(t.expr for t in query.targets), *conjuncts(query.having))
    # a subquery in an output would be computed for each row again
    if not group_keys(query) or free_rels(query) or any(map(has_subquery, shown)):
        return None
    # a column that depends on a key is the single row's, of which an aggregate has none
    if not all(_is_of_group(x, group_keys(query)) for x in shown):
        return None
    asked = one.on if isinstance(one, Added) else rest.asked
    ties = {p: found for p in asked if (found := _tie(p, item.rel)) is not None}
    met = {query.targets[own.pos].expr: other for own, other in ties.values()}
    # met by part of its key, a grouping gives several groups; other conditions of ON pad in another way
    if set(met) != set(group_keys(query)) or (isinstance(one, Added) and len(ties) < len(one.on)):
        return None
    equal = [
        replace(p, args=tuple(query.targets[own.pos].expr if x == own else x for x in p.args))
        for p, (own, _) in ties.items()
        if isinstance(p, a.Op)
    ]
    where = conjoin((*conjuncts(query.where), *equal))
    changes.compute_again(query)
    some = a.Exists(a.Select((a.Target("one", _ONE),), query.from_, where))
    there = (some, *(_seen(p, query, where, met) for p in conjuncts(query.having)))

    def read(pos: int) -> a.Expr:
        return _seen(query.targets[pos].expr, query, where, met)

    if not isinstance(one, Added):
        return read, _nothing, there, tuple(ties)

    def padded(pos: int) -> a.Expr:
        expr = query.targets[pos].expr
        # where HAVING may refuse the group, that must be asked before the value is shown
        if query.having is None and _is_null_of_none(expr):
            return read(pos)
        asked = conjoin(there)
        assert asked is not None
        return a.Case(((asked, read(pos)),), null(expr.type), expr.type)

    def counted(pos: int) -> a.Expr | None:
        expr = query.targets[pos].expr
        count = isinstance(expr, a.Aggregate) and expr.func.is_builtin and expr.func.name == "count"
        # an absent group counts nothing, unless HAVING took it away
        return read(pos) if count and query.having is None else None

    return padded, counted, (), ()


def _is_simple(query: a.Query) -> bool:
    if not isinstance(query, a.Select) or query.ctes or is_volatile(query) or query.distinct is not None:
        return False
    cut = query.limit is not None or query.offset is not None
    return not cut and not any(has_window(t.expr) or returns_set(t.expr) for t in query.targets)


def _is_null_of_none(expr: a.Expr) -> bool:
    return null_on_empty(expr) and _is_of_group(expr, ())


def _is_of_group(expr: a.Expr, keys: Collection[a.Expr]) -> bool:
    """Whether it is told from aggregates and these keys, and reads no column that depends on a key."""

    def bare(n: Any) -> Any:
        known = isinstance(n, a.Aggregate) or n in keys
        return a.Const(None, n.type) if known else map_parts(n, bare)

    return not any(isinstance(n, REFERENCES) for n in walk(bare(expr)))


def _seen(expr: a.Expr, query: a.Select, where: a.Expr | None, met: Mapping[a.Expr, a.Expr]) -> a.Expr:
    """What is seen of the rows, each aggregate for itself; keys as what they are joined by."""

    def visit(n: Any) -> Any:
        if n in met:
            return met[n]
        if isinstance(n, a.Aggregate):
            rows = a.Select((a.Target("v", n),), query.from_, where, ((),))
            return a.ScalarSubquery(rows, n.type)
        return n if isinstance(n, QUERIES) else map_parts(n, visit)

    made: a.Expr = visit(expr)
    return made


def _tie(pred: a.Expr, rel: int) -> tuple[a.Column, a.Column] | None:
    """A column of the grouping and another that an equality ties, of one type whose equal values are the
    same.
    """
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    # an equality of two types may meet several groups
    if (pred.op.name, pred.op.btree) != ("=", "=") or pred.op.left != pred.op.right:
        return None
    one, other = pred.args
    if isinstance(other, a.Column) and other.rel == rel:
        one, other = other, one
    if not isinstance(one, a.Column) or not isinstance(other, a.Column) or other.rel == rel:
        return None
    return (
        (one, other) if one.rel == rel and one.type == other.type and equality_is_identity(one.type) else None
    )


def _counts(expr: a.Expr, rel: int, counted: Callable[[int], a.Expr | None]) -> a.Expr | None:
    """Counts that are added and subtracted: 0 where each is."""
    if isinstance(expr, a.Column):
        return counted(expr.pos) if expr.rel == rel else None
    if not isinstance(expr, a.Op) or not expr.op.is_builtin or expr.op.name not in {"+", "-"}:
        return None
    args = [_counts(x, rel, counted) for x in expr.args]
    if expr.type != INT8 or None in args:
        return None
    return replace(expr, args=tuple(x for x in args if x is not None))


def _is_zero(x: a.Expr) -> bool:
    if isinstance(x, a.Cast) and x.type == INT8:
        x = x.arg
    return isinstance(x, a.Const) and x.value == "0" and x.type in {INT4, INT8}


def written_again(expr: a.Expr, fresh: Fresh) -> a.Expr:
    """The expression at one more place: its subqueries have numbers of their own there."""

    def visit(n: Any) -> Any:
        return copy_fresh(n, fresh)[0] if isinstance(n, SUBQUERIES) else map_parts(n, visit)

    made: a.Expr = visit(expr)
    return made
