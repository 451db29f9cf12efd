"""A table that only tells its keys apart is not recommended where many rows have each key."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

from rewright.lake.augment.api import BaseSpec
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, searched


def test_walks_over_days_are_not_recommended(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(3)
    days = [date(2021, 1, 4) + timedelta(days=n) for n in range(300)]
    heat = {d: chance.gauss(0, 1) for d in days}
    trend, walk, walks = 0.0, 0.0, []
    prices = []
    for d in days:
        trend += chance.gauss(0, 1)
        walk += chance.gauss(0, 1)
        walks.append([d.isoformat(), round(walk, 2)])
        prices += [
            [d.isoformat(), stall, round(80 + trend + 4 * heat[d] + chance.gauss(0, 1), 2)]
            for stall in "abcd"
        ]
    tables: Tables = {
        "prices": (["day", "stall", "price"], prices),
        "steps": (["day", "level"], walks),
        "heats": (["day", "degrees"], [[d.isoformat(), round(heat[d], 3)] for d in days]),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("prices", "price", features=("stall",)))
    assert [a.table for a in found.added if a.recommended] == ["heats"]
    told = {a.table: a.evidence() for a in found.added}
    assert "does not hold for keys that were not seen" in told["steps"]


def test_what_tells_few_keys_apart_by_chance(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(8)
    ships = [f"S{n}" for n in chance.sample(range(1000, 9999), 60)]
    true, known = ({s: chance.gauss(0, 1) for s in ships} for _ in range(2))
    calls = [
        [s, round(30 + 4 * true[s] + 4 * known[s] + chance.gauss(0, 2), 2)] for s in ships for _ in range(12)
    ]
    decoys = [f"c{i}" for i in range(6)]
    tables: Tables = {
        "calls": (["ship", "hours"], calls),
        "draughts": (["ship", "metres"], [[s, round(known[s], 3)] for s in ships]),
        "registers": (["ship", *decoys], [[s, *(round(chance.gauss(0, 1), 3) for _ in decoys)] for s in ships]),
    }  # fmt: skip
    found = searched(tmp_path, embedder, tables, BaseSpec("calls", "hours"))
    assert [a.table for a in found.added if a.recommended] == ["draughts"]
