"""What the supervisor does about children that do not come up, and configurations that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.config.model import Config, Listen, Serve
from rewright.processes import supervisor as module
from rewright.processes.supervisor import ServeFailed, Supervisor
from tests.proxy.waiting import Stopwatch

WRONG_END = 7


def end_at_once(*_arguments: object) -> None:
    """In place of a worker's main function, in its process."""
    os._exit(WRONG_END)


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    def unreadable() -> Config:
        raise RuntimeError("no home directory")

    config = Config(listen=Listen(address=("127.0.0.1", 0)), serve=Serve(run_dir=str(tmp_path)))
    made = Supervisor(config, unreadable)
    yield made
    made.stop()


def test_a_worker_that_ends_at_once_is_not_waited_for(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_worker_main", end_at_once)
    with Stopwatch() as watch, pytest.raises(ServeFailed, match="worker 0 ended before it was ready"):
        supervisor.start()
    assert watch.seconds < module.START_SECONDS * 2 / 3


def test_whatever_goes_wrong_with_a_reload_the_old_configuration_stays(supervisor: Supervisor) -> None:
    before = supervisor.config
    supervisor.reload()
    assert supervisor.config is before
