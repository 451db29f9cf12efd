"""What runs for every piece of bytes: waiting for it, the counts, the walks over both sides' headers, and
sending on.

Where a C compiler was there at installation a compiled copy of this very file is run instead of it:
``hot.pxd`` says which of its names are plain C then, ``rewright.proxy.machine.core`` which of the two is
used. So all that is called for most messages is in this file, and everything else in subclasses. Must not
know what is done about a message that is special.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Protocol

from rewright.proxy.machine.steps import Interceptor
from rewright.proxy.wire.tables import (
    BIND,
    CLOSE,
    COMPLETIONS,
    DESCRIBE,
    EXECUTE,
    HEADER,
    HEADER_SIZE,
    PARSE,
    READY,
    SYNC,
    Q,
    table,
)

COMPILED = not __file__.endswith(".py")
# what it was compiled from; filled in by setup.py
SOURCE = ""

unpack: Callable[..., tuple[int, int]] = HEADER.unpack_from
IDLE, IN_BLOCK, FAILED = b"ITE"
# client types that open a cycle, and that get a reply within one
CYCLES = table(b"SQF")
REPLIED = table(bytes((PARSE, BIND, DESCRIBE, EXECUTE, CLOSE)))
# messages that hold back the rest of the stream until they are whole must not grow beyond this
EVENT_LIMIT = 1 << 20
DIGITS = b"0123456789"
# how much of the bytes a socket took, below 0: it failed; compiled only, from hot.pxd
taken_at_once: Callable[[int, bytes, int], int]
# whether a piece of bytes is these, or these but for digits (never nothing); compiled only, from hot.pxd
is_same: Callable[[bytes, int, int, bytes, int], bool]
is_like: Callable[[bytes, int, int, bytes, int], bool]
# one wait of epoll and what it found, in the order of the events; compiled only, from hot.pxd
ready_within: Callable[[int, float], int]
ready_number: Callable[[int], int]
ready_events: Callable[[int], int]
# what a socket has: None: nothing now, nothing: its end or an error; compiled only, from hot.pxd
read_at_once: Callable[[int], bytes | None]
seconds_now: Callable[[], float]
NO_TEXTS: AbstractSet[bytes] = frozenset()
# epoll's word for bytes to read and nothing else
_READABLE = 1
# the message types that are looked at below, and the size of a header, as one C integer each
_Q, _SYNC, _PARSE, _READY = Q, SYNC, PARSE, READY
_HEADER = HEADER_SIZE


class Cycles:
    """``pending``: the cycles sent (Sync, Query, FunctionCall) whose ReadyForQuery is not here yet; ``last``:
    the type that began the newest. ``since``: the types sent since then that get a reply; ``answered`` of
    them have theirs.
    """

    __slots__ = (
        "answered",
        "cancelled",
        "chunk",
        "failed",
        "last",
        "mixed",
        "pending",
        "since",
        "started",
        "status",
        "unusual",
    )

    def __init__(self) -> None:
        self.pending = 0
        self.last = 0
        self.status = IDLE
        self.since = b""
        self.answered = 0
        self.failed = False
        self.cancelled = False
        # a Query or FunctionCall went out behind extended messages without a Sync
        self.mixed = False
        # something must be put back when the cycle ends
        self.unusual = False
        # when the first bytes of what is under way came, and what they were
        self.started = 0.0
        self.chunk = b""

    def sent(self, kind: int) -> None:
        """A message of the client is on its way to the server."""
        if CYCLES[kind]:
            self.pending += 1
            self.last = kind
            self.since = b""
            self.answered = 0
        elif REPLIED[kind]:
            self.since += bytes((kind,))

    def note_since(self, data: bytes, cut: int, end: int) -> None:
        """Remember the types between ``cut`` and ``end``, all unwatched; a ``cut``
        above 0 began a new cycle.
        """
        if cut:
            self.since = b""
            self.answered = 0
        found = bytearray()
        while cut < end:
            kind, length = unpack(data, cut)
            if REPLIED[kind]:
                found.append(kind)
            cut += length + 1
        if found:
            self.since += bytes(found)

    def count_answers(self, data: bytes, end: int) -> None:
        """Which of the messages sent since the last cycle have been answered (only
        asked for without a Sync).
        """
        if self.pending:
            return
        at = 0
        while at < end:
            kind, length = unpack(data, at)
            # what stands before the end of a cycle answered messages of that one
            self.answered = 0 if kind == _READY else self.answered + COMPLETIONS[kind]
            at += length + 1


class ClientUpwards(Protocol):
    """What the client's walk tells the session of."""

    def begin(self, message: bytes, rest: bytes) -> None:
        """The message is for an exchange; ``rest`` came behind it."""

    def hold(self, data: bytes) -> None:
        """Bytes that came while the client is held back."""

    def pass_through(self, reason: str, *, replies: bool = False) -> None: ...


