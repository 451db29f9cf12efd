"""Proof by steps: a candidate reached by several rule applications is proved link by link.

Sameness is transitive, and one step is far easier to prove than five. Owns the memory of how candidates were
reached and the joining of the links' evidence; each link is judged by the same checker as everything else. Only
proofs are joined: what is tested step by step is not tested as a whole.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from rewrite.ports import Checker
from rewrite.words import Evidence


@dataclass(slots=True)
class Derivations:
    """The texts between an original and a candidate, in order; without both."""

    _via: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def remember(self, candidate: str, via: tuple[str, ...]) -> None:
        self._via[candidate] = via

    def via(self, candidate: str) -> tuple[str, ...]:
        return self._via.get(candidate, ())


@dataclass(slots=True)
class ChainChecker:
    """The `Checker` port: the pair itself first in a share of the time, then the links.

    Verdicts on links are kept: candidates of one search share their first steps.
    """

    inner: Checker
    derivations: Derivations
    _links: dict[tuple[str, str], Evidence] = field(default_factory=dict)

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        via = self.derivations.via(candidate)
        if via:
            joined = self._by_links((original, *via, candidate), seconds)
            if joined is not None:
                return joined
        return self._link(original, candidate, seconds)

    def _by_links(self, texts: tuple[str, ...], seconds: float) -> Evidence | None:
        """The joined proof, or None as soon as one link is not proved."""
        found: list[Evidence] = []
        for before, after in itertools.pairwise(texts):
            evidence = self._link(before, after, max(seconds / 2, 1.0))
            if evidence.level != "proved":
                return None
            found.append(evidence)
        return joined(found)

    def _link(self, before: str, after: str, seconds: float) -> Evidence:
        known = self._links.get((before, after))
        if known is None or known.level == "unknown":
            known = self._links[before, after] = self.inner.check(before, after, seconds)
        return known


def joined(links: list[Evidence]) -> Evidence:
    """One proof out of the proofs of consecutive links: what each rests on, all rest on."""
    assumptions = tuple(dict.fromkeys(a for e in links for a in e.assumptions))
    modulo = tuple(sorted({m for e in links for m in e.modulo}))
    scope = "any" if all(e.scope == "any" for e in links) else "these"
    document = {
        **links[0].document,
        "verdict": "proved",
        "method": "steps: " + ", ".join(dict.fromkeys(e.method for e in links if e.method)),
        "assumptions": list(assumptions),
        "modulo": list(modulo),
        "scope": scope,
        "steps": [
            f"step {i + 1}: {step}" for i, e in enumerate(links) for step in e.document.get("steps") or ()
        ],
    }
    return Evidence.of(document)
