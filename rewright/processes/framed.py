"""Pickled messages between a worker and a process of its own, over a socket that only the two have.

Owns the framing on the process's side, which blocks. Must not know what is said.
"""

from __future__ import annotations

import pickle
import socket
import struct
from dataclasses import dataclass

HEAD = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to a request that failed."""

    sqlstate: str
    message: str
    hint: str = ""


def framed(message: object) -> bytes:
    """The bytes of one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


def send(channel: socket.socket, message: object) -> None:
    """Raises OSError when the other end is gone."""
    channel.sendall(framed(message))


def receive(channel: socket.socket) -> object | None:
    """None: the other end has ended the conversation."""
    head = _exactly(channel, HEAD.size)
    if head is None:
        return None
    data = _exactly(channel, HEAD.unpack(head)[0])
    return None if data is None else pickle.loads(data)  # noqa: S301 - our own process's


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    parts = []
    while size:
        # at most 1 MiB: a large answer is not allocated before it comes
        part = channel.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