class ClientWalk:
    """``data`` takes the client's bytes as they come. ``slow`` is false only where the stream stands at a
    message boundary and nothing is held or counted. ``rest``: the beginning of a message that is waited
    for; ``skip``: bytes of one that is forwarded. ``passing``: texts without their digits that nobody wants
    to see now; empty: all are looked at. ``same``: the Parse of the unnamed statement as it is known, which
    nobody wants to see again as long as ``passing`` is not empty. ``like``: the one of ``passing`` that was
    met last; compiled, the next text is compared with it before a set is asked. ``passing`` has texts only
    while the settings in force are known.
    """

    __slots__ = (
        "_clock",
        "_cycles",
        "_to_server",
        "interceptor",
        "like",
        "looking",
        "passing",
        "rest",
        "same",
        "skip",
        "slow",
        "table",
        "upwards",
    )

    upwards: ClientUpwards

    def __init__(
        self, cycles: Cycles, to_server: Callable[[bytes], None], clock: Callable[[], float], watched: bytes
    ) -> None:
        self._cycles = cycles
        self._to_server = to_server
        self._clock = clock
        self.interceptor: Interceptor | None = None
        self.table = watched
        self.slow = False
        self.rest = b""
        self.skip = 0
        self.looking = True  # false while memory is short: texts pass unseen
        self.passing = NO_TEXTS
        self.same = b""
        self.like = b""

    def data(self, data: bytes) -> None:
        """Bytes as they came. Forwarded as one piece unless a message in them is special."""
        cycles = self._cycles
        if not cycles.pending:
            cycles.started = self._clock()
            cycles.chunk = data
        if self.slow:
            self.slowly(data)
            return
        size = len(data)
        at = cut = 0
        head = data
        kept = self.table
        watched = kept
        while at + _HEADER <= size:
            if COMPILED:
                kind, length = head[at], head[at + 1]
                length = length << 8 | head[at + 2]
                length = length << 8 | head[at + 3]
                length = length << 8 | head[at + 4]
            else:
                kind, length = unpack(data, at)
            if not watched[kind]:
                at += length + 1
            elif kind == _SYNC:
                cycles.pending += 1
                cycles.last = kind
                at += length + 1
                cut = at
            else:
                end = at + length + 1
                behind = kind == _Q and (
                    at > cut or cycles.mixed or len(cycles.since) > 0
                )  # extended messages without a Sync
                if end > size or behind or not self.is_quick(kind):
                    # `cut` may be behind: what was counted above stays counted
                    cycles.note_since(data, cut, at)
                    self.slowly(data, at)
                    return
                # only ifs: Cython 3.3.1 compiles a value made of conditions of C and of Python wrongly
                unseen = False
                if self.passing:
                    if kind == _PARSE:
                        if COMPILED:
                            unseen = is_same(head, at, end, self.same, len(self.same))  # noqa: F821 - declared in hot.pxd
                        else:
                            unseen = head[at:end] == self.same
                    elif length > _HEADER and not head[end - 1]:
                        if COMPILED:
                            unseen = is_like(head, at + _HEADER, end - 1, self.like, len(self.like))  # noqa: F821 - declared in hot.pxd
                        if not unseen:
                            bare = head[at + _HEADER : end - 1].translate(None, DIGITS)
                            if bare in self.passing:
                                self.like = bare
                                unseen = True
                if not unseen:
                    if not self.interceptor.passes(kind, data, at, end):  # type: ignore[union-attr] # ``passing`` is empty without an interceptor
                        cycles.note_since(data, cut, at)
                        if at:
                            self._to_server(data[:at])
                        self.upwards.begin(data[at:end], data[end:])
                        return
                    # a Parse may be of interest: what binds it can stand in this very piece
                    kept = self.table
                    watched = kept
                if kind == _Q:
                    cycles.pending += 1
                    cycles.last = kind
                    cut = end
                at = end
        if at < size:  # in the middle of a header
            cycles.note_since(data, cut, at)
            self.keep(data, 0, at)
            return
        if cut == size:
            if cycles.since:
                cycles.since = b""
                cycles.answered = 0
        else:
            cycles.note_since(data, cut, size)
            if at > size:
                self.skip = at - size
                self.slow = True
        self._to_server(data)

    def is_quick(self, kind: int) -> bool:
        """A text that the interceptor can look at without the exact state of the stream."""
        return (
            (kind in (_Q, _PARSE))
            and self.interceptor is not None
            and self.looking
            and not self._cycles.failed
            # what is looked up here is another object's, cold at most messages
            and (len(self.passing) > 0 or not self.interceptor.in_force.stale)
        )

    def slowly(self, data: bytes, at: int = 0) -> None:
        """``at``: where to begin looking; what stands before it was walked already and goes out with the
        rest.
        """
        raise NotImplementedError

    def keep(self, data: bytes, start: int, at: int) -> None:
        """Forward up to ``at``; the beginning of a message after it waits for its rest."""
        raise NotImplementedError


