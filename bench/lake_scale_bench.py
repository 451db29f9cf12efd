"""Scale of the catalog and the join graph: N generated tables, profiled, embedded and joined.

Prints JSON: seconds and memory a size, the growth exponent between sizes, recall of the generated true joins and of the
exact graph's strong edges (smallest size only: exact is quadratic), and how long a query takes to resolve.
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
from lake.resolve.loop import Options

SUBJECTS = [
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


def generate(folder: Path, tables: int, seed: int) -> list[tuple[str, str]]:
    """Groups of three tables: a key table, and two that refer to it. Returns the true joins."""
    rng = random.Random(seed)
    joins = []
    for group in range(max(1, tables // 3)):
        word, mark = SUBJECTS[group % len(SUBJECTS)], f"{group:05d}"
        keys = [f"{word[:2].upper()}{mark}-{rng.randrange(10**6):06d}" for _ in range(40)]
        extra = rng.sample(ATTRIBUTES, 3)
        _write(
            folder / f"{word}_{mark}.csv",
            [f"{word}_code", *extra],
            [[k, rng.randrange(1000), rng.choice("abcdef"), rng.random()] for k in keys],
        )
        for other in ("log", "note"):
            name = f"{word}_{other}_{mark}"
            rows = [
                [i, rng.choice(keys), rng.randrange(500), rng.choice(["low", "mid", "high"])]
                for i in range(80)
            ]
            _write(folder / f"{name}.csv", ["entry_id", f"{word}_code", *rng.sample(ATTRIBUTES, 2)], rows)
            joins.append(tuple(sorted((f"{word}_{mark}", name))))
    return joins


def _write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def measure(size: int, seed: int, *, semantic: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lake-scale-") as name:
        folder = Path(name) / "lake"
        folder.mkdir()
        joins = generate(folder, size, seed)
        started = time.monotonic()
        with open_lake(
            folder,
            catalog=Path(name) / "c.db",
            embedder=best_embedder(semantic=semantic),
            options=Options(semantic=semantic),
        ) as lake:
            opened = time.monotonic()
            graph = lake.graph()
            built = time.monotonic()
            lake.query("SELECT crate_colour FROM parcels WHERE crate_colour = 'a'", "resolve")
            answered = time.monotonic()
            out = {
                "tables": size,
                "catalog_seconds": round(opened - started, 2),
                "graph_seconds": round(built - opened, 2),
                "query_seconds": round(answered - built, 2),
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "edges": graph.number_of_edges(),
                "true_joins_found": sum(graph.has_edge(*pair) for pair in joins) / len(joins),
            }
            if size <= 100:
                strong = [
                    edge for edge, pairs in exact(lake.index).items() if max(p.quality for p in pairs) >= 0.6
                ]
                out["exact_strong_found"] = sum(graph.has_edge(*edge) for edge in strong) / max(
                    len(strong), 1
                )
            return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 300, 1000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-embeddings", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    runs = [measure(size, args.seed, semantic=not args.no_embeddings) for size in args.sizes]
    growth = []
    for a, b in itertools.pairwise(runs):
        total = [max(r["catalog_seconds"] + r["graph_seconds"], 0.01) for r in (a, b)]
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
