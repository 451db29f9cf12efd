"""Serving one execution: agree with the guard, run the replacement, or run the original after all.

Owns the order of private messages. The client's own statement has always been parsed and bound upstream
unchanged before anything else happens, so its errors, locks and descriptions are the server's own. Nothing
here starts another step after a cancel. Must not do I/O.

Of a rewrite that may stop where the original would not, the answer is held back until it is whole
(docs/decisions/1810): an error at any place of it leads to the original, and so does an answer too large to
be held back.

Outside a transaction block a failing private message is rolled back by a Sync: the implicit transaction held
nothing but Parse, Bind and Describe. Inside one, the guard runs first and alone, under a savepoint, and so is
the replacement bound, only when the guard agreed; only rewrites without reservations are run at all.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rewright.proxy.ports import Candidate
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import in_name_of, swallow, without_description
from rewright.proxy.serving.guard_check import Decision, Declined, Serving, may_retry
from rewright.proxy.serving.private import (
    NOWHERE,
    Batch,
    Broken,
    Skipped,
    checked,
    described,
)
from rewright.proxy.serving.refusing import CANCELLED, failed_query, substitute_error
from rewright.proxy.session import (
    FAILED,
    IDLE,
    Ask,
    Cancelled,
    Emit,
    Exchange,
    Failed,
    PendingReply,
    Run,
    Send,
    Started,
)
from rewright.proxy.statements import Portal, Statement
from rewright.proxy.wire.backend import Column
from rewright.proxy.wire.frontend import SYNC, Bind, Close, Describe, Execute, Parse, Query
from rewright.proxy.wire.tables import ROW_DESCRIPTION


class ServeExecute(Serving):
    """An Execute of a portal whose statement has a rewrite."""

    def __init__(
        self, context: SessionContext, name: bytes, portal: Portal, max_rows: int, message: bytes
    ) -> None:
        assert portal.statement.candidate is not None
        super().__init__(context, portal.statement.candidate, portal.statement.text)
        self.name = name
        self.portal = portal
        self.max_rows = max_rows
        self.message = message

    @property
    def clean(self) -> bool:
        """Nothing but this portal's Parse, Bind and Describe would be lost with the implicit transaction.

        A Parse behind the Bind may have made the unnamed statement another, and this one could not be bound
        again.
        """
        since = self.cycles.since
        if self.cycles.status != IDLE or b"E" in since or since.count(b"B") != 1:
            return False
        return b"P" not in since.partition(b"B")[2]

    def exchange(self) -> Exchange:
        clean = self.clean
        try:
            # FETCH or MOVE may have read from it: the replacement would begin with rows the client has had.
            if self.portal.moved:
                raise Declined("block")
            # Between two portions the client would have rows of an answer that may yet fail.
            if self.is_held and self.max_rows > 0:
                raise Declined("portions")
            self.precheck(clean=clean)
            portal = yield from self._agree(clean=clean)
        except Declined as declined:
            yield from self.told("original", str(declined))
            yield from self._original(self.message)
            return
        except Skipped:
            # The server skips it, too, since an earlier message of the client failed: no reply will come.
            yield Send(self.message, kinds=b"E")
            return
        except Broken as broken:
            yield from self._broken(broken, clean=clean)
            return
        except Cancelled:
            yield from self._cancelled()
            return
        yield from self._run(portal, clean=clean)

    def _agree(self, *, clean: bool) -> Decision:
        statement = self.portal.statement
        if statement.refused:
            raise Declined(statement.refused)
        if statement.columns is None and statement.resolved is None:
            yield from self._learn(statement)
        bind = self.portal.bound
        self.statement_name = bind.statement
        self.bind, self.types = bind, statement.resolved or ()
        refused: set[str] = set()
        try:
            return (
                yield from self.agree(bind, statement.resolved or (), statement.columns, refused, clean=clean)
            )
        finally:
            statement.refused = next(iter(refused), "")

    def _learn(self, statement: Statement) -> Generator[Any, Any, None]:
        """Once a statement: the parameter types the server resolved, and the columns."""
        batch = Batch()
        index = batch.add(Describe(b"S", self.portal.bound.statement).encode())
        replies = checked((yield batch.ask()))
        statement.resolved, statement.columns = described(replies.pending_replies[index])
        if statement.columns is None and self.candidate.site is None:
            statement.refused = "signature"
            raise Declined("signature")

    def _original(self, message: bytes) -> Exchange:
        self.portal.original = True
        yield Send(message, pending_replies=(PendingReply(),), kinds=b"E")

    def _broken(self, broken: Broken, *, clean: bool) -> Exchange:
        error = broken.error
        if broken.undone:
            yield from self.told("original", "failed", _failure(broken))
            yield from self._original(self.message)
            return
        if not clean or not may_retry(error):
            # The error was swallowed with our replies: for the client its own cycle has failed at this place.
            self.cycles.failed = True
            self.failed_outright(broken)
            # The position counts in the replacement's text, which the client does not know.
            yield Emit(error.without(b"P").encode())
            return
        try:
            yield Ask(SYNC, 0, cycles=1)
        except Cancelled:
            yield from self._cancelled()
            return
        yield from self.told("original", "failed", _failure(broken))
        self.portal.original = True
        bound, pending_replies = self._bound_again()
        yield Send(bound + self.message, pending_replies=(*pending_replies, PendingReply()), kinds=b"E")

    def _bound_again(self) -> tuple[bytes, tuple[PendingReply, ...]]:
        """After a Sync of ours: the client's Bind, and its unnamed statement, which a pooler may have left
        elsewhere.
        """
        if self.statement_name:
            return self.portal.bind, (swallow(),)
        statement = self.portal.statement
        parse = Parse(b"", statement.text, statement.param_types).encode()
        return parse + self.portal.bind, (swallow(), swallow())

    def _cancelled(self) -> Exchange:
        """Fail where the client's Execute stands, exactly as a cancelled statement does."""
        pending_reply = substitute_error(CANCELLED, "34000")
        yield Send(Execute(NOWHERE).encode(), pending_replies=(pending_reply,), kinds=b"E")

    def _run(self, portal: bytes, *, clean: bool) -> Exchange:
        yield from self.told("replacement", self.unhinted)
        renamed = in_name_of(portal, self.name)
        run = Run(
            Execute(portal, self.max_rows).encode(),
            lambda error: clean and may_retry(error),
            lambda error: renamed(error.without(b"P")),
            then=self.said(),
            mute=self.mute,
            hold=self.hold,
        )
        try:
            outcome = yield run
        except Cancelled as cancelled:
            yield from self._cancelled_after(cancelled.answer)
            return
        if not isinstance(outcome, Failed):
            self.portal.private = portal
            return
        self.cycles.failed = False
        self.portal.original = True
        why = self.given_up(outcome)
        if outcome.synced:
            yield from self.told("fallback", *why)
            bound, pending_replies = self._bound_again()
            yield Send(
                bound + self.message + SYNC,
                pending_replies=(*pending_replies, PendingReply(), PendingReply(cycle=True)),
            )
            return
        try:
            yield Ask(SYNC, 0, cycles=1)
        except Cancelled:
            yield Send(Execute(NOWHERE).encode(), pending_replies=(substitute_error(CANCELLED, "34000"),))
            return
        yield from self.told("fallback", *why)
        bound, pending_replies = self._bound_again()
        yield Send(bound + self.message, pending_replies=(*pending_replies, PendingReply()))

    def _cancelled_after(self, outcome: object) -> Exchange:
        """The replacement failed, and a cancel came: the client's Execute and Sync
        are accounted for already.
        """
        self.cycles.failed = False
        pending_reply = substitute_error(CANCELLED, "34000")
        if isinstance(outcome, Failed) and outcome.synced:
            yield Send(
                Execute(NOWHERE).encode() + SYNC, pending_replies=(pending_reply, PendingReply(cycle=True))
            )
            return
        yield Ask(SYNC, 0, cycles=1)
        yield Send(Execute(NOWHERE).encode(), pending_replies=(pending_reply,))


