"""Holding the client back while an exchange talks to the server in private.

Owns the exchange's steps and the pending replies that sort the replies. Must not know sockets or what is served.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.machine.client_walk import ClientWalk
from rewright.proxy.machine.state import (
    COPY_OUT,
    CYCLES,
    REPLIED,
)
from rewright.proxy.machine.steps import (
    Ask,
    Cancelled,
    Emit,
    Failed,
    PendingReply,
    Replies,
    Run,
    Send,
    Started,
    Step,
    Wait,
)
from rewright.proxy.wire.backend import Fields, decode
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import FLUSH, SYNC
from rewright.proxy.wire.tables import (
    ERROR,
    HEADER_SIZE,
    NOTICE,
    READY,
)
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE


class Conversation(ClientWalk):
    """``effect_done`` and ``cancel`` are called from outside."""

    # --- holding ------------------------------------------------------------------------------------

    def _hold(self, data: bytes) -> None:
        self.held += data
        if self.run is not None:
            self._let_sync_through()
        if len(self.held) > self.buffer_limit // 4 and not self.paused:
            self.paused = True
            self.pause(True)

    def _begin(self, message: bytes, rest: bytes) -> None:
        """The interceptor wants to take over at this message: now, or when the open cycles have ended."""
        self.holding = self.client_slow = True
        if rest:
            self._hold(rest)
        if self.pending:
            self.waiting = message
            return
        self._start_exchange()

    def _start_exchange(self) -> None:
        assert self.interceptor is not None
        message, self.waiting = self.waiting, b""
        if message and self.cycle_failed:
            # the cycle it belongs to has failed meanwhile: the server skips it, and would skip what we ask
            self.interceptor.special().close()
            self._account(message[0])
            self.to_server(message)
            self._release()
            return
        if not self.pending_replies:
            self.pending_replies.extend(PendingReply() for _ in range(len(self.since) - self.answered))
        self.server_slow = True
        self.exchange = self.interceptor.special()
        self._advance(None)

    def _release(self) -> None:
        """The exchange is over: what was held goes its way."""
        self.exchange = None
        self.holding = False
        held = bytes(self.held)
        self.held.clear()
        if self.paused:
            self.paused = False
            self.pause(False)
        self.client_slow = bool(
            self.client_skip or self.client_rest or self.pending_replies or self.relay_only
        )
        self._settle()
        if held:
            self._from_client(held)
        self._pass_end()

    def _settle(self) -> None:
        """When only replies for the client are left, nobody needs to sort them."""
        if (
            self.pending_replies
            and self.exchange is None
            and all(pending_reply.take is None for pending_reply in self.pending_replies)
        ):
            self.pending_replies.clear()
        if not self.pending_replies and self.exchange is None:
            self.server_slow = bool(self.server_skip or self.server_rest)
            if not self.holding:
                self.client_slow = bool(self.client_skip or self.client_rest or self.relay_only)

    # --- the exchange ----------------------------------------------------------------------------------

    def _advance(self, answer: object) -> None:
        """Give the exchange its answer and do what it asks, until it has to wait or ends."""
        exchange = self.exchange
        assert exchange is not None
        try:
            while True:
                if self.cancelled and answer is not None and not isinstance(answer, Started):
                    self.cancelled = False
                    answer = Cancelled(answer)
                step = exchange.throw(answer) if isinstance(answer, Exception) else exchange.send(answer)
                answer = None
                if self._do(step):
                    return
        except StopIteration:
            self._release()
        except ProtocolViolation as problem:
            self.pass_through(f"unexpected answer of the server: {problem}")
        except Exception as fault:  # noqa: BLE001 -- a mistake of ours ends one session, with a word, not all of them
            self.pass_through(f"internal error: {type(fault).__name__}")
            self.on_fault(fault)

    def _do(self, step: Step) -> bool:
        """True: the answer comes later."""
        match step:
            case Ask(messages, pending_replies, cycles):
                replies = Replies(remaining=pending_replies + cycles)
                self.pending_replies.extend(
                    self._collector(replies, cycle=False) for _ in range(pending_replies)
                )
                self.pending_replies.extend(self._collector(replies, cycle=True) for _ in range(cycles))
                self.server_slow = True
                self.to_server(messages if cycles else messages + FLUSH)
                return True
            case Send(messages, pending_replies, kinds):
                for kind in kinds:
                    self._account_sent(kind)
                self.pending_replies.extend(pending_replies)
                self.server_slow = self.server_slow or bool(self.pending_replies)
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
        """As ``_account``, for a message whose pending reply the exchange gives itself."""
        if CYCLES[kind]:
            self.pending += 1
            self.last_cycle = kind
            self.since = b""
            self.answered = 0
        elif kind in REPLIED:
            self.since += bytes((kind,))

    def _collector(self, replies: Replies, *, cycle: bool) -> PendingReply:
        messages: list[tuple[int, bytes]] = []
        replies.pending_replies.append(messages)

        def take(kind: int, message: bytes) -> bytes:
            if kind == ERROR:
                replies.error = _fields(message)
            elif kind != NOTICE:
                messages.append((kind, message))
            return b""

        return PendingReply(cycle=cycle, visible=False, take=take, ask=replies)

    def _start_run(self, run: Run) -> None:
        pending_replies: list[PendingReply] = []
        pending_reply = PendingReply(
            take=lambda kind, message: self._outcome(run, pending_replies, kind, message)
        )
        pending_replies.append(pending_reply)
        self.pending_replies.append(pending_reply)
        self.run = (run, pending_replies)
        self.since += b"E"
        messages = run.messages
        if run.cycle:
            self._add_cycle(pending_replies)
            messages += SYNC
        elif self.held.startswith(SYNC):
            del self.held[: len(SYNC)]
            self._add_cycle(pending_replies)
            messages += SYNC
        else:
            messages += FLUSH
        self.to_server(messages)

    def _let_sync_through(self) -> None:
        """The client's Sync right behind its Execute need not wait for the outcome."""
        assert self.run is not None
        _run, pending_replies = self.run
        if len(pending_replies) == 1 and self.held.startswith(SYNC):
            del self.held[: len(SYNC)]
            self._add_cycle(pending_replies)
            self.to_server(SYNC)

    def _add_cycle(self, pending_replies: list[PendingReply]) -> None:
        pending_reply = PendingReply(cycle=True)
        pending_replies.append(pending_reply)
        self.pending_replies.append(pending_reply)
        self._account_sent(SYNC_TYPE)

    def _outcome(self, run: Run, pending_replies: list[PendingReply], kind: int, message: bytes) -> bytes:
        """The first message of the replacement decides: it is served, or swallowed and the original runs."""
        if kind == NOTICE:
            return b"" if run.mute and run.mute in message else message
        if kind == COPY_OUT:
            # no row yet: what comes behind it decides
            self._copy_out = message
            return b""
        self.run = None
        pending_replies[0].take = run.then
        begun, self._copy_out = self._copy_out, b""
        if kind != ERROR:
            self._later(Started())
            return begun + (message if run.then is None else run.then(kind, message))
        pending_replies[0].take = None
        failure = _fields(message)
        if not run.retry(failure):
            self._later(Started())
            return begun + failure.without(b"P").encode()
        if len(pending_replies) == 1:
            self._later(Failed(failure, synced=False))
        else:
            pending_replies[1].visible = False
            pending_replies[1].take = self._swallow_cycle(failure)
        return b""

    def _swallow_cycle(self, failure: Fields) -> Callable[[int, bytes], bytes]:
        def take(kind: int, message: bytes) -> bytes:
            if kind == READY:
                self.status = message[HEADER_SIZE]
                self._later(Failed(failure, synced=True))
            return b""

        return take

    def _later(self, answer: object) -> None:
        """Answer the exchange once the message at hand is dealt with."""
        self._due = answer

    _due: object = None
    _copy_out = b""

    def effect_done(self, result: object) -> None:
        """A ``Wait`` is over: its result, or the SqlError it ended with."""
        if self.exchange is not None and not self.relay_only:
            self._advance(result)

    def cancel(self) -> None:
        """The client's cancel request has come: whatever is held must not go on."""
        if self.pending or self.holding:
            self.cancelled = self.unusual = True


def _fields(message: bytes) -> Fields:
    try:
        decoded = decode(message[:1], message[HEADER_SIZE:])
    except ProtocolViolation:
        decoded = None
    return decoded if isinstance(decoded, Fields) else Fields(b"E", ((b"C", b"XX000"),))
