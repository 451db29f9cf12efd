"""What a session knows, and how it ends. See ``rewright.proxy.session`` for the invariants.

Owns the fields that the walks over both streams and the conversation share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any

from rewright.proxy.machine.steps import (
    Exchange,
    Interceptor,
    PendingReply,
    Run,
)
from rewright.proxy.wire.backend import error
from rewright.proxy.wire.tables import (
    BIND,
    CLOSE,
    DESCRIBE,
    EXECUTE,
    HEADER,
    PARSE,
    table,
)

unpack: Callable[..., tuple[int, int]] = HEADER.unpack_from
IDLE, IN_BLOCK, FAILED = b"ITE"
COPY_IN, COPY_OUT, COPY_BOTH = b"GHW"
DATA = b"Dd"

# Client types that are looked at: always what opens a cycle; texts and names when there is an interceptor.
CYCLES = table(b"SQF")
PLAIN = table(b"SQFX")
TEXTS = table(b"SQFXPC")
WATCHED = table(b"SQFXPCBED")
IN_COPY = table(b"cf")
REPLIED = frozenset((PARSE, BIND, DESCRIBE, EXECUTE, CLOSE))
# Server types: cycle ends, errors, parameters, copies; with tags where statements may vanish or are timed.
NOTHING = table(b"")
EVENTS = table(b"ZESGW")
EVENTS_AND_TAGS = table(b"ZESGWCs")
# messages that hold back the rest of the stream until they are whole must not grow beyond this
EVENT_LIMIT = 1 << 20


def _raise(fault: Exception) -> None:
    raise fault


class SessionState:
    """``to_server`` / ``to_client`` take bytes to send; they must not call back into the session.

    ``pause(True)`` asks that the client is not read from; ``end_server()`` says that nothing more will be sent; ``effect(factory)`` starts something that ends with
    ``effect_done``. ``on_fault(fault)`` is told of a mistake of ours before the session ends or is only relayed; unless somebody
    sets it, the mistake is raised, so that a test fails on it.
    """

    def __init__(
        self,
        to_server: Callable[[bytes], None],
        to_client: Callable[[bytes], None],
        *,
        pause: Callable[[bool], None] = lambda _paused: None,
        effect: Callable[[Callable[[], Any], float | None], None] = lambda _factory, _limit: None,
        end_server: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
        buffer_limit: int = 4 << 20,
        text_limit: int = 2 << 20,
    ) -> None:
        self.to_server = to_server
        self.to_client = to_client
        self.pause = pause
        self.effect = effect
        self.end_server = end_server
        self.clock = clock
        self.buffer_limit = buffer_limit
        self.text_limit = text_limit
        self.interceptor: Interceptor | None = None
        self.client_table = self.client_normal = PLAIN
        self.server_table = EVENTS
        self.client_slow = self.server_slow = False
        self.client_rest = self.server_rest = b""
        self.client_skip = self.server_skip = 0
        self.pending = 0
        self.last_cycle = 0
        self.status = IDLE
        self.since = b""
        self.answered = 0
        self.cycle_failed = False
        self.pending_replies: deque[PendingReply] = deque()
        self.exchange: Exchange | None = None
        self.run: tuple[Run, list[PendingReply]] | None = None
        self.held = bytearray()
        self.holding = False
        self.waiting = b""  # the special message, while its exchange may not start: open cycles have to end
        self.mixed = False  # a Query or FunctionCall went out behind extended messages without a Sync
        self.paused = False
        self.cancelled = False
        self.relay_only = ""
        self.unusual = False  # something must be put back when the cycle ends
        self.looking = True  # false while memory is short: texts pass unseen
        self.fatal = False
        self.client_ended = False  # it sends nothing more, and may still read
        self.slow_after = float("inf")
        self.started = 0.0
        self.chunk = b""
        self.parameters: dict[bytes, bytes] = {}
        self.on_idle: Callable[[], None] | None = None
        self.on_broken: Callable[[], None] = lambda: None
        self.on_fault: Callable[[Exception], None] = _raise

    def attach(self, interceptor: Interceptor) -> None:
        self.interceptor = interceptor
        self.client_table = self.client_normal = TEXTS

    def watch(self, watched: bool) -> None:
        """Look at Bind, Describe and Execute too: a statement of this session is special."""
        wanted = WATCHED if watched else TEXTS
        if self.client_normal is not wanted:
            if self.client_table is self.client_normal:
                self.client_table = wanted
            self.client_normal = wanted

    def watch_tags(self, watched: bool) -> None:
        self.server_table = EVENTS_AND_TAGS if watched else EVENTS

    # --- the end ------------------------------------------------------------------------------------

    def pass_through(self, reason: str, *, replies: bool = False) -> None:
        """From here on only relay. What was held goes to the server as it came. ``replies``: those under way are understood, and
        are given as they were promised, to their end.

        In the middle of an exchange that is not possible (a message of the client is in its hands): the session ends.
        """
        if self.relay_only:
            return
        self.relay_only = reason
        if self.exchange is not None and not self.fatal:
            self.fatal = True
            self.to_client(error("XX000", "the proxy lost track of the session", severity="FATAL"))
            self.on_broken()
        self.client_slow = True
        waiting, self.waiting = self.waiting, b""
        exchange, self.exchange = self.exchange, None
        if exchange is not None:
            exchange.close()
        if exchange is not None or not replies:
            self.pending_replies.clear()
        self.holding = False
        held = waiting + self.client_rest + bytes(self.held)
        self.client_rest = b""
        self.held.clear()
        if held:
            self.to_server(held)
        self._pass_end()

    def client_eof(self) -> bool:
        """The client has sent its last byte. True: it may still read, and gets all answers; False: it said goodbye."""
        if self.fatal:
            return False
        self.client_ended = True
        self._pass_end()
        return True

    def _pass_end(self) -> None:
        """The end of the client's bytes comes behind all of them."""
        if self.client_ended and not self.holding:
            rest, self.client_rest = self.client_rest, b""
            if rest:
                self.to_server(rest)
            self.end_server()

    def _has_given_up(self) -> bool:
        return bool(self.relay_only)

    def farewell(self) -> bytes:
        """What the client gets when the server's connection is gone without a word of its own."""
        if self.fatal or self.client_ended or self.server_skip or self.server_rest:
            return b""
        self.fatal = True
        return error("08006", "the connection to the PostgreSQL server was lost", severity="FATAL")

    @property
    def is_idle(self) -> bool:
        """No transaction, nothing under way."""
        return (
            self.pending == 0
            and self.status == IDLE
            and not self.since
            and not (self.client_slow or self.server_slow)
        )

    def end_when_idle(self, end: Callable[[], None]) -> None:
        """Call ``end`` once, now or when the session is idle."""
        if self.is_idle:
            end()
        else:
            self.on_idle = end

    # --- said further down the line of parts ---------------------------------------------------------

    def _begin(self, message: bytes, rest: bytes) -> None:
        raise NotImplementedError

    def _hold(self, data: bytes) -> None:
        raise NotImplementedError


def is_fatal(message: bytes) -> bool:
    """Whether an ErrorResponse ends the session."""
    return b"VFATAL\0" in message[:64] or b"VPANIC\0" in message[:64]
