"""`rewright bench augment --data DIR --out report.json`: how much of the possible gain each selector finds.

DIR holds `augment_dev.json` (base tables, targets, keys) and the lake it is over (--lake FOLDER, default
`lakeB`). The exhaustive greedy choice, which evaluates every join for each table added, is the upper bound.
--planted and --chains add lakes made by a seed; those of --aside are for figures only, nothing was tuned on
them.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import duckdb

from bench import augment_ablations
from bench.augment_figure import scale_svg
from bench.augment_history import history_runs
from bench.augment_lakes import Planted, planted_chain, planted_lake, planted_tables
from bench.bars import bar
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import STRATEGIES, AugmentError, BaseSpec, Options, Report, augment
from rewright.lake.augment.features import features_of
from rewright.lake.augment.kept import keep_rows
from rewright.lake.augment.metric import FITS
from rewright.lake.embedding import CachedEmbedder, best_embedder

SELECTORS = (
    "embedding",
    "joinable",
    "ours",
    "ours, nothing kept",
    "exhaustive",
    "exhaustive, nothing kept",
)
_NOTHING_KEPT = ", nothing kept"
"""These runs begin without the tables' rows, as on a lake that was served and never indexed; the others have what
`lake index` keeps. Each run opens the lake anew, so that it is a process's first search.
"""
_PREPARING = "preparation"
"""What every search does before it judges anything: the base table, its joins, each table's features by key,
leaks. Measured as an exhaustive search for no table at all; it is in the figures of each selector, too.
"""
_ALL = 10_000
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


def run_case(open_it: Callable[[], Lake], name: str, spec: BaseSpec, tables: int) -> dict[str, Any]:
    """All selectors on one base table, with the metric's own aggregates."""
    row: dict[str, Any] = {"id": name, "table": spec.table, "target": spec.target}
    runs = (*SELECTORS, _PREPARING, _PREPARING + _NOTHING_KEPT)
    for name_of_run in sorted(runs, key=lambda run: not run.endswith(_NOTHING_KEPT)):
        told = name_of_run.split(",")[0]
        options = (
            Options(0, None, selector="exhaustive", aggregates="standard")
            if told == _PREPARING
            else Options(tables, None, selector=told, aggregates="standard")  # type: ignore[arg-type] # one of SELECTORS
        )
        with open_it() as lake:
            lake.graph()
            if name_of_run.endswith(_NOTHING_KEPT):
                features_of(lake).forget()
                features_of(lake).commit()
            else:
                keep_rows(lake)
            try:
                spent = time.process_time()
                report = augment(lake, spec, options)
                spent = time.process_time() - spent
            except AugmentError as error:
                row[name_of_run] = {"error": str(error)}
                continue
        row["baseline"] = round(report.r2_before, 4)
        row["rows"] = report.rows
        row["joins"] = report.candidates
        row[name_of_run] = line_of(report) | {"cpu": round(spent, 3)}
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
            "cpu": round(sum(m["cpu"] for m in mine), 2),
            "evaluations": sum(m["evaluations"] for m in mine),
            "estimates": sum(m["estimates"] for m in mine),
        }
    for what in ("seconds", "cpu"):
        for suffix in ("", _NOTHING_KEPT):
            before = sum(r[_PREPARING + suffix][what] for r in done)
            out.setdefault(_PREPARING + suffix, {})[what] = round(before, 2)
            searching = out["ours" + suffix][what] - before
            most_of_all = out["exhaustive" + suffix][what] - before
            out["ours" + suffix][f"{what} of exhaustive's, both without the preparation"] = round(
                searching / max(most_of_all, 1e-9), 4
            )
    for selector, beside in (
        ("ours", "exhaustive"),
        ("ours", "exhaustive, nothing kept"),
        ("ours, nothing kept", "exhaustive, nothing kept"),
    ):
        for what in ("seconds", "cpu", "evaluations"):
            share = out[selector][what] / max(out[beside][what], 1e-9)
            out[selector][f"{what} of {beside}"] = round(share, 4)
    return out


