"""What a backend is kept waiting does not count against a run's limit."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from rewright.engines.postgres.cpu import Meter

BACKEND, PARENT = 100, 50
LIMIT = 0.1


def kernel(folder: Path) -> Path:
    """/proc of a backend and its parent; the file that says what the backend used and how long it waited."""
    tasks = folder / str(BACKEND) / "task" / str(BACKEND)
    tasks.mkdir(parents=True)
    (folder / str(BACKEND) / "comm").write_text("postgres\n")
    (folder / str(BACKEND) / "stat").write_text(f"{BACKEND} (postgres) R {PARENT} 0\n")
    parent = folder / str(PARENT) / "task" / str(PARENT)
    parent.mkdir(parents=True)
    (parent / "children").write_text(f"{BACKEND} ")
    says = tasks / "schedstat"
    says.write_text("0 0 1\n")
    return says


def test_a_backend_that_has_a_processor_is_stopped_once_at_its_limit(tmp_path: Path) -> None:
    kernel(tmp_path)
    stopped = threading.Semaphore(0)
    began = time.perf_counter()
    with Meter(BACKEND, proc=tmp_path, limit=LIMIT, stop=stopped.release):
        assert stopped.acquire(timeout=20)
        assert time.perf_counter() - began >= LIMIT
        assert not stopped.acquire(timeout=LIMIT)


def test_a_backend_that_is_kept_waiting_is_not(tmp_path: Path) -> None:
    says = kernel(tmp_path)
    stopped = threading.Semaphore(0)
    with Meter(BACKEND, proc=tmp_path, limit=LIMIT, stop=stopped.release):
        # ready to run all the time, and without a processor
        says.write_text(f"0 {int(3600e9)} 1\n")
        assert not stopped.acquire(timeout=4 * LIMIT)


def test_without_a_limit_nothing_is_stopped(tmp_path: Path) -> None:
    kernel(tmp_path)
    stopped = threading.Semaphore(0)
    with Meter(BACKEND, proc=tmp_path, stop=stopped.release):
        assert not stopped.acquire(timeout=LIMIT)
