"""The stopwatch that tests hold promises in seconds against."""

from __future__ import annotations

import time

from tests.proxy.waiting import Stopwatch


def test_a_stopwatch_does_not_forgive_waiting() -> None:
    """What sleeps, or waits for somebody, takes its time on any machine; a factor of two is the measure's own."""
    with Stopwatch() as watch:
        time.sleep(1.0)
    assert 0.0 < watch.seconds <= 1.0 + 1.0
    assert watch._took / watch._expected >= 1.0


def test_a_stopwatch_forgives_what_the_machine_takes() -> None:
    watch = Stopwatch()
    watch._began, watch._took, watch._expected = time.monotonic() - 10, 5.0, 1.0
    watch._tick = lambda: None  # type: ignore[method-assign]
    watch.__enter__()
    watch._began -= 10
    watch.__exit__()
    assert 1.9 < watch.seconds < 2.5
