"""How long the console takes over each page of a store with a long log: HTML, JSON and CSV.

    python bench/console_pages.py [--rows 100000] [--runs 5] [--out report.json]

CPU seconds of one process that makes the page and asks for it, the median of several runs; for CSV also the
time until the first rows are there. The store is made in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tqdm import tqdm

from rewright.console.access import Rules
from rewright.console.app import Ports, create_app
from rewright.store.api import Store, open_store
from rewright.store.life import Level
from rewright.store.outcomes import SLOW
from rewright.store.records import LogEntry, NewRewrite, QuerySeen, Route

TEXT = (
    "select l_orderkey, sum(l_extendedprice * (1 - l_discount)) from lineitem where l_shipdate > '1995-03-15' "
    "and l_partkey = {} group by l_orderkey order by 2 desc limit 10"
)
LISTS = ("/rewrites", "/queries", "/log", "/asked", "/resolutions")
PATHS = (
    "/", "/overview.json", "/rewrites/1", "/rewrites/1.json", *LISTS, *(f"{path}.json" for path in LISTS),
    *(f"{path}.csv" for path in LISTS), "/log?q=lineitem", "/log?q=nothing", "/log?sort=-duration_ms",
    "/log?route=rewritten", "/log?page=1900", "/knowledge", "/settings",
)  # fmt: skip
HEADERS = {"authorization": "Bearer bench"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "store.db")) as store:
        fill(store, given.rows)
        ports = Ports(health=lambda: (True, {}), metrics=lambda: b"")
        app: Any = create_app(store, ports, Rules(token="bench"))
        client = TestClient(app, base_url="http://127.0.0.1", headers=HEADERS)
        figures = {path: timed(client, path, given.runs) for path in tqdm(PATHS, disable=None)}
    print(f"{given.rows:,} rows in the log, {platform.machine()}, Python {platform.python_version()}")
    for path, one in figures.items():
        print(f"{path:26} {one['kB']:6,.0f} kB {one['cpu_ms']:8.1f} ms CPU, first {one['first_ms']:8.1f} ms")
    if given.out:
        document = {"rows": given.rows, "machine": platform.machine(), "python": platform.python_version()}
        given.out.write_text(json.dumps({**document, "runs": given.runs, "pages": figures}, indent=2) + "\n")


def fill(store: Store, rows: int) -> None:
    """A log of the last day, 2,000 templates, a rewrite."""
    new = NewRewrite("app", "k", TEXT.format(1), TEXT.format(1), TEXT.format(2), level=Level.PROVED)
    number = store.rewrites.add(new).id
    now = time.time()
    for start in tqdm(range(0, rows, 1000), disable=None, desc="log"):
        store.log.add([entry(now, n, number) for n in range(start, min(start + 1000, rows))])
    seen = [QuerySeen("app", "alice", f"k{n}", TEXT.format("$1"), TEXT.format(n)) for n in range(2000)]
    store.queries.record(seen)


def entry(now: float, number: int, rewrite: int) -> LogEntry:
    route: Route = "rewritten" if number % 3 == 1 else "original"
    return LogEntry(
        at=now - number,
        database="app",
        role="alice",
        route=route,
        query=TEXT.format(number),
        template=TEXT.format("$1"),
        template_key=f"k{number % 2000}",
        duration_ms=float(number % 7919),
        reason=f"rewrite {rewrite}" if route == "rewritten" else SLOW,
        rewrite_id=rewrite if route == "rewritten" else None,
    )


def timed(client: TestClient, path: str, runs: int) -> dict[str, float]:
    """Medians."""
    found = list(_runs(client, path, runs))
    return {
        "kB": found[0][0] / 1000,
        "cpu_ms": statistics.median(cpu for _, cpu, _ in found) * 1000,
        "first_ms": statistics.median(first for _, _, first in found) * 1000,
    }


def _runs(client: TestClient, path: str, runs: int) -> Iterator[tuple[int, float, float]]:
    """(bytes, CPU seconds of all, CPU seconds until the first piece)."""
    for _ in range(runs):
        began, size, first = time.process_time(), 0, 0.0
        with client.stream("GET", path) as answer:
            answer.raise_for_status()
            for piece in answer.iter_raw():
                first = first or time.process_time() - began
                size += len(piece)
        yield size, time.process_time() - began, first


if __name__ == "__main__":
    main()
