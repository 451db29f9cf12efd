"""Turns a correlated subquery into a table of its results for all outer rows.

Owns for which subqueries this is known, in four kinds, and the table that each becomes: aggregates of all
tied rows, one tied group, the first tied row, the one row of a key. Correlation by more than equalities goes
through a copy of the outer tables (`domain`). Must not know where a subquery stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from rewright.equivalence.laws.correlation import Inner, Tie, take_apart
from rewright.rewrite.rules.base import Context
from rewright.rewrite.rules.collected import ordered
from rewright.rewrite.rules.hoisting import hoisted
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, ascending, derived, numbered, or_zero
from rewright.sql.facts import (
    NOT_NULL_ON_EMPTY,
    may_differ,
    null_on_empty,
    strict_columns,
)
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    conjoin,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    group_keys,
    has_aggregate,
    has_subquery,
    has_window,
    map_kind,
    references_whole,
    renumber,
    returns_set,
    used_rels,
    walk_block,
)


class Kind(Enum):
    """How many rows a subquery gives for one outer row, and which."""

    TOTAL = "aggregates of all tied rows: always one row"
    GROUP = "the group of tied rows: a row where there are any"
    FIRST = "the first of the tied rows"
    ROW = "the row of a key"


@dataclass(frozen=True, slots=True)
class Nested:
    """The parts of a subquery. ``values``: its outputs; ``local``: conditions on its own rows; ``ties``: the
    equalities with outer rows; ``others``: other correlated conditions.
    """

    kind: Kind
    items: tuple[a.FromItem, ...]
    local: tuple[a.Expr, ...]
    ties: tuple[Tie, ...]
    values: tuple[a.Expr, ...]
    others: tuple[a.Expr, ...] = ()
    having: a.Expr | None = None
    order: tuple[a.SortKey, ...] = ()
    assumptions: frozenset[str] = frozenset()
    # tied by keys to a copy of the outer tables, with their own filters
    over_domain: bool = False


def nested(query: a.Query, ctx: Context) -> Nested | None:
    """The parts of a correlated subquery, or None if it is of none of the kinds."""
    if not isinstance(query, a.Select) or query.ctes or query.offset is not None or may_differ(query):
        return None
    if (
        query.with_ties
        or query.distinct
        or any(returns_set(t.expr) or has_window(t.expr) for t in query.targets)
    ):
        return None
    query = hoisted(query)
    shown = (*query.targets, *([] if query.having is None else [query.having]))
    # what is correlated above the grouping is looked at where the values are
    bare = replace(query, targets=(), having=None, limit=None, distinct=None, group_by=None, order_by=())
    inner = take_apart(bare, beside=from_rels(bare.from_))
    if inner is None or not inner.ties or any(has_subquery(x) for x in shown):
        return None
    values = tuple(t.expr for t in query.targets)
    found = Nested(Kind.TOTAL, inner.items, inner.local, inner.ties, values, inner.others, query.having)
    if query.group_by is None:
        return _plain(query, found, ctx) if query.having is None and not _aggregated(query) else None
    basis = _known_aggregates(query, inner, ctx) if len(query.group_by) == 1 else None
    if basis is None:
        return None
    found = replace(found, assumptions=basis)
    if query.limit is not None and not _at_least_one(query.limit):
        return None
    return _total(found) if query.group_by == ((),) else _group(query, found, inner.rels, ctx)


def _aggregated(query: a.Select) -> bool:
    return any(has_aggregate(t.expr) for t in query.targets)


def _at_least_one(limit: a.Expr) -> bool:
    return isinstance(limit, a.Const) and (limit.value or "").isdigit() and limit.value != "0"


def _known_aggregates(query: a.Select, inner: Inner, ctx: Context) -> frozenset[str] | None:
    """The names of the constraints by which its aggregates do not depend on the order of the rows; None
    where they may, or read others than the subquery's own rows.
    """
    shown = (*(t.expr for t in query.targets), *([] if query.having is None else [query.having]))
    aggregates = [n for x in shown for n in walk_block(x) if isinstance(n, a.Aggregate)]
    if (
        any(isinstance(n, a.Grouping) for x in shown for n in walk_block(x))
        or any(free_rels(g) - inner.rels for g in aggregates)
        or any(g.func.name in NOT_NULL_ON_EMPTY - {"count"} for g in aggregates)
    ):
        return None
    names = [ordered(g, inner, ctx) for g in aggregates]
    known = [n for n in names if n is not None]
    return frozenset().union(*known) if len(known) == len(names) else None


def _total(found: Nested) -> Nested | None:
    return None if found.having is not None or not any(has_aggregate(v) for v in found.values) else found


def _group(query: a.Select, found: Nested, inside: frozenset[int], ctx: Context) -> Nested | None:
    """A subquery that is grouped by tied columns only, and so has at most one group. If its outputs are NULL
    where there are no rows, the grouping makes no difference, and it is a total.
    """
    tied = {x for t in found.ties for x in (t.inner, t.key)}
    keys = [k for k in group_keys(query) if used_rels(k) & inside]
    if not ctx.holds("group-is-tied", all(k in tied for k in keys)):
        return None
    shown = (*found.values, *([] if found.having is None else [found.having]))
    if free_of_all(shown) - inside:
        return None
    aggregates = tuple(n for v in found.values for n in walk_block(v) if isinstance(n, a.Aggregate))
    if found.having is None and aggregates and all(null_on_empty(v) for v in found.values):
        without = (map_kind(v, a.Aggregate, lambda g: a.Const(None, g.type)) for v in found.values)
        if not any(used_rels(x) for x in without):
            return found
    return replace(found, kind=Kind.GROUP)


def _plain(query: a.Select, found: Nested, ctx: Context) -> Nested | None:
    """The first row, or the row of a key."""
    if free_of_all(found.values) - from_rels(found.items):
        return None
    if query.order_by and query.limit is not None:
        one = isinstance(query.limit, a.Const) and query.limit.value == "1"
        if not ctx.holds("one-row-is-taken", one) or ascending([t.key for t in found.ties]) is None:
            return None
        if query.distinct is not None or free_of_all(query.order_by) - from_rels(found.items):
            return None
        return _extreme(query, found, ctx) or replace(found, kind=Kind.FIRST, order=query.order_by)
    if query.limit is not None and not _at_least_one(query.limit):
        return None
    item = found.items[0]
    if len(found.items) != 1 or not isinstance(item, a.Scan | a.CteScan | a.Derived):
        return None
    # a LEFT JOIN pads a missing row with NULLs, so the outputs have to be NULL there as well
    if references_whole(query, item.rel) or not all(strict_columns(v) for v in found.values):
        return None
    tied = {t.key.pos for t in found.ties if isinstance(t.key, a.Column)}
    basis = next((names for columns, names in ctx.keys(item) if columns <= tied), None)
    if not ctx.holds("at-most-one-row", basis is not None):
        return None
    return replace(found, kind=Kind.ROW, assumptions=basis or frozenset())


def _extreme(query: a.Select, found: Nested, ctx: Context) -> Nested | None:
    """A first row of which only what it is sorted by is shown: the least or greatest value, if NULL is not
    first. Values that are equal look the same.
    """
    first, (value, *more) = query.order_by[0], found.values
    if more or first.expr != value or look_of_type(value.type) is None or not first.op.is_builtin:
        return None
    filled = ctx.filled(value, found.items) if first.nulls_first else frozenset[str]()
    best = aggregate("max" if first.descending else "min", value)
    if filled is None or best is None:
        return None
    return replace(found, values=(best,), assumptions=found.assumptions | filled)


# --------------------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a subquery's results for all keys, which is joined by ``on``. ``values`` are the
    subquery's outputs after a LEFT JOIN; ``joined`` are those after an inner join.
    """

    item: a.FromItem
    on: tuple[a.Expr, ...]
    values: tuple[a.Expr, ...]
    joined: tuple[a.Expr, ...]


