"""A clock on which waiting for a processor does not count."""

from __future__ import annotations

import threading
import time

from rewright.engines import clock


def test_sleeping_counts_as_on_the_wall() -> None:
    began = clock.now()
    time.sleep(0.2)
    assert 0.19 < clock.now() - began < 0.4


def test_what_others_waited_for_does_not_count_but_for_an_eighth() -> None:
    began = clock.now()
    time.sleep(0.2)
    clock.discount(0.15)
    assert 0.04 < clock.now() - began < 0.1
    began = clock.now()
    time.sleep(0.2)
    clock.discount(5.0)
    # more than has passed is not kept for later
    assert 0.02 < clock.now() - began < 0.06
    time.sleep(0.1)
    assert clock.now() - began > 0.1


def test_it_is_the_walls_where_somebody_waits() -> None:
    with clock.on_the_wall():
        began = clock.now()
        time.sleep(0.1)
        clock.discount(0.1)
        assert clock.now() - began >= 0.1
        assert clock.stretched(2.0) == 2.0


def test_threads_that_share_a_processor_are_given_the_work_they_were_promised() -> None:
    """More busy threads than this interpreter can run at once: each may take longer,
    and none ends too soon.
    """
    spent: list[tuple[float, float]] = []

    def work() -> None:
        until, began, cpu = clock.now() + 0.2, time.monotonic(), time.thread_time()
        while clock.now() < until:
            pass
        spent.append((time.monotonic() - began, time.thread_time() - cpu))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(0.19 < wall < 0.2 * clock.MOST + 1.0 for wall, _ in spent)
