"""Proof by steps: a candidate reached by several rule applications is proved link by link.

Equivalence is transitive, and one step is far easier to prove than five at once. Owns the memory of how
candidates were reached, and asks for the proof of each link; the same checker judges links as whole pairs.
Only proofs are joined: links that were merely tested say nothing of the whole pair.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Protocol

from rewright.engines import clock
from rewright.equivalence.decomposition.steps import joined_document
from rewright.rewrite.model import Evidence
from rewright.rewrite.ports import Checker

# what the checker gets to refute a proof by links
CONFIRM_SECONDS = 2.0
# the share of a check's time that goes into proofs of links
_LINKS = 0.7
# of that time, what one link takes that others follow
_SHARE = 0.5
# times the seconds in which a link was not proved: in less than that it is not tried again
_HARDLY_MORE = 1.25


_UNPROVED = Evidence("unknown", reason="no quick proof")


@dataclass(slots=True)
class Derivations:
    """Remembers the texts between an original and a candidate, in order, without these two."""

    _via: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def remember(self, candidate: str, via: tuple[str, ...]) -> None:
        # the last way there is the one that is proved
        self._via[candidate] = via

    def via(self, candidate: str) -> tuple[str, ...]:
        return self._via.get(candidate, ())


class Links(Protocol):
    """A prover of single steps; what it does not prove, the checker may."""

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None: ...


@dataclass(slots=True)
class ChainChecker:
    """The `Checker` port: by links where a candidate came by steps, else the pair itself.

    A proof by links is looked at once more by the checker, which may refute it: the two know nothing of each
    other. That is done for the candidate that is chosen (`refute`), not for each. Proofs of links are kept:
    candidates of one search share their first steps.
    """

    inner: Checker
    derivations: Derivations
    links: Links | None = None
    # looks for a counterexample to what is proved by links (`refute`); without it ``inner`` does, at once
    second: Checker | None = None
    # how long it may; 0: somebody waits, and there is time for proofs of links and for nothing else
    confirm: float = CONFIRM_SECONDS
    _proved: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    # seconds in which a link was not proved, or with reservations only: in hardly more it is not, either
    _failed: dict[tuple[str, str], float] = field(default_factory=dict)

    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        """Proofs of all links, each within ``seconds``, joined; they are kept for `check`."""
        return self._quickly(original, candidate, seconds, None)

    def _quickly(
        self, original: str, candidate: str, seconds: float, deadline: float | None
    ) -> Evidence | None:
        """``deadline``: of all links together, where somebody waits for them."""
        texts = (original, *self.derivations.via(candidate), candidate)
        # step by step: two texts that a rule's one application lies between
        found: list[Evidence] = []
        for pair in itertools.pairwise(texts):
            evidence = self._by_parts(pair, clock.now() + seconds if deadline is None else deadline)
            if evidence is None:
                # the first link without a proof is the end: the others would not help
                return None
            found.append(evidence)
        return joined(found)

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        started = clock.now()
        texts = (original, *self.derivations.via(candidate), candidate)
        if self.confirm <= 0:
            # somebody waits: what is not proved now is looked at elsewhere, in time
            return self._quickly(original, candidate, seconds, started + seconds) or _UNPROVED
        # one link without a prover of links is the whole pair
        proof = self._by_links(texts, seconds * _LINKS) if len(texts) > 2 or self.links is not None else None
        left = max(seconds - (clock.now() - started), 1.0)
        if proof is None:
            # no proof by links: the checker searches the whole for a proof and for a difference
            return self.inner.check(original, candidate, left)
        if self.second is not None:
            # the second look is for the one that is chosen, not for each
            return proof
        again = self.inner.check(original, candidate, min(left, CONFIRM_SECONDS))
        # a test or silence of a second says less than the proof
        return again if again.level in {"refuted", "proved"} else proof

    def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
        """The proof by links, or one of the whole where that does with fewer reservations."""
        # a proof of one step is a proof of the whole
        if not proof.modulo or not self.derivations.via(candidate) or self.confirm <= 0:
            return proof
        deadline = clock.now() + min(seconds, CONFIRM_SECONDS)
        whole = self._by_parts((original, candidate), deadline)
        # strictly fewer: another reservation is no better
        return whole if whole is not None and set(whole.modulo) < set(proof.modulo) else proof

    def refute(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        """A counterexample to what is proved, if one is found within ``confirm`` and ``seconds``."""
        if self.second is None or self.confirm <= 0:
            return None
        evidence = self.second.check(original, candidate, min(seconds, self.confirm))
        return evidence if evidence.level == "refuted" else None

    def _by_links(self, texts: tuple[str, ...], seconds: float) -> Evidence | None:
        """The joined proof of a way from the first text to the last, or None. A text that is not proved from
        the one before is left out of the way: the next one may be proved without it.
        """
        found: list[Evidence] = []
        deadline = clock.now() + seconds
        standing, last = texts[0], texts[-1]
        for after in texts[1:]:
            # the whole goes to the checker with the time that is left, which also tries to refute it
            whole = standing == texts[0] and after == last
            evidence = self._link(
                standing, after, deadline, whole=whole, share=1.0 if after == last else _SHARE
            )
            if evidence is not None:
                found.append(evidence)
                standing = after
        return joined(found) if standing == last else None

    def _link(
        self, before: str, after: str, deadline: float, *, whole: bool, share: float
    ) -> Evidence | None:
        """``share``: of the time left, for what is not proved by its parts."""
        found = self._by_parts((before, after), deadline)
        left = deadline - clock.now()
        if found is not None or whole or left <= 0:
            return found
        evidence = self.inner.check(before, after, max(left * share, 0.5))
        if evidence.level == "proved":
            # only a proof is kept: a refuted link says nothing of the pair
            self._proved[before, after] = evidence
            return evidence
        return None

    def _by_parts(self, pair: tuple[str, str], deadline: float) -> Evidence | None:
        left, known = deadline - clock.now(), self._proved.get(pair)
        if known is not None and not known.modulo:
            return known
        # tried in nearly as long before: it will not be found now
        if self.links is None or left <= 0 or self._failed.get(pair, 0.0) * _HARDLY_MORE >= left:
            return known
        found = self.links.prove(*pair, left)
        if found is None or found.modulo:
            self._failed[pair] = left
        if found is not None:
            self._proved[pair] = found
        return found or known


def joined(links: list[Evidence]) -> Evidence:
    """One proof out of the proofs of consecutive links."""
    return Evidence.of(joined_document([dict(e.document) for e in links]))
