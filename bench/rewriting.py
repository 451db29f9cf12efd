"""The rewriter measured on a set of queries: original against what it would serve, side by side.

Owns the interleaved runs (backend CPU from schedstat, stopped at a cap of CPU seconds), the comparison of
answers and the summary. Must not know which benchmark's queries it runs. The database must be local.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg

from bench.bars import bar, say
from bench.phases import Log, watched
from rewright.engines.postgres.scratch import ScratchServer
from rewright.rewrite.adapters.live import Extras, connected
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.model import Level, Settings

SLOWER_RATIO, SLOWER_SECONDS = 1.10, 0.020


@dataclass(frozen=True, slots=True)
class Query:
    id: str
    sql: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure. ``cap``: CPU seconds; ``runs``: interleaved runs a side; ``budget``: seconds of one
    optimisation.
    """

    cap: float = 40.0
    runs: int = 5
    budget: float = 45.0
    trust: Level = "tested"
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Run:
    cpu: float
    wall: float
    digest: str | None
    error: str = ""


@dataclass(slots=True)
class Result:
    """One query. Times are medians of CPU seconds; ``cpu_after`` is the original's
    where nothing is served. ``stopped``: no run of the original came to its end.
    """

    id: str
    cpu_before: float
    cpu_after: float
    wall_before: float
    wall_after: float
    verdict: str | None = None
    counts_as: str | None = None
    same_answer: bool | None = None
    slower: bool = False
    stopped: bool = False
    reason: str = ""
    steps: list[str] = field(default_factory=list)
    category: str = ""
    modulo: list[str] = field(default_factory=list)
    rewritten: str | None = None
    search_seconds: float = 0.0
    first_verified_seconds: float | None = None
    raw: dict[str, list[float]] = field(default_factory=dict)
    ends: dict[str, Any] = field(default_factory=dict)


def read_queries(path: Path, ids: Sequence[str] = ()) -> list[Query]:
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    found = [Query(str(r["id"]), str(r["sql"]).strip().rstrip(";")) for r in rows]
    return [q for q in found if not ids or q.id in ids or q.id.rpartition("/")[2] in ids]