class ServerUpwards(Protocol):
    """What the server's walk tells the session of."""

    def rested(self) -> None:
        """No cycle is open, and somebody awaits that (or there never was one)."""

    def answer_due(self) -> None:
        """The message at hand is dealt with: an exchange may have its answer."""

    def pass_through(self, reason: str, *, replies: bool = False) -> None: ...


class ServerWalk:
    """``data`` takes the server's bytes as they come. ``slow`` is false only where the stream stands at a
    message boundary and no reply has a taker. ``rest`` and ``skip`` as the client's. ``awaited``: the session
    is to be told whenever no cycle is open.
    """

    __slots__ = (
        "_clock",
        "_cycles",
        "_to_client",
        "awaited",
        "rest",
        "skip",
        "slow",
        "slow_after",
        "table",
        "upwards",
    )

    upwards: ServerUpwards

    def __init__(
        self,
        cycles: Cycles,
        to_client: Callable[[bytes], None],
        clock: Callable[[], float],
        watched: bytes,
    ) -> None:
        self._cycles = cycles
        self._to_client = to_client
        self._clock = clock
        self.table = watched
        self.slow = False
        self.rest = b""
        self.skip = 0
        self.slow_after = float("inf")
        self.awaited = False

    def data(self, data: bytes) -> None:
        if self.slow:
            self.slowly(data)
            return
        cycles = self._cycles
        size = len(data)
        at = 0
        head = data
        kept = self.table
        watched = kept
        while at + _HEADER <= size:
            if COMPILED:
                kind, length = head[at], head[at + 1]
                length = length << 8 | head[at + 2]
                length = length << 8 | head[at + 3]
                length = length << 8 | head[at + 4]
            else:
                kind, length = unpack(data, at)
            if watched[kind]:
                if kind == _READY and length != 5:
                    self.strange(data)
                    return
                if at + length >= size:
                    if length <= EVENT_LIMIT:
                        break
                    self.event(kind, data[at:])  # too much to wait for: its beginning tells enough
                elif kind == _READY:
                    cycles.pending -= 1
                    cycles.status = head[at + 5]
                    cycles.answered = 0
                    if cycles.unusual:
                        self.back_to_usual()
                    now = self._clock()
                    if now - cycles.started > self.slow_after:
                        self.slow_ended()
                else:
                    self.event(kind, data[at : at + length + 1])
            at += length + 1
        if cycles.since:
            cycles.count_answers(data, min(at, size))
        if at == size:
            self._to_client(data)
        elif at > size:
            self.skip = at - size
            self.slow = True
            self._to_client(data)
        else:
            self.rest = data[at:]
            self.slow = True
            if at:
                self._to_client(data[:at])
        if cycles.pending <= 0 and (cycles.pending or self.awaited):
            self.upwards.rested()

    def slowly(self, data: bytes) -> None:
        raise NotImplementedError

    def strange(self, data: bytes) -> None:
        """What a server of PostgreSQL never says: from here on nothing is looked at."""
        raise NotImplementedError

    def event(self, kind: int, message: bytes) -> None:
        """A message that is forwarded all the same, but changes what is known."""
        raise NotImplementedError

    def back_to_usual(self) -> None:
        """A cycle ended: errors, cancels and copies of it are over."""
        raise NotImplementedError

    def slow_ended(self) -> None:
        """What has ended took longer than ``slow_after``."""
        raise NotImplementedError


