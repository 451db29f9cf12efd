"""Who comes while a lake's process starts for somebody else does not wait for it."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import open_lake
from rewright.processes.lake_runner import Bind, Fetch, RunnerSetup
from rewright.proxy.duckdb_backend.copying import CopyEncoder, CopyOptions
from rewright.proxy.duckdb_backend.encoding import encoder_of
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.wiring.lake_answers import served
from rewright.wiring.lake_binding import Asked
from rewright.wiring.lake_runner_limits import RunnerLimits
from rewright.wiring.lake_runners import Runners
from rewright.wiring.opening import Home
from tests.fixtures.lake_server import make_files

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


_PROCESS = """
import importlib, pickle, sys
from rewright.wiring.lake_runners import PRELOADED
for name in PRELOADED:
    importlib.import_module(name)
from rewright.processes.lake_runner import Run, RunnerSetup, _Runner
setup, asked, read = pickle.loads(sys.stdin.buffer.read())
runner = _Runner(setup)
runner.open()
before = set(sys.modules)
for bind in asked:
    bound = runner.answer(bind)
    for fetch in map(pickle.loads, read):
        runner.answer(Run(bound.prepared.query, ()))
        runner.answer(fetch)
print(sorted(set(sys.modules) - before - {"mmap"}))
"""


@pytest.mark.server
def test_a_process_has_imported_what_its_first_statements_need(tmp_path: Path) -> None:
    """Else their clients wait for that, on a busy machine for most of a second."""
    make_files(tmp_path / "files")
    home, cache = Home(str(tmp_path / "files")), {"XDG_CACHE_HOME": str(tmp_path)}
    texts = ("select count(*) from cities", "select city_name from city where country_name = 'Country 3'")
    column = (ResultColumn("a", 25, -1),)
    encoders = (encoder_of(column, ()), CopyEncoder(CopyOptions(), column))
    with open_lake(home.path, catalog=tmp_path / "catalog") as lake, served(lake) as dsn:
        told = (
            RunnerSetup(home, dsn, 256 << 20, 1 << 20),
            [Bind(Asked(text, (), False, 0.0), ()) for text in texts],
            [pickle.dumps(Fetch(10, encode)) for encode in encoders],
        )
        done = subprocess.run(
            [sys.executable, "-c", _PROCESS], input=pickle.dumps(told), capture_output=True, check=False, env=os.environ | cache,
        )  # fmt: skip
    assert done.stdout.decode().strip() == "[]", done.stderr.decode()[-2000:]
