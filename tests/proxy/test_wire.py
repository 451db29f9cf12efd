"""The codec: against another implementation, in any pieces, and with garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygwire import messages as oracle

from rewright.proxy.wire import backend, frontend, startup
from rewright.proxy.wire.framing import Framer, ProtocolViolation, message

names = st.binary(max_size=20).map(lambda b: b.replace(b"\0", b""))
texts = st.binary(max_size=200).map(lambda b: b.replace(b"\0", b""))
oids = st.integers(0, 2**32 - 1)
formats = st.lists(st.sampled_from((0, 1)), max_size=3).map(tuple)
values = st.lists(st.none() | st.binary(max_size=50), max_size=5).map(tuple)
kinds = st.sampled_from((b"S", b"P"))

FRONTEND = st.one_of(
    st.builds(frontend.Query, texts),
    st.builds(frontend.Parse, names, texts, st.lists(oids, max_size=4).map(tuple)),
    st.builds(frontend.Bind, names, names, formats, values, formats),
    st.builds(frontend.Describe, kinds, names),
    st.builds(frontend.Close, kinds, names),
    st.builds(frontend.Execute, names, st.integers(0, 2**31 - 1)),
    st.builds(frontend.CopyData, st.binary(max_size=300)),
    st.builds(frontend.CopyFail, texts),
    st.sampled_from((frontend.Sync(), frontend.Flush(), frontend.Terminate(), frontend.CopyDone())),
)
columns = st.builds(
    backend.Column,
    names,
    oids,
    st.integers(-2, 100),
    st.integers(-1, 2**31 - 1),
    oids,
    st.integers(0, 1600),
    st.sampled_from((0, 1)),
)
fields = st.lists(st.tuples(st.sampled_from([bytes((c,)) for c in b"SVCMDHPF"]), texts), max_size=6).map(
    tuple
)
BACKEND = st.one_of(
    st.builds(backend.RowDescription, st.lists(columns, max_size=4).map(tuple)),
    st.builds(backend.DataRow, values),
    st.builds(backend.CommandComplete, texts),
    st.builds(backend.ParameterStatus, names, texts),
    st.builds(backend.BackendKeyData, oids, st.binary(min_size=4, max_size=256)),
    st.builds(backend.ParameterDescription, st.lists(oids, max_size=5).map(tuple)),
    st.builds(backend.ReadyForQuery, st.sampled_from((b"I", b"T", b"E"))),
    st.builds(backend.Fields, st.sampled_from((b"E", b"N")), fields),
)


@given(st.lists(FRONTEND, max_size=8), st.lists(st.integers(1, 9), min_size=1))
def test_frontend_messages_survive_any_chunking(
    sent: list[frontend.FrontendMessage], cuts: list[int]
) -> None:
    stream = b"".join(m.encode() for m in sent)
    assert [frontend.decode(kind, body) for kind, body in pieces(stream, cuts)] == sent


@given(st.lists(BACKEND, max_size=8), st.lists(st.integers(1, 9), min_size=1))
def test_backend_messages_survive_any_chunking(sent: list[backend.BackendMessage], cuts: list[int]) -> None:
    stream = b"".join(m.encode() for m in sent)
    assert [backend.decode(kind, body) for kind, body in pieces(stream, cuts)] == sent


def pieces(stream: bytes, cuts: list[int]) -> list[tuple[bytes, bytes]]:
    framer, found, turn = Framer(), [], 0
    while stream:
        size = cuts[turn % len(cuts)]
        found += framer.feed(stream[:size])
        stream, turn = stream[size:], turn + 1
    assert framer.rest == b""
    return found


@given(st.sampled_from([bytes((c,)) for c in range(256)]), st.binary(max_size=200))
def test_garbage_is_refused_or_means_itself(kind: bytes, body: bytes) -> None:
    for side in (frontend, backend):
        try:
            decoded = side.decode(kind, body)
        except ProtocolViolation:
            continue
        again = decoded.encode()
        if kind not in {b"S", b"H", b"X", b"c"}:
            assert again[:1] == kind
            assert side.decode(kind, again[5:]) == decoded


@given(st.binary(min_size=8, max_size=100))
def test_garbage_startup(body: bytes) -> None:
    try:
        found = startup.decode_first(body)
    except ProtocolViolation:
        return
    assert startup.decode_first(found.encode()) == found


@given(st.lists(st.tuples(names.filter(bool), texts), max_size=5))
def test_startup(parameters: list[tuple[bytes, bytes]]) -> None:
    sent = startup.StartupMessage(3, 2, tuple(parameters))
    packet = sent.encode()
    assert startup.packet_length(packet) == len(packet)
    assert startup.decode_first(packet) == sent


def test_cancel_keys_of_any_length() -> None:
    for size in (4, 32, 256):
        request = startup.CancelRequest(17, b"k" * size)
        assert startup.decode_first(request.encode()) == request
    for size in (0, 257):
        with pytest.raises(ProtocolViolation):
            startup.decode_first(startup.CancelRequest(17, b"k" * size).encode())


@pytest.mark.parametrize("length", [0, 3, 0x40000000, 0xFFFFFFFF])
def test_impossible_lengths(length: int) -> None:
    with pytest.raises(ProtocolViolation):
        list(Framer().feed(b"Q" + length.to_bytes(4, "big")))


@pytest.mark.parametrize("length", [0, 7, 10001, 0xFFFFFFFF])
def test_impossible_startup_lengths(length: int) -> None:
    with pytest.raises(ProtocolViolation):
        startup.packet_length(length.to_bytes(4, "big"))


# --- the oracle -----------------------------------------------------------------------------------


def test_same_bytes_as_another_codec() -> None:
    ours = frontend.Parse(b"s", b"select $1", (23, 25)).encode()
    theirs = oracle.Parse(statement="s", query="select $1", param_types=[23, 25]).to_wire()
    assert ours == theirs
    assert frontend.Query(b"select 1").encode() == oracle.Query(query_string="select 1").to_wire()
    assert frontend.Execute(b"p", 5).encode() == oracle.Execute(portal="p", max_rows=5).to_wire()
    assert oracle.Sync().to_wire() == frontend.SYNC
    assert backend.CommandComplete(b"SELECT 3").encode() == oracle.CommandComplete(tag="SELECT 3").to_wire()
    assert backend.DataRow((b"1", None, b"")).encode() == oracle.DataRow(columns=[b"1", None, b""]).to_wire()


def test_notices_and_errors() -> None:
    sent = backend.error("22023", "wrong\0text", hint="a hint", position=4)
    decoded = backend.decode(b"E", sent[5:])
    assert isinstance(decoded, backend.Fields)
    assert (decoded.sqlstate, decoded.get(b"M"), decoded.get(b"P")) == ("22023", b"wrong?text", b"4")
    assert decoded.without(b"P").get(b"P") == b""
    assert message(b"S") == frontend.SYNC
