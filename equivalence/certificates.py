"""Proofs written as certificates, for `rewright.equivalence.recheck` to check without the search.

Owns what a certificate states of a proof, and finding for each stage the schema facts that its re-derivation
needs. A proof of which a stage cannot be re-derived gets a certificate that names the stage. Must not know
servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rewright.engines import clock
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.replay import Stages, stages
from rewright.equivalence.prover.terms import Bag
from rewright.equivalence.proving import Binding, bind_both, catalog_of, prove_both
from rewright.equivalence.recheck import deriving
from rewright.equivalence.recheck.deriving import Facts, Pair
from rewright.equivalence.recheck.document import FORMAT, VERSION, sealed
from rewright.equivalence.recheck.judging import OutOfTime
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.recheck.writing import written
from rewright.equivalence.records import Assumption, Proof
from rewright.equivalence.solving import Busy, solver_alone
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


class _NotDerived(Exception):
    """A stage that the recheck cannot derive."""


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
    replaced by one of the whole where there is one that leaves no more open; else the certificate names what
    it would take to check it.
    """
    deadline = clock.now() + seconds
    catalog = binding.catalog
    proof = _as_whole(proved, binding, seconds / 2)
    if proof is None:
        return _sealed(texts, catalog, proved.scope, proved.modulo, (), _by_others(proved.method))
    if proof.method == "same-tree":
        return _sealed(texts, catalog, "any", (), (), {"method": "same tree"})
    pair = Pair(binding.original, binding.candidate, catalog, deadline)
    uses = "more time"
    try:
        with solver_alone(seconds), numbering():
            found = stages(proof, binding.original, binding.candidate, catalog, deadline)
            if found is not None:
                body = _Writer(pair, proof, found).body()
                facts = {*body.reading, *body.pairing, *(f for stage in body.steps for f in stage)}
                return _sealed(texts, catalog, proof.scope, body.modulo, sorted(facts), body.document)
    except _NotDerived as stage:
        uses = str(stage)
    except (Busy, OutOfTime):
        pass
    return _sealed(texts, catalog, proved.scope, proved.modulo, (), _by_others(uses))


def _as_whole(proved: Proved, binding: Binding, seconds: float) -> Proof | None:
    if isinstance(proved.proof, Proof):
        return proved.proof
    whole = prove_both(binding, binding.catalog, seconds).proved
    if whole is None or not isinstance(whole.proof, Proof) or not set(whole.modulo) <= set(proved.modulo):
        return None
    return whole.proof


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


@dataclass(frozen=True, slots=True)
class _Body:
    document: dict[str, Any]
    modulo: frozenset[str]
    reading: Facts
    steps: tuple[Facts, ...]
    pairing: Facts


class _Writer:
    """Writes what a proof of two forms comes to."""

    def __init__(self, pair: Pair, proof: Proof, found: Stages) -> None:
        self.pair, self.proof, self.found = pair, proof, found

    def body(self) -> _Body:
        """Raises _NotDerived with the name of the stage."""
        pool, pair = self.proof.assumptions, self.pair
        reading = deriving.read(pair, pool)
        if reading.forms != [written(f) for f in self.found.readings]:
            raise _NotDerived("other readings")
        last, steps = self._steps(reading)
        ends = deriving.ends(pair, reading, last, pool)
        if ends is None:
            raise _NotDerived("the order of rows")
        read = deriving.needed(pool, lambda fewer: deriving.reads_alike(pair, reading, last, ends, fewer))
        pairing = self.proof.matching.blocks

        def matched(fewer: Facts) -> bool:
            return deriving.matched(pair, ends.forms, pairing, fewer)

        paired = _needed(pool, matched, "the comparison of the last forms")
        document = {
            "method": "forms",
            "readings": reading.forms,
            "reading_facts": [f.to_json() for f in read],
            "steps": [
                {
                    "side": s.step.side,
                    "law": s.step.rule,
                    "path": list(s.step.path),
                    "bindings": list(s.step.at),
                    "facts": [f.to_json() for f in facts],
                    "gives": written(s.form),
                }
                for s, facts in zip(self.found.steps, steps, strict=True)
            ],
            "pairing": [{"block": j, "rows": list(rows)} for j, rows in pairing],
            "pairing_facts": [f.to_json() for f in paired],
        }
        return _Body(document, ends.modulo, read, tuple(steps), paired)

    def _steps(self, reading: deriving.Reading) -> tuple[tuple[Bag, Bag], list[Facts]]:
        forms = [p.bag for p in reading.prepared]
        facts: list[Facts] = []
        for s in self.found.steps:
            form, gives = forms[s.step.side - 1], written(s.form)

            def derived(fewer: Facts, form: Bag = form, gives: Any = gives, s: Any = s) -> bool:
                return (
                    deriving.step(self.pair, form, s.step.rule, s.step.path, s.step.at, gives, fewer)
                    is not None
                )

            if s.step.rule not in LAWS:
                raise _NotDerived(s.step.rule)
            facts.append(_needed(self.proof.assumptions, derived, s.step.rule))
            forms[s.step.side - 1] = s.form
        return (forms[0], forms[1]), facts


def _needed(pool: Facts, stands: Callable[[Facts], bool], stage: str) -> Facts:
    """The facts of the pool that it takes. Raises _NotDerived where even all do not do."""
    if not stands(pool):
        raise _NotDerived(stage)
    return deriving.needed(pool, stands)
