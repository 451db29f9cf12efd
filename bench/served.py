"""The rewriter's gain as a client of the proxy gets it: ``apply`` beside ``inline`` with a long and with a
short budget.

python -m bench.served --data FILE [--sf 0.1] [--suite tpch|tpcds] [--ids first] [--keep DIR] [--out
report.json]

`rewright serve` as people start it, a fresh store for each mode, one client. In ``apply`` each query runs
once, the optimiser is waited for, then it runs again; in ``inline`` it runs once and is held for the budget
at most. Seconds are what the client waits, holding included. The share of a mode is the seconds it saves of
those that ``apply`` saves in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg

from bench.bars import bar
from bench.gain import proxy
from bench.overhead import machine
from bench.rewriting import Query, digest_of, read_queries
from bench.warehouse import SETTINGS, progress, warehouse


@dataclass(frozen=True, slots=True)
class Mode:
    """``settings`` of the client's session; ``waits``: for the optimiser, and runs the query once more."""

    name: str
    settings: dict[str, str]
    waits: bool = False


MODES = (
    Mode("apply", {"rewright.mode": "apply"}, waits=True),
    Mode("inline 30s", {"rewright.mode": "inline", "rewright.budget": "30s"}),
    Mode("inline 500ms", {"rewright.mode": "inline", "rewright.budget": "500ms"}),
)
# the optimiser's worker loads what it needs once; the first query must not pay for all
WARM_UP = "select count(*) from region r where r.r_regionkey in (select n_regionkey from nation)"


@dataclass(slots=True)
class Seen:
    """One execution by a client. ``digest`` None: it was stopped."""

    seconds: float
    digest: str | None
    route: str = ""


def run(connection: psycopg.Connection[Any], sql: str) -> Seen:
    began = time.perf_counter()
    try:
        rows = psycopg.ClientCursor(connection).execute(sql.encode()).fetchall()
    except psycopg.errors.QueryCanceled:
        return Seen(time.perf_counter() - began, None)
    return Seen(time.perf_counter() - began, digest_of(rows))


def last(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute("show rewright.last").fetchone()
    return str(row[0]) if row else ""


def wait_for_optimiser(connection: psycopg.Connection[Any], patience: float) -> None:
    """Until every slow query seen so far was looked at."""
    deadline = time.monotonic() + patience
    time.sleep(1.5)
    while time.monotonic() < deadline:
        row = connection.execute("select count(*) from rewright.queries where status = 'new'").fetchone()
        if row is not None and not row[0]:
            break
        time.sleep(0.5)
    time.sleep(1.5)  # relays learn of a rewrite within a second


def play(mode: Mode, dsn: str, queries: Sequence[Query], chosen: argparse.Namespace) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    with psycopg.connect(dsn, autocommit=True) as connection:
        settings = mode.settings | {
            "statement_timeout": f"{chosen.cap:.0f}s",
            "rewright.trust": chosen.trust,
            "rewright.min_duration": f"{chosen.min_duration}ms",
            "rewright.min_cost": str(chosen.min_cost),
        }
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, false)", [name, value])
        run(connection, WARM_UP)
        time.sleep(chosen.warm_up)
        for query in queries:
            found[query.id] = run(connection, query.sql)
            if mode.waits:
                wait_for_optimiser(connection, chosen.patience)
                found[query.id] = run(connection, query.sql)
            found[query.id].route = last(connection)
            progress(f"  {mode.name} {query.id}: {found[query.id].seconds:.2f} s, {found[query.id].route}")
    return found


def summary(before: dict[str, Seen], modes: dict[str, dict[str, Seen]]) -> dict[str, Any]:
    """Saved seconds by mode, over the queries that ``apply`` served; wrong answers by mode."""
    served = [i for i, one in modes["apply"].items() if one.route.startswith("replacement")]
    saved = {name: sum(before[i].seconds - seen[i].seconds for i in served) for name, seen in modes.items()}
    wrong = {
        name: [i for i, one in seen.items() if one.digest and before[i].digest not in {None, one.digest}]
        for name, seen in modes.items()
    }
    return {
        "served": {
            n: sum(one.route.startswith("replacement") for one in seen.values()) for n, seen in modes.items()
        },
        "seconds_before": sum(one.seconds for one in before.values()),
        "seconds": {n: sum(one.seconds for one in seen.values()) for n, seen in modes.items()},
        "median_seconds": {
            n: statistics.median(one.seconds for one in seen.values()) for n, seen in modes.items()
        },
        "share_of_apply": {
            n: value / saved["apply"] if saved["apply"] else None for n, value in saved.items()
        },
        "different_answers": wrong,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", choices=("tpch", "tpcds"), default="tpch")
    parser.add_argument("--sf", type=float, default=0.1, help="scale factor")
    parser.add_argument("--data", type=Path, required=True, help='JSON lines of {"id", "sql"}')
    parser.add_argument(
        "--ids", default="first", help="only these, separated by commas; 'first' is 1, 4, 7, …"
    )
    parser.add_argument("--keep", type=Path, help="directory of the loaded database, kept for the next run")
    parser.add_argument("--cap", type=float, default=40.0, help="the client's statement_timeout, seconds")
    parser.add_argument("--patience", type=float, default=120.0, help="how long the optimiser is waited for")
    parser.add_argument("--warm-up", type=float, default=20.0, help="seconds before the first query")
    parser.add_argument("--min-duration", type=int, default=200, help="rewright.min_duration, ms")
    parser.add_argument("--min-cost", type=int, default=50_000, help="rewright.min_cost")
    parser.add_argument("--trust", choices=("proved", "tested"), default="tested")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    queries = read_queries(chosen.data)
    if chosen.ids == "first":
        queries = queries[::3]
    elif chosen.ids:
        queries = read_queries(chosen.data, chosen.ids.split(","))
    scale = int(chosen.sf) if chosen.sf == int(chosen.sf) else chosen.sf
    with warehouse(chosen.suite, scale, chosen.keep) as data:
        with psycopg.connect(data.dsn, autocommit=True) as connection:
            connection.execute(f"set statement_timeout = '{chosen.cap:.0f}s'".encode())
            before = {query.id: run(connection, query.sql) for query in bar(queries, "originals")}
        modes = {}
        for mode in MODES:
            with (
                tempfile.TemporaryDirectory(prefix="rewright-served-") as directory,
                proxy(data.dsn, Path(directory), {"mode": mode.settings["rewright.mode"]}) as dsn,
            ):
                modes[mode.name] = play(mode, dsn, queries, chosen)
    found = summary(before, modes)
    report = {"machine": machine(), "scale": scale, "suite": chosen.suite, "server_settings": SETTINGS}
    report |= {"summary": found, "before": {i: asdict(one) for i, one in before.items()}}
    report |= {"modes": {n: {i: asdict(one) for i, one in seen.items()} for n, seen in modes.items()}}
    if chosen.out:
        chosen.out.write_text(json.dumps(report, indent=1) + os.linesep)
    print(json.dumps(found, indent=1))
    return 1 if any(found["different_answers"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
