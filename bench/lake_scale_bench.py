"""Scale of the catalog and the join graph: N generated tables, profiled, embedded and joined.

Prints JSON: seconds and memory a size, the growth exponent of CPU seconds between sizes, recall of the generated true joins,
and of the exact build's edges by strength (up to --exact-up-to tables: it is quadratic), and how long queries take to
resolve. Memory is the process's greatest so far: run sizes in separate processes to tell them apart.
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
from pathlib import Path
from typing import Any

from lake.api import open_lake
from lake.embedding import best_embedder
from lake.joins.graph import exact
from lake.joins.scores import USELESS
from lake.resolve.loop import Options

QUERIES = (
    "SELECT shade, COUNT(*) AS n FROM parcels WHERE shade = 'a' GROUP BY shade",
    "SELECT p.status, COUNT(*) AS notes FROM patients p JOIN patient_notes n ON p.id = n.patient GROUP BY p.status",
    "SELECT COUNT(*) AS n FROM turbine_logs WHERE season = 2004",
)
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

    A key table is referred to by a code of texts (all of it or a part, in another case), by a serial number under its own
    name or another, and by numbers written as texts. Every table also has enumerations, years and serial numbers of its own,
    which overlap between all tables and join none.
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


def measure(size: int, seed: int, *, semantic: bool, exact_up_to: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lake-scale-") as name:
        folder = Path(name) / "lake"
        folder.mkdir()
        joins = generate(folder, size, seed)
        embedder = best_embedder(semantic=semantic)
        started = (time.monotonic(), time.process_time())
        with open_lake(
            folder, catalog=Path(name) / "c.db", embedder=embedder, options=Options(semantic=semantic)
        ) as lake:
            opened = (time.monotonic(), time.process_time())
            graph = lake.graph()
            built = (time.monotonic(), time.process_time())
            asked = []
            for query in QUERIES:
                before = time.monotonic()
                answer = lake.query(query, "resolve")
                asked.append(round(time.monotonic() - before, 2))
                assert answer.rows is not None
            out = {
                "tables": len(lake.tables()),
                "columns": len(lake.index.columns),
                "catalog_seconds": round(opened[0] - started[0], 2),
                "catalog_cpu_seconds": round(opened[1] - started[1], 2),
                "graph_seconds": round(built[0] - opened[0], 2),
                "graph_cpu_seconds": round(built[1] - opened[1], 2),
                "query_seconds": asked,
                "catalog_megabytes": round((Path(name) / "c.db").stat().st_size / 2**20, 1),
                "edges": graph.number_of_edges(),
                "true_joins": len(joins),
                "true_joins_found": sum(graph.has_edge(*pair) for pair in joins) / len(joins),
            }
            if size <= exact_up_to:
                out |= _against_exact(graph, exact(lake.index), joins)
        started_again = time.monotonic()
        with open_lake(
            folder, catalog=Path(name) / "c.db", embedder=embedder, options=Options(semantic=semantic)
        ):
            out["reopen_seconds"] = round(time.monotonic() - started_again, 2)
        out["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return out


def _against_exact(
    graph: Any, built: dict[tuple[str, str], Any], joins: list[tuple[str, str]]
) -> dict[str, Any]:
    """Beside the quadratic build: what it finds of the true joins, and how many of its strong edges the graph has."""
    best = {edge: max(p.quality for p in pairs) for edge, pairs in built.items()}
    omega = {edge: max(p.s for p in pairs) for edge, pairs in built.items()}
    sound = {edge for edge, quality in best.items() if quality > USELESS}
    out: dict[str, Any] = {
        "exact_edges": len(built),
        "exact_true_joins_found": sum(tuple(sorted(j)) in sound for j in joins) / len(joins),
    }
    for name, edges in (
        ("quality_0.6", [e for e, q in best.items() if q >= 0.6]),
        ("quality_0.4", [e for e, q in best.items() if q >= 0.4]),
        ("omega_1_of_quality", [e for e, s in omega.items() if s >= 1.0 and best[e] > USELESS]),
        ("omega_1", [e for e, s in omega.items() if s >= 1.0]),
    ):
        out[f"exact_{name}"] = len(edges)
        out[f"exact_{name}_found"] = round(sum(graph.has_edge(*e) for e in edges) / max(len(edges), 1), 4)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 300, 1000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-embeddings", action="store_true")
    parser.add_argument(
        "--exact-up-to", type=int, default=300, help="largest size the quadratic build is made for"
    )
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    runs = [
        measure(size, args.seed, semantic=not args.no_embeddings, exact_up_to=args.exact_up_to)
        for size in args.sizes
    ]
    growth = []
    for a, b in itertools.pairwise(runs):
        total = [max(r["catalog_cpu_seconds"] + r["graph_cpu_seconds"], 0.01) for r in (a, b)]
        growth.append(round(math.log(total[1] / total[0]) / math.log(b["tables"] / a["tables"]), 3))
    text = json.dumps(
        {"seed": args.seed, "embeddings": not args.no_embeddings, "runs": runs, "growth_exponent": growth},
        indent=1,
    )
    print(text)
    if args.out:
        args.out.write_text(text)


if __name__ == "__main__":
    main()
