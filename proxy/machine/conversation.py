"""Holding the client back while a chain talks to the server in private.

Owns the chain's steps and the units that sort the replies. Must not know sockets or what is served.
"""

from __future__ import annotations

from collections.abc import Callable

from proxy.machine.client_walk import ClientWalk
from proxy.machine.state import (
    COPY_OUT,
    CYCLES,
    REPLIED,
)
from proxy.machine.steps import (
    Ask,
    Cancelled,
    Emit,
    Failed,
    Replies,
    Run,
    Send,
    Started,
    Step,
    Unit,
    Wait,
)
from proxy.wire.backend import Fields, decode
from proxy.wire.framing import ProtocolViolation
from proxy.wire.frontend import FLUSH, SYNC
from proxy.wire.tables import (
    ERROR,
    HEADER_SIZE,
    NOTICE,
    READY,
)
from proxy.wire.tables import SYNC as SYNC_TYPE


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
        self.client_slow = bool(self.client_skip or self.client_rest or self.units or self.relay_only)
        self._settle()
        if held:
            self._from_client(held)
        self._pass_end()

    def _settle(self) -> None:
        """When only replies for the client are left, nobody needs to sort them."""
        if self.units and self.chain is None and all(unit.take is None for unit in self.units):
            self.units.clear()
        if not self.units and self.chain is None:
            self.server_slow = bool(self.server_skip or self.server_rest)
            if not self.holding:
                self.client_slow = bool(self.client_skip or self.client_rest or self.relay_only)

    # --- the chain ----------------------------------------------------------------------------------

    def _advance(self, answer: object) -> None:
        """Give the chain its answer and do what it asks, until it has to wait or ends."""
        chain = self.chain
        assert chain is not None
        try:
            while True:
                if self.cancelled and answer is not None and not isinstance(answer, Started):
                    self.cancelled = False
                    answer = Cancelled(answer)
                step = chain.throw(answer) if isinstance(answer, Exception) else chain.send(answer)
                answer = None
                if self._do(step):
                    return
        except StopIteration:
            self._release()
        except Exception as problem:  # noqa: BLE001 -- a mistake of ours ends one session, with a word, not all of them
            self.give_up(f"internal error: {type(problem).__name__}")

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
            return b"" if run.mute and run.mute in message else message
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


def _fields(message: bytes) -> Fields:
    try:
        decoded = decode(message[:1], message[HEADER_SIZE:])
    except ProtocolViolation:
        decoded = None
    return decoded if isinstance(decoded, Fields) else Fields(b"E", ((b"C", b"XX000"),))
