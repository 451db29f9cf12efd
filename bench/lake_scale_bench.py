"""Scale of the catalog and the join graph: N generated tables, profiled, embedded, joined, asked and changed.

Prints JSON: of each size, stage by stage, seconds, CPU seconds and the process's greatest memory so far (each
size has a process of its own); the growth exponents of CPU seconds between sizes; recall of the generated
true joins and of the exact build's edges by strength (up to --exact-up-to tables of all of them, beyond of
--exact-sample tables with all others: it is quadratic); how long queries take to resolve, and whether they
found the tables they mean.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sqlglot

from bench.overhead import machine
from rewright.lake.api import Lake, open_lake, work_of
from rewright.lake.catalog.build import discover, refresh
from rewright.lake.catalog.storage import Storage
from rewright.lake.embedding import best_embedder
from rewright.lake.files.preparing import Preparer
from rewright.lake.index import LakeIndex
from rewright.lake.joins.graph import exact
from rewright.lake.joins.scores import USELESS
from rewright.lake.resolve.loop import Options

QUERIES = (
    ("SELECT shade, COUNT(*) AS n FROM parcels WHERE shade = 'a' GROUP BY shade", {"parcel"}),
    (
        (
            "SELECT p.patient_code, COUNT(*) AS notes FROM patients p JOIN patient_notes n ON p.id = n.patient "
            "GROUP BY p.patient_code"
        ),
        {"patient", "patient_note"},
    ),
    ("SELECT COUNT(*) AS n FROM turbine_logs WHERE season = 2004", {"turbine_log"}),
)
"""Queries over an imagined schema, and the tables they mean."""
STAGES = ("profile", "embed", "graph")
HEADS = [
    "order",
    "client",
    "parcel",
    "depot",
    "vessel",
    "crew",
    "ticket",
    "venue",
    "patient",
    "ward",
    "recipe",
    "pantry",
    "lease",
    "tenant",
    "course",
    "lecturer",
    "rover",
    "crater",
    "claim",
    "policy",
    "harvest",
    "orchard",
    "turbine",
    "blade",
    "reactor",
    "permit",
    "donor",
    "grant",
    "orchestra",
    "sonata",
    "glacier",
    "survey",
    "canal",
    "bridge",
    "auction",
    "bidder",
    "fossil",
    "dig",
    "quarry",
    "mine",
    "kiln",
    "vase",
    "loom",
    "fabric",
]
TAILS = [
    "north",
    "south",
    "retail",
    "export",
    "archive",
    "pilot",
    "legacy",
    "europe",
    "asia",
    "coast",
    "valley",
    "island",
    "spring",
    "winter",
    "annual",
    "daily",
    "primary",
    "backup",
    "harbor",
    "summit",
    "delta",
    "plains",
    "upper",
    "lower",
    "inner",
    "outer",
]
ATTRIBUTES = [
    "weight",
    "colour",
    "status",
    "opened",
    "closed",
    "owner",
    "region",
    "rating",
    "price",
    "capacity",
    "remark",
    "category",
    "level",
    "share",
    "origin",
    "grade",
]
PLACES = [
    f"{a}{b}"
    for a in ("Al", "Bor", "Cor", "Dun", "El", "Fen", "Gar", "Hol")
    for b in ("by", "den", "ford", "gate", "ham", "mere")
]


def generate(folder: Path, tables: int, seed: int) -> list[tuple[str, str]]:
    """Groups of four tables about one thing, and lists of places some of them name. Returns the true joins.

    A key table is referred to by a code of texts (all of it or a part, in another case), by a serial number
    under its own name or another, and by numbers written as texts. Every table also has enumerations, years
    and serial numbers of its own, which overlap between all tables and join none.
    """
    rng = random.Random(seed)
    joins: list[tuple[str, str]] = []
    subjects = [f"{head}_{tail}" if tail else head for tail in ("", *TAILS) for head in HEADS]
    places = [f"places_{i}" for i in range(max(1, tables // 400))]
    for i, name in enumerate(places):
        listed = [f"{p} {i}" for p in PLACES]
        _write(folder / f"{name}.csv", ["place", "inhabitants"], [[p, rng.randrange(10**6)] for p in listed])
    for group in range(max(1, (tables - len(places)) // 4)):
        number, subject = divmod(group, len(subjects))
        word = subjects[subject] + (f"_{number}" if number else "")
        joins += _group(folder, rng, word, places)
    return joins


def _group(folder: Path, rng: random.Random, word: str, places: list[str]) -> list[tuple[str, str]]:
    size = rng.randint(25, 60)
    salt = rng.randrange(10**5)
    codes = [f"{word[:2].upper()}{salt:05d}-{rng.randrange(10**6):06d}" for _ in range(size)]
    first = rng.choice([1, 1, 1000, 7001])
    serials = [first + i for i in range(size)]
    located = rng.random() < 0.05
    home = rng.randrange(len(places))
    key, extra = f"{word}_id", rng.sample(ATTRIBUTES, 2)
    header = [key, f"{word}_code", *extra, *(["place"] if located else [])]
    _write(
        folder / f"{word}.csv",
        header,
        [
            [
                s,
                c,
                rng.randrange(1000),
                rng.choice("abcdef"),
                *([f"{rng.choice(PLACES)} {home}"] if located else []),
            ]
            for s, c in zip(serials, codes, strict=True)
        ],
    )
    known = rng.sample(codes, max(4, int(size * rng.choice([0.3, 0.6, 1.0]))))
    lower = rng.random() < 0.3
    log = [rng.choice(known) for _ in range(80)]
    _write(
        folder / f"{word}_log.csv",
        ["entry_id", f"{word}_code", "season", rng.choice(ATTRIBUTES)],
        [
            [i, c.lower() if lower else c, 2000 + rng.randrange(20), rng.choice(["low", "mid", "high"])]
            for i, c in enumerate(log)
        ],
    )
    reference = rng.choice([key, key, f"{word}_ref", f"parent_{word}_id"])
    _write(
        folder / f"{word}_note.csv",
        ["entry_id", reference, "amount", "level"],
        [[i, rng.choice(serials), rng.randrange(500), rng.choice(["low", "mid", "high"])] for i in range(90)],
    )
    # what is told of each, once: the code is unique on both sides
    half = rng.sample(codes, max(3, size // 2))
    _write(
        folder / f"{word}_detail.csv",
        [f"{word}_code", "checked", "flag"],
        [
            [
                c,
                f"20{rng.randrange(10, 23)}-0{rng.randrange(1, 9)}-1{rng.randrange(9)}",
                rng.choice(["Y", "N"]),
            ]
            for c in half
        ],
    )
    out = [(word, f"{word}_{part}") for part in ("log", "note", "detail")]
    return [*out, (places[home], word)] if located else out


def _write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


class Stages:
    """Wall and CPU seconds of named stages, and the process's greatest memory at the end of each."""

    def __init__(self) -> None:
        self.told: dict[str, dict[str, float]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        before = (time.monotonic(), time.process_time())
        yield
        self.told[name] = {
            "seconds": round(time.monotonic() - before[0], 2),
            "cpu_seconds": round(time.process_time() - before[1], 2),
            "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }


def measure(size: int, seed: int, semantic: bool, exact_up_to: int, sample: int) -> dict[str, Any]:
    """All figures of one size. Meant to be the only work of its process."""
    with tempfile.TemporaryDirectory(prefix="lake-scale-") as name:
        folder, catalog = Path(name) / "lake", Path(name) / "c.db"
        folder.mkdir()
        joins = generate(folder, size, seed)
        stages = Stages()
        with stages.stage("profile"):
            storage = Storage(catalog)
            work = work_of(catalog)
            refresh(storage, discover(folder, None, Preparer(storage, work)), [folder, work])
        with stages.stage("embed"):
            LakeIndex(storage, best_embedder(semantic=semantic)).prepare()
        storage.close()
        with stages.stage("open"):
            lake = open_lake(folder, catalog=catalog, options=Options(semantic=semantic))
        with lake:
            with stages.stage("graph"):
                graph = lake.graph()
            out: dict[str, Any] = {"tables": len(lake.tables()), "columns": len(lake.index.columns)}
            out |= {"stages": stages.told, "edges": graph.number_of_edges()}
            out["queries"] = [_asked(lake, query, meant) for query, meant in QUERIES]
            out |= {"true_joins": len(joins), "true_joins_found": _share(joins, graph)}
            among = None
            if size > exact_up_to:
                among = set(random.Random(seed).sample(sorted({j[0] for j in joins}), sample))
            out |= _against_exact(graph, exact(lake.index, among), joins, among)
            out |= _changed(lake, folder, seed, stages)
            out["catalog_mb"] = round(sum(p.stat().st_size for p in Path(name).glob("c.db*")) / 2**20, 1)
        return out


def _asked(lake: Lake, query: str, meant: set[str]) -> dict[str, Any]:
    before = (time.monotonic(), time.process_time())
    answer = lake.query(query, "resolve")
    took = (time.monotonic() - before[0], time.process_time() - before[1])
    named = {
        table.name
        for table in sqlglot.parse_one(answer.resolution.sql, read="duckdb").find_all(sqlglot.exp.Table)
    }
    return {
        "seconds": round(took[0], 2),
        "cpu_seconds": round(took[1], 2),
        "right_tables": named & {t.name for t in lake.tables()} == meant,
        "confidence": round(answer.resolution.confidence, 2),
    }


def _changed(lake: Lake, folder: Path, seed: int, stages: Stages) -> dict[str, Any]:
    """One more group of tables, one changed, one gone: noticed, profiled, embedded, joined."""
    joins = _group(folder, random.Random(seed + 1), "zeppelin", ["places_0"])
    first = sorted(folder.glob("*_note.csv"))
    first[0].unlink()
    with first[1].open("a") as file:
        file.write("9999,1,1,low\n")
    with stages.stage("incremental"):
        update = lake.refresh()
        graph = lake.graph()
    return {
        "incremental": [len(update.added), len(update.changed), len(update.removed)],
        "incremental_joins_found": _share(joins, graph),
    }


def _share(joins: list[tuple[str, str]], graph: Any) -> float:
    return float(round(sum(graph.has_edge(*pair) for pair in joins) / max(len(joins), 1), 4))


def _against_exact(
    graph: Any, built: dict[tuple[str, str], Any], joins: list[tuple[str, str]], among: set[str] | None
) -> dict[str, Any]:
    """Beside the quadratic build: what it finds of the true joins, and how many of its strong edges the graph
    has.
    """
    best = {edge: max(p.quality for p in pairs) for edge, pairs in built.items()}
    omega = {edge: max(p.s for p in pairs) for edge, pairs in built.items()}
    sound = {edge for edge, quality in best.items() if quality > USELESS}
    asked = [tuple(sorted(j)) for j in joins if among is None or among & set(j)]
    out: dict[str, Any] = {
        "exact_tables": "all" if among is None else len(among),
        "exact_edges": len(built),
        "exact_true_joins_found": round(sum(j in sound for j in asked) / len(asked), 4),
    }
    for name, edges in (
        ("true_joins", [j for j in asked if j in sound]),
        ("quality_0.6", [e for e, q in best.items() if q >= 0.6]),
        ("quality_0.4", [e for e, q in best.items() if q >= 0.4]),
        ("omega_1_of_quality", [e for e, s in omega.items() if s >= 1.0 and best[e] > USELESS]),
        ("omega_1", [e for e, s in omega.items() if s >= 1.0]),
    ):
        out[f"exact_{name}"] = len(edges)
        out[f"exact_{name}_recalled"] = round(sum(graph.has_edge(*e) for e in edges) / max(len(edges), 1), 4)
    return out


def _growth(smaller: dict[str, Any], larger: dict[str, Any]) -> dict[str, float]:
    """The exponents e of CPU seconds ~ tables^e, of each stage of building and of all of it."""
    ratio = math.log(larger["tables"] / smaller["tables"])
    found = {}
    for name, stages in (*((s, (s,)) for s in STAGES), ("all", STAGES)):
        spent = [max(sum(run["stages"][s]["cpu_seconds"] for s in stages), 0.01) for run in (smaller, larger)]
        found[name] = round(math.log(spent[1] / spent[0]) / ratio, 3)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 300, 1000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-embeddings", action="store_true")
    parser.add_argument(
        "--exact-up-to", type=int, default=300, help="largest size the quadratic build is made for"
    )
    parser.add_argument("--exact-sample", type=int, default=60, help="key tables it is made for beyond that")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        asked = (args.seed, not args.no_embeddings, args.exact_up_to, args.exact_sample)
        runs = [pool.submit(measure, size, *asked).result() for size in args.sizes]
    growth = [_growth(a, b) for a, b in itertools.pairwise(runs)]
    found = {
        **machine(),
        "seed": args.seed,
        "embeddings": not args.no_embeddings,
        "runs": runs,
        "growth_exponents": growth,
    }
    text = json.dumps(found, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
