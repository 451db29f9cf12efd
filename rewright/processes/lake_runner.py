"""One process that binds and runs a lake's statements, one at a time, until it is told to end or is killed.

Owns the process's side of the conversation: requests in, replies out, an interrupt at any time. What a
statement costs (memory, time, Python's lock) is this process's; the worker that owns it bounds it by killing
it. Must not know sessions. docs/decisions/0312-lake-statements-run-in-processes-that-can-be-killed.md.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewright.config.model import Models
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.locked import Limits
from rewright.lake.api import open_lake  # noqa: F401 - imported before processes are forked from this one
from rewright.processes.framed import Failed, receive, send
from rewright.proxy.duckdb_backend import copying, encoding  # noqa: F401 - what Fetch is sent with: as open_lake
from rewright.proxy.duckdb_backend.ports import Encode
from rewright.proxy.ports import SqlError
from rewright.store.records import Resolution
from rewright.wiring.lake_augmenting import Augmentation, Augmenting
from rewright.wiring.lake_binding import Asked, Binding
from rewright.wiring.lake_explaining import Explaining, Explanation
from rewright.wiring.lake_finishing import Finishing
from rewright.wiring.lake_rows import first_line
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.lake_threads import is_incomplete
from rewright.wiring.opening import Home, opened

PORTION_BYTES = 1 << 20
"""Encoded bytes at which a portion of rows ends although more were asked for."""
_NICENESS = 2
_HELPERS_NICENESS = 10
"""For the threads that DuckDB and the language model keep: what begins goes before what others do with many
threads.
"""


@dataclass(frozen=True, slots=True)
class Bind:
    """Answer: Bound."""

    asked: Asked
    accepted: Sequence[Resolution]


@dataclass(frozen=True, slots=True)
class Run:
    """Answer: True, once it is there to be read; of an augmentation what it found."""

    query: str | Plan | Explanation | Augmentation
    parameters: Sequence[object]


@dataclass(frozen=True, slots=True)
class Fetch:
    """Answer: Portion."""

    rows: int
    encode: Encode


@dataclass(frozen=True, slots=True)
class Stop:
    """What is being read is not wanted any more. Answer: True."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The first message of the process; ``incomplete``: a database beside the lake could not be reached."""

    incomplete: bool


@dataclass(frozen=True, slots=True)
class RunnerSetup:
    """What a process needs to begin. ``row_bytes``: of one encoded row at most;
    ``memory``: bytes for DuckDB; ``models``: [models], for those statements that may ask one.
    """

    home: Home
    shadow: str
    memory: int
    row_bytes: int
    models: Models | None = None


def main(setup: RunnerSetup, requests: socket.socket, control: socket.socket) -> None:
    """The process's main function.

    The main thread only hands over. Work is done in a thread for each request, because the worker takes the
    priority away from those that work for long, which a thread cannot take back (on Linux each has its own).
    """
    bounded(setup.memory)
    runner = _Runner(setup)
    threading.Thread(target=_listen, args=(control, runner), name="interrupts", daemon=True).start()
    # opening the lake is work as well: the priority that it may lose is that thread's
    opened = _in_thread(runner.open)
    send(requests, opened)
    while not isinstance(opened, Failed) and (request := receive(requests)) is not None:
        send(requests, _in_thread(lambda request=request: runner.answer(request)))  # type: ignore[misc] # mypy cannot infer a lambda with a default


def _in_thread(work: Callable[[], object]) -> object:
    """What it returns, or the failure that it raised."""
    answer: list[object] = []

    def run() -> None:
        try:
            answer.append(work())
        except Exception as error:  # noqa: BLE001 - told to the worker
            answer.append(_failure(error))

    thread = threading.Thread(target=run, name="work")
    thread.start()
    thread.join()
    return answer[0]


def bounded(memory: int) -> None:
    """Put this process behind the relay for the processor and before it for a kernel that looks for memory,
    and bound what it can have.
    """
    with suppress(OSError):
        os.nice(_NICENESS)
    if sys.platform == "linux":
        with suppress(OSError):
            # among the first for a kernel without memory: a query can be repeated
            Path("/proc/self/oom_score_adj").write_text("500")
        # data segments hold more than DuckDB's limit counts: twice of it, and 2 GiB for Python
        most = 2 * memory + (2 << 30)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _helpers_behind() -> None:
    if sys.platform != "linux":
        return
    ours = {thread.native_id for thread in threading.enumerate()}
    for thread in Path("/proc/self/task").iterdir():
        # DuckDB's helper threads, which Python does not know
        if int(thread.name) not in ours:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), _HELPERS_NICENESS)


