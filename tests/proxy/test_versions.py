"""The versions of PostgreSQL that Debian's packages put on this machine, beside the embedded one: served and
guarded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import trustme

from rewright.engines.postgres.session import Session, SessionError
from rewright.proxy.ports import Ports, ServedStatement
from tests.proxy.debian import DebianServer
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    SCHEMA,
    Reports,
    index_for,
)

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebianServer]:
    home = tmp_path_factory.mktemp("debian")
    issued = trustme.CA().issue_cert("localhost")
    issued.private_key_pem.write_to_path(home / "key.pem")
    issued.cert_chain_pems[0].write_to_path(home / "cert.pem")
    with DebianServer(home / "cert.pem", home / "key.pem") as started:
        with psycopg.connect(direct_dsn(started), autocommit=True) as connection:
            connection.execute(SCHEMA)
            connection.execute("create table target (id int, price int)")
            connection.execute("grant all on all tables in schema public to tester")
        yield started


def direct_dsn(server: DebianServer) -> str:
    return f"host={server.home} port={server.port} user=postgres dbname=postgres"


def test_served_in_both_protocols_and_inside_statements(server: DebianServer, tmp_path: Path) -> None:
    index, reports = index_for(direct_dsn(server), "postgres", unreserved=True), Reports()
    ports = Ports(lookup=index, reporter=reports, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={server.port}"), ports) as proxy:
        dsn = f"host=127.0.0.1 port={proxy.port} user=tester password=secret dbname=postgres"
        with psycopg.connect(dsn, autocommit=True) as connection:
            simple = psycopg.ClientCursor(connection)
            assert simple.execute(ORIGINAL).fetchall() == FROM_REPLACEMENT
            for _ in range(2):
                assert connection.execute(ORIGINAL, prepare=True).fetchall() == FROM_REPLACEMENT
                found = psycopg.RawCursor(connection).execute(BY_ID, [7], prepare=True).fetchall()
                assert found == [(7, 1000070)]
            with connection.transaction():
                assert simple.execute(ORIGINAL).fetchall() == FROM_REPLACEMENT
            assert simple.execute(f"insert into target {ORIGINAL}").rowcount == 3
            assert simple.execute("select * from target order by id").fetchall() == FROM_REPLACEMENT
            with connection.cursor().copy(f"copy ({ORIGINAL}) to stdout") as copy:
                assert b"1000010" in b"".join(bytes(piece) for piece in copy)
            assert "Rewright" in str(simple.execute(f"explain {ORIGINAL}").fetchall())
            simple.execute("set rewright.mode = off")
            assert simple.execute(ORIGINAL).fetchall() == FROM_ORIGINAL
            simple.execute("reset rewright.mode")
            with psycopg.connect(direct_dsn(server), autocommit=True) as direct:
                direct.execute("alter table item alter price drop not null")
            assert simple.execute(ORIGINAL).fetchall() == FROM_ORIGINAL
    routes = [(r.route, r.reason) for r in reports.all if isinstance(r, ServedStatement)]
    assert routes[-1] == ("original", "facts")
    assert {route for route, _ in routes[:-1]} == {"replacement"}
    assert not proxy.problems


def test_statements_with_parameters_are_planned_for_all_values(server: DebianServer) -> None:
    """EXPLAIN (GENERIC_PLAN) is PostgreSQL 16's; Debian's server may be older."""
    with Session(f"host={server.home} port={server.port} user=postgres dbname=postgres") as session:
        plan = session.explain("select * from target where id = $1 and price > $2::int + $3", generic=True)
        assert plan.root.operator == "Seq Scan"
        assert "$1" in str(plan)
        with pytest.raises(SessionError):
            session.explain("select * from target where id / 0 = $1 and nothing", generic=True)
        assert session.explain("select count(*) from target where id = $1", generic=True).cost > 0
        # what an error left behind does not keep a text from being planned again
        assert session.explain("select * from target where id = $1 or true", generic=True).cost > 0
