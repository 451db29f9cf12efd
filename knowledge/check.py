"""Running units: both SQLs on the generated data, the checker's verdict, the measured gain.

Owns `rewright knowledge check`. A unit whose pair is not equivalent is refused; one whose gain is not seen
says so.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, Session, SessionError
from rewright.equivalence.api import Checker, Options
from rewright.equivalence.verdicts import Proved, Refuted, Tested, Verdict
from rewright.knowledge.features import plan_features
from rewright.knowledge.units import Evidence, Unit, schema_sql

# 10 % saved is a gain (QUITE §7.1)
GAIN = 1 / 0.9
LOSS = 0.9
# short queries run more often, till both sides together have used this much CPU time
ENOUGH_SECONDS = 0.5
MOST_REPEATS = 60
SEED = 0.42
# no workers: their start-up time would hide what a rewrite changes
SETTINGS: Mapping[str, str] = {"max_parallel_workers_per_gather": "0", "shared_buffers": "256MB"}


@dataclass(frozen=True, slots=True)
class Checked:
    """What running one unit showed. ``problem`` is empty for a unit that stands."""

    unit: Unit
    verdict: str
    problem: str = ""
    evidence: Evidence | None = None

    @property
    def gains(self) -> bool:
        return self.evidence is not None and self.evidence.gain >= GAIN


class Bench:
    """A scratch server with the schemas' generated data, made on first use. A context manager."""

    def __init__(
        self, *, seed: float = SEED, repeats: int = 3, limit: float = 20.0, seconds: float = 10.0
    ) -> None:
        self._seed = seed
        self._repeats = repeats
        self._limit = limit
        self._options = Options(seconds=seconds)
        self._stack = ExitStack()
        self._sessions: dict[tuple[Path, str], Session] = {}
        self._checkers: dict[tuple[Path, str], Checker] = {}

    def __enter__(self) -> Self:
        self._server = self._stack.enter_context(ScratchServer(SETTINGS))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def check(self, unit: Unit, *, measure: bool = True) -> Checked:
        """Judge the pair, then (``measure``) run both on the schema's data and compare answers and times."""
        verdict = self._checker(unit).check(unit.before, unit.after)
        level = level_of(verdict)
        if isinstance(verdict, Refuted):
            return Checked(unit, level, f"refuted: {verdict.counterexample.script or verdict.reason}")
        if not isinstance(verdict, Proved | Tested):
            return Checked(unit, level, f"neither proved nor tested: {getattr(verdict, 'reason', '')}")
        if not measure:
            return Checked(unit, level)
        try:
            return self._measure(unit, level)
        except SessionError as error:
            return Checked(unit, level, f"does not run: {error}")

    def _measure(self, unit: Unit, level: str) -> Checked:
        session = self._session(unit)
        before: list[float] = []
        after: list[float] = []
        # once before the clock runs: pages and catalogs are read
        session.run(unit.after, stop_after=self._limit)
        for turn in range(MOST_REPEATS):
            if turn >= self._repeats and sum(before) + sum(after) >= ENOUGH_SECONDS:
                break
            first = session.run(unit.before, stop_after=self._limit)
            second = session.run(unit.after, stop_after=self._limit)
            if not second.finished:
                return Checked(unit, level, "the answer's SQL ran into the time limit")
            # of an original that was stopped the rows are not known
            if first.finished and first.digest != second.digest:
                return Checked(unit, level, "the two give different rows on the generated data")
            # the backend's own time: neither the client's reading of rows nor other work of the machine
            before.append(first.cpu or first.duration)
            after.append(second.cpu or second.duration)
            # stopped, it took at least the limit: once is enough
            if not first.finished:
                break
        old, new = statistics.median(before), statistics.median(after)
        evidence = Evidence(level, round(old / new, 2), self._seed, old, new, self.plan_of(unit))
        return Checked(unit, level, "", evidence)

    def plan_of(self, unit: Unit) -> tuple[str, ...]:
        """Operators of the question's plan on the schema's data, as tokens. Raises SessionError."""
        plan = self._session(unit).explain_document(unit.before)
        return tuple(plan_features(plan[0]["Plan"]))

    def _checker(self, unit: Unit) -> Checker:
        key = unit.schemas, unit.schema
        if key not in self._checkers:
            ddl, _ = schema_sql(unit.schema, unit.schemas)
            checker = Checker(scratch=self._server, schema_sql=ddl, options=self._options)
            self._checkers[key] = self._stack.enter_context(checker)
        return self._checkers[key]

    def _session(self, unit: Unit) -> Session:
        key = unit.schemas, unit.schema
        if key not in self._sessions:
            # a unit may come from anywhere: its SQL runs with no rights but those over its own database
            dsn = self._server.unprivileged_dsn(self._server.create_database())
            ddl, data = schema_sql(unit.schema, unit.schemas)
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute("select setseed(%s)", [self._seed])
                connection.execute(ddl.encode())
                connection.execute(data.encode())
                connection.execute("vacuum analyze")
            session = Session(dsn, limits=Limits(statement=4 * self._limit))
            self._sessions[key] = self._stack.enter_context(session)
        return self._sessions[key]


