"""A folder of tables with planted signals, written by a seed, and what AUGMENT recommends of it.

Owns the writer of such folders and the comparison with the exhaustive choice. What the tables are about is said by those who
fill one: `bench.augment_town`, `bench.augment_harbour`, `bench.augment_unseen`.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import best_embedder

_STEMS = (
    "ald",
    "ber",
    "cor",
    "dun",
    "els",
    "fen",
    "gar",
    "hol",
    "ing",
    "kel",
    "lor",
    "mar",
    "nor",
    "ost",
    "pen",
    "ros",
)
_ENDS = ("ford", "ham", "wick", "by", "stead", "mouth", "ley", "bridge")


@dataclass
class Case:
    """A base table of the lake; each of `groups` is a signal, told by any one of its tables; `leaks`: tables whose
    only merit is to give the target away.
    """

    base: str
    target: str
    groups: list[set[str]]
    leaks: set[str] = field(default_factory=set)
    hops: int = 1


@dataclass
class Folder:
    """The tables to be written and the cases over them."""

    chance: random.Random
    tables: dict[str, tuple[Sequence[str], list[list[object]]]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)

    def table(self, name: str, header: Sequence[str], rows: Iterable[list[object]]) -> None:
        shown = list(rows)
        self.chance.shuffle(shown)
        self.tables[name] = (header, shown)

    def noise(self, n: int, of: float = 1.0) -> list[float]:
        return [self.chance.gauss(0, of) for _ in range(n)]

    def places(self, n: int) -> list[str]:
        every = [f"{a}{b}".title() for a in _STEMS for b in _ENDS]
        return self.chance.sample(every, n)

    def others(self, stem: str, key: str, keys: Sequence[object], n: int = 3) -> None:
        """Tables by the same key that tell nothing: walks, counts and rare texts."""
        for i in range(n):
            walk, rows = 0.0, []
            for k in keys:
                walk += self.chance.gauss(0, 1)
                rows.append(
                    [
                        k,
                        round(walk, 2),
                        self.chance.randint(0, 40),
                        self.chance.choice(["open", "shut", "held"]),
                    ]
                )
            self.table(
                f"{stem}_{('register', 'ledger', 'roll')[i]}", [key, f"index_{i}", "count", "state"], rows
            )

    def write(self, folder: Path) -> None:
        write_tables(folder, self.tables)


def write_tables(
    folder: Path, tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[object]]]]
) -> None:
    """A CSV file a table, in a new folder."""
    folder.mkdir()
    for name, (header, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])


SELECTORS = ("ours", "exhaustive")


def run(lake: Lake, case: Case, selector: str) -> dict[str, Any]:
    """What one selector recommends for a case, and what it took."""
    spent = time.process_time()
    chosen: Any = selector  # one of SELECTORS
    options = Options(5, None, selector=chosen, hops=case.hops)
    report = augment(lake, BaseSpec(case.base, case.target), options)
    spent = time.process_time() - spent
    told = [a.table for a in report.added if a.recommended]
    found = [any(_is(t, group) for t in told) for group in case.groups]
    helpful: set[str] = set().union(*case.groups)
    return {
        "found": sum(found) / len(found) if found else 1.0,
        "missing": sorted(t for g, f in zip(case.groups, found, strict=True) if not f for t in g),
        "decoys": [t for t in told if not _is(t, helpful | case.leaks)],
        "leaks recommended": [t for t in told if _is(t, case.leaks)],
        "leaks told": sorted({x.table for x in report.leaks}),
        "before": round(report.r2_before, 3),
        "r2": round(report.r2_after, 3),
        "evaluations": report.evaluations,
        "cpu": round(spent, 3),
    }


def _is(table: str, some: set[str]) -> bool:
    """Whether a table, or a union of partitions that is called after its first or their stem, is one of some."""
    return table in some or any(table.startswith(f"{name}") for name in some)


def main(described: str, kinds: Sequence[Callable[[Folder], None]]) -> None:
    """Write a folder by a seed, search for each of its cases, and say what was found."""
    parser = argparse.ArgumentParser(description=described)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", help="names of base tables, with commas; default: all")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    folder = Folder(random.Random(args.seed))
    for kind in kinds:
        kind(folder)
    some = set(args.cases.split(",")) if args.cases else {case.base for case in folder.cases}
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder.write(Path(name) / "lake")
        for case in folder.cases:
            if case.base in some:
                rows.append({"case": case.base, **_both(Path(name), case)})
                print(json.dumps(rows[-1]), flush=True)
    for selector in SELECTORS:
        print(_summary(selector, [row[selector] for row in rows]))
    if args.out is not None:
        args.out.write_text(json.dumps(rows, indent=1))


def _both(folder: Path, case: Case) -> dict[str, Any]:
    found = {}
    for selector in SELECTORS:
        with open_lake(folder / "lake", catalog=folder / "c.db", embedder=best_embedder()) as lake:
            lake.graph()
            keep_rows(lake)
            found[selector] = run(lake, case, selector)
    return found


def _summary(selector: str, rows: Sequence[dict[str, Any]]) -> str:
    def mean(key: str) -> float:
        return statistics.fmean(row[key] for row in rows)

    def total(key: str) -> int:
        return sum(len(row[key]) for row in rows)

    return (
        f"{selector}: planted tables found {mean('found'):.2f}, R² {mean('before'):.3f} -> {mean('r2'):.3f}, decoys "
        f"recommended {total('decoys')}, leaks recommended {total('leaks recommended')}, "
        f"{sum(row['evaluations'] for row in rows)} evaluations, {sum(row['cpu'] for row in rows):.2f} s of processor"
    )
