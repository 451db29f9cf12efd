"""QUITE's Table 5 on the film workload, in one run: no hints, Bao's switch sets, all hints without GUCs, ours
with scan hints, ours.

    python bench/hints_arms.py [--seed 0.3] [--films 60000] [--limit 10] [--out report.json]

Bao's arm is the best of the whole-query enable_* sets for each query, found by running them all. Every arm's
choice is then run again, interleaved; a query stopped at the limit counts with it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import statistics
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.bars import bar, say
from bench.hints_films import SERVER
from bench.workloads import films
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, SessionError
from rewright.hints.base import print_hint
from rewright.hints.injection import inject
from rewright.hints.recommend import Options, Recommendation, recommend

# Bao's arms are sets of join and scan switches that stay on; at least one of each kind must
JOINS = ("enable_hashjoin", "enable_mergejoin", "enable_nestloop")
SCANS = ("enable_seqscan", "enable_indexscan", "enable_indexonlyscan")
ARMS = ("none", "bao", "all", "ours_and_scans", "ours")


def switch_sets() -> list[dict[str, str]]:
    """Marcus et al., "Bao: Making Learned Query Optimization Practical" (SIGMOD 2021): 48 arms, those without
    effect here left out.
    """
    proper = [[c for n in range(3) for c in itertools.combinations(kind, n)] for kind in (JOINS, SCANS)]
    return [dict.fromkeys((*joins, *scans), "off") for joins in proper[0] for scans in proper[1]]


def best_switches(session: HintingSession, query: str, limit: float) -> dict[str, str]:
    """The set with the fastest single run; equal plans are run once."""
    best, chosen, shapes = limit, {}, set()
    for settings in switch_sets():
        try:
            plan, _ = session.plan(query, settings)
            if plan.shape in shapes:
                continue
            shapes.add(plan.shape)
            run = session.run(query, stop_after=min(limit, best * 1.05 + 0.01), settings=settings)
        except SessionError:
            continue
        if run.finished and run.duration < best:
            best, chosen = run.duration, settings
    return chosen


def choices(
    session: HintingSession, query: str, limit: float
) -> tuple[dict[str, tuple[str, Mapping[str, str]]], dict[str, Any]]:
    """For each arm (text, settings), and what was found."""
    made: dict[str, tuple[str, Mapping[str, str]]] = {"none": (query, {})}
    made["bao"] = (query, best_switches(session, query, limit))
    options = {
        "ours": Options(run_seconds=limit, budget_seconds=40),
        "ours_and_scans": Options(run_seconds=limit, budget_seconds=40, scans=True),
        "all": Options(run_seconds=limit, budget_seconds=40, scans=True, settings=False, small=False),
    }
    told: dict[str, Any] = {"bao": dict(made["bao"][1])}
    for arm, chosen in options.items():
        found: Recommendation = recommend(session, query, chosen)
        text = inject(found.text, found.hints)
        made[arm] = (text if isinstance(text, str) else query, {})
        told[arm] = [print_hint(hint) for hint in found.hints]
        told[f"{arm}_search_seconds"] = round(found.spent_seconds, 2)
    return made, told


def timed(
    session: HintingSession, made: Mapping[str, tuple[str, Mapping[str, str]]], limit: float, rounds: int
) -> dict[str, list[float]]:
    """Seconds of each arm, interleaved; an arm that has the same text as another is run all the same."""
    seconds: dict[str, list[float]] = {arm: [] for arm in ARMS}
    for _ in range(rounds):
        for arm in ARMS:
            if seconds[arm][:1] == [limit]:
                continue
            text, settings = made[arm]
            try:
                run = session.run(text, stop_after=limit, settings=settings)
                seconds[arm].append(run.duration if run.finished else limit)
            except SessionError:
                seconds[arm].append(limit)
    return seconds


def figures(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "mean": round(statistics.mean(ordered), 4),
        "median": round(statistics.median(ordered), 4),
        "p75": round(ordered[int(0.75 * (len(ordered) - 1) + 0.5)], 4),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1) + 0.5)], 4),
        "total": round(sum(ordered), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=float, default=0.3)
    parser.add_argument("--films", type=int, default=60_000)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with ScratchServer(SERVER) as server:
        database = server.create_database()
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            for statement in films.statements(args.seed, args.films):
                connection.execute(statement)
        with HintingSession(server.dsn(database), limits=Limits(statement=120)) as session:
            for number, query in enumerate(bar(films.QUERIES, "queries")):
                made, told = choices(session, query, args.limit)
                seconds = timed(session, made, args.limit, args.rounds)
                medians = {arm: statistics.median(values) for arm, values in seconds.items()}
                rows.append({"query": number, "seconds": medians, "raw": seconds, **told})
                say(f"{number:2} " + " ".join(f"{arm} {medians[arm]:.3f}" for arm in ARMS))
                if args.out:
                    args.out.write_text(json.dumps(document(args, rows), indent=1, default=str))
    print(json.dumps(document(args, rows)["table"], indent=1))


def document(args: argparse.Namespace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = {
        arm: Counter(h.split("(")[0] for row in rows for h in row[arm])
        for arm in ("ours", "ours_and_scans", "all")
    }
    return {
        "machine": platform.platform(),
        "arguments": {k: str(v) for k, v in vars(args).items()},
        "table": {arm: figures([row["seconds"][arm] for row in rows]) for arm in ARMS},
        "hints_used": kinds,
        "queries": rows,
    }


if __name__ == "__main__":
    main()
