"""Before a replacement runs: what needs no question, the guard's answer, signatures, and saying what is done.

Owns the private exchange that binds a replacement next to the client's own statement. Must not know which
message of the client is being served. Must not do I/O.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from rewright.proxy.ports import TRUST_ORDER, Candidate, Parameters
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.failures import is_passing
from rewright.proxy.serving.guard import objection, oid_array
from rewright.proxy.serving.in_force import UNWANTED
from rewright.proxy.serving.measuring import Route, Timing
from rewright.proxy.serving.private import (
    Batch,
    Broken,
    Private,
    checked,
    described,
    same_signature,
    says_yes,
)
from rewright.proxy.serving.sites import (
    COLLATION_SQL,
    COLLATION_TYPES,
    TARGET_SQL,
    TARGET_TYPES,
    names_collation,
)
from rewright.proxy.session import IN_BLOCK, Ask, Emit, Failed, Replies
from rewright.proxy.statements import formats_of
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import Column, Fields
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import SYNC, Bind, Close
from rewright.proxy.wire.tables import COMPLETE

Decision = Generator[Any, Any, bytes]
# of the executions whose original is cheap enough to be run now and then, to see whether it still loses
MEASURED_SHARE = 0.01
# invalid_sql_statement_name: a pooler has given us another connection of the server
NO_STATEMENT = "26000"


class Declined(Exception):
    """The original runs; the reason is one of ``ServedStatement.reason``."""


def may_retry(error: Fields) -> bool:
    """Whether the original may be run after this error of the replacement."""
    return not error.is_fatal and (error.sqlstate == NO_STATEMENT or not is_passing(error.sqlstate))


@dataclass(frozen=True, slots=True)
class _Statement:
    """The private statement of a replacement in a batch. ``kept``: parsed for an earlier execution;
    ``once``: it carries the client's comments, which may differ each time, and is closed after this one.
    ``description``, ``inner``: the replies that describe its columns.
    """

    name: bytes
    kept: Private | None = None
    once: bool = False
    description: int = -1
    inner: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A batch that binds the replacement to ``portal`` and asks the guard, and where in it the replacement's
    messages and the answers stand. ``verifier``, ``target``: -1 where that is not asked.
    """

    batch: Batch
    statement: _Statement
    portal: bytes
    of_replacement: range
    row_index: int
    verifier: int
    target: int