class ServeQuery(Serving):
    """A simple Query whose text has a rewrite: the same messages go back as for a Query."""

    def __init__(self, context: SessionContext, text: bytes, candidate: Candidate) -> None:
        super().__init__(context, candidate, text)
        self.description = b""
        # of the client's text
        self.portal = b""

    def exchange(self) -> Exchange:
        clean = self.cycles.status == IDLE
        if self.cycles.since or self.cycles.status == FAILED:
            # a Query inside an extended cycle, or one that the server refuses; it says so of a Query
            self.context.measuring.passed()
            yield from self._as_sent()
            return
        try:
            self.precheck(clean=clean)
            if not self.context.in_force.stale:
                self.wanted_text()
        except Declined as declined:
            yield from self.told("original", str(declined))
            yield from self._as_sent()
            return
        try:
            columns = yield from self._original_bound(clean=clean)
            portal = yield from self.agree(Bind(b"", b""), (), columns, set(), clean=clean)
        except Declined as declined:
            yield from self._original(str(declined))
            return
        except Skipped:
            yield Send(SYNC, pending_replies=(PendingReply(cycle=True),), kinds=b"S")
            return
        except Broken as broken:
            if broken.undone:
                yield from self._original("failed", _failure(broken))
            else:
                yield from self._broken(broken, clean=clean)
            return
        except Cancelled:
            pending_reply = substitute_error(CANCELLED, "34000")
            yield Send(
                Execute(NOWHERE).encode() + SYNC,
                pending_replies=(pending_reply, PendingReply(cycle=True)),
                kinds=b"S",
            )
            return
        yield from self._run(portal, clean=clean)

    def _original(self, reason: str, failure: str = "") -> Exchange:
        """What has been bound for the client's text is run."""
        yield from self.told("original", reason, failure)
        yield Emit(self.description)
        self._leave(self.portal)
        yield Send(
            Execute(self.portal).encode() + SYNC,
            pending_replies=(PendingReply(), PendingReply(cycle=True)),
            kinds=b"S",
        )

    def _as_sent(self) -> Exchange:
        yield Send(Query(self.text).encode(), pending_replies=(PendingReply(cycle=True),), kinds=b"Q")

    def _original_bound(self, *, clean: bool) -> Generator[Any, Any, tuple[Column, ...] | None]:
        """The client's text as unnamed statement and portal; both are dropped again, as a Query does: in a
        block the portal has a name of ours, to be closed once it is not needed.
        """
        batch = Batch()
        if not clean:
            batch.add(Close(b"P", b"").encode())
            self.portal = self.privates.new_portal()
        batch.add(Parse(b"", self.text).encode(), Bind(self.portal, b"").encode())
        index = batch.add(Describe(b"P", self.portal).encode())
        batch.add(Close(b"S", b"").encode())
        replies = checked((yield batch.ask()))
        self.description = b"".join(
            m for kind, m in replies.pending_replies[index] if kind == ROW_DESCRIPTION
        )
        return described(replies.pending_replies[index])[1]

    def _leave(self, *portals: bytes) -> None:
        """Outside a block they end with the Query."""
        if self.portal:
            self.privates.dead_portals += portals

    def _broken(self, broken: Broken, *, clean: bool) -> Exchange:
        """Outside a block the client's own Query gives its own answer or error."""
        error = broken.error
        if clean and may_retry(error):
            try:
                yield Ask(SYNC, 0, cycles=1)
            except Cancelled:
                yield from failed_query(None)
                return
            yield from self.told("original", "failed", _failure(broken))
            yield from self._as_sent()
            return
        self.failed_outright(broken)
        if self.description:
            error = error.without(b"P")
        yield Emit(error.encode())
        yield Send(SYNC, pending_replies=(PendingReply(cycle=True),), kinds=b"S")

    def _run(self, portal: bytes, *, clean: bool) -> Exchange:
        yield from self.told("replacement", self.unhinted)
        yield Emit(self.description)
        try:
            outcome = yield Run(
                Execute(portal).encode(),
                lambda error: clean and may_retry(error),
                lambda error: error.without(b"P"),
                cycle=True,
                then=self.said(),
                mute=self.mute,
                hold=self.hold,
            )
        except Cancelled:
            # its cycle is over and was swallowed, but is accounted for
            self.cycles.failed = False
            pending_reply = substitute_error(CANCELLED, "34000")
            yield Send(
                Execute(NOWHERE).encode() + SYNC, pending_replies=(pending_reply, PendingReply(cycle=True))
            )
            return
        if isinstance(outcome, Started):
            self._leave(self.portal, portal)
            return
        self.cycles.failed = False
        yield from self.told("fallback", *self.given_up(outcome))
        yield Send(Query(self.text).encode(), pending_replies=(without_description(),))


def _failure(broken: Broken) -> str:
    """What the replacement failed with; empty where something else did."""
    return broken.error.sqlstate if broken.of_replacement else ""
