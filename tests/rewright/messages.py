"""Messages of the protocol as they are, over a connection that has logged in: what drivers don't let a test send."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

import psycopg

from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.framing import Framer

Said = list[tuple[bytes, bytes]]


class Wire:
    """Messages as they are, over a connection that has logged in."""

    def __init__(self, connection: psycopg.Connection[object]) -> None:
        self.socket = socket.socket(fileno=os.dup(connection.pgconn.socket))
        self.socket.settimeout(60)  # the descriptor stays non-blocking, as libpq needs it
        self.connection = connection

    def play(self, *messages: f.Frontend) -> Said:
        """What is said up to the end of the cycle, notices left out."""
        self.socket.sendall(b"".join(one.encode() for one in messages))
        framer, said = Framer(), []
        while not said or said[-1][0] != b"Z":
            data = self.socket.recv(1 << 16)
            assert data, said
            said += framer.feed(data)
        return [one for one in said if one[0] not in b"NS"]

    def rows(self, text: str) -> list[bytes]:
        said = self.play(f.Query(text.encode()))
        return [body for kind, body in said if kind == b"D"]


def executed(text: str, statement: bytes = b"") -> Sequence[f.Frontend]:
    return f.Parse(statement, text.encode()), f.Bind(b"", statement), f.Execute(b"")


def kinds(said: Said) -> bytes:
    return b"".join(kind for kind, _ in said)


def state(said: Said) -> bytes:
    """The SQLSTATE of the one error."""
    (error,) = [body for kind, body in said if kind == b"E"]
    return next(field[1:] for field in error.split(b"\0") if field[:1] == b"C")
