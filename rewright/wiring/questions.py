"""The processes of a worker that read questions, and what one user may have of them.

Owns starting, lending, killing them; and how a question's outcome becomes a query, rows or an error for the
proxy. Must not know the wire, or how a question is read.
docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import shutil
import socket
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from rewright.config.model import Config
from rewright.processes.framed import HEAD, framed
from rewright.proxy.answers.questions import Question
from rewright.proxy.ports import SessionView, SqlError
from rewright.proxy.serving.asking_ports import Conversation, Lent, Step, ToServer
from rewright.wiring.lending import PORT, Lender
from rewright.wiring.questions_told import step_of

if TYPE_CHECKING:
    from rewright.processes.question_reader import Read

log = structlog.get_logger(__name__)
_PATIENCE = 30.0
"""Seconds that a question waits for a process."""


class ReaderProcess:
    """One process. It reads one question at a time."""

    def __init__(self, process: Any, requests: socket.socket, lender: Lender, config: Config) -> None:
        self._process = process
        self._requests = requests
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.lender = lender
        self.config = config
        self.ended = False

    async def ask(self, request: Read) -> Any:
        """Its answer. Raises SqlError when it ends without one."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(sock=self._requests, limit=1 << 20)
        try:
            self._writer.write(framed(request))
            await self._writer.drain()
            size = HEAD.unpack(await self._reader.readexactly(HEAD.size))[0]
            return pickle.loads(await self._reader.readexactly(size))  # noqa: S301 - our own process's
        except (asyncio.IncompleteReadError, OSError) as error:
            self.end()
            raise SqlError("58000", "the process that read the question ended unexpectedly") from error

    def end(self) -> None:
        if self.ended:
            return
        self.ended = True
        self._process.kill()
        self.lender.close()
        if self._writer is not None:
            self._writer.close()
        else:
            self._requests.close()
        asyncio.get_running_loop().run_in_executor(None, self._buried)

    def _buried(self) -> None:
        self._process.join()
        shutil.rmtree(self.lender.directory, ignore_errors=True)