def backend_cpu(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def timed(dsn: str, sql: str, plan: Plan) -> Run:
    """One run in a session of its own, cancelled when its backend has used ``cap`` CPU seconds."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for name, value in plan.settings:
            connection.execute("select set_config(%s, %s, false)", [name, value])
        pid, done = connection.info.backend_pid, threading.Event()

        def watch() -> None:
            start = backend_cpu(pid)
            while not done.wait(0.05):
                if backend_cpu(pid) - start > plan.cap:
                    connection.cancel()
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        before, began = backend_cpu(pid), time.perf_counter()
        watcher.start()
        digest, error = None, ""
        try:
            rows = connection.execute(sql).fetchall()
            digest = digest_of(rows)
        except psycopg.Error as problem:
            error = str(problem).strip().splitlines()[0]
        cpu, wall = backend_cpu(pid) - before, time.perf_counter() - began
        done.set()
        watcher.join()
    return Run(cpu, wall, digest, error)


def digest_of(rows: list[tuple[Any, ...]]) -> str:
    """The bag of rows: values as text, order aside."""
    lines = sorted(repr(r) for r in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(slots=True)
class Baseline:
    """First runs of the originals. Those stopped at the cap are kept in ``file`` for the next benchmark on
    the same data: there is nothing more to learn of them.
    """

    file: Path | None = None

    def run(self, dsn: str, sql: str, plan: Plan) -> Run:
        key = hashlib.sha256(repr((sql, plan.cap, plan.settings)).encode()).hexdigest()[:16]
        kept = json.loads(self.file.read_text()) if self.file is not None and self.file.exists() else {}
        if key in kept:
            return Run(**kept[key])
        made = timed(dsn, sql, plan)
        if self.file is not None and made.digest is None:
            self.file.write_text(json.dumps({**kept, key: asdict(made)}, indent=1))
        return made


def compare(
    dsn: str, original: str, candidate: str | None, plan: Plan, first: Run | None = None
) -> tuple[list[Run], list[Run]]:
    """Interleaved runs; an original that reaches the cap is run once. ``first``: the original's first run."""
    before = [first or timed(dsn, original, plan)]
    after = [timed(dsn, candidate, plan)] if candidate else []
    rounds = 1 if before[0].digest is None else plan.runs
    for _ in range(plan.runs - 1):
        if len(before) < rounds:
            before.append(timed(dsn, original, plan))
        if candidate:
            after.append(timed(dsn, candidate, plan))
    return before, after


def measure(rewriter: Rewriter, log: Log, dsn: str, query: Query, plan: Plan, baseline: Baseline) -> Result:
    """The original is run first, as a proxy would have seen it; then it is optimised, and both are run in
    turn.
    """
    settings = Settings(
        trust=plan.trust,
        measure="both",
        budget=plan.budget,
        run_timeout=min(plan.cap, plan.budget / 4),
    )
    first = baseline.run(dsn, query.sql, plan)
    log.clear()
    outcome = rewriter.optimise(query.sql, observed_seconds=first.wall, settings=settings)
    text = outcome.best.checked.candidate.sql if outcome.best and outcome.servable else None
    before, after = compare(dsn, query.sql, text, plan, first)
    return replace(_result(query, outcome, text, before, after), ends=log.to_json())


def _result(query: Query, outcome: Outcome, text: str | None, before: list[Run], after: list[Run]) -> Result:
    b, wb = (statistics.median(getattr(r, k) for r in before) for k in ("cpu", "wall"))
    a, wa = (statistics.median(getattr(r, k) for r in after or before) for k in ("cpu", "wall"))
    evidence = outcome.evidence
    made = Result(query.id, b, a, wb, wa, reason=outcome.reason, rewritten=text)
    made.search_seconds, made.first_verified_seconds = outcome.seconds, outcome.first_verified
    made.raw = {"before": [r.cpu for r in before], "after": [r.cpu for r in after]}
    made.stopped = all(r.digest is None for r in before)
    made.slower = a > b * SLOWER_RATIO and a - b > SLOWER_SECONDS
    if text is not None and outcome.best is not None and evidence is not None:
        candidate = outcome.best.checked.candidate
        made.verdict, made.modulo = evidence.level, list(evidence.modulo)
        made.counts_as = evidence.counts_as(frozenset({"float-order"}))
        made.steps, made.category = [s.name for s in candidate.steps], candidate.category
        digests = {r.digest for r in (*before, *after) if r.digest is not None}
        made.same_answer = None if before[0].digest is None else len(digests) == 1
    return made


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """Means and ratios over all queries; at trust ``proved``, what is only tested counts as the original."""
    if not results:
        return {}
    before = [r.cpu_before for r in results]
    after = [r.cpu_after for r in results]
    proved = [r.cpu_after if r.counts_as == "proved" else r.cpu_before for r in results]
    served = [r for r in results if r.rewritten]
    # measured runs before the first check do not count
    firsts = sorted(
        r.first_verified_seconds - r.ends.get("runs_before_first", 0.0)
        for r in results
        if r.first_verified_seconds is not None
    )
    return {
        "queries": len(results),
        "mean_cpu_before": statistics.mean(before),
        "mean_cpu_after": statistics.mean(after),
        "median_cpu_before": statistics.median(before),
        "median_cpu_after": statistics.median(after),
        "p95_cpu_before": percentile(before, 0.95),
        "p95_cpu_after": percentile(after, 0.95),
        "ratio": sum(after) / sum(before),
        "ratio_proved": sum(proved) / sum(before),
        "served": len(served),
        "served_proved": sum(r.counts_as == "proved" for r in served),
        "improved": sum(r.cpu_after <= 0.9 * r.cpu_before for r in served),
        "slower": [r.id for r in results if r.slower],
        "different_answers": [r.id for r in results if r.same_answer is False],
        "first_verified_median": statistics.median(firsts) if firsts else None,
        "first_verified_p95": percentile(firsts, 0.95) if firsts else None,
        "categories": {c: sum(r.category == c for r in served) for c in sorted({r.category for r in served})},
    }


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextlib.contextmanager
def rewriter_for(dsn: str, plan: Plan, *, hints: bool) -> Iterator[Rewriter]:
    extras = Extras()
    if hints:
        from rewright.wiring.ports.hinting import HintPort

        extras = Extras(hinter=HintPort(dsn, plan.cap, True))
    with ScratchServer() as scratch, connected(dsn, scratch, extras=extras, run_timeout=plan.cap) as rewriter:
        yield rewriter.plain


def report(name: str, results: Sequence[Result], plan: Plan, extra: dict[str, Any]) -> dict[str, Any]:
    return {
        "benchmark": name,
        "machine": {
            "cpus": os.cpu_count(),
            "platform": platform.platform(),
            "python": platform.python_version(),
        },
        "plan": asdict(plan),
        **extra,
        "summary": summary(results),
        "queries": [asdict(r) for r in results],
    }


def line(result: Result) -> str:
    verdict = (
        f"{result.verdict}{' modulo ' + ','.join(result.modulo) if result.modulo else ''}"
        if result.verdict
        else "-"
    )
    flag = " SLOWER" if result.slower else ""
    flag += " DIFFERENT" if result.same_answer is False else ""
    how = " > ".join(result.steps) or result.reason
    seconds = result.ends.get("seconds", {})
    took = " ".join(f"{k} {seconds[k]:.1f}" for k in ("search", "run", "check", "scope") if k in seconds)
    first = "-" if result.first_verified_seconds is None else f"{result.first_verified_seconds:.1f}"
    how += f"  [first {first}, all {result.search_seconds:.1f}: {took}]"
    return f"{result.id:10} {result.cpu_before:8.2f} {result.cpu_after:8.2f}  {verdict:10} {how}{flag}"


def run_all(
    name: str,
    dsn: str,
    queries: Sequence[Query],
    plan: Plan,
    *,
    hints: bool,
    out: Path | None,
    extra: dict[str, Any],
    baseline: Path | None = None,
) -> int:
    """Measure every query, print as it goes, write the report; 1 when an answer differed."""
    results: list[Result] = []
    with rewriter_for(dsn, plan, hints=hints) as rewriter:
        rewriter, log = watched(rewriter)
        kept = Baseline(baseline)
        for query in bar(queries, name):
            results.append(measure(rewriter, log, dsn, query, plan, kept))
            say(line(results[-1]))
            if out is not None:
                out.write_text(json.dumps(report(name, results, plan, extra), indent=1, default=str))
    for key, value in summary(results).items():
        print(f"{key:24} {value}", file=sys.stdout)
    return 1 if any(r.same_answer is False for r in results) else 0
