"""First runs: what is far faster shows soon, what is not costs little, what was stopped for its sake is not
lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rewright.rewrite.agents.runs import Runs
from rewright.rewrite.model import Candidate, Deadline, Explained, Settings, Step, Timed
from rewright.rewrite.ports import DatabaseError
from tests.rewrite.world import Server


@dataclass
class Clocked(Server):
    """A server whose runs take the time that they say."""

    now: float = 0.0
    stops: list[tuple[str, float, bool]] = field(default_factory=list)

    def explain(self, sql: str) -> Explained:
        return Explained(1.0, {"Node Type": sql})

    def measure(self, sql: str, seconds: float) -> Timed:
        timed = Timed(min(self.times[sql], seconds), stopped=self.times[sql] > seconds)
        self.now += timed.seconds
        self.stops.append((sql, timed.seconds, timed.stopped))
        return timed


def sifted(
    before: float, times: dict[str, float], seconds: float = 1000.0
) -> tuple[list[str], list[str], Clocked, Runs]:
    server = Clocked(times=times)
    runs = Runs("o", None, before, server, Settings(measure="run", run_timeout=1000.0))
    candidates = [Candidate(sql, cost=1.0) for sql in times]
    worth, idle = runs.sift(candidates, Deadline.after(seconds, lambda: server.now))
    return [c.sql for c in worth], [c.sql for c in idle], server, runs


def test_a_far_faster_one_is_found_before_a_slow_one_has_run_out() -> None:
    worth, idle, server, _runs = sifted(40.0, {"slow": 30.0, "stuck": 90.0, "fast": 2.0})
    assert worth == ["fast", "slow", "stuck"]
    assert idle == []
    assert server.now < 8.0


def test_what_is_a_little_faster_is_found_with_the_whole_time() -> None:
    worth, idle, server, runs = sifted(40.0, {"slow": 50.0, "better": 25.0})
    assert (worth, idle) == (["better"], ["slow"])
    (kept,) = runs.of(Candidate("better", cost=1.0))
    assert (kept.seconds, kept.stopped) == (25.0, False)
    assert server.now == 2 * (2.5 + 10.0) + 40.0 + 25.0


def test_a_far_faster_one_is_found_beside_one_that_gains_a_little() -> None:
    times = {"half": 20.0, "slow": 25.0, "stuck": 90.0, "fast": 0.1}
    server = Clocked(times=times)
    runs = Runs("o", None, 40.0, server, Settings(measure="run", run_timeout=1000.0))
    candidates = {sql: Candidate(sql, cost=1.0) for sql in times}
    # looked at while others were searched for
    runs.run(candidates["half"], 40.0, Deadline.after(1000.0, lambda: server.now))
    worth, _ = runs.sift(list(candidates.values()), Deadline.after(200.0, lambda: server.now))
    assert worth[0].sql == "fast"
    # what is no hundred times faster costs no more than a short run of each
    assert server.now < 20.0 + 5.0


@pytest.mark.parametrize(("lookups", "found"), [(1, True), (0, False)])
def test_what_looks_up_least_has_a_longer_run_before_time_is_up(lookups: int, found: bool) -> None:
    """Twelve candidates of 16 s, no time to stop each at a second before one runs for three."""
    server = Clocked(times={"good": 3.0, **{f"stuck{i}": 90.0 for i in range(11)}})
    runs = Runs("o", None, 16.0, server, Settings(measure="run", run_timeout=1000.0))
    # by variety alone the last one named has its turn last
    stuck = [
        Candidate(f"stuck{i}", (Step(f"rule{i}", "join", ""),), cost=1.0, lookups=lookups) for i in range(11)
    ]
    good = Candidate("good", (Step("rule0", "join", ""),), cost=9.0)
    worth, _ = runs.sift([*stuck, good], Deadline.after(40.0, lambda: server.now))
    assert (runs.of(good)[-1:] == [Timed(3.0)]) == found
    assert (worth[0] == good) == found


@dataclass
class Cold(Clocked):
    """Each text takes ten times as long when it is new."""

    def measure(self, sql: str, seconds: float) -> Timed:
        known = any(sql == seen for seen, _, _ in self.stops)
        takes = self.times[sql] * (1 if known else 10)
        self.stops.append((sql, takes, takes > seconds))
        return Timed(min(takes, seconds), stopped=takes > seconds)


def test_a_very_short_query_s_candidate_is_not_judged_by_its_first_run_alone() -> None:
    server = Cold(times={"good": 0.002, "bad": 0.03})
    runs = Runs("o", None, 0.01, server, Settings(measure="run"))
    worth, idle = runs.sift([Candidate(sql, cost=1.0) for sql in server.times], Deadline.after(10.0))
    assert ([c.sql for c in worth], [c.sql for c in idle]) == (["good"], ["bad"])
    assert [sql for sql, _, _ in server.stops] == ["good", "good", "bad", "bad"]


def test_short_queries_are_run_once_each() -> None:
    worth, idle, server, _runs = sifted(0.8, {"a": 0.9, "b": 0.5, "c": 0.6})
    assert (worth, idle) == (["b", "c"], ["a"])
    assert [sql for sql, _, _ in server.stops] == ["a", "b", "c"]


def test_a_good_one_behind_several_slow_ones_is_run_though_time_is_short() -> None:
    """The original takes 1.4 s and all candidates together more than there is: each is run briefly first."""
    worth, idle, server, _runs = sifted(
        1.4, {"a": 1.3, "b": 1.4, "c": 1.5, "d": 1.5, "good": 0.02}, seconds=6.0
    )
    assert worth[0] == "good"
    assert idle == []
    assert server.now < 1.0


def test_what_there_was_no_time_for_is_not_said_to_be_slow() -> None:
    worth, idle, _server, runs = sifted(40.0, {"a": 39.0, "b": 38.0, "c": 37.0}, seconds=20.0)
    assert sorted(worth) == ["a", "b", "c"]
    assert idle == []
    assert not any(runs.as_slow_as_the_original(Candidate(sql)) for sql in "abc")


@pytest.mark.parametrize(("limit", "again"), [(30.0, True), (2.6, True), (2.5, False), (1.0, False)])
def test_one_that_was_stopped_early_may_run_longer(limit: float, again: bool) -> None:
    _worth, _idle, _server, runs = sifted(40.0, {"slow": 30.0, "fast": 2.0})
    assert runs.wants_run(Candidate("slow", cost=1.0), limit) is again


def test_each_kind_has_its_turn_before_the_second_of_one() -> None:
    """Where there is not time for all, the many that came by one rule must not take it from the one of
    another.
    """
    server = Clocked(times={"a1": 40.0, "a2": 40.0, "a3": 40.0, "a4": 40.0, "b": 9.0})
    runs = Runs("o", None, 40.0, server, Settings(measure="run", run_timeout=1000.0))
    candidates = [
        Candidate(sql, (Step("inline_cte" if sql == "b" else "filter_cte", "", "cte"),), cost=1.0)
        for sql in server.times
    ]
    worth, _idle = runs.sift(candidates, Deadline.after(100.0, lambda: server.now))
    assert worth[0] == candidates[-1]


def test_what_shares_least_with_those_that_ran_has_its_turn_first() -> None:
    """Steps that are added to a slow one are not another kind of it."""
    chains = {
        "lateral": ("extreme", "lateral"),
        "lateral and more": ("extreme", "lateral", "semijoin"),
        "lateral and a product": ("extreme", "lateral", "product"),
        "grouped": ("extreme", "unnest"),
    }
    server = Clocked(times={sql: 9.0 if sql == "grouped" else 40.0 for sql in chains})
    runs = Runs("o", None, 40.0, server, Settings(measure="run", run_timeout=1000.0))
    candidates = [
        Candidate(sql, tuple(Step(name, "", "cte") for name in names), cost=1.0)
        for sql, names in chains.items()
    ]
    runs.sift(candidates, Deadline.after(100.0, lambda: server.now))
    assert [sql for sql, _, _ in server.stops[:2]] == ["lateral", "grouped"]


def test_steps_that_gain_nothing_but_noise_are_not_proved_first() -> None:
    server = Clocked(times={"two steps": 0.100, "one step": 0.115, "slower": 0.180})
    runs = Runs("o", None, 2.0, server, Settings(measure="run", run_timeout=1000.0))
    step = Step("unnest", "", "join")
    candidates = [Candidate(sql, (step, step) if sql == "two steps" else (step,)) for sql in server.times]
    worth, _idle = runs.sift(candidates, Deadline.after(100.0, lambda: server.now))
    assert [c.sql for c in worth] == ["one step", "two steps", "slower"]


def test_one_that_the_server_refuses_is_not_asked_again() -> None:
    server = Clocked(times={"a": 30.0, "b": 30.0})
    measure = server.measure

    def refuse(sql: str, seconds: float) -> Timed:
        if sql == "a":
            server.stops.append((sql, 0.0, False))
            raise DatabaseError("42601", "no")
        return measure(sql, seconds)

    server.measure = refuse  # type: ignore[method-assign]
    runs = Runs("o", None, 40.0, server, Settings(measure="run", run_timeout=1000.0))
    a, b = Candidate("a", cost=1.0), Candidate("b", cost=1.0)
    assert runs.sift([a, b], Deadline.after(1000.0, lambda: server.now)) == ([b], [a])
    assert [sql for sql, _, _ in server.stops].count("a") == 1


@pytest.mark.parametrize("state", ["57014", "55P03", "08006"])
def test_one_that_a_busy_server_did_not_run_is_run_again(state: str) -> None:
    """A statement cancelled before it began, or a lost connection, does not refuse the text."""
    server = Clocked(times={"a": 1.0, "b": 30.0})
    measure, failures = server.measure, [DatabaseError(state, "not now")]

    def busy(sql: str, seconds: float) -> Timed:
        if sql == "a" and failures:
            raise failures.pop()
        return measure(sql, seconds)

    server.measure = busy  # type: ignore[method-assign]
    runs = Runs("o", None, 40.0, server, Settings(measure="run", run_timeout=1000.0))
    a, b = Candidate("a", cost=1.0), Candidate("b", cost=1.0)
    worth, idle = runs.sift([a, b], Deadline.after(1000.0, lambda: server.now))
    assert (worth[0], idle) == (a, [])


def test_a_rung_whose_cancellation_came_late_does_not_count_beside_a_run_that_ended() -> None:
    server = Clocked(times={"late": 1.2})
    runs = Runs("o", None, 10.0, server, Settings(measure="run", run_timeout=1000.0))
    deadline, late = Deadline.after(1000.0, lambda: server.now), Candidate("late", cost=1.0)
    server.measure = lambda sql, seconds: Timed(1.9, stopped=True)  # type: ignore[method-assign]
    assert runs.run(late, 0.625, deadline)
    assert runs.of(late) == [Timed(0.625, stopped=True)]
    assert runs.wants_run(late, 2.5)
    server.measure = lambda sql, seconds: Timed(1.2)  # type: ignore[method-assign]
    assert runs.run(late, 2.5, deadline)
    assert runs.of(late) == [Timed(1.2)]


@pytest.mark.parametrize(("measure", "timeout"), [("run", 1000.0), ("both", 3.0)])
def test_what_was_seen_under_load_yields_to_a_run_beside_the_candidate(measure: str, timeout: float) -> None:
    """Others saw 4 s on a busy server; here the original takes 1 s, and the candidate as much. Where both are
    run, what was seen so slow is not run for its own sake.
    """
    server = Clocked(times={"o": 1.0, "c": 1.0})
    runs = Runs("o", None, 4.0, server, Settings(measure=measure, run_timeout=timeout))
    runs.run_original(Deadline.after(1000.0, lambda: server.now))
    assert runs.original == []
    deadline, candidate = Deadline.after(1000.0, lambda: server.now), Candidate("c", cost=1.0)
    runs.run(candidate, 4.0, deadline)
    runs.run_rival(candidate, deadline)
    assert not runs.lost
    assert runs.seconds_before() == 1.0
    server.times["c"] = 0.2
    faster = Candidate("c", cost=2.0)
    runs.of(faster).clear()
    runs.run(faster, 4.0, deadline)
    runs.run_rival(faster, deadline)
    assert runs.lost
    assert server.stops[-1] == ("o", pytest.approx(0.2 / 0.9 + 0.05), True)
