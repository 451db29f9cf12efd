"""Ending a session of whichever worker: only the one that was meant, with what the
server itself would say.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.cancel import EndRequest
from rewright.proxy.config import ListenConfig
from rewright.proxy.ports import Ports
from rewright.proxy.wire.startup import CancelRequest
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports


@pytest.fixture
def workers(scratch_server: ScratchServer, database: str, tmp_path: Path) -> Iterator[list[RunningProxy]]:
    dsn = scratch_server.dsn(database)

    def worker(number: int, port: int) -> RunningProxy:
        listen = ListenConfig(port=port, workers=2, run_dir=str(tmp_path))
        return RunningProxy(config(dsn, listen=listen), Ports(reporter=Reports()), name=f"worker-{number}")

    with worker(0, 0) as first, worker(1, first.port) as second:
        yield [first, second]


def kill(worker: RunningProxy, pid: int, database: str) -> bool:
    asked = asyncio.run_coroutine_threadsafe(worker.proxy.kill(pid, database), worker.loop)
    return asked.result(20)


@pytest.mark.server
def test_a_session_of_any_worker_is_ended(
    workers: list[RunningProxy], scratch_server: ScratchServer, database: str
) -> None:
    password = scratch_server.address.passwords["postgres"]
    dsn = f"postgresql://postgres:{password}@127.0.0.1:{workers[0].port}/{database}"
    sessions = [psycopg.connect(dsn, autocommit=True) for _ in range(8)]
    kept, *others = sessions
    for number, session in enumerate(others):
        asked = workers[number % 2]
        assert not kill(asked, session.info.backend_pid, "another")
        assert kill(asked, session.info.backend_pid, database)
        with pytest.raises(psycopg.OperationalError) as caught:
            session.execute("select 1")
        assert caught.value.sqlstate in {None, "57P01"}
        assert "administrator command" in str(caught.value)
        assert not kill(asked, session.info.backend_pid, database)
    assert kept.execute("select 1").fetchone() == (1,)
    kept.close()


@pytest.mark.server
def test_what_runs_is_stopped_on_the_server(
    workers: list[RunningProxy], scratch_server: ScratchServer, database: str
) -> None:
    password = scratch_server.address.passwords["postgres"]
    dsn = f"postgresql://postgres:{password}@127.0.0.1:{workers[0].port}/{database}"
    failed: list[Any] = []

    def sleep(session: psycopg.Connection[Any]) -> None:
        try:
            session.execute("select pg_sleep(60)")
        except psycopg.Error as error:
            failed.append(error)

    gone = "select count(*) from pg_stat_activity where pid = %s"
    running = f"{gone} and query like '%%pg_sleep%%' and state = 'active'"
    with (
        psycopg.connect(scratch_server.dsn(database), autocommit=True) as direct,
        psycopg.connect(dsn, autocommit=True) as busy,
    ):
        pid = busy.info.backend_pid
        thread = threading.Thread(target=sleep, args=(busy,))
        thread.start()
        while direct.execute(running, [pid]).fetchone() != (1,):
            pass
        assert kill(workers[0], pid, database)
        thread.join(20)
        assert "administrator command" in str(failed)
        while direct.execute(gone, [pid]).fetchone() != (0,):
            pass


def test_the_word_between_workers() -> None:
    request = EndRequest(2**31 - 1, "größe")
    assert EndRequest.decode(request.encode()) == request
    assert EndRequest.decode(CancelRequest(7, b"1234").encode()) is None
    assert EndRequest.decode(CancelRequest(7, b"12345678").encode()) is None
