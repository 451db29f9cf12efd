"""[optimiser] foreign_keys: what is found, served and given up when rows break a key that looks valid."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from rewright.config.model import Config, Database, Optimiser, Verify
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.looking import Broken
from rewright.engines.postgres.references import look
from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes.jobs import Job
from rewright.proxy.serving import guard as guards
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.model import Settings
from rewright.sql.algebra import TableRef
from rewright.sql.row_facts import RowFact
from rewright.store.api import Store, open_store
from rewright.store.life import Action, State
from rewright.store.records import NewRewrite, Rewrite
from rewright.wiring.budget import RunBudget
from rewright.wiring.optimising import JobRunner
from rewright.wiring.refusals import NotOptimised
from rewright.wiring.row_facts import (
    LEASE,
    FactMemory,
    declared_only,
    due,
    facts_of,
    lease,
    renew,
)
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import guard_of

pytestmark = pytest.mark.long

QUERY = "select count(*), sum(c.q) from c join p on p.id = c.pid"
KEY = RowFact("public", "c", "c_pid_fkey")
SCHEMA = """
create table p (id int primary key);
create table c (id int primary key, pid int not null references p, q int);
insert into p select n from generate_series(1, 2000) n;
insert into c select n, 1 + n % 2000, n from generate_series(1, 20000) n;
analyze;
"""
ORPHAN = "set session_replication_role = replica; insert into c values (-1, -1, 1); set session_replication_role = origin"


@pytest.fixture(autouse=True)
def held_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query is held for as long as its budget says, however cheap it is."""
    monkeypatch.setattr("rewright.wiring.optimising.SECONDS_A_COST", 1.0)


class NoScratch(Scratch):
    """Only proofs count."""

    def server(self) -> Any:
        return None

    at_once = server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def template(scratch_server: ScratchServer, module_database: str) -> str:
    """A database of which each test has a copy: numbers of objects are the same in all."""
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
    return module_database


@contextmanager
def copied(server: ScratchServer, template: str) -> Iterator[psycopg.Connection[Any]]:
    name = server.create_database(template=template)
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        yield connection
    server.drop_database(name)


@pytest.fixture
def admin(scratch_server: ScratchServer, template: str) -> Iterator[psycopg.Connection[Any]]:
    with copied(scratch_server, template) as connection:
        yield connection


@pytest.fixture(scope="module")
def proposals(
    scratch_server: ScratchServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, NewRewrite]:
    """What is found under each policy, once for all tests that only begin with it."""
    made: dict[str, NewRewrite] = {}
    for policy in ("verified", "declared"):
        path = tmp_path_factory.mktemp(policy) / "store.db"
        with copied(scratch_server, template) as connection, open_store(str(path)) as opened:
            runner = runner_for(connection, scratch_server, opened, policy)
            made[policy] = found(runner, job(connection)).proposal
    return made


@pytest.fixture
def kept(
    admin: psycopg.Connection[Any], store: Store, proposals: dict[str, NewRewrite]
) -> Callable[[str], Rewrite]:
    """What a policy finds, active in the store for the test's own database."""

    def under(policy: str) -> Rewrite:
        new = store.rewrites.add(replace(proposals[policy], database=admin.info.dbname))
        return store.rewrites.act(new.id, Action.ACTIVATE)

    return under


def runner_for(
    admin: psycopg.Connection[Any], server: ScratchServer, store: Store, policy: str = "verified"
) -> JobRunner:
    name = admin.info.dbname
    dsn = server.dsn(name)
    config = Config(
        databases={name: Database(dsn=dsn, optimiser_dsn=dsn)},
        optimiser=Optimiser(measure="explain", budget=3.0, foreign_keys=policy),
        verify=Verify(timeout=2.5),
    )
    return JobRunner(config, store, RunBudget(10), NoScratch())


def job(
    admin: psycopg.Connection[Any],
    kind: Literal["slow", "inline"] = "slow",
    text: str = QUERY,
    **changes: Any,
) -> Job:
    return Job(
        admin.info.dbname,
        text,
        (),
        1.0,
        "postgres",
        "",
        model=False,
        hints=False,
        kind=kind,
        budget=3.0,
        **changes,
    )


