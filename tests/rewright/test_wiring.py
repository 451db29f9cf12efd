"""The glue between packages: reports, jobs, served records, the feed, the regression monitor, figures."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from rewright.config.loading import ConfigError, load
from rewright.config.model import Auth, Config, Database, StoreSection
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import SessionError
from rewright.engines.postgres.values import Values
from rewright.equivalence.prover.shapes import shape
from rewright.equivalence.prover.terms import Lit
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.processes import worker
from rewright.processes.exporting import METRICS, Figureboard, histogram_figures
from rewright.processes.inbox import VARIANTS, Inbox
from rewright.processes.jobs import Job, JobSender, decode, encode
from rewright.processes.memory_trim import tidy
from rewright.proxy.metrics import Histogram, Metrics
from rewright.proxy.ports import (
    Candidate,
    Guard,
    LastQuery,
    LocalRows,
    Ports,
    RelationName,
    ServedRewrite,
    ServedStatement,
    SessionView,
    SettingsView,
    SlowQuery,
    SqlError,
)
from rewright.sql.types import INT4
from rewright.store import reaching
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level, State
from rewright.store.outcomes import NO_OPTIMISER
from rewright.store.records import NewRewrite, Rewrite, Timing
from rewright.store.writer import BufferedWriter
from rewright.wiring import feed as feed_module
from rewright.wiring.accounts import database_dsn
from rewright.wiring.budget import RunBudget
from rewright.wiring.estimating import Estimator
from rewright.wiring.explaining import text
from rewright.wiring.feed import StoreFeed
from rewright.wiring.guards import GuardFailed, names_in
from rewright.wiring.inlining import SocketInline
from rewright.wiring.optimising import JobRunner
from rewright.wiring.proposals import job_key
from rewright.wiring.proxies import proxy_config, settings_rules
from rewright.wiring.regression_monitor import judge, loses, retire_losers, to_compare
from rewright.wiring.reporting import SessionReporter, StoreReporter
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import (
    guard_document,
    guard_of,
    parameter_document,
    served,
    starts_active,
)
from tests.proxy.waiting import until

GUARD = Guard(
    original=(RelationName("t", 5),),
    replacement=(RelationName('"S".t', 6),),
    below=(7,),
    functions=("f",),
    operators=("=",),
    search_path=("public",),
    digest="d",
)
JOE = SessionView("app", "joe", "psql", "127.0.0.1", 7, SettingsView(), LastQuery())
NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select 1",
    original="select 1",
    replacement="select 2",
    level=Level.PROVED,
    guard=guard_document(GUARD),
    parameters=parameter_document((23,)),
    server_version="18.6",
    checker_version=CHECKER_VERSION,
)
ACCEPT = frozenset({"float-order"})
JOB = Job(
    "app",
    "select 'ü\ud800'",
    (23, 25),
    1.5,
    "joe",
    "psql",
    model=True,
    hints=False,
    values=Values((23, 25), (b"\0\0\0\5", None), (1, 0)),
)
SLOW = SlowQuery(
    execution=1,
    state="finished",
    text="select 'secret' from t",
    parameter_types=(),
    parameters=(),
    parameter_formats=(),
    duration=0.5,
    database="app",
    role="joe",
    application_name="psql",
    client_address="127.0.0.1:9",
    backend_pid=1,
    settings=SettingsView(),
    in_block=False,
)
SERVED = ServedStatement(1, "replacement", "", 0.01, 0.001, 3, "app", "joe", "psql", "select 1")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


# -- served records


def test_a_guard_goes_through_json() -> None:
    assert guard_of(json.loads(json.dumps(guard_document(GUARD)))) == GUARD
    assert guard_of(None) is None
    assert guard_of({"original": 5}) is None


def test_what_is_served(store: Store) -> None:
    kept = store.rewrites.add(NEW)
    found = served(kept, ACCEPT)
    assert found == ServedRewrite(
        id=kept.id,
        database="app",
        original="select 1",
        replacement="select 2",
        guard=GUARD,
        param_types=(23,),
        plain_replacement="select 2",
        evidence="proved",
        unreserved=True,
        server_major=18,
    )


@pytest.mark.parametrize(
    ("modulo", "evidence", "unreserved"),
    [
        ((), "proved", True),
        (("float-order",), "proved", False),
        (("tie-order",), "tested", False),
        (("errors",), "tested", False),
    ],
)
def test_reservations(store: Store, modulo: tuple[str, ...], evidence: str, unreserved: bool) -> None:
    found = served(store.rewrites.add(replace(NEW, modulo=modulo)), ACCEPT | {"errors"})
    assert found is not None
    assert (found.evidence, found.unreserved) == (evidence, unreserved)


@pytest.mark.parametrize(
    ("modulo", "held"),
    [
        ((), False),
        (("float-order",), False),
        (("gated",), False),
        (("errors",), True),
        (("overflow", "tie-order"), True),
    ],
)
def test_the_answer_of_what_may_fail_is_held_back(
    store: Store, modulo: tuple[str, ...], *, held: bool
) -> None:
    found = served(store.rewrites.add(replace(NEW, modulo=modulo)), ACCEPT)
    assert found is not None
    assert (found.held, found.unreserved) == (held, not modulo)
    assert found.evidence == ("tested" if held else "proved")


def test_how_much_is_held_back_is_configured() -> None:
    for written, limit in (("1MB", 1 << 20), (0, 0)):
        config = load(environment={}, overrides={"serve.hold": written})
        assert proxy_config(config).limits.hold == limit
    for reservation in ("errors", "overflow"):
        with pytest.raises(ConfigError, match="accept"):
            load(environment={}, overrides={"verify.accept": [reservation]})


def test_no_guard_or_another_checker_is_not_served(store: Store) -> None:
    without = store.rewrites.add(replace(NEW, guard=None))
    assert served(without, ACCEPT) is None
    assert (
        served(store.rewrites.add(replace(NEW, guard=guard_document(replace(GUARD, digest="")))), ACCEPT)
        is None
    )
    old = store.rewrites.add(replace(NEW, template_key="k2", checker_version="0"))
    assert served(old, ACCEPT) is None
    approved = served(store.rewrites.act(old.id, Action.APPROVE), ACCEPT)
    assert approved is not None
    assert approved.approved


def test_what_starts_active() -> None:
    assert starts_active(NEW, Level.PROVED, ACCEPT)
    assert not starts_active(replace(NEW, modulo=("tie-order",)), Level.PROVED, ACCEPT)
    assert starts_active(replace(NEW, modulo=("tie-order",)), Level.TESTED, ACCEPT)
    assert not starts_active(replace(NEW, level=Level.UNKNOWN), Level.JUDGED, ACCEPT)


def test_names_that_are_guarded() -> None:
    found = names_in('with c as (select f(a) from "S"."T") select s.g(1), count(*) from c, t where a ~> 1')
    assert set(found.relations) == {'"S"."T"', '"c"', '"t"'}
    assert set(found.functions) == {"f", "g", "count"}
    assert "~>" in found.operators
    assert "=" in found.operators
    with pytest.raises(GuardFailed):
        names_in("not sql")


# -- the feed


def test_the_feed_publishes_changes_and_survives_the_store(store: Store) -> None:
    published: list[list[int]] = []
    errors: list[Exception] = []
    feed = StoreFeed(
        store,
        lambda found: published.append([one.id for one in found]),
        accept=ACCEPT,
        on_error=errors.append,
    )
    feed.poll()
    feed.poll()
    one = store.rewrites.add(NEW)
    feed.poll()
    store.rewrites.act(one.id, Action.REJECT)
    store.switches.set_paused(True)
    feed.poll()
    assert published == [[], [one.id], []]
    assert feed.paused
    with store.engine.begin() as connection:
        connection.exec_driver_sql("drop table revision")
    feed.poll()
    feed.poll()
    assert len(errors) == 1
    assert feed.paused


def test_a_rewrite_that_cannot_be_read_keeps_no_other_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[list[int]] = []
    errors: list[str] = []
    good = store.rewrites.add(NEW)
    bad = store.rewrites.add(replace(NEW, database="other"))

    def read(rewrite: Rewrite, accept: frozenset[str], until: float) -> ServedRewrite | None:
        if rewrite.id == bad.id:
            raise KeyError("param_types")
        return served(rewrite, accept, until)

    monkeypatch.setattr(feed_module, "served", read)
    feed = StoreFeed(
        store,
        lambda found: published.append([one.id for one in found]),
        accept=ACCEPT,
        on_error=lambda error: errors.append(str(error)),
    )
    feed.poll()
    assert published == [[good.id]]
    assert errors == [f"rewrite {bad.id} cannot be read: KeyError"]
    assert feed.healthy


def test_the_feed_goes_on_after_a_mistake_of_ours(store: Store) -> None:
    published: list[list[int]] = []
    errors: list[Exception] = []

    def publish(found: Iterable[ServedRewrite]) -> None:
        if not errors:
            raise RuntimeError("no loop")
        published.append([one.id for one in found])

    feed = StoreFeed(store, publish, accept=ACCEPT, on_error=errors.append)
    feed.poll()
    assert not feed.healthy
    feed.poll()
    assert published == [[]]
    assert feed.healthy
    assert len(errors) == 1


# -- reports


class Sent:
    """What would go to the optimiser."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def put(self, job: Job) -> bool:
        self.jobs.append(job)
        return True