class Questions:
    """The proxy's ``Asker``. Processes are started when they are first needed, and with another [ask] or
    [models] anew.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._context = multiprocessing.get_context("spawn")
        self._idle: list[ReaderProcess] = []
        self._all: set[ReaderProcess] = set()
        self._held: Counter[tuple[str, str]] = Counter()
        self._free = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def reload(self, config: Config) -> None:
        """What is being read goes on as it began."""
        self._config = config
        for process in self._idle:
            self._forget(process)
        self._idle.clear()

    def close(self) -> None:
        self._closed = True
        for process in list(self._all):
            self._forget(process)

    def begin(
        self, question: Question, session: SessionView, lent: Lent | None, history: object
    ) -> Conversation:
        """Raises SqlError: this user has as many questions read as one may."""
        user = (session.database, session.role)
        if self._held[user] >= self._config.ask.per_user:
            raise SqlError("53400", "too many questions of this user are being read", hint="[ask] per_user")
        self._held[user] += 1
        return _Reading(self, user, question, session, lent, history)

    # --- lending --------------------------------------------------------------------------------------

    async def take(self) -> ReaderProcess:
        """A process for one question. Raises SqlError when none gets free."""
        try:
            async with asyncio.timeout(_PATIENCE), self._free:
                await self._free.wait_for(
                    lambda: bool(self._idle) or len(self._all) < self._config.ask.processes
                )
                if self._idle:
                    return self._idle.pop()
                process = self._start()
        except TimeoutError:
            raise SqlError("53300", "too many questions are being read", hint="[ask] processes") from None
        except OSError as error:
            raise SqlError("58030", f"no question can be read: {error.strerror}") from error
        try:
            await process.lender.open()
        except OSError as error:
            self._forget(process)
            raise SqlError("58030", f"no question can be read: {error.strerror}") from error
        return process

    def _start(self) -> ReaderProcess:
        from rewright.processes.question_reader import ReaderSetup, main

        directory = Path(tempfile.mkdtemp(prefix="rewright-"))  # for this user alone
        ours, theirs = socket.socketpair()
        setup = ReaderSetup(self._config, str(directory), PORT)
        process = self._context.Process(target=main, args=(setup, theirs), name="question reader")
        process.start()
        theirs.close()
        ours.setblocking(False)
        started = ReaderProcess(process, ours, Lender(directory), self._config)
        self._all.add(started)
        log.info("ask.reader_started", pid=process.pid)
        return started

    def over(self, user: tuple[str, str], process: ReaderProcess | None, *, usable: bool) -> None:
        """A question is read, or not wanted any more; then what its process does is not wanted either."""
        self._held[user] -= 1
        if self._held[user] <= 0:
            del self._held[user]
        if process is None:
            return
        process.lender.take_back()
        if usable and not (process.ended or self._closed) and process.config is self._config:
            self._idle.append(process)
        else:
            self._forget(process)
        task = asyncio.get_running_loop().create_task(self._wake(), name="question reader free")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake(self) -> None:
        async with self._free:
            self._free.notify()

    def _forget(self, process: ReaderProcess) -> None:
        self._all.discard(process)
        process.end()

    @property
    def config(self) -> Config:
        return self._config


class _Reading:
    """One question (``rewright.proxy.serving.asking_ports.Conversation``)."""

    def __init__(
        self,
        questions: Questions,
        user: tuple[str, str],
        question: Question,
        session: SessionView,
        lent: Lent | None,
        history: object,
    ) -> None:
        self._questions = questions
        self._user = user
        self._question = question
        self._session = session
        self._lent = lent
        self._history = history
        self._process: ReaderProcess | None = None
        self._answer: asyncio.Task[Any] | None = None
        self._cycles: asyncio.Queue[tuple[bytes, asyncio.Future[bytes]]] = asyncio.Queue()
        self._waiting: asyncio.Future[bytes] | None = None
        self._unanswered: set[asyncio.Future[bytes]] = set()
        self._until = asyncio.get_running_loop().time() + (questions.config.ask.read_timeout or 1e9)
        self._open = True

    async def next(self, reply: bytes | None = None) -> Step:
        try:
            async with asyncio.timeout_at(self._until):
                return await self._next(reply)
        except TimeoutError:
            raise SqlError(
                "57014",
                "canceling statement due to the time that reading a question may take",
                hint="[ask] read_timeout",
            ) from None

    async def _next(self, reply: bytes | None) -> Step:
        if self._answer is None:
            await self._begin()
        elif self._waiting is not None and reply is not None and not self._waiting.done():
            self._waiting.set_result(reply)
        assert self._answer is not None
        cycle = asyncio.ensure_future(self._cycles.get())
        try:
            await asyncio.wait({cycle, self._answer}, return_when=asyncio.FIRST_COMPLETED)
            if cycle.done():
                data, self._waiting = cycle.result()
                return ToServer(data)
        finally:
            cycle.cancel()
        return step_of(self._answer.result(), self._question, self._questions.config.ask)

    async def _begin(self) -> None:
        from rewright.ask.sessions import Before, Wanted
        from rewright.processes.question_reader import Read

        self._process = await self._questions.take()
        if self._lent is not None:
            self._process.lender.lend(self._lent, self._exchange)
        asked = self._question
        request = Read(
            Wanted(asked.text, asked.explain, asked.choose, asked.using, asked.learn),
            self._session.database,
            self._session.role,
            self._session.application_name,
            self._lent is None,
            self._session.settings.model,
            self._history if isinstance(self._history, Before) else Before(),
        )
        self._answer = asyncio.get_running_loop().create_task(
            self._process.ask(request), name="reading a question"
        )

    async def _exchange(self, data: bytes) -> bytes:
        """What the process wants of the server, by way of the client's session."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._unanswered.add(answer)
        answer.add_done_callback(self._unanswered.discard)
        await self._cycles.put((data, answer))
        return await answer

    def close(self) -> None:
        if not self._open:
            return
        self._open = False
        usable = self._answer is not None and self._answer.done() and not self._answer.cancelled()
        if self._answer is not None and not self._answer.done():
            self._answer.cancel()
        if usable and self._answer is not None:
            usable = self._answer.exception() is None
        for answer in list(self._unanswered):
            answer.set_exception(OSError("the question is over"))
        with suppress(RuntimeError):
            self._questions.over(self._user, self._process, usable=usable)