def table(found: Nested, ctx: Context, limits: Sequence[a.Expr] = ()) -> Table:
    """``limits``: further conditions on the subquery's rows, which leave out keys that nobody asks for."""
    if found.kind is Kind.ROW:
        return _row(found, ctx)
    keys = tuple(dict.fromkeys(t.key for t in found.ties))
    shown, zero = found.values, found.kind is Kind.TOTAL and not ctx.holds("nothing-counts-zero", False)
    if found.kind is Kind.TOTAL:
        inside = (n for v in shown for n in walk_block(v) if isinstance(n, a.Aggregate))
        shown = tuple(dict.fromkeys(inside))
    where = conjoin((*limits, *found.local))
    targets = (*numbered("key", keys), *numbered("value", shown))
    query = a.Select(targets, found.items, where, (keys,), found.having)
    if found.kind is Kind.FIRST:
        order = (*(ascending(keys) or ()), *found.order)
        query = replace(query, group_by=None, distinct=keys, order_by=order)
    item, columns = derived(ctx.fresh(), "first" if found.kind is Kind.FIRST else "agg", query)
    item = replace(item, query=copy_fresh(query, ctx.fresh)[0])
    on = tuple(t.on_key(columns[keys.index(t.key)]) for t in found.ties)
    read: dict[a.Expr, a.Expr] = dict(zip(shown, columns[len(keys) :], strict=True))
    if found.kind is not Kind.TOTAL:
        values = tuple(read[v] for v in found.values)
        return Table(item, on, values, values)
    joined = tuple(map_kind(v, a.Aggregate, read.__getitem__) for v in found.values)
    values = tuple(map_kind(v, a.Aggregate, lambda g: _read(g, read[g], zero=zero)) for v in found.values)
    return Table(item, on, values, joined)


def _read(g: a.Aggregate, column: a.Expr, *, zero: bool) -> a.Expr:
    """An aggregate's column after a LEFT JOIN: the count of a missing group is 0, not NULL."""
    return or_zero(column) if g.func.name == "count" and zero else column


def _row(found: Nested, ctx: Context) -> Table:
    item, rels = copy_fresh(found.items[0], ctx.fresh)
    on = tuple(renumber(p, dict(rels)) for p in (*(t.op for t in found.ties), *found.local, *found.others))
    values = tuple(renumber(v, dict(rels)) for v in found.values)
    return Table(item, on, values, values)
