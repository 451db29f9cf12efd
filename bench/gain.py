"""What a user gains: Q17 and Q20 of TPC-H through the proxy in ``apply`` mode, before and after their rewrite
is found.

python -m bench.gain [--sf 1] [--keep DIR] [--out report.json]

Embedded PostgreSQL with primary and foreign keys only, `rewright serve` as people start it, one client. The
original runs until `statement_timeout`; then the client waits for the rewrite and runs the same text again.
Answers are checked against DuckDB, which generates the same data and runs the query in its own dialect. A
ratio from an original that was stopped is a lower bound.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg

from bench.overhead import free_port, machine, wait_for
from bench.warehouse import SETTINGS, progress, warehouse

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = (17, 20)


@contextlib.contextmanager
def proxy(dsn: str, directory: Path, defaults: Mapping[str, str] | None = None) -> Iterator[str]:
    """`rewright serve` in front of ``dsn``; the dsn through it. ``defaults``: of its configuration's
    [defaults].
    """
    port = free_port()
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    upstream = psycopg.conninfo.make_conninfo(**{k: v for k, v in parts.items() if k != "dbname"})  # type: ignore[arg-type] # libpq's options are text
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream,
        **{f"REWRIGHT_DEFAULTS__{name.upper()}": value for name, value in (defaults or {}).items()},
    }
    command = ["serve", "--listen", f"127.0.0.1:{port}", "--http", "", "--store", str(directory / "store.db")]
    with (directory / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "rewright", *command, "--upstream", upstream], env=environment, stderr=log
        )
        try:
            wait_for(port)
            yield psycopg.conninfo.make_conninfo(dsn, host="127.0.0.1", port=port)
        finally:
            process.terminate()
            process.wait(60)


def answers(scale: float) -> dict[int, tuple[str, list[tuple[Any, ...]]]]:
    """Text and answer of each query, from DuckDB's extension."""
    import duckdb

    package = importlib.import_module("duckdb_extension_tpch")
    extension = next(Path(str(package.__file__)).parent.rglob("*.duckdb_extension"))
    with tempfile.TemporaryDirectory() as directory, duckdb.connect(f"{directory}/tpch.duckdb") as source:
        source.execute(f"load '{extension}'")
        source.execute(f"call dbgen(sf={scale})")
        texts = dict(source.execute("select query_nr, query from tpch_queries()").fetchall())
        return {n: (texts[n].strip().rstrip(";"), source.execute(texts[n]).fetchall()) for n in NUMBERS}


def same(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> bool:
    """Rows in order; numbers up to the last digits, since one side averages in binary."""
    return len(one) == len(other) and all(
        len(a) == len(b) and all(map(_same_value, a, b)) for a, b in zip(one, other, strict=True)
    )


def _same_value(one: Any, other: Any) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    except (TypeError, ValueError):
        return str(one).rstrip() == str(other).rstrip()


def timed(connection: psycopg.Connection[Any], sql: str) -> tuple[float, list[tuple[Any, ...]] | None]:
    """Seconds, and the rows; None when it was stopped."""
    began = time.perf_counter()
    try:
        rows = psycopg.ClientCursor(connection).execute(sql).fetchall()
    except psycopg.errors.QueryCanceled:
        rows = None
    return time.perf_counter() - began, rows


def gain(
    dsn: str,
    sql: str,
    expected: list[tuple[Any, ...]],
    *,
    trust: str,
    timeout: float,
    patience: float,
    runs: int,
    agree: Callable[[Sequence[Sequence[Any]], Sequence[Sequence[Any]]], bool] = same,
) -> dict[str, Any]:
    """One query before and after. ``agree``: whether two answers are the same."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"set statement_timeout = '{timeout:.0f}s'".encode())
        connection.execute(f"set rewright.trust = '{trust}'".encode())
        before, rows = timed(connection, sql)
        report: dict[str, Any] = {"before_seconds": before, "stopped": rows is None}
        report["before_right"] = None if rows is None else agree(rows, expected)
        progress(f"  original: {before:.2f} s{' (stopped)' if rows is None else ''}")
        began = time.perf_counter()
        known = (
            "select id, verdict, replacement from rewright.rewrites where original = %s"
            " and (state = 'active' or (state = 'proposed' and verdict = %s))"
        )
        found = None
        while found is None and time.perf_counter() - began < patience:
            time.sleep(0.5)
            found = psycopg.ClientCursor(connection).execute(known, [sql, trust]).fetchone()
        report["waited_seconds"] = time.perf_counter() - began
        if found is None:
            return report | {"found": False}
        time.sleep(1.0)  # relays learn of it within a second
        after = [timed(connection, sql) for _ in range(runs)]
        route = connection.execute("show rewright.last").fetchone()
    seconds = statistics.median(s for s, _ in after)
    report |= {"found": True, "verdict": found[1], "rewrite": found[2], "route": route[0] if route else ""}
    report |= {"after_seconds": [s for s, _ in after], "ratio": before / seconds}
    report["after_right"] = all(rows is not None and agree(rows, expected) for _, rows in after)
    progress(f"  served: {seconds:.2f} s, {before / seconds:,.0f} times faster; {report['route']}")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sf", type=float, default=1.0, help="scale factor")
    parser.add_argument("--keep", type=Path, help="directory of the loaded database, kept for the next run")
    parser.add_argument(
        "--timeout", type=float, default=60.0, help="statement_timeout of the client, seconds"
    )
    parser.add_argument(
        "--patience", type=float, default=300.0, help="how long a rewrite is waited for, seconds"
    )
    parser.add_argument("--trust", choices=("proved", "tested"), default="proved")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    scale = int(chosen.sf) if chosen.sf == int(chosen.sf) else chosen.sf
    expected = answers(scale)
    found: dict[str, Any] = {}
    with (
        warehouse("tpch", scale, chosen.keep) as data,
        tempfile.TemporaryDirectory(prefix="rewright-gain-") as directory,
        proxy(data.dsn, Path(directory)) as dsn,
    ):
        for number, (sql, rows) in expected.items():
            progress(f"Q{number}")
            found[f"Q{number}"] = gain(
                dsn,
                sql,
                rows,
                trust=chosen.trust,
                timeout=chosen.timeout,
                patience=chosen.patience,
                runs=chosen.runs,
            )
        log = (Path(directory) / "serve.log").read_text(errors="replace")
    report = {
        "machine": machine(),
        "platform": platform.platform(),
        "scale": scale,
        "server_settings": SETTINGS,
    }
    report |= {"statement_timeout": chosen.timeout, "queries": found, "log": log[-20_000:]}
    if chosen.out:
        chosen.out.write_text(json.dumps(report, indent=1, default=str))
    for name, one in found.items():
        mark = ">=" if one["stopped"] else ""
        told = f"{mark} {one['ratio']:,.1f} times" if one["found"] else "nothing found"
        print(
            f"{name}: {told}, {one.get('verdict')}, answers right: {one.get('after_right')} ({one.get('route', '')})"
        )
    return 0 if all(one["found"] and one["after_right"] for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
