"""Columns that are not held in memory: what is estimated of them beside what is counted exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from rewright.engines.duckdb.locked import Limits, open_locked
from rewright.engines.duckdb.reading import Unreadable
from rewright.lake.catalog.counting import Counted, counted
from rewright.lake.catalog.profile import profile
from rewright.lake.catalog.sampling import sampled
from rewright.lake.files.pieces import Piece, Unit

ROWS = 400_000
COLUMNS = (
    ("serial", "BIGINT", "i"),
    ("repeated", "VARCHAR", f"'word ' || (hash(i) % {ROWS // 2})"),
    # a third of the rows says one thing, the rest nearly always another
    (
        "skewed",
        "VARCHAR",
        "CASE WHEN i % 3 = 0 THEN 'usual' WHEN i % 100 = 1 THEN 'at times' ELSE 'rare ' || i // 3 END",
    ),
    ("kind", "VARCHAR", "'kind ' || i % 7"),
    ("gaps", "DOUBLE", "CASE WHEN i % 4 > 0 THEN i / 8 END"),
    ("listed", "INTEGER[]", "[i, i + 1]"),
    ("nothing", "VARCHAR", "NULL"),
)


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    found = duckdb.connect()
    listed = ", ".join(f"CAST({value} AS {type_}) AS {name}" for name, type_, value in COLUMNS)
    found.execute(f"CREATE TABLE big AS SELECT {listed} FROM range({ROWS}) r(i)")
    yield found
    found.close()


@pytest.fixture(scope="module")
def both(connection: Any) -> dict[str, tuple[Counted, Counted]]:
    columns = [(name, type_) for name, type_, _ in COLUMNS]
    exact, estimated = counted(connection, "big", columns), sampled(connection, "big", columns)
    assert exact[0] == estimated[0] == ROWS
    return {name: pair for (name, _), *pair in zip(columns, exact[1], estimated[1], strict=True)}  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name, _, _ in COLUMNS])
def test_estimates_are_near_and_sketches_the_same(both: Any, name: str) -> None:
    exact, estimated = both[name]
    assert (exact.filled, exact.low, exact.high) == (estimated.filled, estimated.low, estimated.high)
    assert estimated.distinct == pytest.approx(exact.distinct, rel=0.02)
    assert estimated.distinct <= estimated.filled
    assert np.array_equal(exact.values.sketch, estimated.values.sketch)
    assert exact.values.complete == estimated.values.complete


@pytest.mark.parametrize("name", ["serial", "gaps", "listed"])
def test_what_never_repeats_is_unique(both: Any, name: str) -> None:
    exact, estimated = both[name]
    assert estimated.distinct == estimated.filled == exact.distinct


def test_few_values_are_counted_exactly(both: Any) -> None:
    exact, estimated = both["kind"]
    assert exact.values.counts == estimated.values.counts


def test_frequent_values_are_found_with_their_number(both: Any) -> None:
    exact, estimated = both["skewed"]
    assert estimated.values.counts[:2] == exact.values.counts[:2]


def test_any_values_stand_for_those_that_hardly_repeat(both: Any, connection: Any) -> None:
    _, estimated = both["repeated"]
    assert len(estimated.values.counts) == 2000
    for value, n in estimated.values.counts[:20]:
        assert connection.execute("SELECT count(*) FROM big WHERE repeated = ?", [value]).fetchone() == (n,)


def test_a_packed_file_larger_than_memory_is_profiled(tmp_path: Path) -> None:
    path = tmp_path / "packed.parquet"
    duckdb.sql(
        "SELECT 'the same long text in every row' || i % 3 AS t, i FROM range(3000000) r(i)"
    ).write_parquet(str(path))
    with open_locked([tmp_path], Limits(memory="100MB", threads=1)) as small:
        table, values = profile(small, "packed", Unit(path, (Piece(path, path),)), "")
    found = table.column("i")
    assert found is not None
    assert (table.rows, found.unique) == (3000000, True)
    assert values["t"].complete


def test_a_value_larger_than_memory_is_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "huge.parquet"
    duckdb.sql("SELECT repeat('x', 200000000) AS t").write_parquet(str(path))
    with open_locked([tmp_path], Limits(memory="100MB", threads=1)) as small, pytest.raises(Unreadable):
        profile(small, "huge", Unit(path, (Piece(path, path),)), "")