def keys_of(rewrite: Rewrite) -> list[RowFact]:
    return [fact for fact in facts_of(rewrite.proposal) if fact.kind == "foreign key"]


def found(runner: JobRunner, what: Job) -> Rewrite:
    rewrite = runner.optimise(what)
    assert rewrite is not None
    return rewrite


# -- found


@pytest.mark.server
@pytest.mark.parametrize("kind", ["slow", "inline"])
def test_a_key_that_is_kept_is_looked_at_and_relied_on(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    kind: Literal["slow", "inline"],
) -> None:
    rewrite = found(runner_for(admin, scratch_server, store), job(admin, kind))
    assert rewrite.state is State.ACTIVE
    assert " p " not in rewrite.proposal.replacement
    assert keys_of(rewrite) == [KEY]
    assert RowFact("public", "p", "id", "not null") in facts_of(rewrite.proposal)
    assert declared_only(rewrite.proposal) == ()
    guard = guard_of(rewrite.proposal.guard)
    assert guard is not None
    assert guard.foreign_keys
    assert guard.snapshot > 0
    assert lease(store, rewrite) == pytest.approx(time.time() + LEASE * 3600, abs=60)


@pytest.mark.server
@pytest.mark.parametrize(
    "change",
    [
        ORPHAN,
        "alter table c disable trigger all; insert into c values (-1, -1, 1); alter table c enable trigger all",
        "alter table p disable trigger all; delete from p where id = 1; alter table p enable trigger all",
    ],
)
@pytest.mark.parametrize("kind", ["slow", "inline"])
def test_a_key_that_rows_break_is_not_relied_on(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    change: str,
    kind: Literal["slow", "inline"],
) -> None:
    admin.execute(change.encode())
    runner = runner_for(admin, scratch_server, store)
    told: list[tuple[str, RowFact, str]] = []
    runner.memory.told = lambda *one: told.append(one)
    # with a scratch server still to come a held query is told of that
    with pytest.raises(NotOptimised, match=r"a stored row breaks it|is being started") as why:
        runner.optimise(job(admin, kind))
    assert "-1" not in str(why.value)
    assert set(told) == {(admin.info.dbname, KEY, "a stored row breaks it")}
    assert dict(runner.memory.of(admin.info.dbname)) == {KEY: "a stored row breaks it"}


@pytest.mark.server
def test_what_does_without_the_key_is_found_all_the_same(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store
) -> None:
    admin.execute(ORPHAN)
    text = "select count(*) from (select distinct c.id, c.q from c join p on p.id = c.pid) s"
    rewrite = found(runner_for(admin, scratch_server, store), job(admin, text=text))
    assert "distinct" not in rewrite.proposal.replacement.lower()
    assert keys_of(rewrite) == []


@pytest.mark.server
def test_never_and_declared(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store
) -> None:
    with pytest.raises(NotOptimised):
        runner_for(admin, scratch_server, store, "never").optimise(job(admin, "inline"))
    admin.execute(ORPHAN)
    declared = runner_for(admin, scratch_server, store, "declared")
    admin.execute("alter table p disable trigger all")
    with pytest.raises(NotOptimised):
        declared.optimise(job(admin, "inline"))
    admin.execute("alter table p enable trigger all")
    rewrite = found(declared, job(admin, "inline"))
    assert keys_of(rewrite) == [KEY]
    assert declared_only(rewrite.proposal) == (KEY,)