class Outlet:
    """The bytes for one end. ``send``: its socket's, where what that takes at once need not pass the event
    loop; None: ``write_later`` gets everything. ``queued``: something may wait before what comes next.
    ``number``: the descriptor that ``send`` sends on; compiled, the system is called with it and not
    ``send``. Below 0: there is none. Its owner sets ``send`` to None before it is closed.
    """

    __slots__ = ("number", "queued", "send")

    def __init__(self) -> None:
        self.send: Callable[[bytes], int] | None = None
        self.number = -1
        self.queued = False

    def write(self, data: bytes) -> None:
        send = self.send
        if send is None or self.queued or not data:
            self.write_later(data)
            return
        if COMPILED and self.number >= 0:
            sent = taken_at_once(self.number, data, len(data))  # noqa: F821 -- it is in hot.pxd
            if sent < 0:
                self.send_failed(data)
                return
        else:
            try:
                sent = send(data)
            except BlockingIOError:
                sent = 0
            except OSError:
                self.send_failed(data)
                return
        if sent != len(data):
            self.queued = True
            self.enqueue(data[sent:] if sent else data)

    def write_later(self, data: bytes) -> None:
        """Through the transport, which knows what waits already; without any it is passed by again."""
        raise NotImplementedError

    def send_failed(self, data: bytes) -> None:
        """The peer does not take bytes any more."""
        raise NotImplementedError

    def enqueue(self, data: bytes) -> None:
        """What the socket did not take."""
        raise NotImplementedError


class Poller:
    """Waits on an epoll descriptor, and reads by itself where a handler is known: compiled only
    (``rewright.proxy.event_loop`` says who uses it).

    ``handlers``: by descriptor, who gets the bytes; None: nobody. ``failed`` is told of a descriptor
    that could not be read for want of memory, or whose handler raised anything. ``wanted``: the loop has
    something to do, so it must not be kept waiting.
    """

    __slots__ = ("failed", "handlers", "wanted")

    def __init__(self, failed: Callable[[int, BaseException], None]) -> None:
        self.handlers: list[Callable[[bytes], None] | None] = []
        self.failed = failed
        self.wanted = False

    def hand(self, number: int, handler: Callable[[bytes], None] | None) -> None:
        """From now on ``handler`` gets the bytes of the descriptor; None: they are the loop's."""
        while len(self.handlers) <= number:
            self.handlers.append(None)
        self.handlers[number] = handler

    def wait(self, number: int, seconds: float) -> list[tuple[int, int]]:
        """(descriptor, events) of what is the loop's, after at most ``seconds``; sooner when the loop is
        wanted. Raises OSError.
        """
        others: list[tuple[int, int]] = []
        self.wanted = False
        left = seconds
        end = seconds_now() + seconds  # noqa: F821 -- it is in hot.pxd, as are the names below
        while True:
            found = ready_within(number, left)  # noqa: F821 -- declared in hot.pxd
            for place in range(found):
                which = ready_number(place)  # noqa: F821 -- declared in hot.pxd
                events = ready_events(place)  # noqa: F821 -- declared in hot.pxd
                # asked for each: a handler may have taken away another's
                handler = None
                if events == _READABLE and which < len(self.handlers):
                    handler = self.handlers[which]
                if handler is None:
                    others.append((which, events))
                    continue
                try:
                    data = read_at_once(which)  # noqa: F821 -- declared in hot.pxd
                    if data is None:
                        continue
                    if data:
                        handler(data)
                    else:  # the transport meets it, too, and knows what follows
                        others.append((which, events))
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as fault:  # noqa: BLE001 -- it ends one session, not the loop
                    self.failed(which, fault)
            if found == 0 or len(others) > 0 or self.wanted:
                return others
            left = end - seconds_now()  # noqa: F821 -- declared in hot.pxd
            if left <= 0:
                return others
