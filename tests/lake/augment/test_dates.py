"""Where both sides are dated, a base row gets what was known by its day: neither what came later, nor a
sum over it.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.augment.encoding import Aggregates
from rewright.lake.embedding import CachedEmbedder

Rows = Sequence[Sequence[object]]
Make = Callable[[Rows, Rows], Lake]
SPEC = BaseSpec("orders", "worth", features=())
START = date(2020, 1, 1)


@pytest.fixture
def make(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Make]:
    lakes: list[Lake] = []

    def made(orders: Rows, visits: Rows) -> Lake:
        folder = tmp_path / "lake"
        folder.mkdir()
        for name, header, rows in (
            ("orders", ["client", "day", "worth"], orders),
            ("visits", ["client", "seen_on", "mood"], visits),
        ):
            with (folder / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header, *rows])
        lakes.append(open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder))
        return lakes[-1]

    yield made
    for lake in lakes:
        lake.close()


def clients(n: int) -> list[str]:
    return [f"C{i * 37 + 1009}" for i in range(n)]


def notes(report: Report) -> str:
    return " ".join(report.notes)


def joined(lake: Lake, report: Report) -> dict[tuple[str, str], float | None]:
    """(client, day) -> the mood that the augmented table has."""
    found = lake.execute(f'SELECT client, "day", "visits.mood (latest)" FROM ({report.sql})').rows
    assert len(found) == report.rows
    return {(str(c), str(d)[:10]): m for c, d, m in found}


def expected(orders: Rows, visits: Rows) -> dict[tuple[str, str], float | None]:
    out: dict[tuple[str, str], float | None] = {}
    for client, day, _ in orders:
        before = [(seen, mood) for c, seen, mood in visits if c == client and str(seen) <= str(day)]
        out[str(client), str(day)] = float(str(max(before)[1])) if before else None
    return out


@pytest.mark.parametrize("aggregates", ["standard", "all"])
def test_rows_before_and_after_of_each_key(make: Make, aggregates: Aggregates) -> None:
    """What was seen before explains the order; what was seen after is the order itself."""
    chance = random.Random(2)
    orders, visits = [], []
    for client in clients(150):
        for turn in range(2):
            day = START + timedelta(days=200 * turn + chance.randrange(60))
            mood = chance.gauss(0, 1)
            worth = round(5 + 2 * mood + chance.gauss(0, 1), 4)
            orders.append([client, day, worth])
            visits.append([client, day - timedelta(days=chance.randint(0, 20)), round(mood, 4)])
            visits.append([client, day + timedelta(days=chance.randint(1, 20)), worth])
    chance.shuffle(visits)
    lake = make(orders, visits)
    report = augment(lake, SPEC, Options(aggregates=aggregates))
    assert [a.table for a in report.added if a.recommended] == ["visits"]
    assert 0.7 < report.r2_after < 0.85
    assert "dated after their own day" in notes(report)
    told, wanted = joined(lake, report), expected(orders, visits)
    assert told.keys() == wanted.keys()
    assert all(told[key] == pytest.approx(wanted[key]) for key in wanted)


def test_a_table_of_which_nine_tenths_are_later(make: Make) -> None:
    """The target itself, but filed later for nine orders of ten: those are dropped and said."""
    chance = random.Random(3)
    orders, visits = [], []
    for i, client in enumerate(clients(200)):
        day = START + timedelta(days=chance.randrange(300))
        worth = round(chance.gauss(10, 3), 4)
        orders.append([client, day, worth])
        visits.append([client, day + timedelta(days=9 if i % 10 else -9), worth if i % 10 else round(chance.gauss(10, 3), 4)])  # fmt: skip
    report = augment(make(orders, visits), SPEC)
    assert not [a for a in report.added if a.recommended]
    assert "180 of 200 rows would get values dated after their own day" in notes(report)


def test_a_table_that_is_later_altogether_is_a_leak(make: Make) -> None:
    chance = random.Random(4)
    orders, visits = [], []
    for client in clients(150):
        day = START + timedelta(days=chance.randrange(300))
        worth = round(chance.gauss(10, 3), 4)
        orders.append([client, day, worth])
        visits.append([client, day + timedelta(days=2), round(worth + chance.gauss(0, 1), 4)])
    report = augment(make(orders, visits), SPEC)
    assert not report.added
    assert {(leak.table, leak.column) for leak in report.leaks} >= {("visits", "mood")}
    assert all("after" in leak.reason for leak in report.leaks)


def test_a_table_that_is_earlier_altogether_is_joined_as_ever(make: Make) -> None:
    chance = random.Random(5)
    orders, visits = [], []
    for client in clients(150):
        mood = chance.gauss(0, 1)
        orders.append([client, START + timedelta(days=100), round(5 + 2 * mood + chance.gauss(0, 1), 4)])
        visits += [[client, START + timedelta(days=d), round(mood if d == 30 else 9.0, 4)] for d in (10, 30)]
    lake = make(orders, visits)
    report = augment(lake, SPEC)
    assert report.r2_after > 0.7
    assert "dated after" not in notes(report)
    assert "ASOF" not in report.sql
