"""Months, quarters, weeks and days across that only numbers tell; flags, which nobody adds up by another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, columns_of, table

SITES = ("LX1", "PT1", "CB1", "FR1")


def across(prefix: str, count: int, first: int = 1) -> tuple[str, list[str]]:
    header = ",".join(["site", *(f"{prefix}{n}" for n in range(first, first + count))])
    return header, [
        ",".join([site, *(str(100 * (7 * i + n * n % 11)) for n in range(count))])
        for i, site in enumerate(SITES)
    ]


@pytest.mark.parametrize(
    ("prefix", "count", "mark"),
    [("", 12, "month"), ("m", 12, "month"), ("month_", 12, "month"), ("Q", 4, "quarter"), ("w", 53, "week")],
)
def test_numbered_parts_of_a_year_are_rows(
    prefix: str, count: int, mark: str, tmp_path: Path, embedder: CachedEmbedder
) -> None:
    table(tmp_path, "targets", *across(prefix, count))
    with open_lake(tmp_path, embedder=embedder) as lake:
        united = lake.index.unions[f"targets_by_{mark}"]
        assert [c.name for c in united.table.columns] == [mark, "site", "targets"]
        found = asked(
            lake, f"SELECT {mark}, SUM(target) AS target FROM targets WHERE site = 'LX1' GROUP BY {mark}"
        )
        assert found.rows is not None
        assert len(found.rows.rows) == count


@pytest.mark.parametrize(
    ("prefix", "count", "first"), [("", 11, 1), ("", 12, 2), ("q", 5, 1), ("item", 12, 1)]
)
def test_other_numbers_are_no_months(
    prefix: str, count: int, first: int, tmp_path: Path, embedder: CachedEmbedder
) -> None:
    table(tmp_path, "targets", *across(prefix, count, first))
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert not lake.index.unions


def test_rows_that_count_up_themselves_have_no_header(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "ranks", "a,1,2,3,4", ["b,1,2,3,4", "c,1,2,3,4", "d,1,2,3,4"])
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert lake.execute("SELECT count(*) FROM ranks").rows == [(4,)]


def test_a_flag_is_no_amount(tmp_path: Path, embedder: CachedEmbedder) -> None:
    rows = [f"{i},{i % 7},{30 + 5 * (i % 110)},{int(i % 5 > 0)}" for i in range(60)]
    table(tmp_path, "invoices", "inv_no,cli_no,gross,is_paid", rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        found = asked(lake, "SELECT SUM(amount) AS billed FROM invoices")
        assert columns_of(found) == {"amount": "invoices.gross"}
