"""Proofs written as certificates, for `rewright.equivalence.recheck` to check without the search.

Owns what a certificate states of a proof, and finding for each stage the schema facts that its re-derivation
needs. A proof of which a stage cannot be re-derived gets a certificate that names the stage. Must not know
servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.engines import clock
from rewright.equivalence.certified import Late, NotDerived, part_of, ways
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.prepare import scope_of
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import Binding, bind_both, catalog_of
from rewright.equivalence.recheck.deriving import Pair
from rewright.equivalence.recheck.document import FORMAT, VERSION, sealed
from rewright.equivalence.recheck.judging import OutOfTime
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.views.stating import facts_of_schema
from rewright.equivalence.recheck.views.table import seen
from rewright.equivalence.records import Assumption, Proof
from rewright.equivalence.solving import Busy
from rewright.equivalence.verdicts import CHECKER_VERSION, Proved
from rewright.sql.catalog import Catalog
from rewright.sql.types import SqlType

_SECONDS = 30.0
# how long one form may be looked at first, in seconds, a quarter of it for finding a proof; and how much
# longer each time that it is looked at again
_FIRST = 2.4
_LONGER = 4.0


@dataclass(frozen=True, slots=True)
class Texts:
    """The pair as text, and how it is read: what a certificate is about."""

    schema: str
    original: str
    candidate: str
    search_path: tuple[str, ...] = ("public",)
    parameters: tuple[SqlType, ...] = ()


class NoCertificate(Exception):
    """The proof does not hold over the schema as text."""


def certify(proved: Proved, texts: Texts, catalog_digest: str, seconds: float = _SECONDS) -> dict[str, Any]:
    """The certificate of a proof over the schema as text; where that is not all that the proof was about, of
    a proof found anew.

    Raises NoCertificate.
    """
    catalog, problem = catalog_of(texts.schema)
    binding = bind_both(texts.original, texts.candidate, catalog, texts.search_path, texts.parameters)
    if catalog is None or not isinstance(binding, Binding):
        raise NoCertificate(problem or str(binding))
    if catalog.digest() != catalog_digest:
        again = prove_pair(binding, catalog, seconds / 2)
        if again.proved is None:
            raise NoCertificate(f"over the schema as text there is {again.reason}")
        proved = again.proved
    return certificate(proved, texts, binding, seconds)


def certificate(proved: Proved, texts: Texts, binding: Binding, seconds: float = _SECONDS) -> dict[str, Any]:
    """The certificate of a proof of the pair, as a JSON object. A proof by parts or in one direction is
    replaced by one in a form of the pair that the recheck makes itself, where there is one that leaves no
    more open; else the certificate names what it would take to check it.
    """
    catalog, deadline = binding.catalog, clock.now() + seconds
    proof = proved.proof if isinstance(proved.proof, Proof) else None
    if proof is not None and proof.method == "same-tree":
        return _sealed(texts, catalog, "any", (), (), {"method": "same tree"})
    uses = proved.method
    found: Seen | None = None
    if proof is None:
        found = next((f for f in _searched(binding, deadline) if f.modulo <= set(proved.modulo)), None)
    else:
        try:
            found = seen_as(binding, (), proof, deadline)
        except (Busy, OutOfTime):
            uses = "more time"
        except (Refused, NotDerived) as stage:
            uses = str(stage)
    if found is None:
        return _sealed(texts, catalog, proved.scope, proved.modulo, (), _by_others(uses))
    scope = scope_of(binding.original, binding.candidate)
    return _sealed(texts, catalog, scope, found.modulo, sorted(found.facts), found.document)


@dataclass(frozen=True, slots=True)
class Seen:
    """What is stated of a pair in some forms: the proof, and what that leaves open and rests on."""

    document: dict[str, Any]
    modulo: frozenset[str]
    facts: frozenset[Assumption]


def _searched(binding: Binding, deadline: float) -> Iterator[Seen]:
    """What proofs of the pair in its forms come to.

    All forms are looked at for a short time, then those for which it was too short for a longer one, and
    with positions (`rewright.equivalence.prover.prove`) for a quarter of it: what is proved quickly in one
    form does not wait for what takes long in another.
    """
    forms, memory = list(ways(binding)), Memory()
    late = dict.fromkeys((False, True), forms)
    seconds = _FIRST
    while any(late.values()) and clock.now() < deadline:
        for positions, share in ((False, 1.0), (True, 0.25)):
            looks, late[positions] = late[positions], []
            for names in looks:
                alone = len(looks) == 1 and not late[not positions]
                until = deadline if alone else min(clock.now() + seconds * share, deadline)
                try:
                    found = seen_as(binding, names, None, until, positions=positions, memory=memory)
                except (Busy, OutOfTime, Late):
                    late[positions] += [names] if until < deadline else []
                except (Refused, NotDerived):
                    continue
                else:
                    yield found
        seconds *= _LONGER


def seen_as(
    binding: Binding,
    names: Sequence[str],
    proof: Proof | None,
    deadline: float,
    *,
    positions: bool | None = None,
    memory: Memory | None = None,
) -> Seen:
    """What a proof of the pair in these forms comes to; ``proof``: where that is known, of the pair as it is;
    ``positions``, ``memory``: as `rewright.equivalence.prover.prove` has them where one is looked for.
    Raises NotDerived and Refused where there is none; Busy, OutOfTime and Late where there may be one with
    more time.
    """
    view = seen(binding.original, binding.candidate, binding.catalog, names)
    modulo, facts, parts = set(view.modulo), set(view.facts), []
    for number, (first, second) in enumerate(view.pairs):
        pair = Pair(first, second, view.catalog, deadline)
        left = (deadline - clock.now()) / (1 + len(view.pairs) - number)
        part = part_of(pair, proof, left, positions=positions, memory=memory)
        parts.append(part.document)
        modulo |= part.modulo
        facts |= part.facts
    document = {"method": "parts", "views": list(names), "parts": parts}
    return Seen(document, frozenset(modulo), facts_of_schema(facts, binding.catalog))


def _by_others(uses: str) -> dict[str, Any]:
    return {"method": "by other proofs", "uses": uses}


def _sealed(
    texts: Texts,
    catalog: Catalog,
    scope: str,
    modulo: Iterable[str],
    facts: Iterable[Assumption],
    proof: dict[str, Any],
) -> dict[str, Any]:
    return sealed(
        {
            "format": FORMAT,
            "version": VERSION,
            "checker_version": CHECKER_VERSION,
            "schema": texts.schema,
            "search_path": list(texts.search_path),
            "catalog_digest": catalog.digest(),
            "original": texts.original,
            "candidate": texts.candidate,
            "parameters": [
                {"name": t.name, "schema": t.schema, "modifier": t.typmod, "collation": t.collation}
                for t in texts.parameters
            ],
            "verdict": "proved",
            "scope": scope,
            "modulo": sorted(modulo),
            "assumptions": [f.to_json() for f in facts],
            "proof": proof,
        }
    )
