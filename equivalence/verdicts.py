"""What the checker says about a pair of queries, and its stable JSON form.

Owns the five verdicts, the counterexample and the coverage record. Must not know how any of them is
found: no server, no SQL parsing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

CHECKER_VERSION = "48"

Scope = Literal["any", "these"]
LEVELS = ("proved", "tested", "judged")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a verdict depends on besides the pair: it is made again when any of these changes."""

    checker_version: str = CHECKER_VERSION
    catalog_digest: str = ""
    server_version: str = ""
    seconds: float = 0.0
    # statements of the schema that were left out, since neither query needs them
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A database on which the two queries differ, replayed on PostgreSQL.

    ``kind``: ``rows`` (different bags), ``order`` (same bag, an order the original rules out),
    ``error`` (one side fails), ``columns`` (different number of result columns). ``setup`` are the
    INSERTs (and what else is needed) in order; ``results`` what each side gave, rows as text.
    """

    kind: Literal["rows", "order", "error", "columns"]
    setup: tuple[str, ...]
    rows: int
    original: str
    candidate: str
    script: str = ""
    # settings of the session, and the collation of the database, that it takes to see the difference
    environment: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "setup": list(self.setup),
            "rows": self.rows,
            "original": self.original,
            "candidate": self.candidate,
            "script": self.script,
            "environment": dict(self.environment),
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a search without a hit has tried.

    ``covered`` and ``missed`` name features of the queries (``q1: left join unmatched``, …);
    ``unprobed`` those that could not be looked at.
    """

    databases: int
    rows: int
    nonempty: int
    covered: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unprobed: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    seed: int = 0
    # rows of the largest table
    largest: int = 0
    collations: tuple[str, ...] = ()
    time_zones: tuple[str, ...] = ()
    # values tried, by column
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # every database with at most so many rows in each table over these values was tried (PLAIN environment)
    bound: int = 0
    bound_values: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    @property
    def nonempty_share(self) -> float:
        """Share of databases on which at least one query returned a row that says something."""
        return self.nonempty / self.databases if self.databases else 0.0

    def to_json(self) -> dict[str, Any]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        lists = {name: list(value) for name, value in plain.items() if isinstance(value, tuple)}
        maps = {
            name: {key: list(value) for key, value in found.items()}
            for name, found in (("values", self.values), ("bound_values", self.bound_values))
        }
        return plain | lists | maps | {"nonempty_share": round(self.nonempty_share, 4)}

    def reach(self) -> str:
        """How far the search looked, in words."""
        texts = [f"{self.databases} databases of up to {self.largest} rows a table"]
        if self.bound:
            texts.append(f"all of up to {self.bound} rows a table over the values in bound_values")
        texts.append(f"collations {', '.join(self.collations)}")
        texts.append(f"time zones {', '.join(self.time_zones)}")
        return "; ".join(texts)


@dataclass(frozen=True, slots=True)
class Proved:
    """The same on every database that satisfies ``assumptions``, up to ``modulo``.

    ``steps`` are the proof as text; ``proof`` is the prover's own object for ``check_proof``.
    """

    method: str
    assumptions: tuple[str, ...] = ()
    scope: Scope = "these"
    modulo: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    proof: object = field(default=None, compare=False, repr=False)
    stamp: Stamp = Stamp()


@dataclass(frozen=True, slots=True)
class Tested:
    """No difference in ``coverage.databases`` generated databases."""

    # pytest takes a class of this name for a test
    __test__: ClassVar[bool] = False
    coverage: Coverage
    modulo: tuple[str, ...] = ()
    reason: str = ""
    method: str = "generated databases"
    stamp: Stamp = Stamp()


@dataclass(frozen=True, slots=True)
class Judged:
    """A model sees no difference, and none was found."""

    reason: str
    coverage: Coverage | None = None
    modulo: tuple[str, ...] = ()
    method: str = "model"
    stamp: Stamp = Stamp()


@dataclass(frozen=True, slots=True)
class Refuted:
    """They differ, here."""

    counterexample: Counterexample
    reason: str = ""
    method: str = "generated databases"
    stamp: Stamp = Stamp()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing can be said, because of ``reason``."""

    reason: str
    coverage: Coverage | None = None
    method: str = ""
    stamp: Stamp = Stamp()


Verdict = Proved | Tested | Judged | Refuted | Unknown


def level(verdict: Verdict) -> str:
    """The verdict's word."""
    return type(verdict).__name__.lower()


def counts_as(verdict: Verdict, accepted: frozenset[str]) -> str:
    """The word after reservations: a proof with one that is not accepted counts as tested.

    ``errors`` and ``overflow`` can never be accepted. Whoever accepts any choice among ties accepts one that
    the candidate's order states.
    """
    if isinstance(verdict, Proved) and set(verdict.modulo) - with_implied(accepted):
        return "tested"
    return level(verdict)


def with_implied(accepted: frozenset[str]) -> frozenset[str]:
    """The reservations that may be accepted, and those that they include (docs/decisions/0360). A replacement
    that looks at the rows first is as good as a proof where the original is run when it stops
    (docs/decisions/1813).
    """
    ties = {"refinement"} if "tie-order" in accepted else set()
    return (accepted | ties | {"gated"}) - {"errors", "overflow"}


def meets(verdict: Verdict, required: str, accepted: frozenset[str] = frozenset()) -> bool:
    """Whether the verdict is at least ``required`` (one of LEVELS)."""
    word = counts_as(verdict, accepted)
    return word in LEVELS and LEVELS.index(word) <= LEVELS.index(required)


def to_json(verdict: Verdict) -> dict[str, Any]:
    """The stable document: the same keys for every verdict, null or empty where they say nothing."""
    coverage = getattr(verdict, "coverage", None)
    counterexample = getattr(verdict, "counterexample", None)
    return {
        "verdict": level(verdict),
        "method": verdict.method,
        "assumptions": list(getattr(verdict, "assumptions", ())),
        "scope": getattr(verdict, "scope", None),
        "modulo": list(getattr(verdict, "modulo", ())),
        "steps": list(getattr(verdict, "steps", ())),
        "counterexample": counterexample.to_json() if counterexample else None,
        "coverage": coverage.to_json() if coverage else None,
        "reason": getattr(verdict, "reason", "") or "",
        "seconds": round(verdict.stamp.seconds, 4),
        "checker_version": verdict.stamp.checker_version,
        "catalog_digest": verdict.stamp.catalog_digest,
        "server_version": verdict.stamp.server_version,
        "omitted": list(verdict.stamp.omitted),
    }
