"""Readers of one grouped CTE that are joined by a part of its key, each with constants for the rest, are one
grouping by that part, with FILTER.

    WITH y AS (SELECT cust, day, sum(qty) AS q FROM sale GROUP BY cust, day)
    SELECT c.name, a.q, b.q FROM cust c, y a, y b
     WHERE a.cust = c.id AND a.day = 1 AND b.cust = c.id AND b.day = 2
    -->
    SELECT c.name, f.value1, f.value2 FROM cust c,
           (SELECT cust AS key1,
                   sum(qty) FILTER (WHERE day = 1) AS value1, sum(qty) FILTER (WHERE day = 2) AS value2
              FROM sale WHERE day = 1 OR day = 2 GROUP BY cust
            HAVING count(*) FILTER (WHERE day = 1) > 0 AND count(*) FILTER (WHERE day = 2) > 0) f
     WHERE f.key1 = c.id

This year beside the year before, channels beside each other. Each reader has one row at most for a value of
the shared part, made of the rows that its constants choose; all readers have one where HAVING counts rows of
each. So are groupings in FROM of the same tables, tied by all their keys, each under conditions of its own.
The server expects few rows of a CTE under conditions, and joins its readers row by row. Hazards 6.

Known as pivot; AggregateFilterToFilteredAggregateRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule, stable
from rewright.sql import algebra as a
from rewright.sql.build import compare, derived, function, int8, numbered, of_rows
from rewright.sql.constants import constant
from rewright.sql.facts import is_equality
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    Place,
    as_product,
    canonical,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    group_keys,
    has_aggregate,
    is_plain_grouping,
    map_kind,
    references_whole,
    renumber,
    substitute,
    twins,
    used_rels,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reference to the CTE, or a grouping in FROM: its columns in terms of the rows below, which conditions
    on it choose some of these rows, what they say of them (None: all), and where it shows the keys by which
    it is tied.
    """

    item: a.CteScan | a.Derived
    values: tuple[a.Expr, ...]
    pins: tuple[a.Expr, ...]
    chosen: a.Expr | None
    tied: Mapping[a.Expr, int]


