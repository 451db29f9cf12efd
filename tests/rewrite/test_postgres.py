"""The rewriter on a real server: plans, descriptions, runs, messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import psycopg
import pytest

from rewright.engines.postgres.busyness import Busyness
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.models.redact import Redactor
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Evidence, Settings
from rewright.rewrite.ports import DatabaseError, Ports
from tests.proxy.waiting import Stopwatch
from tests.rewrite.world import Rules

pytestmark = [pytest.mark.server, pytest.mark.long]

SETUP = """
create table part (p_id int primary key, brand text not null);
create table line (l_id int primary key, part int not null references part, qty numeric not null);
create view low as select l.qty from line l, part p where p.p_id = l.part and p.brand = 'b3'
    and l.qty < (select 0.5 * avg(i.qty) from line i where i.part = p.p_id);
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
    with Stopwatch() as watch:
        timed = database.measure(SLOW, 0.02)
    assert timed.stopped
    assert timed.seconds / watch.slower < 1.0


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
        "create table public.line (\n  l_id integer not null,\n  part integer not null,\n  qty numeric not null,"
        in text
    )
    assert "foreign key (part) references public.part (p_id)" in text


def test_views_are_told_with_their_queries_and_tables(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "create view dear as select l_id, part from line where qty > 4711;"
            "create view most_expensive as select d.l_id from dear d join part on p_id = d.part;"
            "create view veiled with (security_barrier) as select p_id from part where p_id > 4712"
        )
    try:
        with Session(dsn) as session:
            database = PostgresDatabase(session, snapshot(session.connection))
            text = database.schema_text("select l_id from most_expensive")
            sizes = {
                f.subject for f in database.figures("select l_id from most_expensive") if f.name == "rows"
            }
            veiled = database.schema_text("select p_id from veiled")
    finally:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("drop view most_expensive, dear, veiled")
    assert "create view public.most_expensive (" in text
    assert "qty > (4711)::numeric" in text
    assert "create table public.line (" in text
    assert {"line", "part"} <= sizes
    assert "4712" not in veiled
    assert "create table" not in veiled
    assert "4711" not in Redactor().sql(text)


def test_statements_with_parameters_are_planned_generically(database: PostgresDatabase) -> None:
    explained = database.explain(SLOW.replace("'b3'", "$1"))
    assert explained.cost > 0


def test_the_whole_path_with_rules_and_the_real_checker(dsn: str, scratch_server: ScratchServer) -> None:
    with connected(dsn, scratch_server) as rewriter:
        settings = Settings(measure="both", trust="tested", check_seconds=4.0, width=2, rounds=1)
        document = rewriter.optimise(SLOW, settings=settings).to_json()
    assert document["rewritten"] is not None
    assert document["verdict"] in {"proved", "tested"}
    # a join with the groups or, which reads the lines once and is faster, a window over them
    assert {step["name"] for step in document["steps"]} & {"unnest", "decorrelate_window"}
    plans = document["report"]["plan"]
    assert (plans["before"]["correlated_subplans"], plans["after"]["correlated_subplans"]) == (1, 0)
    assert document["seconds_after"] < 0.5 * document["seconds_before"]
    json.dumps(document)


def test_what_a_view_reads_is_rewritten(dsn: str, scratch_server: ScratchServer) -> None:
    with connected(dsn, scratch_server) as rewriter:
        settings = Settings(measure="both", trust="tested", check_seconds=4.0, width=2, rounds=1)
        document = rewriter.optimise("select sum(qty) as s from low", settings=settings).to_json()
    assert document["rewritten"] is not None
    assert document["seconds_after"] < 0.5 * document["seconds_before"]


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
        with Stopwatch() as watch:
            outcome = rewriter.optimise(
                SLOW, observed_seconds=5.0, settings=Settings(trust="tested", budget=0.5)
            )
    assert outcome.seconds / watch.slower < 5.0  # 0.5 s and one step's overrun
    assert outcome.to_json()["report"]["cost"]["before"] > 0


ODD = """
create table "Odd One" ("camelCase" varchar(20) not null, price numeric(12, 2), "select" int);
insert into "Odd One" select 'v' || i % 4, i, i from generate_series(1, 1000) i;
create index on "Odd One" (price) where "camelCase" = 'secret';
analyze "Odd One";
"""


def test_what_a_dba_would_look_at(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(ODD)
    sql = 'select count(*) from "Odd One" o where o."camelCase" = \'v1\' and price > 3'
    with Session(dsn) as session:
        database = PostgresDatabase(session, snapshot(session.connection))
        text = database.schema_text(sql)
        assert 'create table public."Odd One" (' in text
        assert '"camelCase" varchar(20) not null' in text
        assert "price numeric(12,2)" in text
        assert 'CREATE INDEX "Odd One_price_idx" ON public."Odd One" USING btree (price)' in text
        figures = {(f.subject, f.name): f.value for f in database.figures(sql)}
        assert figures["Odd One", "rows"] == 1000
        assert figures["Odd One.camelCase", "distinct values"] == 4
        assert ("Odd One.select", "share of NULLs") not in figures
        executed = database.executed(sql, 10.0)
        assert executed is not None
        assert executed.plan["Actual Rows"] == 1
        assert database.executed("select count(*) from line a, line b, line c", 0.05) is None


def test_a_busy_server_is_noticed(dsn: str) -> None:
    """Its backend's own account of waiting is left out of a run's time."""
    with Session(dsn) as session:
        run = session.run("select count(*) from generate_series(1, 200000)")
        assert run.waited is not None
        assert 0.0 <= run.waited <= run.duration
        busyness = Busyness(session)
        assert 1.0 <= busyness.factor() <= 8.0
        slow = replace(run, duration=4.0, waited=3.0)
        assert busyness.kept_waiting(slow) == 3.0
        elsewhere = replace(run, duration=4.0, waited=None)
        busyness._factor = 4.0
        assert busyness.kept_waiting(elsewhere) == 3.0
