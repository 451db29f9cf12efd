"""What a lake's clients may say: every function of the pinned DuckDB is listed, and nothing goes around the
lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from rewright.engines.duckdb.database import LakeDatabase, Source
from rewright.engines.duckdb.errors import LakeError, NotBound
from rewright.engines.duckdb.functions import ALLOWED, ALLOWED_IN_FROM, DENIED, REASONS
from rewright.engines.duckdb.guard import Relations, guard
from rewright.engines.duckdb.locked import Limits, open_locked


def functions_of_duckdb() -> set[str]:
    with duckdb.connect() as connection:
        return {
            row[0].lower()
            for row in connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
        }


def test_every_function_of_the_pinned_duckdb_is_allowed_or_denied() -> None:
    denied = frozenset().union(*DENIED.values())
    assert functions_of_duckdb() == ALLOWED | denied
    assert not ALLOWED & denied
    assert sum(len(names) for names in DENIED.values()) == len(denied)
    assert DENIED.keys() == REASONS.keys()
    assert ALLOWED_IN_FROM <= ALLOWED


def test_every_denied_function_is_refused_wherever_it_stands() -> None:
    connection = open_locked([])
    relations = Relations(lambda name: name == "things")
    for name in sorted(frozenset().union(*DENIED.values())):
        quoted = '"' + name + '"'
        for sql in (
            f"SELECT {quoted}() FROM things",
            f"SELECT {quoted.upper()}('x', 1)",
            f"SELECT * FROM {quoted}('x')",
            f"SELECT * FROM system.main.{quoted}('x')",
            f"SELECT t.{name}() FROM things",
            f"SELECT list_transform([1], lambda x: {quoted}(x)) FROM things",
            f"SELECT * FROM things, LATERAL (SELECT * FROM {quoted}(things.n)) l",
            f"SELECT {quoted}(n) OVER () FROM things",
        ):
            with pytest.raises(LakeError) as caught:
                guard(sql, connection, relations)
            assert caught.value.sqlstate in {"42501", "42601"}, sql
    connection.close()


def test_a_function_that_is_not_listed_is_denied() -> None:
    connection = open_locked([])
    for sql in ("SELECT tomorrows_reader('x')", "SELECT * FROM tomorrows_reader('x')"):
        with pytest.raises(LakeError) as caught:
            guard(sql, connection, Relations(lambda name: True))
        assert caught.value.sqlstate == "42883"
    connection.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[LakeDatabase]:
    path = tmp_path / "things.csv"
    path.write_text("n,t\n1,a\n2,b\n")
    (tmp_path / "hr.csv").write_text("secret\n42\n")
    source = Source("things", path, f"read_csv('{path}')", path.stat().st_size)
    with LakeDatabase([tmp_path], {"things": source}, Limits(memory="200MB", threads=1)) as found:
        found.view("seen", "SELECT n FROM things")
        yield found


AROUND = [
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''{folder}/hr.csv'')'))",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('things')",
    "SELECT * FROM histogram('things', n)",
    "SELECT * FROM histogram_values('things', n)",
    "SELECT * FROM parquet_full_metadata('{folder}/*')",
    "SELECT * FROM read_blob('{folder}/*')",
    "SELECT * FROM duckdb_views()",
    "SELECT * FROM duckdb_views",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM main.sqlite_master",
    "SELECT sql FROM system.main.sqlite_master, things",
    "SELECT * FROM pg_catalog.pg_views, things",
    "SELECT * FROM information_schema.tables, things",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_show_tables",
    "SELECT pg_get_viewdef(1) FROM things",
    "SELECT getvariable('x') FROM things",
    "SELECT current_setting('memory_limit') FROM things",
    "SELECT * FROM '{folder}/hr.csv'",
    'SELECT * FROM "{folder}/hr.csv"',
    "FROM '{folder}/hr.csv'",
    "FROM '{folder}/*.csv'",
    "SELECT * FROM hr",
    "DESCRIBE '{folder}/hr.csv'",
    "SUMMARIZE '{folder}/hr.csv'",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SHOW DATABASES",
    "SELECT * FROM (SHOW ALL TABLES)",
    "SELECT * FROM (DESCRIBE sqlite_master)",
    "SELECT (SELECT any_value(content) FROM read_text('{folder}/hr.csv')) FROM things",
    "SELECT * FROM things WHERE n IN (SELECT n FROM '{folder}/hr.csv')",
    "SELECT * FROM things ORDER BY (SELECT 1 FROM sqlite_master)",
    "SELECT * FROM things LIMIT (SELECT 1 FROM sqlite_master)",
    "SELECT n FROM things GROUP BY n HAVING (SELECT true FROM sqlite_master)",
    "SELECT n FROM things QUALIFY (SELECT true FROM sqlite_master)",
    "SELECT * FROM things t JOIN sqlite_master m ON (true)",
    "SELECT * FROM things JOIN things b ON (SELECT true FROM sqlite_master)",
    "VALUES ((SELECT 1 FROM sqlite_master))",
    "SELECT * FROM things PIVOT (count((SELECT 1 FROM sqlite_master)) FOR n IN (1))",
    "SELECT * FROM sqlite_master PIVOT (count(*) FOR name IN ('x'))",
    "SELECT 1 UNION ALL SELECT 1 FROM sqlite_master",
    "WITH x AS (SELECT * FROM sqlite_master) SELECT * FROM x",
    # a name that a CTE gives elsewhere means the catalog here
    "WITH x AS (WITH sqlite_master AS (SELECT 1 AS sql) SELECT * FROM sqlite_master) SELECT sql FROM sqlite_master",
    "WITH a AS (SELECT sql FROM sqlite_master), sqlite_master AS (SELECT 1 AS sql) SELECT * FROM a",
    "WITH sqlite_master AS (SELECT sql FROM sqlite_master) SELECT * FROM sqlite_master",
    "SELECT * FROM (WITH sqlite_master AS (SELECT 1 AS sql) SELECT 1), sqlite_master",
    "WITH sqlite_master AS (SELECT 1 AS sql) SELECT * FROM main.sqlite_master",
    "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT sql FROM sqlite_master) SELECT * FROM r",
    "COPY things TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "ATTACH ':memory:' AS m",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 64",
    "RESET threads",
    "SET VARIABLE x = 1",
    "CALL pragma_version()",
    "PRAGMA version",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}/out'",
    "CREATE MACRO f() AS 1",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE SECRET s (TYPE s3)",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "USE system",
    "VACUUM",
    "EXPLAIN ANALYZE SELECT * FROM sqlite_master",
    "SELECT 1; SELECT 2",
    "SELECT * FROM read_csv('https://example.org/x.csv')",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "SELECT * FROM iceberg_scan('x')",
    "SELECT * FROM postgres_scan('host=/', 'public', 'x')",
    "SELECT sniff_csv('x')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT seq_scan('things')",
    "SELECT * FROM things AT (VERSION => 1)",
]  # fmt: skip


@pytest.mark.parametrize("sql", AROUND)
def test_nothing_goes_around_the_lists(database: LakeDatabase, tmp_path: Path, sql: str) -> None:
    with pytest.raises(LakeError) as caught:
        database.execute(sql.format(folder=tmp_path))
    assert caught.value.sqlstate in {"25006", "42501", "42601", "42P01", "42883", "0A000"}, caught.value


ORDINARY = [
    "SELECT n, count(*) FROM things GROUP BY n ORDER BY n LIMIT 1",
    "SELECT * FROM public.things JOIN main.things b USING (n)",
    "SELECT * FROM Seen",
    "WITH a AS (SELECT n FROM things), b AS (SELECT * FROM a) SELECT * FROM b, A",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT * FROM r",
    "SELECT (SELECT max(n) FROM x) FROM (WITH x AS (SELECT 5 AS n) SELECT * FROM x) t, (SELECT 1) x(n)",
    "WITH x AS (SELECT 5 AS n) SELECT (SELECT max(n) FROM x) FROM things",
    "SELECT * FROM range(3), generate_series(1, 2), unnest([1, 2])",
    "SELECT sum(n) OVER w, lag(n) OVER w, row_number() OVER () FROM things WINDOW w AS (ORDER BY n)",
    "SELECT CASE WHEN t LIKE 'a%' THEN n // 2 ELSE -n END, t || 'x', t ~ 'a', n BETWEEN 1 AND 2, extract(year FROM current_date) FROM things",
    "SELECT list_transform([1, 2], lambda x: x + 1), {'a': n}, [n], COLUMNS(*) FROM things",
    "SUMMARIZE things",
    "DESCRIBE things",
    "SELECT * FROM things PIVOT (sum(n) FOR t IN ('a', 'b'))",
    "SELECT * FROM (VALUES (1), (2)) v(a)",
    "FROM things SELECT n",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n), string_agg(t, ',' ORDER BY n) FROM things",
    "SELECT n FROM things UNION SELECT 3 EXCEPT SELECT 1 ORDER BY 1",
]


@pytest.mark.parametrize("sql", ORDINARY)
def test_ordinary_queries_pass(database: LakeDatabase, sql: str) -> None:
    if sql.startswith("SELECT (SELECT max(n) FROM x) FROM (WITH"):
        # the inner CTE does not reach the outer query: an unknown name
        with pytest.raises(NotBound):
            database.execute(sql)
        return
    database.execute(sql)


def test_a_text_nested_too_deeply_is_refused(database: LakeDatabase) -> None:
    for sql in ("SELECT " + "n || " * 5000 + "'' FROM things", "SELECT " + "abs(" * 5000 + "1" + ")" * 5000):
        with pytest.raises(LakeError) as caught:
            database.execute(sql)
        assert caught.value.sqlstate in {"54001", "42601"}, caught.value


def test_messages_do_not_tell_where_the_lake_is(tmp_path: Path) -> None:
    path = tmp_path / "things.csv"
    path.write_text("n\n1\nx\n")
    source = Source("things", path, f"read_csv('{path}', columns = {{'n': 'INTEGER'}}, header = true)", 6)
    with LakeDatabase([tmp_path], {"things": source}) as database:
        with pytest.raises(LakeError) as caught:
            database.execute("SELECT * FROM things")
        assert str(tmp_path) not in str(caught.value)
        assert str(tmp_path) not in caught.value.hint
