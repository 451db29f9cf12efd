"""What of the optimiser sends texts to a server: each part refuses what is somebody else's, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.config.model import Config, Database, StoreSection
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import Session, Untrusted
from rewright.hints.recommend import recommend
from rewright.processes.jobs import Job
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.model import Deadline, Settings
from rewright.rewrite.ports import DatabaseError
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level
from rewright.store.records import NewRewrite
from rewright.wiring.budget import RunBudget
from rewright.wiring.optimising import JobRunner
from rewright.wiring.ports.hinting import HintPort
from rewright.wiring.refusals import NotOptimised
from rewright.wiring.scratch import Scratch
from tests.rights.conftest import World

pytestmark = pytest.mark.server

LEAK = "select distinct id, email from public.acct where s2.leak(1) = 1"
WHY = r"it uses function s2\.leak\(integer\), whose owner is alice"
# what a model may come up with for a harmless original: the same table, and code of alice's in it
CANDIDATES = (
    "select id from public.acct where id operator(s2.===) 1",
    "select id::s2.dom from public.acct",
    "select id from public.acct p where (p).betrayed is null",
    "with acct as (select * from s2.shown) select id from acct",
    "select id from (select '{1}'::s2.dom[] as d, id from public.acct) x",
)


@pytest.fixture(scope="module")
def prepared(world: World) -> World:
    world.afresh()
    world.as_client(
        "create function s2.same(a int, b int) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end';"
        " create operator s2.=== (function = s2.same, leftarg = int, rightarg = int);"
        " create domain s2.dom as int check (s2.leak(value) > 0);"
        " create view s2.shown as select id from public.acct where s2.leak(1) = 1;"
        " create function s2.betrayed(a public.acct) returns int language plpgsql immutable as 'begin return s2.leak(1); end'"
    )
    return replace(world, optimiser=make_conninfo(world.optimiser, options="-c search_path=s2,public"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


@pytest.fixture
def runner(prepared: World, store: Store, tmp_path: Path) -> Iterator[JobRunner]:
    config = Config(
        store=StoreSection(url=str(tmp_path / "store.db")),
        databases={prepared.database: Database(dsn=prepared.optimiser, optimiser_dsn=prepared.optimiser)},
    )
    scratch = Scratch("off")
    yield JobRunner(config, store, RunBudget(100), scratch)
    scratch.close()


def job(world: World, kind: str, text: str = LEAK) -> Job:
    return Job(world.database, text, (), 2.0, "alice", "", model=False, hints=True, kind=kind, budget=5.0)  # type: ignore[arg-type]


def test_a_slow_query_is_not_optimised_and_it_says_why(runner: JobRunner, prepared: World) -> None:
    with pytest.raises(NotOptimised, match=f"^not optimised: {WHY}$"):
        runner.optimise(job(prepared, "slow"))


def test_a_held_query_is_not_estimated(runner: JobRunner, prepared: World) -> None:
    with pytest.raises(NotOptimised, match=f"^not optimised: {WHY}$"):
        runner.optimise(job(prepared, "inline"))


def test_explain_rewrite_does_not_plan_it(runner: JobRunner, prepared: World) -> None:
    with pytest.raises(NotOptimised, match=f"^not optimised: {WHY}$"):
        runner.explain(job(prepared, "explain"))


def test_what_was_kept_before_is_not_run_again(runner: JobRunner, prepared: World, store: Store) -> None:
    """A function may have changed hands since a rewrite was found."""
    new = NewRewrite(
        database=prepared.database,
        template_key="k",
        template=LEAK,
        original=LEAK,
        replacement=LEAK.replace("distinct ", "/*+ SeqScan(acct) */ "),
        level=Level.PROVED,
        hints="SeqScan(acct)",
    )
    kept = store.rewrites.act(store.rewrites.add(new).id, Action.ACTIVATE)
    with pytest.raises(NotOptimised, match=WHY):
        runner.again.compare(kept)
    assert runner.again.measure_hints(interval=0.0) is None


def test_hints_are_not_looked_for(prepared: World) -> None:
    with HintingSession(prepared.optimiser) as session:
        found = recommend(session, LEAK)
        for step in (session.plan, lambda text: session.execute_plan(text, 1.0)):
            with pytest.raises(Untrusted, match=WHY):
                step(f"/*+ SeqScan(acct) */ {LEAK}")
    assert not found.hints
    assert "whose owner is alice" in found.reason
    document = HintPort(prepared.optimiser, 1.0, True).consider(LEAK, Deadline.after(10))
    assert document is not None
    assert not document["hints"]


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_what_a_model_proposes_is_not_planned(prepared: World, candidate: str) -> None:
    with Session(prepared.optimiser) as session:
        database = PostgresDatabase(session, snapshot(session.connection), session.search_path())
        assert database.explain("select id from public.acct").cost > 0
        for step in (database.explain, database.describe, lambda text: database.measure(text, 1.0)):
            with pytest.raises(DatabaseError, match="alice") as caught:
                step(candidate)
            assert "LEAKED" not in str(caught.value)


@pytest.mark.parametrize("settings", [{"search_path": "s2, public"}, {}])
def test_a_rewriter_over_a_session_of_its_own(prepared: World, settings: dict[str, str]) -> None:
    with connected(prepared.optimiser, None, settings=settings) as rewriter:
        outcome = rewriter.optimise(LEAK, settings=Settings(measure="run"))
    assert outcome.best is None
    assert "whose owner is alice" in outcome.reason or "leak" in outcome.reason


def test_the_probe_works(prepared: World) -> None:
    """Without the gate the texts above do run her code."""
    with psycopg.connect(prepared.optimiser, autocommit=True) as connection:
        for text in (LEAK, *CANDIDATES):
            with pytest.raises(psycopg.errors.RaiseException, match="LEAKED as optimiser_of_tests"):
                connection.execute(text.encode()).fetchall()
