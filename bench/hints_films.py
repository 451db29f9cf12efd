"""The film workload: total time of join queries over correlated data, without and with hints.

    python bench/hints_films.py [--seed 0.3] [--films 60000] [--limit 20] [--bao] [--out report.json]

--bao adds the best whole-query switch set per query (Bao's arms), measured the same way.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import statistics
import sys
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.workloads import films
from engines.postgres.hinting import HintingSession
from engines.postgres.scratch import ScratchServer
from engines.postgres.session import Limits, SessionError
from hints.recommend import Options, recommend

SERVER = {
    "shared_buffers": "512MB",
    "max_parallel_workers_per_gather": "0",
    "session_preload_libraries": "pg_hint_plan",
}
SWITCHES = ("enable_nestloop", "enable_hashjoin", "enable_mergejoin", "enable_indexscan", "enable_seqscan")


def best_switches(session: HintingSession, query: str, limit: float) -> float:
    """The best median of three over combinations of up to two switches turned off."""
    best = limit
    for off in itertools.chain.from_iterable(itertools.combinations(SWITCHES, n) for n in range(3)):
        settings = dict.fromkeys(off, "off")
        try:
            runs = [
                session.run(query, stop_after=min(limit, 1.5 * best + 0.1), settings=settings)
                for _ in range(3)
            ]
        except SessionError:
            continue
        if all(run.finished for run in runs):
            best = min(best, statistics.median(run.duration for run in runs))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=float, default=0.3)
    parser.add_argument("--films", type=int, default=60_000)
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--bao", action="store_true")
    parser.add_argument("--out")
    args = parser.parse_args()
    rows = []
    with ScratchServer(SERVER) as server:
        database = server.create_database()
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            for statement in films.statements(args.seed, args.films):
                connection.execute(statement)
        with HintingSession(server.dsn(database), limits=Limits(statement=120)) as session:
            for number, query in enumerate(films.QUERIES):
                found = recommend(session, query, Options(run_seconds=args.limit, budget_seconds=60))
                before = found.seconds_before or args.limit
                after = found.seconds_after if found.seconds_after is not None else before
                row = {"query": number, "before": before, "after": after} | found.to_json()
                if args.bao:
                    row["bao"] = best_switches(session, query, args.limit)
                rows.append(row)
                print(
                    f"{number:2} {before:.3f} -> {after:.3f} {row.get('bao', '')} {found.hints or found.reason}",
                    flush=True,
                )
    total = {
        key: round(sum(row[key] for row in rows), 3) for key in ("before", "after", "bao") if key in rows[0]
    }
    print(total, "ratio", round(total["after"] / total["before"], 3))
    if args.out:
        document = {"machine": platform.platform(), "arguments": vars(args), "total": total, "rows": rows}
        Path(args.out).write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
