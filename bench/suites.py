"""The command line that the TPC-H and DSB benchmarks share.

`--data` is a JSON-lines file of queries ({"id", "sql"}), or a directory that holds the benchmark's default
one.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import hints_sides
from bench.rewriting import Plan, read_queries, run_all
from bench.warehouse import SETTINGS, Suite, warehouse


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    suite: Suite
    file: str


def main(benchmark: Benchmark, arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=f"rewright bench {benchmark.name}")
    parser.add_argument("--sf", type=float, default=1.0, help="scale factor")
    parser.add_argument("--data", type=Path, required=True, help="file of queries, or a directory with it")
    parser.add_argument("--out", type=Path, help="report as JSON")
    parser.add_argument(
        "--hints",
        choices=("on", "off", "only"),
        default="off",
        help="on: original, hinted, rewritten, rewritten and hinted side by side; only: original and hinted",
    )
    parser.add_argument("--keep", type=Path, help="directory of the loaded database, kept for the next run")
    parser.add_argument("--runs", type=int, default=5, help="interleaved runs a side")
    parser.add_argument("--cap", type=float, default=40.0, help="CPU seconds after which a run is stopped")
    parser.add_argument("--trust", choices=("proved", "tested"), default="tested")
    parser.add_argument("--ids", default="", help="only these, separated by commas; 'first' is 1, 4, 7, …")
    parser.add_argument(
        "--set", action="append", default=[], help="server setting name=value of the measured sessions"
    )
    chosen = parser.parse_args(arguments)
    file = chosen.data / benchmark.file if chosen.data.is_dir() else chosen.data
    ids = [] if chosen.ids == "first" else [i for i in chosen.ids.split(",") if i]
    queries = read_queries(file, ids)
    if chosen.ids == "first":
        queries = queries[::3]
    pairs = tuple((n, v) for n, _, v in (s.partition("=") for s in chosen.set))
    plan = Plan(cap=chosen.cap, runs=chosen.runs, trust=chosen.trust, settings=pairs)
    scale = int(chosen.sf) if chosen.sf == int(chosen.sf) else chosen.sf
    server = hints_sides.SERVER if chosen.hints != "off" else {}
    with warehouse(benchmark.suite, scale, chosen.keep, server) as data:
        extra = {"scale": scale, "server_settings": SETTINGS, "hints": chosen.hints}
        if chosen.hints != "off":
            return hints_sides.run_all(
                benchmark.name,
                data.dsn,
                queries,
                plan,
                rewrites=chosen.hints == "on",
                out=chosen.out,
                extra=extra,
            )
        return run_all(
            benchmark.name,
            data.dsn,
            queries,
            plan,
            hints=False,
            out=chosen.out,
            extra=extra,
            baseline=None if chosen.keep is None else chosen.keep.with_suffix(".baseline.json"),
        )
