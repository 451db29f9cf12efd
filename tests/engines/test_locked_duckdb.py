"""Escapes from the lake's DuckDB, each tried against the lock and against the guard."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from rewright.engines.duckdb.database import LakeDatabase, Source
from rewright.engines.duckdb.errors import LakeError, NotBound, Timeout
from rewright.engines.duckdb.guard import Relations, guard
from rewright.engines.duckdb.locked import Limits, open_locked

OUTSIDE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM '/etc/passwd.csv'",
    "SELECT * FROM glob('/etc/*')",
    "ATTACH '/tmp/other.db' AS o",
    "COPY (SELECT 1) TO '/tmp/rewright-escape.csv'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '64GB'",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "EXPORT DATABASE '/tmp/rewright-escape'",
]
WRITES = [
    "PRAGMA database_list",
    "CREATE TABLE t (a int)",
    "CREATE MACRO f() AS 1",
    "INSERT INTO things VALUES (9)",
    "DROP TABLE things",
    "CALL pragma_version()",
    "SELECT 1; SELECT 2",
    "BEGIN",
    "CHECKPOINT",
]
BEHIND = [
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM read_csv_auto('{file}')",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_settings()",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "things.csv").write_text("n\n1\n2\n")
    return tmp_path


@pytest.fixture
def database(folder: Path) -> Iterator[LakeDatabase]:
    path = folder / "things.csv"
    with LakeDatabase(
        [folder], {"things": Source("things", path, f"read_csv('{path}')", 6)}, Limits(seconds=2.0)
    ) as found:
        yield found


@pytest.mark.parametrize("sql", OUTSIDE)
def test_the_lock_holds_without_the_guard(folder: Path, sql: str) -> None:
    connection = open_locked([folder])
    with pytest.raises(duckdb.Error):
        connection.execute(sql).fetchall()
    connection.close()


@pytest.mark.parametrize("sql", [*OUTSIDE, *WRITES])
def test_the_guard_refuses(folder: Path, sql: str) -> None:
    connection = open_locked([folder])
    with pytest.raises(LakeError):
        guard(sql, connection, Relations(lambda name: name == "things"))
    connection.close()


@pytest.mark.parametrize("sql", BEHIND)
def test_files_behind_the_tables_are_not_the_clients(database: LakeDatabase, folder: Path, sql: str) -> None:
    with pytest.raises(LakeError):
        database.execute(sql.format(file=folder / "things.csv"))


def test_a_folder_whose_name_is_a_prefix_is_outside(tmp_path: Path) -> None:
    inside, beside = tmp_path / "lake", tmp_path / "lake-secret"
    inside.mkdir()
    beside.mkdir()
    (beside / "s.csv").write_text("a\n1\n")
    connection = open_locked([inside])
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv('{beside / 's.csv'}')").fetchall()
    connection.close()


def test_links_out_of_the_lake_are_not_followed_by_name(tmp_path: Path) -> None:
    inside = tmp_path / "lake"
    inside.mkdir()
    connection = open_locked([inside])
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv('{inside}/../../../../../../etc/passwd')").fetchall()
    connection.close()


def test_python_variables_are_not_tables(database: LakeDatabase) -> None:
    secret = [1]
    assert secret
    with pytest.raises(NotBound):
        database.execute("SELECT * FROM secret")


def test_describe_execute_stream(database: LakeDatabase) -> None:
    assert database.describe("SELECT n, n * 2.5 AS m FROM things")[0] == ("n", "BIGINT")
    assert database.execute("SELECT n FROM things WHERE n > ?", [1]).rows == [(2,)]
    assert [row for batch in database.query().stream("SELECT n FROM things", batch=1) for row in batch] == [
        (1,),
        (2,),
    ]
    assert database.execute("SELECT n FROM things", limit=1).truncated


def test_errors_carry_sqlstates(database: LakeDatabase) -> None:
    for sql, state in (
        ("SELECT * FROM nowhere", "42P01"),
        ("SELECT nothing FROM things", "42703"),
        ("SELEC 1", "42601"),
        ("SELECT CAST('x' AS INT)", "22P02"),
    ):
        with pytest.raises(LakeError) as caught:
            database.execute(sql)
        assert caught.value.sqlstate == state, sql


def test_a_statement_that_takes_too_long_is_stopped(database: LakeDatabase) -> None:
    with pytest.raises(Timeout):
        database.execute(
            "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5",
            seconds=0.5,
        )
    assert database.execute("SELECT 1").rows == [(1,)]


def test_a_streamed_query_is_stopped_from_another_thread(database: LakeDatabase) -> None:
    query = database.query()
    rows = query.stream("SELECT count(*) FROM range(3000000000) a(i) WHERE hash(i) % 7 = 3")
    threading.Timer(0.5, query.interrupt).start()
    with pytest.raises(Timeout):
        next(rows)
    with pytest.raises(StopIteration):
        next(rows)
    # no other query is stopped with it
    assert database.execute("SELECT n FROM things ORDER BY n").rows == [(1,), (2,)]


def test_a_query_stopped_before_it_begins_does_not_run(database: LakeDatabase) -> None:
    query = database.query()
    query.interrupt()
    with pytest.raises(Timeout):
        next(query.stream("SELECT n FROM things"))


def test_rows_that_do_not_fit_into_memory_are_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "packed.parquet"
    duckdb.sql(
        "SELECT 'the same long text in every row' || i % 3 AS t, i FROM range(3000000) r(i)"
    ).write_parquet(str(path))
    assert path.stat().st_size < 32 << 20
    source = Source("packed", path, f"read_parquet('{path}')", path.stat().st_size)
    with LakeDatabase([tmp_path], {"packed": source}, Limits(memory="60MB", threads=1)) as small:
        assert small.execute("SELECT count(*), count(DISTINCT t) FROM packed").rows == [(3000000, 3)]
        kind = "SELECT table_type FROM information_schema.tables WHERE table_name = 'packed' AND table_schema = 'main'"
        assert small.trusted(kind) == [("VIEW",)]
        path.touch()
        assert small.execute("SELECT count(*) FROM packed").rows == [(3000000,)]
