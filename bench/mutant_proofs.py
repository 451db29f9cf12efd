"""Ways in which a mutant may be shown to be the same: by the kernel, by parts as the checker does, or by whatever
forms somebody who forges a certificate may name.

Owns what each says of a pair. Must not know mutants or servers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rewright.engines import clock
from rewright.equivalence.certificates import seen_as
from rewright.equivalence.certified import NotDerived, ways
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover.prove import Reason, prove
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.judging import OutOfTime
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.views.table import VIEWS
from rewright.equivalence.solving import Busy

# combinations of forms that are tried of one pair, besides each form alone
_MIXED = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """A proof: what it leaves open, rests on, and what is wrong with it."""

    modulo: tuple[str, ...]
    assumptions: tuple[str, ...]
    flaw: str = ""
    forms: str = ""


Way = Callable[[Binding, float], Shown | str]


def by_kernel(pair: Binding, seconds: float) -> Shown | str:
    """The kernel alone; a text where it fails in itself, empty where there is no proof."""
    found = prove(pair.original, pair.candidate, pair.catalog, deadline_seconds=seconds)
    if isinstance(found, Reason):
        return found.reason if found.kind == "internal" else ""
    return _of_proof(found, pair) if found is not None else ""


def by_parts(pair: Binding, seconds: float) -> Shown | str:
    """As `rewright verify` does."""
    found = prove_pair(pair, pair.catalog, seconds).proved
    if found is None:
        return ""
    proof: Any = found.proof
    flaw = check_proof(proof, pair.original, pair.candidate, pair.catalog)
    return Shown(tuple(sorted(found.modulo)), tuple(found.assumptions), str(flaw or ""))


def _of_proof(proof: Proof, pair: Binding) -> Shown:
    flaw = check_proof(proof, pair.original, pair.candidate, pair.catalog)
    return Shown(tuple(sorted(proof.modulo)), tuple(map(str, proof.assumptions)), str(flaw or ""))


def by_forms(pair: Binding, seconds: float) -> Shown | str:
    """The forms of the recheck, each alone and some together, as a forger may name them: of what they show, that
    which leaves least open.
    """
    found: list[Shown] = []
    for names in dict.fromkeys(_named(pair)):
        try:
            seen = seen_as(pair, names, None, clock.now() + seconds)
        except (Refused, NotDerived, Busy, OutOfTime):
            continue
        found.append(
            Shown(tuple(sorted(seen.modulo)), tuple(map(str, sorted(seen.facts))), forms=", ".join(names))
        )
    return min(found, key=lambda s: len(s.modulo), default="")


def _named(pair: Binding) -> Iterator[tuple[str, ...]]:
    yield from ways(pair)
    yield from ((name,) for name in VIEWS)
    chance = random.Random(repr(pair.original))
    for _ in range(_MIXED):
        yield tuple(chance.sample(list(VIEWS), 2))


WAYS: Mapping[str, Way] = MappingProxyType({"kernel": by_kernel, "parts": by_parts, "forms": by_forms})
