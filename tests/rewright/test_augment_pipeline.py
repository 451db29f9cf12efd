"""AUGMENT behind other messages of the same pipeline: as drivers send BEGIN and the first statement at once."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.wire import frontend as f
from tests.rewright.messages import Wire, executed, kinds, state
from tests.rewright.test_augment_postgres import SALES, World, augmenting_world, make_database, make_files

pytestmark = pytest.mark.server
AUGMENTED = (f.Parse(b"", SALES.encode()), f.Bind(b"", b""), f.Describe(b"P", b""), f.Execute(b""))


@pytest.fixture(scope="module")
def world(
    scratch_server: ScratchServer, module_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    home = tmp_path_factory.mktemp("augmenting")
    make_files(home / "files")
    make_database(scratch_server, module_database)
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute("create table noted (n int); grant all on noted to ann")
    with augmenting_world(scratch_server, module_database, home) as made:
        yield made


@pytest.fixture
def wire(world: World) -> Iterator[Wire]:
    with world.connect() as session:
        yield Wire(session)
        session.execute("rollback")
        session.execute("truncate noted")


def answered(said: bytes) -> bytes:
    """Replies with each run of rows as one."""
    while b"DD" in said:
        said = said.replace(b"DD", b"D")
    return said


def test_begin_and_the_search_in_one_batch(wire: Wire) -> None:
    said = wire.play(*executed("BEGIN"), *AUGMENTED, f.Sync())
    assert answered(kinds(said)) == b"12C" + b"12TDC" + b"Z"
    assert any(b"streets" in body for kind, body in said if kind == b"D")
    assert said[-1][1] == b"T"
    assert wire.rows("show transaction_read_only")[0].endswith(b"off")


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_what_stands_before_it_in_the_block_is_the_clients(wire: Wire, end: str) -> None:
    said = wire.play(
        *executed("begin"), *executed("insert into noted values (1)"), *AUGMENTED, *executed(end), f.Sync()
    )
    assert answered(kinds(said)) == b"12C" * 2 + b"12TDC" + b"12CZ"
    assert said[-1][1] == b"I"
    assert len(wire.rows("select n from noted")) == (end == "commit")


def test_outside_a_block_nothing_is_committed_by_it(wire: Wire) -> None:
    said = wire.play(*executed("insert into noted values (1)"), *AUGMENTED, *executed("select 1"), f.Sync())
    assert state(said) == b"0A000"
    assert kinds(said) == b"12CEZ"
    assert said[-1][1] == b"I"
    assert wire.rows("select n from noted") == []


@pytest.mark.parametrize("before", ["begin", "select 1"])
def test_an_earlier_error_skips_it(wire: Wire, before: str) -> None:
    said = wire.play(
        *executed(before),
        *executed("select 1/0"),
        *AUGMENTED,
        *executed("insert into noted values (1)"),
        f.Sync(),
    )
    assert kinds(said)[-2:] == b"EZ"
    assert state(said) == b"22012"
    wire.play(*executed("rollback"), f.Sync())
    assert wire.rows("select n from noted") == []


def test_a_search_that_fails_skips_what_is_behind_it(wire: Wire) -> None:
    refused = f.Parse(b"", b"AUGMENT TABLE hidden TARGET amount"), f.Bind(b"", b""), f.Execute(b"")
    said = wire.play(*executed("begin"), *refused, *executed("insert into noted values (1)"), f.Sync())
    assert kinds(said) == b"12CEZ"
    assert state(said) == b"42501"
    assert said[-1][1] == b"E"


def test_an_open_portal_is_not_lost(wire: Wire) -> None:
    said = wire.play(f.Parse(b"other", b"select 42"), f.Bind(b"", b"other"), *AUGMENTED, f.Sync())
    assert state(said) == b"0A000"


def test_a_driver_that_begins_transactions_by_itself(world: World) -> None:
    with world.connect() as connection:
        connection.autocommit = False
        with connection.pipeline():
            found = connection.execute(SALES.encode())
            connection.execute("insert into noted values (1)")
        assert found.fetchall()[0][1] == "streets"
        connection.rollback()
        assert connection.execute("select count(*) from noted").fetchone() == (0,)
