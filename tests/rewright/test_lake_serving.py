"""A lake through real clients: psql, psycopg in both formats, asyncpg, SQLAlchemy's reflection."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import time
from datetime import date
from pathlib import Path

import asyncpg
import psycopg
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from rewright.cli import rewright
from tests.fixtures.lake_server import listening_on, make_files, served_lake
from tests.proxy.waiting import Stopwatch, cancelled

pytestmark = pytest.mark.server


@pytest.fixture
def lake(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("binary", [False, True])
def test_rows_and_types(lake, binary):
    cursor = lake.execute(
        "select city, population, founded, area from cities where population < 1003 order by population",
        binary=binary,
    )
    assert cursor.fetchall() == [
        ("City 0", 1000, date(1900, 1, 2), 0.0),
        ("City 1", 1001, date(1901, 1, 2), 0.125),
        ("City 2", 1002, date(1902, 1, 2), 0.25),
    ]


@pytest.mark.parametrize("binary", [False, True])
def test_nested_types(lake, binary):
    # a field of an object is a column
    assert lake.execute("select id, tags, place_x from nested order by id", binary=binary).fetchall() == [
        (1, ["a", "b"], 1.5),
        (2, [], None),
    ]


def test_column_names_are_postgresqls(lake):
    cursor = lake.execute("select count(*), max(area), country as c from cities group by country limit 1")
    assert [column.name for column in cursor.description] == ["count", "max", "c"]


def test_parameters_are_typed_by_the_table(lake):
    query = "select count(*) from cities where country = %s and population > %s and founded < %s"
    assert lake.execute(query, ["C1", 1500, date(1950, 1, 1)]).fetchone() == (75,)
    assert lake.execute(query, ["C1", 1500, date(1950, 1, 1)], binary=True, prepare=True).fetchone() == (75,)


def test_what_is_postgresqls_stays_postgresqls(lake):
    assert lake.execute("select 1 + 1, current_setting('server_version_num')::int >= 180000").fetchone() == (
        2,
        True,
    )
    lake.execute("set application_name = 'x'")
    assert lake.execute("show application_name").fetchone() == ("x",)


def test_errors_have_sqlstates(lake):
    with pytest.raises(psycopg.errors.DivisionByZero):
        lake.execute("select 1/0")
    with pytest.raises((psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn)):
        lake.execute("select zyxw, vutsr from qponm_lkjih where gfed > 5")
    with pytest.raises(psycopg.errors.SyntaxError):
        lake.execute("select from where cities")


@pytest.mark.parametrize(
    "hostile",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "select * from '/etc/passwd'",
        "attach '/tmp/x.db'",
        "copy cities to '/tmp/stolen.csv'",
        "copy (select * from cities) to program 'cat'",
        "install httpfs",
        "pragma database_list",
        "set enable_external_access = true",
        "create table t (a int)",
        "insert into cities values ('x')",
        "delete from cities",
        "drop table cities",
        "with x as (delete from cities returning *) select * from x",
        "select pg_read_file('/etc/passwd')",
        "select * from cities; drop table cities",
        "select getenv('HOME') from cities",
        'select * from "file:///etc/passwd"',
        'select * from "../../../../../../etc/passwd"',
        "select c.city from cities c, lateral (select * from glob('/*')) g",
        "select (select string_agg(file, ',') from glob('/*')) from cities",
        "select town_name from towns where people > (select size from read_blob('/etc/passwd'))",
        "with x as materialized (select * from read_csv('/etc/passwd')) select * from x, towns",
        "select * from duckdb_logs()",
        "copy cities (city) to '/tmp/cities_out'",
    ],
)
def test_nothing_leaves_and_nothing_changes(lake, hostile):
    with pytest.raises(psycopg.Error):
        lake.execute(hostile.encode()).fetchall()
    assert lake.execute("select count(*) from cities").fetchone() == (3000,)


def test_a_failed_block_stays_failed(lake):
    with pytest.raises(psycopg.errors.InFailedSqlTransaction), lake.transaction():  # noqa: PT012
        with pytest.raises(psycopg.Error):
            lake.execute("select sqrt(-1 - area) from cities")
        lake.execute("select count(*) from cities")
    assert lake.execute("select count(*) from cities").fetchone() == (3000,)


def test_pipelines_keep_their_order(lake):
    with lake.pipeline():
        cursors = [
            lake.execute(q)
            for q in ("select count(*) from cities", "select 7", "select count(*) from countries")
        ]
        assert [c.fetchone() for c in cursors] == [(3000,), (7,), (20,)]


def test_asyncpg_reads_by_portions(lake_dsn):
    async def read():
        connection = await asyncpg.connect(lake_dsn)
        try:
            async with connection.transaction():
                rows = [
                    r
                    async for r in connection.cursor(
                        "select population from cities where area >= $1 order by 1", 0.0, prefetch=70
                    )
                ]
            return (
                len(rows),
                rows[-1]["population"],
                await connection.fetchval("select count(*) from countries where eu"),
            )
        finally:
            await connection.close()

    assert asyncio.run(read()) == (3000, 3999, 10)


def test_cancel_stops_a_long_query(lake):
    with Stopwatch() as watch, cancelled(lake), pytest.raises(psycopg.errors.QueryCanceled):
        lake.execute("select count(*) from cities a, cities b, cities c where a.area + b.area * c.area > 1e9")
    assert watch.seconds < 30
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def test_a_result_left_half_way_stops_and_the_session_goes_on(lake_dsn):
    """What psycopg does when a streamed result is not read to the end: it cancels, and reads what is left."""
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        for seen in (1, 700, 20_000):
            for number, _ in enumerate(
                connection.cursor().stream("select a.city from cities a, cities b"), 1
            ):
                if number == seen:
                    break
            assert connection.execute("select count(*) from countries").fetchone() == (20,)


def test_what_was_cancelled_does_not_run_on(lake_dsn):
    """The statement would take minutes; nobody pays for it once it was cancelled, and no other session's is
    stopped.
    """
    with (
        psycopg.connect(lake_dsn, autocommit=True) as one,
        psycopg.connect(lake_dsn, autocommit=True) as other,
    ):
        with cancelled(one, 1.0), pytest.raises(psycopg.errors.QueryCanceled):
            one.execute(
                "select count(*) from cities a, cities b, cities c where a.area + b.area * c.area > 1e9"
            )
        time.sleep(2.0)
        assert other.execute("select sum(population) from cities").fetchone() == (7498500,)
        worker = listening_on(one.info.port)
        spent = _cpu_seconds(worker)
        time.sleep(2.0)
        assert _cpu_seconds(worker) - spent < 0.5


def _cpu_seconds(process: int) -> float:
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


@pytest.mark.long
def test_files_that_come_change_and_go_are_noticed(tmp_path):
    files = tmp_path / "files"
    make_files(files)
    with served_lake(tmp_path) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        assert _asked(connection, "select count(*) from countries") == [(20,)]
        (files / "rivers.csv").write_text("river,length\nElbe,1094\nOder,840\n")
        (files / "countries.csv").write_text("code,name,eu,capital\nC1,Country 1,true,City 1\n")
        (files / "nested.json").unlink()
        _noticed(connection, "select sum(length) from rivers", [(1934,)])
        _noticed(connection, "select capital from countries", [("City 1",)])
        _noticed(connection, "select id from nested", "42P01")
        # a cursor that is open when its file changes reads on; who comes next sees the new one
        with psycopg.connect(dsn) as other, other.cursor(name="open") as cursor:
            cursor.itersize = 100
            cursor.execute("select city from cities order by population")
            first = cursor.fetchone()
            (files / "cities.csv").write_text(
                "city,country,population,founded,area\nOnly,C1,1,1900-01-01,1\n"
            )
            _noticed(connection, "select city from cities", [("Only",)])
            assert (first, sum(1 for _ in cursor)) == (("City 0",), 2999)


def _asked(connection, sql):
    """Rows, or the SQLSTATE."""
    try:
        return connection.execute(sql).fetchall()
    except psycopg.Error as error:
        return error.sqlstate


def _noticed(connection, sql, expected):
    """Ask until the answer is the one expected."""
    deadline = time.monotonic() + 60
    while (found := _asked(connection, sql)) != expected:
        assert time.monotonic() < deadline, found
        time.sleep(0.5)


def test_a_query_over_imagined_names_is_resolved_and_says_so(lake):
    notices = []
    lake.add_notice_handler(lambda d: notices.append(d.message_primary))
    rows = lake.execute(
        "select city_name from city where country_code = 'C3' and inhabitants < 1030 order by inhabitants"
    ).fetchall()
    assert rows == [("City 3",), ("City 23",)]
    assert "resolved with confidence" in notices[0]


def test_the_lakes_tables_are_listed(lake):
    rows = lake.execute("select name, row_count from rewright.lake_tables order by name").fetchall()
    assert rows == [("cities", 3000), ("countries", 20), ("nested", 2)]


def test_which_files_they_are_is_told_to_admins(lake_dsn, lake):
    query = "select path from rewright.lake_tables where name = 'cities'"
    assert lake.execute(query).fetchall() == [(None,)]
    with psycopg.connect(lake_dsn.replace("ann@", "postgres@"), autocommit=True) as admin:
        ((path,),) = admin.execute(query).fetchall()
    assert path.startswith("cities.")


def test_an_accepted_resolution_binds_from_then_on(lake_dsn, lake):
    notices = []
    lake.add_notice_handler(lambda d: notices.append(d.message_primary))
    query = "select nation_name from nation where nation_code = 'C7'"
    assert lake.execute(query).fetchall() == [("Country 7",)]
    number = re.search(r"rewright.accept\((\d+)\)", notices[-1])[1]
    with psycopg.connect(lake_dsn.replace("ann@", "postgres@"), autocommit=True) as admin:
        admin.execute(f"call rewright.accept({number})")
    lake.execute("select count(*) from cities")
    notices.clear()
    assert lake.execute(query).fetchall() == [("Country 7",)]
    assert notices == []


def test_information_schema_lists_them(lake):
    rows = lake.execute(
        "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'"
        " and table_name = 'countries' order by ordinal_position"
    ).fetchall()
    assert rows == [
        ("countries", "code", "text"),
        ("countries", "name", "text"),
        ("countries", "eu", "boolean"),
    ]


def test_psql_describes_tables(lake_dsn):
    psql = shutil.which("psql")
    assert psql, "psql is needed"
    done = subprocess.run(
        [
            psql,
            "-X",
            lake_dsn,
            "-c",
            r"\d",
            "-c",
            r"\d cities",
            "-c",
            r"\d nested",
            "-c",
            r"\dt+",
            "-c",
            r"\df",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "countries" in done.stdout
    assert "population | bigint" in done.stdout
    # a field of an object inside a row is a column
    assert "place_x | double precision" in done.stdout


def test_sqlalchemy_reflects(lake_dsn):
    engine = sa.create_engine(lake_dsn.replace("postgresql://", "postgresql+psycopg://"))
    try:
        table = sa.Table("cities", sa.MetaData(), autoload_with=engine)
        assert [column.name for column in table.columns] == [
            "city",
            "country",
            "population",
            "founded",
            "area",
        ]
        with engine.connect() as connection:
            found = connection.execute(sa.select(sa.func.count()).where(table.c.population > 2000)).scalar()
        assert found == 1999
        assert set(sa.inspect(engine).get_table_names()) == {"cities", "countries", "nested"}
    finally:
        engine.dispose()


@pytest.mark.usefixtures("process_set_up")
def test_a_lake_without_authentication_is_not_served(tmp_path):
    (tmp_path / "files").mkdir()
    done = CliRunner().invoke(
        rewright, ["serve", "--lake", str(tmp_path / "files"), "--store", str(tmp_path / "s.db")]
    )
    assert done.exit_code == 1
    assert "authenticates" in done.output


def test_a_setting_holds_at_once_where_it_was_prepared(lake):
    """Drivers prepare what they send often: a SET that is executed by its name
    counts for the next statement.
    """
    for _ in range(2):
        lake.execute("set rewright.lake_confidence = 1", prepare=True)
        with pytest.raises(psycopg.errors.UndefinedTable):
            lake.execute("select denizens from towns")
        lake.execute("set rewright.lake_confidence = 0", prepare=True)
        assert lake.execute("show rewright.lake_confidence").fetchone() == ("0",)
        assert len(lake.execute("select denizens from towns limit 3").fetchall()) == 3


def test_a_question_is_answered(lake):
    """In both protocols, with notices; what is not understood is refused, and the session goes on."""
    told = []
    lake.add_notice_handler(lambda notice: told.append(notice.message_primary))
    for options in ({}, {"binary": True}):
        asked = lake.execute("ASK 'how many cities are there?'", **options)
        assert asked.fetchall() == [(3000,)]
        assert asked.description[0].type_code == 20
        assert [one.partition(":")[0] for one in told] == ["SQL", "read as"]
        told.clear()
    with pytest.raises(psycopg.Error) as raised:
        lake.execute("ASK 'how many elephants flew?'")
    assert raised.value.sqlstate == "22023"
    lake.rollback()
    assert "SQL: " in str(lake.execute("EXPLAIN ASK 'how many cities are there?'").fetchall())