def test_the_end_of_a_running_query_is_waited_for(store: Store) -> None:
    """What it has taken so far says nothing about what is faster."""
    now = [1000.0]
    sent = Sent()
    writer = BufferedWriter(store)
    reporter = StoreReporter(writer, sent, run_timeout=30.0, clock=lambda: now[0])  # type: ignore[arg-type]
    reporter.put(replace(SLOW, state="running", execution=1, duration=0.2))
    assert sent.jobs == []
    reporter.put(replace(SLOW, state="timed out", execution=1, duration=12.0))
    assert [job.observed for job in sent.jobs] == [12.0]

    reporter.put(replace(SLOW, state="running", execution=2, duration=0.2))
    reporter.put(replace(SLOW, state="running", execution=3, duration=0.2))
    reporter.put(replace(SLOW, state="failed", execution=3, duration=0.3))
    now[0] += 29.0
    reporter.flush()
    assert len(sent.jobs) == 1
    now[0] += 1.0
    reporter.flush()
    reporter.flush()
    writer.close()
    assert [round(job.observed, 1) for job in sent.jobs] == [12.0, 30.2]


def test_reports_reach_the_store(store: Store) -> None:
    one = store.rewrites.add(NEW)
    store.rewrites.act(one.id, Action.ACTIVATE)
    writer = BufferedWriter(store)
    reporter = StoreReporter(writer, None, clock=lambda: 1000.0)
    reporter.put(SLOW)
    reporter.put(replace(SLOW, state="running"))
    reporter.put(replace(SLOW, text="select * from rewright.log"))
    for _ in range(50):
        reporter.put(replace(SERVED, rewrite_id=one.id))
    reporter.put(
        replace(
            SERVED, rewrite_id=one.id, route="fallback", reason="failed", failure="22012", original_failure=""
        )
    )
    reporter.put(replace(SERVED, route="original", reason="facts", client_address="::1", sqlstate="40001"))
    reporter.put(replace(SLOW, state="timed out", sqlstate="57014"))
    reporter.flush()
    writer.close()
    assert [(entry.route, entry.reason, entry.sqlstate) for entry in store.log.read()] == [
        ("original", NO_OPTIMISER, ""),
        ("rewritten", "", ""),
        ("fallback", "failed", ""),
        ("original", "facts", "40001"),
        ("original", "timed out", "57014"),
    ]
    assert store.log.read()[3].client == "::1"
    (query,) = store.queries.read()
    assert (query.template, query.calls, query.total_ms) == ("select $1 from t", 2, 1000.0)
    kept = store.rewrites.get(one.id)
    # the word of one role: it is not served to that role for a while
    assert (kept.served, kept.state) == (50, State.ACTIVE)
    assert [(doubt.role, doubt.kind, doubt.sqlstate) for doubt in store.doubts.standing()] == [
        (SERVED.role, "failed", "22012")
    ]


