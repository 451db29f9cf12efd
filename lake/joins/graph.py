"""The join graph: tables as nodes, an edge where columns overlap, with Ω and the best column pairs.

Owns building (from candidate pairs by shared values, or exactly over all pairs for comparison), updating and the
stored form. Thesis 5.2.1; docs/decisions/0082-join-candidates.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from lake import names
from lake.catalog.model import Column, Family
from lake.index import LakeIndex
from lake.joins.scores import USELESS, PairScore, comparable, joinable, own_key, year_like

PAIRS_PER_EDGE = 5
_POSTINGS = 48
"""A value in more columns than this tells little about which of them belong together."""
_PROBES = 256
_PER_COLUMN = 40
_PER_ENUMERATION = 6
_ENUMERATION = 12
"""A column of fewer distinct values lists kinds, not things: it is found in every table, and joins few of them."""
_SMALL_INTEGERS = 5000


def build(index: LakeIndex, *, changed: Iterable[str] | None = None) -> nx.Graph:
    """Build the graph, or bring the stored one up to date for the `changed` tables; keep it in the storage."""
    touched = set(index.tables) if changed is None else set(changed)
    edges = _edges(index, candidate_pairs(index, touched))
    # what no key would be made of is no edge
    edges = {e: kept for e, pairs in edges.items() if (kept := [p for p in pairs if p.quality > USELESS])}
    if changed is None:
        index.storage.clear_edges()
    index.storage.put_edges((a, b, _payload(pairs)) for (a, b), pairs in edges.items())
    index.storage.commit()
    return load(index)


def load(index: LakeIndex) -> nx.Graph:
    """The stored graph. Edge attributes: `omega`, `quality`, `pairs` (a column, b column, S) from the smaller name's side."""
    graph = nx.Graph()
    graph.add_nodes_from(index.tables)
    for a, b, payload in index.storage.edges():
        if a in index.tables and b in index.tables:
            graph.add_edge(a, b, **payload)
    return graph


def exact(index: LakeIndex) -> dict[tuple[str, str], list[PairScore]]:
    """All pairs of all columns, as the thesis builds it: quadratic, for comparison."""
    columns = [c for c in index.columns if joinable(c)]
    pairs = (
        (a, b)
        for i, a in enumerate(columns)
        for b in columns[i + 1 :]
        if a.table != b.table and comparable(a, b)
    )
    return _edges(index, pairs)


def candidate_pairs(index: LakeIndex, touched: set[str]) -> Iterator[tuple[Column, Column]]:
    """Column pairs that share values, at least one of each pair in a touched table.

    Values are hashed; each column posts its hashes, and looks its own up. Small integers overlap everywhere, so integer
    columns with only those are paired by the words of their names instead.
    """
    columns = [c for c in index.columns if joinable(c)]
    sketches = {c.key: index.values(c).sketch for c in columns}
    telling = [c for c in columns if not _small(c)]
    postings: dict[int, list[int]] = defaultdict(list)
    for i, column in enumerate(telling):
        for value in sketches[column.key].tolist():
            posted = postings[value]
            if len(posted) <= _POSTINGS:
                posted.append(i)
    seen: set[tuple[int, int]] = set()
    for i, column in enumerate(telling):
        if column.table not in touched:
            continue
        for j in _neighbours(i, telling, sketches[column.key], postings):
            pair = (min(i, j), max(i, j))
            if pair not in seen:
                seen.add(pair)
                yield telling[pair[0]], telling[pair[1]]
    yield from _by_words(index, [c for c in columns if c.family is Family.INTEGER], touched)


def _neighbours(i: int, columns: list[Column], sketch: Any, postings: dict[int, list[int]]) -> list[int]:
    shared: dict[int, int] = defaultdict(int)
    probe = sketch if len(sketch) <= _PROBES else sketch[np.linspace(0, len(sketch) - 1, _PROBES).astype(int)]
    for value in probe.tolist():
        posted = postings[value]
        if len(posted) <= _POSTINGS:
            for j in posted:
                if columns[j].table != columns[i].table and comparable(columns[i], columns[j]):
                    shared[j] += 1
    if not shared:
        # only values held everywhere: the columns first seen with them stand for the rest
        for value in probe.tolist()[:8]:
            for j in postings[value]:
                if columns[j].table != columns[i].table and comparable(columns[i], columns[j]):
                    shared[j] += 1
    ranked = sorted(shared, key=lambda j: -shared[j] * (0.2 + columns[j].uniqueness))
    if _enumeration(columns[i]) or year_like(columns[i]):
        # worth an edge only where the other side is a key, or by what little is left of the allowance
        keys = [j for j in ranked if columns[j].unique]
        return [*keys[:_PER_ENUMERATION], *(j for j in ranked if not columns[j].unique)][:_PER_ENUMERATION]
    return ranked[:_PER_COLUMN]


def _enumeration(column: Column) -> bool:
    """A few values repeated over the rows."""
    return column.distinct < _ENUMERATION and not column.unique


def _small(column: Column) -> bool:
    bounds = column.bounds() if column.family is Family.INTEGER else None
    return bounds is not None and bounds[0] >= -1 and bounds[1] <= _SMALL_INTEGERS


def _by_words(index: LakeIndex, columns: list[Column], touched: set[str]) -> Iterator[tuple[Column, Column]]:
    """Serial keys and the columns whose names share a word with the key's name or table."""
    by_word: dict[str, list[Column]] = defaultdict(list)
    for column in columns:
        for word in set(names.words(column.name)) - names.KEY_WORDS:
            by_word[word].append(column)
    seen: set[tuple[tuple[str, str], tuple[str, str]]] = set()
    for key in columns:
        if not own_key(key, index.tables[key.table]):
            continue
        own = (set(names.words(key.name)) | set(names.words(key.table))) - names.KEY_WORDS
        for word in own:
            others = _worth_pairing(key, by_word.get(word, []))
            for other in others:
                pair = tuple(sorted((key.key, other.key)))
                if other.table != key.table and {key.table, other.table} & touched and pair not in seen:
                    seen.add(pair)  # type: ignore[arg-type]
                    yield key, other


def _worth_pairing(key: Column, others: list[Column]) -> list[Column]:
    """Columns that could refer to a serial key; of many that share only a common word, those whose names agree best."""
    told = set(names.words(key.name)) | set(names.words(key.table))
    ranked = sorted(
        (c for c in others if c.table != key.table),
        key=lambda c: (-len(told & (set(names.words(c.name)) | set(names.words(c.table)))), c.key),
    )
    # two serial numbers mostly count different things
    serial = [c for c in ranked if c.unique and c.position == 0]
    referring = [c for c in ranked if not (c.unique and c.position == 0)]
    return [*referring[:_PER_COLUMN], *serial[:_PER_ENUMERATION]]


def _edges(
    index: LakeIndex, pairs: Iterable[tuple[Column, Column]]
) -> dict[tuple[str, str], list[PairScore]]:
    edges: dict[tuple[str, str], list[PairScore]] = defaultdict(list)
    for one, two in pairs:
        a, b = (one, two) if one.table < two.table else (two, one)
        score = index.overlapping(a, b)
        if score is not None:
            edges[a.table, b.table].append(score)
    for found in edges.values():
        found.sort(key=lambda p: (-p.s, -p.quality))
    return edges


def _payload(pairs: list[PairScore]) -> dict[str, Any]:
    return {
        "omega": round(pairs[0].s, 4),
        "quality": round(max(p.quality for p in pairs), 4),
        "pairs": [[p.a.name, p.b.name, round(p.s, 4)] for p in pairs[:PAIRS_PER_EDGE]],
    }
