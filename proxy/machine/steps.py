"""What an exchange may ask of the session, and who takes the replies.

An exchange is a generator: it yields steps and is sent their answers. Must not know how the session does what
it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from rewright.proxy.machine.held import HeldAnswer
from rewright.proxy.wire.backend import Fields


@dataclass(slots=True)
class Replies:
    """What came back for an ``Ask``: for each pending reply its messages. ``error``: the one that ended it
    early.

    ``aborted``: an earlier message of the client failed, the server skipped ours.
    """

    pending_replies: list[list[tuple[int, bytes]]] = field(default_factory=list)
    error: Fields | None = None
    aborted: bool = False
    remaining: int = 0


class PendingReply:
    """One reply to come. ``take`` gets each message and returns what the client shall see; None: all of it.

    ``visible``: it answers a message that the client sent. ``held``: what rows go to, many at a time, instead
    of ``take``; one for which it has no room is not waited for.
    """

    __slots__ = ("ask", "cycle", "held", "take", "visible")

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
        self.held: HeldAnswer | None = None


# --- what an exchange may ask of the session -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """Send private messages and collect ``pending_replies`` replies, then ``cycles`` ReadyForQuery. Answer:
    Replies.
    """

    messages: bytes
    pending_replies: int
    cycles: int = 0


@dataclass(frozen=True, slots=True)
class Send:
    """Send in the client's name; ``pending_replies`` say who takes the replies. ``kinds``: what to account
    for.
    """

    messages: bytes
    pending_replies: tuple[PendingReply, ...] = ()
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

    ``hold``: wait for its end instead, and keep up to so many bytes of its answer back until then; 0: don't.
    ``cycle``: the messages end with a Sync of the client's own cycle (simple Query). ``retry`` says whether
    an error may be swallowed; of one that may not, the client sees ``told``. ``then`` takes the messages of a
    replacement that is served. A notice that holds ``mute`` is kept from the client. A Sync that the client
    sent already, or sends meanwhile, goes along.
    """

    messages: bytes
    retry: Callable[[Fields], bool]
    told: Callable[[Fields], Fields]
    cycle: bool = False
    then: Callable[[int, bytes], bytes] | None = None
    mute: bytes = b""
    hold: int = 0


@dataclass(frozen=True, slots=True)
class Started:
    pass


@dataclass(frozen=True, slots=True)
class Failed:
    """``error`` None: more came than may be held back. ``synced``: the cycle's Sync was sent; its
    ReadyForQuery has come and was swallowed.
    """

    error: Fields | None
    synced: bool


class Cancelled(Exception):
    """Thrown into an exchange when the client cancelled: no further step may start. ``answer``: what the step
    had come to.
    """

    def __init__(self, answer: object = None) -> None:
        super().__init__()
        self.answer = answer


Step: TypeAlias = Ask | Send | Emit | Wait | Run
Exchange: TypeAlias = Generator[Step, Any, None]


class MayBeStale(Protocol):
    """``stale``: it must be read from the server before it is used."""

    stale: bool


class Interceptor(Protocol):
    """Looks at what the session shows it and decides. ``passes`` false: ``special`` holds an exchange to run
    in place of the message.
    """

    @property
    def in_force(self) -> MayBeStale:
        """The session's settings."""

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool: ...
    def special(self) -> Exchange: ...
    def unseen(self, kind: int, data: bytes, at: int) -> bool: ...
    def cycle_ended(self) -> bool: ...
    def slow_ended(self) -> None: ...
    def error(self, message: bytes) -> None: ...
    def tag(self, tag: bytes) -> None: ...
    def suspended(self) -> None: ...
