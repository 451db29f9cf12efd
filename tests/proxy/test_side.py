"""Writing past the event loop: nothing is lost, doubled or reordered when the socket takes only a part."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import Callable, Coroutine

import pytest

from rewright.proxy.relay import Side
from tests.proxy.running import LOOPS


async def _pair() -> tuple[Side, socket.socket]:
    ours, theirs = socket.socketpair()
    for one in (ours, theirs):
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    side = Side()
    await asyncio.get_running_loop().connect_accepted_socket(lambda: side, ours)
    side.write_through(ours)
    return side, theirs


async def _read(theirs: socket.socket, size: int) -> bytes:
    loop = asyncio.get_running_loop()
    found = b""
    while len(found) < size:
        piece = await loop.sock_recv(theirs, 1000)
        assert piece
        found += piece
    return found


async def _pieces_arrive_in_order() -> None:
    side, theirs = await _pair()
    pieces = [bytes([n % 256]) * random.Random(n).choice((1, 10, 5000, 40_000)) for n in range(200)]
    reading = asyncio.ensure_future(_read(theirs, sum(map(len, pieces))))
    for number, piece in enumerate(pieces):
        side.write(piece)
        if number % 7 == 0:
            await asyncio.sleep(0)
        if number % 50 == 0:
            await asyncio.sleep(0.01)
    assert await reading == b"".join(pieces)
    side.write(b"last")
    side.close()
    side.write(b"too late")
    assert await _read(theirs, 4) == b"last"
    assert await asyncio.get_running_loop().sock_recv(theirs, 10) == b""
    theirs.close()


async def _a_peer_that_is_gone_is_noticed() -> None:
    side, theirs = await _pair()
    lost = asyncio.Event()
    side.on_lost = lambda _exc: lost.set()
    theirs.close()
    for _ in range(3):
        side.write(b"x" * 10_000)
    async with asyncio.timeout(5):
        await lost.wait()
    side.write(b"x")


@pytest.mark.parametrize("factory", LOOPS.values(), ids=LOOPS)
def test_pieces_arrive_in_order(factory) -> None:  # type: ignore[no-untyped-def]
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_pieces_arrive_in_order())


@pytest.mark.parametrize("factory", LOOPS.values(), ids=LOOPS)
def test_a_peer_that_is_gone_is_noticed(factory) -> None:  # type: ignore[no-untyped-def]
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_a_peer_that_is_gone_is_noticed())


async def _last_words_are_read() -> None:
    """A peer that closes with bytes unread resets the connection; what it said
    before is there all the same.
    """
    side, theirs = await _pair()
    heard, lost = bytearray(), asyncio.Event()
    side.receive(heard.extend)
    side.on_lost = lambda _error: lost.set()
    side.write(b"never read")
    side.transport.pause_reading()
    theirs.send(b"last words")
    theirs.close()
    side.write(b"too late")
    side.write(b"and later")
    side.transport.resume_reading()
    await asyncio.wait_for(lost.wait(), 5)
    assert bytes(heard) == b"last words"


async def _its_number_may_be_anothers() -> None:
    """The system gives a closed descriptor's number to the next that is opened: it may be another client's."""
    for end in (Side.abort, Side.close, Side.finish, None):
        others, reader = socket.socketpair()
        side, theirs = await _pair()
        number = side.number
        lost = asyncio.Event()
        side.on_lost = lambda _exc, lost=lost: lost.set()
        if end is None:
            theirs.close()
        else:
            end(side)
            side.write(b"too late")
            theirs.close()
        await asyncio.wait_for(lost.wait(), 5)
        while True:  # the transport closes it in its own time
            try:
                os.fstat(number)
            except OSError:
                break
            await asyncio.sleep(0.001)
        with others, reader, socket.socket(fileno=os.dup2(others.fileno(), number)):
            reader.setblocking(False)
            for _ in range(2):
                side.write(b"not for the other")
                await asyncio.sleep(0)
            with pytest.raises(BlockingIOError):
                reader.recv(1)


async def _nothing_is_said_after_the_end() -> None:
    """A session that the server ended may be ended by a shutdown as well."""
    for end in (Side.finish, Side.write_end):
        side, theirs = await _pair()
        lost = asyncio.Event()
        side.on_lost = lambda _exc, lost=lost: lost.set()
        side.write(b"last")
        end(side)
        side.write(b"too late")
        assert await _read(theirs, 4) == b"last"
        assert await asyncio.get_running_loop().sock_recv(theirs, 10) == b""
        side.write(b"and later still")
        side.close()
        theirs.close()
        async with asyncio.timeout(5):
            await lost.wait()


async def _the_peer_may_read_to_the_end() -> None:
    """``finish`` with bytes of the peer unread: what was written arrives, and the socket closes by itself."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    theirs = socket.create_connection(listener.getsockname())
    theirs.setblocking(False)
    ours, _ = await asyncio.get_running_loop().sock_accept(listener)
    side, lost = Side(), asyncio.Event()
    await asyncio.get_running_loop().connect_accepted_socket(lambda: side, ours)
    side.on_lost = lambda _error: lost.set()
    side.transport.pause_reading()
    theirs.send(b"x" * 100_000)
    side.write(b"last words")
    side.finish()
    await asyncio.sleep(0.2)
    assert await asyncio.get_running_loop().sock_recv(theirs, 100) == b"last words"
    assert await asyncio.get_running_loop().sock_recv(theirs, 100) == b""
    await asyncio.wait_for(lost.wait(), 5)
    theirs.close()
    listener.close()


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    "play",
    [
        _last_words_are_read,
        _nothing_is_said_after_the_end,
        _the_peer_may_read_to_the_end,
        _its_number_may_be_anothers,
    ],
)
def test_last_words(loop: str, play: Callable[[], Coroutine[None, None, None]]) -> None:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(play())
