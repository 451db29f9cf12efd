"""ASK behind other messages of the same pipeline: as drivers send BEGIN and the first statement at once."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.wire import frontend as f
from tests.rewright.asking_world import IN_PORTO, PORTO, World, asking_world, make_database
from tests.rewright.messages import Wire, executed, kinds, state

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def world(
    scratch_server: ScratchServer, module_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    make_database(scratch_server, module_database)
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute("create table noted (n int)")
    with asking_world(scratch_server, module_database, tmp_path_factory.mktemp("asking")) as made:
        yield made


@pytest.fixture
def wire(world: World) -> Iterator[Wire]:
    with world.connect() as session:
        yield Wire(session.connection)
        session.run("rollback")
        session.run("truncate noted")


ASKED = (f.Parse(b"", PORTO.encode()), f.Bind(b"", b""), f.Describe(b"P", b""), f.Execute(b""))
ANSWER = b"12TDDC"


def test_begin_and_the_question_in_one_batch(wire: Wire) -> None:
    said = wire.play(*executed("BEGIN"), *ASKED, f.Sync())
    assert kinds(said) == b"12C" + ANSWER + b"Z"
    assert [body[6:] for kind, body in said if kind == b"D"] == [name.encode() for (name,) in IN_PORTO]
    assert said[-1][1] == b"T"
    again = wire.play(*ASKED, f.Sync())
    assert kinds(again) == ANSWER + b"Z"
    assert wire.rows("show transaction_read_only")[0].endswith(b"off")


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_what_stands_before_it_in_the_block_is_the_clients(wire: Wire, end: str) -> None:
    said = wire.play(
        *executed("begin"), *executed("insert into noted values (1)"), *ASKED, *executed(end), f.Sync()
    )
    assert kinds(said) == b"12C" * 2 + ANSWER + b"12CZ"
    assert said[-1][1] == b"I"
    assert len(wire.rows("select n from noted")) == (end == "commit")


def test_an_error_behind_it_fails_the_whole_block(wire: Wire) -> None:
    said = wire.play(
        *executed("begin"),
        *executed("insert into noted values (1)"),
        *ASKED,
        *executed("select 1/0"),
        *executed("commit"),
        f.Sync(),
    )
    assert state(said) == b"22012"
    assert said[-1][1] == b"E"
    wire.play(*executed("commit"), f.Sync())
    assert wire.rows("select n from noted") == []


def test_outside_a_block_nothing_is_committed_by_it(wire: Wire) -> None:
    """What an insert in the same pipeline would be, were a Sync sent behind it."""
    said = wire.play(*executed("insert into noted values (1)"), *ASKED, *executed("select 1"), f.Sync())
    assert state(said) == b"0A000"
    assert kinds(said) == b"12CEZ"
    assert said[-1][1] == b"I"
    assert wire.rows("select n from noted") == []
    assert kinds(wire.play(*ASKED, f.Sync())) == ANSWER + b"Z"


def test_behind_a_block_that_ended_nothing_is_committed_by_it(wire: Wire) -> None:
    said = wire.play(
        *executed("begin"),
        *executed("commit"),
        *executed("insert into noted values (1)"),
        *ASKED,
        f.Sync(),
    )
    assert state(said) == b"0A000"
    assert wire.rows("select n from noted") == []


@pytest.mark.parametrize("before", ["begin", "select 1"])
def test_an_earlier_error_skips_it(wire: Wire, world: World, before: str) -> None:
    asked = len(world.store.asks.read())
    said = wire.play(
        *executed(before),
        *executed("select 1/0"),
        *ASKED,
        *executed("insert into noted values (1)"),
        f.Sync(),
    )
    assert kinds(said)[-2:] == b"EZ"
    assert state(said) == b"22012"
    assert len(world.store.asks.read()) == asked
    wire.play(*executed("rollback"), f.Sync())
    assert wire.rows("select n from noted") == []


def test_a_refused_question_skips_what_is_behind_it(wire: Wire) -> None:
    refused = f.Parse(b"", b"ASK 'how many elephants flew?'"), f.Bind(b"", b""), f.Execute(b"")
    said = wire.play(*executed("begin"), *refused, *executed("insert into noted values (1)"), f.Sync())
    assert kinds(said) == b"12CEZ"
    assert state(said) == b"22023"
    assert said[-1][1] == b"E"


def test_two_questions_and_a_statement_between_them(wire: Wire) -> None:
    said = wire.play(
        *executed("begin"),
        *ASKED,
        *executed("insert into noted values (1)"),
        *ASKED,
        *executed("end"),
        f.Sync(),
    )
    assert kinds(said) == b"12C" + ANSWER + b"12C" + ANSWER + b"12CZ"
    assert len(wire.rows("select n from noted")) == 1


def test_behind_statements_that_were_only_prepared(wire: Wire) -> None:
    other = f.Parse(b"other", b"select 42")
    run = f.Bind(b"", b"other"), f.Execute(b""), f.Close(b"S", b"other")
    said = wire.play(other, *ASKED, *run, f.Sync())
    assert kinds(said) == b"1" + ANSWER + b"2DC3Z"
    wrong = wire.play(f.Parse(b"other", b"select no such"), *ASKED, f.Sync())
    assert kinds(wrong) == b"EZ"


def test_an_open_portal_is_not_lost(wire: Wire) -> None:
    said = wire.play(f.Parse(b"other", b"select 42"), f.Bind(b"", b"other"), *ASKED, f.Sync())
    assert state(said) == b"0A000"
    assert wire.rows("select 7")[0].endswith(b"7")


def test_a_driver_that_begins_transactions_by_itself(world: World) -> None:
    with psycopg.connect(world.dsn()) as connection:
        with connection.pipeline():
            first = connection.execute(PORTO.encode())
            connection.execute("insert into noted values (1)")
            second = connection.execute(PORTO.encode())
            count = connection.execute("select count(*) from noted")
        assert first.fetchall() == second.fetchall() == IN_PORTO
        assert count.fetchone() == (1,)
        connection.rollback()
        with connection.pipeline():
            connection.execute("insert into noted values (1)")
            late = connection.execute("ASK 'how many elephants flew?'")
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                late.fetchall()
        connection.rollback()
        assert connection.execute("select count(*) from noted").fetchone() == (0,)
