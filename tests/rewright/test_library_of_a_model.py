"""The library of a model holds no job back: workers import it when there is none."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest

from rewright.config.model import Config
from rewright.processes import optimiser
from rewright.processes.jobs import job_of
from rewright.store.api import open_store
from rewright.wiring import modelling
from tests.rewright.test_wiring import SLOW


def test_a_worker_takes_the_jobs_that_wait_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    stop = threading.Event()

    jobs = [job_of(SLOW), job_of(SLOW)]

    class Inbox:
        def get(self, seconds: float) -> Any:
            del seconds
            if not jobs and "import" in done:
                stop.set()
            return jobs.pop() if jobs else None

    def importing(model: object) -> threading.Thread:
        del model
        done.append("import")
        return threading.current_thread()

    monkeypatch.setattr(modelling, "warming", importing)
    monkeypatch.setattr(optimiser, "_stop", stop)
    process = optimiser._Optimiser(Config(), str(tmp_path / "jobs"), multiprocessing.Pipe()[0])
    monkeypatch.setattr(process, "inbox", Inbox())
    monkeypatch.setattr(process, "_one", lambda *_: done.append("job"))
    monkeypatch.setattr(optimiser, "tidy", lambda: None)
    with open_store(str(tmp_path / "store.db")) as store:
        process._work(store)
    assert done == ["job", "job", "import"]
