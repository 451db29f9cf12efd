"""The last row not after a value, or the first not before it, looked up once for each row: a join by periods.

    SELECT s.id, (SELECT p.price FROM price p WHERE p.part = s.part AND p.since <= s.day ORDER BY p.since DESC
    LIMIT 1) FROM sale s -->
    SELECT s.id, p.value FROM sale s LEFT JOIN (SELECT p.part AS key1, p.since AS at, lag(p.since) OVER
    (PARTITION BY p.part ORDER BY p.since DESC) AS beyond, p.price AS value FROM price p) p
    ON p.key1 = s.part AND p.at <= s.day AND (p.beyond <= s.day) IS NOT TRUE

Rates, prices, owners and addresses with the day since which they hold are kept like this. Each row is the one
that is asked for by all values from its moment up to the next row's, which is the row before it in the order
of the subquery. Among the subquery's own rows only: conditions on them are met before. A row without a moment
meets no comparison, and none is beyond the last. Where two rows of a key may have one moment the server would
choose another of them than it does now: these are left alone. Hazards 1f, 13.

Known as a join by validity, or ASOF JOIN (Shang et al., kdb+, DuckDB).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, stable, ungrouped
from rewright.sql import algebra as a
from rewright.sql.build import derived, function, left_join, numbered
from rewright.sql.walk import (
    as_product,
    conjoin,
    copy_fresh,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    map_kind,
    returns_set,
    used_rels,
    walk_block,
)

# on which side of a value the rows are from which the first by ``descending`` or ascending order is taken
# the row that is wanted is the one nearest to the value: `since <= day` with the latest first
_SIDES = {True: {"<", "<="}, False: {">", ">="}}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class _AsOf:
    """``bound``: the condition that compares the moment ``at`` of a row with a value outside; ``basis``: the
    names of constraints by which no two rows of a key have one moment.
    """

    node: a.ScalarSubquery
    query: a.Select
    inner: Inner
    at: a.Column
    bound: a.Op
    basis: frozenset[str]


@rule(
    SELECT.where(reads_tables, ungrouped, stable),
    known_as="ASOF JOIN",
    priority=84,
    category="join",
)
def as_of_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    rels = from_rels(block.from_)
    nodes = (n for t in (*block.targets, *as_product(block)[1]) for n in walk_block(t))
    for node in dict.fromkeys(n for n in nodes if isinstance(n, a.ScalarSubquery)):
        found = _as_of(node, ctx)
        if found is None or used_rels(node) - from_rels(found.inner.items) - rels:
            continue
        why = "the row as of a value is joined by the period in which it holds"
        yield Rewrite(_joined(block, found, ctx), why, found.basis)


def _as_of(node: a.ScalarSubquery, ctx: Context) -> _AsOf | None:
    query = node.query
    # OFFSET and WITH TIES take another number of rows than one
    if not isinstance(query, a.Select) or query.ctes or query.offset is not None or query.with_ties:
        return None
    if query.distinct is not None or query.group_by is not None or len(query.order_by) != 1:
        return None
    if query.limit is None or not isinstance(query.limit, a.Const) or query.limit.value != "1":
        return None
    value, key = query.targets[0].expr, query.order_by[0]
    # a window over the subquery's rows changes with its conditions, which the join gives up
    if has_window(value) or has_aggregate(value) or has_subquery(value) or returns_set(value):
        return None
    inner = take_apart(replace(query, order_by=(), limit=None))
    # without ties there is one period for the whole table, which a nested loop would meet for each row
    if inner is None or len(inner.items) != 1 or not inner.ties or len(inner.others) != 1:
        return None
    # of texts the sort and the comparison may go by different collations
    if not isinstance(key.expr, a.Column) or key.expr.type.collation or not key.op.is_builtin:
        return None
    bound = inner.others[0]
    # `since <= day` with the earliest first is the first row of all, not the one that holds at the day
    if not isinstance(bound, a.Op) or _side(bound, key.expr) not in _SIDES[key.descending]:
        return None
    basis = _one_row_a_moment(inner, key.expr, ctx)
    return None if basis is None else _AsOf(node, query, inner, key.expr, bound, basis)


def _side(bound: a.Op, at: a.Column) -> str:
    """The comparison of the moment with a value from outside, the moment first; empty where it is none."""
    if len(bound.args) != 2 or has_subquery(bound) or not bound.op.is_builtin:
        return ""
    first, second = bound.args
    if first == at and at.rel not in used_rels(second):
        return bound.op.btree
    if second == at and at.rel not in used_rels(first):
        return _TURNED.get(bound.op.btree, "")
    return ""


def _one_row_a_moment(inner: Inner, at: a.Column, ctx: Context) -> frozenset[str] | None:
    tied = {t.key.pos for t in inner.ties if isinstance(t.key, a.Column)}
    known = ctx.keys(inner.items[0])
    return next((basis for columns, basis in known if columns <= {*tied, at.pos}), None)


def _joined(block: a.Select, found: _AsOf, ctx: Context) -> a.Select:
    inner, at = found.inner, found.at
    keys = tuple(dict.fromkeys(t.key for t in inner.ties))
    lag = function("lag", "anyelement")
    assert lag is not None
    # the row before in the subquery's own order ends this one's period; the first has none and lag is NULL
    beyond = a.WindowCall(lag, (at,), a.Window(keys, found.query.order_by), at.type)
    shown = (
        *numbered("key", keys),
        a.Target("at", at),
        a.Target("beyond", beyond),
        a.Target("value", found.query.targets[0].expr),
    )
    query = a.Select(shown, inner.items, conjoin(inner.local))
    item, columns = derived(ctx.fresh(), "period", copy_fresh(query, ctx.fresh)[0])
    on = [t.on_key(columns[keys.index(t.key)]) for t in inner.ties]
    holds, over = (_at(found.bound, at, c) for c in columns[len(keys) : len(keys) + 2])
    items, preds = as_product(block)
    # IS NOT TRUE keeps the row with no successor, whose `beyond` is NULL
    joined = left_join(items, item, conjoin((*on, holds, a.IsBool(over, "true", negated=True))))
    made: a.Select = map_kind(
        replace(block, from_=joined, where=conjoin(preds)),
        a.ScalarSubquery,
        lambda n: columns[-1] if n == found.node else n,
    )
    return made


def _at(bound: a.Op, at: a.Column, moment: a.Column) -> a.Op:
    return replace(bound, args=tuple(moment if x == at else x for x in bound.args))
