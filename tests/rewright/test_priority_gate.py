"""Background work waits while a client does, and not for ever."""

from __future__ import annotations

import threading

import pytest

from rewright.rewrite.adapters.checker import Yielding
from rewright.rewrite.model import Evidence
from rewright.wiring import priority_gate
from rewright.wiring.priority_gate import PriorityGate
from tests.proxy.waiting import Stopwatch


class Noting:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        del original, seconds
        self.asked.append(candidate)
        return Evidence.of({"verdict": "unknown"})


def test_nobody_waits_for_nobody() -> None:
    with Stopwatch() as watch:
        PriorityGate().give_way()
    assert watch.seconds < priority_gate._MOST_SECONDS


def test_a_check_waits_until_the_last_client_has_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority_gate, "_MOST_SECONDS", 60.0)
    gate, inner = PriorityGate(), Noting()
    polite = Yielding(inner, gate.give_way)
    with gate.first():
        with gate.first():
            thread = threading.Thread(target=polite.check, args=("a", "b", 1.0))
            thread.start()
        thread.join(0.2)
        assert not inner.asked
    thread.join(30)
    assert inner.asked == ["b"]


def test_clients_that_follow_each_other_do_not_starve_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority_gate, "_MOST_SECONDS", 0.1)
    gate, waited = PriorityGate(), threading.Event()

    def background() -> None:
        gate.give_way()
        waited.set()

    with gate.first():
        threading.Thread(target=background, daemon=True).start()
        assert waited.wait(30)


def test_who_goes_first_does_not_wait_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority_gate, "_MOST_SECONDS", 60.0)
    gate, done = PriorityGate(), threading.Event()

    def held() -> None:
        with gate.first():
            gate.give_way()
            done.set()

    threading.Thread(target=held, daemon=True).start()
    assert done.wait(30)
