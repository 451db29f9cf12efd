"""An Iceberg table is its current snapshot: rows that were deleted, and files that it does not name, are in no
answer.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import open_lake
from tests.lake.iceberg_files import entry, write_manifests, write_metadata, write_parquet

_LOCATION = "s3://bucket/warehouse/sales"
"""Where the table was when it was written; its folder was copied from there."""
_FIELDS: list[dict[str, Any]] = [
    {"id": 1, "name": "id", "type": "long"},
    {"id": 2, "name": "city", "type": "string"},
    {"id": 3, "name": "amount", "type": "decimal(10,2)"},
    {"id": 5, "name": "note", "type": "string"},
    {"id": 6, "name": "day", "type": "date"},
]
"""`amount` was `amt` and narrower, 4 was dropped, `note` added under a name that was another column's."""
_SPECS = [
    {"spec-id": 0, "fields": [{"source-id": 6, "field-id": 1000, "name": "day", "transform": "identity"}]},
    {"spec-id": 1, "fields": []},
]


def _metadata(*snapshots: tuple[int, str], **more: Any) -> dict[str, Any]:
    return {
        "location": _LOCATION,
        "schemas": [{"schema-id": 0, "fields": _FIELDS[:1]}, {"schema-id": 1, "fields": _FIELDS}],
        "current-schema-id": 1,
        "partition-specs": _SPECS,
        "current-snapshot-id": snapshots[-1][0],
        "snapshots": [{"snapshot-id": number, "manifest-list": path} for number, path in snapshots],
        **more,
    }


