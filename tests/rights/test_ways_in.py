"""Ways into the optimiser's role: each is refused by the gate, and each does run alice's code without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres import gate
from rewright.engines.postgres.session import Limits, Session, SessionError, Untrusted
from rewright.engines.postgres.values import Values
from tests.rights.conftest import World
from tests.rights.ways import WAYS, Way, When

pytestmark = pytest.mark.server

STEPS: tuple[When, ...] = ("parse", "plan", "run")
EACH = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)


@pytest.fixture
def prepared(world: World, way: Way) -> Iterator[World]:
    world.afresh()
    world.admin.execute(way.admin.format(database=world.database).encode())
    world.as_client(way.setup)
    world.admin.execute(way.after.encode())
    yield world
    world.admin.execute(b"drop extension if exists tablefunc, seg, file_fdw, fuzzystrmatch cascade")
    world.admin.execute(b"drop function if exists public.of_the_dba")


def step(session: Session, way: Way, name: When) -> None:
    if name == "parse":
        session.describe(way.text, session.values.types)
    elif name == "plan":
        session.explain(way.text)
    else:
        session.run(way.text)


def open_session(world: World, way: Way) -> Session:
    options = {"options": f"-c search_path={way.path.replace(' ', '')}"} if way.path else {}
    session = Session(make_conninfo(world.optimiser, **options), limits=Limits(statement=10))
    if way.parameters:
        row = world.admin.execute("select 's2.dom[]'::regtype::oid::int").fetchone()
        assert row is not None
        session.values = Values((int(str(row[0])),), (b"{1}",), (0,))
    return session


@EACH
def test_it_is_refused(prepared: World, way: Way) -> None:
    with open_session(prepared, way) as session:
        for name in STEPS:
            with pytest.raises(Untrusted) as caught:
                step(session, way, name)
            assert way.whose in str(caught.value)
            assert "LEAKED" not in str(caught.value)


@EACH
def test_without_the_gate_it_is_a_way_in(prepared: World, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_gate(connection: object, text: str, path: tuple[str, ...], **_: object) -> gate.Admitted:
        return gate.Admitted(text, {"search_path": ", ".join(path)})

    monkeypatch.setattr(gate, "admit", open_gate)
    with open_session(prepared, way) as session:
        found = []
        for name in STEPS:
            try:
                step(session, way, name)
            except SessionError as error:
                found.append((name, str(error)))
        leaks = [name for name, message in found if "LEAKED as optimiser_of_tests" in message]
    assert leaks[:1] == ([] if way.when is None else [way.when]), found


def test_there_are_enough_ways() -> None:
    assert len({way.name for way in WAYS}) == len(WAYS) >= 40