def test_what_is_served_is_logged_though_it_was_declined_just_before(store: Store) -> None:
    one = store.rewrites.add(NEW)
    writer = BufferedWriter(store)
    reporter = StoreReporter(writer, None, clock=lambda: 1000.0)
    reporter.put(replace(SERVED, rewrite_id=one.id, route="original", reason="foreign keys"))
    for _ in range(3):
        reporter.put(replace(SERVED, rewrite_id=one.id))
    reporter.put(replace(SERVED, rewrite_id=one.id, route="original", reason="facts"))
    writer.close()
    routes = [(entry.route, entry.reason) for entry in store.log.read()]
    assert routes == [("original", "foreign keys"), ("rewritten", ""), ("original", "facts")]


def test_sessions_are_told_when_they_change(store: Store) -> None:
    writer = BufferedWriter(store)
    sessions = SessionReporter("w", clock=lambda: 5.0)
    view = SessionView("app", "joe", "psql", "127.0.0.1", 7, SettingsView(), LastQuery())
    sessions.report([view], writer)
    sessions.report([view], writer)
    sessions.report([replace(view, settings=SettingsView(mode="off"))], writer)
    writer.close()
    assert [(one.session, one.mode, one.started_at) for one in store.sessions.read()] == [("w:7", "off", 5.0)]


