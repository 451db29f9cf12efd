"""Answers nearly as likely as the chosen one are compared with it, and lower confidence where they differ."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rewright.engines.duckdb.database import Rows
from rewright.engines.duckdb.errors import NotResolved
from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import best_embedder
from rewright.lake.resolve import rivals
from rewright.lake.resolve.rivals import Comparison, Rival, disputed

CITIES = ["Bergen", "Oslo", "Tromso", "Bodo", "Hamar", "Molde", "Narvik", "Skien", "Larvik", "Moss"]


def _lake(folder: Path, second_counts: int) -> Lake:
    """Two tables that serve a query about visitors equally well, and are no parts of one table."""
    folder.mkdir()
    for name, own, more in (("visitors_north", "guide", 0), ("visitors_south", "boat", second_counts)):
        rows = "\n".join(f"{city},{100 + i + more},{own}{i % 3}" for i, city in enumerate(CITIES))
        (folder / f"{name}.csv").write_text(f"town,visitor_count,{own}\n{rows}\n")
    return open_lake(
        folder, catalog=folder.parent / f"{folder.name}.db", embedder=best_embedder(semantic=False)
    )


QUERY = "SELECT town, visitor_count AS visits FROM visitors WHERE visitor_count > 50"


def _told(folder: Path, second_counts: int) -> tuple[float, dict[str, float]]:
    with _lake(folder, second_counts) as lake:
        told = lake.query(QUERY, "resolve").resolution
    return told.confidence, told.evidence


def test_lookalikes_that_disagree_lower_confidence(tmp_path: Path) -> None:
    agreeing, same = _told(tmp_path / "same", 0)
    disagreeing, other = _told(tmp_path / "other", 7)
    assert same["disputed_tables"] == 0.0
    assert other["disputed_tables"] > 0.3
    assert disagreeing < agreeing - 0.1


def test_dispute_grows_with_nearness_and_number() -> None:
    near, far = Rival("tables", 0.01, 0.0), Rival("tables", 0.2, 0.0)
    assert 0.0 == disputed([], "tables") < disputed([far], "tables") < disputed([near], "tables")
    assert disputed([near], "tables") < disputed([near, near], "tables") < 1.0
    assert disputed([near, Rival("tables", 0.01, 1.0)], "tables") < disputed([near], "tables")
    # what has no answer says nothing, nor does another kind
    assert disputed([Rival("tables", 0.0, None), Rival("column", 0.0, 0.0)], "tables") == 0.0


@pytest.mark.parametrize("most", [5000, 5])
def test_answers_are_compared_whatever_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Also where there are more rows than are fetched."""
    monkeypatch.setattr(rivals, "_ROWS", most)
    with _lake(tmp_path / "lake", 0) as lake:
        sql = "SELECT town, visitor_count * 1.0 AS n FROM visitors_north"
        chosen = Comparison(lake.database, sql, lake.database.execute(sql), 0.0)
        assert chosen.same("SELECT town, visitor_count AS n FROM visitors_south ORDER BY n DESC") == 1.0
        assert chosen.same("SELECT town, visitor_count + 1 AS n FROM visitors_south") == 0.0
        assert (
            chosen.same("SELECT town, visitor_count AS n FROM visitors_south UNION ALL SELECT 'A', 1") == 0.0
        )
        assert chosen.same("SELECT town, visitor_count AS n FROM visitors_south WHERE town = 'no'") is None
        assert chosen.same("SELECT nothing FROM visitors_south") is None


def test_only_the_fetched_part_of_an_answer_is_known(tmp_path: Path) -> None:
    """A server that only describes fetches one row: the whole is compared all the same."""
    with _lake(tmp_path / "lake", 0) as lake:
        sql = "SELECT town FROM visitors_north"
        chosen = Comparison(lake.database, sql, lake.database.execute(sql, limit=1), 0.0)
        assert chosen.same("SELECT town FROM visitors_south") == 1.0
        assert chosen.same("SELECT town FROM visitors_south WHERE town <> 'Oslo'") == 0.0


def test_a_slow_answer_is_not_compared(tmp_path: Path) -> None:
    with _lake(tmp_path / "lake", 0) as lake:
        rows = Rows(("town",), ("VARCHAR",), [("Oslo",)], truncated=True)
        slow = Comparison(lake.database, "SELECT town FROM visitors_north", rows, 60.0)
        told = slow.same("SELECT town FROM visitors_south")
        assert told is not None
        assert 0.0 < told < 0.5


def test_what_is_uncertain_is_asked_back_with_rows_of_both_readings(tmp_path: Path) -> None:
    with _lake(tmp_path / "lake", 7) as lake, pytest.raises(NotResolved) as refused:
        lake.query(QUERY, threshold=0.99)
    asked = (refused.value.hint or "").partition("which is meant? ")[2].splitlines()[0]
    one, two = asked.split(" OR ")
    # each city's visitors are told as either table holds them
    assert "visitors_north" in one + two
    assert "visitors_south" in one + two
    assert re.findall(r"\(Bergen, (\d+)\)", one) != re.findall(r"\(Bergen, (\d+)\)", two)
    assert re.search(r"\(Bergen, 10[07]\)", one)
    assert re.search(r"\(Bergen, 10[07]\)", two)