def _listen(control: socket.socket, runner: _Runner) -> None:
    # one byte for each interrupt; the socket's end, or its failure, is the worker's
    with suppress(OSError):
        while control.recv(1):
            runner.interrupt()
    # the worker is gone
    os._exit(0)


class _Runner:
    def __init__(self, setup: RunnerSetup) -> None:
        self._setup = setup
        self.lake: Any = None
        self._binding: Any = None
        self._reading: Reading | None = None

    def open(self) -> Opened:
        limits = Limits(memory=f"{self._setup.memory >> 20}MiB")
        self.lake = opened(self._setup.home, limits)
        shadow = Shadow(self._setup.shadow)
        shadow.begin()
        self._binding = Binding(self.lake, shadow)
        _helpers_behind()
        return Opened(is_incomplete(self.lake))

    def interrupt(self) -> None:
        if self.lake is None:
            return
        # the client may cancel between two portions, when nothing is being read
        if (reading := self._reading) is not None:
            reading.running.interrupt()
        # also what binds or loads, which is no query
        self.lake.database.interrupt()

    def answer(self, request: object) -> object:
        match request:
            case Bind(asked, accepted):
                self._binding.accept(accepted)
                return self._binding.bind(asked)
            case Run(query, parameters):
                # a request may follow one that was not read to its end
                self._stop()
                running = self._running(query)
                self._reading = Reading(running, query, parameters, self._setup.row_bytes)
                return running.search(query) if isinstance(query, Augmentation) else True
            case Fetch(rows, encode):
                if self._reading is None:
                    raise SqlError("34000", "nothing is being read")
                return self._reading.portion(rows, encode)
            case Stop():
                self._stop()
                return True
        raise SqlError("XX000", f"unknown request {request!r}")

    def _running(self, query: object) -> Any:
        # each of them is read like a query, a portion at a time
        match query:
            case Plan():
                return Finishing(self.lake.database, self._setup.shadow)
            case Explanation():
                return Explaining(self.lake.database, self._setup.shadow)
            case Augmentation():
                return Augmenting(self.lake, self._setup.models)
        return self.lake.database.query()

    def _stop(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.close()


class Reading:
    """One query that is being read. Rows become Python's a few at a time, as few as
    their size makes it wise.
    """

    def __init__(self, running: Any, query: object, parameters: Sequence[object], row_bytes: int) -> None:
        self.running = running
        self._query = query
        self._parameters = parameters
        self._row_bytes = row_bytes
        self._begun = False
        self._step = 1

    def portion(self, rows: int, encode: Encode) -> tuple[int, bytes, bool]:
        """The next rows, at most ``rows``, about a megabyte of them: how many, encoded, and whether there are
        no more.

        Raises LakeError; 54000: a row is too large.
        """
        if not self._begun:
            self._begun = True
            # not before the first rows are wanted: a portal may be bound and never executed
            self.running.begin(self._query, self._parameters)
        parts: list[bytes] = []
        count = size = 0
        # by bytes as well as rows: the worker holds a portion for each client
        while count < rows and size < PORTION_BYTES:
            wanted = min(self._step, rows - count)
            got = self.running.take(wanted)
            data = encode(got)
            # a single value may be as large as its column allows
            if len(data) > self._row_bytes:
                raise LakeError(
                    f"a row of the answer is larger than {self._row_bytes >> 20} MB", sqlstate="54000"
                )
            parts.append(data)
            count, size = count + len(got), size + len(data)
            # fewer than asked for: DuckDB has no more
            if len(got) < wanted:
                return count, b"".join(parts), True
            self._adapt(len(got), len(data))
        return count, b"".join(parts), False

    def close(self) -> None:
        self.running.close()

    def _adapt(self, rows: int, size: int) -> None:
        """Twice as many rows, while they would not be too many bytes."""
        # how many rows of that size make a portion
        fitting = PORTION_BYTES * rows // max(size, 1)
        # doubled from 1, so that a first row of megabytes is met alone
        self._step = max(1, min(2 * self._step, fitting, 1000))


def _failure(error: Exception) -> Failed:
    match error:
        case SqlError():
            return Failed(error.sqlstate, error.message, error.hint)
        case LakeError():
            return Failed(error.sqlstate, first_line(str(error)), error.hint)
        case MemoryError():
            return Failed("53200", "out of memory")
        case RecursionError():
            return Failed("54001", "the statement is nested too deeply")
    # the class only: texts of unexpected errors may hold values
    return Failed("XX000", f"internal error: {type(error).__name__}")
