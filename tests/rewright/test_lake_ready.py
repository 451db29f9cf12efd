"""Who comes while a lake's process starts for somebody else does not wait for it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from rewright.proxy.ports import SqlError
from rewright.wiring.lake_runner_limits import RunnerLimits
from rewright.wiring.lake_runners import Runners
from rewright.wiring.opening import Home

_START_SECONDS = 0.4


class _Process:
    """Stands for one that holds so many bytes."""

    lent = busy = ended = False
    killed_for = ""
    generation = 0

    def __init__(self, size: int) -> None:
        self._size = size

    def held(self) -> int:
        return self._size

    def end(self) -> None:
        self.ended = True


class _SlowToStart(Runners):
    """Its processes take long to start, as on a machine that is busy. ``useless``: they are too large to be kept."""

    def __init__(self, *, useless: bool = False, processes: int = 8, patience: float = 30.0) -> None:
        super().__init__(Home("nowhere"), "", RunnerLimits(processes=processes, patience=patience))
        self.started = 0
        self._useless = useless

    async def _renewed(self) -> None:
        pass

    async def _start(self) -> Any:
        self._starting += 1
        self.started += 1
        await asyncio.sleep(_START_SECONDS)
        self._starting -= 1
        runner: Any = _Process((1 << 40) if self._useless else 0)
        self._all.add(runner)
        return runner


async def _settled(runners: Runners) -> None:
    while tasks := set(runners._tasks):
        await asyncio.wait(tasks)


async def _ready(runners: Runners) -> None:
    runners.begin()
    await _settled(runners)


def test_a_second_user_does_not_wait_for_what_the_first_one_took() -> None:
    async def asked() -> float:
        runners = _SlowToStart()
        await _ready(runners)
        await runners._lend("ann")
        began = time.monotonic()
        await runners._lend("bob")
        waited = time.monotonic() - began
        await _settled(runners)
        return waited

    assert asyncio.run(asked()) < _START_SECONDS / 4


def test_processes_that_are_of_no_use_are_not_started_for_ever() -> None:
    async def begun() -> int:
        runners = _SlowToStart(useless=True)
        await _ready(runners)
        return runners.started

    assert asyncio.run(begun()) == 1


def test_a_first_statement_waits_for_a_process_that_starts_slowly() -> None:
    async def lent() -> bool:
        runners = _SlowToStart(patience=_START_SECONDS / 4)
        return bool((await runners._lend("ann")).lent)

    assert asyncio.run(lent())


def test_who_waits_for_the_process_that_is_being_made_ready_is_patient() -> None:
    async def lent() -> bool:
        runners = _SlowToStart(patience=_START_SECONDS / 4)
        runners.begin()
        await asyncio.sleep(0)
        found = bool((await runners._lend("ann")).lent)
        await _settled(runners)
        return found

    assert asyncio.run(lent())


def test_where_statements_have_all_processes_patience_ends() -> None:
    async def refused() -> SqlError:
        runners = _SlowToStart(processes=1, patience=0.05)
        await runners._lend("ann")
        with pytest.raises(SqlError) as told:
            await runners._lend("bob")
        assert not runners._held["bob"]
        return told.value

    assert asyncio.run(refused()).sqlstate == "53300"
