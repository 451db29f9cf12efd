"""SQL's PREPARE and EXECUTE over a lake, in both protocols, also where names have to be found."""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.server
OVER_REAL = (
    "select city, population from cities where country = $1 and population > $2 order by population limit 2"
)
OVER_INVENTED = (
    "select city_name, inhabitants from towns where country = $1 and inhabitants > $2 order by 2 limit 2"
)
RAW_ROW = [b"City 2983", b"3983"]


@pytest.fixture
def lake(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        yield connection


def _run(connection, text, *, extended):
    return connection.cursor(binary=extended).execute(text)


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("types", ["", "(text, integer)", "(varchar(9), numeric(10, 2))"])
@pytest.mark.parametrize("query", [OVER_REAL, OVER_INVENTED])
def test_a_prepared_query_gives_its_rows(lake, query, types, extended):
    done = _run(lake, f"prepare q {types} as {query}", extended=extended)
    assert done.statusmessage == "PREPARE"
    for arguments in ("'C3', 3963", "upper('c') || '3', 3000 + 963", "'C3', 3962 + 1"):
        found = _run(lake, f"execute q ({arguments})", extended=extended)
        assert found.fetchall() == [("City 2983", 3983)]
        assert found.statusmessage == "SELECT 1"
    assert _run(lake, "execute q ('C3', 3000 + 900)", extended=extended).fetchall() == [
        ("City 2903", 3903), ("City 2923", 3923),
    ]  # fmt: skip


@pytest.mark.parametrize("extended", [False, True])
def test_names_are_found_for_a_prepared_query_without_parameters(lake, extended):
    _run(lake, "prepare q as select count(*) as n from towns where inhabitants > 3990", extended=extended)
    for _ in range(2):
        found = _run(lake, "execute q", extended=extended)
        assert [column.name for column in found.description] == ["n"]
        assert found.fetchall() == [(9,)]


def test_a_resolution_is_told_when_it_is_executed(lake):
    told = []
    lake.add_notice_handler(lambda one: told.append(one.message_primary))
    lake.execute("prepare q as " + OVER_INVENTED)
    lake.execute("execute q ('C3', 3900)")
    assert len(told) == 1
    assert "towns" in told[0]


@pytest.mark.parametrize("extended", [False, True])
def test_what_postgresql_says_of_names_and_arguments(lake, extended):
    _run(lake, f"prepare q (text, integer) as {OVER_REAL}", extended=extended)
    for text, error in (
        (f"prepare q as {OVER_REAL}", psycopg.errors.DuplicatePreparedStatement),
        ("execute q ('C3')", psycopg.errors.SyntaxError),
        ("execute q ('C3', 'many')", psycopg.errors.InvalidTextRepresentation),
        ("execute q ('C3', array[1])", psycopg.errors.DatatypeMismatch),
        ("execute nobody", psycopg.errors.InvalidSqlStatementName),
        (f"prepare r (nothing) as {OVER_REAL}", psycopg.errors.UndefinedObject),
        ("prepare r as select nothing_like_it_zzq from cities", psycopg.errors.UndefinedColumn),
    ):
        with pytest.raises(error):
            _run(lake, text, extended=extended)
    assert _run(lake, "execute q ('C3', 3963)", extended=extended).fetchall() == [("City 2983", 3983)]
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        _run(lake, "explain execute q ('C3', 3963)", extended=extended)


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("word", ["deallocate q", "deallocate prepare all", "discard all"])
def test_a_name_that_is_gone_is_gone(lake, word, extended):
    for query in (OVER_REAL, "select 'the server''s'"):
        _run(lake, f"prepare q as {query}", extended=extended)
        _run(lake, word, extended=False)
        with pytest.raises(psycopg.errors.InvalidSqlStatementName):
            _run(lake, "execute q ('C3', 3900)", extended=extended)
    _run(lake, f"prepare q as {OVER_REAL}", extended=extended)
    _run(lake, word, extended=False)
    _run(lake, "prepare q as select 'the server''s'", extended=extended)
    assert _run(lake, "execute q", extended=extended).fetchall() == [("the server's",)]


def test_in_a_failed_transaction_nothing_is_prepared_or_executed(lake):
    lake.execute(f"prepare q as {OVER_REAL}")
    lake.execute("begin")
    with pytest.raises(psycopg.errors.DivisionByZero):
        lake.execute("select 1/0")
    for text in (f"prepare r as {OVER_REAL}", "execute q ('C3', 3900)"):
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            lake.execute(text)
    lake.execute("rollback")
    with pytest.raises(psycopg.errors.InvalidSqlStatementName):
        lake.execute("execute r ('C3', 3900)")
    assert lake.execute("execute q ('C3', 3963)").fetchall() == [("City 2983", 3983)]


def test_the_protocols_bind_may_name_what_sql_prepared(lake):
    lake.execute(f"prepare q (text, integer) as {OVER_REAL}")
    done = lake.pgconn.exec_prepared(b"q", [b"C3", b"3963"])
    assert [done.get_value(0, i) for i in range(done.nfields)] == RAW_ROW
    lake.execute(f"prepare r (text, integer) as {OVER_INVENTED}")
    done = lake.pgconn.exec_prepared(b"r", [b"C3", b"3963"])
    assert done.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"0A000"


@pytest.mark.parametrize("word", ["prepare other as select 1", "prepare other as select 1; deallocate other"])
def test_names_that_sql_changes_leave_others_what_they_were(lake, word):
    lake.pgconn.prepare(b"s", OVER_REAL.encode())
    lake.execute(word.encode())
    done = lake.pgconn.exec_prepared(b"s", [b"C3", b"3963"])
    assert [done.get_value(0, i) for i in range(done.nfields)] == RAW_ROW


def test_a_name_that_sql_freed_may_be_prepared_again(lake):
    for _ in range(2):
        lake.pgconn.prepare(b"s", OVER_REAL.encode())
        done = lake.pgconn.exec_prepared(b"s", [b"C3", b"3963"])
        assert [done.get_value(0, i) for i in range(done.nfields)] == RAW_ROW
        lake.execute("deallocate s")
    done = lake.pgconn.exec_prepared(b"s", [b"C3", b"3963"])
    assert done.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"26000"


def test_values_may_hold_quotes_and_be_missing(lake):
    lake.execute("prepare q (text) as select count(*) as n from towns where city_name = $1")
    assert lake.execute("execute q ('City 7')").fetchall() == [(1,)]
    lake.execute("prepare r (text) as select count(*) as n from cities where city = $1 or city is null")
    assert lake.execute("execute r ('it''s $1')").fetchall() == [(0,)]
    assert lake.execute("execute r (null)").fetchall() == [(0,)]


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize(
    "query", ["select count(*) from cities where city = $1", "select n from towns where city_name = $1"]
)
def test_a_value_that_the_server_computes_is_bounded(lake, query, extended):
    _run(lake, f"prepare q as {query}", extended=extended)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="at most 1,000,000 bytes"):
        _run(lake, "execute q (repeat('x', 5000000))", extended=extended)
    assert _run(lake, "select 1", extended=extended).fetchone() == (1,)


@pytest.mark.parametrize("extended", [False, True])
def test_the_number_of_parameters_is_bounded(lake, extended):
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="at most 1600 parameters"):
        _run(lake, "prepare q as select count(*) from cities where city = $2000000000", extended=extended)
