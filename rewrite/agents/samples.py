"""Several replies of a model: which of their candidates are one and the same query, by proof.

What several strategies lead to is likelier right (self-consistency, Wang et al. 2022, with proofs in place of
equal texts), so the largest group is checked first; and what becomes of one of a group becomes of all. Owns
that grouping. Must not know the original, nor verdicts on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewright.rewrite.model import Candidate, Deadline
from rewright.rewrite.ports import Prover

# seconds of one proof
_QUICK = 0.3


@dataclass(frozen=True, slots=True)
class Alike:
    """Groups of two or more candidates."""

    groups: tuple[tuple[Candidate, ...], ...] = ()

    def others(self, candidate: Candidate) -> tuple[Candidate, ...]:
        """The rest of its group."""
        group = next((g for g in self.groups if candidate in g), ())
        return tuple(one for one in group if one != candidate)

    def ordered(self, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Models' candidates of larger groups before those of smaller ones, in the places that models'
        candidates have.
        """
        if not self.groups:
            return candidates
        votes = {one.key(): len(group) for group in self.groups for one in group}
        models = [c for c in candidates if c.source == "model"]
        # one alone has one vote
        models.sort(key=lambda c: -votes.get(c.key(), 1))
        following = iter(models)
        return tuple(next(following) if c.source == "model" else c for c in candidates)


def alike(candidates: Sequence[Candidate], prover: Prover, deadline: Deadline) -> Alike:
    """The groups among candidates of different samples; a pair that is not proved quickly is in none."""
    models = [c for c in candidates if c.source == "model"]
    # steps of one chain are different queries by intention: only samples agree
    if len({c.sample for c in models}) < 2:
        return Alike()
    groups: list[list[Candidate]] = []
    for candidate in models:
        joined = next((g for g in groups if _same(candidate, g, prover, deadline)), None)
        if joined is None:
            groups.append([candidate])
        else:
            joined.append(candidate)
    return Alike(tuple(tuple(g) for g in groups if len(g) > 1))


def _same(candidate: Candidate, group: Sequence[Candidate], prover: Prover, deadline: Deadline) -> bool:
    """Sameness is transitive: one member is enough. Steps of one reply have been asked for as different
    queries.
    """
    if deadline.passed or any(one.sample == candidate.sample for one in group):
        return False
    # proofs are found at once here, or not at all: a pair of texts that look alike
    found = prover.prove(group[0].sql, candidate.sql, min(_QUICK, max(deadline.left(), 0.01)))
    # with a reservation the two may differ in the very point that is checked
    return found is not None and not found.modulo
