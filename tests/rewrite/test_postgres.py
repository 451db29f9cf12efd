"""The rewriter on a real server: plans, descriptions, runs, messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Evidence, Settings
from rewright.rewrite.ports import DatabaseError, Ports
from tests.rewrite.world import Rules

pytestmark = pytest.mark.server

SETUP = """
create table part (p_id int primary key, brand text not null);
create table line (l_id int primary key, part int not null references part, qty numeric not null);
insert into part select i, 'b' || i % 20 from generate_series(1, 400) i;
insert into line select i, 1 + i % 400, (i / 400) % 47 from generate_series(1, 20000) i;
analyze;
"""
SLOW = (
    "select sum(l.qty) as s from line l, part p where p.p_id = l.part and p.brand = 'b3'"
    " and l.qty < (select 0.5 * avg(i.qty) from line i where i.part = p.p_id)"
)
FAST = (
    "select sum(l.qty) as s from line l join part p on p.p_id = l.part join"
    " (select i.part, 0.5 * avg(i.qty) as a from line i group by i.part) t on t.part = p.p_id"
    " where p.brand = 'b3' and l.qty < t.a"
)
WRONG = FAST.replace("0.5", "0.6")


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SETUP)
    return dsn


@pytest.fixture
def database(dsn: str) -> Iterator[PostgresDatabase]:
    with Session(dsn) as session:
        yield PostgresDatabase(session, snapshot(session.connection))


@dataclass
class Believer:
    """A checker that believes everything: what is left then is the runs themselves."""

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        del original, candidate, seconds
        return Evidence("proved")


def test_a_slow_query_gets_a_measured_replacement(database: PostgresDatabase) -> None:
    rewriter = Rewriter(Ports(database, Believer(), Rules([[FAST], []])))
    document = rewriter.optimise(SLOW, settings=Settings(measure="both")).to_json()
    assert document["rewritten"] == FAST
    assert document["cost_after"] < document["cost_before"]
    assert document["seconds_after"] < 0.5 * document["seconds_before"]
    assert document["report"]["plan"]["before"]["correlated_subplans"] == 1
    assert document["report"]["plan"]["after"]["correlated_subplans"] == 0


def test_runs_that_give_other_rows_are_noticed_even_if_the_checker_was_wrong(
    database: PostgresDatabase,
) -> None:
    rewriter = Rewriter(Ports(database, Believer(), Rules([[WRONG], []])))
    assert rewriter.optimise(SLOW, settings=Settings(measure="both")).best is None


def test_the_replacement_is_stopped_at_the_originals_time(database: PostgresDatabase) -> None:
    timed = database.measure(SLOW, 0.02)
    assert timed.stopped
    assert timed.seconds < 1.0


def test_what_the_server_says(database: PostgresDatabase) -> None:
    assert [(c.name, c.type_name) for c in database.describe(SLOW)] == [("s", "numeric")]
    for call in (database.explain, database.describe):
        with pytest.raises(DatabaseError) as caught:
            call("select nothing from part")
        assert caught.value.sqlstate == "42703"
    with pytest.raises(DatabaseError):
        database.explain("select 1; commit")
    with pytest.raises(DatabaseError) as caught:
        database.measure("select setval('s', 1)", 1.0)
    assert caught.value.sqlstate == "42501"
    assert "setval" in str(caught.value)


def test_the_schema_is_told_in_short(database: PostgresDatabase) -> None:
    text = database.schema_text(SLOW)
    assert (
        "create table public.line (\n  l_id int4 not null,\n  part int4 not null,\n  qty numeric not null,"
        in text
    )
    assert "foreign key (part) references public.part (p_id)" in text


def test_statements_with_parameters_are_planned_generically(database: PostgresDatabase) -> None:
    explained = database.explain(SLOW.replace("'b3'", "$1"))
    assert explained.cost > 0


def test_the_whole_path_with_rules_and_the_real_checker(dsn: str, scratch_server: ScratchServer) -> None:
    with connected(dsn, scratch_server) as rewriter:
        settings = Settings(measure="both", trust="tested", check_seconds=4.0, width=2, rounds=1)
        document = rewriter.optimise(SLOW, settings=settings).to_json()
    assert document["rewritten"] is not None
    assert document["verdict"] in {"proved", "tested"}
    assert document["steps"][0]["name"].startswith("decorrelate")
    assert document["seconds_after"] < 0.5 * document["seconds_before"]
    json.dumps(document)


def test_what_is_not_understood_is_left_alone(dsn: str, scratch_server: ScratchServer) -> None:
    with connected(dsn, scratch_server) as rewriter:
        for sql in ("select random() from part", "select * from part for update", "table part"):
            outcome = rewriter.optimise(sql, settings=Settings(trust="tested", check_seconds=3.0))
            assert outcome.best is None
            assert outcome.reason


def test_a_short_budget_is_kept(dsn: str, scratch_server: ScratchServer) -> None:
    with connected(dsn, scratch_server) as rewriter:
        rewriter.optimise(
            SLOW, settings=Settings(budget=30.0, rounds=1, check_seconds=1.0)
        )  # what is lazy is made
        outcome = rewriter.optimise(SLOW, observed_seconds=5.0, settings=Settings(trust="tested", budget=0.5))
    assert outcome.seconds < 5.0  # 0.5 s and one step's overrun, on a machine with much else to do
    assert outcome.to_json()["report"]["cost"]["before"] > 0
