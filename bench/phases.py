"""Where the time of an optimisation goes, and where each candidate ends.

Owns ports that watch the ports they wrap: seconds a phase, and for each candidate its steps, cost, runs and
verdicts. Must not know benchmarks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import TRUST, Candidate, Deadline, Evidence, Explained, Timed
from rewright.rewrite.ports import (
    Checker,
    Database,
    Early,
    Ports,
    Proposer,
    Prover,
    ResultColumn,
    Scoped,
    Scoper,
    Unit,
)


@dataclass(slots=True)
class Fate:
    """A candidate's way: what it came by, what it cost to run, what the checker said of it."""

    steps: list[str]
    cost: float | None
    runs: list[float] = field(default_factory=list)
    stopped: bool = False
    checks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Log:
    """Seconds by phase (search includes its EXPLAINs), fates by the candidates' texts."""

    seconds: dict[str, float] = field(default_factory=dict)
    fates: dict[str, Fate] = field(default_factory=dict)
    # seconds of measured runs until a candidate was first verified
    runs_before: float | None = None
    # CPU seconds of this process: when the log was begun, and until a candidate was first verified
    began: float = field(default_factory=time.process_time)
    cpu_before: float | None = None

    def clear(self) -> None:
        self.seconds.clear()
        self.fates.clear()
        self.runs_before = self.cpu_before = None
        self.began = time.process_time()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def to_json(self) -> dict[str, Any]:
        fates = [
            {
                "steps": f.steps,
                "cost": f.cost,
                "runs": f.runs,
                "stopped": f.stopped,
                "checks": f.checks,
            }
            for f in self.fates.values()
        ]
        return {
            "seconds": {k: round(v, 3) for k, v in self.seconds.items()},
            "runs_before_first": self.runs_before or 0.0,
            "cpu_before_first": self.cpu_before,
            "candidates": fates,
        }


@dataclass(frozen=True, slots=True)
class WatchedDatabase:
    inner: Database
    log: Log

    def explain(self, sql: str) -> Explained:
        with self.log.phase("explain"):
            return self.inner.explain(sql)

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        with self.log.phase("explain"):
            return self.inner.explain_with_pages(sql, price)

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        with self.log.phase("describe"):
            return self.inner.describe(sql)

    def measure(self, sql: str, seconds: float) -> Timed:
        with self.log.phase("run"):
            timed = self.inner.measure(sql, seconds)
        if sql in self.log.fates:
            fate = self.log.fates[sql]
            fate.runs.append(round(timed.seconds if timed.cpu is None else timed.cpu, 4))
            fate.stopped |= timed.stopped
        return timed

    def schema_text(self, sql: str) -> str:
        return self.inner.schema_text(sql)


@dataclass(frozen=True, slots=True)
class WatchedChecker:
    inner: Checker
    log: Log

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        started = time.perf_counter()
        with self.log.phase("check"):
            evidence = self.inner.check(original, candidate, seconds)
        if self.log.runs_before is None and evidence.level in TRUST:
            self.log.runs_before = self.log.seconds.get("run", 0.0)
            self.log.cpu_before = round(time.process_time() - self.log.began, 3)
        said = {
            "verdict": evidence.level,
            "modulo": list(evidence.modulo),
            "reason": evidence.reason[:200],
            "seconds": round(time.perf_counter() - started, 3),
            "allowed": round(seconds, 3),
        }
        if candidate in self.log.fates:
            self.log.fates[candidate].checks.append(said)
        return evidence


@dataclass(frozen=True, slots=True)
class WatchedProver:
    inner: Prover
    log: Log

    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        with self.log.phase("check"):
            return self.inner.prove(original, candidate, seconds)

    def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
        with self.log.phase("check"):
            return self.inner.least(original, candidate, proof, seconds)

    def refute(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        with self.log.phase("check"):
            return self.inner.refute(original, candidate, seconds)


@dataclass(frozen=True, slots=True)
class WatchedProposer:
    inner: Proposer
    log: Log

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        with self.log.phase("search"):
            found = self.inner.propose(sql, database, deadline, advice, self._watched(early))
        for one in found:
            self.log.fates.setdefault(one.sql, Fate([s.name for s in one.steps], one.cost))
        return found

    def _watched(self, early: Early | None) -> Early | None:
        """What is looked at during the search is no search."""
        if early is None:
            return None

        def look(found: Sequence[Candidate]) -> None:
            started = time.perf_counter()
            early(found)
            self.log.seconds["search"] = self.log.seconds.get("search", 0.0) - time.perf_counter() + started

        return look


@dataclass(frozen=True, slots=True)
class WatchedScoper:
    inner: Scoper
    log: Log

    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped:
        with self.log.phase("scope"):
            return self.inner.scope(original, candidate, deadline)


def watched(rewriter: Rewriter) -> tuple[Rewriter, Log]:
    """The same rewriter, and a log that fills while it works; clear it before each query."""
    log, ports = Log(), rewriter.ports
    seen: Ports = replace(
        ports,
        database=WatchedDatabase(ports.database, log),
        checker=WatchedChecker(ports.checker, log),
        prover=WatchedProver(ports.prover, log),
        proposer=WatchedProposer(ports.proposer, log),
        scoper=WatchedScoper(ports.scoper, log),
    )
    return Rewriter(seen), log
