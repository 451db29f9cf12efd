"""``rewright.mode = inline``: an unknown SELECT is held while the optimiser is asked for a rewrite.

Owns the waiting. The optimiser decides whether the query is expensive enough and answers within the session's
budget; whatever happens to it, the query then runs. Each text is asked about once a session. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rewright.proxy.ports import Candidate, SlowQuery, SqlError
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.exchanges import ServeExecute, ServeQuery
from rewright.proxy.serving.forwarding import forward, forward_query
from rewright.proxy.serving.private import NOWHERE
from rewright.proxy.serving.refusing import CANCELLED, failed_query, substitute_error
from rewright.proxy.session import Cancelled, Exchange, Send, Wait
from rewright.proxy.statements import Portal
from rewright.proxy.wire.frontend import Execute, Query

# texts that one session remembers as asked about
MAX_ASKED = 10_000


def _ask(context: SessionContext, text: bytes, query: SlowQuery) -> Generator[Any, Any, Candidate | None]:
    port = context.ports.inline
    assert port is not None
    if len(context.lookups.asked) >= MAX_ASKED:
        context.lookups.asked.clear()
    # Before the answer is there: two sessions' worth of waiting for one text would help nobody.
    context.lookups.asked.add(text)
    try:
        found: Candidate | None = yield Wait(lambda: port.optimise(query), limit=query.settings.budget)
    except SqlError as error:
        # Only a cancel ends the client's statement: whatever else the optimiser meets, the query runs.
        if error.sqlstate == "57014":
            raise Cancelled from error
        return None
    return found


def query_exchange(context: SessionContext, text: bytes) -> Exchange:
    """A simple Query: served, or sent as it came."""
    message = Query(text).encode()
    try:
        found = yield from _ask(context, text, context.slow.before(text, ()))
    except Cancelled:
        yield from failed_query(None)
        return
    if found is None:
        yield from forward_query(message)
        return
    yield from ServeQuery(context, text, found).exchange()


def execute_exchange(
    context: SessionContext, name: bytes, portal: Portal, max_rows: int, message: bytes
) -> Exchange:
    """An Execute: its statement gains the rewrite that was found."""
    statement = portal.statement
    query = context.slow.before(statement.text, statement.resolved or statement.param_types, portal.bound)
    try:
        found = yield from _ask(context, statement.text, query)
    except Cancelled:
        pending_reply = substitute_error(CANCELLED, "34000")
        yield Send(Execute(NOWHERE).encode(), pending_replies=(pending_reply,), kinds=b"E")
        return
    if found is None:
        portal.original = True
        yield from forward(message, b"E")
        return
    statement.candidate = found
    yield from ServeExecute(context, name, portal, max_rows, message).exchange()
