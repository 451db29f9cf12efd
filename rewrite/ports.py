"""What the rewriter needs from outside, as small protocols that the composition root implements.

Must not know who fills them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rewright.models.api import Model, NoModel
from rewright.rewrite.agents.guard import Guard, NamesGuard
from rewright.rewrite.model import Candidate, Category, Deadline, Evidence, Explained, Figure, Scope, Timed
from rewright.rewrite.rules.base import Rule

# connection exceptions, rollbacks, locks not to be had, an operator's intervention (PostgreSQL manual,
# appendix A)
_PASSING = ("08", "40", "55P03", "57")


class DatabaseError(Exception):
    """The server refused, with its SQLSTATE and message."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(f"{sqlstate}: {message}")
        self.sqlstate = sqlstate
        self.message = message

    @property
    def passing(self) -> bool:
        """Whether it says nothing about the text: the connection, a lock, a cancellation, a shutdown."""
        return self.sqlstate.startswith(_PASSING)


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column as Describe gives it."""

    name: str
    type_oid: int
    typmod: int = -1
    type_name: str = ""


class Database(Protocol):
    """The database whose query is being optimised; read-only, with timeouts. Every call may raise
    `DatabaseError`.
    """

    def explain(self, sql: str) -> Explained: ...

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        """As ``explain``, where reading a page costs ``price`` times what it usually does."""
        ...

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        """The result's columns by Parse and Describe; nothing is run."""
        ...

    def measure(self, sql: str, seconds: float) -> Timed:
        """Run it, read all rows, throw them away; stopped after ``seconds``. Times without what other work on
        the server's machine has cost, as far as that is known.
        """
        ...

    def schema_text(self, sql: str) -> str:
        """DDL of the tables that ``sql`` reads: columns, types, keys, indexes."""
        ...


class Inspector(Protocol):
    """What a DBA would look at before rewriting; for prompts. May raise `DatabaseError`."""

    def figures(self, sql: str) -> Sequence[Figure]:
        """Sizes of the tables, statistics of the columns that it names."""
        ...

    def executed(self, sql: str, seconds: float) -> Explained | None:
        """EXPLAIN ANALYZE; None where it does not end within ``seconds``."""
        ...


class NoInspector:
    def figures(self, sql: str) -> Sequence[Figure]:
        del sql
        return ()

    def executed(self, sql: str, seconds: float) -> Explained | None:
        del sql, seconds
        return None


class Derives(Protocol):
    """Remembers by which steps a candidate was reached, for its proof."""

    def remember(self, candidate: str, via: tuple[str, ...]) -> None:
        """``via``: the texts between the original and the candidate, in order."""
        ...

    def via(self, candidate: str) -> tuple[str, ...]: ...


class NoDerivations:
    def remember(self, candidate: str, via: tuple[str, ...]) -> None:
        del candidate, via

    def via(self, candidate: str) -> tuple[str, ...]:
        del candidate
        return ()


class Gating(Protocol):
    """Proofs that hold for the rows that are there."""

    def gate(self, original: str, candidate: str, seconds: float) -> tuple[str, Evidence] | None:
        """The candidate as a text that looks at these rows first, and the proof; None where there is none."""
        ...


class NoGates:
    def gate(self, original: str, candidate: str, seconds: float) -> tuple[str, Evidence] | None:
        del original, candidate, seconds
        return None


class Checker(Protocol):
    """The one judge of sameness."""

    def check(self, original: str, candidate: str, seconds: float) -> Evidence: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of rewrite knowledge. ``rule`` applies its pattern; ``prefer`` names rules to try first;
    ``before`` and ``after`` are its pair of queries.
    """

    title: str
    text: str
    category: Category = "others"
    id: str = ""
    rule: Rule | None = None
    prefer: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


Early = Callable[[Sequence[Candidate]], None]
"""Looks at candidates while others are still searched for."""


class Proposer(Protocol):
    """The deterministic strategy: candidates reachable from ``sql`` by rules, best first, costs from
    ``database``.

    ``advice`` is what knowledge suggests: rules and categories to try first, patterns to apply as well.
    ``early`` is told the most promising ones that one step leads to, before the search goes on.
    """

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]: ...


class Knowledge(Protocol):
    def search(self, sql: str, k: int, plan: Mapping[str, Any] | None = None) -> Sequence[Unit]:
        """At most ``k`` units, best first; ``plan`` is the query's, as EXPLAIN (FORMAT JSON) gives it."""
        ...


@dataclass(frozen=True, slots=True)
class Scoped:
    """For which literals a pair holds. For ``any``: both texts with placeholders,
    and the literals taken out.
    """

    scope: Scope
    template: str = ""
    replacement: str = ""
    literals: tuple[str, ...] = ()
    evidence: Evidence | None = None
    reason: str = ""


class Scoper(Protocol):
    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped: ...


class Hinter(Protocol):
    def recommend(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        """A document with at least ``hints`` (the comment's text), or None."""
        ...


class Eligible(Protocol):
    def __call__(self, sql: str) -> str | None:
        """Why ``sql`` may not be replaced, or None."""
        ...


class Journal(Protocol):
    def record(self, event: Mapping[str, Any]) -> None:
        """Keep one step of a run; must not raise."""
        ...


class NoProposer:
    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        del sql, database, deadline, advice, early
        return ()


class NoKnowledge:
    def search(self, sql: str, k: int, plan: Mapping[str, Any] | None = None) -> Sequence[Unit]:
        del sql, k, plan
        return ()


class TheseLiterals:
    """Claims nothing beyond the very literals that were checked."""

    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped:
        del original, candidate, deadline
        return Scoped("these")


class NoHints:
    def recommend(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        del sql, deadline
        return None


class NoJournal:
    def record(self, event: Mapping[str, Any]) -> None:
        del event


class Prover(Protocol):
    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        """A quick proof, if there is one. It is no verdict, but a reason to check this candidate first.
        ``seconds``: for each step by which the candidate was reached.
        """
        ...

    def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
        """``proof``, or another one that leaves less open, if it is found within ``seconds``."""
        ...

    def refute(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        """A counterexample to a pair that is proved, if a short search by other means finds one."""
        ...


class NoProver:
    """Knows nothing in advance."""

    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        del original, candidate, seconds
        return None

    def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
        del original, candidate, seconds
        return proof

    def refute(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        del original, candidate, seconds
        return None


def anything(sql: str) -> str | None:
    """Leaves eligibility to the checker."""
    del sql
    return None


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything an optimisation may use."""

    database: Database
    checker: Checker
    proposer: Proposer = field(default_factory=NoProposer)
    model: Model = field(default_factory=NoModel)
    knowledge: Knowledge = field(default_factory=NoKnowledge)
    scoper: Scoper = field(default_factory=TheseLiterals)
    hinter: Hinter = field(default_factory=NoHints)
    eligible: Eligible = anything
    prover: Prover = field(default_factory=NoProver)
    inspector: Inspector = field(default_factory=NoInspector)
    derivations: Derives = field(default_factory=NoDerivations)
    journal: Journal = field(default_factory=NoJournal)
    guard: Guard = field(default_factory=NamesGuard)
    gates: Gating = field(default_factory=NoGates)
