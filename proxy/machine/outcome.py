"""Whether a replacement that was sent is served, or swallowed so that the original may run.

Owns what its messages decide: the first of them, or, where its answer is held back, its end. Must not know
what the client has sent meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.machine.cycles import Cycles
from rewright.proxy.machine.held import HeldAnswer
from rewright.proxy.machine.phases import Event, Life
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.server_stream import COPY_OUT
from rewright.proxy.machine.steps import Failed, PendingReply, Run, Started
from rewright.proxy.wire.backend import Fields, decode
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.tables import COMPLETIONS, ERROR, HEADER_SIZE, NOTICE, READY


class Outcome:
    """Of one ``Run``. ``sent``: its pending replies, the replacement's own, and that of its cycle once the
    Sync is out.
    """

    def __init__(
        self,
        run: Run,
        cycles: Cycles,
        replies: PendingReplies,
        life: Life,
        to_client: Callable[[bytes], None],
    ) -> None:
        self._run = run
        self._cycles = cycles
        self._replies = replies
        self._life = life
        self._to_client = to_client
        self._copy_out = b""
        self._held = HeldAnswer(run.hold)
        own = PendingReply(take=self._whole if run.hold else self._first)
        # what each message of the answer passes through must see each row
        if run.hold and run.then is None:
            own.held = self._held
        self.sent = [own]

    @property
    def held_bytes(self) -> int:
        return self._held.size

    def _first(self, kind: int, message: bytes) -> bytes:
        """The first message decides."""
        if kind == NOTICE:
            return self._unmuted(message)
        if kind == COPY_OUT:
            # no row yet: what comes behind it decides
            self._copy_out = message
            return b""
        # what follows is the answer to the client's own message
        self.sent[0].take = self._run.then
        begun, self._copy_out = self._copy_out, b""
        if kind == ERROR:
            self.sent[0].take = None
            return self._failed(message, begun)
        self._serve()
        return begun + self._shown(kind, message)

    def _whole(self, kind: int, message: bytes) -> bytes:
        """The end decides: until it has come the client gets nothing.

        Nor does it get what came before an error that is its own (a cancel, a timeout): the original may have
        ended so before its first row, and which rows it would have given first is not known.
        """
        if kind == NOTICE:
            self._held.keep(self._unmuted(message))
        elif kind == ERROR:
            self._held.take()
            return self._failed(message)
        elif not COMPLETIONS[kind]:
            self._held.keep(self._shown(kind, message))
        elif self._held.outgrown:
            self._give_up(None)
        else:
            self._serve()
            for piece in self._held.take():
                self._to_client(piece)
            return self._shown(kind, message)
        return b""

    def _unmuted(self, notice: bytes) -> bytes:
        mute = self._run.mute
        return b"" if mute and mute in notice else notice

    def _shown(self, kind: int, message: bytes) -> bytes:
        then = self._run.then
        return message if then is None else then(kind, message)

    def _serve(self) -> None:
        self._life.step(Event.DECIDED)
        self._replies.due = Started()

    def _failed(self, message: bytes, begun: bytes = b"") -> bytes:
        failure = fields_of(message)
        if self._run.retry(failure):
            self._give_up(failure)
            return b""
        # an error that the original would give as well is the client's answer
        self._serve()
        return begun + self._run.told(failure).encode()

    def _give_up(self, failure: Fields | None) -> None:
        """Behind an error the server skips what comes until a Sync: ours is out or not, and the original has
        to wait for it.
        """
        self._life.step(Event.DECIDED)
        # the client's message is answered by the original
        self.sent[0].visible = False
        if len(self.sent) == 1:
            self._replies.due = Failed(failure, synced=False)
        else:
            self.sent[1].visible = False
            self.sent[1].take = self._swallow_cycle(failure)

    def _swallow_cycle(self, failure: Fields | None) -> Callable[[int, bytes], bytes]:
        def take(kind: int, message: bytes) -> bytes:
            if kind == READY:
                self._cycles.status = message[HEADER_SIZE]
                self._replies.due = Failed(failure, synced=True)
            return b""

        return take


def fields_of(message: bytes) -> Fields:
    """What an ErrorResponse says; XX000 where that can't be read."""
    try:
        decoded = decode(message[:1], message[HEADER_SIZE:])
    except ProtocolViolation:
        decoded = None
    return decoded if isinstance(decoded, Fields) else Fields(b"E", ((b"C", b"XX000"),))
