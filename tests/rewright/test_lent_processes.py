"""Processes to which a session is lent: a start that fails keeps nobody else waiting, and no place is lost."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Any

import pytest

from rewright.config.model import Config
from rewright.proxy.ports import SqlError
from rewright.wiring import lent_processes
from rewright.wiring.lent_processes import Bounds, LentProcesses

USER = ("db", "someone")
TOO_MANY = SqlError("53300", "too many")


class Child:
    """A process; the first one cannot be started, and says so once ``gate`` is open."""

    pid = 1

    def __init__(self, gate: Any, fails: bool) -> None:
        self._gate = gate
        self._fails = fails

    def start(self) -> None:
        if self._fails:
            assert self._gate.wait(30)
            raise OSError(errno.EMFILE, "no descriptors")

    def kill(self) -> None:
        pass

    def join(self) -> None:
        pass


class Readers(LentProcesses):
    name = "reader"
    keeps = True

    @property
    def bounds(self) -> Bounds:
        late = SqlError("57014", "too late")
        return Bounds(1, 1, 60.0, TOO_MANY, SqlError("53300", "none is free"), late)

    def main(self) -> Callable[..., None]:
        return print

    def started(self, pid: int | None) -> None:
        pass

    def failed(self) -> SqlError:
        return SqlError("58000", "it ended")


def test_a_start_that_fails_frees_its_place_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    gate = threading.Event()
    children = iter([Child(gate, True), Child(gate, False)])
    monkeypatch.setattr(lent_processes, "new_child", lambda *_, **__: next(children))
    monkeypatch.setattr(lent_processes, "_PATIENCE", 20.0)

    async def run() -> None:
        readers = Readers(Config())
        first = asyncio.create_task(readers.take())
        await asyncio.sleep(0)
        second = asyncio.create_task(readers.take())
        await asyncio.sleep(0.05)
        gate.set()
        with pytest.raises(SqlError, match="no reader can be started: no descriptors"):
            await first
        async with asyncio.timeout(10):
            process = await second
        assert process in readers._all
        readers.close()
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(run())


def test_work_that_ends_in_the_moment_of_an_answer_gives_its_place_back() -> None:
    async def run() -> None:
        readers = Readers(Config())
        work: Any = readers.converse(USER, object, lambda found: found, None)
        with pytest.raises(SqlError, match="too many"):
            readers.converse(USER, object, lambda found: found, None)
        answering = asyncio.create_task(work._exchange(b"select 1"))
        await asyncio.sleep(0)
        (answer,) = work._unanswered
        answer.set_result(b"1")
        # before the loop has told anybody of the answer
        work.close()
        assert await answering == b"1"
        readers.converse(USER, object, lambda found: found, None).close()

    asyncio.run(run())
