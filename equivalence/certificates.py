"""Proofs written as certificates, for `rewright.equivalence.recheck` to check without the search.

Owns what a certificate states of a proof, and finding for each stage the schema facts that its re-derivation
needs. A proof of which a stage cannot be re-derived gets a certificate that names the stage. Must not know
servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.engines import clock
from rewright.equivalence.certified import NotDerived, part_of, ways
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.prepare import scope_of
from rewright.equivalence.proving import Binding, bind_both, catalog_of
from rewright.equivalence.recheck.deriving import Pair
from rewright.equivalence.recheck.document import FORMAT, VERSION, sealed
from rewright.equivalence.recheck.judging import OutOfTime
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.views.table import seen
from rewright.equivalence.records import Assumption, Proof
from rewright.equivalence.solving import Busy
from rewright.equivalence.verdicts import CHECKER_VERSION, Proved
from rewright.sql.catalog import Catalog
from rewright.sql.types import SqlType

_SECONDS = 30.0


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
    uses = "" if proof is not None else proved.method
    scope = scope_of(binding.original, binding.candidate)
    for names in [()] if proof is not None else ways(binding):
        try:
            body = seen_as(binding, names, proof, deadline)
        except (Refused, NotDerived) as stage:
            uses = uses or str(stage)
        except (Busy, OutOfTime):
            uses = uses or "more time"
            break
        else:
            if proof is not None or body.modulo <= set(proved.modulo):
                return _sealed(texts, catalog, scope, body.modulo, sorted(body.facts), body.document)
    return _sealed(texts, catalog, proved.scope, proved.modulo, (), _by_others(uses))


@dataclass(frozen=True, slots=True)
class Seen:
    """What is stated of a pair in some forms: the proof, and what that leaves open and rests on."""

    document: dict[str, Any]
    modulo: frozenset[str]
    facts: frozenset[Assumption]


def seen_as(binding: Binding, names: Sequence[str], proof: Proof | None, deadline: float) -> Seen:
    """What a proof of the pair in these forms comes to; ``proof``: where that is known, of the pair as it is.
    Raises NotDerived and Refused where there is none, Busy and OutOfTime.
    """
    view = seen(binding.original, binding.candidate, binding.catalog, names)
    modulo, facts, parts = set(view.modulo), set(view.facts), []
    for number, (first, second) in enumerate(view.pairs):
        pair = Pair(first, second, view.catalog, deadline)
        left = (deadline - clock.now()) / (1 + len(view.pairs) - number)
        part = part_of(pair, proof, left)
        parts.append(part.document)
        modulo |= part.modulo
        facts |= part.facts
    document = {"method": "parts", "views": list(names), "parts": parts}
    return Seen(document, frozenset(modulo), frozenset(facts))


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
