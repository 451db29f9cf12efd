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
each. The server expects few rows of a CTE under conditions, and joins its readers row by row. Hazards 6.

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
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    group_keys,
    has_aggregate,
    is_plain_grouping,
    map_kind,
    references_whole,
    substitute,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reference to the CTE: by which conditions its columns equal constants, what these say of the rows
    below, and which columns are tied.
    """

    item: a.CteScan
    pins: Mapping[int, a.Op]
    chosen: a.Expr
    tied: frozenset[int]


@rule(
    SELECT.where(stable),
    guards=("whole-key", "null-keys-excluded"),
    known_as="AggregateFilterToFilteredAggregateRule",
    priority=78,
    category="cte",
)
def fold_readers(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for cte in block.ctes:
        query = cte.query
        # a recursive CTE is no grouping of given rows; other CTEs do not have one row a key
        if cte.recursive or not isinstance(query, a.Select) or not is_plain_grouping(query):
            continue
        items, preds = as_product(block)
        readers = [r for i in items if (r := _reader(i, cte, query, preds, ctx)) is not None]
        # readers tied by other columns are another grouping
        alike = [r for r in readers if r.tied == readers[0].tied and not references_whole(block, r.item.rel)]
        if len(alike) > 1:
            made = _folded(block, cte, alike, ctx)
            if made is not None:
                yield Rewrite(
                    made, f"{len(alike)} readers of the CTE {cte.name} are one grouping with FILTER"
                )


def _reader(
    item: a.FromItem, cte: a.Cte, query: a.Select, preds: Sequence[a.Expr], ctx: Context
) -> _Reader | None:
    if not isinstance(item, a.CteScan) or item.cte != cte.cte:
        return None
    keys = {pos for pos, t in enumerate(query.targets) if t.expr in group_keys(query)}
    found = ((c, p) for p in preds if isinstance(p, a.Op) and (c := _pinned(p)) is not None)
    pins = {c.pos: p for c, p in found if c.rel == item.rel and c.pos in keys}
    ties = (c for p in preds for c, _ in _tie(p) if c.rel == item.rel and c.pos in keys - pins.keys())
    tied = frozenset(c.pos for c in ties)
    shown = {query.targets[pos].expr for pos in (*pins, *tied)}
    # with a part of the key left open a reader has several rows for one tied value
    if not pins or not tied or not ctx.holds("whole-key", shown >= set(group_keys(query))):
        return None
    values: dict[Place, a.Expr] = {(item.rel, i): t.expr for i, t in enumerate(query.targets)}
    chosen = conjoin(substitute(p, values) for p in pins.values())
    assert chosen is not None
    return _Reader(item, pins, chosen, tied)


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


def _folded(block: a.Select, cte: a.Cte, readers: Sequence[_Reader], ctx: Context) -> a.Select | None:
    query = cte.query
    assert isinstance(query, a.Select)
    items, preds = as_product(block)
    gone = [r.item for r in readers]
    tied = sorted(readers[0].tied)
    # readers tied to different rows (`a.cust = c.id AND b.cust = d.id`) are no one row
    if not all(_same(preds, [a.Column(i.rel, p, i.columns[p].type) for i in gone]) for p in tied):
        return None
    if any(look_of_type(query.targets[p].expr.type) is None for p in tied):
        return None  # equal keys of two readers may look different
    pinned = {p for r in readers for p in r.pins.values()}
    rest = [p for p in preds if p not in pinned]
    bare = replace(block, from_=tuple(i for i in items if i not in gone), where=conjoin(rest))
    shown: dict[Place, a.Expr] = {}
    for r in readers:
        for column in columns_used((bare,), (r.item.rel,)):
            value = query.targets[column.pos].expr
            # a column that is neither key nor aggregate is one of a row, not of the group
            if column.pos not in tied and not _is_total(value):
                return None
            shown[column.rel, column.pos] = value if column.pos in tied else of_rows(value, r.chosen)
    keys = [query.targets[p].expr for p in tied]
    values = tuple(dict.fromkeys(v for v in shown.values() if v not in keys))
    made = _grouping(query, keys, values, readers, ctx)
    if made is None:
        return None
    item, columns = derived(ctx.fresh(), "folded", copy_fresh(made, ctx.fresh)[0])
    read = dict(zip((*keys, *values), columns, strict=True))
    return _reading(bare, cte, item, {place: read[value] for place, value in shown.items()})


def _reading(bare: a.Select, cte: a.Cte, item: a.Derived, columns: Mapping[Place, a.Expr]) -> a.Select:
    """The block with the grouping; ties of its columns with themselves go, and the CTE where nobody reads
    it.
    """
    made: a.Select = substitute(replace(bare, from_=(item, *bare.from_)), dict(columns))
    preds = dict.fromkeys(conjuncts(made.where))
    made = replace(made, where=conjoin(p for p in preds if all(one != other for one, other in _tie(p))))
    # other references need the CTE as it is
    if any(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(made)):
        return made
    return replace(made, ctes=tuple(c for c in made.ctes if c is not cte))


def _grouping(
    query: a.Select,
    keys: Sequence[a.Expr],
    values: Sequence[a.Expr],
    readers: Sequence[_Reader],
    ctx: Context,
) -> a.Select | None:
    """One row for each value of the keys for which every reader has a row."""
    chosen, count = tuple(dict.fromkeys(r.chosen for r in readers)), function("count")
    if count is None:
        return None
    rows = a.Aggregate(count, (), a.COUNT_TYPE, star=True)
    # an inner join of readers: a key that one of them lacks is not there
    counts = [compare(">", of_rows(rows, c), int8(0)) for c in chosen]
    some = chosen[0] if len(chosen) == 1 else a.Or(chosen)
    # a NULL key is a group, but met no tie
    maybe = [k for k in keys if ctx.filled(k, query.from_) is None]
    filled = [a.IsNull(k, negated=True) for k in maybe if not ctx.holds("null-keys-excluded", False)]
    return a.Select(
        (*numbered("key", keys), *numbered("value", values)),
        query.from_,
        conjoin((*conjuncts(query.where), *filled, some)),
        (tuple(keys),),
        conjoin(c for c in counts if c is not None),
    )


def _same(preds: Sequence[a.Expr], columns: Sequence[a.Column]) -> bool:
    """Whether conditions say that columns are all the same."""
    known, wanted = {_at(columns[0])}, {_at(c) for c in columns}
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
