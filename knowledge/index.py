"""BM25 over units: words of their texts and features of their SQL, in one index each, their scores added.

bm25s does the scoring (Lucene's variant; Robertson and Zaragoza, "The Probabilistic Relevance Framework",
2009). Must not know servers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

_WORD = re.compile(r"[a-z_]{2,}|\d+")
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "that",
        "with",
        "not",
        "one",
        "are",
        "each",
        "has",
        "its",
        "from",
        "this",
        "but",
        "all",
        "they",
        "can",
        "than",
        "when",
        "which",
        "what",
        "into",
        "only",
        "every",
        "then",
        "there",
    ]
)


def words_of(text: str) -> list[str]:
    """Lower-case words, a plural s taken off, without the most common ones."""
    # a plural's s: "indexes" becomes "indexe", which is the same on both sides
    words = (w[:-1] if len(w) > 3 and w.endswith("s") else w for w in _WORD.findall(text.lower()))
    return [word for word in words if word not in _STOP]


class Index:
    """Scores documents, given as token lists, for a query's tokens."""

    def __init__(self, documents: Sequence[list[str]], *, k1: float = 1.2, b: float = 0.5) -> None:
        self._size = len(documents)
        self._index: Any = None
        if any(documents):
            # loads SciPy, too: an optimiser that has nothing to search for begins without them
            import bm25s

            self._index = bm25s.BM25(k1=k1, b=b, method="lucene")
            # bm25s takes no empty document
            self._index.index([list(document) or [""] for document in documents], show_progress=False)

    def scores(self, tokens: Sequence[str]) -> np.ndarray[Any, Any]:
        """One score a document, 0 where nothing matches."""
        # words that no unit has cannot be scored
        known = [] if self._index is None else [t for t in tokens if t in self._index.vocab_dict]
        if not known:
            return np.zeros(self._size)
        scores: np.ndarray[Any, Any] = np.asarray(self._index.get_scores(known), dtype=float)
        return scores
