"""SQL cursors and COPY over a lake: what named cursors of drivers, \\copy and bulk readers send."""

from __future__ import annotations

import asyncio
import csv
import io
import shutil
import subprocess

import asyncpg
import psycopg
import pytest

from rewright.wiring.lake_runner_limits import RunnerLimits

pytestmark = pytest.mark.server
SELECTION = "select city, population, area from cities where population >= 3990 order by population"


@pytest.fixture
def lake(lake_dsn):
    with psycopg.connect(lake_dsn) as connection:
        yield connection
        connection.rollback()


@pytest.mark.parametrize("binary", [False, True])
def test_named_cursors_read_in_portions(lake, binary):
    with lake.cursor(name="all cities", binary=binary) as cursor:
        cursor.itersize = 700
        cursor.execute("select population from cities where area >= %s order by 1", [1.0])
        assert [column.name for column in cursor.description] == ["population"]
        assert cursor.fetchone() == (1008,)
        assert cursor.fetchmany(2) == [(1009,), (1010,)]
        assert sum(1 for _ in cursor) == 2992 - 3


def test_fetch_and_move_by_hand(lake):
    lake.execute(f"declare c no scroll cursor for {SELECTION}")
    assert lake.execute("move 7 in c").statusmessage == "MOVE 7"
    assert lake.execute("fetch c").fetchall() == [("City 2997", 3997, 374.625)]
    done = lake.execute("fetch all from c")
    assert (done.statusmessage, len(done.fetchall())) == ("FETCH 2", 2)
    assert lake.execute("fetch forward 5 from c").fetchall() == []
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        lake.execute("fetch backward 1 from c")


def test_a_cursor_ends_with_its_transaction(lake):
    lake.execute(f"declare c cursor for {SELECTION}")
    lake.commit()
    with pytest.raises(psycopg.errors.InvalidCursorName):
        lake.execute("fetch c")


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_cursors_that_nobody_closed_keep_nothing_from_others(lake, end):
    """Each holds a process while it is read, and a user may have a few."""
    for number in range(RunnerLimits().of_one_user + 1):
        lake.execute(f"declare c{number} cursor for {SELECTION}")
        assert len(lake.execute(f"fetch 1 from c{number}").fetchall()) == 1
        lake.execute(end)
    assert lake.execute("select count(*) from cities").fetchone()[0] > 0


def test_a_cursor_ends_with_its_savepoint(lake):
    lake.execute("savepoint s")
    lake.execute(f"declare c cursor for {SELECTION}")
    lake.execute("rollback to savepoint s")
    with pytest.raises(psycopg.errors.InvalidCursorName):
        lake.execute("fetch c")


def test_outside_a_transaction_there_is_no_cursor(lake_dsn):
    with (
        psycopg.connect(lake_dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.NoActiveSqlTransaction),
    ):
        connection.execute(f"declare c cursor for {SELECTION}")


@pytest.mark.parametrize(
    "takeover",
    [
        "close c; declare c cursor for select 'another'",
        "select 1; close all; declare c cursor for select 'another'",
    ],
)
def test_a_name_that_means_another_cursor_is_the_servers(lake, takeover):
    lake.execute(f"declare c cursor for {SELECTION}")
    assert lake.execute("fetch c").fetchone()[1] == 3990
    lake.execute(takeover)
    assert lake.execute("fetch c").fetchall() == [("another",)]
    assert lake.execute(b"fetch 1 from c").fetchall() == []


def test_a_closed_cursor_never_gives_an_empty_answer(lake):
    lake.execute(f"declare c cursor for {SELECTION}")
    lake.execute("savepoint s")
    with pytest.raises(psycopg.errors.DivisionByZero):
        lake.execute("select 1/0")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        lake.execute("close c")
    lake.execute("rollback to savepoint s")
    with pytest.raises(psycopg.errors.UndefinedObject):
        lake.execute("fetch c")


@pytest.mark.parametrize("word", ["binary cursor", "scroll cursor", "cursor with hold"])
def test_what_a_cursor_over_a_lake_cannot_be(lake, word):
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        lake.execute(f"declare c {word} for {SELECTION}")


def test_copy_as_text_and_csv(lake):
    with lake.cursor().copy(f"copy ({SELECTION} limit 2) to stdout") as copy:
        assert b"".join(copy) == b"City 2990\t3990\t373.75\nCity 2991\t3991\t373.875\n"
    with lake.cursor().copy(
        "copy countries (name, eu) to stdout (format csv, header, force_quote (name), delimiter ';')"
    ) as copy:
        rows = list(csv.reader(io.StringIO(b"".join(copy).decode()), delimiter=";"))
    assert rows[0] == ["name", "eu"]
    assert len(rows) == 21
    assert rows[1] == ["Country 0", "f"]


def test_copy_escapes_as_postgresql_does(lake, scratch_server, database):
    query = (
        r"""select * from (values (1, E'a\tb\\c\nd', null), (2, 'x,"y"', ''), (3, '\.', 'z')) v (i, a, b)"""
    )
    for options in (
        "format text",
        "format csv",
        "format csv, null 'NULL', quote '''', escape '\\', header",
        "null ''",
    ):
        texts = []
        for dsn, source in (
            (scratch_server.dsn(database), query),
            (None, f"{query} where exists (select 1 from cities)"),
        ):
            connection = lake if dsn is None else psycopg.connect(dsn)
            with connection.cursor().copy(
                f"copy ({source} order by i) to stdout ({options})".encode()
            ) as copy:
                texts.append(b"".join(copy))
            if dsn is not None:
                connection.close()
        assert texts[0] == texts[1], options


def test_copy_in_binary(lake):
    with lake.cursor().copy(f"copy ({SELECTION} limit 2) to stdout (format binary)") as copy:
        copy.set_types(["text", "int8", "float8"])
        assert list(copy.rows()) == [("City 2990", 3990, 373.75), ("City 2991", 3991, 373.875)]
    with lake.cursor().copy("copy (select city from cities where false) to stdout (format binary)") as copy:
        assert list(copy.rows()) == []


def test_asyncpg_copies(lake_dsn):
    async def read():
        connection = await asyncpg.connect(lake_dsn)
        try:
            out = io.BytesIO()
            tag = await connection.copy_from_query(
                "select code from countries where code < $1", "C11", output=out
            )
            return tag, out.getvalue()
        finally:
            await connection.close()

    assert asyncio.run(read()) == ("COPY 3", b"C0\nC1\nC10\n")


def test_psql_copies_to_a_file(lake_dsn, tmp_path):
    psql = shutil.which("psql")
    assert psql, "psql is needed"
    target = tmp_path / "out.csv"
    command = rf"\copy (select name from countries where code = 'C3') to '{target}' csv header"
    done = subprocess.run([psql, "-X", lake_dsn, "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "COPY 1"), done.stderr
    assert target.read_text() == "name\nCountry 3\n"


@pytest.mark.parametrize(
    "hostile",
    [
        "copy cities to '/tmp/stolen'",
        "copy cities to program 'cat'",
        "copy cities from stdin",
        "copy cities to stdout (freeze)",
    ],
)
def test_copy_does_nothing_else(lake, hostile):
    with pytest.raises(psycopg.Error), lake.cursor().copy(hostile.encode()) as copy:
        list(copy)
