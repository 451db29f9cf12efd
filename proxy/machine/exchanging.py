"""Holding the client back while an exchange talks to the server in private.

Owns the exchange, its steps, and what of the client is held meanwhile. Must not know sockets or what is
served.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rewright.proxy.machine.client_stream import ClientStream
from rewright.proxy.machine.cycles import Cycles
from rewright.proxy.machine.outcome import Outcome, fields_of
from rewright.proxy.machine.phases import Event, Life, Phase
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.server_stream import ServerStream
from rewright.proxy.machine.steps import (
    Ask,
    Cancelled,
    Emit,
    Exchange,
    PendingReply,
    Replies,
    Run,
    Send,
    Started,
    Step,
    Wait,
)
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import FLUSH, SYNC
from rewright.proxy.wire.tables import ERROR, NOTICE
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE


class Exchanging:
    """``begin`` and ``hold`` are the client stream's, ``answer_due`` the server stream's, ``effect_done`` and
    ``cancel`` come from outside. ``on_lost(reason, fault)``: the exchange can't go on; ``fault``: the
    mistake of ours, if it was one.
    """

    def __init__(
        self,
        cycles: Cycles,
        replies: PendingReplies,
        life: Life,
        client: ClientStream,
        server: ServerStream,
        to_server: Callable[[bytes], None],
        to_client: Callable[[bytes], None],
        pause: Callable[[bool], None],
        effect: Callable[[Callable[[], Any], float | None], None],
        on_lost: Callable[[str, Exception | None], None],
        buffer_limit: int,
    ) -> None:
        self._cycles = cycles
        self._replies = replies
        self._life = life
        self._client = client
        self._server = server
        self._to_server = to_server
        self._to_client = to_client
        self._pause = pause
        self._effect = effect
        self._on_lost = on_lost
        self._buffer_limit = buffer_limit
        self._exchange: Exchange | None = None
        # the special message, while its exchange may not start: open cycles have to end
        self._waiting = b""
        self._held = bytearray()
        self._paused = False
        # what becomes of the replacement that was sent last
        self._outcome: Outcome | None = None

    # --- holding ------------------------------------------------------------------------------------

    @property
    def held_bytes(self) -> int:
        """Of the client, and of an answer that it does not get yet."""
        return len(self._held) + (0 if self._outcome is None else self._outcome.held_bytes)

    def hold(self, data: bytes) -> None:
        self._held += data
        if self._life.phase is Phase.RUNNING and self._outcome is not None:
            self._let_sync_through(self._outcome)
        # early: what is on its way when the pause takes effect must find room below the limit
        if len(self._held) > self._buffer_limit // 4 and not self._paused:
            self._paused = True
            self._pause(True)

    def begin(self, message: bytes, rest: bytes) -> None:
        """The interceptor wants to take over at this message: now, or when the open cycles have ended."""
        self._life.step(Event.SPECIAL)
        self._client.slow = True
        if rest:
            self.hold(rest)
        # answers to what went before belong to the client: the exchange would take them for its own
        if self._cycles.pending:
            self._waiting = message
            self._server.awaited = True
            return
        self.start()

    def start(self) -> None:
        """No cycle is open any more."""
        interceptor = self._client.interceptor
        assert interceptor is not None
        message, self._waiting = self._waiting, b""
        if message and self._cycles.failed:
            # the cycle it belongs to has failed meanwhile: the server skips it, and would skip what we ask
            interceptor.special().close()
            # It counts all the same: a cycle that it ends is answered with a ReadyForQuery.
            self._client.account(message[0])
            self._to_server(message)
            self._release(Event.SKIPPED)
            return
        # The client's messages before this one are answered first, and their answers are the client's.
        self._replies.add_unanswered()
        self._server.slow = True
        self._life.step(Event.BEGUN)
        self._exchange = interceptor.special()
        self._advance(None)

    def _release(self, event: Event) -> None:
        """What was held goes its way."""
        self._life.step(event)
        self._exchange = self._outcome = None
        held = bytes(self._held)
        self._held.clear()
        if self._paused:
            self._paused = False
            self._pause(False)
        # Before what was held goes out: it is walked the quick way where that is possible again.
        self._client.settle()
        self._server.settle()
        if held:
            self._client.held(held)
        self._client.pass_end()

    def give_up(self) -> bytes:
        """The session is only relayed from here on: what the server is to get first of what is held."""
        exchange, self._exchange = self._exchange, None
        self._outcome = None
        if exchange is not None:
            # Its ``finally`` clauses run, so that what it noted of the session is put right.
            exchange.close()
            self._replies.clear()
        held = self._waiting + self._client.take_kept() + bytes(self._held)
        self._waiting = b""
        self._held.clear()
        return held

    # --- the exchange -------------------------------------------------------------------------------

    def _advance(self, answer: object) -> None:
        """Give the exchange its answer and do what it asks, until it has to wait or ends."""
        exchange = self._exchange
        assert exchange is not None
        try:
            while True:
                # once the replacement has begun its rows are the client's, and so is its end by the cancel
                if self._cycles.cancelled and answer is not None and not isinstance(answer, Started):
                    self._cycles.cancelled = False
                    answer = Cancelled(answer)
                # a wait that failed: the exchange meets it where it asked
                step = exchange.throw(answer) if isinstance(answer, Exception) else exchange.send(answer)
                answer = None
                if self._do(step):
                    return
        except StopIteration:
            self._release(Event.ENDED)
        except ProtocolViolation as problem:
            self._on_lost(f"unexpected answer of the server: {problem}", None)
        except Exception as fault:  # noqa: BLE001 -- a mistake of ours ends one session, with a word, not all of them
            self._on_lost(f"internal error: {type(fault).__name__}", fault)

    def _do(self, step: Step) -> bool:
        """True: the answer comes later."""
        match step:
            case Ask(messages, pending_replies, cycles):
                self._ask(pending_replies, cycles)
                # Without Flush or Sync the server may keep what it has to say in its buffer.
                self._to_server(messages if cycles else messages + FLUSH)
                return True
            case Send(messages, pending_replies, kinds):
                for kind in kinds:
                    self._cycles.sent(kind)
                self._replies.add(pending_replies)
                self._server.slow = self._server.slow or bool(self._replies)
                self._to_server(messages)
            case Emit(data):
                self._to_client(data)
            case Wait(effect, limit):
                self._effect(effect, limit)
                return True
            case Run():
                self._start_run(step)
                return True
        return False

    def _ask(self, single: int, cycles: int) -> None:
        replies = Replies(remaining=single + cycles)
        self._replies.add(_collector(replies, cycle=False) for _ in range(single))
        self._replies.add(_collector(replies, cycle=True) for _ in range(cycles))
        self._server.slow = True

    def answer_due(self) -> None:
        """The message at hand is dealt with: the exchange may have its answer."""
        if self._replies.due is not None:
            answer, self._replies.due = self._replies.due, None
            if self._exchange is not None:
                self._advance(answer)

    def effect_done(self, result: object) -> None:
        """A ``Wait`` is over: its result, or the SqlError it ended with."""
        if self._exchange is not None:
            self._advance(result)

    def cancel(self) -> None:
        """The client's cancel request has come: whatever is held must not go on."""
        if self._cycles.pending or self._life.holding:
            self._cycles.cancelled = self._cycles.unusual = True

    # --- a replacement --------------------------------------------------------------------------------

    def _start_run(self, run: Run) -> None:
        self._life.step(Event.RUN)
        self._outcome = Outcome(run, self._cycles, self._replies, self._life, self._to_client)
        self._replies.add(self._outcome.sent)
        # The Execute counts as the client's own, whose place it takes.
        self._cycles.since += b"E"
        messages = run.messages
        # with its Sync the outcome takes one round trip; without one the server is asked to send what it has
        if run.cycle:
            self._add_cycle(self._outcome)
            messages += SYNC
        elif self._held.startswith(SYNC):
            del self._held[: len(SYNC)]
            self._add_cycle(self._outcome)
            messages += SYNC
        else:
            messages += FLUSH
        self._to_server(messages)

    def _let_sync_through(self, outcome: Outcome) -> None:
        """The client's Sync right behind its Execute need not wait for the outcome."""
        # one reply: no Sync has gone out with the replacement yet
        if len(outcome.sent) == 1 and self._held.startswith(SYNC):
            del self._held[: len(SYNC)]
            self._add_cycle(outcome)
            self._to_server(SYNC)

    def _add_cycle(self, outcome: Outcome) -> None:
        reply = PendingReply(cycle=True)
        outcome.sent.append(reply)
        self._replies.add((reply,))
        self._cycles.sent(SYNC_TYPE)


def _collector(replies: Replies, *, cycle: bool) -> PendingReply:
    messages: list[tuple[int, bytes]] = []
    replies.pending_replies.append(messages)

    def take(kind: int, message: bytes) -> bytes:
        if kind == ERROR:
            replies.error = fields_of(message)
        elif kind != NOTICE:
            messages.append((kind, message))
        return b""

    return PendingReply(cycle=cycle, visible=False, take=take, ask=replies)