def _entry(name: str, **more: Any) -> dict[str, Any]:
    return entry(f"{_LOCATION}/data/{name}", **more)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Of the first snapshot one file was replaced, of another two rows were deleted."""
    table = tmp_path / "lake" / "shops" / "sales"
    old = "id: 1, city: 2, amt: 3, note: 4"
    write_parquet(
        table / "data/gone.parquet",
        "SELECT 1::BIGINT AS id, 'removed' AS city, 1::DECIMAL(6,2) AS amt, 9 AS note",
        old,
    )
    write_parquet(
        table / "data/old.parquet",
        "SELECT (10 + i)::INTEGER AS id, 'Mainz' AS city, (i + 0.5)::DECIMAL(6,2) AS amt, 'dropped' AS note FROM range(4) t(i)",
        old,
    )
    write_parquet(
        table / "data/new.parquet",
        "SELECT DATE '2024-02-02' AS day, 'fresh' AS note, 20::BIGINT AS id, 7.25::DECIMAL(10,2) AS amount",
        "day: 6, note: 5, id: 1, amount: 3",
    )
    write_parquet(table / "data/stray.parquet", "SELECT 99::BIGINT AS id", "id: 1")
    positions = f"SELECT '{_LOCATION}/data/' || f AS file_path, p::BIGINT AS pos FROM (VALUES ('old.parquet', 0), ('old.parquet', 2), ('new.parquet', 0)) t(f, p)"
    write_parquet(table / "data/deletes.parquet", positions, "file_path: 2147483546, pos: 2147483545")
    parted = {"day": 19723}
    first = write_manifests(
        table,
        1,
        [(1, 0, [_entry("gone.parquet", partition=parted)])],
        location=_LOCATION,
        partition={"day": ["null", "int"]},
    )
    second = write_manifests(
        table,
        2,
        [
            (
                2,
                0,
                [_entry("gone.parquet", status=2, partition=parted), _entry("old.parquet", partition=parted)],
            ),
            (3, 0, [_entry("deletes.parquet", content=1, partition=parted)]),
            # written after the deletes, which therefore are none of it
            (4, 1, [_entry("new.parquet")]),
        ],
        location=_LOCATION,
        partition={"day": ["null", "int"]},
    )
    write_metadata(table, 1, _metadata((1, first)))
    write_metadata(table, 2, _metadata((1, first), (2, second)))
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
        for name in ("sales", "shops_sales", "old", "shops_sales_data_old"):
            with pytest.raises(LakeError):
                lake.execute(f'SELECT * FROM "{name}"')
    return told.reason


def test_the_current_rows_under_the_current_names(table: Path) -> None:
    day = date(2024, 1, 1)
    told = [(r[0], r[1], str(r[2]), r[3], r[4]) for r in _rows(table)]
    assert told == [
        (11, "Mainz", "1.50", None, day),
        (13, "Mainz", "3.50", None, day),
        (20, None, "7.25", "fresh", date(2024, 2, 2)),
    ]
    assert {type(value).__name__ for value in _rows(table)[0]} == {
        "int",
        "str",
        "Decimal",
        "NoneType",
        "date",
    }


def test_the_version_that_the_hint_names_is_current(table: Path) -> None:
    (table / "metadata/version-hint.text").write_text("1\n")
    assert [row[:2] for row in _rows(table)] == [(1, "removed")]


def test_a_new_snapshot_is_noticed(table: Path) -> None:
    assert len(_rows(table)) == 3
    third = write_manifests(table, 3, [(4, 1, [_entry("new.parquet")])], location=_LOCATION)
    write_metadata(table, 3, _metadata((3, third)))
    assert [row[0] for row in _rows(table)] == [20]


def test_version_one_with_manifests_that_are_not_packed(table: Path) -> None:
    write_manifests(table, 5, [(0, 1, [_entry("new.parquet")])], location=_LOCATION, codec="null")
    told = {"snapshot-id": 5, "manifests": [f"{_LOCATION}/metadata/5-m0.avro"]}
    one = {**_metadata((5, "")), "snapshots": [told], "format-version": 1, "schema": {"fields": _FIELDS}}
    del one["schemas"], one["current-schema-id"]
    write_metadata(table, 9, one)
    assert [row[0] for row in _rows(table)] == [20]


def test_nested_columns_of_the_same_parts(table: Path) -> None:
    write_parquet(
        table / "data/nested.parquet",
        "SELECT 30::BIGINT AS id, {'plan': 'pro', 'seats': 3} AS who",
        "id: 1, who: {__duckdb_field_id: 7, plan: 8, seats: 9}",
    )
    parts = [{"id": 8, "name": "plan", "type": "string"}, {"id": 9, "name": "seats", "type": "int"}]
    fields = [_FIELDS[0], {"id": 7, "name": "account", "type": {"type": "struct", "fields": parts}}]
    listed = write_manifests(table, 6, [(6, 1, [_entry("nested.parquet")])], location=_LOCATION)
    told = _metadata((6, listed), schemas=[{"schema-id": 1, "fields": fields}])
    write_metadata(table, 6, told)
    assert _rows(table, "SELECT account.plan, account.seats FROM shops_sales") == [("pro", 3)]
    parts[0]["name"] = "tariff"
    write_metadata(table, 7, told)
    assert "nested columns that were changed" in _refused(table)


def _snapshot(table: Path, *entries: dict[str, Any], **more: Any) -> None:
    listed = write_manifests(table, 8, [(8, 1, entries)], location=_LOCATION, **more)
    write_metadata(table, 8, _metadata((8, listed)))


def _outside(table: Path) -> None:
    shutil.copy(table / "data/new.parquet", table.parent.parent / "other.bin")
    _snapshot(table, _entry("../../../other.bin"))


def _linked_outside(table: Path) -> None:
    (table.parents[2] / "secret").mkdir()
    shutil.copy(table / "data/new.parquet", table.parents[2] / "secret/new.parquet")
    (table / "link").symlink_to(table.parents[2] / "secret")
    _snapshot(table, entry(f"{_LOCATION}/link/new.parquet"))


def _without_ids(table: Path) -> None:
    write_parquet(table / "data/plain.parquet", "SELECT 1::BIGINT AS id", "")
    _snapshot(table, _entry("plain.parquet"))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda t: _snapshot(t, _entry("new.parquet"), _entry("deletes.parquet", content=2, equality_ids=[1])), "deletes by equal values"),
        (lambda t: _snapshot(t, _entry("new.parquet", file_format="ORC")), "files of the format ORC"),
        (lambda t: _snapshot(t, _entry("new.parquet", key_metadata=b"k")), "encrypted"),
        (lambda t: _snapshot(t, _entry("nowhere.parquet")), "of which a file is gone"),
        (lambda t: _snapshot(t, entry("s3://elsewhere/new.parquet")), "outside of its folder"),
        (lambda t: _snapshot(t, entry("/etc/hostname")), "outside of its folder"),
        (_outside, "outside of its folder"),
        (_without_ids, "without field ids"),
        (_snapshot, "without rows"),
        (lambda t: _snapshot(t, _entry("new.parquet"), codec="snappy"), "metadata cannot be read"),
        (lambda t: write_metadata(t, 3, {**_metadata((1, "")), "format-version": 3}), "of version 3"),
        (lambda t: write_metadata(t, 2, {}, "00002-a.metadata.json"), "cannot be told"),
        (lambda t: (t / "metadata/v2.metadata.json").write_text("{"), "metadata cannot be read"),
        (lambda t: (t / "metadata/snap-2.avro").write_bytes(b"Obj\x01\x02"), "metadata cannot be read"),
        (lambda t: (t / "metadata/2-m0.avro").unlink(), "of which a file is gone"),
    ],
)  # fmt: skip
def test_what_is_not_served_is_refused_by_name(
    table: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    spoil(table)
    told = _refused(table)
    assert told.startswith("not served: a table of the format Iceberg ")
    assert reason in told


def test_a_link_out_of_the_folder_is_not_followed(table: Path) -> None:
    _linked_outside(table)
    assert "outside of its folder" in _refused(table)
