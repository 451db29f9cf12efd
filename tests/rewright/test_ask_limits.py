"""What bounds an ASK over the wire, one setting of [ask] after another; and what is known of it afterwards."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.config.model import Ask
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.wire import frontend as f
from tests.rewright.asking_world import EACH, IN_PORTO, PORTO, Session, World, asking_world, make_database
from tests.rewright.messages import Wire, executed, kinds, state
from tests.rewright.test_ask_wire import failed

pytestmark = pytest.mark.server
VISITS = "ASK 'how many visits are there?'"
"""More rows than can be counted in a minute."""


@pytest.fixture(scope="module")
def made(scratch_server: ScratchServer, module_database: str) -> str:
    make_database(scratch_server, module_database)
    tickets = ", ".join(f"ticket t{n}" for n in range(6))
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute("analyze ticket")
        connection.execute(f"create view visit as select t0.ticket_id as visit_id from {tickets}".encode())
    return module_database


@pytest.fixture
def asked(
    request: pytest.FixtureRequest, scratch_server: ScratchServer, made: str, tmp_path: Path
) -> Iterator[World]:
    with asking_world(scratch_server, made, tmp_path, request.param) as world:
        yield world


def bounded(**limits: object) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("asked", [Ask(**limits)], indirect=True)  # type: ignore[arg-type]


def seconds_until(state: str, session: Session, text: str) -> float:
    began = time.monotonic()
    assert failed(lambda: session.run(text)).sqlstate == state
    return time.monotonic() - began


@bounded(cost=1.0)
def test_too_expensive_a_query_is_not_run(asked: World) -> None:
    with asked.connect() as session:
        error = failed(lambda: session.run(PORTO))
        assert error.sqlstate == "54000"
        assert "cost" in (error.diag.message_primary or "")
        assert session.rows("select count(*) from museum where city = 'Porto'") == [(2,)], "others may"


@bounded(run_timeout=0.5, cost=1e15)
def test_the_query_has_a_time_of_its_own(asked: World) -> None:
    with asked.connect() as session:
        assert 0.4 < seconds_until("57014", session, VISITS) < 120, "the first reading included"
        assert 0.4 < seconds_until("57014", session, VISITS) < 30
        assert session.rows("show statement_timeout") == [("0",)]
        assert session.rows(PORTO) == IN_PORTO


@bounded(run_timeout=0.5, cost=1e15)
def test_the_same_time_holds_message_by_message(asked: World) -> None:
    with asked.connect() as session:
        wire = Wire(session.connection)
        assert state(wire.play(*executed(VISITS), f.Sync())) == b"57014"
        assert state(wire.play(*executed("begin"), *executed(VISITS), f.Sync())) == b"57014"
        session.run("rollback")
        assert session.rows("show statement_timeout") == [("0",)]


@bounded(run_timeout=0.5, cost=1e15)
def test_the_time_of_a_query_begins_with_its_execute(asked: World) -> None:
    """What is bound and not run yet, in a block or out of one, costs none of it."""
    with asked.connect() as session:
        wire = Wire(session.connection)
        for before in ((), executed("begin")):
            wire.socket.sendall(b"".join(m.encode() for m in (*before, f.Parse(b"", PORTO.encode()))))
            wire.socket.sendall(f.Bind(b"", b"").encode() + f.Flush().encode())
            time.sleep(1.0)
            said = wire.play(f.Execute(b""), f.Sync())
            assert kinds(said).endswith(b"DDCZ"), said
        session.run("rollback")


@bounded(run_timeout=60.0, cost=1e15)
def test_a_tighter_statement_timeout_counts(asked: World) -> None:
    with asked.connect() as session:
        assert session.rows(PORTO) == IN_PORTO
        session.run("set statement_timeout = '2s'")
        assert 1.5 < seconds_until("57014", session, VISITS) < 60
        assert session.rows("show statement_timeout") == [("2s",)]


@bounded(read_timeout=0.05)
def test_reading_ends_when_its_time_is_over(asked: World) -> None:
    """A process takes longer to start, and is killed with what it was to read."""
    with asked.connect() as session:
        assert seconds_until("57014", session, EACH) < 20
        assert session.rows("select count(*) from museum") == [(3,)]


@bounded(rows=1)
def test_rows_beyond_the_limit_are_told(asked: World) -> None:
    with asked.connect() as session:
        assert len(session.rows(PORTO)) == 1
        assert session.take_notices()[-1] == "only the first 1 rows are shown"


@bounded(remember=0.0)
def test_nothing_is_remembered_where_it_shall_not_be(asked: World) -> None:
    with asked.connect() as session:
        session.rows(PORTO)
        session.rows(PORTO)
        (first,), (second,) = session.rows("select trajectory from rewright.asks order by id")
        assert json.loads(first) == json.loads(second), "it was read again"


@bounded()
def test_the_same_question_again_is_not_read(asked: World) -> None:
    with asked.connect() as session:
        assert session.rows(PORTO) == session.rows(PORTO) == IN_PORTO
        (first,), (second,) = session.rows("select trajectory from rewright.asks order by id")
        assert [step["kind"] for step in json.loads(first)][-1] == "read"
        assert second == ""


@bounded()
def test_each_question_is_in_the_log_with_what_it_linked(asked: World) -> None:
    with asked.connect() as session:
        session.rows(PORTO)
        failed(lambda: session.run("ASK 'how many elephants flew?'"))
        answered, refused = session.rows(
            "select question, sql, reading, refused, tokens, trajectory from rewright.asks order by id"
        )
        assert answered[0] == "which museums are in Porto?"
        assert answered[1].startswith("select museum.name")
        assert (answered[3], answered[4]) == ("", 0)
        steps = json.loads(answered[5])
        assert {"kind": "linked", "stage": "reader", "text": "values: museum.city = Porto"} in steps
        assert (steps[-1]["kind"], steps[-1]["sql"]) == ("read", answered[1])
        assert (refused[1], refused[3].startswith("the data does not say")) == ("", True)
        assert json.loads(refused[5])[-1] == {"kind": "refused", "stage": "reader", "text": refused[3]}


@bounded()
def test_a_new_table_is_asked_about_at_once(asked: World) -> None:
    with asked.connect() as session:
        assert failed(lambda: session.run("ASK 'how many sculptures are there?'")).sqlstate == "22023"
        session.run("create table sculpture (id int primary key, title text)")
        try:
            session.run("insert into sculpture values (1, 'Foot')")
            assert session.rows("ASK 'how many sculptures are there?'") == [(1,)]
            session.run("alter table sculpture rename to tram")
            assert session.rows("ASK 'how many trams are there?'") == [(1,)]
            assert failed(lambda: session.run("ASK 'how many sculptures are there?'")).sqlstate == "22023"
        finally:
            session.run("drop table if exists sculpture, tram")