# -- jobs


def test_jobs_survive_the_wire() -> None:
    valued = replace(JOB, values=Values((23, 0), (b"\x00\xff", None), (1, 0)))
    for job in (JOB, valued):
        assert decode(encode(job)) == job
    one_format_short = encode(valued).replace(b'"formats": [1, 0]', b'"formats": [1]')
    for line in (one_format_short, b"", b"{}", b"[]", b"null", b'{"text": 5}', b"\xff"):
        with pytest.raises(ValueError, match="not a job"):
            decode(line)


def test_a_sender_without_an_optimiser_drops_and_counts(tmp_path: Path) -> None:
    sender = JobSender(str(tmp_path / "nobody"), capacity=10, patience=0.0)
    for _ in range(50):
        sender.put(JOB)
    deadline = time.monotonic() + 10
    while sender.dropped < 50 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sender.dropped == 50
    sender.close()


def test_a_sender_delivers(tmp_path: Path) -> None:
    path = str(tmp_path / "jobs")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        got: list[bytes] = []

        def read() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                got.extend(lines)

        thread = threading.Thread(target=read)
        thread.start()
        sender = JobSender(path)
        assert sender.put(JOB)
        sender.close()
        thread.join(10)
    assert [decode(line) for line in got] == [JOB]


def test_the_inbox_takes_each_job_once_and_is_bounded() -> None:
    inbox = Inbox(2)
    for text_ in ("a", "a", "b", "c"):
        inbox.put(replace(JOB, text=text_))
    assert (inbox.size(), inbox.dropped, inbox.received) == (2, 1, 4)
    first = inbox.get(0)
    assert first is not None
    assert first.text == "a"
    inbox.put(replace(JOB, text="a"))
    assert inbox.size() == 1
    inbox.forget("a")
    inbox.put(replace(JOB, text="a"))
    assert inbox.size() == 2


