"""On the command line a lake's queries mean what they mean in a session: what PostgreSQL says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, open_lake
from rewright.wiring.lake_answers import answered, served
from rewright.wiring.lake_binding import Asked, Binding
from rewright.wiring.lake_shadow import Shadow

pytestmark = pytest.mark.server


def _write(folder: Path) -> Path:
    (folder / "shops.csv").write_text("city,visitors,opened\nUlm,7,2024-01-05\nBonn,10,2023-02-01\n")
    parcels = "".join(f"{i},{i + 0.25} kg\n" for i in range(1, 9))
    (folder / "parcels.csv").write_text(f"parcel_no,weight\n{parcels}")
    moment = "SELECT TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS seen, MAP {'a': 1} AS more"
    duckdb.sql(f"COPY ({moment}) TO '{folder}/sightings.parquet'")
    return folder


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    catalog = tmp_path_factory.mktemp("catalog") / "shops.db"
    with open_lake(_write(tmp_path_factory.mktemp("shops")), catalog=catalog) as opened:
        yield opened


@pytest.fixture(scope="module")
def dsn(lake: Lake) -> Iterator[str]:
    with served(lake) as address:
        yield address


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT visitors / 2 AS half FROM shops ORDER BY city", [(5,), (3,)]),
        ("SELECT count(*) FROM shops WHERE city ~ 'l'", [(1,)]),
        ("SELECT avg(visitors) FROM shops", [(Decimal("8.5000000000000000"),)]),
        ("SELECT to_char(opened, 'YYYY-MM') FROM shops ORDER BY 1", [("2023-02",), ("2024-01",)]),
        ("SELECT initcap(lower(city)), visitors > 8 FROM shops ORDER BY 1", [("Bonn", True), ("Ulm", False)]),
    ],
)
def test_a_query_that_binds(lake: Lake, dsn: str, query: str, told: list[tuple[Any, ...]]) -> None:
    answer = answered(lake, dsn, query, "bind", 0.7)
    assert answer.rows is not None
    assert answer.rows.rows == told
    assert answer.resolution.kind == "bound"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT max(weight) FROM parcels", True),
        ("SELECT parcel_no FROM parcels ORDER BY weight", True),
        ("SELECT weight FROM parcels ORDER BY parcel_no", False),
        ("SELECT weight FROM parcels", False),
        ("SELECT max(city) FROM shops", False),
    ],
)
def test_a_session_is_told_of_numbers_that_are_compared_by_letters(
    lake: Lake, dsn: str, query: str, *, told: bool
) -> None:
    shadow = Shadow(dsn)
    bound = Binding(lake, shadow).bind(Asked(query, (), False, 0.7))
    shadow.close()
    assert ("compared by letters" in " ".join(bound.prepared.notices)) is told


def test_nanoseconds_are_cut_whatever_engine_shows_them(lake: Lake, dsn: str) -> None:
    """PostgreSQL, which runs what shows a map, would round them."""
    for shown in ("seen", "seen, more"):
        answer = answered(lake, dsn, f"SELECT {shown} FROM sightings", "bind", 0.7)
        assert answer.rows is not None
        assert str(answer.rows.rows[0][0]) == "2024-01-01 00:00:00.123456"


def test_explain_is_asked_for_without_a_word_of_other_parsers(
    lake: Lake, dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = answered(lake, dsn, "EXPLAIN SELECT city FROM shops WHERE opened > '2023-06-01'", "bind", 0.7)
    assert answer.rows is not None
    assert not caplog.records


def test_a_query_that_is_resolved(lake: Lake, dsn: str) -> None:
    answer = answered(lake, dsn, "SELECT town, number_of_visitors / 2 AS half FROM stores", "bind", 0.2)
    assert answer.rows is not None
    assert sorted(answer.rows.rows) == [("Bonn", 5), ("Ulm", 3)]
    assert answer.resolution.kind == "resolved"
    assert answer.rows.columns == ("town", "half")


@pytest.mark.parametrize(
    "query", ["SELECT round(avg(weight), 1) AS r FROM {}", "SELECT round(avg(mass), 1) AS r FROM {}"]
)
@pytest.mark.parametrize("table", ["parcels", "packages"])
def test_what_was_cleaned_may_be_numeric(lake: Lake, dsn: str, query: str, table: str) -> None:
    # the cleaned table stands in a transaction, which a refused text must not end
    answer = answered(lake, dsn, query.format(table), "bind", 0.0)
    assert answer.rows is not None
    assert answer.rows.rows == [(Decimal("4.8"),)]


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ("SELECT no_such_function(city) FROM shops", "42883"),
        ("SELECT 1 / 0 FROM shops", "22012"),
        ("SELECT flux_capacity FROM star_ships", "42P01"),
        ("SELECT pg_read_file('/etc/passwd')", "0A000"),
    ],
)
def test_errors_are_postgresqls(lake: Lake, dsn: str, query: str, state: str) -> None:
    with pytest.raises(LakeError) as caught:
        answered(lake, dsn, query, "bind", 0.99)
    assert caught.value.sqlstate == state


def test_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pairs, out, folder = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl", tmp_path / "shops"
    folder.mkdir()
    _write(folder)
    asked = [
        {"id": 1, "user_query": "SELECT SUM(visitors / 2) AS halves FROM shops"},
        {"id": 2, "user_query": "SELEC"},
    ]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in asked))
    done = CliRunner().invoke(
        rewright, ["lake", "batch", str(folder), str(pairs), "--out", str(out), "--model", "off"]
    )
    assert done.exit_code == 0, done.output
    first, second = [json.loads(line) for line in out.read_text().splitlines()]
    assert first["rows"] == [[8]]
    assert second["error"].startswith("42601")
