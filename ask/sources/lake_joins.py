"""How a lake's tables join, as the joins of a context.

Owns which joins count: those of the join graph that lead to rows told apart by one column, and keys of
several columns. Must not know questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rewright.ask.context import ColumnContext, Join, TableContext
from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.joins.keys import JoinKey, KeyFinder

_SUREST = 0.95
_LEAST = 0.8
_COMPOSED = 0.4
"""Quality below which a key of several columns is none."""
_MOST_COMPOSED = 50
"""Pairs of tables in which such keys are looked for: each is counted in the data."""
_MOST_OWNERS = 20
"""Tables that have an identifier of one name: of one that more have nothing is concluded."""
_Columns = Mapping[tuple[str, str], ColumnContext]


def joins_of(lake: Lake, tables: Sequence[TableContext]) -> Iterator[Join]:
    """Of each edge the best pair that leads to a column with no value twice; without one, several pairs that
    together lead to different rows.
    """
    columns = {(table.ref.name, column.name): column for table in tables for column in table.columns}
    joined = set[tuple[str, ...]]()
    for a, b, edge in lake.graph().edges():
        first, second = sorted((a, b))
        join = _single(columns, first, second, edge)
        if join is not None:
            joined.add((first, second))
            yield join
    rows = {table.ref.name: table.rows for table in tables}
    finder = KeyFinder(lake.index, lake.database)
    # counting distinct groups reads the data, so that only so many pairs are tried
    for first, second in _sharing_keys(tables, joined)[:_MOST_COMPOSED]:
        keys = finder.keys(first, second, top=1)
        join = _composed(finder, keys[0], columns, rows) if keys else None
        if join is not None:
            yield join


def _sharing_keys(
    tables: Sequence[TableContext], joined: Collection[tuple[str, ...]]
) -> list[tuple[str, str]]:
    """Pairs of tables, of which nothing single joins the one to the other, with several identifiers of one
    name; not those of the same columns, which are parts of one table.
    """
    by_name = defaultdict(list)
    columns = {table.ref.name: {c.name.lower() for c in table.columns} for table in tables}
    for table in tables:
        for name in {c.name.lower() for c in table.columns if _says_which(c)}:
            by_name[name].append(table.ref.name)
    shared = Counter(
        pair
        for owners in by_name.values()
        # an identifier that many tables share (`year`, `country_code`) tells little about any two of them
        if len(owners) <= _MOST_OWNERS
        for pair in combinations(sorted(owners), 2)
    )
    return [
        (a, b)
        for (a, b), count in shared.items()
        if count > 1 and columns[a] != columns[b] and (a, b) not in joined
    ]


def _says_which(column: ColumnContext) -> bool:
    return bool({*column.words[-1:]} & {*names.KEY_WORDS, "year"})


def _single(columns: _Columns, first: str, second: str, edge: Mapping[str, Any]) -> Join | None:
    quality = min(1.0, max(0.0, float(edge.get("quality", 0.0))))
    for left, right, _ in edge["pairs"]:
        one, two = columns.get((first, left)), columns.get((second, right))
        # a reference must lead to one row at most: else the join multiplies
        if one is None or two is None or not (one.unique or two.unique):
            continue
        # of two that are unique the one that is its table's key is referred to
        if one.unique and not (two.unique and two.key and not one.key):
            one, two = two, one
        return Join(one, two, _likelihood(quality))
    return None


def _composed(finder: KeyFinder, key: JoinKey, columns: _Columns, rows: Mapping[str, int]) -> Join | None:
    """None unless the columns tell all rows of one of the tables apart."""
    if len(key.pairs) < 2 or key.quality < _COMPOSED:
        return None

    def apart(one: JoinKey) -> bool:
        return 1 < rows[one.b] == finder.distinct(one.b, tuple(y.name for _, y in one.pairs))

    # either table may be the one that is referred to
    if not apart(key):
        key = key.flipped()
    if not apart(key):
        return None
    pairs = [(columns.get((key.a, x.name)), columns.get((key.b, y.name))) for x, y in key.pairs]
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    if len(known) < len(pairs):
        return None
    (many, one), *more = known
    return Join(many, one, _likelihood(key.quality), tuple(more), paired=apart(key.flipped()))


def _likelihood(quality: float) -> float:
    return _LEAST + (_SUREST - _LEAST) * quality
