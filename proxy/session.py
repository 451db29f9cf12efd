"""One established session, without I/O: bytes of both sides in, bytes for both sides out.

Owns the walk over message headers (the hot path), the count of open cycles, whose reply comes next, and holding the
client back while a private conversation with the server goes on. Forwards whole pieces; decodes nothing but what
``proxy.wire.tables`` marks. Must not know sockets, or what is looked up, guarded and served: that is the ``Desk``'s.

Invariants of the hot path, which every other method keeps:

- ``client_slow`` is false only where the client's stream stands at a message boundary and nothing is held or counted;
- ``server_slow`` is false only where the server's stream stands at a message boundary and ``units`` is empty;
- ``pending`` counts the cycles sent for the client (Sync, Query, FunctionCall) whose ReadyForQuery is not here yet;
- ``since`` are the types sent since the last cycle ended that get a reply; ``answered`` of them have theirs;
- ``units``, when not empty, says for each reply still to come, in order, who takes it.

On anything the protocol does not explain the session stops looking and only relays (``give_up``).
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol, TypeAlias

from proxy.ports import SqlError
from proxy.wire.backend import Fields, decode, error
from proxy.wire.framing import ProtocolViolation
from proxy.wire.frontend import FLUSH, SYNC
from proxy.wire.tables import (
    BACKEND_KNOWN,
    BIND,
    CALL,
    CLOSE,
    COMPLETE,
    COMPLETIONS,
    COPY_DONE,
    COPY_FAIL,
    DESCRIBE,
    ERROR,
    EXECUTE,
    FRONTEND_KNOWN,
    HEADER,
    HEADER_SIZE,
    NOTICE,
    NOTIFICATION,
    PARAMETER,
    PARSE,
    READY,
    TERMINATE,
    Q,
    table,
)
from proxy.wire.tables import (
    SYNC as SYNC_TYPE,
)

unpack: Callable[..., tuple[int, int]] = HEADER.unpack_from
IDLE, IN_BLOCK, FAILED = b"ITE"
COPY_IN, COPY_OUT, COPY_BOTH = b"GHW"
DATA = b"Dd"

# Client types that are looked at: always what opens a cycle; texts and names when there is a desk.
CYCLES = table(b"SQF")
PLAIN = table(b"SQFX")
TEXTS = table(b"SQFXPC")
WATCHED = table(b"SQFXPCBED")
IN_COPY = table(b"cf")
REPLIED = frozenset((PARSE, BIND, DESCRIBE, EXECUTE, CLOSE))
# Server types: cycle ends, errors, parameters, copies; with tags where statements may vanish or are timed.
EVENTS = table(b"ZESGW")
EVENTS_AND_TAGS = table(b"ZESGWC")
# messages that hold back the rest of the stream until they are whole must not grow beyond this
EVENT_LIMIT = 1 << 20


@dataclass(slots=True)
class Replies:
    """What came back for an ``Ask``: for each reply unit its messages. ``error``: the one that ended it early.

    ``aborted``: an earlier message of the client failed, the server skipped ours.
    """

    units: list[list[tuple[int, bytes]]] = field(default_factory=list)
    error: Fields | None = None
    aborted: bool = False
    remaining: int = 0


class Unit:
    """One reply to come. ``take`` gets each message and returns what the client shall see; None: all of it.

    ``visible``: it answers a message that the client sent.
    """

    __slots__ = ("ask", "cycle", "take", "visible")

    def __init__(
        self,
        *,
        cycle: bool = False,
        visible: bool = True,
        take: Callable[[int, bytes], bytes] | None = None,
        ask: Replies | None = None,
    ) -> None:
        self.cycle = cycle
        self.visible = visible
        self.take = take
        self.ask = ask


# --- what a chain may ask of the session -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """Send private messages and collect ``units`` replies, then ``cycles`` ReadyForQuery. Answer: Replies."""

    messages: bytes
    units: int
    cycles: int = 0


@dataclass(frozen=True, slots=True)
class Send:
    """Send in the client's name; ``units`` say who takes the replies. ``kinds``: what to account for."""

    messages: bytes
    units: tuple[Unit, ...] = ()
    kinds: bytes = b""