@pytest.mark.server
def test_a_key_that_takes_too_long_to_look_at_is_said(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The look has a limit of its own account; what is not seen to be kept is not relied on."""
    monkeypatch.setattr(
        "rewright.engines.postgres.references.look", lambda c, ref, name, _: look(c, ref, name, 0.001)
    )
    runner = runner_for(admin, scratch_server, store)
    with pytest.raises(NotOptimised, match=r"is not relied on: looking at its rows took longer than"):
        runner.optimise(job(admin))


# -- looked at again


@pytest.mark.server
def test_rows_that_come_later_end_the_rewrite(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store
) -> None:
    runner = runner_for(admin, scratch_server, store)
    rewrite = found(runner, job(admin, "inline"))
    now = time.time()
    assert due(store, [rewrite], now) == []
    assert due(store, [rewrite], now + 3660) == [rewrite]
    assert runner.again.look_again(rewrite) is None
    renew(store, rewrite, now, 60.0)
    assert due(store, [rewrite], now + 59) == []
    assert due(store, [rewrite], now + 61) == [rewrite]
    assert lease(store, rewrite) == pytest.approx(now + LEASE * 60)
    admin.execute(ORPHAN)
    lost = runner.again.look_again(rewrite)
    assert lost is not None
    assert lost.state is State.RETIRED
    assert lost.reason == "foreign key public.c.c_pid_fkey is not relied on: a stored row breaks it"
    with pytest.raises(NotOptimised, match=r"not relied on"):
        runner.optimise(job(admin))


@pytest.mark.server
@pytest.mark.parametrize(
    ("change", "policy", "reason"),
    [
        ("select 1", "never", "foreign_keys is never"),
        ("alter table c disable trigger all", "verified", "no longer enforced"),
        ("alter table c drop constraint c_pid_fkey", "verified", "no longer enforced"),
        ("alter table c rename to d", "verified", "no longer enforced"),
    ],
)
def test_what_ends_a_rewrite_besides(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    kept: Callable[[str], Rewrite],
    change: str,
    policy: str,
    reason: str,
) -> None:
    rewrite = kept("verified")
    admin.execute(change.encode())
    lost = runner_for(admin, scratch_server, store, policy).again.look_again(rewrite)
    assert lost is not None
    assert reason in lost.reason


@pytest.mark.server
def test_found_as_declared_it_is_not_served_as_verified(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    kept: Callable[[str], Rewrite],
) -> None:
    lost = runner_for(admin, scratch_server, store).again.look_again(kept("declared"))
    assert lost is not None
    assert "no rows were looked at" in lost.reason


@pytest.mark.server
def test_a_server_that_is_away_ends_no_rewrite(
    admin: psycopg.Connection[Any], store: Store, kept: Callable[[str], Rewrite]
) -> None:
    rewrite = kept("verified")
    name = admin.info.dbname
    away = Config(databases={name: Database(optimiser_dsn="host=127.0.0.1 port=1 connect_timeout=1")})
    with pytest.raises(NotOptimised):
        JobRunner(away, store, RunBudget(10), NoScratch()).again.look_again(rewrite)
    assert store.rewrites.get(rewrite.id).state is State.ACTIVE


# -- in the client's session


@pytest.mark.server
def test_the_guard_asks_the_session(admin: psycopg.Connection[Any], proposals: dict[str, NewRewrite]) -> None:
    guard = guard_of(proposals["verified"].guard)
    assert guard is not None

    def objection() -> str:
        return objection_in(admin, guard)

    # a session's writes count as its transaction's until it has reported them
    admin.execute("select pg_stat_force_next_flush()")
    assert objection() == ""
    admin.execute("set session_replication_role = replica")
    assert objection() == "foreign keys"
    assert objection_in(admin, replace(guard, foreign_keys=False)) == ""
    admin.execute("set session_replication_role = origin")
    # its own rows, which it may have written as a replica before
    with admin.transaction():
        assert objection() == ""
        admin.execute("insert into c values (-5, 1, 1)")
        assert objection() == "foreign keys"
        raise psycopg.Rollback
    # a snapshot from before the look may see rows that are gone
    assert objection_in(admin, replace(guard, snapshot=guard.snapshot + 1000)) == "foreign keys"
    for change in (
        "alter table c disable trigger all",
        "alter table p disable trigger all",
        "alter role current_user set session_replication_role = replica",
    ):
        with admin.transaction():
            admin.execute(change.encode())
            assert objection() == "facts", change
            assert objection_in(admin, replace(guard, foreign_keys=False)) == "", change
            raise psycopg.Rollback


def objection_in(connection: psycopg.Connection[Any], guard: Any) -> str:
    """What the guard statement says in this session."""
    pgconn = connection.pgconn
    result = pgconn.exec_params(guards.guard_sql(()).encode(), guards.arguments(guard), guards.PARAM_TYPES)
    assert result.ntuples == 1, result.error_message
    values = [result.get_value(0, column) for column in range(result.nfields)]
    return guards.objection(guards.GuardRow.read(values, 0), guard, in_block=False)


# -- subscriptions


@pytest.mark.server
def test_tables_of_a_subscription_are_not_relied_on(
    admin: psycopg.Connection[Any],
    scratch_server: ScratchServer,
    store: Store,
    proposals: dict[str, NewRewrite],
) -> None:
    guard = guard_of(proposals["verified"].guard)
    assert guard is not None
    admin.execute("create subscription away connection 'dbname=nowhere' publication x with (connect = false)")
    try:
        admin.execute(
            "insert into pg_subscription_rel (srsubid, srrelid, srsubstate)"
            " select s.oid, 'c'::regclass, 'r' from pg_subscription s where subname = 'away'"
        )
        assert objection_in(admin, guard) == "facts"
        assert not any(k.usable for k in snapshot(admin).relations[1].foreign_keys)
        with pytest.raises(NotOptimised):
            runner_for(admin, scratch_server, store, "declared").optimise(job(admin))
    finally:
        admin.execute("delete from pg_subscription_rel")
        admin.execute("alter subscription away set (slot_name = none)")
        admin.execute("drop subscription away")


@pytest.mark.server
def test_what_a_logical_subscriber_applies() -> None:
    """A row whose parent is on the publisher only comes in under a key that stays valid, with its triggers as
    they were.
    """
    settings = {"wal_level": "logical", "max_wal_senders": "4", "synchronous_standby_names": "sub"}
    table = TableRef("public", "c")
    with ScratchServer(settings) as server:
        publisher, subscriber = server.create_database(), server.create_database()
        with (
            psycopg.connect(server.dsn(publisher), autocommit=True) as there,
            psycopg.connect(server.dsn(subscriber), autocommit=True) as here,
        ):
            for connection in (there, here):
                connection.execute("create table p (id int primary key)")
                connection.execute("create table c (id int primary key, pid int not null references p)")
            there.execute("create publication pub for table c")
            there.execute("select pg_create_logical_replication_slot('slot', 'pgoutput')")
            here.execute(
                f"create subscription sub connection '{server.dsn(publisher)}' publication pub"
                " with (create_slot = false, slot_name = 'slot', copy_data = false)"
            )
            try:
                there.execute("insert into p values (1)")
                # comes back when the subscriber has it
                there.execute("set synchronous_commit = on")
                there.execute("insert into c values (1, 1)")
                assert here.execute("select * from c").fetchall() == [(1, 1)]
                (key,) = snapshot(here).table(table).foreign_keys
                assert key.validated
                assert key.triggers_enabled
                assert not key.usable
                assert look(here, table, key.name, 5) == Broken("a stored row breaks it", seen=True)
                (key,) = snapshot(there).table(table).foreign_keys
                assert key.usable
            finally:
                here.execute("alter subscription sub disable")
                here.execute("alter subscription sub set (slot_name = none)")
                here.execute("drop subscription sub")


# -- the command line


@pytest.mark.server
def test_the_command_line_looks_too(admin: psycopg.Connection[Any], scratch_server: ScratchServer) -> None:
    settings = Settings(measure="explain", budget=6.0, check_seconds=5.0)
    dsn = scratch_server.dsn(admin.info.dbname)
    with connected(dsn, None) as rewriter:
        outcome = rewriter.optimise(QUERY, settings=settings)
        assert outcome.best is not None
        assert outcome.servable
    admin.execute(ORPHAN)
    with connected(dsn, None) as rewriter:
        outcome = rewriter.optimise(QUERY, settings=settings)
        assert outcome.best is None
        assert "a stored row breaks it" in outcome.reason
    with connected(dsn, None, foreign_keys="declared") as rewriter:
        assert rewriter.optimise(QUERY, settings=settings).best is not None
    with connected(dsn, None, foreign_keys="never") as rewriter:
        assert rewriter.optimise(QUERY, settings=settings).best is None


# -- without a server


def test_broken_keys_are_remembered_for_a_while() -> None:
    now = [0.0]
    broken = FactMemory(clock=lambda: now[0])
    broken.add("app", KEY, "why")
    assert broken.of("app") == {KEY: "why"}
    assert broken.of("other") == {}
    now[0] = 3601.0
    assert broken.of("app") == {}
