"""Whole sessions of random bytes, the same in every process that is given the same numbers.

    python -m tests.proxy.random_sessions FIRST LAST

One line for each number from FIRST up to LAST: a digest of all that the session sent, and what became of it.
For comparing the relay core as it stands with the compiled one, of which a process has only one. Headers say
every strange length there is (below 4, around 2**31, all ones), and are cut anywhere.
"""

from __future__ import annotations

import hashlib
import random
import sys
from dataclasses import replace

from rewright.proxy.machine import core
from rewright.proxy.ports import Guard, ServedRewrite
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from tests.proxy.fake_server import settings_row
from tests.proxy.test_session import DONE, ERROR, ONE_COLUMN, READY, Play, guard_row

SLOW, PLAIN = b"select slow", b"select a from t where b = 17"
REWRITE = ServedRewrite(1, "db", SLOW.decode(), "select fast", Guard((), (), digest="d"))
CLIENT = (
    f.Query(SLOW).encode(), f.Query(PLAIN).encode(), f.Query(b"").encode(), f.Query(b"set rewright.mode = off").encode(),
    f.Parse(b"", SLOW).encode(), f.Parse(b"s", SLOW).encode(), f.Parse(b"", PLAIN).encode(), f.Bind(b"", b"").encode(),
    f.Bind(b"p", b"s").encode(), f.Describe(b"S", b"").encode(), f.Execute(b"").encode(), f.Execute(b"p", 1).encode(),
    f.Close(b"S", b"s").encode(), f.SYNC, f.FLUSH, f.CopyData(b"row").encode(), b"c\0\0\0\4", f.FunctionCall(b"x").encode(),
)  # fmt: skip
SERVER = (
    b.PARSE_COMPLETE, b.BIND_COMPLETE, b.CLOSE_COMPLETE, b.PORTAL_SUSPENDED, b.NO_DATA, ONE_COLUMN, DONE, DONE,
    b.DataRow((b"1",)).encode(), guard_row(), settings_row(), ERROR, b"G\0\0\0\7\0\0\0", b"H\0\0\0\7\0\0\0",
    b.error("57P01", "terminating", severity="FATAL"), b.ParameterStatus(b"a", b"b").encode(), b.ParameterDescription(()).encode(),
)  # fmt: skip
ENDS = (READY, READY, b"Z\0\0\0\5T", b"Z\0\0\0\5E")
LENGTHS = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    255,
    1 << 20,
    (1 << 20) + 1,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 2,
    (1 << 32) - 1,
)
KINDS = b"QPBDECSHXFdcfpZESGWACTn12sI\0\xff"
STRANGE = 0.03


def _piece(chance: random.Random, messages: tuple[bytes, ...]) -> bytes:
    found = b""
    for _ in range(chance.randint(1, 4)):
        if chance.random() < STRANGE:
            header = bytes((chance.choice(KINDS),)) + chance.choice(LENGTHS).to_bytes(4, "big")
            found += header + chance.randbytes(chance.randint(0, 6))
        else:
            found += chance.choice(messages)
    return found


def _of_server(chance: random.Random, pending: int) -> bytes:
    """Cycles end where one is open, and now and then where none is."""
    ends = pending > 0 or chance.random() < 0.05
    return _piece(chance, SERVER) + (chance.choice(ENDS) if ends else b"")


def _parts(chance: random.Random, piece: bytes) -> list[bytes]:
    cuts = sorted(chance.randint(0, len(piece)) for _ in range(chance.choice((0, 0, 1, 2, 5))))
    ends = zip([0, *cuts], [*cuts, len(piece)], strict=True)
    return [piece[start:end] for start, end in ends if end > start]


def played(number: int) -> tuple[str, str]:
    """A digest of what both sides got, and how the session stands at last."""
    chance = random.Random(number)
    rewriting, held = chance.random() < 0.7, chance.random() < 0.5
    play = Play(
        *([replace(REWRITE, held=held)] if rewriting else []),
        settings_known=chance.random() < 0.7,
        interceptor=rewriting,
    )
    session, seen, raised = play.session, hashlib.sha256(), ""
    try:
        for _ in range(chance.randint(1, 30)):
            client = chance.random() < 0.5
            take = session.client_data if client else session.server_data
            piece = _piece(chance, CLIENT) if client else _of_server(chance, session.cycles.pending)
            for part in _parts(chance, piece):
                take(part)
                seen.update(b"|%d|%d|" % (len(play.to_server), len(play.to_client)))
            if chance.random() < 0.03:
                session.cancel()
        session.client_eof()
    except Exception as error:
        raised = repr(error)
    seen.update(bytes(play.to_server) + b"|" + bytes(play.to_client) + session.farewell())
    cycles = session.cycles
    counts = (cycles.pending, cycles.status, cycles.since, cycles.answered, cycles.failed, cycles.mixed)
    return seen.hexdigest(), f"{session.relay_only!r} {session.held_bytes} {counts} {raised}"


def main() -> None:
    first, last = map(int, sys.argv[1:])
    print(core.described())
    for number in range(first, last):
        print(number, *played(number))


if __name__ == "__main__":
    main()