@dataclass(frozen=True, slots=True)
class Emit:
    """Bytes for the client, now."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wait:
    """Something that takes time outside: an awaitable factory. Answer: its result; SqlError is thrown in.

    ``limit``: seconds after which the answer is None.
    """

    effect: Callable[[], Any]
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Execute a replacement and wait for its first message. Answer: ``Started``, or the ``Failed`` swallowed.

    ``cycle``: the messages end with a Sync of the client's own cycle (simple Query). ``retry`` says whether an error
    may be swallowed. ``then`` takes the messages of a replacement that is served. A Sync that the client sent already,
    or sends meanwhile, goes along.
    """

    messages: bytes
    retry: Callable[[Fields], bool]
    cycle: bool = False
    then: Callable[[int, bytes], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Started:
    pass


@dataclass(frozen=True, slots=True)
class Failed:
    """``synced``: the cycle's Sync was sent; its ReadyForQuery has come and was swallowed."""

    error: Fields
    synced: bool


class Cancelled(Exception):
    """Thrown into a chain when the client cancelled: no further step may start."""


Step: TypeAlias = Ask | Send | Emit | Wait | Run
Chain: TypeAlias = Generator[Step, Any, None]


class Desk(Protocol):
    """Looks at what the session shows it and decides. ``passes`` false: ``special`` holds a chain to run in place
    of the message.
    """

    settings_stale: bool

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool: ...
    def special(self) -> Chain: ...
    def unseen(self, kind: int, data: bytes, at: int) -> bool: ...
    def cycle_ended(self) -> bool: ...
    def slow_ended(self) -> None: ...
    def error(self, message: bytes) -> None: ...
    def tag(self, tag: bytes) -> None: ...


class Session:
    """``to_server`` / ``to_client`` take bytes to send; they must not call back into the session.

    ``pause(True)`` asks that the client is not read from; ``effect(factory)`` starts something that ends with
    ``effect_done``.
    """

    def __init__(
        self,
        to_server: Callable[[bytes], None],
        to_client: Callable[[bytes], None],
        *,
        pause: Callable[[bool], None] = lambda _paused: None,
        effect: Callable[[Callable[[], Any], float | None], None] = lambda _factory, _limit: None,
        clock: Callable[[], float] = monotonic,
        buffer_limit: int = 4 << 20,
        text_limit: int = 2 << 20,
    ) -> None:
        self.to_server = to_server
        self.to_client = to_client
        self.pause = pause
        self.effect = effect
        self.clock = clock
        self.buffer_limit = buffer_limit
        self.text_limit = text_limit
        self.desk: Desk | None = None
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
        self.units: deque[Unit] = deque()
        self.chain: Chain | None = None
        self.run: tuple[Run, list[Unit]] | None = None
        self.held = bytearray()
        self.holding = False
        self.waiting = b""  # the special message, while its chain may not start: open cycles have to end
        self.mixed = False  # a Query or FunctionCall went out behind extended messages without a Sync
        self.paused = False
        self.cancelled = False
        self.relay_only = ""
        self.unusual = False  # something must be put back when the cycle ends
        self.looking = True  # false while memory is short: texts pass unseen
        self.fatal = False
        self.slow_after = float("inf")
        self.started = 0.0
        self.chunk = b""
        self.parameters: dict[bytes, bytes] = {}
        self.on_idle: Callable[[], None] | None = None
        self.on_broken: Callable[[], None] = lambda: None

    def attach(self, desk: Desk) -> None:
        self.desk = desk
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

    # --- from the client: the hot path --------------------------------------------------------------

    def client_data(self, data: bytes) -> None:
        """Bytes as they came. Forwarded as one piece unless a message in them is special."""
        if not self.pending:
            self.started = self.clock()
            self.chunk = data
        if self.client_slow:
            self._client_slowly(data)
            return
        size = len(data)
        at = cut = 0
        watched = self.client_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if not watched[kind]:
                    at += length + 1
                elif kind == SYNC_TYPE:
                    self.pending += 1
                    self.last_cycle = kind
                    at += length + 1
                    cut = at
                else:
                    end = at + length + 1
                    behind = kind == Q and (at > cut or self.since)  # extended messages without a Sync
                    if end > size or behind or not self._is_quick(kind):
                        # `cut` may be behind: what was counted above stays counted
                        self._note_since(data, cut, at)
                        self._client_slowly(data, at)
                        return
                    if not self.desk.passes(kind, data, at, end):  # type: ignore[union-attr]
                        self._note_since(data, cut, at)
                        if at:
                            self.to_server(data[:at])
                        self._begin(data[at:end], data[end:])
                        return
                    if kind == Q:
                        self.pending += 1
                        self.last_cycle = kind
                        cut = end
                    at = end
        except struct.error:
            self._note_since(data, cut, at)
            self._keep_client(data, 0, at)
            return
        if cut == size:
            if self.since:
                self.since = b""
                self.answered = 0
        else:
            self._note_since(data, cut, size)
            if at > size:
                self.client_skip = at - size
                self.client_slow = True
        self.to_server(data)

    def _from_client(self, data: bytes) -> None:
        """What was held, once it may go on; its clock runs since it came."""
        started, chunk = self.started, self.chunk
        self.client_data(data)
        self.started, self.chunk = started, chunk

    def _is_quick(self, kind: int) -> bool:
        """A text that the desk can look at without the exact state of the stream."""
        desk = self.desk
        return (
            kind in (Q, PARSE)
            and desk is not None
            and self.looking
            and not self.cycle_failed
            and not desk.settings_stale
        )

    def _note_since(self, data: bytes, cut: int, end: int) -> None:
        """Remember the types between ``cut`` and ``end``, all unwatched; a ``cut`` above 0 began a new cycle."""
        if cut:
            self.since = b""
            self.answered = 0
        found = bytearray()
        while cut < end:
            kind, length = unpack(data, cut)
            if kind in REPLIED:
                found.append(kind)
            cut += length + 1
        if found:
            self.since += bytes(found)

    def _keep_client(self, data: bytes, start: int, at: int) -> None:
        """Forward up to ``at``; the beginning of a message after it waits for its rest."""
        self.client_rest = data[at:]
        self.client_slow = True
        if at > start:
            self.to_server(data[start:at])

    # --- from the client: message by message --------------------------------------------------------

    def _client_slowly(self, data: bytes, at: int = 0) -> None:
        """``at``: where to begin looking; what stands before it was walked already and goes out with the rest."""
        if self.relay_only:
            self.to_server(data)
            return
        if self.holding:
            self._hold(data)
            return
        if not at:
            data = self._client_continued(data)
        size = len(data)
        start = 0
        while at < size:
            if size - at < HEADER_SIZE:
                self._keep_client(data, start, at)
                return
            kind, length = unpack(data, at)
            end = at + length + 1
            if length < 4 or not FRONTEND_KNOWN[kind]:
                self.give_up("malformed message from the client")
                self.to_server(data[start:])
                return
            if self.client_table[kind] and end > size:
                if length <= self.text_limit:
                    self._keep_client(data, start, at)
                    return
                if self.desk is not None and not self.desk.unseen(kind, data, at):
                    self.give_up("a message is larger than is looked at")
                    self.to_server(data[start:])
                    return
            elif self._is_special(kind, data, at, end):
                if at > start:
                    self.to_server(data[start:at])
                self._begin(data[at:end], data[end:])
                return
            if self._has_given_up():
                self.to_server(data[start:])
                return
            self._account(kind)
            at = end
        if at > size:
            self.client_skip = at - size
        self.client_slow = bool(self.client_skip or self.units)
        if size > start:
            self.to_server(data[start:])

    def _client_continued(self, data: bytes) -> bytes:
        """Join what was kept with what came; the part of a message already under way is sent at once."""
        if self.client_rest:
            data = self.client_rest + data
            self.client_rest = b""
        elif self.client_skip:
            piece = data[: self.client_skip]
            self.client_skip -= len(piece)
            self.to_server(piece)
            data = data[len(piece) :]
        self.client_slow = bool(self.client_skip or self.units)
        return data

    def _is_special(self, kind: int, data: bytes, at: int, end: int) -> bool:
        if kind == TERMINATE:
            self.fatal = True  # what the server says from here on is nobody's loss
        if self.since and kind in {Q, CALL}:
            return self._mix(kind, data, at, end)
        if not self.client_table[kind] or self.desk is None or kind in {SYNC_TYPE, CALL, TERMINATE}:
            return False
        if kind in {COPY_DONE, COPY_FAIL}:
            self.client_table = self.client_normal
            return False
        if not self.looking:
            self.desk.unseen(kind, data, at)
            return False
        if self.cycle_failed and kind != Q:
            return False
        return not self.desk.passes(kind, data, at, end)

    def _mix(self, kind: int, data: bytes, at: int, end: int) -> bool:
        """A Query behind extended messages without a Sync: no driver sends it, and it is never special.

        If one of those messages fails the server skips the Query, too, and who counts on its ReadyForQuery waits
        for ever.
        """
        if self.cycle_failed:
            self.give_up("a query that the server skips")
            return False
        self.mixed = self.unusual = True
        if kind == Q and self.desk is not None and self.client_table is not IN_COPY:
            self.desk.passes(kind, data, at, end)
        return False

    def _account(self, kind: int) -> None:
        """A message of the client goes out: whose reply will come, and whether it ends a cycle."""
        if CYCLES[kind] and self.client_table is not IN_COPY:
            self.pending += 1
            self.last_cycle = kind
            self.since = b""
            self.answered = 0
            if self.units:
                self.units.append(Unit(cycle=True))
        elif kind in REPLIED:
            self.since += bytes((kind,))
            if self.units:
                self.units.append(Unit())
        elif kind in {COPY_DONE, COPY_FAIL}:
            self.client_table = self.client_normal

    # --- holding ------------------------------------------------------------------------------------

    def _hold(self, data: bytes) -> None:
        self.held += data
        if self.run is not None:
            self._let_sync_through()
        if len(self.held) > self.buffer_limit // 4 and not self.paused:
            self.paused = True
            self.pause(True)

    def _begin(self, message: bytes, rest: bytes) -> None:
        """The desk wants to take over at this message: now, or when the open cycles have ended."""
        self.holding = self.client_slow = True
        if rest:
            self._hold(rest)
        if self.pending:
            self.waiting = message
            return
        self._start_chain()

    def _start_chain(self) -> None:
        assert self.desk is not None
        message, self.waiting = self.waiting, b""
        if message and self.cycle_failed:
            # the cycle it belongs to has failed meanwhile: the server skips it, and would skip what we ask
            self.desk.special().close()
            self._account(message[0])
            self.to_server(message)
            self._release()
            return
        if not self.units:
            self.units.extend(Unit() for _ in range(len(self.since) - self.answered))
        self.server_slow = True
        self.chain = self.desk.special()
        self._advance(None)

    def _release(self) -> None:
        """The chain is over: what was held goes its way."""
        self.chain = None
        self.holding = False
        held = bytes(self.held)
        self.held.clear()
        if self.paused:
            self.paused = False
            self.pause(False)
        self.client_slow = bool(self.client_skip or self.client_rest or self.units)
        self._settle()
        if held:
            self._from_client(held)

    def _settle(self) -> None:
        """When only replies for the client are left, nobody needs to sort them."""
        if self.units and self.chain is None and all(unit.take is None for unit in self.units):
            self.units.clear()
        if not self.units and self.chain is None:
            self.server_slow = bool(self.server_skip or self.server_rest)
            if not self.holding:
                self.client_slow = bool(self.client_skip or self.client_rest)

    # --- the chain ----------------------------------------------------------------------------------

    def _advance(self, answer: object) -> None:
        """Give the chain its answer and do what it asks, until it has to wait or ends."""
        chain = self.chain
        assert chain is not None
        try:
            while True:
                if self.cancelled and answer is not None and not isinstance(answer, Started):
                    self.cancelled = False
                    answer = Cancelled()
                step = chain.throw(answer) if isinstance(answer, Exception) else chain.send(answer)
                answer = None
                if self._do(step):
                    return
        except StopIteration:
            self._release()
        except Exception as problem:  # noqa: BLE001 -- a mistake of ours ends one session, with a word, not all of them
            self.give_up(f"internal error: {problem!r}")

    def _do(self, step: Step) -> bool:
        """True: the answer comes later."""
        match step:
            case Ask(messages, units, cycles):
                replies = Replies(remaining=units + cycles)
                self.units.extend(self._collector(replies, cycle=False) for _ in range(units))
                self.units.extend(self._collector(replies, cycle=True) for _ in range(cycles))
                self.server_slow = True
                self.to_server(messages if cycles else messages + FLUSH)
                return True
            case Send(messages, units, kinds):
                for kind in kinds:
                    self._account_sent(kind)
                self.units.extend(units)
                self.server_slow = self.server_slow or bool(self.units)
                self.to_server(messages)
            case Emit(data):
                self.to_client(data)
            case Wait(effect, limit):
                self.effect(effect, limit)
                return True
            case Run():
                self._start_run(step)
                return True
        return False

    def _account_sent(self, kind: int) -> None:
        """As ``_account``, for a message whose unit the chain gives itself."""
        if CYCLES[kind]:
            self.pending += 1
            self.last_cycle = kind
            self.since = b""
            self.answered = 0
        elif kind in REPLIED:
            self.since += bytes((kind,))

    def _collector(self, replies: Replies, *, cycle: bool) -> Unit:
        messages: list[tuple[int, bytes]] = []
        replies.units.append(messages)

        def take(kind: int, message: bytes) -> bytes:
            if kind == ERROR:
                replies.error = _fields(message)
            elif kind != NOTICE:
                messages.append((kind, message))
            return b""

        return Unit(cycle=cycle, visible=False, take=take, ask=replies)

    def _start_run(self, run: Run) -> None:
        units: list[Unit] = []
        unit = Unit(take=lambda kind, message: self._outcome(run, units, kind, message))
        units.append(unit)
        self.units.append(unit)
        self.run = (run, units)
        self.since += b"E"
        messages = run.messages
        if run.cycle:
            self._add_cycle(units)
            messages += SYNC
        elif self.held.startswith(SYNC):
            del self.held[: len(SYNC)]
            self._add_cycle(units)
            messages += SYNC
        else:
            messages += FLUSH
        self.to_server(messages)

    def _let_sync_through(self) -> None:
        """The client's Sync right behind its Execute need not wait for the outcome."""
        assert self.run is not None
        _run, units = self.run
        if len(units) == 1 and self.held.startswith(SYNC):
            del self.held[: len(SYNC)]
            self._add_cycle(units)
            self.to_server(SYNC)

    def _add_cycle(self, units: list[Unit]) -> None:
        unit = Unit(cycle=True)
        units.append(unit)
        self.units.append(unit)
        self._account_sent(SYNC_TYPE)

    def _outcome(self, run: Run, units: list[Unit], kind: int, message: bytes) -> bytes:
        """The first message of the replacement decides: it is served, or swallowed and the original runs."""
        if kind == NOTICE:
            return message
        if kind == COPY_OUT:
            # no row yet: what comes behind it decides
            self._copy_out = message
            return b""
        self.run = None
        units[0].take = run.then
        begun, self._copy_out = self._copy_out, b""
        if kind != ERROR:
            self._later(Started())
            return begun + (message if run.then is None else run.then(kind, message))
        units[0].take = None
        failure = _fields(message)
        if not run.retry(failure):
            self._later(Started())
            return begun + failure.without(b"P").encode()
        if len(units) == 1:
            self._later(Failed(failure, synced=False))
        else:
            units[1].visible = False
            units[1].take = self._swallow_cycle(failure)
        return b""

    def _swallow_cycle(self, failure: Fields) -> Callable[[int, bytes], bytes]:
        def take(kind: int, message: bytes) -> bytes:
            if kind == READY:
                self.status = message[HEADER_SIZE]
                self._later(Failed(failure, synced=True))
            return b""

        return take

    def _later(self, answer: object) -> None:
        """Answer the chain once the message at hand is dealt with."""
        self._due = answer

    _due: object = None
    _copy_out = b""

    def effect_done(self, result: object) -> None:
        """A ``Wait`` is over: its result, or the SqlError it ended with."""
        if self.chain is not None and not self.relay_only:
            self._advance(result)

    def cancel(self) -> None:
        """The client's cancel request has come: whatever is held must not go on."""
        if self.pending or self.holding:
            self.cancelled = self.unusual = True

    # --- from the server: the hot path --------------------------------------------------------------

    def server_data(self, data: bytes) -> None:
        if self.server_slow:
            self._server_slowly(data)
            return
        size = len(data)
        at = 0
        watched = self.server_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if watched[kind]:
                    if at + length >= size:
                        break
                    if kind == READY:
                        self.pending -= 1
                        self.status = data[at + 5]
                        self.answered = 0
                        if self.unusual:
                            self._back_to_usual()
                        if self.clock() - self.started > self.slow_after and self.desk is not None:
                            self.desk.slow_ended()
                    else:
                        self._event(kind, data[at : at + length + 1])
                at += length + 1
        except struct.error:
            pass
        if self.since:
            self._count_answers(data, min(at, size))
        if at == size:
            self.to_client(data)
        elif at > size:
            self.server_skip = at - size
            self.server_slow = True
            self.to_client(data)
        else:
            self._keep_server(data[at:])
            if at:
                self.to_client(data[:at])
        if not self.pending and (self.waiting or self.on_idle is not None):
            self._rested()
        elif self.pending < 0:
            self.give_up("ReadyForQuery nobody asked for")

    def _rested(self) -> None:
        """No cycle is open."""
        if self.pending < 0:
            self.give_up("ReadyForQuery nobody asked for")
        elif self.waiting:
            self._start_chain()
        elif self.on_idle is not None and self.is_idle:
            self.on_idle()

    def _keep_server(self, rest: bytes) -> None:
        self.server_rest = rest
        self.server_slow = True

    def _count_answers(self, data: bytes, end: int) -> None:
        """Which of the messages sent since the last cycle have been answered (only asked for without a Sync)."""
        if self.pending:
            return
        at = 0
        while at < end:
            kind, length = unpack(data, at)
            # what stands before the end of a cycle answered messages of that one
            self.answered = 0 if kind == READY else self.answered + COMPLETIONS[kind]
            at += length + 1

    def _event(self, kind: int, message: bytes) -> None:
        """A message that is forwarded all the same, but changes what is known. (ReadyForQuery too.)"""
        if kind == READY:
            self.pending -= 1
            self.status = message[HEADER_SIZE]
            self.answered = 0
            self._back_to_usual()
            if self.clock() - self.started > self.slow_after and self.desk is not None:
                self.desk.slow_ended()
        elif kind == PARAMETER:
            name, _, value = message[HEADER_SIZE:-1].partition(b"\0")
            self.parameters[name] = value
        elif kind == ERROR:
            self.cycle_failed = self.unusual = True
            self.fatal = self.fatal or _is_fatal(message)
            if self.desk is not None:
                self.desk.error(message)
            if self.mixed:
                self.give_up("an error before a query without a Sync")
        elif kind == COMPLETE:
            if self.desk is not None:
                self.desk.tag(message[HEADER_SIZE:-1])
        elif kind == COPY_IN:
            self._copy_in()
        elif kind == COPY_BOTH:
            self.give_up("replication")

    def _back_to_usual(self) -> None:
        """A cycle ended: errors, cancels and copies of it are over."""
        self.unusual = self.cycle_failed = self.cancelled = False
        self.client_table = self.client_normal
        if self.desk is not None:
            self.unusual = self.desk.cycle_ended()
        if self.mixed:
            self.mixed = self.unusual = self.pending > 0

    def _copy_in(self) -> None:
        """The server now ignores Sync until CopyDone or CopyFail: also the one that libpq sent along."""
        if self.pending == 1 and self.last_cycle == SYNC_TYPE:
            self.pending = 0
            self.since = b"E"
            self.answered = 0
        elif self.pending > 1:
            self.give_up("COPY inside a pipeline")
        self.client_table = IN_COPY
        self.unusual = True

    # --- from the server: message by message --------------------------------------------------------

    def _server_slowly(self, data: bytes) -> None:
        if self.server_rest:
            data = self.server_rest + data
            self.server_rest = b""
        elif self.server_skip:
            piece = data[: self.server_skip]
            self.server_skip -= len(piece)
            self.to_client(piece)
            data = data[len(piece) :]
            if not data:
                self._settle()
                return
        while data:
            if not self.units or self.relay_only:
                self._settle_now()
                self.server_data(data)
                return
            taken = self._one_message(data)
            if not taken:
                return
            data = data[taken:]
        self._settle()

    def _settle_now(self) -> None:
        self.server_slow = bool(self.server_skip or self.server_rest)
        if not self.holding:
            self.client_slow = bool(self.client_skip or self.client_rest)

    def _one_message(self, data: bytes) -> int:
        """Deal with the first message; how many bytes it was, 0 if it is not whole yet."""
        size = len(data)
        if size < HEADER_SIZE:
            self._keep_server(data)
            return 0
        kind, length = unpack(data)
        end = length + 1
        unit = self.units[0]
        if end > size and unit.take is None and (kind in DATA or length > EVENT_LIMIT):
            self.to_client(data)
            self.server_skip = end - size
            return size
        if end > size:
            self._keep_server(data)
            return 0
        message = data[:end]
        if length < 4 or not BACKEND_KNOWN[kind]:
            self.to_client(message)
            return end
        self._sort(unit, kind, message)
        return end

    def _sort(self, unit: Unit, kind: int, message: bytes) -> None:
        if kind in {PARAMETER, NOTIFICATION} or (kind == NOTICE and unit.take is None):
            if kind == PARAMETER:
                self._event(kind, message)
            self.to_client(message)
            return
        if kind == ERROR and _is_fatal(message):
            self.fatal = True
            self.give_up("the server ends the session")
            self.to_client(message)
            return
        shown = message if unit.take is None else unit.take(kind, message)
        if self.server_table[kind] and ((kind == READY and unit.visible) or shown):
            self._event(kind, shown or message)
        if shown:
            self.to_client(shown)
        if kind == READY and not unit.cycle:
            self.give_up("ReadyForQuery inside a reply")
        elif kind == READY or (not unit.cycle and (COMPLETIONS[kind] or kind == ERROR)):
            self._finish(unit, kind)
        self._answer_due()

    def _finish(self, unit: Unit, kind: int) -> None:
        """The reply is complete. After an error the server skips to the next Sync, and so do the units."""
        if not self.units or self.units[0] is not unit:
            return  # given up meanwhile
        self.units.popleft()
        self._done(unit)
        if kind == ERROR and not unit.cycle:
            self.cycle_failed = self.cycle_failed or unit.visible
            self.unusual = True
            while self.units and not self.units[0].cycle:
                skipped = self.units.popleft()
                if skipped.ask is not None and skipped.ask.error is None:
                    skipped.ask.aborted = True
                self._done(skipped)
        elif kind == READY and not self.pending:
            if not self.units:
                self._settle_now()
            self._rested()

    def _done(self, unit: Unit) -> None:
        if unit.visible and not unit.cycle:
            self.answered += 1
        if unit.ask is not None:
            unit.ask.remaining -= 1
            if not unit.ask.remaining:
                self._later(unit.ask)

    def _answer_due(self) -> None:
        if self._due is not None:
            answer, self._due = self._due, None
            if self.chain is not None:
                self._advance(answer)

    # --- the end ------------------------------------------------------------------------------------

    def give_up(self, reason: str) -> None:
        """From here on only relay. What was held goes to the server as it came.

        In the middle of a chain that is not possible (a message of the client is in its hands): the session ends.
        """
        if self.relay_only:
            return
        self.relay_only = reason
        if self.chain is not None and not self.fatal:
            self.fatal = True
            self.to_client(error("XX000", "the proxy lost track of the session", severity="FATAL"))
            self.on_broken()
        self.client_slow = True
        waiting, self.waiting = self.waiting, b""
        chain, self.chain = self.chain, None
        if chain is not None:
            chain.close()
        self.units.clear()
        self.holding = False
        held = waiting + self.client_rest + bytes(self.held)
        self.client_rest = b""
        self.held.clear()
        if held:
            self.to_server(held)

    def _has_given_up(self) -> bool:
        return bool(self.relay_only)

    def farewell(self) -> bytes:
        """What the client gets when the server's connection is gone without a word of its own."""
        if self.fatal or self.server_skip or self.server_rest:
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


def _is_fatal(message: bytes) -> bool:
    return b"VFATAL\0" in message[:64] or b"VPANIC\0" in message[:64]


def _fields(message: bytes) -> Fields:
    try:
        decoded = decode(message[:1], message[HEADER_SIZE:])
    except ProtocolViolation:
        decoded = None
    return decoded if isinstance(decoded, Fields) else Fields(b"E", ((b"C", b"XX000"),))


__all__ = [
    "Ask",
    "Cancelled",
    "Chain",
    "Desk",
    "Emit",
    "Failed",
    "Replies",
    "Run",
    "Send",
    "Session",
    "SqlError",
    "Started",
    "Step",
    "Unit",
    "Wait",
]
