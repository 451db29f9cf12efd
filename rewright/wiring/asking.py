"""Asking the optimiser's process one thing and waiting for its reply, from a relay's event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from rewright.processes.jobs import MAX_LINE, Job, encode


async def ask(path: str, job: Job) -> Mapping[str, Any]:
    """The reply's document. Raises OSError when nobody is there, ValueError for what is no reply."""
    reader, writer = await asyncio.open_unix_connection(path, limit=MAX_LINE)
    try:
        writer.write(encode(job))
        await writer.drain()
        reply = json.loads(await reader.readline())
    finally:
        writer.close()
    return _document(reply)


def _document(reply: Any) -> Mapping[str, Any]:
    match reply:
        case dict():
            return reply
        case _:
            raise ValueError("not a reply")
