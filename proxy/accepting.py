"""Accepting clients from listening sockets, also when the system has run out of descriptors or memory.

A socket with waiting clients stays ready: while none of them can be accepted, a loop that watches it would do
nothing else. It is therefore not watched for a moment, and the waiting clients are accepted as soon as there
is room again. Owns the watching, and the log entry about it. Must not know connections. docs/decisions/0900.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Sequence
from time import monotonic

# clients at a time: the sessions that are there shall not wait for longer
AT_ONCE = 64
# until the next try, and until the log is told again of what goes on
REST_SECONDS, QUIET_SECONDS = 0.1, 60.0
# what is wrong with the one client that was next, accept(2); the others are none the worse
_THAT_CLIENTS = frozenset(
    {errno.ECONNABORTED, errno.EPROTO, errno.EPERM, errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTDOWN}
    | {errno.EHOSTUNREACH, errno.ENOPROTOOPT, errno.EOPNOTSUPP, errno.ETIMEDOUT}
)


class Acceptor:
    """``welcome(client, peer)`` gets each client; ``make_room()`` is asked to give something up where there
    is no room for one; ``failed(reason)`` is told of that, once a minute.
    """

    def __init__(
        self,
        welcome: Callable[[socket.socket, object], None],
        make_room: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        self._welcome = welcome
        self._make_room = make_room
        self._failed = failed
        self._listeners: tuple[socket.socket, ...] = ()
        self._resting: dict[socket.socket, asyncio.TimerHandle] = {}
        self._said = float("-inf")

    def start(self, listeners: Sequence[socket.socket]) -> None:
        self._listeners = tuple(listeners)
        for listener in self._listeners:
            listener.setblocking(False)
            self._watch(listener)

    def stop(self) -> None:
        """Stop accepting clients, and close the sockets."""
        listeners, self._listeners = self._listeners, ()
        for listener in listeners:
            resting = self._resting.pop(listener, None)
            if resting is not None:
                resting.cancel()
            else:
                asyncio.get_running_loop().remove_reader(listener.fileno())
            listener.close()

    def _watch(self, listener: socket.socket) -> None:
        self._resting.pop(listener, None)
        asyncio.get_running_loop().add_reader(listener.fileno(), self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        if listener not in self._listeners or listener in self._resting:
            return  # it was ready when that began
        for _ in range(AT_ONCE):
            try:
                client, peer = listener.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _THAT_CLIENTS:
                    continue
                self._rest(listener, error)
                return
            self._welcome(client, peer)

    def _rest(self, listener: socket.socket, error: OSError) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(listener.fileno())
        self._resting[listener] = loop.call_later(REST_SECONDS, self._watch, listener)
        now = monotonic()
        if now - self._said > QUIET_SECONDS:
            self._said = now
            self._failed(str(error))
        self._make_room()
