"""The film workload: total time of join queries over correlated data, without and with hints.

    python bench/hints_films.py [--seed 0.3,0.5,0.8] [--films 60000] [--limit 20] [--out report.json]

Several seeds, separated by commas, are several databases. Bao's switch sets and other hint sets:
bench/hints_arms.py.
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

from bench.workloads import films
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits
from rewright.hints.recommend import Options, recommend

SERVER = {
    "shared_buffers": "512MB",
    "max_parallel_workers_per_gather": "0",
    "session_preload_libraries": "pg_hint_plan",
}


def run_seed(server: ScratchServer, seed: float, count: int, limit: float) -> list[dict[str, Any]]:
    """One database: every query recommended for; times are the validation's medians, of interleaved runs."""
    rows = []
    database = server.create_database()
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        for statement in films.statements(seed, count):
            connection.execute(statement)
    with HintingSession(server.dsn(database), limits=Limits(statement=120)) as session:
        for number, query in enumerate(films.QUERIES):
            found = recommend(session, query, Options(run_seconds=limit, budget_seconds=3 * limit))
            before = found.seconds_before or limit
            after = found.seconds_after if found.seconds_after is not None else before
            rows.append({"seed": seed, "query": number, "before": before, "after": after} | found.to_json())
            print(f"{seed} {number:2} {before:.3f} -> {after:.3f} {found.hints or found.reason}", flush=True)
    server.drop_database(database)
    return rows


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Total time hinted over unhinted of each seed, their median and spread."""
    ratios = {}
    for seed in sorted({row["seed"] for row in rows}):
        mine = [row for row in rows if row["seed"] == seed]
        ratios[seed] = round(sum(r["after"] for r in mine) / sum(r["before"] for r in mine), 3)
    values = list(ratios.values())
    return {
        "ratios": ratios,
        "median": statistics.median(values),
        "spread": [min(values), max(values)],
        "hinted": sum(bool(row["hints"]) for row in rows),
        "queries": len(rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="0.3", help="several seeds, separated by commas")
    parser.add_argument("--films", type=int, default=60_000)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one execution")
    parser.add_argument("--out", type=Path, help="JSON; seeds that it already holds are not run again")
    args = parser.parse_args()
    rows = json.loads(args.out.read_text())["rows"] if args.out and args.out.exists() else []
    with ScratchServer(SERVER) as server:
        for seed in map(float, args.seed.split(",")):
            if any(row["seed"] == seed for row in rows):
                continue
            rows += run_seed(server, seed, args.films, args.limit)
            if args.out:
                told = {"films": args.films, "limit": args.limit, "machine": platform.platform()}
                args.out.write_text(json.dumps({**told, "summary": summary(rows), "rows": rows}, indent=1))
    print(json.dumps(summary(rows), indent=1))


if __name__ == "__main__":
    main()
