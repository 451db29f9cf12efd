"""The optimiser's session: what it tells, and what it can't be made to do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.facts import server_facts
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, Session, SessionError, Undecodable
from rewright.engines.postgres.values import NO_VALUES, Values
from tests.proxy.waiting import Stopwatch, until

pytestmark = pytest.mark.server

SETUP = """
create table t (a int primary key, b text, c float8);
insert into t select g, case g % 10 when 0 then null else 'x' || g % 3 end, g / 3.0 from generate_series(1, 10000) g;
analyze t;
"""


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SETUP.encode())
    return scratch_server.dsn(module_database)


@pytest.fixture
def session(dsn: str) -> Iterator[Session]:
    with Session(dsn) as opened:
        yield opened


def test_it_is_read_only_and_says_who_it_is(session: Session) -> None:
    names = ("application_name", "transaction_read_only", "lock_timeout", "statement_timeout")
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    assert session.fetch(f"select {asked}") == [("rewright optimiser", "on", "1s", "30s")]
    with pytest.raises(SessionError, match="read-only") as caught:
        session.ask("delete from public.t returning a")
    assert caught.value.sqlstate == "25006"


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_only_bytes_without_an_encoding_are_refused(scratch_server: ScratchServer, encoding: str) -> None:
    """What the client library gives for text of SQL_ASCII is bytes, among which no name would be found."""
    name = f"encoded_{encoding.lower()}"
    with psycopg.connect(scratch_server.dsn("postgres"), autocommit=True) as owner:
        owner.execute(f"create database {name} encoding '{encoding}' locale 'C' template template0".encode())
        try:
            if encoding == "SQL_ASCII":
                with (
                    pytest.raises(Undecodable, match="encoding is SQL_ASCII"),
                    Session(scratch_server.dsn(name)),
                ):
                    pass
            else:
                with Session(scratch_server.dsn(name)) as session:
                    assert session.run("select relname from pg_catalog.pg_class where oid = 1259").rows == 1
        finally:
            owner.execute(f"drop database {name}".encode())


@pytest.mark.parametrize(
    "statement",
    [
        "commit; delete from t",
        "select 1; select 2",
        "set transaction read write",
        "select 1; commit; begin read write; delete from t returning 1",
    ],
)
def test_nobody_gets_out_of_the_transaction(session: Session, dsn: str, statement: str) -> None:
    for run in (session.fetch, session.run, session.explain, session.describe):
        try:
            run(statement)
        except (SessionError, psycopg.Error):
            continue
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select count(*) from t").fetchone() == (10000,)
    assert session.fetch("select current_setting('transaction_read_only')") == [("on",)]


def test_explain(session: Session) -> None:
    plan = session.explain("select * from t where a = 5")
    assert plan.root.operator == "Index Scan"
    without = session.explain("select * from t where a = 5", settings={"enable_indexscan": "off"})
    assert without.root.operator != "Index Scan"
    assert session.explain("select * from t where a = 5").shape == plan.shape
    actual = session.explain("select count(*) from t", analyze=True).root.actual
    assert actual is not None
    assert actual.rows == 1


def test_a_generic_plan(session: Session) -> None:
    assert session.explain("select * from t where a = $1", generic=True).cost > 0


def test_describe(session: Session) -> None:
    described = session.describe("select b as name, a + $1 as n, c::numeric(10,2) from t where b = $2", [20])
    assert described.parameter_oids == (20, 25)
    assert [(column.name, column.type_oid, column.attnum) for column in described.columns] == [
        ("name", 25, 2),
        ("n", 20, 0),
        ("c", 1700, 0),
    ]
    assert described.columns[2].typmod == 655366
    with pytest.raises(SessionError) as caught:
        session.describe("select nothing from t")
    assert caught.value.sqlstate == "42703"


def test_digests_know_bags_and_orders(session: Session) -> None:
    up = session.run("select a, b, c from t order by a")
    down = session.run("select a, b, c from t order by a desc")
    assert up.rows == down.rows == 10000
    assert up.digest == down.digest
    assert up.ordered_digest != down.ordered_digest
    assert session.run("select a, b, c from t where a <> 17").digest != up.digest
    assert session.run("select null::text, 'a'").digest != session.run("select 'a', null::text").digest
    assert session.run("select 'a', 'bc'").digest != session.run("select 'ab', 'c'").digest
    assert session.run("select 0.1::float8 + 0.2").digest != session.run("select 0.3::float8").digest


def test_a_run_is_stopped_in_time(session: Session) -> None:
    with Stopwatch() as watch:
        run = session.run("select count(*) from generate_series(1, 1000000000)", stop_after=0.3)
    assert not run.finished
    assert watch.seconds < 3
    assert run.digest == ""
    assert session.run("select 1").finished


def test_a_stream_is_stopped_in_time(session: Session) -> None:
    run = session.run("select g from generate_series(1, 1000000000) g", stop_after=0.3)
    assert not run.finished


def test_cpu_is_seen(session: Session) -> None:
    busy = session.run("select count(*) from generate_series(1, 1000000)")
    assert busy.cpu is not None
    assert 0.02 < busy.cpu < busy.duration + 0.1
    idle = session.run("select pg_sleep(0.2)")
    assert idle.cpu is not None
    assert idle.cpu < 0.1


def test_cpu_of_parallel_workers_counts(session: Session) -> None:
    alone = {"max_parallel_workers_per_gather": "0"}
    parallel = {
        "max_parallel_workers_per_gather": "2",
        "parallel_setup_cost": "0",
        "parallel_tuple_cost": "0",
        "min_parallel_table_scan_size": "0",
        "debug_parallel_query": "on",
    }
    statement = "select sum(length(repeat(b || c, 1000))) from t cross join generate_series(1, 5)"
    assert any(node.operator == "Gather" for node in session.explain(statement, settings=parallel).walk())
    one = session.run(statement, settings=alone)
    many = session.run(statement, settings=parallel)
    assert one.digest == many.digest
    assert one.cpu is not None
    assert many.cpu is not None
    assert many.cpu > 0.5 * one.cpu


def test_a_lock_is_not_waited_for(dsn: str) -> None:
    with (
        psycopg.connect(dsn) as blocker,
        Session(dsn, limits=Limits(lock=0.1)) as session,
    ):
        blocker.execute("lock table t in access exclusive mode")
        with pytest.raises(SessionError) as caught:
            session.run("select * from t")
        assert caught.value.sqlstate == "55P03"


def test_a_lost_connection_is_made_again(session: Session, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as killer:
        killer.execute("select pg_terminate_backend(%s)", [session.backend_pid])
    with pytest.raises(SessionError):
        session.fetch("select 1")
    assert session.fetch("select 1") == [(1,)]


def test_no_server() -> None:
    with pytest.raises(SessionError):
        Session("postgresql://nobody@127.0.0.1:1/none")


def test_facts(session: Session) -> None:
    facts = server_facts(session.connection)
    assert facts.major == 18
    assert facts.encoding == "UTF8"
    assert "plpgsql" in facts.extensions
    assert not facts.hint_plan
    session.connection.execute("set pg_hint_plan.enable_hint = on")  # a placeholder
    assert not server_facts(session.connection).hint_plan


def test_values_of_parameters_are_planned_and_run_with(session: Session) -> None:
    text = "select b from t where a < $1 and coalesce(b, '') <> $2"
    session.bind(text, Values((0, 25), (b"\x00\x00\x00\x0b", b"x1"), (1, 0)))
    assert session.values.types == (23, 25)
    # of 1..10: 1, 4 and 7 are x1
    assert session.run(text).rows == 7
    # the planner knows them
    assert session.explain(text).root.rows < 30 < session.explain(text.replace("$1", "10000")).root.rows
    # a rewritten text may leave one out, and a text without parameters gets none
    assert session.run("select b from t where a < $1").rows == 10
    assert session.run("select b from t where $2 = b and a < 10").rows == 3
    assert session.run("select 1").rows == 1
    session.bind(text, NO_VALUES)
    with pytest.raises(SessionError):
        session.run(text)
    assert session.explain(text, generic=True).root.rows > 0


def test_a_null_is_a_value(session: Session) -> None:
    text = "select a from t where b is not distinct from $1"
    session.bind(text, Values((25,), (None,), (0,)))
    assert session.run(text).rows == 1000


def test_values_of_a_wrong_type_are_the_servers_error(session: Session) -> None:
    session.bind("select a from t where a = $1", Values((), (b"x",), (0,)))
    with pytest.raises(SessionError) as caught:
        session.run("select a from t where a = $1")
    assert caught.value.sqlstate == "22P02"


def test_what_a_killed_process_ran_ends_by_itself(dsn: str) -> None:
    endless = "select count(*) from generate_series(1, 100000) a, generate_series(1, 1000000) b"
    code = f"from rewright.engines.postgres.session import Session\nSession({dsn!r}).fetch({endless!r})"
    running = "select count(*) from pg_stat_activity where state = 'active' and query = %s"
    with (
        subprocess.Popen([sys.executable, "-c", code]) as child,
        psycopg.connect(dsn, autocommit=True) as looking,
    ):
        while looking.execute(running, [endless]).fetchone() == (0,):
            assert child.poll() is None
            time.sleep(0.02)
        child.kill()
        with Stopwatch() as watch:
            until(lambda: looking.execute(running, [endless]).fetchone() == (0,))
        assert watch.seconds < 20
