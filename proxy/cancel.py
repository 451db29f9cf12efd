"""Cancel requests: which session they mean, and forwarding them to the server.

Owns the table of cancel keys of this worker and the messages between workers. A cancel is always forwarded to
the server, whose keys are passed through unchanged; the owning worker is told too, because a query that is
held or guarded there must not go on. Must not know what a session does about it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rewright.proxy.private_directory import make_private
from rewright.proxy.upstream import Target, UpstreamUnavailable, connect
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.startup import CancelRequest, decode_first, packet_length

CANCEL_TIMEOUT = 10.0

# A worker answers another when it has forwarded the cancel: connecting and waiting for the server, at most.
MAIL_TIMEOUT = 2 * CANCEL_TIMEOUT + 1.0


# no code of PostgreSQL's: only workers send it, to each other
_END_CODE = 1
_END_HEAD = struct.Struct("!IIQ")


@dataclass(frozen=True, slots=True)
class EndRequest:
    """End the session of ``database`` (empty: of any) whose backend has the number ``pid``."""

    pid: int
    database: str

    def encode(self) -> bytes:
        name = self.database.encode()
        return _END_HEAD.pack(_END_HEAD.size + len(name), _END_CODE, self.pid) + name

    @classmethod
    def decode(cls, packet: bytes) -> EndRequest | None:
        """None: the packet is something else."""
        if len(packet) < _END_HEAD.size:
            return None
        _, code, pid = _END_HEAD.unpack_from(packet)
        if code != _END_CODE:
            return None
        return cls(pid, packet[_END_HEAD.size :].decode("utf-8", "replace"))


class Cancellable(Protocol):
    """What a session does about a cancel: ``mark`` before the server gets it, ``stop`` afterwards.

    Marked first, so that a guard which the cancel ends is not taken for one that failed, and the original
    run. Stopped last, because a held client goes on as soon as it has its error, and its next statement would
    be the one that a cancel still on its way hits.
    """

    def mark(self) -> None: ...

    def stop(self) -> None: ...


class CancelTable:
    """(pid, key) of each session of this worker -> where its server is (the one host), and the session."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[int, bytes], tuple[Target, Cancellable]] = {}

    def add(self, key: tuple[int, bytes], target: Target, session: Cancellable) -> None:
        self._sessions[key] = (target, session)

    def discard(self, key: tuple[int, bytes]) -> None:
        self._sessions.pop(key, None)

    async def cancel(self, request: CancelRequest) -> bool:
        """Forward it and stop what the session holds; False: the session is not of this worker."""
        found = self._sessions.get((request.pid, request.key))
        if found is None:
            return False
        target, session = found
        session.mark()
        try:
            await forward(request, target)
        finally:
            session.stop()
        return True


async def forward(request: CancelRequest, target: Target) -> None:
    """Send it on; the server never answers, it closes. Failures are the canceller's silence, as in libpq."""
    with contextlib.suppress(OSError, ssl.SSLError, TimeoutError, UpstreamUnavailable):
        connected = await connect(target, patience=CANCEL_TIMEOUT)
        gone = asyncio.Event()
        connected.side.on_lost = lambda _exc: gone.set()
        connected.side.write(request.encode())
        try:
            async with asyncio.timeout(CANCEL_TIMEOUT):
                await gone.wait()
        finally:
            connected.side.close()


class WorkerMail:
    """A Unix socket a worker, through which the others pass on cancels for sessions they don't have.

    The answer comes when the server has got the cancel, not before: a canceller goes on when its connection
    is closed, and a cancel still on its way would then hit the session's next statement.
    """

    def __init__(
        self,
        run_dir: str | Path,
        name: str,
        deliver: Callable[[CancelRequest], Awaitable[bool]],
        end: Callable[[EndRequest], Awaitable[bool]] | None = None,
    ) -> None:
        """``end``: ends a session of this worker; False where there is none such."""
        self._end = end
        self._directory = Path(run_dir)
        self._path = self._directory / f"{name}.cancel"
        self._deliver = deliver
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Raises OSError when the directory is not this user's alone."""
        if not make_private(self._directory):
            raise OSError(f"{self._directory} is not a directory of this user alone")
        # A worker that was killed leaves its socket behind, and bind() refuses a path that exists.
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._receive, str(self._path))
        self._path.chmod(0o600)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def pass_on(self, request: CancelRequest | EndRequest) -> bool:
        """Ask the other workers, all at once; True: one of them owned the session and has forwarded the
        request.
        """
        others = [path for path in sorted(self._directory.glob("*.cancel")) if path != self._path]
        asked = [asyncio.ensure_future(self._ask(path, request)) for path in others]
        try:
            for answer in asyncio.as_completed(asked):
                if await answer:
                    return True
        finally:
            for task in asked:
                task.cancel()
        return False

    async def _ask(self, path: Path, request: CancelRequest | EndRequest) -> bool:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(MAIL_TIMEOUT):
                reader, writer = await asyncio.open_unix_connection(str(path))
                try:
                    writer.write(request.encode())
                    return await reader.read(1) == b"1"
                finally:
                    writer.close()
        return False

    async def _take(self, packet: bytes) -> bool:
        """Raises ProtocolViolation."""
        wanted = EndRequest.decode(packet)
        if wanted is not None:
            return self._end is not None and await self._end(wanted)
        request = decode_first(packet)
        return isinstance(request, CancelRequest) and await self._deliver(request)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readexactly(4)
            packet = head + await reader.readexactly((packet_length(head) or 4) - 4)
            mine = await self._take(packet)
            writer.write(b"1" if mine else b"0")
            await writer.drain()
        except (OSError, ProtocolViolation, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
