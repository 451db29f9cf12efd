"""Limits over several processes: exact, whoever is killed, and whichever way they change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewright.proxy.places import Places
from tests.proxy.waiting import Stopwatch

WORKER = """
import sys
from pathlib import Path
from rewright.proxy.places import Places
places, held = Places(), {}
places.open(Path(sys.argv[1]))
for line in sys.stdin:
    what, kind, name, number = line.split()
    if what == "take":
        found = places.take(kind, name, int(number))
        print(found or 0, flush=True)
    elif what == "give":
        places.give(kind, name, int(number))
        print(0, flush=True)
    else:
        places.relimit(lambda *_: int(number))
        places.settle()
        print(places.held(kind, name), flush=True)
"""


class Worker:
    """A process with places of its own, for locks are a process's."""

    def __init__(self, directory: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.taken: list[int] = []

    def ask(self, what: str, number: int, name: str = "joe") -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what} role {name} {number}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def take(self, limit: int, name: str = "joe") -> bool:
        number = self.ask("take", limit, name)
        if number:
            self.taken.append(number)
        return number > 0

    def give(self) -> None:
        self.ask("give", self.taken.pop())

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    made = [Worker(tmp_path / "run") for _ in range(3)]
    yield made
    for one in made:
        one.end()


def test_a_limit_is_everybodys(workers: list[Worker]) -> None:
    _, two, three = workers
    got = [worker.take(7) for _ in range(5) for worker in workers]
    assert sum(got) == 7
    assert two.ask("take", 7, "somebody") > 0
    two.give()
    three.give()
    # two places are free again, whoever asks
    assert sum([worker.take(7) for worker in workers]) == 2


def test_what_a_killed_worker_had_is_free(workers: list[Worker]) -> None:
    one, two, three = workers
    assert [two.take(6) for _ in range(4)] == [True] * 4
    assert [one.take(6) for _ in range(4)] == [True, True, False, False]
    two.process.kill()
    two.process.wait()
    assert [three.take(6) for _ in range(6)] == [True] * 4 + [False] * 2


def test_a_limit_that_is_lowered_and_raised(workers: list[Worker]) -> None:
    one, two, three = workers
    assert all(worker.take(0) for worker in (one, one, two, two, two))
    for worker in workers:
        worker.ask("limit", 3)
    assert not any(worker.take(3) for worker in workers)  # there are five
    two.give()
    two.give()
    for worker in workers:
        worker.ask("limit", 3)
    assert not any(worker.take(3) for worker in workers)  # and now three
    one.give()
    for worker in workers:
        worker.ask("limit", 3)
    assert three.take(3)
    assert [three.take(5) for _ in range(3)] == [True, True, False]


def test_a_full_house_is_quick_to_say_so(workers: list[Worker]) -> None:
    one, two, _ = workers
    assert all(one.take(2000) for _ in range(1000))
    assert all(two.take(2000) for _ in range(1000))
    with Stopwatch() as watch:
        assert not any(two.take(2000) for _ in range(100))
    assert watch.seconds < 5


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["take", "give", "limit"]), st.integers(0, 5)), max_size=40))
def test_one_worker_by_itself(steps: list[tuple[str, int]]) -> None:
    """The same with no directory: never more than the limit of that moment lets in."""
    places, held, limit = Places(), list[int](), 0
    for what, number in steps:
        if what == "take":
            found = places.take("role", "joe", limit)
            assert (found is not None) == (not limit or len(held) < limit)
            held += [found] if found is not None else []
        elif what == "give" and held:
            places.give("role", "joe", held.pop(number % len(held)))
        elif what == "limit":
            limit = number
            places.relimit(lambda *_, limit=limit: limit)
        assert places.held("role", "joe") == len(held)
