"""What a session's own limits of time do to statements on a lake: as a server heeds them."""

from __future__ import annotations

import contextlib
import select
import socket

import psycopg
import pytest

from tests.proxy.waiting import PATIENCE

pytestmark = [pytest.mark.server, pytest.mark.long]
ENDLESS = "select count(*) from cities a, cities b, cities c, cities d where a.population + b.area * c.area = d.area"
POSTGRESQLS = (
    "select max(to_char(length(a.city || b.city || c.city), 'RN'))"
    " from (select * from cities limit 90) a, (select * from cities limit 90) b, cities c"
)
"""What only PostgreSQL can do, with rows of the lake."""
STATEMENTS = {
    "DuckDB": ENDLESS,
    "PostgreSQL": POSTGRESQLS,
    "rows": "select a.city, b.city from cities a, cities b, cities c, cities d",
    "explain": f"explain analyze {ENDLESS}",
    "imagined names": ENDLESS.replace("population", "inhabitants"),
}


@pytest.fixture
def lake(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        yield connection


def timed_out(lake, sql, **how):
    with pytest.raises(psycopg.errors.QueryCanceled) as raised:
        lake.execute(sql.encode(), **how).fetchall()
    assert raised.value.diag.message_primary == "canceling statement due to statement timeout"
    assert raised.value.sqlstate == "57014"


def goes_on(lake):
    lake.execute("reset statement_timeout")
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


@pytest.mark.parametrize("sql", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_ends_with_its_timeout_whatever_runs_it(lake, sql):
    lake.execute("set statement_timeout = '900ms'")
    timed_out(lake, sql)
    goes_on(lake)


def test_copy_ends_with_it(lake):
    lake.execute("set statement_timeout = '900ms'")
    with (
        pytest.raises(psycopg.errors.QueryCanceled),
        lake.cursor().copy(f"copy ({ENDLESS}) to stdout") as copy,
    ):
        list(copy)
    goes_on(lake)


@pytest.mark.parametrize("how", [{"prepare": True}, {"binary": True}], ids=str)
def test_the_extended_protocol_heeds_it(lake, how):
    lake.execute("set statement_timeout = '900ms'")
    timed_out(lake, ENDLESS, **how)
    goes_on(lake)


def test_a_statement_prepared_before_heeds_what_is_set_when_it_runs(lake):
    query = "select count(*) from countries a, cities b, cities c where a.code <> %s"
    assert lake.execute(query, ["C1"], prepare=True).fetchone() == (19 * 3000 * 3000,)
    lake.execute("set statement_timeout = 1")
    with pytest.raises(psycopg.errors.QueryCanceled):
        lake.execute(query, ["C1"], prepare=True)


def test_it_may_come_with_the_connection(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True, options="-c statement_timeout=900") as lake:
        assert lake.execute("show statement_timeout").fetchone() == ("900ms",)
        timed_out(lake, ENDLESS)
        lake.execute("set statement_timeout = 0")
        assert lake.execute("select count(*) from countries").fetchone() == (20,)
        lake.execute("reset statement_timeout")
        assert lake.execute("show statement_timeout").fetchone() == ("900ms",)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("900", "900ms"),
        ("'0.9s'", "900ms"),
        ("'1s'", "1s"),
        ("'0.02min'", "1s"),
        ("'900000us'", "900ms"),
    ],
)
def test_values_are_read_and_shown_as_postgresql_does(lake, value, shown):
    lake.execute(f"set session statement_timeout to {value}".encode())
    assert lake.execute("show statement_timeout").fetchone() == (shown,)
    timed_out(lake, ENDLESS)


@pytest.mark.parametrize("value", ["0", "'10min'", "'1h'", "'1d'", "default"])
def test_a_long_one_and_none_let_it_run(lake, value):
    lake.execute("set statement_timeout = 1")
    lake.execute(f"set statement_timeout = {value}".encode())
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def test_a_local_one_holds_for_its_transaction(lake):
    with contextlib.suppress(psycopg.errors.QueryCanceled), lake.transaction():
        lake.execute("set local statement_timeout = '900ms'")
        timed_out(lake, ENDLESS)
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            lake.execute("select count(*) from countries")
        raise psycopg.errors.QueryCanceled
    assert lake.execute("show statement_timeout").fetchone() == ("0",)
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def test_a_rolled_back_one_is_gone(lake):
    with contextlib.suppress(ZeroDivisionError), lake.transaction():
        lake.execute("set statement_timeout = 1")
        raise ZeroDivisionError
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def test_each_fetch_has_its_time(lake):
    with contextlib.suppress(psycopg.errors.QueryCanceled), lake.transaction():
        lake.execute(f"declare c cursor for {ENDLESS}".encode())
        lake.execute("set local statement_timeout = '900ms'")
        timed_out(lake, "fetch 1 from c")
        raise psycopg.errors.QueryCanceled
    goes_on(lake)


def test_a_pipeline_goes_on_behind_it(lake):
    with pytest.raises(psycopg.errors.QueryCanceled), lake.pipeline() as pipeline:  # noqa: PT012
        first = lake.execute("select count(*) from countries")
        lake.execute("set statement_timeout = '900ms'")
        lake.execute(ENDLESS)
        lake.execute("select 7")
        try:
            pipeline.sync()
        finally:
            assert first.fetchone() == (20,)
    goes_on(lake)


def test_a_failed_transaction_says_so(lake):
    with pytest.raises(psycopg.errors.InFailedSqlTransaction), lake.transaction():  # noqa: PT012
        with contextlib.suppress(psycopg.Error):
            lake.execute("select 1/0")
        lake.execute("select count(*) from cities")


def test_a_search_for_tables_ends_with_it(lake):
    lake.execute("set statement_timeout = 1")
    timed_out(lake, "augment table cities target population")
    timed_out(lake, "create view wide as augment table cities target population")
    goes_on(lake)


def test_a_question_ends_with_it(lake):
    lake.execute("set statement_timeout = 1")
    timed_out(lake, "ask 'how many cities are there?'")
    lake.execute("reset statement_timeout")
    assert lake.execute("ask 'how many cities are there?'").fetchone() == (3000,)


def test_a_transaction_that_takes_too_long_ends_the_session(lake_dsn):
    with psycopg.connect(lake_dsn, options="-c transaction_timeout=900") as lake:
        with pytest.raises(psycopg.errors.TransactionTimeout):
            lake.execute(ENDLESS)
        assert lake.closed


@pytest.mark.parametrize(
    ("setting", "state", "autocommit"),
    [
        ("idle_in_transaction_session_timeout", "25P03", False),
        ("idle_session_timeout", "57P05", True),
    ],
)
def test_an_idle_session_ends(lake_dsn, setting, state, autocommit):
    lake = psycopg.connect(lake_dsn, options=f"-c {setting}=900", autocommit=autocommit)
    with contextlib.closing(lake):
        try:
            lake.execute("select count(*) from countries")
            assert select.select([lake.pgconn.socket], [], [], PATIENCE)[0]
            with socket.fromfd(lake.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as client:
                assert b"C%s\0" % state.encode() in client.recv(4096)
        # a slow machine
        except psycopg.OperationalError as error:
            assert error.sqlstate == state  # noqa: PT017
