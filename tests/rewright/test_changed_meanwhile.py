"""The schema changes while a rewrite is looked for, as it does all the time where applications make tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from rewright.config.model import Config, Database, Optimiser
from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes.jobs import Job
from rewright.store.api import Store, open_store
from rewright.store.life import Action
from rewright.wiring import guards
from rewright.wiring.budget import RunBudget
from rewright.wiring.optimising import JobRunner
from rewright.wiring.refusals import Known, NotYet
from rewright.wiring.scratch import Scratch
from tests.rewright.serving import QUERY, SAMPLE

pytestmark = [pytest.mark.server, pytest.mark.long]


@pytest.fixture
def store(tmp_path: Any) -> Iterator[Store]:
    with open_store(f"{tmp_path}/store.db") as opened:
        yield opened


@pytest.fixture
def runner(scratch_server: ScratchServer, sample: str, store: Store) -> JobRunner:
    dsn = scratch_server.dsn(sample)
    config = Config(
        databases={sample: Database(dsn=dsn, optimiser_dsn=dsn)}, optimiser=Optimiser(measure="explain")
    )
    return JobRunner(config, store, RunBudget(1000), Scratch())


JOB = Job(
    database="", text=QUERY, param_types=(), observed=5.0, role="joe", application_name="", model=False, hints=False
)  # fmt: skip
OTHERS = (
    "create table staging (a integer primary key)",
    "drop table if exists staging",
    "create temporary table mine (a integer)",
)
OWN = ("alter table lineitem add column more integer", "alter table part drop constraint part_pkey cascade")


def changing(monkeypatch: pytest.MonkeyPatch, dsn: str, text: str) -> None:
    """When the search is over, before it is looked at whether the schema is what it was."""
    names_in = guards.names_in

    def changed(sql: str) -> Any:
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute(text.encode())
            # what a text names, while the other session is open
            monkeypatch.setattr(guards, "names_in", names_in)
            return names_in(sql)

    monkeypatch.setattr(guards, "names_in", changed)


@pytest.mark.parametrize("text", OTHERS)
def test_tables_that_a_query_does_not_read_may_come_and_go(
    monkeypatch: pytest.MonkeyPatch, runner: JobRunner, scratch_server: ScratchServer, sample: str, text: str
) -> None:
    changing(monkeypatch, scratch_server.dsn(sample), text)
    kept = runner.optimise(replace(JOB, database=sample))
    assert kept is not None
    assert kept.proposal.guard


@pytest.mark.parametrize("text", OWN)
def test_a_query_whose_tables_were_changed_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, runner: JobRunner, scratch_server: ScratchServer, store: Store, text: str
) -> None:
    """Kept without a guard it would be known, and never served."""
    database = scratch_server.create_database()
    try:
        with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
            connection.execute(SAMPLE)
            connection.execute("analyze")
        dsn = scratch_server.dsn(database)
        databases = {database: Database(dsn=dsn, optimiser_dsn=dsn)}
        runner = replace(runner, config=replace(runner.config, databases=databases))
        with monkeypatch.context() as patched:
            changing(patched, dsn, text)
            with pytest.raises(NotYet, match="the schema changed"):
                runner.optimise(replace(JOB, database=database))
        assert not store.rewrites.find(database=database)
        assert runner.optimise(replace(JOB, database=database)) is not None
    finally:
        scratch_server.drop_database(database)


@pytest.mark.parametrize("action", [None, Action.REJECT])
def test_what_holds_for_all_literals_is_not_looked_for_with_others(
    runner: JobRunner, sample: str, store: Store, action: Action | None
) -> None:
    """What a person rejected would come back with each."""
    job = replace(JOB, database=sample)
    kept = runner.optimise(job)
    assert kept is not None
    assert kept.proposal.scope == "any"
    if action is not None:
        store.rewrites.act(kept.id, action, reason="", by="joe")
    with pytest.raises(Known, match=f"rewrite {kept.id}"):
        runner.optimise(
            replace(job, text=QUERY.replace("Brand#23", "Brand#24").upper().replace("BRAND#", "Brand#"))
        )
    # other names are other texts
    other = runner.optimise(replace(job, text=QUERY.replace("avg_yearly", "other")))
    assert other is not None
    assert other.id != kept.id