class Serving:
    """What serving a Query and serving an Execute share."""

    def __init__(self, context: SessionContext, candidate: Candidate, text: bytes) -> None:
        self.context = context
        self.cycles = context.cycles
        self.privates = context.privates
        self.candidate = candidate
        self.text = text
        self.began = context.clock()
        self.statement_name = b""
        # the name of the client's portal: what SQL can read from once it is not empty
        self.name = b""
        # what the client's own statement was bound with
        self.bind: Bind | None = None
        self.types: tuple[int, ...] = ()
        # how many bytes of the replacement's answer are held back at most; 0: it is not held back
        self.hold = 0

    @property
    def is_held(self) -> bool:
        """Whether the replacement's answer is held back until it is whole."""
        return self.candidate.rewrite.held and not self.context.holding.off

    # --- before a message is sent -------------------------------------------------------------------

    def precheck(self, *, clean: bool) -> None:
        """Raises Declined for what needs no question to the server."""
        context, rewrite = self.context, self.candidate.rewrite
        parameters = self.context.parameters
        encoding = parameters.get(b"client_encoding", b"UTF8").upper()
        if context.ports.pause is not None and context.ports.pause.paused:
            raise Declined("paused")
        # Texts of rewrites are stored as UTF-8: in another encoding the same bytes may be other characters.
        if encoding not in {b"UTF8", b"UTF-8", b"UNICODE"}:
            raise Declined("encoding")
        # Off, a backslash in a literal escapes what follows: the literal is not what it was found to be.
        if parameters.get(b"standard_conforming_strings", b"on") != b"on":
            raise Declined("settings")
        # A proof holds for the functions and operators of the major version it was made for.
        if rewrite.server_major and rewrite.server_major != _major(parameters.get(b"server_version", b"")):
            raise Declined("facts")
        site = self.candidate.site
        # Facts about rows (foreign keys found to hold) were looked at some time ago, and may not hold for
        # ever.
        if rewrite.until < time.time():
            raise Declined(rewrite.guard.about_rows)
        if context.identity.user in rewrite.doubted_by or context.measuring.is_doubted(rewrite.id):
            raise Declined("doubted")
        if context.in_force.unknown:
            raise Declined("settings")
        if self.cycles.mixed:  # the server is in a state of its own until a Sync
            raise Declined("block")
        # In a block a failure can't be rolled back and the original run: the error must be the original's
        # own.
        if not clean and (not rewrite.unreserved or rewrite.held or (site is not None and site.writes)):
            raise Declined("block")
        if self.is_held:
            self.hold = context.holding.room_for(rewrite)
            if not self.hold:
                raise Declined("too large")
        # The new table would store a collation that the guard does not compare.
        if site is not None and site.kind == "create" and names_collation(*self.candidate.inner):
            raise Declined("target")
        if rewrite.measure_original and site is None and random.random() < MEASURED_SHARE:  # noqa: S311 -- a sample, no secret
            raise Declined("measure")

    def wanted_text(self) -> bytes:
        """What runs under the session's settings. Raises Declined."""
        view, candidate = self.context.in_force.view, self.candidate
        rewrite = candidate.rewrite
        if view.mode in UNWANTED:
            raise Declined("mode")
        if not rewrite.approved and TRUST_ORDER[rewrite.evidence] < TRUST_ORDER[view.trust]:
            raise Declined("trust")
        text = candidate.replacement
        if rewrite.hinted and not view.hints:
            if candidate.plain_replacement is None:
                raise Declined("hints")
            text = candidate.plain_replacement
        if self.context.identity.tag:
            text += f" /* rewright:{rewrite.id} */"
        return text.encode()

    def commented(self, text: bytes) -> bytes:
        """The text with the client's comments, which may be others each time; empty where it has none."""
        before, after = self.candidate.comments
        if self.candidate.site is not None:
            return text if self.candidate.site.commented else b""  # they are in its text
        return before.encode() + text + after.encode() if before or after else b""

    @property
    def unhinted(self) -> str:
        """``hints`` where the session wants none and the rewrite has some, else nothing."""
        return "hints" if self.candidate.rewrite.hinted and not self.context.in_force.view.hints else ""

    @property
    def mute(self) -> bytes:
        """What the extension reports about our hints, whatever client_min_messages is, is not for the client,
        which gave no hints.
        """
        return b"Mpg_hint_plan:" if self.candidate.rewrite.hinted else b""

    # --- the guard -----------------------------------------------------------------------------------

    def agree(
        self,
        bind: Bind,
        types: tuple[int, ...],
        columns: tuple[Column, ...] | None,
        refused: set[str],
        *,
        clean: bool,
    ) -> Decision:
        """Parse and bind the replacement, let the guard look; returns the portal to execute.

        Raises Declined, Broken (a private message failed) or Skipped.
        """
        # in a block the guard goes first and alone, under a savepoint: nothing is bound where it disagrees
        if not clean:
            yield from self._guard_alone()
        text = self.wanted_text()
        asked = self._asked(text, bind, types)
        statement = asked.statement
        replies = yield from self._replies(asked.batch)
        # Its Close was skipped with the error, or not sent: the client's portal is bound to it below.
        if statement.once and (replies.error is not None or self.name):
            self.privates.close_later(statement.name)
        yield from self._checked(replies, asked.of_replacement)
        private = statement.kept or self._parsed(replies, statement, (text, types))
        # Bound now, whatever is decided below: it is closed with the next batch, unless it is executed.
        self.privates.dead_portals.append(asked.portal)
        self._verify(replies, asked.verifier)
        self._judge(replies, asked.row_index, clean=clean)
        if asked.target >= 0 and not says_yes(replies.pending_replies[asked.target]):
            raise Declined("target")
        self._require_columns(columns, private, refused)
        # the settings that the guard has just read may ask for another text than was bound
        if self.wanted_text() != text:
            raise Declined("hints")
        if self.name:
            yield from self._take_the_name(bind, statement.name)
            return self.name
        self.privates.dead_portals.remove(asked.portal)
        return asked.portal

    def _require_columns(
        self, columns: tuple[Column, ...] | None, private: Private, refused: set[str]
    ) -> None:
        """Raises Declined: the client has been given the description of its own text, and the rows must fit
        it.
        """
        if not same_signature(columns if self.candidate.site is None else private.original, private.columns):
            refused.add("signature")
            raise Declined("signature")

    def _asked(self, text: bytes, bind: Bind, types: tuple[int, ...]) -> _Asked:
        """Put together what parses and binds the replacement and asks the guard. Nothing is sent yet."""
        batch = self._batch()
        self.privates.add_cleaning(batch)
        self.privates.add_guard_parse(batch)
        own = len(batch.messages)
        statement = self._add_statement(batch, text, types)
        portal = self.privates.new_portal()
        batch.add(Bind(portal, statement.name, bind.formats, bind.values, bind.result_formats).encode())
        of_replacement = range(own, len(batch.messages))
        if statement.once and not self.name:
            batch.add(Close(b"S", statement.name).encode())
        row_index = self.privates.add_guard(batch, self.candidate.rewrite.guard)
        verifier = self._add_verifier(batch)
        return _Asked(batch, statement, portal, of_replacement, row_index, verifier, self._add_target(batch))

    def _take_the_name(self, bind: Bind, statement: bytes) -> Generator[Any, Any, None]:
        """Bind the replacement to the client's named portal: FETCH, MOVE and functions that are given its
        name go on where the client's Execute ended, and the other way round.
        """
        batch = Batch()  # no savepoint: a portal that is closed stays so
        batch.add(Close(b"P", self.name).encode())
        bound = Bind(self.name, statement, bind.formats, bind.values, bind.result_formats)
        index = batch.add(bound.encode())
        self.privates.add_cleaning(batch)
        replies = yield batch.ask()
        yield from self._checked(replies, range(index, index + 1), undo=False)

    def _add_statement(self, batch: Batch, text: bytes, types: tuple[int, ...]) -> _Statement:
        """Parse the replacement, unless that was done before."""
        passing = self.commented(text)
        kept = None if passing else self.privates.statements.get((text, types))
        if kept is not None:
            self.privates.statements.move_to_end((text, types))
            return _Statement(kept.name, kept)
        name, description = self.privates.add_private_parse(batch, passing or text, types, bool(passing))
        # a SELECT inside another statement must have the columns of the SELECT that it replaces
        inner = [
            self.privates.add_described(batch, one.encode(), types)
            for one in (self.candidate.inner if self.candidate.site is not None else ())
        ]
        return _Statement(name, None, bool(passing), description, tuple(inner))

    def _parsed(self, replies: Replies, statement: _Statement, key: tuple[bytes, tuple[int, ...]]) -> Private:
        """What the server has parsed, kept for the session's next executions."""
        replied = replies.pending_replies
        if statement.inner:
            original, replacement = (described(replied[i])[1] for i in statement.inner)
            private = Private(statement.name, replacement, original)
        else:
            private = Private(statement.name, described(replied[statement.description])[1])
        if not statement.once:
            self.privates.statements[key] = private
        return private

    @property
    def _in_block(self) -> bool:
        return self.cycles.status == IN_BLOCK

    def _batch(self) -> Batch:
        batch = Batch()
        if self._in_block:
            self.privates.add_savepoint(batch)
        return batch

    def _replies(self, batch: Batch) -> Generator[Any, Any, Replies]:
        if self._in_block:
            self.privates.add_release(batch)
        replies: Replies = yield batch.ask()
        return replies

    def _undo(self) -> Generator[Any, Any, bool]:
        """In a block, after a message of ours has failed: back to where it began. False: it can't be done."""
        if not self._in_block:
            return False
        # The failed block takes a ROLLBACK TO only after a Sync has ended the skipping.
        yield Ask(SYNC, 0, cycles=1)
        replies = yield self.privates.rolling_back().ask()
        return replies.error is None and not replies.aborted

    def _guard_alone(self) -> Generator[Any, Any, None]:
        if not self._in_block and not self.privates.guard_ready:
            # messages of the client would be lost with the implicit transaction, if the guard could not look
            raise Declined("block")
        try:
            yield from self._ask_guard()
        except Broken as broken:
            if not broken.undone or broken.error.sqlstate != NO_STATEMENT:
                raise
            # SQL in a function or a trigger deallocated it, which the wire does not show
            yield from self._ask_guard()

    def _ask_guard(self) -> Generator[Any, Any, None]:
        batch = self._batch()
        self.privates.add_cleaning(batch)
        self.privates.add_guard_parse(batch)
        index = self.privates.add_guard(batch, self.candidate.rewrite.guard)
        verifier = self._add_verifier(batch)
        replies = yield from self._replies(batch)
        yield from self._checked(replies)
        self._verify(replies, verifier)
        self._judge(replies, index, clean=False)

    def _checked(
        self, replies: Replies, of_replacement: range = range(0), *, undo: bool = True
    ) -> Generator[Any, Any, None]:
        """Raises Broken or Skipped. ``of_replacement``: the messages whose failure
        is the replacement's own.
        """
        if replies.error is not None or replies.aborted:
            self.privates.not_cleaned()
        if replies.error is not None and replies.error.sqlstate == NO_STATEMENT:
            self.privates.lost()
        try:
            checked(replies)
        except Broken as broken:
            # Replies come in order, so the first message without one is the message that failed.
            failed = next(
                (i for i, pending_reply in enumerate(replies.pending_replies) if not pending_reply), -1
            )
            broken.of_replacement = failed in of_replacement
            broken.undone = undo and (yield from self._undo())
            raise

    def _add_verifier(self, batch: Batch) -> int:
        return (
            self.privates.add_verifier(batch, self.statement_name, self.text) if self.statement_name else -1
        )

    def _add_target(self, batch: Batch) -> int:
        """Ask whether the table that is written is as plain as it must be; -1: none is."""
        site, privates = self.candidate.site, self.privates
        if site is None or not site.writes:
            return -1
        if site.kind == "insert":
            return privates.add_question(batch, TARGET_SQL, TARGET_TYPES, site.target.encode())
        oids = oid_array(self.candidate.rewrite.guard)
        return privates.add_question(batch, COLLATION_SQL, COLLATION_TYPES, oids)

    def said(self) -> Callable[[int, bytes], bytes] | None:
        """What the lines of a plain EXPLAIN end with."""
        site = self.candidate.site
        if site is None or not site.plain_text:
            return None
        rewrite = self.candidate.rewrite
        lines = [f"Rewright: the plan of what runs instead, by rewrite {rewrite.id} ({rewrite.evidence}):"]
        lines += [f"  {line}" for line in self.candidate.inner[1].splitlines()]
        rows = b"".join(backend.DataRow((line.encode(),)).encode() for line in lines)
        return lambda kind, message: rows + message if kind == COMPLETE else message

    def _verify(self, replies: Replies, index: int) -> None:
        if index >= 0 and not self.privates.verified(replies, index, self.text):
            raise Declined("names")

    def _judge(self, replies: Replies, index: int, *, clean: bool) -> None:
        try:
            row = self.privates.guard_row(replies, index)
        except ProtocolViolation as error:
            raise Declined("facts") from error
        self.context.in_force.read_path(row.search_path)
        wrong = self.context.in_force.read(row.settings)
        if wrong:
            self.context.metrics.reasons["wrong setting"] += 1
        reason = objection(row, self.candidate.rewrite.guard, in_block=not clean)
        if reason:
            raise Declined(reason)
        self.wanted_text()

    # --- timing -------------------------------------------------------------------------------------

    def told(self, route: Route, reason: str = "", failure: str = "") -> Generator[Any, Any, None]:
        """Begin to measure, and say in a NOTICE what is done, to a session that wants to know."""
        self.time(route, reason, failure)
        if warnings := self.context.in_force.take_warnings():
            yield Emit(warnings)
        if self.context.in_force.view.notice:
            why = f": {reason}" if reason else ""
            text = f"rewright: {route} of rewrite {self.candidate.rewrite.id}{why}"
            yield Emit(backend.notice(text))

    def time(self, route: Route, reason: str = "", failure: str = "") -> None:
        """``failure``: the SQLSTATE with which the replacement failed before."""
        now = self.context.clock()
        text = self.text.decode("utf-8", "replace")
        bind = self.bind
        given = () if bind is None else bind.values
        self.context.measuring.start(
            Timing(
                self.candidate,
                route,
                reason,
                now,
                now - self.began,
                text,
                failure,
                parameters=Parameters(
                    self.types, given, formats_of(() if bind is None else bind.formats, len(given))
                ),
            )
        )

    def given_up(self, outcome: Failed) -> tuple[str, str]:
        """Why the original runs behind a replacement that was run, and the SQLSTATE that it failed with."""
        if outcome.error is not None:
            return "failed", outcome.error.sqlstate
        self.context.holding.outgrown(self.candidate.rewrite, self.hold)
        return "too large", ""

    def failed_outright(self, broken: Broken) -> None:
        """In a block the original can't be run behind a replacement that failed: what it would have done is
        unknown.
        """
        if broken.of_replacement:
            self.time("replacement", self.unhinted)
            self.context.measuring.failed_alone(broken.error.sqlstate)


def _major(version: bytes) -> int:
    # "16.3 (Debian 16.3-1)", "18beta1", and what compatible servers say: 0 where it is no number.
    digits = version.split(b".")[0].split(b" ")[0]
    return int(digits) if digits.isdigit() else 0
