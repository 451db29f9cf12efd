"""Hints in service: found by the optimiser, carried to clients, measured on, dropped when they lose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rewright.config.model import Config, Database, Optimiser, Verify
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.values import Values
from rewright.processes.jobs import Job
from rewright.proxy.ports import Ports
from rewright.proxy.serving.index import RewriteIndex
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level, State
from rewright.store.records import NewRewrite, Rewrite, Timing
from rewright.wiring import hint_regressions
from rewright.wiring.budget import RunBudget
from rewright.wiring.explaining import text as explained
from rewright.wiring.optimising import JobRunner
from rewright.wiring.regression_monitor import retire_losers
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import parameter_document, served
from tests.fixtures.hint_plan import SKEWED
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config

pytestmark = pytest.mark.long

NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select 1",
    original="select 1",
    replacement="/*+ HashJoin(a b) */ select 2",
    hints="/*+ HashJoin(a b) */",
    parameters=parameter_document((), "select 2"),
    plans={"hints": {"hints": "HashJoin(a b)"}, "cost": 1},
    level=Level.PROVED,
)
# quick enough for many runs, slow enough to be worth hints
SMALLER = SKEWED.replace("3000", "1500").replace("6000", "3000")
# the rows as values keep the rules from reading the tables in CTEs, which would find the same join without
# hints
SLOW = (
    "select a.id, b.id as b_id, (a is null) as a, (b is null) as b from a join b on b.a_id = a.id"
    " where upper(a.x) = 'A' and lower(a.y) = 'b' and upper(b.x) = 'A' and lower(b.y) = 'b'"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"{tmp_path}/store.db") as opened:
        yield opened


def active(store: Store, new: NewRewrite, hinted: float, plain: float, *, times: int = 5) -> int:
    one = store.rewrites.add(new)
    store.rewrites.act(one.id, Action.ACTIVATE)
    for side, value in (("hinted", hinted), ("plain", plain)):
        store.rewrites.add_timings([Timing(one.id, side, value, source="optimiser")] * times)  # type: ignore[arg-type]
    return one.id


def test_hints_that_lose_are_dropped_and_the_rewrite_stays(store: Store) -> None:
    number = active(store, NEW, hinted=300, plain=100)
    ((old, kept),) = hint_regressions.drop_losing_hints(store)
    assert (old.id, old.state) == (number, State.RETIRED)
    assert old.reason == "its hints lose: 300 ms with, 100 ms without"
    assert kept is not None
    assert kept.state is State.ACTIVE
    assert (kept.proposal.replacement, kept.proposal.hints) == ("select 2", "")
    assert kept.proposal.plans == {"cost": 1}
    assert list(hint_regressions.drop_losing_hints(store)) == []


def test_hints_that_were_all_of_it_are_retired(store: Store) -> None:
    active(store, replace(NEW, parameters=parameter_document((), "select 1")), hinted=300, plain=100)
    ((old, kept),) = hint_regressions.drop_losing_hints(store)
    assert old.state is State.RETIRED
    assert kept is None


@pytest.mark.parametrize(("hinted", "plain", "times"), [(100, 300, 5), (110, 100, 5), (300, 100, 4)])
def test_hints_that_do_not_clearly_lose_stay(store: Store, hinted: float, plain: float, times: int) -> None:
    active(store, NEW, hinted, plain, times=times)
    assert list(hint_regressions.drop_losing_hints(store)) == []


def test_a_pinned_rewrite_keeps_its_hints(store: Store) -> None:
    store.rewrites.act(active(store, NEW, 300, 100), Action.PIN)
    assert list(hint_regressions.drop_losing_hints(store)) == []


def test_an_approval_goes_on(store: Store) -> None:
    number = active(store, replace(NEW, level=Level.JUDGED), 300, 100)
    store.rewrites.act(number, Action.APPROVE)
    ((_, kept),) = hint_regressions.drop_losing_hints(store)
    assert kept is not None
    assert kept.approved


def test_a_hinted_rewrite_that_loses_to_the_original_goes_on_without_hints(store: Store) -> None:
    number = active(store, NEW, 100, 100)
    store.rewrites.add_timings([Timing(number, "original", 100.0, source="optimiser")] * 5)
    store.rewrites.add_timings([Timing(number, "replacement", 300.0, source="optimiser")] * 5)
    assert [one.id for one in retire_losers(store)] == [number]
    (kept,) = store.rewrites.find(states=(State.ACTIVE,))
    assert kept.proposal.replacement == "select 2"


# -- on the real extension


@pytest.fixture
def runner(hint_server: ScratchServer, store: Store) -> Iterator[JobRunner]:
    database = hint_server.create_database()
    with psycopg.connect(hint_server.dsn(database), autocommit=True) as connection:
        connection.execute(SMALLER.encode())
        connection.execute("select pg_stat_force_next_flush()")
        connection.execute("analyze")
        connection.execute(f'alter database "{database}" set session_preload_libraries = pg_hint_plan')
    scratch = Scratch()
    settings = Config(
        databases={database: Database(optimiser_dsn=hint_server.dsn(database))},
        optimiser=Optimiser(measure="both", budget=8.0, run_timeout=4.0),
        verify=Verify(timeout=5.0),
    )
    yield JobRunner(settings, store, RunBudget(200), scratch)
    scratch.close()


def job(runner: JobRunner, kind: str = "slow", *, analyze: bool = False) -> Job:
    (name,) = runner.config.databases
    return Job(name, SLOW, (), 2.0, "postgres", "t", model=False, hints=True, kind=kind, analyze=analyze)  # type: ignore[arg-type]


@contextlib.contextmanager
def client_of(server: ScratchServer, rewrite: Rewrite) -> Iterator[psycopg.Connection]:
    """A client of a proxy that serves ``rewrite``."""
    record = served(rewrite, frozenset())
    assert record is not None
    index = RewriteIndex()
    index.replace([record])
    ports = Ports(lookup=index, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={server.port}"), ports) as proxy:
        dsn = server.dsn(rewrite.proposal.database).replace(f":{server.port}/", f":{proxy.port}/")
        with psycopg.connect(dsn, autocommit=True) as client:
            yield client


@pytest.mark.server
def test_from_a_slow_query_to_a_hinted_one_and_back(hint_server: ScratchServer, runner: JobRunner) -> None:
    kept = runner.optimise(job(runner))
    assert kept is not None
    assert "HashJoin(a b)" in kept.proposal.hints
    assert kept.state is State.ACTIVE
    with client_of(hint_server, kept) as client:
        heard: list[str] = []
        client.add_notice_handler(lambda d: heard.append(d.message_primary or ""))
        found = client.execute(SLOW).fetchall()
        sent = [t for (t,) in client.execute("select statement from pg_prepared_statements")]
        client.execute("set rewright.hints = off")
        assert sorted(client.execute(SLOW).fetchall()) == sorted(found)
    assert sum("/*+" in text for text in sent) == 1
    assert not heard
    # served, it is measured on: both texts on the optimiser's account
    assert runner.again.measure_hints(interval=0.0) is not None
    (hinted,) = runner.store.rewrites.timings(kept.id, "hinted")
    (plain,) = runner.store.rewrites.timings(kept.id, "plain")
    assert hinted.duration_ms < plain.duration_ms
    assert runner.again.measure_hints(interval=600.0) is None
    # the hints turn out to lose
    runner.store.rewrites.add_timings(
        [Timing(kept.id, "hinted", 5 * plain.duration_ms, source="optimiser")] * 9
    )
    runner.store.rewrites.add_timings([Timing(kept.id, "plain", plain.duration_ms, source="optimiser")] * 9)
    assert [old.id for old, _ in hint_regressions.drop_losing_hints(runner.store)] == [kept.id]


@pytest.mark.server
def test_a_statement_with_parameters_is_measured_with_the_values_it_was_slow_with(
    hint_server: ScratchServer, runner: JobRunner
) -> None:
    text = SLOW.replace("'b' and upper(b.x)", "$1 and upper(b.x)").replace(
        "lower(b.y) = 'b'", "lower(b.y) = $1"
    )
    asked = replace(job(runner), text=text, param_types=(25,), values=Values((25,), (b"b",), (0,)))
    kept = runner.optimise(asked)
    assert kept is not None
    assert "HashJoin(a b)" in kept.proposal.hints
    assert kept.proposal.evidence["hints"]["measured"] is True
    with client_of(hint_server, kept) as client:
        same = text.replace("$1", "%s::text")
        expected = client.execute(same, ["b", "b"]).fetchall()
        found = client.pgconn.exec_params(text.encode(), [b"b"], [25])
        sent = [t for (t,) in client.execute("select statement from pg_prepared_statements")]
    assert found.ntuples == len(expected) > 0
    assert sum("/*+" in one for one in sent) == 1
    # and measured on with them
    assert runner.again.measure_hints(interval=0.0) is not None
    (hinted,) = runner.store.rewrites.timings(kept.id, "hinted")
    (plain,) = runner.store.rewrites.timings(kept.id, "plain")
    assert hinted.duration_ms < plain.duration_ms
    assert runner.again.compare(kept)


@pytest.mark.server
def test_explain_rewrite_tells_the_hints_with_their_reasons(runner: JobRunner) -> None:
    lines = list(explained(runner.explain(job(runner, "explain", analyze=True))))
    assert any(line.startswith("Hints: ") and "HashJoin(a b)" in line for line in lines)
    assert any("because" in line for line in lines)
    assert any("q-error" in line for line in lines)


@pytest.mark.server
def test_explain_without_analyze_runs_nothing(runner: JobRunner) -> None:
    runner.budget = RunBudget(0)
    document = runner.explain(job(runner, "explain"))
    assert document["hinting"]["measured"] is False
    assert document["hinting"]["judgements"]


@pytest.mark.server
def test_runs_are_within_the_budget(runner: JobRunner) -> None:
    runner.budget = RunBudget(0)
    (name,) = runner.config.databases
    with HintingSession(runner.config.databases[name].optimiser_dsn) as session:
        assert hint_regressions.measure(session, _kept(runner), 5.0, runner.budget.take) == ()


def _kept(runner: JobRunner):  # type: ignore[no-untyped-def]
    (name,) = runner.config.databases
    return runner.store.rewrites.add(replace(NEW, database=name))
