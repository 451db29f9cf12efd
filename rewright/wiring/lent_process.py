"""One process that works with a client's own session, and how the session reaches it.

Must not know how many there are.
"""

from __future__ import annotations

import asyncio
import pickle
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.config.model import Config
from rewright.processes.framed import HEAD, framed
from rewright.proxy.ports import SqlError
from rewright.wiring.lending import Lender


@dataclass(frozen=True, slots=True)
class Setup:
    """What a process needs to begin. ``directory``: of the socket over which sessions are lent, on port
    ``port``.
    """

    config: Config
    directory: str
    port: int


@contextmanager
def lent_session(setup: Setup) -> Iterator[psycopg.Connection[Any]]:
    """In the process: the client's session, as far as it lends itself. Raises psycopg.Error."""
    # a Unix socket in a directory of this user's: no TLS or GSS on it
    connection = psycopg.connect(
        host=setup.directory,
        port=setup.port,
        user="rewright",
        dbname="rewright",
        sslmode="disable",
        gssencmode="disable",
        connect_timeout=10,
        autocommit=True,
        # a statement of the same text may mean another schema later: nothing is prepared for good
        prepare_threshold=None,
    )
    try:
        yield connection
    finally:
        # leaving it as a context would end the client's transaction
        connection.close()


class LentProcess:
    """One process. It works on one thing at a time."""

    def __init__(
        self, process: Any, requests: socket.socket, lender: Lender, config: Config, ended: SqlError
    ) -> None:
        self._process = process
        self._requests = requests
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._ended_early = ended
        self.lender = lender
        self.config = config
        self.ended = False

    async def ask(self, request: object) -> Any:
        """Its answer. Raises SqlError when it ends without one."""
        if self._reader is None or self._writer is None:
            # answers are long lines: 1 MiB of them before the reader stops
            self._reader, self._writer = await asyncio.open_connection(sock=self._requests, limit=1 << 20)
        try:
            self._writer.write(framed(request))
            await self._writer.drain()
            size = HEAD.unpack(await self._reader.readexactly(HEAD.size))[0]
            # of our own process alone: pickle would run what a stranger sends
            return pickle.loads(await self._reader.readexactly(size))  # noqa: S301 - our own process's
        except (asyncio.IncompleteReadError, OSError) as error:
            self.end()
            raise self._ended_early from error

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
        # join() waits, which the loop may not
        asyncio.get_running_loop().run_in_executor(None, self._buried)

    def _buried(self) -> None:
        self._process.join()
        shutil.rmtree(self.lender.directory, ignore_errors=True)
