"""A Delta table is what its log says: rows that it took out are in no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import open_lake

_FIELDS = (("id", "long"), ("note", "string"), ("cost", "decimal(8,2)"), ("shop", "string"), ("day", "date"))
_SCHEMA = {
    "type": "struct",
    "fields": [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in _FIELDS],
}
_PARTITIONS = ["shop", "day"]


def _metadata(**settings: str) -> dict[str, Any]:
    told = {"id": "t", "schemaString": json.dumps(_SCHEMA), "partitionColumns": _PARTITIONS}
    return {"metaData": {**told, "configuration": settings}}


def _protocol(version: int = 1, *features: str) -> dict[str, Any]:
    told: dict[str, Any] = {"minReaderVersion": version, "minWriterVersion": 2}
    return {"protocol": {**told, "readerFeatures": list(features)} if features else told}


def _file(table: Path, name: str, query: str) -> None:
    path = table / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as db:
        db.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def _add(path: str, shop: str | None, day: str, **more: Any) -> dict[str, Any]:
    values = {"shop": shop, "day": day}
    return {"add": {"path": path, "partitionValues": values, "size": 1, "dataChange": True, **more}}


def _commit(table: Path, version: int, actions: Sequence[Mapping[str, Any]]) -> None:
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    (log / f"{version:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three files; one was taken out, and one is from before a column was added."""
    table = tmp_path / "lake" / "shops" / "sales"
    _file(
        table, "shop=007/old.parquet", "SELECT 1::BIGINT AS id, 'removed' AS note, 9.5::DECIMAL(8,2) AS cost"
    )
    _file(table, "shop=007/a b.parquet", "SELECT 2::BIGINT AS id, 'kept' AS note, 1.25::DECIMAL(8,2) AS cost")
    _file(table, "none.parquet", "SELECT 3::BIGINT AS id, 'bare' AS note")
    _file(table, "stray.parquet", "SELECT 4::BIGINT AS id, 'never added' AS note")
    first = [_protocol(), _metadata(), _add("shop%3D007/old.parquet", "007", "2024-01-02")]
    _commit(table, 0, [*first, _add("none.parquet", None, "2024-01-03")])
    _commit(
        table,
        1,
        [
            {"remove": {"path": "shop%3D007/old.parquet"}},
            _add("shop%3D007/a%20b.parquet", "007", "2024-01-02"),
        ],
    )
    return table


def _rows(table: Path, sql: str = "SELECT * FROM shops_sales ORDER BY id") -> list[tuple[Any, ...]]:
    with open_lake(table.parent.parent, catalog=table.parent.parent.parent / "c.db") as lake:
        assert [one.name for one in lake.tables()] == ["shops_sales"]
        return lake.execute(sql).rows


def _refused(table: Path) -> str:
    with open_lake(table.parent.parent, catalog=table.parent.parent.parent / "c.db") as lake:
        assert lake.tables() == []
        (told,) = lake.broken()
        assert told.path.name == "sales"
        for name in ("sales", "shops_sales", "_delta_log", "none", "shops_sales__delta_log"):
            with pytest.raises(LakeError):
                lake.execute(f'SELECT * FROM "{name}"')
    return told.reason


def test_rows_are_those_of_the_files_that_count(table: Path) -> None:
    rows = [(i, note, cost and str(cost), shop, day) for i, note, cost, shop, day in _rows(table)]
    assert rows == [
        (2, "kept", "1.25", "007", date(2024, 1, 2)),
        (3, "bare", None, None, date(2024, 1, 3)),
    ]


def test_a_later_commit_is_noticed(table: Path) -> None:
    catalog = table.parent.parent.parent / "c.db"
    with open_lake(table.parent.parent, catalog=catalog) as lake:
        assert lake.execute("SELECT count(*) FROM shops_sales").rows == [(2,)]
        _commit(table, 2, [{"remove": {"path": "none.parquet"}}])
        assert lake.refresh().changed == ("shops_sales",)
        assert lake.execute("SELECT note FROM shops_sales").rows == [("kept",)]


def test_a_checkpoint_stands_for_what_was_before(table: Path) -> None:
    log = table / "_delta_log"
    live = _add("none.parquet", None, "2024-01-03")["add"]
    with duckdb.connect() as db:
        db.execute(
            "COPY (SELECT {path: 'none.parquet', partitionValues: MAP {'shop': NULL, 'day': '2024-01-03'}} AS add, NULL AS metaData, NULL AS protocol"
            f" UNION ALL SELECT NULL, {{schemaString: '{json.dumps(_SCHEMA)}', partitionColumns: ['shop', 'day']}}, NULL"
            f" UNION ALL SELECT NULL, NULL, {{minReaderVersion: 1}}) TO '{log / f'{1:020}.checkpoint.parquet'}' (FORMAT parquet)"
        )
    (log / f"{0:020}.json").unlink()
    assert live["path"] == "none.parquet"
    _commit(table, 2, [_add("shop%3D007/old.parquet", "007", "2024-01-09")])
    assert [row[:2] + row[3:] for row in _rows(table)] == [
        (1, "removed", "007", date(2024, 1, 9)),
        (3, "bare", None, date(2024, 1, 3)),
    ]


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([_metadata(**{"delta.columnMapping.mode": "name"})], "with column mapping"),
        (
            [_add("none.parquet", None, "2024-01-03", deletionVector={"storageType": "u"})],
            "with deletion vectors",
        ),
        (
            [_protocol(3, "deletionVectors", "v2Checkpoint", "typeWidening")],
            "asks for typeWidening, v2Checkpoint",
        ),
        ([_protocol(4)], "readers of version 4"),
        ([_add("../other.parquet", None, "2024-01-03")], "outside of its folder"),
        ([_add("s3://bucket/x.parquet", None, "2024-01-03")], "outside of its folder"),
        ([_add("gone.parquet", None, "2024-01-03")], "a file is gone"),
        (
            [{"remove": {"path": "none.parquet"}}, {"remove": {"path": "shop%3D007/a%20b.parquet"}}],
            "without rows",
        ),
    ],
)
def test_what_is_not_served_is_refused_by_name(
    table: Path, actions: Sequence[Mapping[str, Any]], told: str
) -> None:
    _commit(table, 2, actions)
    assert told in _refused(table)


def test_a_log_that_is_not_whole_is_refused(table: Path) -> None:
    _commit(table, 3, [{"remove": {"path": "none.parquet"}}])
    assert "has gaps" in _refused(table)


def test_a_log_that_cannot_be_read_is_refused(table: Path) -> None:
    (table / "_delta_log" / f"{2:020}.json").write_text('{"add": 3}\n{')
    assert "cannot be read" in _refused(table)
