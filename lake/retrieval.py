"""Basic table retrieval: R_Q, S_k (thesis 5.1), and BM25 beside the vectors.

Owns the ranking of whole tables. Must not know the resolver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.index import LakeIndex
from rewright.lake.joins.graph import JoinGraph


def query_snippet(table: str, columns: Sequence[str]) -> str:
    """An imagined table as text: columns twice, then the table (thesis 5.1.1)."""
    return " ".join([f"{names.expanded(c)} {names.expanded(c)}" for c in columns] + [names.expanded(table)])


class Retriever:
    """Ranks the lake's tables for a set of imagined tables."""

    def __init__(self, index: LakeIndex, graph: JoinGraph | None = None) -> None:
        self._index = index
        self._graph = graph

    @cached_property
    def _bm25(self) -> Any:
        """The index of words, made by the first search for words: it loads SciPy, which takes 0.3 s."""
        import bm25s

        made = bm25s.BM25()
        made.index([_words(t.snippet()) for t in self._index.tables.values()], show_progress=False)
        return made

    def query_relevance(self, imagined: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """R_Q: for each table the greatest cosine with any imagined table's snippet."""
        sims = [self._index.snippet_similarities(query_snippet(t, c)) for t, c in imagined.items()]
        best = np.max(sims, axis=0) if sims else np.zeros(len(self._index.tables))
        return dict(zip(self._index.tables, (float(x) for x in best), strict=True))

    def rank(
        self,
        relevance: Mapping[str, float],
        context: Iterable[str] = (),
        *,
        evicted: Iterable[str] = (),
        k: int = 5,
    ) -> list[tuple[str, float]]:
        """S_k = R_Q + max Ω with the context's tables; context and evicted tables are left out."""
        held, gone = set(context), set(evicted)
        scored = [
            (table, score + self._omega(table, held))
            for table, score in relevance.items()
            if table not in held | gone
        ]
        return sorted(scored, key=lambda ts: (-ts[1], ts[0]))[:k]

    def search(self, text: str, k: int = 5) -> list[tuple[str, float]]:
        """Tables for free words: cosine and BM25 ranks fused (reciprocal ranks, Cormack et al. 2009)."""
        tables = list(self._index.tables)
        if not tables:
            return []
        cosine = np.argsort(-self._index.snippet_similarities(names.expanded(text)), kind="stable")
        fused = np.zeros(len(tables))
        # 20 instead of the usual 60: the first few count more
        fused[cosine] += 1.0 / (20.0 + np.arange(len(tables)))
        wanted = [word for word in _words(names.expanded(text)) if word in self._bm25.vocab_dict]
        if wanted:
            lexical = self._bm25.get_scores(wanted)
            order = np.argsort(-lexical, kind="stable")
            # a table with none of the words has no rank by them
            hits = order[lexical[order] > 0]
            fused[hits] += 1.0 / (20.0 + np.arange(len(hits)))
        best = np.argsort(-fused, kind="stable")[:k]
        return [(tables[i], round(float(fused[i]) * 10.0, 4)) for i in best]

    def _omega(self, table: str, context: set[str]) -> float:
        if self._graph is None:
            return max((self._index.joinability(table, other) for other in context), default=0.0)
        edges = self._graph.adj.get(table, {})
        return max((float(edges[other]["omega"]) for other in context if other in edges), default=0.0)


def _words(text: str) -> list[str]:
    return [names.singular(word) for word in text.lower().split()]
