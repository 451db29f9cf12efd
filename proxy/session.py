"""One established session, without I/O: bytes of both sides in, bytes for both sides out.

Owns the walk over message headers (the hot path), the count of open cycles, whose reply comes next, and holding the
client back while a private conversation with the server goes on. Forwards whole pieces; decodes nothing but what
``rewright.proxy.wire.tables`` marks. Must not know sockets, or what is looked up, guarded and served: that is the ``Interceptor``'s.

Invariants of the hot path, which every other method keeps:

- ``client_slow`` is false only where the client's stream stands at a message boundary and nothing is held or counted;
- ``server_slow`` is false only where the server's stream stands at a message boundary and ``pending_replies`` is empty;
- ``pending`` counts the cycles sent for the client (Sync, Query, FunctionCall) whose ReadyForQuery is not here yet;
- ``since`` are the types sent since the last cycle ended that get a reply; ``answered`` of them have theirs;
- ``pending_replies``, when not empty, says for each reply still to come, in order, who takes it.

On anything the protocol does not explain the session stops looking and only relays (``pass_through``).
"""

from __future__ import annotations

from rewright.proxy.machine.server_walk import ServerWalk
from rewright.proxy.machine.state import IDLE
from rewright.proxy.machine.steps import (
    Ask,
    Cancelled,
    Emit,
    Exchange,
    Failed,
    Interceptor,
    PendingReply,
    Replies,
    Run,
    Send,
    Started,
    Step,
    Wait,
)
from rewright.proxy.ports import SqlError


class Session(ServerWalk):
    """A session, whole: state, the client's stream, private conversations, the server's stream."""


__all__ = [
    "IDLE",
    "Ask",
    "Cancelled",
    "Emit",
    "Exchange",
    "Failed",
    "Interceptor",
    "PendingReply",
    "Replies",
    "Run",
    "Send",
    "Session",
    "SqlError",
    "Started",
    "Step",
    "Wait",
]
