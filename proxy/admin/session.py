"""A client of the admin database from its login to its end: its messages one after another.

Owns the waiting. What is answered is decided by ``rewright.proxy.admin.protocol``.
"""

from __future__ import annotations

from rewright.proxy.admin.protocol import AdminProtocol
from rewright.proxy.inbox import Gone, Inbox
from rewright.proxy.relay import Side
from rewright.proxy.wire import backend
from rewright.proxy.wire.framing import ProtocolViolation


async def converse(client: Side, inbox: Inbox, protocol: AdminProtocol) -> None:
    """Until the client leaves."""
    try:
        while not protocol.ended:
            client.write(await protocol.take(*await inbox.message()))
            await client.drained()
    except Gone:
        return
    except ProtocolViolation as error:
        client.write(backend.error("08P01", str(error), severity="FATAL"))
    client.close()
