"""The skew suite: for each world of `workloads/skew.py`, what hints are found and what they gain.

    python bench/hints_skew.py [--seeds 0.1,0.4,0.7] [--only NAME] [--limit 20] [--out report.json]

One embedded PostgreSQL with pg_hint_plan, no parallel workers. Times are medians of the validation's
interleaved runs; a query stopped at the limit counts with the limit, so its gain is a lower bound.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.workloads.skew import CASES, Case
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits
from rewright.hints.recommend import Options, Recommendation, recommend

SERVER = {
    "shared_buffers": "256MB",
    "max_parallel_workers_per_gather": "0",
    "session_preload_libraries": "pg_hint_plan",
}


def run_case(server: ScratchServer, case: Case, seed: float, limit: float) -> Recommendation:
    database = server.create_database()
    try:
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            connection.execute(f"select setseed({seed})")
            for statement in case.setup:
                connection.execute(statement)
        with HintingSession(server.dsn(database), limits=Limits(statement=120)) as session:
            return recommend(session, case.query, Options(run_seconds=limit, budget_seconds=6 * limit))
    finally:
        server.drop_database(database)


def gain(found: Recommendation, limit: float) -> float:
    """How many times faster; 1 without hints."""
    if found.seconds_after is None:
        return 1.0
    return (found.seconds_before or limit) / found.seconds_after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0.1,0.4,0.7")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one execution")
    parser.add_argument("--out")
    args = parser.parse_args()
    seeds = [float(s) for s in args.seeds.split(",")]
    rows: list[dict[str, Any]] = []
    with ScratchServer(SERVER) as server:
        for case in CASES:
            if args.only and args.only not in case.name:
                continue
            for seed in seeds:
                found = run_case(server, case, seed, args.limit)
                rows.append(
                    {"case": case.name, "seed": seed, "gain": gain(found, args.limit)} | found.to_json()
                )
                print(
                    f"{case.name:18} {seed} {gain(found, args.limit):8.1f}x  {found.seconds_before or args.limit:.3f} -> "
                    f"{found.seconds_after if found.seconds_after is not None else float('nan'):.3f} s  {found.hints or found.reason}",
                    flush=True,
                )
    by_case = {
        name: statistics.median(r["gain"] for r in rows if r["case"] == name)
        for name in {r["case"] for r in rows}
    }
    summary = {
        "cases": len(by_case),
        "gains_of_10_or_more": sum(g >= 10 for g in by_case.values()),
        "hinted": sum(g > 1 for g in by_case.values()),
    }
    print(summary)
    if args.out:
        document = {
            "machine": platform.platform(),
            "seeds": seeds,
            "limit": args.limit,
            "summary": summary,
            "rows": rows,
        }
        Path(args.out).write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
