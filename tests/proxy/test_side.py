"""Writing past the event loop: nothing is lost, doubled or reordered when the socket takes only a part."""

from __future__ import annotations

import asyncio
import random
import socket

import pytest
import uvloop

from proxy.relay import Side


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


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_pieces_arrive_in_order(factory) -> None:  # type: ignore[no-untyped-def]
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_pieces_arrive_in_order())


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_peer_that_is_gone_is_noticed(factory) -> None:  # type: ignore[no-untyped-def]
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_a_peer_that_is_gone_is_noticed())
