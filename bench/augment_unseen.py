"""Lakes of other kinds than those that AUGMENT was built on: which planted tables are found, what is recommended
that should not be.

`python -m bench.augment_unseen --seeds 0-6`: a kind a seed, in turn. Keys of other formats and of several columns,
many rows on both sides, texts and dates, copies of one signal, columns that give the target away in ways of their
own. Seeds from 1000 on are kept aside: their first run is told, nothing is tuned on them.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench.augment_folder import write_tables
from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import best_embedder

_WORDS = [
    "amber",
    "birch",
    "cedar",
    "dover",
    "ember",
    "fjord",
    "gravel",
    "hazel",
    "iris",
    "jasper",
    "kelp",
    "larch",
    "maple",
    "nectar",
    "olive",
    "pebble",
    "quartz",
    "raven",
    "sable",
    "thistle",
    "umber",
    "violet",
    "willow",
    "yarrow",
    "zephyr",
]
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass
class Lake:
    """A lake to be written. `groups`: sets of tables of which any one is to be found; `leaks`: tables whose only
    merit is to give the target away; `possible`: R² with all signals.
    """

    chance: random.Random
    base: str
    target: str
    possible: float
    tables: dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]] = field(default_factory=dict)
    groups: list[set[str]] = field(default_factory=list)
    leaks: set[str] = field(default_factory=set)

    def write(self, folder: Path) -> None:
        write_tables(folder, self.tables)


def names(chance: random.Random, n: int) -> list[str]:
    return [f"{a}_{b}" for a, b in (chance.sample(_WORDS, 2) for _ in range(n))]


def noisy(chance: random.Random, signal: float, noise: float = 0.5) -> float:
    return round(50 + 10 * (signal + chance.gauss(0, noise)), 3)


def decoys(lake: Lake, key: Sequence[str], keys: Sequence[Sequence[object]], n: int = 8) -> None:
    """Tables of the same keys that tell nothing."""
    chance = lake.chance
    for i in range(n):
        some = chance.sample(list(keys), int(len(keys) * chance.uniform(0.6, 1.0)))
        width = chance.randint(1, 5)
        header = [*key, *(f"{chance.choice(_WORDS)}_{j}" for j in range(width))]
        rows = [[*k, *(round(chance.gauss(0, 1), 3) for _ in range(width))] for k in some]
        lake.tables[f"{chance.choice(_WORDS)}_{i}_side"] = (header, rows)


def composite(chance: random.Random) -> Lake:
    """The key is a station and a month; each alone tells nothing."""
    lake = Lake(chance, "yields", "harvest", 1 / 1.25)
    stations = [f"{a.title()} {b.title()}" for a, b in (chance.sample(_WORDS, 2) for _ in range(24))]
    keys = [(s, f"{2018 + m // 12}-{m % 12 + 1:02d}") for s in dict.fromkeys(stations) for m in range(14)]
    signal = {k: chance.gauss(0, 1) for k in keys}
    lake.tables["yields"] = (["station", "month", "harvest"], [[*k, noisy(chance, signal[k])] for k in keys])
    lake.tables["soil_readings"] = (
        ["month", "site", "moisture", "crew"],
        [
            [m, s.upper(), round(3 + signal[s, m], 3), chance.choice("ABC")]
            for s, m in keys
            if chance.random() < 0.95
        ],
    )
    lake.groups = [{"soil_readings"}]
    decoys(lake, ["station"], [[s] for s in dict.fromkeys(stations)], 4)
    decoys(lake, ["station", "month"], keys, 6)
    return lake


def many(chance: random.Random) -> Lake:
    """Several rows per key on both sides; the largest value and the number of rows tell."""
    lake = Lake(chance, "visits", "spent", 1 / 1.25)
    members = [f"M-{n}" for n in chance.sample(range(1000, 9999), 150)]
    top = {m: chance.gauss(0, 1) for m in members}
    often = {m: chance.randint(1, 12) for m in members}
    signal = {m: (top[m] + (often[m] - 6.5) / 3.45) / 2**0.5 for m in members}
    lake.tables["visits"] = (
        ["member", "spent"],
        [[m, noisy(chance, signal[m])] for m in members for _ in range(chance.randint(1, 4))],
    )
    rows = []
    for m in members:
        rest = [top[m] - abs(chance.gauss(0, 2)) for _ in range(chance.randint(1, 5))]
        rows += [[m, round(v, 3)] for v in chance.sample([top[m], *rest], 1 + len(rest))]
    lake.tables["bids"] = (["member", "offer"], rows)
    lake.tables["calls"] = (
        ["member_no", "minutes"],
        [[m, chance.randint(1, 60)] for m in members for _ in range(often[m])],
    )
    lake.groups = [{"bids"}, {"calls"}]
    decoys(lake, ["member"], [[m] for m in members for _ in range(2)])
    return lake


def texts(chance: random.Random) -> Lake:
    """A text of few classes tells, and one of many by how frequent its value is."""
    lake = Lake(chance, "flats", "rent", 1 / 1.25)
    flats = [f"{chance.choice('NSEW')}{n}" for n in chance.sample(range(100, 999), 260)]
    kinds = dict(zip(["loft", "attic", "cellar", "house", "cabin"], [1.4, 0.6, -1.5, 0.3, -0.8], strict=True))
    kind = {f: chance.choice(list(kinds)) for f in flats}
    streets = [f"{w} {s}" for w in _WORDS for s in ("road", "lane", "row", "yard")]
    weights = [1.0 / (1 + i) for i in range(len(streets))]
    street = {f: chance.choices(streets, weights)[0] for f in flats}
    common = {s: list(street.values()).count(s) for s in streets}
    told = {f: min(2.0, common[street[f]] / 20) - 1 for f in flats}
    signal = {f: (kinds[kind[f]] + told[f]) / 1.3 for f in flats}
    lake.tables["flats"] = (["flat", "rent"], [[f, noisy(chance, signal[f])] for f in flats])
    lake.tables["survey_forms"] = (
        ["flat", "sort", "inspector"],
        [
            [f, kind[f] if chance.random() < 0.9 else "", chance.choice(["Ito", "Kahn", "Moss"])]
            for f in flats
        ],
    )
    lake.tables["postal"] = (["flat_id", "street"], [[f, street[f]] for f in flats])
    lake.groups = [{"survey_forms"}, {"postal"}]
    decoys(lake, ["flat"], [[f] for f in flats])
    return lake


def dates(chance: random.Random) -> Lake:
    """The key is a day, written in another way in each table."""
    lake = Lake(chance, "traffic", "cars", 1 / 1.25)
    days = [date(2021, 1, 1) + timedelta(days=n) for n in range(320)]
    one, two = ({d: chance.gauss(0, 1) for d in days} for _ in range(2))
    lake.tables["traffic"] = (
        ["day", "cars"],
        [[d.isoformat(), noisy(chance, (one[d] + two[d]) / 2**0.5)] for d in days],
    )
    lake.tables["weather_log"] = (
        ["date", "rain"],
        [[f"{d.day:02d}/{d.month:02d}/{d.year}", round(3 + one[d], 3)] for d in days],
    )
    lake.tables["tickets"] = (
        ["on_day", "sold"],
        [[f"{d.day} {_MONTHS[d.month - 1]} {d.year}", round(90 + 9 * two[d], 2)] for d in days],
    )
    lake.groups = [{"weather_log"}, {"tickets"}]
    decoys(lake, ["day"], [[d.isoformat()] for d in days])
    return lake


def formats(chance: random.Random) -> Lake:
    """The same code with zeros before it, without them, with a prefix and other signs, in another case."""
    lake = Lake(chance, "pumps", "wear", 1 / 1.25)
    numbers = chance.sample(range(120, 99_999), 220)
    signals = [{n: chance.gauss(0, 1) for n in numbers} for _ in range(3)]
    lake.tables["pumps"] = (
        ["pump_id", "wear"],
        [[f"PU-{n:06d}", noisy(chance, sum(s[n] for s in signals) / 3**0.5)] for n in numbers],
    )
    lake.tables["motor_tests"] = (
        ["pump", "torque"],
        [[f"pu {n:06d}", round(7 + signals[0][n], 3)] for n in numbers],
    )
    lake.tables["seal_orders"] = (
        ["pump_ref", "pressure"],
        [[f"{'Pu' if n % 2 else 'PU'}_{n:06d} ", round(2 + signals[1][n], 3)] for n in numbers],
    )
    lake.tables["valve_book"] = (
        ["pump id", "flow"],
        [[f"PU/{n:06d}", round(1 + signals[2][n], 3)] for n in numbers],
    )
    lake.groups = [{"motor_tests"}, {"seal_orders"}, {"valve_book"}]
    decoys(lake, ["pump_id"], [[f"PU-{n:06d}"] for n in numbers])
    return lake


def copies(chance: random.Random) -> Lake:
    """Four tables hold the same signal with noise of their own; one other signal stands alone."""
    lake = Lake(chance, "clinics", "waiting", 1 / 1.25)
    codes = [f"C{n}" for n in chance.sample(range(1000, 9999), 200)]
    one, two = ({c: chance.gauss(0, 1) for c in codes} for _ in range(2))
    lake.tables["clinics"] = (
        ["clinic", "waiting"],
        [[c, noisy(chance, (one[c] + two[c]) / 2**0.5)] for c in codes],
    )
    alike = {f"staff_{y}_list": 0.02 * i for i, y in enumerate(("early", "late", "mid", "old"), 1)}
    for name, spread in alike.items():
        lake.tables[name] = (
            ["clinic", f"nurses_{name[6:9]}"],
            [[c, round(30 + 5 * (one[c] + chance.gauss(0, spread)), 3)] for c in codes],
        )
    lake.tables["buildings"] = (["clinic", "rooms"], [[c, round(12 + 2 * two[c], 3)] for c in codes])
    lake.groups = [set(alike), {"buildings"}]
    decoys(lake, ["clinic"], [[c] for c in codes])
    return lake


def leaks(chance: random.Random) -> Lake:
    """The target rounded, its logarithm, its decile, itself in two halves, and a fee made of it afterwards."""
    lake = Lake(chance, "parcels", "cost", 1 / 1.25)
    codes = [f"P{n}" for n in chance.sample(range(10_000, 99_999), 240)]
    signal = {c: chance.gauss(0, 1) for c in codes}
    cost = {c: noisy(chance, signal[c]) for c in codes}
    order = sorted(codes, key=lambda c: cost[c])
    decile = {c: i * 10 // len(order) for i, c in enumerate(order)}
    part = {c: chance.uniform(0.3, 0.7) * cost[c] for c in codes}
    lake.tables["parcels"] = (["parcel", "cost"], [[c, cost[c]] for c in codes])
    lake.tables["weights"] = (["parcel", "kilos"], [[c, round(4 + signal[c], 3)] for c in codes])
    import math

    for name, header, told in (
        ("rounded", ["figure"], lambda c: [round(cost[c])]),
        ("logged", ["measure"], lambda c: [round(math.log(max(cost[c], 1.0)), 4)]),
        ("bands", ["band"], lambda c: [decile[c]]),
        ("halves", ["first_half", "second_half"], lambda c: [round(part[c], 3), round(cost[c] - part[c], 3)]),
        ("invoices", ["fee"], lambda c: [round(1.19 * cost[c] + chance.gauss(0, 1), 2)]),
    ):
        lake.tables[f"{name}_sheet"] = (["parcel", *header], [[c, *told(c)] for c in codes])
        lake.leaks.add(f"{name}_sheet")
    lake.groups = [{"weights"}]
    decoys(lake, ["parcel"], [[c] for c in codes])
    return lake


KINDS: tuple[Callable[[random.Random], Lake], ...] = (
    composite, many, texts, dates, formats, copies, leaks,
)  # fmt: skip


def run(seed: int) -> dict[str, Any]:
    kind = KINDS[seed % len(KINDS)]
    lake = kind(random.Random(seed))
    with tempfile.TemporaryDirectory() as name:
        lake.write(Path(name) / "lake")
        with open_lake(Path(name) / "lake", catalog=Path(name) / "c.db", embedder=best_embedder()) as opened:
            keep_rows(opened)
            report = augment(opened, BaseSpec(lake.base, lake.target), Options(5))
    told = [a.table for a in report.added if a.recommended]
    found = [bool(group & set(told)) for group in lake.groups]
    helpful = set().union(*lake.groups)
    return {
        "seed": seed,
        "kind": kind.__name__,
        "found": sum(found) / len(found),
        "redundant": sum(max(0, len(group & set(told)) - 1) for group in lake.groups),
        "decoys": sorted(set(told) - helpful - lake.leaks),
        "leaks_recommended": sorted(set(told) & lake.leaks),
        "leaks_told": sorted({x.table for x in report.leaks}),
        "leaks_told_wrongly": sorted({x.table for x in report.leaks} - lake.leaks),
        "r2": round(report.r2_after, 4),
        "possible": round(lake.possible, 4),
        "missing": sorted(t for g, f in zip(lake.groups, found, strict=True) if not f for t in g),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-6", help="from-to")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    rows = []
    for seed in range(int(first), int(last or first) + 1):
        rows.append(run(seed))
        print(json.dumps(rows[-1]), flush=True)
    print(
        f"planted tables found {statistics.fmean(r['found'] for r in rows):.2f}, decoys recommended "
        f"{sum(len(r['decoys']) for r in rows)}, copies {sum(r['redundant'] for r in rows)}, leaks recommended "
        f"{sum(len(r['leaks_recommended']) for r in rows)}"
    )
    if args.out is not None:
        args.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
