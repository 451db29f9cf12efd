"""`rewright bench augment --data DIR --out report.json`: how much of the possible gain each selector finds.

DIR holds `augment_dev.json` (base tables, targets, keys) and the lake it is over (--lake FOLDER, default `lakeB`). The
exhaustive greedy choice, which evaluates every join for each table added, is the upper bound. --planted and --chains add
lakes made by a seed; those of --aside are for figures only, nothing was tuned on them.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from bench.augment_lakes import planted_chain, planted_tables
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import STRATEGIES, AugmentError, BaseSpec, Options, Report, augment
from rewright.lake.embedding import best_embedder

SELECTORS = ("embedding", "joinable", "ours", "exhaustive")
ASIDE = 1000
"""Seeds from here on are kept aside."""


def spec_of(case: dict[str, Any]) -> BaseSpec:
    """A case's base table; `latest year per key` is a filter of its own."""
    told = case["row_filter"] or ""
    latest = told.startswith("latest")
    return BaseSpec(
        case["base_table"],
        case["target"],
        tuple(case["base_key"]),
        tuple(case["base_features"]),
        "" if latest else told,
        latest,
    )


def line_of(report: Report) -> dict[str, Any]:
    return {
        "r2": round(report.r2_best, 4),
        "r2_recommended": round(report.r2_after, 4),
        "seconds": round(report.seconds, 3),
        "evaluations": report.evaluations,
        "estimates": report.estimates,
        "tables": [a.table for a in report.added],
        "recommended": [a.table for a in report.added if a.recommended],
        "leakage": [f"{x.table}.{x.column}: {x.reason}" for x in report.leaks],
    }


def run_case(lake: Lake, name: str, spec: BaseSpec, tables: int) -> dict[str, Any]:
    """All selectors on one base table, with the metric's own aggregates."""
    row: dict[str, Any] = {"id": name, "table": spec.table, "target": spec.target}
    for selector in SELECTORS:
        options = Options(tables, None, selector=selector, aggregates="standard")  # type: ignore[arg-type]
        try:
            report = augment(lake, spec, options)
        except AugmentError as error:
            row[selector] = {"error": str(error)}
            continue
        row["baseline"] = round(report.r2_before, 4)
        row["rows"] = report.rows
        row["joins"] = report.candidates
        row[selector] = line_of(report)
    return row


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the cases; shares are of the gain that the exhaustive choice has."""
    done = [r for r in rows if all("error" not in r[s] for s in SELECTORS)]
    if not done:
        return {}
    base = statistics.fmean(r["baseline"] for r in done)
    most = statistics.fmean(r["exhaustive"]["r2"] for r in done)
    kept = statistics.fmean(r["exhaustive"]["r2_recommended"] for r in done)
    out: dict[str, Any] = {"cases": len(done), "baseline": round(base, 4)}
    for selector in SELECTORS:
        mine = [r[selector] for r in done]
        r2 = statistics.fmean(m["r2"] for m in mine)
        sure = statistics.fmean(m["r2_recommended"] for m in mine)
        out[selector] = {
            "r2": round(r2, 4),
            "share": round((r2 - base) / (most - base), 4) if most > base else None,
            "r2_recommended": round(sure, 4),
            "share_recommended": round((sure - base) / (kept - base), 4) if kept > base else None,
            "seconds": round(sum(m["seconds"] for m in mine), 2),
            "evaluations": sum(m["evaluations"] for m in mine),
            "estimates": sum(m["estimates"] for m in mine),
        }
    return out


def planted_runs(seeds: range, tables: int) -> list[dict[str, Any]]:
    """Selectors on lakes with planted gains; `found`: planted tables recommended; `wrong`: decoys recommended."""
    rows = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            planted = planted_tables(Path(folder) / "lake", seed, helpful=2 + seed % 3, decoys=10 + seed % 7)
            with opened(planted.folder, Path(folder)) as lake:
                row = run_case(lake, f"planted {seed}", BaseSpec(planted.base, planted.target), tables)
        told = set(row["ours"]["recommended"])
        row["possible"] = round(planted.possible, 4)
        row["found"] = len(told & set(planted.helpful)) / len(planted.helpful)
        row["wrong"] = len(told - set(planted.helpful))
        rows.append(row)
    return rows


def chain_runs(seeds: range, budget: int | None) -> list[dict[str, Any]]:
    """Each strategy on chains of 2 to 5 joins: the share of the planted gain found."""
    rows = []
    for seed in seeds:
        length = 2 + seed % 4
        with tempfile.TemporaryDirectory() as folder:
            planted = planted_chain(Path(folder) / "lake", seed, length=length)
            with opened(planted.folder, Path(folder)) as lake:
                row: dict[str, Any] = {"seed": seed, "length": length, "possible": round(planted.possible, 4)}
                for strategy in STRATEGIES:
                    report = augment(
                        lake,
                        BaseSpec(planted.base, planted.target),
                        Options(1, None, budget, hops=length, strategy=strategy),
                    )
                    gain = report.r2_after - report.r2_before
                    row[strategy] = {**line_of(report), "share": round(gain / (planted.possible - report.r2_before), 4)}  # fmt: skip
        rows.append(row)
    return rows


def opened(folder: Path, beside: Path) -> Lake:
    return open_lake(folder, catalog=beside / "catalog.db", embedder=best_embedder())


def printed(title: str, rows: list[dict[str, Any]]) -> None:
    print(title)
    for r in rows:
        told = "  ".join(f"{s} {r[s].get('r2', float('nan')):.3f}" for s in SELECTORS)
        print(f"{r['id']:>14}  baseline {r.get('baseline', float('nan')):.3f}  {told}")
    for name, value in summary(rows).items():
        print(f"  {name}: {value}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of augment_dev.json and its lake")
    parser.add_argument("--cases", default="augment_dev.json")
    parser.add_argument("--lake", default="lakeB")
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--planted", type=int, default=0, help="lakes with planted tables")
    parser.add_argument("--chains", type=int, default=0, help="lakes with planted chains")
    parser.add_argument("--aside", action="store_true", help="seeds that nothing was tuned on")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    first = ASIDE if args.aside else 0
    document: dict[str, Any] = {
        "machine": platform.platform(),
        "versions": {"python": platform.python_version(), "duckdb": duckdb.__version__, "numpy": np.__version__},
    }  # fmt: skip
    if args.data is not None:
        cases = json.loads((args.data / args.cases).read_text())["no_hop"]
        with open_lake(args.data / args.lake, embedder=best_embedder()) as lake:
            lake.graph()
            rows = [run_case(lake, case["id"], spec_of(case), args.tables) for case in cases]
        document["no_hop"] = {"cases": rows, "summary": summary(rows)}
        printed("no-hop", rows)
    if args.planted:
        rows = planted_runs(range(first, first + args.planted), args.tables)
        document["planted"] = {"cases": rows, "summary": summary(rows)}
        printed("planted", rows)
        print(f"  planted tables found {statistics.fmean(r['found'] for r in rows):.2f}, decoys recommended {sum(r['wrong'] for r in rows)}")  # fmt: skip
    if args.chains:
        rows = chain_runs(range(first, first + args.chains), None)
        document["chains"] = rows
        for strategy in STRATEGIES:
            told = [r[strategy] for r in rows]
            print(f"chains, {strategy}: share {statistics.fmean(t['share'] for t in told):.3f}, estimates {sum(t['estimates'] for t in told)}, {sum(t['seconds'] for t in told):.1f} s")  # fmt: skip
    if args.out is not None:
        args.out.write_text(json.dumps(document, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
