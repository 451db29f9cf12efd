"""What the store promises, on SQLite and on PostgreSQL."""

from __future__ import annotations

import stat
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from rewright.store.api import Store, open_store
from rewright.store.errors import LiteralsForbidden, NotFound, StoreTooNew, StoreUnavailable
from rewright.store.life import Action, IllegalTransition, Level, State
from rewright.store.records import (
    Event,
    Lesson,
    LogEntry,
    NewRewrite,
    Options,
    QuerySeen,
    Resolution,
    Retention,
    SessionSeen,
    Timing,
)

NEW = NewRewrite(
    database="app",
    template_key="k1",
    template="select * from t where a = $1",
    original="select * from t where a = 5",
    replacement="select a from t where a = $1",
    scope="any",
    level=Level.TESTED,
    evidence={"databases": 100, "names": ["ünïcode", None]},
    modulo=("float-order",),
    sources=("rule:decorrelate",),
    queryid=-(2**63),
)


def test_a_proposal_comes_back_as_it_went_in(store: Store) -> None:
    added = store.rewrites.add(NEW)
    assert added.state is State.PROPOSED
    assert not added.approved
    assert store.rewrites.get(added.id).proposal == NEW
    assert [found.id for found in store.rewrites.find(queryid=-(2**63))] == [added.id]


def test_found_again_is_the_same_rewrite_with_new_evidence(store: Store) -> None:
    first = store.rewrites.add(NEW)
    store.rewrites.act(first.id, Action.APPROVE, by="ann")
    again = store.rewrites.add(replace(NEW, level=Level.PROVED, cost_after=1.5))
    assert again.id == first.id
    assert again.state is State.ACTIVE
    assert again.proposal.level is Level.PROVED
    assert store.rewrites.add(replace(NEW, replacement="select 1")).id != first.id


def test_life_is_kept_with_reasons_and_events(store: Store) -> None:
    one = store.rewrites.add(NEW)
    store.rewrites.act(one.id, Action.APPROVE, reason="looked at it", by="ann")
    after = store.rewrites.act(one.id, Action.REJECT, reason="not that", by="bob")
    assert (after.state, after.approved, after.reason, after.changed_by) == (
        State.REJECTED,
        False,
        "not that",
        "bob",
    )
    assert [event.step for event in store.events.of(rewrite_id=one.id)] == ["approve", "reject"]
    with pytest.raises(IllegalTransition):
        store.rewrites.act(one.id, Action.ACTIVATE)
    assert store.rewrites.get(one.id).state is State.REJECTED


def test_rejected_stays_rejected_when_found_again(store: Store) -> None:
    one = store.rewrites.add(NEW)
    store.rewrites.act(one.id, Action.REJECT)
    assert store.rewrites.add(NEW).state is State.REJECTED


def test_retired_is_proposed_again_when_found_again(store: Store) -> None:
    one = store.rewrites.add(NEW)
    store.rewrites.act(one.id, Action.EXPIRE, reason="slower")
    assert store.rewrites.add(NEW).state is State.PROPOSED


def test_servable_is_what_some_session_may_trust(store: Store) -> None:
    tested = store.rewrites.add(NEW)
    unknown = store.rewrites.add(replace(NEW, template_key="k2", level=Level.UNKNOWN))
    refuted = store.rewrites.add(replace(NEW, template_key="k3", level=Level.REFUTED))
    assert [one.id for one in store.rewrites.servable("app")] == [tested.id]
    store.rewrites.act(unknown.id, Action.APPROVE, reason="known by us")
    with pytest.raises(IllegalTransition):
        store.rewrites.act(refuted.id, Action.APPROVE)
    assert [one.id for one in store.rewrites.servable()] == [tested.id, unknown.id]
    assert store.rewrites.servable("other") == []
    assert store.rewrites.counts()[State.ACTIVE] == 1


@pytest.mark.parametrize("number", [0, -1, 12345, 2**63, 10**30])
def test_what_is_not_there(store: Store, number: int) -> None:
    with pytest.raises(NotFound):
        store.rewrites.get(number)
    with pytest.raises(NotFound):
        store.rewrites.act(number, Action.PIN)
    with pytest.raises(NotFound):
        store.resolutions.accept(number)


def test_the_revision_moves_with_what_relays_must_learn(store: Store) -> None:
    seen = [store.revision()]
    one = store.rewrites.add(NEW)
    seen.append(store.revision())
    store.rewrites.act(one.id, Action.PIN)
    seen.append(store.revision())
    store.switches.set_paused(True, by="ann")
    seen.append(store.revision())
    assert seen == sorted(set(seen))
    store.log.add([LogEntry(at=1.0, database="app")])
    assert store.revision() == seen[-1]


def test_paused_survives_reopening(store_url: str) -> None:
    with open_store(store_url) as store:
        assert not store.switches.paused()
        store.switches.set_paused(True)
    with open_store(store_url) as store:
        assert store.switches.paused()
        store.switches.set_paused(False)
        assert not store.switches.paused()


