"""A base table by day and tables by week or by quarter, written in several ways."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, indexed

DAYS = [date(2015, 1, 2) + timedelta(days=9 * i) for i in range(300)]
Write = Callable[[date], str]


def week(d: date) -> tuple[int, int]:
    return d.isocalendar()[:2]


def quarter(d: date) -> tuple[int, int]:
    return d.year, (d.month - 1) // 3 + 1


@pytest.mark.parametrize(
    ("period", "write", "day"),
    [
        (week, lambda y, n: f"{y}-W{n:02d}", date.isoformat),
        (week, lambda y, n: f"week {n}, {y}", lambda d: d.strftime("%d.%m.%Y")),
        (quarter, lambda y, n: f"Q{n} {y}", date.isoformat),
        (quarter, lambda y, n: f"{y}q{n}", lambda d: d.strftime("%d %b %Y")),
    ],
)
def test_days_meet_longer_times(
    tmp_path: Path,
    embedder: CachedEmbedder,
    period: Callable[[date], tuple[int, int]],
    write: Callable[[int, int], str],
    day: Write,
) -> None:
    chance = random.Random(6)
    fuel = {p: chance.gauss(0, 1) for p in sorted({period(d) for d in DAYS})}
    sold = [[day(d), round(100 + 9 * fuel[period(d)] + chance.gauss(0, 3), 2)] for d in DAYS]
    tables: Tables = {
        "sold": (["sold_on", "price"], sold),
        "fuel": (["period", "per_litre"], [[write(*p), round(x, 3)] for p, x in fuel.items()]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("sold", "price"))
        assert [a.table for a in found.added if a.recommended] == ["fuel"]
        assert found.added[0].coverage == 1.0
        asked = f'SELECT count("fuel.per_litre"), count(*) FROM ({found.sql})'
        assert lake.database.cursor(asked).execute(asked).fetchone() == (len(DAYS), len(DAYS))