def test_of_texts_that_differ_in_literals_some_are_taken() -> None:
    """An application sends thousands of them: what waits behind would never have its turn."""
    inbox = Inbox(100)
    jobs = [replace(JOB, text=f"select a from t where b = {number}") for number in range(20)]
    for job in jobs:
        inbox.put(job)
    inbox.put(replace(JOB, text="select a from u where b = 1"))
    assert inbox.size() == VARIANTS + 1
    taken = inbox.get(0)
    assert taken == jobs[0]
    inbox.put(jobs[10])
    assert inbox.size() == VARIANTS
    # found for its literals alone, or worth another try: another one is taken
    inbox.found(jobs[0])
    inbox.put(jobs[10])
    assert inbox.size() == VARIANTS + 1
    inbox.release(jobs[1])
    inbox.put(jobs[11])
    assert inbox.size() == VARIANTS + 2
    inbox.forget(jobs[0].text)
    inbox.put(jobs[12])
    assert inbox.size() == VARIANTS + 3
    # rechecks are about a rewrite, not about a text
    for job in jobs:
        inbox.put(replace(job, kind="recheck", rewrite_id=7))
    assert inbox.size() == VARIANTS + 3 + len(jobs)


def test_a_query_with_another_comment_each_time_is_one_job() -> None:
    inbox = Inbox(10)
    for number in range(5):
        inbox.put(replace(JOB, text=f"select a from t /*traceparent='{number}'*/"))
        inbox.put(replace(JOB, text=f"SELECT a\nFROM t --{number}\n;"))
    assert inbox.size() == 1
    inbox.put(replace(JOB, text="/*+ SeqScan(t) */ select a from t"))
    assert inbox.size() == 2
    assert job_key(replace(JOB, text="select a from t /* 1 */")) == job_key(
        replace(JOB, text="SELECT a from t")
    )


def test_runs_per_hour() -> None:
    now = [0.0]
    budget = RunBudget(2, clock=lambda: now[0])
    assert [budget.take(), budget.take(), budget.take()] == [True, True, False]
    now[0] = 3601.0
    assert budget.take()


def test_the_database_asked_for_goes_into_the_dsn() -> None:
    assert database_dsn("postgresql://u@h", "a b").endswith("dbname='a b'")
    assert database_dsn("postgresql://u@h/db", "other") == "postgresql://u@h/db"


# -- the regression monitor


def timings(side: str, *values: float) -> list[Timing]:
    return [Timing(1, "original" if side == "original" else "replacement", value) for value in values]


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ([100] * 5, [200] * 5, True),
        ([100] * 5, [119] * 5, False),
        ([1000] * 5, [1090] * 5, False),
        ([1000] * 5, [1150] * 5, True),
        ([100] * 4, [900] * 9, False),
        ([100] * 5, [90, 90, 90, 9000, 9000], False),
    ],
)
def test_who_loses(before: list[float], after: list[float], lost: bool) -> None:
    assert loses(timings("original", *before), timings("replacement", *after)) is lost


def test_losers_are_retired_unless_pinned(store: Store) -> None:
    ids = []
    for key in ("a", "b"):
        one = store.rewrites.add(replace(NEW, template_key=key))
        store.rewrites.act(one.id, Action.PIN if key == "b" else Action.ACTIVATE)
        store.rewrites.add_timings([Timing(one.id, "original", 100.0, source="optimiser") for _ in range(5)])
        store.rewrites.add_timings(
            [Timing(one.id, "replacement", 300.0, source="optimiser") for _ in range(5)]
        )
        ids.append(one.id)
    assert [one.id for one in retire_losers(store)] == [ids[0]]
    assert store.rewrites.get(ids[0]).reason == "slower: 300 ms, the original 100 ms"
    assert store.rewrites.get(ids[1]).state is State.PINNED


