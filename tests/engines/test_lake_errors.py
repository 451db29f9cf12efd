"""What clients are told of a lake's files: their names, never where they are."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from rewright.engines.duckdb.errors import translated


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("gone.csv", "from read_csv('{path}')"),
        ("broken.parquet", "from read_parquet('{path}')"),
        ("torn.csv", "from read_csv('{path}', columns = {{'a': 'int', 'b': 'int'}}, header = true)"),
    ],
)
def test_folders_are_not_told(tmp_path: Path, name: str, query: str) -> None:
    folder = tmp_path / "of a customer"
    folder.mkdir()
    (folder / "broken.parquet").write_bytes(b"no")
    (folder / "torn.csv").write_bytes(b"a,b\n1,2\n1,\xff\xfe2\n3,4,5,'\n")
    with pytest.raises(duckdb.Error) as raised:
        duckdb.sql(query.format(path=folder / name)).fetchall()
    assert str(tmp_path) in str(raised.value)
    told = str(translated(raised.value))
    assert name in told
    assert "customer" not in told
    assert str(tmp_path) not in told


def test_other_errors_are_told_as_they_are() -> None:
    with pytest.raises(duckdb.Error) as raised:
        duckdb.sql("select '/a/b/c'::int").fetchall()
    assert "/a/b/c" in str(translated(raised.value))
