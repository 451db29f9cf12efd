"""Which loop a proxy runs on, and what its own must keep of asyncio's while it reads by itself."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from rewright.proxy import loops
from rewright.proxy.config import ListenConfig
from rewright.proxy.relay import Side
from tests.proxy.running import LOOPS, config


@contextmanager
def _server(answer: bytes) -> Iterator[int]:
    """Says ``answer`` to whoever asks for encryption."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(8)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(5)


@pytest.mark.parametrize(
    ("mode", "encrypted"),
    [("disable", False), ("allow", False), ("as-client", False), ("require", True), ("verify-full", True)],
)
def test_the_dsn_says_whether_sessions_are_encrypted(mode: str, encrypted: bool) -> None:
    assert loops.may_encrypt(config(f"host=127.0.0.1 port=1 sslmode={mode}")) is encrypted


def test_a_unix_socket_is_not_encrypted_and_a_certificate_says_that_clients_are() -> None:
    local = "host=/nowhere sslmode=prefer"
    assert not loops.may_encrypt(config(local))
    assert loops.may_encrypt(config(local, listen=ListenConfig(port=0, tls_cert="one")))


@pytest.mark.parametrize("answer", [b"S", b"N", b""])
def test_a_server_is_asked_whether_it_encrypts(answer: bytes) -> None:
    with _server(answer) as port:
        assert loops.may_encrypt(config(f"host=127.0.0.1 port={port}")) is (answer != b"N")


def test_a_server_that_is_not_there_may_encrypt() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert loops.may_encrypt(config(f"host=127.0.0.1 port={port}"))


def _same(side: Side) -> Side:
    return side


class _Stage:
    """Two sides that relay to each other, and the peers' ends."""

    async def set(self) -> None:
        self.sides: list[Side] = []
        self.peers: list[socket.socket] = []
        for _ in range(2):
            ours, theirs = socket.socketpair()
            ours.setblocking(False)
            theirs.setblocking(False)
            side = Side()
            await asyncio.get_running_loop().connect_accepted_socket(partial(_same, side), ours)
            side.write_through(ours)
            self.sides.append(side)
            self.peers.append(theirs)
        for side, other in zip(self.sides, reversed(self.sides), strict=True):
            side.opposite = other
            side.receive(other.write)


def _flood(peers: list[socket.socket], seconds: float) -> threading.Thread:
    """Bytes go to and fro between the peers, so that the loop always has some to relay."""

    def play() -> None:
        end = time.monotonic() + seconds
        for peer in peers:
            peer.setblocking(True)
            peer.settimeout(2)
        while time.monotonic() < end:
            peers[0].sendall(b"x" * 100)
            peers[1].recv(100)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    return thread


async def _what_asyncio_is_asked_for_comes_in_time() -> None:
    stage = _Stage()
    await stage.set()
    loop = asyncio.get_running_loop()
    traffic = _flood(stage.peers, 0.6)
    began, late = loop.time(), []
    for _ in range(20):  # timers
        before = loop.time()
        await asyncio.sleep(0.01)
        late.append(loop.time() - before)
    # another thread's calls, and descriptors that are asyncio's
    await asyncio.wait_for(loop.run_in_executor(None, time.sleep, 0.01), 2)
    one, two = socket.socketpair()
    one.setblocking(False)
    loop.call_later(0.01, two.send, b"y")
    assert await asyncio.wait_for(loop.sock_recv(one, 1), 2) == b"y"
    assert sorted(late)[10] < 0.1
    assert loop.time() - began < 3
    await loop.run_in_executor(None, traffic.join, 5)
    for end in (one, two, *stage.peers):
        end.close()


async def _a_handler_wakes_whoever_waits() -> None:
    """With nothing due for long, what a handler asks of the loop is done at once."""
    stage = _Stage()
    await stage.set()
    came = asyncio.Event()
    stage.sides[0].receive(lambda _data: came.set())
    threading.Timer(0.05, stage.peers[0].send, (b"now",)).start()
    await asyncio.wait_for(came.wait(), 5)
    fired: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def set_timer(_data: bytes) -> None:
        asyncio.get_running_loop().call_later(0.01, fired.set_result, None)

    stage.sides[0].receive(set_timer)
    threading.Timer(0.05, stage.peers[0].send, (b"timer",)).start()
    await asyncio.wait_for(fired, 5)


