"""A lake whose files change while it is asked: who waits how long, and for what."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.wiring import lake_renewal, lake_threads
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