@rule(
    SELECT.where(stable),
    guards=("whole-key", "null-keys-excluded"),
    known_as="AggregateFilterToFilteredAggregateRule",
    priority=78,
    category="cte",
)
def fold_readers(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for cte in block.ctes:
        query = cte.query
        # a recursive CTE is no grouping of given rows; other CTEs do not have one row a key
        if cte.recursive or not isinstance(query, a.Select) or not is_plain_grouping(query):
            continue
        readers = [r for i in items if (r := _reader(i, cte, query, preds, ctx)) is not None]
        made = _folded(block, query, readers, ctx)
        if made is not None:
            made = _unread(made, cte)
            yield Rewrite(made, f"{len(readers)} readers of the CTE {cte.name} are one grouping with FILTER")
    for query, readers in _beside(items, preds, ctx):
        made = _folded(block, query, readers, ctx)
        if made is not None:
            yield Rewrite(made, f"{len(readers)} groupings of the same rows are one with FILTER")


def _reader(
    item: a.FromItem, cte: a.Cte, query: a.Select, preds: Sequence[a.Expr], ctx: Context
) -> _Reader | None:
    if not isinstance(item, a.CteScan) or item.cte != cte.cte:
        return None
    keys = {pos for pos, t in enumerate(query.targets) if t.expr in group_keys(query)}
    found = ((c, p) for p in preds if isinstance(p, a.Op) and (c := _pinned(p)) is not None)
    pins = {c.pos: p for c, p in found if c.rel == item.rel and c.pos in keys}
    tied = _tied(item, preds) & (keys - pins.keys())
    shown = {query.targets[pos].expr for pos in (*pins, *tied)}
    # with a part of the key left open a reader has several rows for one tied value
    if not pins or not tied or not ctx.holds("whole-key", shown >= set(group_keys(query))):
        return None
    values = tuple(t.expr for t in query.targets)
    places: dict[Place, a.Expr] = {(item.rel, i): v for i, v in enumerate(values)}
    chosen = conjoin(substitute(p, places) for p in pins.values())
    return _Reader(item, values, tuple(pins.values()), chosen, {values[p]: p for p in sorted(tied)})


def _beside(
    items: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context
) -> Iterator[tuple[a.Select, list[_Reader]]]:
    """Groupings in FROM that read the same tables under conditions of their own, with their common rows."""
    found: dict[a.Query, list[tuple[a.Derived, a.Select]]] = {}
    for item in items:
        grouping = _grouping_of(item)
        if grouping is not None and isinstance(item, a.Derived):
            form = canonical(a.Select((), grouping.from_), keep_names=False)
            found.setdefault(form, []).append((item, grouping))
    for alike in found.values():
        first = alike[0][1]
        # all in terms of the first one's tables
        same = [(i, renumber(q, twins(q, first) or {})) for i, q in alike]
        same = [(i, q) for i, q in same if set(group_keys(q)) == set(group_keys(first))]
        shared = [p for p in conjuncts(first.where) if all(p in conjuncts(q.where) for _, q in same)]
        readers = [r for i, q in same if (r := _of_rows(i, q, shared, preds, ctx)) is not None]
        # one that only says which groups there are is redundant_keys' case
        if not any(r.chosen is None and r.tied.keys() >= {*r.values} for r in readers):
            yield replace(first, where=conjoin(shared)), readers


def _grouping_of(item: a.FromItem) -> a.Select | None:
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return None
    query = item.query
    if not isinstance(query, a.Select) or not is_plain_grouping(query) or not group_keys(query):
        return None
    tables, preds = as_product(query)
    return replace(query, from_=tuple(tables), where=conjoin(preds))


def _of_rows(
    item: a.Derived, query: a.Select, shared: Sequence[a.Expr], preds: Sequence[a.Expr], ctx: Context
) -> _Reader | None:
    values, keys = tuple(t.expr for t in query.targets), set(group_keys(query))
    tied = {values[p]: p for p in sorted(_tied(item, preds)) if values[p] in keys}
    own = [p for p in conjuncts(query.where) if p not in shared]
    # of tables that it joins in another way, other rows are read
    if not ctx.holds("whole-key", tied.keys() == keys) or any(len(used_rels(p)) > 1 for p in own):
        return None
    return _Reader(item, values, (), conjoin(own), tied)


def _tied(item: a.CteScan | a.Derived, preds: Sequence[a.Expr]) -> set[int]:
    return {c.pos for p in preds for c, _ in _tie(p) if c.rel == item.rel}


def _pinned(pred: a.Op) -> a.Column | None:
    """The column that a condition says to be a constant."""
    if not is_equality(pred):
        return None
    # the column first, whichever side it stands on
    column, value = sorted(pred.args, key=lambda x: not isinstance(x, a.Column))
    # a year of extract() is numeric, and 2001 beside it a cast integer
    return column if isinstance(column, a.Column) and constant(value) is not None else None


def _tie(pred: a.Expr) -> Iterator[tuple[a.Column, a.Column]]:
    """A column and the one it equals, either way."""
    if isinstance(pred, a.Op) and is_equality(pred):
        one, other = pred.args
        # of two types the tied column shows another type than the key
        if isinstance(one, a.Column) and isinstance(other, a.Column) and one.type == other.type:
            yield one, other
            yield other, one


def _folded(block: a.Select, query: a.Select, readers: Sequence[_Reader], ctx: Context) -> a.Select | None:
    # readers tied by other columns are another grouping
    readers = [r for r in readers if r.tied.keys() == readers[0].tied.keys()]
    if len(readers) < 2 or any(references_whole(block, r.item.rel) for r in readers):
        return None
    items, preds = as_product(block)
    gone, keys = [r.item for r in readers], tuple(readers[0].tied)
    # readers tied to different rows (`a.cust = c.id AND b.cust = d.id`) are no one row
    if not keys or not all(_same(preds, [(r.item.rel, r.tied[k]) for r in readers]) for k in keys):
        return None
    if any(look_of_type(k.type) is None for k in keys):
        return None  # equal keys of two readers may look different
    pinned = {p for r in readers for p in r.pins}
    rest = [p for p in preds if p not in pinned]
    bare = replace(block, from_=tuple(i for i in items if i not in gone), where=conjoin(rest))
    shown: dict[Place, a.Expr] = {}
    for r in readers:
        for column in columns_used((bare,), (r.item.rel,)):
            value = r.values[column.pos]
            # a column that is neither key nor aggregate is one of a row, not of the group
            if value not in keys and not _is_total(value):
                return None
            shown[column.rel, column.pos] = value if value in keys else of_rows(value, r.chosen)
    values = tuple(dict.fromkeys(v for v in shown.values() if v not in keys))
    made = _grouping(query, keys, values, readers, ctx)
    if made is None:
        return None
    item, columns = derived(ctx.fresh(), "folded", copy_fresh(made, ctx.fresh)[0])
    read = dict(zip((*keys, *values), columns, strict=True))
    return _reading(bare, item, {place: read[value] for place, value in shown.items()})


def _reading(bare: a.Select, item: a.Derived, columns: Mapping[Place, a.Expr]) -> a.Select:
    """The block with the grouping; ties of its columns with themselves go."""
    made: a.Select = substitute(replace(bare, from_=(item, *bare.from_)), dict(columns))
    preds = dict.fromkeys(conjuncts(made.where))
    return replace(made, where=conjoin(p for p in preds if all(one != other for one, other in _tie(p))))


def _unread(block: a.Select, cte: a.Cte) -> a.Select:
    """Without the CTE where nobody reads it."""
    # other references need the CTE as it is
    if any(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(block)):
        return block
    return replace(block, ctes=tuple(c for c in block.ctes if c is not cte))


def _grouping(
    query: a.Select,
    keys: Sequence[a.Expr],
    values: Sequence[a.Expr],
    readers: Sequence[_Reader],
    ctx: Context,
) -> a.Select | None:
    """One row for each value of the keys for which every reader has a row."""
    asked, count = tuple(dict.fromkeys(r.chosen for r in readers)), function("count")
    if count is None:
        return None
    rows = a.Aggregate(count, (), a.COUNT_TYPE, star=True)
    chosen = tuple(c for c in asked if c is not None)
    # an inner join of readers: a key that one of them lacks is not there
    counts = [compare(">", of_rows(rows, c), int8(0)) for c in chosen if len(asked) > 1]
    # one that reads all rows needs them all
    some = None if None in asked else chosen[0] if len(chosen) == 1 else a.Or(chosen)
    # a NULL key is a group, but met no tie
    maybe = [k for k in keys if ctx.filled(k, query.from_) is None]
    filled = [a.IsNull(k, negated=True) for k in maybe if not ctx.holds("null-keys-excluded", False)]
    return a.Select(
        (*numbered("key", keys), *numbered("value", values)),
        query.from_,
        conjoin((*conjuncts(query.where), *filled, *([] if some is None else [some]))),
        (tuple(keys),),
        conjoin(c for c in counts if c is not None),
    )


def _same(preds: Sequence[a.Expr], columns: Sequence[Place]) -> bool:
    """Whether conditions say that columns are all the same."""
    known, wanted = {columns[0]}, set(columns)
    ties = [(_at(one), _at(other)) for p in preds for one, other in _tie(p)]
    # as often as there are ties: each round reaches one equality further
    for _ in ties:
        known |= {other for one, other in ties if one in known}
    return wanted <= known


def _at(column: a.Column) -> Place:
    return column.rel, column.pos


def _is_total(value: a.Expr) -> bool:
    """Whether it is computed of aggregates alone."""
    without = map_kind(value, a.Aggregate, lambda g: a.Const(None, g.type))
    return has_aggregate(value) and not any(isinstance(n, a.Column) for n in walk(without))
