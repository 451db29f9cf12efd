"""Coverage-guided fuzzing of the wire and of the session machine (atheris, libFuzzer's engine).

    python -m tests.conformance.coverage [-max_total_time=600] [corpus directory...]

Bytes become a play: messages and raw bytes of either side, cut anywhere, with a rewrite, a cancel, the
client's end. Nothing may raise, no private reply may break the session, and a session without a rewrite
changes no byte. atheris is not among the locked packages (35 MB, no wheels for newer Pythons): ``make
fuzz-coverage`` installs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

os.environ["REWRIGHT_PURE"] = "1"  # what is compiled tells nothing of what it covered
import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

with atheris.instrument_imports(include=["rewright.proxy"]):
    from rewright.proxy.ports import Guard, ServedRewrite
    from rewright.proxy.statements import split_names, split_parse
    from rewright.proxy.wire import backend as b
    from rewright.proxy.wire import frontend as f
    from rewright.proxy.wire.framing import Framer, ProtocolViolation
    from rewright.proxy.wire.startup import decode_first, packet_length
    from tests.proxy.fake_server import settings_row
    from tests.proxy.test_session import DONE, ERROR, ONE_COLUMN, READY, Play, guard_row

TEXT = "select slow"
REWRITE = ServedRewrite(1, "db", TEXT, "select fast", Guard((), (), digest="d"))
CLIENT = (
    f.Query(TEXT.encode()).encode(),
    f.Query(b"select 1").encode(),
    f.Query(b"set rewright.mode = off").encode(),
    f.Query(b"show rewright.mode").encode(),
    f.Query(b"deallocate all").encode(),
    f.Parse(b"", TEXT.encode()).encode(),
    f.Parse(b"s", TEXT.encode()).encode(),
    f.Parse(b"", b"select $1").encode(),
    f.Bind(b"", b"").encode(),
    f.Bind(b"p", b"s").encode(),
    f.Execute(b"").encode(),
    f.Execute(b"p", 1).encode(),
    b"D\0\0\0\6S\0",
    b"D\0\0\0\7Pp\0",
    b"C\0\0\0\7Ss\0",
    f.SYNC,
    b"H\0\0\0\4",
    b"X\0\0\0\4",
    f.CopyData(b"row").encode(),
    b"c\0\0\0\4",
    f.CopyFail(b"no").encode(),
    b"F\0\0\0\4",
)
SERVER = (
    b.PARSE_COMPLETE,
    b.BIND_COMPLETE,
    b.CLOSE_COMPLETE,
    b.PORTAL_SUSPENDED,
    b.NO_DATA,
    ONE_COLUMN,
    b.DataRow((b"1",)).encode(),
    guard_row(),
    settings_row(),
    guard_row(digest=b"other"),
    DONE,
    READY,
    b"Z\0\0\0\5T",
    b"Z\0\0\0\5E",
    ERROR,
    b.error("57014", "canceling statement due to user request"),
    b.error("57P01", "terminating", severity="FATAL"),
    b.ParameterDescription(()).encode(),
    b"G\0\0\0\7\0\0\0",
    b"H\0\0\0\7\0\0\0",
    b"I\0\0\0\4",
)


def play(data: bytes) -> None:
    """One session."""
    given = atheris.FuzzedDataProvider(data)
    rewriting = given.ConsumeBool()
    session = Play(
        *([REWRITE] if rewriting else []), settings_known=given.ConsumeBool(), interceptor=rewriting
    )
    streams = {True: bytearray(), False: bytearray()}
    takes: dict[bool, Callable[[bytes], None]] = {
        True: session.session.client_data,
        False: session.session.server_data,
    }
    while given.remaining_bytes():
        choice = given.ConsumeIntInRange(0, 9)
        if choice == 9:
            session.session.cancel()
            continue
        client = choice % 2 == 0
        if choice < 6:
            messages = CLIENT if client else SERVER
            piece = messages[given.ConsumeIntInRange(0, len(messages) - 1)]
        else:
            piece = given.ConsumeBytes(given.ConsumeIntInRange(1, 40))
        cut = given.ConsumeIntInRange(0, len(piece)) if choice in {4, 5} else 0
        for part in (piece[:cut], piece[cut:]):
            if part:
                takes[client](part)
                streams[client] += part
    session.session.client_eof()
    session.session.farewell()
    if not rewriting:
        # what is no whole header yet waits for its rest
        to_server = bytes(session.to_server) + session.session.client.rest
        to_client = bytes(session.to_client) + session.session.server.rest
        if to_server != streams[True] or to_client != streams[False]:
            raise AssertionError("bytes were changed")


def decoders(data: bytes) -> None:
    """Only what the protocol's errors are may be raised."""
    for kind in b"QPBDECSHXFdcfp":
        _decoded(f.decode, bytes((kind,)), data)
    for kind in b"ZESCNADTnt123sIRKvGHWdcV":
        _decoded(b.decode, bytes((kind,)), data)
    split_parse(data, 0, len(data))
    split_names(data, 0, len(data))
    try:
        Framer(4096).feed(data)
        length = packet_length(data[:4])
        if length is not None and length <= len(data):
            decode_first(data[:length])
    except ProtocolViolation:
        return


def _decoded(decode: Callable[[bytes, bytes], object], kind: bytes, body: bytes) -> None:
    try:
        decode(kind, body)
    except ProtocolViolation:
        return


def one_input(data: bytes) -> None:
    if data[:1] == b"\xff":
        decoders(data[1:])
    else:
        play(data)


def main() -> None:
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
