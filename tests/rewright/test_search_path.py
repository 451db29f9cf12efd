"""Sessions that look names up elsewhere than in public: applications with a schema of their own, tenants with
one each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session, Untrusted
from rewright.equivalence.command import verify_on
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Proved
from tests.rewright.serving import QUERY, SAMPLE, Running, last, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]
LOWER = "select lower('A') where true"
TENANTS = ("north", "South, Inc")


@pytest.fixture(scope="module")
def tenants(scratch_server: ScratchServer) -> Iterator[str]:
    """A database with the same tables in two schemas, and other rows in the second; none in public."""
    name = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(name), autocommit=True) as connection:
        for number, tenant in enumerate(TENANTS):
            connection.execute(f'create schema "{tenant}"; set search_path = "{tenant}"'.encode())
            connection.execute(SAMPLE)
            connection.execute(f"update lineitem set l_quantity = l_quantity + {number}".encode())
        connection.execute("vacuum analyze")
    yield name
    scratch_server.drop_database(name)


@pytest.fixture(scope="module")
def running(
    scratch_server: ScratchServer, tenants: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    upstream = scratch_server.dsn(tenants).rsplit("/", 1)[0]
    store = tmp_path_factory.mktemp("paths") / "store.db"
    started = Running(
        ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", str(store), "--upstream", upstream],
        {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream, "REWRIGHT_DEFAULTS__MIN_DURATION": "1ms"},
    )
    wait(lambda: "optimiser_jobs_received_total 0.0" in started.get("/metrics"))
    yield started
    started.stop()


def opened(server: ScratchServer, database: str, port: int, options: str = "") -> psycopg.Connection[Any]:
    password = server.address.passwords["postgres"]
    return psycopg.connect(
        host="127.0.0.1", port=port, user="postgres", password=password, dbname=database, options=options, autocommit=True
    )  # fmt: skip


def rows(connection: psycopg.Connection[Any]) -> list[Any]:
    return connection.execute(QUERY).fetchall()


def served(connection: psycopg.Connection[Any]) -> bool:
    rows(connection)
    return last(connection).startswith("replacement")


def test_each_tenant_gets_a_rewrite_of_its_own(
    scratch_server: ScratchServer, tenants: str, running: Running
) -> None:
    answers = []
    for tenant in TENANTS:
        with opened(scratch_server, tenants, scratch_server.port) as direct:
            direct.execute(f'set search_path = "{tenant}"'.encode())
            answers.append(rows(direct))
    assert answers[0] != answers[1]
    with (
        opened(scratch_server, tenants, running.port, "-csearch_path=north") as first,
        opened(scratch_server, tenants, running.port) as second,
    ):
        second.execute("""set search_path = "$user", 'South, Inc'""")
        for session, answer in ((first, answers[0]), (second, answers[1])):
            wait(lambda session=session: served(session), 200)
            assert rows(session) == answer
        # a session that moves takes the other's
        for tenant, answer in zip(TENANTS[::-1], answers[::-1], strict=True):
            first.execute(f'set search_path = "{tenant}"'.encode())
            wait(lambda: served(first), 200)
            assert rows(first) == answer


def test_a_path_that_holds_for_a_transaction_is_noticed(
    scratch_server: ScratchServer, tenants: str, running: Running
) -> None:
    """As tenants do behind a pooler."""
    said = []
    with opened(scratch_server, tenants, running.port) as session:

        def asked() -> bool:
            with session.transaction():
                session.execute("set local search_path = public, north")
                rows(session)
                rows(session)
                said.append(last(session))
            return said[-1].startswith("replacement")

        wait(asked, 200)
        with pytest.raises(psycopg.errors.UndefinedTable):
            rows(session)


def test_an_account_that_may_not_look_into_the_schema_says_so(
    scratch_server: ScratchServer, tenants: str, tmp_path: Path
) -> None:
    with psycopg.connect(scratch_server.dsn(tenants), autocommit=True) as connection:
        connection.execute("create role blinkered login password 'x'")
    upstream = scratch_server.dsn(tenants).rsplit("/", 1)[0]
    own = f"postgresql://blinkered:x@127.0.0.1:{scratch_server.port}"
    store = f"{tmp_path}/store.db"
    started = Running(
        ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", store, "--upstream", upstream],
        {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": own, "REWRIGHT_DEFAULTS__MIN_DURATION": "1ms"},
    )
    try:
        with opened(scratch_server, tenants, started.port, "-csearch_path=north") as session:
            wait(lambda: (rows(session), "schema north" in last(session))[1])
            assert "may not use" in last(session)
    finally:
        started.stop()
        with psycopg.connect(scratch_server.dsn(tenants), autocommit=True) as connection:
            connection.execute("drop role blinkered")


def test_built_in_names_may_not_be_hidden(scratch_server: ScratchServer, tenants: str) -> None:
    with pytest.raises(Untrusted, match="before pg_catalog"):
        Session(scratch_server.dsn(tenants), path=("north", "pg_catalog"))
    with Session(scratch_server.dsn(tenants), path=("pg_catalog", "north", "nowhere")) as session:
        assert session.schemas == ("pg_catalog", "north")


def test_an_account_that_hides_built_in_names_has_nothing_verified(
    scratch_server: ScratchServer, tenants: str
) -> None:
    """Its lower() is not PostgreSQL's."""
    address = scratch_server.dsn(tenants)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "create function north.lower(text) returns text language sql immutable as 'select $1'"
        )
    try:
        for hidden, path in ((True, "north,pg_catalog"), (False, "pg_catalog,north"), (False, "north")):
            dsn = f"{address}?options=-csearch_path%3D{path}"
            with Session(dsn) as session:
                assert session.server_version  # what reads no texts goes on
                with pytest.raises(Untrusted, match="before pg_catalog") if hidden else nullcontext():
                    assert "north" in session.search_path()
            with pytest.raises(Untrusted, match="before pg_catalog") if hidden else nullcontext():
                verdict = verify_on(dsn, "select lower('A')", LOWER, options=Options(refuter=False))
                assert isinstance(verdict, Proved)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("drop function north.lower(text)")
