"""What a role sees of a rewrite concerns this role, until it is seen on the optimiser's own account; what was
retired comes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rewright.config.model import Config, Database, Optimiser
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.engines.postgres.values import Values
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.processes.jobs import Job
from rewright.proxy.ports import ServedRewrite
from rewright.sql.templates import split
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level, State
from rewright.store.records import NewRewrite, Rewrite, Timing
from rewright.wiring import guards
from rewright.wiring.budget import RunBudget
from rewright.wiring.doubting import AGAIN, FAILED, ROLES, due, retire_doubted
from rewright.wiring.feed import StoreFeed
from rewright.wiring.optimising import JobRunner
from rewright.wiring.proposals import slower_job
from rewright.wiring.refusals import NotOptimised
from rewright.wiring.regression_monitor import doubt_losers, retire_losers
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import guard_document, parameter_document

NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select 1",
    original="select 1",
    replacement="select 2",
    level=Level.PROVED,
    checker_version=CHECKER_VERSION,
    guard={
        "original": [],
        "replacement": [],
        "below": [],
        "functions": [],
        "operators": [],
        "search_path": None,
        "digest": "d",
    },
)
SUSPECT = Job("app", "", (), 0.0, "joe", "", False, False, kind="suspect", rewrite_id=1, sqlstate="22012")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


def active(store: Store, new: NewRewrite = NEW) -> Rewrite:
    return store.rewrites.act(store.rewrites.add(new).id, Action.ACTIVATE)


# --- without a server -----------------------------------------------------------------------------


def test_a_doubt_keeps_a_rewrite_from_who_has_it_for_a_while(store: Store) -> None:
    now = [1000.0]
    published: list[list[ServedRewrite]] = []
    feed = StoreFeed(
        store, lambda found: published.append(list(found)), accept=frozenset(), clock=lambda: now[0]
    )
    one = active(store)

    def doubted() -> list[str]:
        feed.poll()
        return sorted(published[-1][0].doubted_by)

    assert doubted() == []
    store.doubts.add(one.id, "mallory", "failed", "22012", now=now[0])
    assert doubted() == ["mallory"]
    now[0] += 601
    assert doubted() == []
    # again and again: for longer
    store.doubts.add(one.id, "mallory", "failed", "22012", now=now[0])
    now[0] += 601
    assert doubted() == ["mallory"]
    store.doubts.settle(one.id, "mallory", now=now[0])
    assert doubted() == ["mallory"]
    now[0] += 21
    assert doubted() == []
    store.doubts.add(one.id, "mallory", "failed", now=now[0])
    store.doubts.forget(one.id, "mallory")
    assert doubted() == []
    assert store.rewrites.get(one.id).state is State.ACTIVE


def test_one_role_retires_nothing_whatever_it_sees(store: Store) -> None:
    one = active(store)
    for _ in range(100):
        store.doubts.add(one.id, "mallory", "failed", "22012")
    assert list(retire_doubted(store)) == []
    for number in range(ROLES - 1):
        store.doubts.add(one.id, f"role {number}", "failed", "22012")
    (retired,) = retire_doubted(store)
    assert (retired.state, retired.changed_by) == (State.RETIRED, "proxy")
    assert retired.reason == f"{FAILED}, for 3 roles"
    assert store.doubts.of(one.id) == []


def test_a_pinned_rewrite_is_not_retired_for_slowness(store: Store) -> None:
    one = store.rewrites.act(active(store).id, Action.PIN)
    for number in range(ROLES):
        store.doubts.add(one.id, f"role {number}", "slow")
    assert list(retire_doubted(store)) == []
    assert store.rewrites.get(one.id).state is State.PINNED


def test_slowness_that_one_role_sees_is_its_own(store: Store) -> None:
    one = active(store)

    def timed(side: str, ms: float, role: str, source: str = "client", at: float = 100.0) -> None:
        store.rewrites.add_timings([Timing(one.id, side, ms, source=source, at=at, role=role)] * 5)  # type: ignore[arg-type]

    timed("original", 100.0, "", "optimiser")
    timed("replacement", 30.0, "joe")
    timed("replacement", 9000.0, "mallory")
    timed("original", 1.0, "mallory")
    assert list(retire_losers(store)) == []
    assert [(found.id, role) for found, role in doubt_losers(store, now=200.0)] == [(one.id, "mallory")]
    assert [(doubt.role, doubt.kind) for doubt in store.doubts.standing(now=200.0)] == [("mallory", "slow")]
    # not again for the same runs
    assert list(doubt_losers(store, now=300.0)) == []
    assert list(doubt_losers(store, now=10_000.0)) == []
    timed("replacement", 9000.0, "mallory", at=10_001.0)
    assert [role for _, role in doubt_losers(store, now=10_002.0)] == ["mallory"]
    timed("replacement", 9000.0, "", "optimiser")
    assert [found.id for found in retire_losers(store)] == [one.id]


def test_retired_ones_are_looked_at_ever_more_rarely(store: Store) -> None:
    one = active(store)
    other = active(store, replace(NEW, template_key="other"))
    store.rewrites.act(other.id, Action.RETIRE, reason="a person said so", by="ann")
    retired = store.rewrites.act(one.id, Action.RETIRE, reason=f"{FAILED}, for 3 roles", by="proxy")
    at = retired.changed_at

    def is_due(later: float) -> bool:
        found = due(store, lambda _: True, now=at + later)
        return found is not None and found.id == one.id

    assert [is_due(AGAIN - 1), is_due(AGAIN + 1)] == [False, True]
    store.rewrites.act(one.id, Action.PROPOSE)
    store.rewrites.act(one.id, Action.ACTIVATE)
    store.rewrites.act(one.id, Action.EXPIRE, reason="slower: 5 ms", by="regression monitor")
    assert [is_due(AGAIN + 1), is_due(4 * AGAIN + 5)] == [False, True]
    assert due(store, lambda _: False, now=at + 1e9) is None


# --- on the optimiser's own account ---------------------------------------------------------------


class World:
    def __init__(self, store: Store, server: ScratchServer, database: str, measure: str = "run") -> None:
        self.store, self.database = store, database
        self.dsn = server.dsn(database)
        self.runner = JobRunner(
            Config(
                databases={database: Database(dsn=self.dsn, optimiser_dsn=self.dsn)},
                optimiser=Optimiser(measure=measure, run_timeout=5.0),
            ),
            store,
            RunBudget(1000),
            Scratch(),
        )

    def run(self, text: str) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(text.encode())

    def kept(self, original: str, replacement: str, **more: object) -> Rewrite:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            from rewright.engines.postgres.catalog import snapshot

            catalog = snapshot(connection)
        with Session(self.dsn) as session:
            guard = guards.capture(session, original, replacement, catalog)
        new = replace(
            NEW,
            database=self.database,
            original=original,
            replacement=replacement,
            template_key=original,
            guard=guard_document(guard),
            parameters=parameter_document(()),
            **more,  # type: ignore[arg-type]
        )
        return active(self.store, new)

    def template(self, original: str, replacement: str, holes: str) -> Rewrite:
        """A rewrite for all literals; ``holes``: the replacement with theirs."""
        first = split(original)
        assert first is not None
        kept = self.kept(original, replacement)
        new = replace(kept.proposal, scope="any", template=first[0], replacement=holes, template_key="any")
        return active(self.store, new)

    def suspect(
        self, rewrite: Rewrite, text: str, sqlstate: str = "22012", role: str = "joe", **more: object
    ) -> Job:
        self.store.doubts.add(rewrite.id, role, "failed", sqlstate)
        return replace(
            SUSPECT,
            database=self.database,
            text=text,
            rewrite_id=rewrite.id,
            sqlstate=sqlstate,
            role=role,
            **more,  # type: ignore[arg-type]
        )


@pytest.fixture
def world(store: Store, scratch_server: ScratchServer, database: str) -> Iterator[World]:
    found = World(store, scratch_server, database)
    found.run("create table t (a int primary key, b int not null, d date not null)")
    found.run("insert into t select n, n % 7, date '2020-01-01' + n from generate_series(1, 100) n")
    yield found
    found.runner.scratch.close()


@pytest.mark.server
def test_what_fails_here_as_well_is_retired(world: World) -> None:
    one = world.template(
        "select a from t where a = 3",
        "select a + 0 / (a - 5) as a from t where a = 3",
        "select a + 0 / (a - 5) as a from t where a = ⟦1:i⟧",
    )
    assert world.runner.again.examine(world.suspect(one, "select a from t where a = 4")) is None
    assert world.store.rewrites.get(one.id).state is State.ACTIVE
    lost = world.runner.again.examine(world.suspect(one, "SELECT a FROM t WHERE a = 5 /* c */;"))
    assert lost is not None
    assert lost.state is State.RETIRED
    assert lost.reason == f"{FAILED}: 22012 (division by zero)"
    # it is not brought back while it fails, and not found again at once
    assert world.runner.again.reconsider(lost) is None
    assert [event.step for event in world.store.events.of(rewrite_id=one.id)][-1] == "reconsidered"
    world.run("delete from t where a = 5")
    restored = world.runner.again.reconsider(lost)
    assert restored is not None
    assert restored.state is State.ACTIVE
    assert restored.reason.startswith("restored: ")


@pytest.mark.server
@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("select a from t where d = date 'no day'", "22007"),
        ("select a from t where d = date '2020-01-05'", "42501"),
        ("select a from t where d = date '2020-01-05'", "42P01"),
        ("select a from t where d = date '2020-01-05'", "54001"),
    ],
)
def test_what_cannot_be_reproduced_is_not(world: World, text: str, sqlstate: str) -> None:
    original = "select a from t where d = date '2020-01-02'"
    one = world.template(original, f"{original} and true", "select a from t where d = date ⟦1:s⟧ and true")
    assert world.runner.again.examine(world.suspect(one, text, sqlstate, role="mallory")) is None
    assert world.store.rewrites.get(one.id).state is State.ACTIVE
    doubts = world.store.doubts.of(one.id)
    # of a failure that the original shares nothing is left
    assert [doubt.role for doubt in doubts] == ([] if sqlstate == "22007" else ["mallory"])
    assert all(doubt.until - doubt.at < 10 for doubt in doubts)


@pytest.mark.server
def test_values_of_parameters_are_tried_as_well(world: World) -> None:
    original = "select a from t where a = $1"
    one = world.kept(original, "select a / (a - $1 + 1 - 1) as a from t where a = $1")
    job = world.suspect(one, original, values=Values((23,), (b"6",), (0,)), param_types=(23,))
    lost = world.runner.again.examine(job)
    assert lost is not None
    assert "6" not in lost.reason.replace("22012", "")


@pytest.mark.server
def test_locks_of_others_blame_nobody(world: World) -> None:
    world.run("create table other (a int)")
    one = world.kept(
        "select a from t where a = 1", "select a from t where a = 1 and not exists (select from other)"
    )
    with psycopg.connect(world.dsn) as blocker:
        blocker.execute("lock table other in access exclusive mode")
        with pytest.raises(NotOptimised):
            world.runner.again.examine(world.suspect(one, "select a from t where a = 1", "55P03"))
    assert world.store.rewrites.get(one.id).state is State.ACTIVE


@pytest.mark.server
def test_slowness_is_measured_here(world: World) -> None:
    one = world.kept("select count(*) from t", "select count(a) from t")
    world.store.doubts.add(one.id, "mallory", "slow")
    assert world.runner.again.examine(slower_job(one, "mallory")) is None
    (doubt,) = world.store.doubts.of(one.id)
    assert doubt.until - doubt.at < 10
    two = world.kept(
        "select count(*) from t where a > 1",
        "select count(distinct a) from t, generate_series(1, 20000) where a > 1",
    )
    lost = world.runner.again.examine(slower_job(two, "joe"))
    assert lost is not None
    assert lost.reason.startswith("slower: ")


@pytest.mark.server
def test_what_several_roles_brought_down_comes_back(world: World) -> None:
    one = world.kept("select count(*) from t", "select count(a) from t")
    for number in range(ROLES):
        world.store.doubts.add(one.id, f"mallory {number}", "failed", "22012")
    (retired,) = retire_doubted(world.store)
    assert world.runner.again.may_reconsider(retired)
    restored = world.runner.again.reconsider(retired)
    assert restored is not None
    assert (restored.state, restored.changed_by) == (State.ACTIVE, "optimiser")
    assert restored.reason == f"restored: that it {FAILED}, for 3 roles could not be reproduced"
    assert world.store.doubts.standing() == []


@pytest.mark.server
def test_what_is_wrong_stays_retired(world: World) -> None:
    one = world.kept("select count(*) from t where b > 3", "select count(*) from t where b > 4")
    retired = world.store.rewrites.act(one.id, Action.RETIRE, reason=f"{FAILED}, for 3 roles", by="proxy")
    assert world.runner.again.reconsider(retired) is None
    two = world.kept("select count(a) from t where b > 3", "select count(*) from t where b > 3")
    retired = world.store.rewrites.act(two.id, Action.RETIRE, reason=f"{FAILED}, for 3 roles", by="proxy")
    world.run("alter table t alter b drop not null")
    assert world.runner.again.reconsider(retired) is None
    assert {event.detail["outcome"] for event in world.store.events.of() if event.step == "reconsidered"} == {
        "a counterexample was found",
        "a name or schema fact it rests on has changed",
    }


@pytest.mark.server
def test_where_nothing_may_be_run_a_doubt_stands(
    store: Store, scratch_server: ScratchServer, database: str
) -> None:
    world = World(store, scratch_server, database, measure="explain")
    world.run("create table t (a int primary key)")
    one = world.kept("select a from t where a = 1", "select a from t where a = 1 and true")
    with pytest.raises(NotOptimised):
        world.runner.again.examine(world.suspect(one, "select a from t where a = 1"))
    assert [doubt.role for doubt in store.doubts.standing()] == ["joe"]
    # planning alone tells of a bad literal
    two = world.template(
        "select a from t where a = '1'",
        "select a from t where a = '1' and true",
        "select a from t where a = ⟦1:s⟧ and true",
    )
    assert world.runner.again.examine(world.suspect(two, "select a from t where a = 'x'", "22P02")) is None
    assert [doubt.rewrite_id for doubt in store.doubts.standing()] == [one.id]