def document_of(done: Checked) -> dict[str, Any]:
    """One unit's line of `rewright knowledge check --json`."""
    return {
        "unit": done.unit.id,
        "category": done.unit.category,
        "verdict": done.verdict,
        "gain": done.evidence.gain if done.evidence else None,
        "problem": done.problem,
    }


def summary_of(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts by verdict and category, with gains."""

    def counts(some: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        gains = [d["gain"] for d in some if d["gain"] is not None]
        return {
            "units": len(some),
            "refused": sum(bool(d["problem"]) for d in some),
            "proved": sum(d["verdict"] == "proved" for d in some),
            "tested": sum(d["verdict"] == "tested" for d in some),
            "gaining": sum(gain >= GAIN for gain in gains),
            "losing": sum(gain < LOSS for gain in gains),
            "median_gain": round(statistics.median(gains), 2) if gains else None,
        }

    categories = sorted({d["category"] for d in documents})
    return counts(documents) | {
        "categories": {name: counts([d for d in documents if d["category"] == name]) for name in categories}
    }


def lines_of(summary: Mapping[str, Any]) -> Iterator[str]:
    """A summary for people."""
    yield f"{'category':14} units proved tested refused gain>=10% median"
    for name, row in (*summary["categories"].items(), ("all", summary)):
        median = "" if row["median_gain"] is None else f"x{row['median_gain']}"
        yield (
            f"{name:14} {row['units']:5} {row['proved']:6} {row['tested']:6} {row['refused']:7}"
            f" {row['gaining']:9} {median:>6}"
        )
    for names in summary.get("same_pattern", ()):
        yield f"one pattern: {', '.join(names)}"


def level_of(verdict: Verdict) -> str:
    """The verdict's one word."""
    return type(verdict).__name__.lower()


def check_all(units: Iterable[Unit], *, measure: bool = True, seconds: float = 10.0) -> Iterator[Checked]:
    """Check units one after the other on one server, by schema."""
    with Bench(seconds=seconds) as bench:
        for unit in sorted(units, key=lambda u: (u.schemas, u.schema, u.id)):
            yield bench.check(unit, measure=measure)


def with_evidence(text: str, evidence: Evidence) -> str:
    """A unit file's text with its [evidence] table replaced."""
    head = text.split("\n[evidence]", maxsplit=1)[0].rstrip()
    return (
        f'{head}\n\n[evidence]\nverdict = "{evidence.verdict}"\ngain = {evidence.gain}\nseed = '
        f"{evidence.seed}\n"
        f"seconds_before = {evidence.seconds_before:.4f}\nseconds_after = {evidence.seconds_after:.4f}\n"
        f"plan = {json.dumps(list(evidence.plan))}\n"
    )
