"""Who takes the replies that are still to come.

Owns their order, and what an error of the server does to it. Must not know streams, nor what the replies are
for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from rewright.proxy.machine.cycles import Cycles
from rewright.proxy.machine.steps import PendingReply
from rewright.proxy.wire.tables import ERROR


class PendingReplies:
    """For each reply still to come, in order, who takes it; while it is empty, all replies are the client's.

    ``due``: the answer for the exchange, once the message at hand is dealt with.
    """

    __slots__ = ("_cycles", "due", "queue")

    def __init__(self, cycles: Cycles) -> None:
        self._cycles = cycles
        self.queue: deque[PendingReply] = deque()
        self.due: object = None

    def __bool__(self) -> bool:
        return bool(self.queue)

    @property
    def first(self) -> PendingReply:
        return self.queue[0]

    def add(self, replies: Iterable[PendingReply]) -> None:
        self.queue.extend(replies)

    def add_unanswered(self) -> None:
        """What the client has sent already in the cycle that is open."""
        # Where replies are sorted already, those of the client have been added as its messages went out.
        if not self.queue:
            self.add(PendingReply() for _ in range(len(self._cycles.since) - self._cycles.answered))

    def clear(self) -> None:
        self.queue.clear()

    def are_plain(self) -> bool:
        """Only replies for the client are left: nobody needs to sort them."""
        return all(reply.take is None for reply in self.queue)

    def finish(self, reply: PendingReply, kind: int) -> bool:
        """The reply is complete; False: it is not there any more, for the session gave up meanwhile.

        After an error the server skips to the next Sync, and so do the replies.
        """
        if not self.queue or self.queue[0] is not reply:
            return False
        self.queue.popleft()
        self._done(reply)
        if kind == ERROR and not reply.cycle:
            cycles = self._cycles
            # an error in an answer to us must not make the client's own cycle count as failed
            cycles.failed = cycles.failed or reply.visible
            cycles.unusual = True
            # these messages the server throws away: no answer to them will come
            while self.queue and not self.queue[0].cycle:
                skipped = self.queue.popleft()
                if skipped.ask is not None and skipped.ask.error is None:
                    skipped.ask.aborted = True
                self._done(skipped)
        return True

    def _done(self, reply: PendingReply) -> None:
        # What answers messages of ours is not counted: ``since`` lists the client's messages only.
        if reply.visible and not reply.cycle:
            self._cycles.answered += 1
        if reply.ask is not None:
            reply.ask.remaining -= 1
            if not reply.ask.remaining:
                self.due = reply.ask
