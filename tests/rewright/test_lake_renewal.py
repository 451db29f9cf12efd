"""A lake whose files change while it is asked: who waits how long, and for what."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.proxy.ports import SqlError
from rewright.wiring import lake_renewal, lake_runners, lake_threads
from rewright.wiring.lake_runner_limits import RunnerLimits
from rewright.wiring.opening import Home


class _Files:
    """Stands for the folder: what is opened is its version, when ``gate`` is open."""

    def __init__(self) -> None:
        self.version: int | LakeError = 1
        self.gate = threading.Event()
        self.gate.set()
        self.openings = 0

    def fingerprint(self, home: Home) -> str:
        del home
        return str(self.version)

    def opened(self, home: Home) -> Any:
        del home
        self.openings += 1
        version = self.version
        assert self.gate.wait(30)
        if isinstance(version, LakeError):
            raise version
        return SimpleNamespace(version=version, database=SimpleNamespace(missing={}))


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> _Files:
    found = _Files()
    for module in (lake_threads, lake_renewal):
        monkeypatch.setattr(module, "opened", found.opened)
    monkeypatch.setattr(lake_threads, "fingerprint", found.fingerprint)
    monkeypatch.setattr(lake_threads, "LOOK_SECONDS", 0.0)
    return found


@pytest.fixture
def lake(files: _Files) -> lake_threads.ThreadedLake:
    made = lake_threads.ThreadedLake(Home("nowhere"), "")
    assert made._current().lake.version == files.version
    return made


def test_a_quick_change_is_waited_for(files: _Files, lake: lake_threads.ThreadedLake) -> None:
    files.version = 2
    assert lake._current().lake.version == 2
    assert files.openings == 2


def test_a_slow_change_holds_nobody_up(
    files: _Files, lake: lake_threads.ThreadedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lake_renewal, "RENEWAL_PATIENCE", 0.05)
    files.gate.clear()
    files.version = 2
    assert [lake._current().lake.version for _ in range(3)] == [1, 1, 1]
    renewal = lake._renewal
    assert renewal is not None
    files.gate.set()
    assert renewal._done.wait(30)
    assert lake._current().lake.version == 2
    assert files.openings == 2


def test_who_fails_to_open_it_is_told_once_and_the_old_one_stays(
    files: _Files, lake: lake_threads.ThreadedLake
) -> None:
    files.version = LakeError("no such folder", sqlstate="58P01")
    with pytest.raises(LakeError, match="no such folder"):
        lake._current()
    assert lake._current().lake.version == 1
    files.version = 3
    time.sleep(0.05)  # looking at files is rested from for a while
    assert lake._current().lake.version == 3


def test_what_could_not_be_opened_is_tried_again_without_another_change(
    files: _Files, lake: lake_threads.ThreadedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed, a disk that was away: the files need not change again."""
    monkeypatch.setattr(lake_threads, "RETRY_SECONDS", 0.2)
    failures = [LakeError("out of memory", sqlstate="53200")]

    def opened(home: Home) -> Any:
        if failures:
            raise failures.pop()
        return files.opened(home)

    monkeypatch.setattr(lake_renewal, "opened", opened)
    files.version = 2
    with pytest.raises(LakeError, match="out of memory"):
        lake._current()
    assert lake._current().lake.version == 1
    time.sleep(0.3)
    assert lake._current().lake.version == 2
    assert files.openings == 2


class _NeverStarts:
    """A process for which the system has no room."""

    daemon = False

    def start(self) -> None:
        raise OSError(errno.EAGAIN, "no more processes")


def test_a_process_that_cannot_be_started_is_told_and_a_renewal_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lake_runners, "new_child", lambda *_, **__: _NeverStarts())
    failed: list[bool] = []

    async def run() -> None:
        runners = lake_runners.Runners(Home("nowhere"), "", RunnerLimits())
        with pytest.raises(SqlError, match="no more processes") as caught:
            await runners._start()
        assert caught.value.sqlstate == "58030"
        runners._watched = SimpleNamespace(failed=lambda: failed.append(True))
        await runners._renew()
        assert runners._renewal is None
        assert runners._starting == 0

    asyncio.run(run())
    assert failed == [True]