async def _whoever_is_not_read_from_is_not() -> None:
    stage = _Stage()
    await stage.set()
    heard: list[bytes] = []
    first, second = stage.sides
    first.receive(heard.append)
    first.valve.close("test")
    stage.peers[0].send(b"early")
    await asyncio.sleep(0.05)
    assert heard == []
    # a handler given while nobody reads does not read, either
    first.receive(heard.append)
    await asyncio.sleep(0.05)
    assert heard == []
    first.valve.open("test")
    await asyncio.sleep(0.05)
    assert heard == [b"early"]
    # one side's handler closes the other, whose bytes are ready at the same moment
    second.receive(heard.append)
    first.receive(lambda _data: second.abort())
    stage.peers[0].send(b"end it")
    stage.peers[1].send(b"never")
    await asyncio.sleep(0.05)
    assert second.lost
    assert heard in ([b"early"], [b"early", b"never"])


class _Unforeseen(BaseException):
    """No ``Exception``, as asyncio's ``CancelledError`` is none."""


async def _a_mistake_ends_its_side_and_no_other(mistake: type[BaseException]) -> None:
    stage = _Stage()
    await stage.set()
    told: list[Any] = []

    def wrong(_data: bytes) -> None:
        raise mistake

    stage.sides[0].on_lost = told.append
    stage.sides[0].receive(wrong)
    stage.peers[0].send(b"x")
    heard: list[bytes] = []
    stage.sides[1].receive(heard.append)
    stage.peers[1].send(b"y")
    await asyncio.sleep(0.05)
    assert [type(one) for one in told] == [mistake]
    assert heard == [b"y"]


async def _a_descriptors_next_owner_gets_its_bytes() -> None:
    """The system gives the number of a closed one to the next that is opened."""
    stage = _Stage()
    await stage.set()
    heard: list[bytes] = []
    stage.sides[0].receive(heard.append)
    number = stage.sides[0].number
    stage.sides[0].abort()
    await asyncio.sleep(0.02)
    ends = [*socket.socketpair(), *socket.socketpair()]
    again = next(end for end in ends if end.fileno() == number)
    again.setblocking(False)
    place = ends.index(again)
    asyncio.get_running_loop().call_later(0.01, ends[place ^ 1].send, b"not yours")
    received = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(again, 100), 2)
    assert received == b"not yours"
    assert heard == []
    for end in (*ends, *stage.peers):
        end.close()


async def _spent() -> float:
    """CPU seconds of the loop's thread while nothing should happen."""
    await asyncio.sleep(0.05)
    before = time.thread_time()
    await asyncio.sleep(0.15)
    return time.thread_time() - before


async def _whatever_waits_costs_nothing() -> None:
    """Sides that are at rest, blocked, drained, ended or left with bytes that nobody reads."""
    stage = _Stage()
    await stage.set()
    one, two = stage.sides
    other = _Stage()
    await other.set()
    assert await _spent() < 0.05
    # nobody takes what is written, then somebody does
    stage.peers[0].setblocking(False)
    one.write(b"x" * 4_000_000)
    assert two.valve.reasons
    stage.peers[1].send(b"unread")
    assert await _spent() < 0.05
    got = b""
    async with asyncio.timeout(5):
        while not got.endswith(b"unread"):
            got += await asyncio.get_running_loop().sock_recv(stage.peers[0], 1 << 20)
    assert len(got) == 4_000_006
    assert not two.valve.reasons
    assert await _spent() < 0.05
    # a peer that has said its last word, and whose side stays open, is not read from anew and anew
    ends: list[bool] = []

    def stay() -> bool:
        ends.append(True)
        return True

    two.on_eof = stay
    stage.peers[1].shutdown(socket.SHUT_WR)
    await asyncio.sleep(0.02)
    two.valve.close("test")
    two.valve.open("test")
    assert await _spent() < 0.05
    assert 1 <= len(ends) <= 2
    # a reset that nobody has read
    other.sides[0].valve.close("test")
    other.peers[0].close()
    assert await _spent() < 0.05
    for end in (*stage.peers, *other.peers):
        end.close()


@pytest.mark.parametrize(
    "play",
    [
        _what_asyncio_is_asked_for_comes_in_time,
        _a_handler_wakes_whoever_waits,
        _whoever_is_not_read_from_is_not,
        _a_descriptors_next_owner_gets_its_bytes,
        _whatever_waits_costs_nothing,
        partial(_a_mistake_ends_its_side_and_no_other, ValueError),
        partial(_a_mistake_ends_its_side_and_no_other, asyncio.CancelledError),
        partial(_a_mistake_ends_its_side_and_no_other, _Unforeseen),
    ],
)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_the_loop_owes(loop: str, play: Any) -> None:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.get_loop().set_exception_handler(lambda _loop, _context: None)
        runner.run(play())
