"""Lessons from run to run: written by the optimiser, used the next time, expired with the schema."""

from __future__ import annotations

import psycopg
import pytest

from rewright.config.model import Config, StoreSection
from rewright.config.model import Database as DatabaseSection
from rewright.models.api import NoModel
from rewright.processes.jobs import Job
from rewright.rewrite.ports import Unit
from rewright.store.api import open_store
from rewright.wiring.budget import RunBudget
from rewright.wiring.knowledge_provider import knowledge_base, own_folder
from rewright.wiring.learning import HINTS, Experienced, Learning, lessons_of
from rewright.wiring.optimising import JobRunner
from rewright.wiring.scratch import Scratch
from tests.rewrite.test_rewriter import optimise
from tests.rewrite.world import GOOD, WRONG, Rules, Server

DDL = "create table stall (id int primary key, n int); create index stall_n on stall (n);"
QUERY = "select s.id from stall s where s.n not in (select x.n from stall x where x.id > 4000)"
# holds in its own schema, where n is NOT NULL; it forgets to say so
FORGETFUL = """
title = "NOT IN over one table"
question = "n NOT IN (SELECT n …)"
answer = "NOT EXISTS (SELECT … WHERE u.n = t.n)"
helps = "when n is indexed"
hurts = "never"
source = "a test"
schema = "own"
before = "select t.id from own_table t where t.n not in (select u.n from own_table u where u.id > 9)"
after = "select t.id from own_table t where not exists (select 1 from own_table u where u.id > 9 and u.n = t.n)"
"""


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


@pytest.fixture
def own(tmp_path):
    folder = tmp_path / "knowledge"
    (folder / "units" / "predicate").mkdir(parents=True)
    (folder / "schemas").mkdir()
    (folder / "schemas" / "own.sql").write_text(
        "create table own_table (id int primary key, n int not null);"
    )
    (folder / "units" / "predicate" / "forgetful.toml").write_text(FORGETFUL)
    return folder


def learning(
    store, digest: str = "d1", version: int = 180000, key: str = "q1", database: str = "app"
) -> Learning:
    return Learning.about(store.lessons, database, digest, version, key)


def test_a_refuted_step_is_avoided_for_that_query_until_the_schema_changes(store) -> None:
    outcome = optimise(proposer=Rules([[WRONG[0], GOOD]]))

    learning(store).after(outcome)

    assert learning(store).avoid() == {"decorrelate"}
    assert learning(store, key="q2").avoid() == frozenset()
    assert learning(store, digest="d2").avoid() == frozenset()
    assert learning(store, version=190000).avoid() == frozenset()
    assert learning(store, database="other").avoid() == frozenset()
    (lesson,) = store.lessons.read()
    assert lesson.kind == "refuted"
    assert "secret" not in lesson.text


def test_a_plan_that_surprised_the_planner_is_a_lesson_of_its_own(store) -> None:
    server = Server(costs={GOOD: 10.0}, times={GOOD: 3.0})

    outcome = optimise(server, proposer=Rules([[GOOD]]), observed=None, measure="both")

    (found,) = {(kind, step) for kind, step, _ in lessons_of(outcome.events)}
    assert found == ("planner", "decorrelate")


def test_what_failed_for_several_queries_is_avoided_for_all(store) -> None:
    for number in range(5):
        learning(store, key=f"q{number}").after(optimise(proposer=Rules([[WRONG[0], GOOD]])))

    assert learning(store, key="new").avoid() == {"decorrelate"}


def test_the_same_lesson_is_kept_once(store) -> None:
    for _ in range(3):
        learning(store).after(optimise(proposer=Rules([[WRONG[0], GOOD]])))

    assert len(store.lessons.read()) == 1


def test_hints_that_lost_are_not_measured_again(store) -> None:
    learning(store).hint_lost("hints were tried and refused: slower")
    learning(store, key="q2").hint_lost("there is nothing to join")

    assert learning(store).hints_lost()
    assert not learning(store, key="q2").hints_lost()
    assert [(one.kind, one.subject) for one in store.lessons.read()] == [("hint_lost", HINTS)]


def test_lessons_are_told_as_advice(store) -> None:
    class Shelf:
        def search(self, sql, k, plan=None):
            return [Unit("one", "text"), Unit("two", "text"), Unit("three", "text")][:k]

    learning(store).after(optimise(proposer=Rules([[WRONG[0], GOOD]])))
    told = Experienced(Shelf(), learning(store)).search("select 1", 3)

    assert [unit.title for unit in told] == ["one", "two", "Learned on this database"]


def times_tried(store) -> int:
    """In how many rounds of the recorded runs the forgetful unit made a candidate."""
    steps = [
        candidate["steps"][-1]["name"]
        for event in store.events.of()
        for candidate in event.detail["output"].get("candidates", ())
    ]
    return steps.count("unit predicate/forgetful")


@pytest.mark.long
@pytest.mark.server
def test_end_to_end_a_unit_that_fails_here_is_not_tried_again(store, own, tmp_path, scratch_server) -> None:
    database = scratch_server.create_database()
    dsn = scratch_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(DDL)
        connection.execute("insert into stall select i, nullif(i % 50, 7) from generate_series(1, 5000) i")
        connection.execute("analyze")
    url = str(tmp_path / "store.db")
    assert own_folder(url) == own
    config = Config(
        store=StoreSection(url=url), databases={database: DatabaseSection(dsn=dsn, optimiser_dsn=dsn)}
    )
    scratch = Scratch()
    runner = JobRunner(config, store, RunBudget(100), scratch, NoModel())
    job = Job(database, QUERY, (), 1.0, "postgres", "", model=False, hints=False, kind="explain")

    try:
        runner.explain(job)
        first = [one.subject for one in store.lessons.read(kind="refuted")]
        runner.explain(job)
        tried = [times_tried(store)]
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("alter table stall add column more int")
        runner.explain(job)
        tried.append(times_tried(store))
        after_change = [one.subject for one in store.lessons.read(kind="refuted")]
    finally:
        scratch.close()

    assert "unit predicate/forgetful" in first
    assert tried == [1, 2]
    assert after_change.count("unit predicate/forgetful") == 2


def test_a_broken_unit_of_ones_own_costs_nothing_else(own) -> None:
    (own / "units" / "predicate" / "broken.toml").write_text("title = ")

    base = knowledge_base(own)

    assert len(base) > 200
    assert "predicate/forgetful" not in [unit.id for unit in base.units]