def planted_runs(seeds: range, tables: int, rows_of: int, decoys: int) -> list[dict[str, Any]]:
    """Selectors on lakes with planted gains; `found`: planted tables recommended; `wrong`: decoys
    recommended. `rows_of`: rows of the base table; `decoys`: how many of them at least.
    """
    rows = []
    for seed in bar(seeds, "planted lakes"):
        with tempfile.TemporaryDirectory() as folder:
            planted = planted_tables(
                Path(folder) / "lake", seed, rows=rows_of, helpful=2 + seed % 3, decoys=decoys + seed % 7
            )
            row = run_case(
                lambda: opened(planted.folder, Path(folder)),  # noqa: B023 - called in this turn
                f"planted {seed}",
                BaseSpec(planted.base, planted.target),
                tables,
            )
        told = set(row["ours"]["recommended"])
        row["possible"] = round(planted.possible, 4)
        row["found"] = len(told & set(planted.helpful)) / len(planted.helpful)
        row["wrong"] = len(told - set(planted.helpful))
        rows.append(row)
    return rows


def scale_runs(sizes: Sequence[int], seed: int, work: Path | None) -> dict[str, Any]:
    """The cost of indexing and of a search against the number of tables: a process's first search, and the
    next.
    """
    rows = []
    for size in sizes:
        with (
            nullcontext(work / f"{seed}-{size}")
            if work is not None
            else tempfile.TemporaryDirectory() as folder
        ):
            Path(folder).mkdir(parents=True, exist_ok=True)
            began = time.monotonic()
            planted = planted_lake(Path(folder) / "lake", seed, size)
            row: dict[str, Any] = {"generated": round(time.monotonic() - began, 2)}
            row["indexing"] = indexed(lambda: opened(planted.folder, Path(folder)))  # noqa: B023 - called in this turn
            row["indexed"] = round(sum(x["seconds"] for x in row["indexing"].values()), 2)
            row["indexed_cpu"] = round(sum(x["cpu"] for x in row["indexing"].values()), 2)
            with opened(planted.folder, Path(folder)) as lake:
                row["tables"] = len(lake.tables())
                for name in ("first", "again"):
                    spent = time.process_time()
                    report = augment(lake, BaseSpec(planted.base, planted.target), Options(5, None))
                    # of all threads: what others do on the machine is not in it
                    row[name] = line_of(report) | {"cpu": round(time.process_time() - spent, 3)}
                told = set(row["again"]["recommended"])
                row["joins"] = report.candidates
                row["possible"] = round(planted.possible, 4)
                row["found"] = len(told & set(planted.helpful)) / len(planted.helpful)
                row["wrong"] = len(told - set(planted.helpful))
        rows.append(row)
        print(f"{row['tables']} tables: indexed in {row['indexed']} s ({row['indexed_cpu']} s of processor), first search {row['first']['seconds']} s ({row['first']['cpu']} s of processor), again {row['again']['seconds']} s ({row['again']['cpu']} s), {row['joins']} joins, planted tables found {row['found']:.2f}, R² {row['again']['r2_recommended']} of {row['possible']}", flush=True)  # fmt: skip
    exponents = {
        f"{name}, {what}": round(exponent([r["tables"] for r in rows], [r[name][what] for r in rows]), 3)
        for name in ("first", "again")
        for what in ("seconds", "cpu")
        if len(rows) > 1
    }
    if len(rows) > 1:
        indexing = [r["indexed_cpu"] for r in rows]
        exponents["indexing, cpu"] = round(exponent([r["tables"] for r in rows], indexing), 3)
    print("cost ~ tables ^", exponents)
    return {"lakes": rows, "exponents": exponents}


