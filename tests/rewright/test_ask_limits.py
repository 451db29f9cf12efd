"""What bounds an ASK over the wire, one setting of [ask] after another; and what is known of it afterwards."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from rewright.config.model import Ask
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.asking_world import EACH, IN_PORTO, PORTO, Session, World, asking_world, make_database
from tests.rewright.test_ask_wire import failed, readers

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def made(scratch_server: ScratchServer, module_database: str) -> str:
    make_database(scratch_server, module_database)
    return module_database


@pytest.fixture
def asked(
    request: pytest.FixtureRequest, scratch_server: ScratchServer, made: str, tmp_path: Path
) -> Iterator[World]:
    with asking_world(scratch_server, made, tmp_path, request.param) as world:
        yield world


def bounded(**limits: object) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("asked", [Ask(**limits)], indirect=True)  # type: ignore[arg-type]


@contextmanager
def locked(world: World) -> Iterator[None]:
    """Nobody else reads museums meanwhile."""
    with psycopg.connect(world.server.dsn(world.database)) as other:
        other.execute("lock table museum in access exclusive mode")
        yield
        other.rollback()


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


@bounded(run_timeout=0.5)
def test_the_query_has_a_time_of_its_own(asked: World) -> None:
    with asked.connect() as session:
        assert session.rows(PORTO) == IN_PORTO
        with locked(asked):
            assert 0.4 < seconds_until("57014", session, PORTO) < 3
        assert session.rows("show statement_timeout") == [("0",)]
        assert session.rows(PORTO) == IN_PORTO


@bounded(run_timeout=60.0)
def test_a_tighter_statement_timeout_counts(asked: World) -> None:
    with asked.connect() as session:
        assert session.rows(PORTO) == IN_PORTO
        session.run("set statement_timeout = '400ms'")
        with locked(asked):
            assert 0.3 < seconds_until("57014", session, PORTO) < 3
        assert session.rows("show statement_timeout") == [("400ms",)]


@bounded(read_timeout=1.0)
def test_reading_ends_when_its_time_is_over(asked: World) -> None:
    with asked.connect() as session:
        while True:  # the first reading of a process takes longer
            try:
                session.rows(PORTO)
                break
            except psycopg.errors.QueryCanceled:
                continue
        stopped = readers(asked)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        assert 0.9 < seconds_until("57014", session, EACH) < 4
        for pid in stopped:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


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
        first, second = session.rows("select trajectory from rewright.asks order by id")
        assert json.loads(first[0])
        assert len(json.loads(second[0])) == len(json.loads(first[0])), "it was read again"


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
        assert "Porto" in answered[5]
        assert "museum" in answered[5]
        assert "elephants" in refused[3]
        assert refused[1] == ""


@bounded()
def test_a_new_table_is_asked_about_at_once(asked: World) -> None:
    with asked.connect() as session:
        assert failed(lambda: session.run("ASK 'how many sculptures are there?'")).sqlstate == "22023"
        session.run("create table sculpture (sculpture_id int primary key, title text)")
        try:
            session.run("insert into sculpture values (1, 'Foot')")
            assert session.rows("ASK 'how many sculptures are there?'") == [(1,)]
            session.run("alter table sculpture rename to statue")
            assert session.rows("ASK 'how many statues are there?'") == [(1,)]
            assert failed(lambda: session.run("ASK 'how many sculptures are there?'")).sqlstate == "22023"
        finally:
            session.run("drop table if exists sculpture, statue")
