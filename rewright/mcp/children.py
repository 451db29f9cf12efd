"""One tool call, one process: ``rewright COMMAND --json`` run beside the server, ended with the call that
asked for it, and with the server (`rewright.mcp.child`).

Owns the process, its limits and what of its output is passed on. Must not know tools. A process can be ended
in the middle of a proof or a query. The DSN goes by the environment, and what the client wrote by files or
stdin: a command line is seen by every user of the machine, and is no place for a long text.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rewright.mcp import child

MAX_TEXT = 200_000
"""Characters of one text from the client: queries and schemas are shorter."""
MAX_DOCUMENT = 2_000_000
"""Bytes of one document that are read from a command."""
MAX_ERRORS = 100_000
"""Bytes of what a command says of its failure that are kept, the last ones."""
MAX_WAIT = 60.0
"""Seconds that a call waits for others to end, before its client is told so."""


class CallFailed(Exception):
    """The command said that it could not do it; the message is meant for the client."""


class Children:
    """Runs commands, ``at_once`` of those that run queries or search, and as many of the others;
    ``environment`` is added to this process's.

    So nobody who asks for a verdict waits for somebody else's endless query.
    """

    def __init__(self, at_once: int = 4, environment: Mapping[str, str] | None = None) -> None:
        self._at_once = at_once
        self._slots = {heavy: asyncio.Semaphore(at_once) for heavy in (False, True)}
        self._environment = dict(os.environ) | dict(environment or {})
        # the loop itself holds tasks only weakly
        self._endings = set[asyncio.Task[None]]()

    async def document(
        self,
        words: Sequence[str],
        *,
        texts: Mapping[str, str] | None = None,
        told: str = "",
        seconds: float,
        module: str = "rewright",
        answers_anyway: bool = False,
        heavy: bool = False,
    ) -> Any:
        """The JSON document of ``python -m MODULE WORDS``. ``texts`` by file name: written into the directory
        that the command runs in; ``told``: what it reads from stdin.

        ``answers_anyway``: a document counts although the command says by its exit code (1) that there is no
        result. ``heavy``: it may run a query of the client's, or search, as long as it is let.

        :raises CallFailed: the command failed, took longer than ``seconds``, waited too long for others
            to end, or printed too much.
        """
        # a place first: what waits has neither files nor a process
        async with self._slot(heavy, seconds):
            with tempfile.TemporaryDirectory(prefix="rewright-mcp-") as folder:
                for name, text in (texts or {}).items():
                    (Path(folder) / name).write_bytes(_bounded(name, text))
                given = _bounded("the text", told)
                return await self._run((module, *words), folder, given, seconds, answers_anyway)

    @asynccontextmanager
    async def _slot(self, heavy: bool, seconds: float) -> AsyncIterator[None]:
        """A place among those that run. Raises CallFailed."""
        slots = self._slots[heavy]
        try:
            async with asyncio.timeout(patience := min(seconds, MAX_WAIT)):
                await slots.acquire()
        except TimeoutError as error:
            raise CallFailed(
                f"not started within {patience:g} s: {self._at_once} calls are running; cancel one, or try "
                f"later"
            ) from error
        try:
            yield
        finally:
            slots.release()

    async def _run(
        self, words: Sequence[str], folder: str, told: bytes, seconds: float, answers_anyway: bool
    ) -> Any:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", child.__name__, str(os.getpid()), *words,
            cwd=folder, env=self._environment, start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds):
                out, errors = await _conversation(process, told)
        except TimeoutError as error:
            raise CallFailed(f"stopped after {seconds:g} s") from error
        finally:
            # also when the client cancelled the call; scratch servers end with the process that started them
            await self._ended(process)
        if len(out) > MAX_DOCUMENT:
            raise CallFailed(f"the answer is larger than {MAX_DOCUMENT} bytes")
        # `ask` exits with 1 for a question it refuses, and prints why
        is_answer = answers_anyway and process.returncode == 1 and out.strip()
        if process.returncode and not is_answer:
            raise CallFailed(_last_line(errors))
        return json.loads(out)

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        """In a task of its own: where a client cancels over a real transport, each await of the call itself
        is cancelled again, and would leave a process that needs more than a signal.
        """
        ending = asyncio.create_task(_end(process), name=f"end of process {process.pid}")
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
        # the call may be cancelled a second time while it waits: the ending goes on
        await asyncio.shield(ending)


async def _conversation(process: asyncio.subprocess.Process, told: bytes) -> tuple[bytes, bytes]:
    """What it prints, once it has ended; of a document that is too large only the beginning, and it is not
    waited for: it would fill this process's memory.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    # read at the same time: a full pipe of errors would stop the command
    errors = asyncio.create_task(_last_of(process.stderr))
    try:
        with contextlib.suppress(OSError):  # it may end without reading all
            process.stdin.write(told)
            process.stdin.close()
        out = bytearray()
        while len(out) <= MAX_DOCUMENT and (part := await process.stdout.read(1 << 16)):
            out += part
        if len(out) <= MAX_DOCUMENT:
            await process.wait()
            await errors
        # of a command that was cut off no errors are waited for
        return bytes(out), errors.result() if errors.done() else b""
    finally:
        errors.cancel()


async def _last_of(stream: asyncio.StreamReader) -> bytes:
    """All that is told is the last line of it."""
    kept = b""
    while part := await stream.read(1 << 16):
        kept = (kept + part)[-MAX_ERRORS:]
    return kept


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    # Ctrl-C first, so that the command can stop its scratch server and its statements
    for number, patience in ((signal.SIGINT, 2.0), (signal.SIGKILL, 10.0)):
        try:
            os.killpg(process.pid, number)
            async with asyncio.timeout(patience):
                await process.wait()
        except ProcessLookupError:
            return
        except TimeoutError:
            continue
        return


def _bounded(name: str, text: str) -> bytes:
    if len(text) > MAX_TEXT:
        raise CallFailed(f"{name} is longer than {MAX_TEXT} characters")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        # JSON can spell half of a character
        raise CallFailed(f"{name} is no text: it holds half of a character") from error


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines() or ["the command failed without a word"]
    # the last line is the error; what stands above it are notes
    return lines[-1].removeprefix("rewright: ")[:2000]
