"""Days whose years have two digits: what DuckDB takes for a year first is the day, and is told over the column."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, rows_of, table

_DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i * 3) for i in range(110)]


@pytest.mark.parametrize("written", ["%d/%m/%y", "%m/%d/%y", "%d.%m.%y", "%d-%m-%y"])
def test_days_with_short_years_are_read_as_days(
    tmp_path: Path, embedder: CachedEmbedder, written: str
) -> None:
    table(
        tmp_path,
        "visits",
        "no,visit_day,guests",
        [(i, d.strftime(written), i % 5) for i, d in enumerate(_DAYS)],
    )
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT count(*) AS n FROM visits WHERE visit_date < '2024-04-01'")
        assert rows_of(answer) == [(sum(d < dt.date(2024, 4, 1) for d in _DAYS),)]


def test_other_days_and_moments_keep_their_types(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "visits", "no,day,seen_at", [(i, d, f"{d} 10:30:00") for i, d in enumerate(_DAYS)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        found = lake.execute("SELECT min(day), max(seen_at) FROM visits").rows
        assert tuple(found[0]) == (_DAYS[0], dt.datetime.combine(_DAYS[-1], dt.time(10, 30)))
