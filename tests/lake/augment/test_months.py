"""A base table by day and tables by month, which are written in several ways."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.augment.months import is_monthly
from rewright.lake.embedding import CachedEmbedder

DAYS = [date(2021, 2, 3) + timedelta(days=4 * i) for i in range(220)]
SHOPS = [f"Shop {name}" for name in ("Alba", "Brio", "Calt", "Dorn", "Esk")]
Write = Callable[[date], str]
WAYS: dict[str, Write] = {
    "text": lambda d: d.strftime("%Y-%m"),
    "slash": lambda d: d.strftime("%Y/%m"),
    "name": lambda d: d.strftime("%b %Y"),
    "long name": lambda d: d.strftime("%B %Y"),
    "first day": lambda d: d.replace(day=1).isoformat(),
    "short year": lambda d: d.strftime("%b-%y"),
    "digits": lambda d: d.strftime("%Y%m"),
}


@pytest.fixture
def search(tmp_path: Path, embedder: CachedEmbedder) -> Callable[..., Report]:
    """A search over a shop's days whose turnover a month's rain explains, or a shop's month's staff."""
    chance = random.Random(4)
    months = sorted({d.replace(day=1) for d in DAYS})
    rain = {m: chance.gauss(0, 1) for m in months}
    staff = {(s, m): chance.gauss(0, 1) for s in SHOPS for m in months}

    def made(write: Write, *, by_shop: bool = False, day: Write = date.isoformat) -> Report:
        turnover = []
        for i, d in enumerate(DAYS):
            shop, month = SHOPS[i % 5], d.replace(day=1)
            told = staff[shop, month] if by_shop else rain[month]
            turnover.append([day(d), shop, round(100 + 20 * told + chance.gauss(0, 6), 2)])
        tables: dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]] = {
            "turnover": (["day", "shop", "euros"], turnover),
            "noise": (["shop", "floor"], [[s, i] for i, s in enumerate(SHOPS)]),
        }
        if by_shop:
            rows: list[list[object]] = [
                [s, write(m), round(9 + 2 * staff[s, m], 3)] for s in SHOPS for m in months
            ]
            tables["measured"] = (["shop", "month", "level"], rows)
        else:
            tables["measured"] = (
                ["month", "level"],
                [[write(m), round(60 + 9 * rain[m], 3)] for m in months],
            )
        (tmp_path / "lake").mkdir()
        for name, (header, shown) in tables.items():
            with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header, *shown])
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            keep_rows(lake)
            report = augment(lake, BaseSpec("turnover", "euros"), Options(2, None))
            assert lake.execute(f'SELECT count("measured.level") FROM ({report.sql})').rows == [(len(DAYS),)]
        return report

    return made


@pytest.mark.parametrize("way", WAYS)
def test_days_find_the_month_they_are_in(search: Callable[..., Report], way: str) -> None:
    report = search(WAYS[way])
    assert [added.table for added in report.added if added.recommended] == ["measured"]
    assert report.r2_after > 0.8


def test_days_written_as_texts_find_it_too(search: Callable[..., Report]) -> None:
    assert search(WAYS["text"], day=lambda d: d.strftime("%d.%m.%Y")).r2_after > 0.8


@pytest.mark.parametrize("way", ["text", "first day"])
def test_a_month_completes_a_key(search: Callable[..., Report], way: str) -> None:
    """Each shop has another level in each month: neither the shop nor the month tells it alone."""
    report = search(WAYS[way], by_shop=True)
    assert report.r2_after > 0.8
    (path,) = (added.join_path for added in report.added if added.recommended)
    assert "shop" in path
    assert "day = month" in path


@pytest.mark.parametrize(
    "values",
    [["2021-13", "2021-02", "2021-03"], ["12-2021", "x", "2021-03"], ["0001-02", "0001-03", "0001-04"]],
)
def test_other_texts_are_no_months(tmp_path: Path, embedder: CachedEmbedder, values: list[str]) -> None:
    (tmp_path / "lake").mkdir()
    with (tmp_path / "lake" / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["a", "b"], *([v, i] for i, v in enumerate(values))])
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
        assert not is_monthly(lake.index.tables["t"].columns[0])


@pytest.fixture
def by_month(tmp_path: Path, embedder: CachedEmbedder) -> Callable[[Write, Write], Report]:
    """A search over a shop's months, which another table's days or months explain: of days their mean does."""
    chance = random.Random(8)
    months = [date(2016 + m // 12, m % 12 + 1, 1) for m in range(60)]
    rain = {m: chance.gauss(0, 1) for m in months}

    def made(own: Write, theirs: Write) -> Report:
        days = [m + timedelta(days=n) for m in months for n in range(0, 27, 3)]
        told = [[theirs(d), round(60 + 9 * (rain[d.replace(day=1)] + chance.gauss(0, 0.5)), 3)] for d in days]
        sold = [[own(m), s, round(100 + 20 * rain[m] + chance.gauss(0, 6), 2)] for m in months for s in "AB"]
        tables = {"sold": [["month", "shop", "euros"], *sold], "rained": [["at", "mm"], *told]}
        (tmp_path / "lake").mkdir()
        for name, rows in tables.items():
            with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            keep_rows(lake)
            report = augment(lake, BaseSpec("sold", "euros"), Options(2, None))
            assert lake.execute(f'SELECT count("rained.mm (mean)") FROM ({report.sql})').rows == [(120,)]
        return report

    return made


@pytest.mark.parametrize("own", WAYS)
def test_months_find_the_days_that_are_in_them(by_month: Callable[[Write, Write], Report], own: str) -> None:
    report = by_month(WAYS[own], date.isoformat)
    assert [added.table for added in report.added if added.recommended] == ["rained"]
    assert report.r2_after > 0.8


@pytest.mark.parametrize("theirs", WAYS)
@pytest.mark.parametrize("own", ["text", "first day", "digits"])
def test_months_find_months_written_in_other_ways(
    by_month: Callable[[Write, Write], Report], own: str, theirs: str
) -> None:
    assert by_month(WAYS[own], WAYS[theirs]).r2_after > 0.8
