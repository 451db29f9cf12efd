"""NOT NULL, keys and bounds of partitions that the server took for true without a look at the rows (F23, F24).

ALTER TABLE and ATTACH PARTITION believe a valid CHECK after they have folded its functions; one that was
replaced in the meantime makes them believe what is not so, and the CHECK may go afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.store.api import Store, open_store
from rewright.store.life import State
from rewright.wiring.refusals import NotOptimised
from rewright.wiring.row_facts import LEASE, due, lease
from rewright.wiring.served import guard_of
from tests.rewright.test_foreign_keys import found, job, objection_in, runner_for

pytestmark = pytest.mark.server

DISTINCT = "select count(*) from (select distinct id, q from t) s"
FILLED = "insert into t select n, n % 100 from generate_series(1, 20000) n"
EITHER = "create function maybe() returns bool language sql immutable as 'select true'"
OTHER = "create or replace function maybe() returns bool language sql immutable as 'select false'"
# the CHECK and the function are gone when anybody looks
GONE = "alter table t drop constraint believed; drop function maybe"

RANGE = (
    "create table t (id int not null, q int, unique (id)) partition by range (id);"
    " create table rest partition of t for values from (0) to (100000);"
)
HIGH = "id >= 100000 and id < 200000"
ATTACHED = "alter table t attach partition p for values from (100000) to (200000)"


def believed(check: str, table: str = "t", *, column: str = "id int") -> str:
    return f"create table {table} ({column}, q int, constraint believed check ({check} or maybe()));"


# name: what is declared, with {0} where rows come in, and the rows that break it
WAYS = {
    "set not null, a key by an index": (
        (
            f"{EITHER}; {believed('id is not null')} {FILLED}; {{0}}; {OTHER}; alter table t alter id set not null;"
            f" create unique index k on t (id); alter table t add primary key using index k; {GONE}"
        ),
        "insert into t values (null, 1), (null, 1)",
    ),
    "add primary key": (
        f"{EITHER}; {believed('id is not null')} {FILLED}; {{0}}; {OTHER}; alter table t add primary key (id); {GONE}",
        "insert into t values (null, 1), (null, 1)",
    ),
    "the second column of a primary key": (
        (
            f"{EITHER}; {believed('id is not null')} {FILLED}; {{0}}; {OTHER};"
            f" alter table t alter q set not null; alter table t add primary key (q, id); {GONE}"
        ),
        "insert into t values (null, 1), (null, 1)",
    ),
    "unique and not null": (
        (
            f"{EITHER}; {believed('id is not null', column='id int unique')} {FILLED}; {{0}}; {OTHER};"
            f" alter table t alter id set not null; {GONE}"
        ),
        "insert into t values (null, 1), (null, 1)",
    ),
    "a check that is an expression of the function's": (
        (
            "create function filled(int) returns bool language sql immutable as 'select true';"
            f" create table t (id int unique, q int, constraint believed check (filled(id))); {FILLED}; {{0}};"
            " create or replace function filled(int) returns bool language sql immutable as 'select $1 is not null';"
            " alter table t alter id set not null; alter table t drop constraint believed; drop function filled"
        ),
        "insert into t values (null, 1), (null, 1)",
    ),
    "not null of a partition": (
        (
            f"{EITHER}; {RANGE} {believed('id is not null and ' + HIGH, 'p')} {FILLED}; {{0}}; {OTHER};"
            f" alter table p alter id set not null; {ATTACHED}; alter table p drop constraint believed"
        ),
        "insert into p values (null, 1), (null, 1)",
    ),
    "bounds of a partition": (
        (
            f"{EITHER}; {RANGE} {believed(HIGH, 'p', column='id int not null')} {FILLED}; {{0}}; {OTHER}; {ATTACHED};"
            " alter table p drop constraint believed"
        ),
        "insert into p values (1, 1), (2, 2)",
    ),
    "bounds of a default partition": (
        (
            f"{EITHER}; {RANGE} {believed(f'not ({HIGH})', 'd', column='id int not null')}"
            " alter table t attach partition d default; {0};"
            f" {OTHER}; create table p (id int not null, q int); {ATTACHED}; insert into t values (100000, 1);"
            f" {FILLED}; alter table d drop constraint believed"
        ),
        "insert into d values (100000, 1)",
    ),
    "bounds of a partition of a partition": (
        (
            f"{EITHER}; {RANGE} {believed(HIGH, 'leaf', column='id int not null')} {FILLED}; {{0}}; {OTHER};"
            " create table p (id int not null, q int) partition by hash (id);"
            " alter table p attach partition leaf for values with (modulus 1, remainder 0);"
            f" {ATTACHED}; alter table leaf drop constraint believed"
        ),
        "insert into leaf values (1, 1), (2, 2)",
    ),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


@pytest.fixture
def admin(scratch_server: ScratchServer, database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        yield connection


def run(admin: psycopg.Connection[Any], way: str, *, broken: bool) -> None:
    declared, rows = WAYS[way]
    for statement in declared.format(rows if broken else "select 1").split(";"):
        admin.execute(statement.encode())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", WAYS)
def test_what_rows_break_is_not_relied_on(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store, way: str
) -> None:
    run(admin, way, broken=True)
    (row,) = admin.execute("select count(*), count(distinct row(id, q)) from t").fetchall()
    assert row[0] > row[1], "the rows must tell"
    with pytest.raises(NotOptimised, match=r"is not relied on: a stored row breaks it"):
        runner_for(admin, scratch_server, store).optimise(job(admin, text=DISTINCT))


@pytest.mark.parametrize(
    "way", ["add primary key", "the second column of a primary key", "bounds of a partition"]
)
def test_what_rows_keep_is(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store, way: str
) -> None:
    run(admin, way, broken=False)
    rewrite = found(runner_for(admin, scratch_server, store), job(admin, text=DISTINCT))
    assert rewrite.state is State.ACTIVE
    assert "distinct" not in rewrite.proposal.replacement.lower()
    guard = guard_of(rewrite.proposal.guard)
    assert guard is not None
    assert not guard.foreign_keys
    # what a partition that comes later may break is looked at again
    again = time.time() + LEASE * 3600 if "partition" in way else float("inf")
    assert lease(store, rewrite) == pytest.approx(again, abs=60)
    assert due(store, [rewrite], time.time() + 3660) == ([rewrite] if "partition" in way else [])
    # a snapshot from before the look may see rows that are gone
    assert objection_in(admin, guard) == ""
    assert objection_in(admin, replace(guard, snapshot=guard.snapshot + 1000)) == "rows"


def test_not_null_that_is_declared_anew_is_seen_by_the_guard(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store
) -> None:
    """So that one look at the rows is enough."""
    run(admin, "unique and not null", broken=False)
    rewrite = found(runner_for(admin, scratch_server, store), job(admin, text=DISTINCT))
    guard = guard_of(rewrite.proposal.guard)
    assert guard is not None
    assert objection_in(admin, guard) == ""
    admin.execute("alter table t alter id drop not null")
    assert objection_in(admin, guard) == "facts"
    admin.execute("alter table t alter id set not null")
    assert objection_in(admin, guard) == "facts"


def test_a_partition_that_is_attached_later_ends_the_rewrite(
    admin: psycopg.Connection[Any], scratch_server: ScratchServer, store: Store
) -> None:
    declared, rows = WAYS["bounds of a partition"]
    before, _, after = declared.format(rows).partition(ATTACHED)
    admin.execute(before.encode())
    runner = runner_for(admin, scratch_server, store)
    rewrite = found(runner, job(admin, text=DISTINCT))
    assert runner.again.look_again(rewrite) is None
    admin.execute(f"{ATTACHED}{after}".encode())
    lost = runner.again.look_again(rewrite)
    assert lost is not None
    assert lost.reason == "the partitioning of public.t is not relied on: a stored row breaks it"