def test_timings_give_medians_and_are_bounded(store_url: str) -> None:
    with open_store(store_url, Options(retention=Retention(timings_per_rewrite=10))) as store:
        one = store.rewrites.add(NEW)
        store.rewrites.add_timings([Timing(one.id, "original", float(ms), cpu_ms=1.0) for ms in range(40)])
        assert store.rewrites.get(one.id).original_ms == 27.0  # the median of the newest 25
        store.rewrites.add_timings([Timing(one.id, "replacement", 2.0)])
        found = store.rewrites.get(one.id)
        assert (found.original_ms, found.replacement_ms) == (34.5, 2.0)
        assert [timing.duration_ms for timing in store.rewrites.timings(one.id, "original")] == [
            float(ms) for ms in range(39, 29, -1)
        ]
        store.rewrites.add_served({one.id: 3})
        assert store.rewrites.get(one.id).served == 3


def test_the_log_takes_hostile_text(store: Store) -> None:
    entry = LogEntry(at=5.0, database="a\x00b", role="r", query="select '\ud800'" + "x" * 100_000)
    store.log.add([entry, LogEntry(at=6.0, database="app")])
    first, second = store.log.read()
    assert first.database == "a\\0b"
    assert len(first.query) == 65_536
    assert [found.id for found in store.log.read(after_id=first.id)] == [second.id]
    assert [found.id for found in store.log.read(since=5.5)] == [second.id]
    assert [found.id for found in store.log.read(limit=1)] == [second.id]


def test_queries_add_up_by_role(store: Store) -> None:
    seen = QuerySeen("app", "joe", "k", "select $1", "select 1", calls=2, total_ms=10, max_ms=7, last_at=1)
    store.queries.record([seen, replace(seen, max_ms=3, last_at=2), replace(seen, role="eve")])
    store.queries.set_status("app", "k", "nothing", "volatile function random()")
    joe, eve = store.queries.read(database="app")
    assert (joe.role, joe.calls, joe.total_ms, joe.max_ms, joe.last_at) == ("joe", 4, 20, 7, 2)
    assert (eve.calls, eve.status, eve.reason) == (2, "nothing", "volatile function random()")


def test_literals_are_not_kept_where_they_may_not_be(store_url: str) -> None:
    with open_store(store_url, Options(literals=False)) as store:
        assert store.rewrites.add(NEW).proposal.original == NEW.template
        with pytest.raises(LiteralsForbidden):
            store.rewrites.add(replace(NEW, scope="these", literals=("5",)))
        with pytest.raises(LiteralsForbidden):
            store.rewrites.add(replace(NEW, template="select a / 52 from t where b = ⟦1:i⟧"))
        store.log.add([LogEntry(at=1, database="app", query="select 'secret'", template="select $1")])
        assert store.log.read()[0].query == "select $1"
        store.queries.record([QuerySeen("app", "joe", "k", "select $1", "select 'secret'")])
        assert store.queries.read()[0].example == "select $1"


def test_resolutions_and_lessons(store: Store) -> None:
    one = store.resolutions.add(Resolution("lake", "select x", "select y", {"x": "y"}, confidence=0.8))
    assert store.resolutions.read(accepted=True) == []
    assert store.resolutions.accept(one.id).accepted
    assert [found.id for found in store.resolutions.read(database="lake", accepted=True)] == [one.id]
    store.lessons.add(Lesson("rewrite", "t", "do not join twice", {"n": 1}))
    assert [lesson.text for lesson in store.lessons.read(kind="rewrite", subject="t")] == [
        "do not join twice"
    ]


def test_sessions_are_replaced_by_worker(store: Store) -> None:
    first = SessionSeen("w1:1", "w1", "app", "joe", started_at=1.0)
    store.sessions.replace("w1", [first, replace(first, session="w1:2")])
    store.sessions.replace("w2", [replace(first, session="w2:1", worker="w2")])
    store.sessions.replace("w1", [replace(first, session="w1:3", started_at=2.0)])
    assert [one.session for one in store.sessions.read()] == ["w2:1", "w1:3"]


def test_retention_keeps_the_newest_and_everything_alive(store_url: str) -> None:
    retention = Retention(log_rows=5, event_rows=5, query_rows=5, dead_rewrites=2)
    with open_store(store_url, Options(retention=retention)) as store:
        now = time.time()
        store.log.add([LogEntry(at=now - 90 * 86_400, database="old")] * 3)
        store.log.add([LogEntry(at=now, database="app") for _ in range(20)])
        store.events.add([Event(None, "job", "step") for _ in range(20)])
        for number in range(6):
            one = store.rewrites.add(replace(NEW, template_key=f"k{number}"))
            store.rewrites.add_timings([Timing(one.id, "original", 1.0)])
            if number:
                store.rewrites.act(one.id, Action.RETIRE)
        deleted = store.prune()
        assert deleted["log"] == 18
        assert len(store.log.read()) == 5
        assert len(store.events.of()) == 5
        left = store.rewrites.find()
        assert [one.proposal.template_key for one in left] == ["k5", "k4", "k0"]
        assert deleted["timings"] == 3