def scale_figure(found: dict[str, Any]) -> str:
    """What `scale_runs` gave, as an SVG."""
    lakes = found["lakes"]
    series = {
        "first search": [(row["tables"], row["first"]["cpu"]) for row in lakes],
        "the next": [(row["tables"], row["again"]["cpu"]) for row in lakes],
        "indexing": [(row["tables"], row["indexed_cpu"]) for row in lakes],
    }
    names = {"first search": "first, cpu", "the next": "again, cpu", "indexing": "indexing, cpu"}
    told = found["exponents"]
    return scale_svg(series, {name: told[at] for name, at in names.items() if at in told})


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of log cost over log size, by least squares."""
    return statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, costs)]).slope


_CHAINS = 160
_CHAIN_ROWS = (600, 1200, 2400)


def chain_lake(folder: Path, seed: int) -> tuple[Planted, int]:
    """A lake of 100 to 300 chains, and the length of that with the signal."""
    length = 2 + seed % 4
    # of a table's decoys 40 % lead on to two others
    decoys = round(_CHAINS / (1.8 * length))
    rows = _CHAIN_ROWS[seed % len(_CHAIN_ROWS)]
    made = planted_chain(folder, seed, length=length, rows=rows, decoys=decoys, anywhere=True)
    return made, length


def chain_runs(seeds: range, shares: Sequence[float]) -> list[dict[str, Any]]:
    """Each strategy on chains of 2 to 5 joins, at shares of what judging every chain takes: the share of
    the planted gain found, and what was spent. Each run is a process's first search of an indexed lake.
    """
    rows = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            planted, length = chain_lake(Path(folder) / "lake", seed)
            with opened(planted.folder, Path(folder)) as lake:
                lake.graph()
                keep_rows(lake)
            row: dict[str, Any] = {"seed": seed, "length": length, "possible": round(planted.possible, 4)}

            def run(options: Options) -> dict[str, Any]:
                with opened(planted.folder, Path(folder)) as lake:  # noqa: B023 - called in this turn
                    lake.graph()
                    spent = time.process_time()
                    report = augment(lake, BaseSpec(planted.base, planted.target), options)  # noqa: B023 - as above
                    spent = time.process_time() - spent
                row["rows"] = report.rows  # noqa: B023 - as above
                return chain_line(report, planted) | {"cpu": round(spent, 3)}  # noqa: B023 - as above

            row["full"] = run(Options(1, None, hops=length, chains=_ALL, strategy="bfs"))
            row["auto"] = run(Options(1, None, hops=length, strategy="auto"))
            for share in shares:
                most = max(1, int(row["full"]["chains"] * share))
                for strategy in STRATEGIES:
                    options = Options(1, None, hops=length, chains=most, strategy=strategy)
                    row[f"{strategy} at {share:.0%}"] = run(options)
        rows.append(row)
    return rows


def chain_line(report: Report, planted: Planted) -> dict[str, Any]:
    """What was found of the planted gain, and what it took: chains judged (a look on a few rows counts as
    their share), tables built for all rows, looks, and regressions solved.
    """
    gain = (report.r2_after - report.r2_before) / (planted.possible - report.r2_before)
    return {
        **line_of(report),
        "chains": report.chains,
        "built": report.built,
        "regressions": report.evaluations * FITS + report.estimates,
        "share": round(gain, 4),
    }


def chains_printed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Over all lakes: the share of the planted gain, and of what judging every chain takes."""
    told: dict[str, Any] = {}
    for name in (key for key in rows[0] if isinstance(rows[0][key], dict)):
        runs = [r[name] for r in rows]
        told[name] = {"planted gain found": round(statistics.fmean(t["share"] for t in runs), 4)}
        for what in ("chains", "built", "regressions", "cpu"):
            whole = sum(r["full"][what] for r in rows)
            told[name][what] = round(sum(t[what] for t in runs), 2)
            told[name][f"{what}, of all"] = round(told[name][what] / max(whole, 1e-9), 4)
        print(f"chains, {name}: {told[name]}")
    return told


