"""Limits on what clients make the shadow PostgreSQL do: how long one statement runs, and how much memory all
sessions use.

PostgreSQL's own limits (statement_timeout, work_mem) are settings that a client may change; these are
enforced from outside. Owns watching the server's sessions and stopping those that exceed a limit. Must not
know lakes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from rewright import logs

log = logs.logger()
LOOK_SECONDS = 0.5
# waiting for the client is the client's time
_BUSY = """
select pid, extract(epoch from clock_timestamp() - query_start)::float8
from pg_stat_activity
where backend_type = 'client backend' and pid <> pg_backend_pid() and state = 'active'
  and wait_event is distinct from 'ClientRead' and wait_event is distinct from 'ClientWrite'"""


@dataclass(frozen=True, slots=True)
class ShadowLimits:
    """``seconds`` for one statement; ``grace``: after a cancel, until its session is ended; ``memory``: bytes
    of all sessions.
    """

    seconds: float = 60.0
    grace: float = 5.0
    memory: int = 1 << 30


class ShadowWarden(threading.Thread):
    """Looks at the server twice a second until ``stop``."""

    def __init__(self, server: str, limits: ShadowLimits | None = None) -> None:
        super().__init__(name="shadow limits", daemon=True)
        self._server = server
        self._limits = limits or ShadowLimits()
        self._ended = threading.Event()

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        told = ""
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._server, autocommit=True) as connection:
                    while not self._ended.wait(LOOK_SECONDS):
                        self.look(connection)
            except psycopg.Error as error:
                reason = str(error).split("\n")[0]
                # as long as nobody looks, nothing is bounded; the same reason is told once
                if reason != told and not self._ended.is_set():
                    log.warning("lake.shadow_unbounded", reason=reason)
                told = reason
            self._ended.wait(LOOK_SECONDS)

    def look(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        """Cancel what runs too long, end what does not heed it, cancel the largest
        where all need too much.
        """
        busy = {int(str(pid)): float(str(seconds)) for pid, seconds in connection.execute(_BUSY).fetchall()}
        # a cancel first; what still runs after the grace loses its session
        for pid, seconds in busy.items():
            if seconds > self._limits.seconds + self._limits.grace:
                self._end(connection, "pg_terminate_backend", pid, "time")
            elif seconds > self._limits.seconds:
                self._end(connection, "pg_cancel_backend", pid, "time")
        # one at a time: after the next look the sum may be below the bound
        held = _held(busy)
        if sum(held.values()) > self._limits.memory:
            self._end(connection, "pg_cancel_backend", max(held, key=held.__getitem__), "memory")

    @staticmethod
    def _end(
        connection: psycopg.Connection[tuple[object, ...]], function: str, pid: int, reason: str
    ) -> None:
        connection.execute(f"select {function}(%s)".encode(), [pid])
        log.info("lake.shadow_stopped", function=function, pid=pid, reason=reason)


def _held(pids: Mapping[int, float]) -> dict[int, int]:
    """Bytes of each process's own (Linux; nothing elsewhere, where the sessions' number and their own limits
    bound them).
    """
    found = {}
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            # shared buffers are counted in every backend: only what is its own
            _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
            found[pid] = (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return found