def test_a_newer_store_is_refused(store_url: str) -> None:
    with open_store(store_url) as store, store.engine.begin() as connection:
        connection.execute(text("update schema_version set version = 999"))
    with pytest.raises(StoreTooNew, match="999"):
        open_store(store_url)


def test_two_processes_may_open_a_new_store_at_once(store_url: str) -> None:
    failures: list[Exception] = []

    def open_it() -> None:
        for attempt in range(5):
            try:
                with open_store(store_url) as store:
                    store.rewrites.add(NEW)
                return
            except StoreUnavailable as error:
                # a lock is waited for two seconds, which a busy machine may need more than once
                if attempt == 4:
                    failures.append(error)
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with open_store(store_url) as store:
        assert len(store.rewrites.find()) == 1


def test_the_file_is_ours_alone(sqlite_store: Store, tmp_path: Path) -> None:
    assert sqlite_store.revision() == 0
    assert stat.S_IMODE((tmp_path / "state" / "store.db").stat().st_mode) == 0o600


def test_a_path_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot open"):
        open_store(str(tmp_path / "file" / "store.db"))
    (tmp_path / "garbage.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreUnavailable, match="not a database"):
        open_store(str(tmp_path / "garbage.db"))


@pytest.mark.server
def test_a_server_that_is_gone() -> None:
    with pytest.raises(StoreUnavailable):
        open_store("postgresql://nobody@127.0.0.1:1/none")


def test_doubts_of_roles(store: Store) -> None:
    one = store.rewrites.add(NEW)
    before = store.revision()
    first = store.doubts.add(one.id, "joe", "failed", "22012", now=1000.0)
    assert (first.count, first.until) == (1, 1600.0)
    assert store.revision() > before
    again = store.doubts.add(one.id, "joe", "slow", now=1700.0)
    assert (again.kind, again.count, again.until) == ("slow", 2, 1700.0 + 1200.0)
    store.doubts.add(one.id, "ann", "failed", "22012", now=1700.0)
    assert sorted(doubt.role for doubt in store.doubts.standing(now=1800.0)) == ["ann", "joe"]
    store.doubts.settle(one.id, "joe", now=1800.0)
    store.doubts.settle(one.id, "nobody", now=1800.0)
    assert [doubt.role for doubt in store.doubts.standing(now=1821.0)] == ["ann"]
    # a day without one is forgiven
    assert store.doubts.add(one.id, "joe", "failed", now=1821.0 + 90_000.0).count == 1
    store.doubts.forget(one.id, "joe")
    assert [doubt.role for doubt in store.doubts.of(one.id)] == ["ann"]
    store.doubts.forget(one.id)
    assert store.doubts.of(one.id) == []


def test_a_store_of_the_first_version_is_brought_up(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    with open_store(path) as store:
        one = store.rewrites.add(NEW)
        store.rewrites.add_timings([Timing(one.id, "original", 5.0)])
        with store.engine.begin() as connection:
            connection.execute(text("drop table doubts"))
            connection.execute(text("alter table timings drop column role"))
            connection.execute(text("update schema_version set version = 1"))
    for _ in range(2):
        with open_store(path) as store:
            assert [timing.role for timing in store.rewrites.timings(one.id, "original")] == [""]
            store.doubts.add(one.id, "joe", "slow")
            store.rewrites.add_timings([Timing(one.id, "replacement", 5.0, role="joe")])


def test_nothing_kept_holds_literals_where_they_are_forbidden(tmp_path: Path) -> None:
    mark = "SECRET-1"
    new = replace(
        NEW,
        template="select a from t where b = ⟦1:s⟧ /* SECRET-1 */",
        original=f"select a from t where b = '{mark}'",
        evidence={"databases": [{"rows": [[mark, 5]]}], "sql": f"select '{mark}'"},
        plans={"Filter": f"(b = '{mark}'::text)", "Plan Rows": 7},
        hints=f"/*+ Rows({mark}) */",
    )
    with open_store(str(tmp_path / "s.db"), Options(literals=False)) as store:
        kept = store.rewrites.add(new)
        assert mark not in repr(kept)
        assert kept.proposal.plans == {"Filter": "(b = ?::text)", "Plan Rows": 7}
        for forbidden in ("select U&'SECRET' = ⟦1:s⟧", "select x'5ec4e7' = ⟦1:s⟧"):
            with pytest.raises(LiteralsForbidden):
                store.rewrites.add(replace(new, template=forbidden))
        store.events.add([Event(kept.id, "j", "verified", {"sql": f"select '{mark}'", "row": [mark]})])
        assert mark not in repr(store.events.of(rewrite_id=kept.id))
        store.resolutions.add(Resolution("lake", f"select '{mark}'", f"select '{mark}'", {"value": mark}))
        assert mark not in repr(store.resolutions.read())