def indexed(open_it: Callable[[], Lake]) -> dict[str, Any]:
    """What `lake index` does: seconds and processor seconds of profiling with names and values, of the join
    graph, and of the rows that AUGMENT looks at.
    """
    found: dict[str, Any] = {}
    began, spent = time.monotonic(), time.process_time()

    def told(what: str) -> None:
        nonlocal began, spent
        found[what] = {
            "seconds": round(time.monotonic() - began, 2),
            "cpu": round(time.process_time() - spent, 2),
        }
        began, spent = time.monotonic(), time.process_time()

    with open_it() as lake:
        told("profiles, names and values")
        lake.graph()
        told("graph")
        keep_rows(lake)
        told("rows")
    print("indexing", found, flush=True)
    return found


def opened(folder: Path, beside: Path) -> Lake:
    return open_lake(folder, catalog=beside / "catalog.db", embedder=_embedder())


@cache
def _embedder() -> CachedEmbedder:
    return best_embedder()


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
    parser.add_argument("--planted-rows", type=int, default=240, help="rows of their base tables")
    parser.add_argument("--planted-decoys", type=int, default=10, help="tables that tell nothing, at least")
    parser.add_argument("--chains", type=int, default=0, help="lakes with planted chains")
    parser.add_argument("--share", default="0.25,0.5", help="of the chains that a strategy may judge")
    parser.add_argument("--seed", type=int, help="the first seed (default: 0, with --aside 1000)")
    parser.add_argument("--scale", default="", help="numbers of tables, such as 500,2000,10000")
    parser.add_argument("--figure", type=Path, help="write the cost of --scale as this .svg")
    parser.add_argument(
        "--work", type=Path, help="where lakes of --scale stay, with their index, for another run"
    )
    parser.add_argument("--aside", action="store_true", help="seeds that nothing was tuned on")
    parser.add_argument("--history", action="store_true", help="searches with and without what helped before")
    parser.add_argument(
        "--ablations", action="store_true", help="the selectors that ask a model, taken apart"
    )
    augment_ablations.add_arguments(parser)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    first = args.seed if args.seed is not None else ASIDE if args.aside else 0
    document: dict[str, Any] = {
        "machine": platform.platform(),
        "versions": {"python": platform.python_version(), "duckdb": duckdb.__version__, "numpy": metadata.version("numpy")},
    }  # fmt: skip
    if (args.history or args.ablations) and args.data is None:
        parser.error("--history and --ablations need --data")
    if args.ablations:
        document["ablations"] = augment_ablations.run(args)
    elif args.data is not None:
        cases = json.loads((args.data / args.cases).read_text())["no_hop"]
        embedder = best_embedder()
        with tempfile.TemporaryDirectory() as work:
            catalog = Path(work) / "c.db"

            def open_it() -> Lake:
                return open_lake(args.data / args.lake, catalog=catalog, embedder=embedder)

            document["indexing"] = indexed(open_it)
            specs = [(case["id"], spec_of(case)) for case in cases]
            if args.history:
                document["history"] = history_runs(open_it, specs, args.tables)
            else:
                rows = [run_case(open_it, name, spec, args.tables) for name, spec in bar(specs, "tables")]
                document["no_hop"] = {"cases": rows, "summary": summary(rows)}
                printed("no-hop", rows)
    if args.planted:
        rows = planted_runs(
            range(first, first + args.planted), args.tables, args.planted_rows, args.planted_decoys
        )
        document["planted"] = {"cases": rows, "summary": summary(rows)}
        printed("planted", rows)
        print(f"  planted tables found {statistics.fmean(r['found'] for r in rows):.2f}, decoys recommended {sum(r['wrong'] for r in rows)}")  # fmt: skip
    if args.chains:
        shares = [float(share) for share in args.share.split(",")]
        rows = chain_runs(range(first, first + args.chains), shares)
        document["chains"] = {"lakes": rows, "summary": chains_printed(rows)}
    if args.scale:
        document["scale"] = scale_runs([int(size) for size in args.scale.split(",")], first, args.work)
        if args.figure is not None:
            args.figure.write_text(scale_figure(document["scale"]))
    if args.out is not None:
        args.out.write_text(json.dumps(document, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
