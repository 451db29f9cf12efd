"""What a session does about statements and portals by name: Bind, Execute, Describe, Close.

Owns the decision; what it leads to is an exchange (``rewright.proxy.serving``). Must not do I/O.
"""

from __future__ import annotations

import contextlib
import struct

from rewright.proxy.duckdb_backend import exchanges as duckdb_backend
from rewright.proxy.duckdb_backend.statement import LakeStatement
from rewright.proxy.serving import inline, local
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.exchanges import ServeExecute
from rewright.proxy.serving.forwarding import forward, portion
from rewright.proxy.serving.refreshing import refresh
from rewright.proxy.session import Cancelled, Exchange
from rewright.proxy.statements import Portal, bind_of, split_names
from rewright.proxy.wire.tables import HEADER_SIZE


class Names:
    """Of one session. ``bind``, ``execute`` and ``describe`` return what takes the message over; None: it
    passes.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._registry = context.registry
        self._in_force = context.in_force
        self._lookups = context.lookups
        self._measuring = context.measuring

    # --- Bind ---------------------------------------------------------------------------------------

    def bind(self, data: bytes, at: int, end: int) -> Exchange | None:
        names = split_names(data, at + HEADER_SIZE, end)
        if names is None:
            return None
        portal, name = names
        context, in_force = self._context, self._in_force
        context.drop_portal(portal)
        if in_force.stale and in_force.must_refresh():
            return self._refreshing_bind(data[at:end])
        statement = self._registry.statements.get(name)
        if statement is None or not (statement.special or in_force.view.mode == "inline"):
            return None
        if statement.changes and statement.answer is None and not statement.tag:
            # read before it runs, the settings are old again once it has
            in_force.stale_after()
            return None
        message = data[at:end]
        if bind_of(message) is None:  # the server refuses it, in its own words
            return None
        context.cycles.unusual = True
        if statement.answer is not None or statement.tag:
            return local.bind_exchange(context, portal, statement, message)
        self._registry.portals[portal] = Portal(statement, message, ahead=context.cycles.pending)
        return None

    def _refreshing_bind(self, message: bytes) -> Exchange:
        """A driver that only binds what it prepared long ago must feel a change of its settings, too."""
        with contextlib.suppress(Cancelled):
            yield from refresh(self._context)
        self._context.look_again()
        exchange = self.bind(message, 0, len(message))
        if exchange is None:
            self._measuring.passed()  # its Execute may pass unseen
            exchange = forward(message, b"B")
        yield from exchange

    # --- Execute ------------------------------------------------------------------------------------

    def execute(self, data: bytes, at: int, end: int) -> Exchange | None:
        name_end = data.find(b"\0", at + HEADER_SIZE, end)
        if name_end < 0 or end - name_end != 5:
            return None
        name = data[at + HEADER_SIZE : name_end]
        self._registry.runs(name)
        portal = self._registry.portals.get(name)
        if portal is None:
            self._measuring.passed_by()
            return None
        (max_rows,) = struct.unpack_from("!i", data, name_end + 1)
        message = data[at:end]
        exchange = self._execution(name, portal, max_rows, message)
        if exchange is None:
            portal.original = True
            self._measuring.passed_by()
            return None
        return self._while_it_lives(name, portal, message, exchange)

    def _execution(self, name: bytes, portal: Portal, max_rows: int, message: bytes) -> Exchange | None:
        """What takes an Execute over; None: it passes as it is."""
        context, statement = self._context, portal.statement
        if isinstance(statement.answer, LakeStatement):
            return duckdb_backend.execute_exchange(context, name, portal, statement.answer, max_rows)
        if statement.fetches is not None and statement.fetches.name in context.lake_cursors:
            return duckdb_backend.fetch_exchange(context, name, portal, statement.fetches, max_rows)
        if statement.executes is not None:
            exchange: Exchange = statement.executes.execute_exchange(context, name, portal, max_rows)
            return exchange
        if statement.answer is not None or statement.tag:
            return local.execute_exchange(context, name, portal, max_rows, message)
        if statement.command is not None:
            return local.changing_execute(context, statement.command, message)
        if portal.private:
            # it goes on where it began, whatever became of the rewrite: the original would begin anew
            self._measuring.portion_begins()
            return portion(portal.private, name, max_rows)
        # Executed before with a limit of rows: it goes on where it stopped, with the same plan.
        if portal.original:
            return None
        if statement.candidate is not None:
            return ServeExecute(context, name, portal, max_rows, message).exchange()
        if self._lookups.may_hold(statement.text):
            return inline.execute_exchange(context, name, portal, max_rows, message)
        return None

    def _while_it_lives(self, name: bytes, portal: Portal, message: bytes, exchange: Exchange) -> Exchange:
        """A cycle that was still open when the Execute came may have ended the portal: then the server says
        so.
        """
        if self._registry.portals.get(name) is portal:
            yield from exchange
        else:
            exchange.close()
            yield from forward(message, b"E")

    # --- Describe -----------------------------------------------------------------------------------

    def describe(self, data: bytes, at: int, end: int) -> Exchange | None:
        start = at + HEADER_SIZE
        name = data[start + 1 : end - 1]
        formats: tuple[int, ...] = ()
        if data[start : start + 1] == b"S":
            statement = self._registry.statements.get(name)
        else:
            portal = self._registry.portals.get(name)
            statement = portal.statement if portal is not None else None
            formats = portal.result_formats if portal is not None else ()
        if statement is None or statement.answer is None:
            return None
        return local.describe_exchange(statement.answer, formats, data[at:end])
