"""One process in which a lake's statements run: asking, interrupting and killing it.

Must not know how many there are, or for whom it works.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rewright import logs
from rewright.processes.framed import HEAD, Failed, framed
from rewright.proxy.ports import SqlError

log = logs.logger()
_GRACE_SECONDS = 0.3
"""What an interrupt is given to work, before the process is killed."""
# of 19: below everything that does not ask for so little itself
_NICENESS = 15
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Runner:
    """One process. It answers one request at a time."""

    def __init__(self, process: Any, requests: socket.socket, control: socket.socket) -> None:
        self._process = process
        self._requests = requests
        self._control = control
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.incomplete = False
        self.generation = 0
        self.killed_for = ""
        self.busy = False
        self.lent = False
        self.since = 0.0
        self.is_behind = False
        self._settling: asyncio.Task[None] | None = None
        self.ended = False

    @property
    def pid(self) -> int:
        pid: int = self._process.pid
        return pid

    async def open(self) -> None:
        """Wait until its lake is open. Raises SqlError."""
        from rewright.processes.lake_runner import Opened

        # a line may be a whole portion of rows: 1 MiB before the reader stops
        self._reader, self._writer = await asyncio.open_connection(sock=self._requests, limit=1 << 20)
        opened = await self._answer()
        assert isinstance(opened, Opened)
        self.incomplete = opened.incomplete

    async def ask(self, request: object, seconds: float) -> Any:
        """Its answer. Cancelled, or late, it is interrupted, and killed if that does not help at once. Raises
        SqlError.
        """
        assert self._writer is not None
        self.busy = True
        self.since = time.monotonic()
        self.is_behind = False
        self._writer.write(framed(request))
        answer = asyncio.ensure_future(self._answer())
        try:
            done, _ = await asyncio.wait({answer}, timeout=max(0.0, seconds))
        # the client went, or cancelled: the process has not noticed yet
        except asyncio.CancelledError:
            self._abandon(answer)
            raise
        if not done:
            self._abandon(answer)
            raise SqlError("57014", "canceling statement due to the time limit for statements on a lake")
        self.busy = False
        return answer.result()

    def _abandon(self, answer: asyncio.Future[Any]) -> None:
        """It may answer within a moment, and go on; else it is killed."""
        self.interrupt()
        # an exception that nobody retrieves would be logged when the future is collected
        answer.add_done_callback(_retrieved)
        task = asyncio.get_running_loop().create_task(self._settle(answer), name="lake statement's end")
        # tasks that nobody refers to may be collected while they run
        _settling.add(task)
        task.add_done_callback(_settling.discard)
        self._settling = task

    async def settled(self) -> None:
        """Wait until what was interrupted has come to its end, one way or the other."""
        if self._settling is not None:
            await asyncio.wait({self._settling})

    async def _settle(self, answer: asyncio.Future[Any]) -> None:
        done, _ = await asyncio.wait({answer}, timeout=_GRACE_SECONDS)
        if not done:
            # a statement that does not react to an interrupt is inside of one of DuckDB's operators
            self.kill("cancelled")
            # killed, it answers by the end of its socket
            await asyncio.wait({answer})
        self.busy = False

    async def _answer(self) -> Any:
        assert self._reader is not None
        try:
            size = HEAD.unpack(await self._reader.readexactly(HEAD.size))[0]
            found = pickle.loads(await self._reader.readexactly(size))  # noqa: S301 - our own process's
        # the process died: of memory, a kill, or a fault
        except (asyncio.IncompleteReadError, OSError) as error:
            self.end()
            raise self._gone() from error
        if isinstance(found, Failed):
            raise SqlError(found.sqlstate, found.message, hint=found.hint)
        return found

    def _gone(self) -> SqlError:
        if self.killed_for == "memory":
            return SqlError(
                "53200",
                "out of memory",
                hint="The statement needed more memory than statements on a lake may use.",
            )
        if self.killed_for == "cancelled":
            return SqlError("57014", "canceling statement due to user request")
        return SqlError("58000", "the process that ran the statement ended unexpectedly")

    def interrupt(self) -> None:
        # the control socket is read by a thread of the process, also while a statement runs
        with suppress(OSError):
            self._control.send(b"i")

    def go_behind(self) -> None:
        """What the process works on gets the processor when others leave it; its next statement has a thread
        of its own again.
        """
        self.is_behind = True
        with suppress(OSError):
            for thread in Path(f"/proc/{self.pid}/task").iterdir():
                # threads of the process but its first, which reads requests
                if int(thread.name) != self.pid:
                    os.setpriority(os.PRIO_PROCESS, int(thread.name), _NICENESS)

    def kill(self, reason: str) -> None:
        if not self.ended and not self.killed_for:
            self.killed_for = reason
            log.info("lake.runner_killed", pid=self.pid, reason=reason)
            self._process.kill()

    def end(self) -> None:
        """It gets no more requests; what it does is not wanted."""
        if self.ended:
            return
        self.ended = True
        self._process.kill()
        self._control.close()
        if self._writer is not None:
            self._writer.close()
        else:  # before open() the socket is no stream yet
            self._requests.close()
        # so that it is no zombie: the kernel keeps its exit status until join(), which waits
        asyncio.get_running_loop().run_in_executor(None, self._process.join)

    def held(self) -> int:
        """Bytes of its own (Linux; elsewhere DuckDB's limit alone counts)."""
        try:
            _, resident, shared, *_ = Path(f"/proc/{self.pid}/statm").read_text().split()
        except (OSError, ValueError):
            return 0
        # pages that copies of the fork server share belong to none of them
        return (int(resident) - int(shared)) * _PAGE


def _retrieved(answer: asyncio.Future[Any]) -> None:
    # reading the exception marks it as seen
    answer.cancelled() or answer.exception()


_settling: set[asyncio.Task[None]] = set()
