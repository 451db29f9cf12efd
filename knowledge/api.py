"""The knowledge base's public API: load the units, search them.

A query is searched by its shape and by words, a text by its words and, where it names SQL, by shape too. Each
hit says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from rewright.knowledge.features import features_of, plan_features
from rewright.knowledge.index import Index, words_of
from rewright.knowledge.units import UNITS, Unit, load_units

# a shape says more of a query than the words in it, which are a stranger's names
SHAPE, WORDS = 1.0, 0.25
# a plan depends on data as much as on the query: it tells near ones apart
PLAN = 0.1
REASONS = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit found: its score, and the rarest features or words it shares with what was asked."""

    unit: Unit
    score: float
    why: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "unit": self.unit.id,
            "title": self.unit.title,
            "category": self.unit.category,
            "score": round(self.score, 3),
            "why": list(self.why),
            "answer": self.unit.answer,
            "before": self.unit.before,
            "after": self.unit.after,
        }


class KnowledgeBase:
    """Units with their index. Searching takes about a millisecond for some hundred units."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = tuple(units)
        shapes = [features_of(unit.before) for unit in self.units]
        words = [words_of(unit.text) for unit in self.units]
        self._shapes = [set(shape) for shape in shapes]
        self._words = [set(text) for text in words]
        self._plans = [set(unit.evidence.plan) if unit.evidence else set() for unit in self.units]
        self._rarity = Counter(
            token for tokens in (*self._shapes, *self._words, *self._plans) for token in tokens
        )
        self._shape_index = Index(shapes)
        self._word_index = Index(words)
        self._plan_index = Index([list(plan) for plan in self._plans])

    @classmethod
    def load(cls, more: Sequence[Path] = ()) -> Self:
        """The units that come with Rewright, and those below the folders ``more``. Raises UnitError."""
        return cls(unit for folder in (UNITS, *more) for unit in load_units(folder))

    def __len__(self) -> int:
        return len(self.units)

    def search(
        self,
        text: str,
        k: int = 3,
        *,
        category: str | None = None,
        server_major: int = 0,
        plan: Mapping[str, Any] | None = None,
    ) -> list[Hit]:
        """The ``k`` best units for a SQL query or for words, best first; fewer when fewer match.
        ``server_major`` leaves out units that do not speak of this version; ``plan`` (EXPLAIN's JSON) counts
        where it is known.
        """
        shape = list(dict.fromkeys(features_of(text)))
        words = words_of(text)
        # without SQL words are all there is to go by
        scores = SHAPE * self._shape_index.scores(shape) + (
            WORDS if shape else 1.0
        ) * self._word_index.scores(words)
        operators = [] if plan is None else plan_features(plan)
        if operators:
            scores = scores + PLAN * self._plan_index.scores(operators)
        if category is not None:
            scores = np.where([unit.category == category for unit in self.units], scores, 0.0)
        if server_major:
            scores = np.where([unit.speaks_of(server_major) for unit in self.units], scores, 0.0)
        # stable: of equal scores the first unit, always
        best = np.argsort(-scores, kind="stable")[:k]
        asked = {*shape, *words, *operators}
        # a score of 0 shares nothing with what was asked
        return [Hit(self.units[i], float(scores[i]), self._why(int(i), asked)) for i in best if scores[i] > 0]

    def _why(self, index: int, asked: set[str]) -> tuple[str, ...]:
        shared = (self._shapes[index] | self._words[index] | self._plans[index]) & asked
        # the rarest first: what two queries share that others do not is why they match
        return tuple(sorted(shared, key=lambda token: (self._rarity[token], token))[:REASONS])