def test_what_is_compared_next(store: Store) -> None:
    first, second, unserved = (
        store.rewrites.act(store.rewrites.add(replace(NEW, template_key=key)).id, Action.ACTIVATE)
        for key in ("a", "b", "c")
    )
    store.rewrites.add_served({first.id: 3, second.id: 1})
    now = time.time()

    def following(later: float = 0.0, **tried: float) -> int | None:
        one = to_compare(store, now + later, {int(k[1:]): v for k, v in tried.items()})
        return one.id if one is not None else None

    assert following() == first.id
    assert following(**{f"r{first.id}": now}) == second.id
    store.rewrites.add_timings([Timing(first.id, "original", 9.0, source="optimiser", at=now)])
    store.rewrites.add_timings([Timing(second.id, "original", 9.0, source="client", at=now)])
    assert following() == second.id
    store.rewrites.add_timings([Timing(second.id, "original", 9.0, source="optimiser", at=now + 1)])
    assert following() is None
    assert following(7200) == first.id
    assert unserved.id not in {following(), following(7200)}


@pytest.mark.server
def test_a_loser_is_found_on_our_own_connection(
    store: Store, scratch_server: ScratchServer, database: str
) -> None:
    dsn = scratch_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table t as select generate_series(1, 300000) as a")
        connection.execute("analyze t")
    config = Config(databases={database: Database(dsn=dsn, optimiser_dsn=dsn)})
    runner = JobRunner(config, store, RunBudget(10), Scratch())
    slow, fast = "select count(distinct a::text) from t where a > 5", "select count(*) from t where a > 5"

    def kept(key: str, original: str, replacement: str) -> Rewrite:
        new = replace(NEW, database=database, template_key=key, original=original, replacement=replacement)
        return store.rewrites.act(store.rewrites.add(new).id, Action.ACTIVATE)

    winner, loser = kept("w", slow, fast), kept("l", fast, slow)
    runs = runner.again.compare(winner)
    assert [one.side for one in runs] == ["replacement", "original"]  # clear at once
    assert judge(store, winner, runs) is None
    assert not runner.again.compare(kept("p", "select $1::int", "select 1"))
    runner.budget = RunBudget(10)
    runs = runner.again.compare(loser)
    assert [one.side for one in runs] == ["replacement", "original"] * 5
    lost = judge(store, loser, runs)
    assert lost is not None
    assert lost.state is State.RETIRED
    assert lost.reason.startswith("slower: ")
    assert runner.again.compare(winner) == []  # no runs left in this hour


@pytest.mark.server
def test_estimates_survive_a_lost_connection(scratch_server: ScratchServer, database: str) -> None:
    dsn = scratch_server.dsn(database)
    estimator = Estimator()
    try:
        cheap = estimator.work(dsn, "select 1")
        assert estimator.work(dsn, "select count(*) from generate_series(1, 100000)") > 100 * cheap
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                " where application_name = 'rewright optimiser' and datname = current_database()"
            )
        assert estimator.work(dsn, "select $1::int") == pytest.approx(cheap)
        with pytest.raises(SessionError):
            estimator.work(dsn, "select * from nowhere")
        assert estimator.work(dsn, "select 1") == cheap
    finally:
        estimator.close()


@pytest.mark.server
def test_estimates_know_the_values(scratch_server: ScratchServer, database: str) -> None:
    """Ten thousand rows of one kind, one of the other: what is bound decides whether it is worth holding."""
    dsn = scratch_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute("create table skewed as select 'many' as kind, n from generate_series(1, 20000) as n")
        admin.execute("insert into skewed values ('few', 0)")
        admin.execute("create index on skewed (kind)")
        admin.execute("vacuum analyze skewed")
    estimator = Estimator()
    text = "select * from skewed where kind = $1 order by n"
    try:
        many = estimator.work(dsn, text, Values((25,), (b"many",), (0,)))
        few = estimator.work(dsn, text, Values((), (b"few",), (1,)))
        assert many > 20 * few
        with pytest.raises(SessionError, match="integer"):
            estimator.work(dsn, "select $1::int", Values((23,), (b"x",), (0,)))
        assert estimator.work(dsn, text, Values((25,), (None,), (0,))) <= few
    finally:
        estimator.close()


