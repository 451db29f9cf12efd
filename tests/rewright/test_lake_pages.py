"""What pages say of configured lakes, from their catalogs on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.config.model import Config, Database
from rewright.lake.api import open_lake
from rewright.lake.embedding import best_embedder
from rewright.wiring.lake_tables import lake_joins, lake_profile, lake_rows
from tests.lake.small_lakes import write


def test_tables_and_joins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "lake"
    folder.mkdir()
    write(folder / "patients.csv", ["patient_id", "name"], [[i, f"P {i}"] for i in range(1, 31)])
    write(folder / "visits.csv", ["visit_id", "patient_id"], [[i, 1 + i % 30] for i in range(1, 91)])
    config = Config(databases={"clinic": Database(engine="duckdb", path=str(folder)), "app": Database()})
    with open_lake(folder, embedder=best_embedder(semantic=False)) as lake:
        assert lake_joins(config) == []
        lake.graph()
    assert [(one["database"], one["name"]) for one in lake_rows(config)] == [
        ("clinic", "patients"),
        ("clinic", "visits"),
    ]
    profile = lake_profile(config, "clinic", "visits")
    assert [(one["name"], one["rows"], one["nulls"], one["distinct"]) for one in profile] == [
        ("visit_id", 90, 0, 90),
        ("patient_id", 90, 0, 30),
    ]
    assert (profile[1]["minimum"], profile[1]["maximum"]) == ("1", "30")
    assert lake_profile(config, "clinic", "nothing") == lake_profile(config, "app", "visits") == []
    (join,) = lake_joins(config)
    assert (join["database"], join["a"], join["b"]) == ("clinic", "patients", "visits")
    assert join["columns"][0][:2] == ["patient_id", "patient_id"]
    assert 0 < join["strength"] <= 2
