"""Replacements that look at the rows first: proved, served by the proxy, and not seen where the rows are otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.equivalence.gates import MARK, split
from rewright.proxy.ports import Ports, ServedRewrite, ServedStatement
from rewright.proxy.serving.index import RewriteIndex
from rewright.rewrite.adapters.gates import Gates
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.adapters.scoping import TemplateScoper
from rewright.rewrite.model import Deadline, Evidence
from rewright.rewrite.ports import NoDerivations
from rewright.sql.catalog import Catalog
from rewright.sql.templates import fill
from rewright.wiring.guards import capture
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports

pytestmark = [pytest.mark.server, pytest.mark.timeout(180)]

SCHEMA = """
create table print (id int primary key, vault int not null);
create table loan (id int primary key, print int not null references print, at timestamp not null);
insert into print select g, g % 9 from generate_series(1, 300) g;
insert into loan select g, 1 + g % 300, timestamp '2015-01-01' + g % 997 * interval '31 hours' from generate_series(1, 2000) g;
analyze;
"""
# for each loan a look at all loans
QUERY = """select l.id, (select count(*) from loan m where m.print = l.print and date_trunc('month', m.at) = date_trunc('month', l.at)) as beside
from loan l where l.id % 3 = 1 order by l.id"""
# whose print no loan asked for has: the original never comes to it
FAR = "insert into print values (301, 9); insert into loan values (0, 301, '4714-11-24 00:00:00 BC')"


# what is added up for each month by itself
REPLACEMENT = """select l.id, coalesce(s.n, 0) as beside from loan l left join (
  select print, date_trunc('month', at) as month, count(*) as n from loan group by 1, 2) s
  on s.print = l.print and s.month = date_trunc('month', l.at) where l.id % 3 = 1 order by l.id"""
PATH = ("public",)


@dataclass(frozen=True, slots=True)
class World:
    replacement: str
    server: ScratchServer
    database: str
    reports: Reports
    port: int

    def direct(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.server.dsn(self.database), autocommit=True)

    def through(self) -> psycopg.Connection[Any]:
        dsn = make_conninfo(self.server.dsn(self.database), host="127.0.0.1", port=self.port)
        return psycopg.connect(dsn, autocommit=True)

    def routes(self) -> list[tuple[str, str]]:
        found = [(r.route, r.reason) for r in self.reports.all if isinstance(r, ServedStatement)]
        self.reports.all.clear()
        return found


@pytest.fixture(scope="module")
def catalog(scratch_server: ScratchServer, module_database: str) -> Catalog:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        return snapshot(connection)


@pytest.fixture(scope="module")
def found(catalog: Catalog) -> tuple[str, Evidence]:
    gated = Gates(catalog, PATH, NoDerivations()).gate(QUERY, REPLACEMENT, 30.0)
    assert gated is not None
    return gated


@pytest.fixture
def world(
    scratch_server: ScratchServer, module_database: str, catalog: Catalog, found: tuple[str, Evidence]
) -> Iterator[World]:
    replacement, _ = found
    with Session(scratch_server.dsn(module_database)) as session:
        guard = capture(session, QUERY, replacement, catalog)
    index, reports = RewriteIndex(), Reports()
    index.replace([ServedRewrite(1, module_database, QUERY, replacement, guard)])
    upstream = config(f"host=127.0.0.1 port={scratch_server.port}")
    with RunningProxy(upstream, Ports(lookup=index, reporter=reports, settings=RULES)) as proxy:
        yield World(replacement, scratch_server, module_database, reports, proxy.port)
    assert not proxy.problems


def test_a_look_at_the_rows_makes_the_proof_whole(catalog: Catalog, found: tuple[str, Evidence]) -> None:
    plain = LinkProver(catalog, PATH).prove(QUERY, REPLACEMENT, 30.0)
    assert plain is not None
    assert {"errors", "overflow"} & set(plain.modulo)
    text, evidence = found
    assert MARK in text
    assert (evidence.level, evidence.modulo) == ("proved", ("gated",))
    assert evidence.counts_as(frozenset()) == "proved"


def test_the_template_looks_too(catalog: Catalog) -> None:
    original = "select l.id, 7 / p.vault from loan l join print p on p.id = l.print where l.id < 9"
    candidate = (
        "with w as materialized (select id, 7 / vault as s from print)"
        " select l.id, w.s from loan l join w on w.id = l.print where l.id < 9"
    )
    gated = Gates(catalog, PATH, NoDerivations()).gate(original, candidate, 30.0)
    assert gated is not None
    scoped = TemplateScoper(catalog, PATH, seconds=30.0).scope(original, gated[0], Deadline.after(60.0))
    assert scoped.scope == "any", scoped.reason
    assert MARK in scoped.replacement
    assert scoped.evidence is not None
    assert scoped.evidence.modulo == ("gated",)
    filled = fill(scoped.replacement, scoped.literals)
    assert filled is not None
    assert split(filled, catalog) == split(gated[0], catalog)


def test_what_is_not_the_same_has_no_gate(catalog: Catalog) -> None:
    other = REPLACEMENT.replace("count(*) as n", "count(*) + 1 as n")
    assert Gates(catalog, PATH, NoDerivations()).gate(QUERY, other, 10.0) is None


def ask(connection: psycopg.Connection[Any], *, prepared: bool) -> list[Any]:
    cursor = connection.cursor() if prepared else psycopg.ClientCursor(connection)
    return cursor.execute(QUERY.encode(), prepare=prepared).fetchall()


@pytest.mark.parametrize("prepared", [False, True])
def test_rows_that_are_otherwise_lead_to_the_original(world: World, prepared: bool) -> None:
    with world.direct() as direct, world.through() as through:
        expected = ask(direct, prepared=False)
        assert ask(through, prepared=prepared) == expected
        assert world.routes() == [("replacement", "")]
        direct.execute(FAR.encode())
        try:
            assert ask(direct, prepared=False) == expected
            assert ask(through, prepared=prepared) == expected
            assert world.routes() == [("fallback", "failed")]
        finally:
            direct.execute("delete from loan where id = 0; delete from print where id = 301")
    # another session: nobody remembers
    with world.through() as through:
        assert ask(through, prepared=prepared) == expected
        assert world.routes() == [("replacement", "")]


def test_in_a_block_the_original_is_run(world: World) -> None:
    with world.through() as through, through.transaction():
        ask(through, prepared=False)
        assert all(route == "original" for route, _ in world.routes())
