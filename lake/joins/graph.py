"""The join graph: tables as nodes, an edge where columns overlap, with Ω and the best column pairs.

Owns building (from candidate pairs by shared values, or exactly over all pairs for comparison), updating and
the stored form. Thesis 5.2.1; docs/decisions/0082-join-candidates.md.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex
from rewright.lake.joins.candidates import candidate_pairs
from rewright.lake.joins.scores import USELESS, PairScore, comparable, joinable

PAIRS_PER_EDGE = 5


class JoinGraph:
    """Undirected. ``adj``: of each table its neighbours, with the attributes of the edge.

    Not networkx's class: importing that takes a fifth of what a process of a lake needs to start, and only
    `paths.find_paths` wants its algorithms.
    """

    def __init__(self, tables: Iterable[str]) -> None:
        self.adj: dict[str, dict[str, Mapping[str, Any]]] = {table: {} for table in tables}

    def add_edge(self, a: str, b: str, payload: Mapping[str, Any]) -> None:
        # one payload for both directions: whoever reads an edge finds the same figures from either side
        self.adj[a][b] = self.adj[b][a] = payload

    def has_edge(self, a: str, b: str) -> bool:
        return b in self.adj.get(a, {})

    def edges(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Each once, from the table that is first in the graph."""
        seen = set[str]()
        for a, others in self.adj.items():
            seen.add(a)
            yield from ((a, b, payload) for b, payload in others.items() if b not in seen)

    def number_of_edges(self) -> int:
        return sum(map(len, self.adj.values())) // 2

    def __iter__(self) -> Iterator[str]:
        return iter(self.adj)

    def __contains__(self, table: str) -> bool:
        return table in self.adj


def build(index: LakeIndex, *, changed: Iterable[str] | None = None) -> JoinGraph:
    """Build the graph, or bring the stored one up to date for the `changed` tables;
    keep it in the storage.
    """
    # edges of tables that did not change are kept as they are stored
    touched = set(index.tables) if changed is None else set(changed)
    with index.holding_sketches():
        edges = _edges(index, candidate_pairs(index, touched))
    # what no key would be made of is no edge
    edges = {e: kept for e, pairs in edges.items() if (kept := [p for p in pairs if p.quality > USELESS])}
    if changed is None:
        index.storage.clear_edges()
    index.storage.put_edges((a, b, _payload(pairs)) for (a, b), pairs in edges.items())
    # what keys refer to was embedded on the way: who scores them again need not
    index.save_vectors()
    index.storage.commit()
    return load(index)


def load(index: LakeIndex) -> JoinGraph:
    """The stored graph. Edge attributes: `omega`, `quality`, `pairs` (a column, b column, S) from the smaller
    name's side.
    """
    graph = JoinGraph(index.tables)
    for a, b, payload in index.storage.edges():
        # edges may be left of tables that are gone
        if a in index.tables and b in index.tables:
            graph.add_edge(a, b, payload)
    return graph


def exact(index: LakeIndex, among: Collection[str] | None = None) -> dict[tuple[str, str], list[PairScore]]:
    """All pairs of all columns (`among`: with one column of these tables at least), as the thesis builds it:
    quadratic, for comparison.
    """
    columns = [c for c in index.columns if joinable(c) and c.table not in index.unions]
    chosen = columns if among is None else [c for c in columns if c.table in among]
    rest = [] if among is None else [c for c in columns if c.table not in among]
    pairs = (
        (a, b)
        for i, a in enumerate(chosen)
        for b in itertools.chain(chosen[i + 1 :], rest)
        # each pair once, and none within a table: what joins a table to itself no overlap of values can tell
        if a.table != b.table and comparable(a, b)
    )
    return _edges(index, pairs)


def _edges(
    index: LakeIndex, pairs: Iterable[tuple[Column, Column]]
) -> dict[tuple[str, str], list[PairScore]]:
    edges: dict[tuple[str, str], list[PairScore]] = defaultdict(list)
    for one, two in pairs:
        # The stored form has each pair of tables once.
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