# -- a store that comes later


def test_a_worker_takes_the_store_up_when_it_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file stands where its directory should be; sessions that began before have all of Rewright
    afterwards.
    """
    monkeypatch.setattr(reaching, "RETRY_SECONDS", 0.0)
    blocked = tmp_path / "state"
    blocked.write_text("in the way")
    url = str(blocked / "store.db")
    seen: list[Ports] = []

    async def serving(_config: object, ports: Ports, *, on_ready: Any, **_more: Any) -> None:
        on_ready(SimpleNamespace(ports=ports, address=("127.0.0.1", 1), sessions=list, metrics=Metrics()))
        seen.append(ports)
        assert ports.answers is not None
        answer = ports.answers.match("select count(*) from rewright.rewrites")
        assert answer is not None
        with pytest.raises(SqlError) as refused:
            await answer.run(JOE)
        assert refused.value.sqlstate == "58030"
        blocked.unlink()
        found = await answer.run(JOE)
        assert isinstance(found, LocalRows)
        assert found.rows == ((0,),)

    monkeypatch.setattr(worker, "serve", serving)
    ours, theirs = Pipe()
    before = set(threading.enumerate())
    config = Config(store=StoreSection(url=url))
    asyncio.run(worker._Worker(config, 0, "", (), theirs).run())
    ours.close()
    # what reads from theirs ends with it; others' channels go on
    until(lambda: all(thread.name != "channel" for thread in set(threading.enumerate()) - before))
    theirs.close()
    assert seen[0].reporter is not None
    assert seen[0].pause is not None


# -- figures, users, explaining


def test_counters_of_the_dead_are_kept() -> None:
    board = Figureboard()
    key = ("statements_total", (("route", "replacement"),))
    board.put("w0", {key: 5.0, ("connections", (("worker", "0"),)): 2.0})
    board.end("w0")
    board.put("w0", {key: 1.0})
    assert board.values()[key] == 6.0
    text_ = board.render().decode()
    assert 'rewright_statements_total{route="replacement"} 6.0' in text_
    assert "rewright_connections{" not in text_
    assert all(f"# HELP rewright_{name.removesuffix('_total')}" in text_ for name in METRICS)


def test_users(tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    (tmp_path / "password").write_text("pw\n")
    users.write_text(
        f'[joe]\nverifier = "SCRAM-SHA-256$4096:abc$def:ghi"\nupstream_user = "app"\n'
        f'upstream_password_file = "{tmp_path / "password"}"\ndatabases = ["app"]\n'
    )
    config = Config(auth=Auth(method="file", users=str(users)), databases={"app": Database(dsn="host=x")})
    user = proxy_config(config).auth.users["joe"]
    assert (user.upstream_user, user.upstream_password, user.databases) == ("app", "pw", ("app",))
    users.write_text('joe = 1\n[ann]\nverifier = "secret"\npass = "x"\n')
    with pytest.raises(ConfigError) as caught:
        proxy_config(config)
    assert len(caught.value.problems) == 3
    assert "secret" not in str(caught.value)


def test_the_registry_makes_the_proxys_view() -> None:
    rules = settings_rules(Config(defaults={"mode": "observe"}))
    view = SettingsView(**{rule.name: rule.parse(rule.default) for rule in rules.rules})  # type: ignore[arg-type]
    assert view == SettingsView()
    assert rules.defaults == {"mode": "observe"}


def test_explained_as_text() -> None:
    document = {
        "original": "select 1\nfrom t",
        "rewritten": None,
        "proposed": "select 2 from t",
        "reason": "tested, proved is asked for",
        "verdict": "tested",
        "modulo": ["overflow"],
        "assumptions": ["t.a is unique"],
        "hints": None,
        "cost_before": 10.0,
        "cost_after": 1.0,
        "seconds_before": None,
        "seconds_after": 0.25,
        "steps": [{"name": "decorrelate", "note": "once for each group"}],
        "seconds": 1.5,
    }
    assert list(text(document)) == [
        "Original",
        "  select 1",
        "  from t",
        "Proposed replacement, not served: tested, proved is asked for",
        "  SELECT 2",
        "  FROM t",
        "Verdict: tested, up to overflow",
        "  given t.a is unique",
        "Cost: 10.00 -> 1.00",
        "Time: ? -> 250.0 ms",
        "Step 1: decorrelate: once for each group",
        "Optimised in 1500.0 ms",
    ]


# -- held queries


def test_a_held_query_gets_what_the_optimiser_kept(store: Store, tmp_path: Path) -> None:
    kept = store.rewrites.add(
        replace(NEW, template="select 'secret' from t", original="select 'secret' from t", parameters=None)
    )
    path = str(tmp_path / "jobs")
    asked: list[Job] = []
    told: list[tuple[str, ...]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(decode(await reader.readline()))
        number = None if asked[-1].text == "select 2" else kept.id
        writer.write(json.dumps({"rewrite": number}).encode() + b"\n")
        writer.close()

    async def play() -> list[Candidate | None]:
        port = SocketInline(path, store, None, ACCEPT, lambda name, fields: told.append((name, *fields)))
        nobody = await port.optimise(SLOW)
        async with await asyncio.start_unix_server(answer, path):
            found = [await port.optimise(SLOW), await port.optimise(replace(SLOW, text="select 2"))]
            store.rewrites.act(kept.id, Action.REJECT)
            return [nobody, *found, await port.optimise(SLOW)]

    nobody, found, nothing, rejected = asyncio.run(play())
    assert found is not None
    assert found.replacement == "select 2"
    assert (nobody, nothing, rejected) == (None, None, None)
    assert [(job.kind, job.min_cost, job.budget) for job in asked] == [("inline", 50_000.0, 0.5)] * 3
    assert told == [("inline.failed", "database", "reason")]  # nobody was there


def test_a_held_query_is_looked_at_once() -> None:
    inbox = Inbox(2)
    held = replace(JOB, kind="inline", budget=0.5)
    assert [inbox.claim(held), inbox.claim(held)] == [True, False]
    assert inbox.claim(replace(held, budget=5.0))  # there is more time now
    inbox.release(held)
    assert inbox.claim(held)
    inbox.put(JOB)  # it was slow all the same
    assert inbox.size() == 1
    assert not inbox.claim(replace(held, budget=60.0))


# -- memory between jobs


def test_what_a_job_left_is_given_back() -> None:
    """The prover's memory of shapes is a job's own, and memory that was freed goes back to the system."""
    kept = shape(Lit("5", INT4))
    assert shape.cache_info().currsize > 0
    blocks = [bytes(64_000) for _ in range(2_000)]
    held = blocks[::50]  # what is in between can't be returned by freeing alone
    del blocks
    before = resident()
    tidy()
    assert shape.cache_info().currsize == 0
    assert resident() < before - 50
    assert kept == shape(Lit("5", INT4))
    assert len(held) == 40


def resident() -> float:
    """Of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def test_durations_by_route_add_up_over_workers_and_their_ends() -> None:
    board = Figureboard()
    for child, seconds in (("worker 0", (0.0005, 0.3)), ("worker 1", (0.3, 100.0))):
        histogram = Histogram()
        for one in seconds:
            histogram.observe(one)
        board.put(child, histogram_figures("query_seconds", "replacement", histogram))
    board.end("worker 1")
    lines = board.render().decode().splitlines()
    for bound, count in (("0.001", 1), ("0.25", 1), ("0.5", 3), ("60.0", 3), ("+Inf", 4)):
        assert f'rewright_query_seconds_bucket{{le="{bound}",route="replacement"}} {count}.0' in lines
    assert 'rewright_query_seconds_count{route="replacement"} 4.0' in lines
    assert 'rewright_query_seconds_sum{route="replacement"} 100.6005' in lines
