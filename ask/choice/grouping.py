"""Candidates in groups: those proved equal, and, wider, those with the same rows here.

Owns the grouping. Only queries with the same rows are given to the checker: others can't be equal. Must not
choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewright.ask.outcome import Candidate
from rewright.ask.ports import Comparer, Comparison, Difference
from rewright.ask.sameness import same_rows

# each comparison may take the checker seconds; a question has to be answered meanwhile
MOST_COMPARISONS = 16


@dataclass(slots=True)
class Groups:
    """``candidates`` in their order with group and result numbered; failed ones have -1 for both."""

    comparer: Comparer | None
    candidates: list[Candidate] = field(default_factory=list)
    compared: int = 0
    _known: dict[tuple[str, str], Comparison] = field(default_factory=dict)

    def sort(self, candidates: Sequence[Candidate]) -> None:
        """Numbers them."""
        heads: list[Candidate] = []
        for candidate in candidates:
            if candidate.rows is None:
                self.candidates.append(replace(candidate, group=-1, result=-1))
                continue
            # equal on these rows is necessary for equal on all, and costs nothing to see
            alike = [h for h in heads if h.rows is not None and same_rows(h.rows, candidate.rows)]
            result = alike[0].result if alike else 1 + max((h.result for h in heads), default=-1)
            equal = next((h for h in alike if self.compare(h.sql, candidate.sql).verdict == "same"), None)
            group = equal.group if equal is not None else len(heads)
            placed = replace(candidate, group=group, result=result)
            self.candidates.append(placed)
            if equal is None:
                heads.append(placed)

    def heads(self) -> list[Candidate]:
        """One of each group, a model's before the reader's, by votes: its result's, then its own, then the
        order of making.
        """
        best: dict[int, Candidate] = {}
        for candidate in self.candidates:
            if candidate.group >= 0 and (
                candidate.group not in best
                or (best[candidate.group].origin == "reader" and candidate.origin == "model")
            ):
                best[candidate.group] = candidate
        return sorted(best.values(), key=lambda c: (-self.votes_of_result(c), -self.votes(c), c.group))

    def votes(self, candidate: Candidate) -> int:
        return sum(c.group == candidate.group for c in self.candidates)

    def votes_of_result(self, candidate: Candidate) -> int:
        return sum(c.result == candidate.result for c in self.candidates)

    def compare(self, first: str, second: str) -> Comparison:
        """The checker's word, asked once for a pair and so many pairs at most; equal texts are equal."""
        if " ".join(first.split()) == " ".join(second.split()):
            return Comparison("same")
        # also without a checker: two tries often give the very text
        if self.comparer is None:
            return Comparison("open")
        if (first, second) not in self._known:
            # counted only where the checker is asked: known pairs are free
            if self.compared >= MOST_COMPARISONS:
                return Comparison("open")
            self.compared += 1
            self._known[first, second] = self.comparer.compare(first, second)
        return self._known[first, second]

    def difference(self, first: Candidate, second: Candidate, *, ask: bool = True) -> Difference | None:
        """A small database on which the two part; only if it is known already where ``ask`` is False."""
        known = self._known.get((first.sql, second.sql))
        # asked the other way round: the same database, with the results changed over
        if known is None and (turned := self._known.get((second.sql, first.sql))) is not None:
            found = turned.difference
            return None if found is None else Difference(found.setup, found.second, found.first)
        if known is None and not ask:
            return None
        return self.compare(first.sql, second.sql).difference
