"""Clients and servers that misbehave: nothing is left of them, and who can still hear is told why."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import Limits
from rewright.proxy.ports import Ports
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.framing import message
from rewright.proxy.wire.startup import SslRequest, StartupMessage
from tests.proxy.differential import Raw
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports
from tests.proxy.waiting import PATIENCE, queries_running, until

# for what never comes; who does log in gets the time that a loaded machine needs
HASTY = Limits(login_timeout=1.0, connect_timeout=1.0)
PATIENT = Limits(login_timeout=4.0)
STARTUP = StartupMessage(3, 0, ((b"user", b"postgres"), (b"database", b"postgres"))).encode()
RESET = struct.pack("ii", 1, 0)


def ports() -> Ports:
    return Ports(lookup=RewriteIndex(), reporter=Reports(), settings=RULES)


class Left:
    """Sockets and tasks of a proxy; ``check``: as many as there were."""

    def __init__(self, proxy: RunningProxy) -> None:
        self.proxy = proxy
        self.before = self.now()
        while self._busy():  # with what an earlier test left to end
            time.sleep(0.05)
            self.before = self.now()

    def now(self) -> tuple[int, int, int]:
        tasks = [t for t in asyncio.all_tasks(self.proxy.loop) if t.get_name() != "tick"]
        return _sockets(), len(tasks), self.proxy.proxy.metrics.connections

    def _busy(self) -> bool:
        return any(t.get_name().startswith("client") for t in asyncio.all_tasks(self.proxy.loop))

    def check(self) -> None:
        deadline = time.monotonic() + PATIENCE
        # what an earlier test left behind may have gone meanwhile
        while any(now > before for now, before in zip(self.now(), self.before, strict=True)):
            assert time.monotonic() < deadline, (self.before, self.now())
            time.sleep(0.05)


def _sockets() -> int:
    """Open ones of this process."""
    found = 0
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += str(path.readlink()).startswith("socket:")
    return found


def said(client: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    client.settimeout(10)
    collected = b""
    with suppress(ConnectionError):
        while data := client.recv(65536):
            collected += data
    return collected


# --- clients --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proxy(scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    address = scratch_server.address
    dsn = f"host={address.socket_dir} port={address.port}"  # where no password is asked
    with RunningProxy(config(dsn), ports()) as running:
        yield running
    assert not running.problems


@pytest.fixture(scope="module")
def guarded(scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    """In front of a server that wants a password."""
    dsn = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(dsn, limits=HASTY), ports()) as running:
        yield running
    assert not running.problems


@pytest.fixture(scope="module")
def waiting(scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    """As ``guarded``, with time for the server to ask for the password."""
    dsn = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(dsn, limits=PATIENT), ports()) as running:
        yield running
    assert not running.problems


def silence(client: socket.socket) -> None:
    assert said(client) == b""


def one_byte_now_and_then(client: socket.socket) -> None:
    with suppress(ConnectionError):
        for byte in STARTUP[:20]:
            client.send(bytes((byte,)))
            time.sleep(0.1)
    assert said(client) == b""


def encryption_and_nothing_more(client: socket.socket) -> None:
    client.sendall(SslRequest().encode())
    assert said(client) == b"N"


def half_a_startup(client: socket.socket) -> None:
    client.sendall(STARTUP[:11])


def impossible_startup(client: socket.socket) -> None:
    client.sendall(b"\xff\xff\xff\xff" + STARTUP)
    assert said(client)[:1] in {b"E", b""}


def another_protocol(client: socket.socket) -> None:
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert said(client)[:1] in {b"E", b""}


@pytest.mark.server
@pytest.mark.parametrize(
    "act",
    [
        silence,
        one_byte_now_and_then,
        encryption_and_nothing_more,
        half_a_startup,
        impossible_startup,
        another_protocol,
    ],
)
def test_before_the_login(guarded: RunningProxy, act: Callable[[socket.socket], None]) -> None:
    left = Left(guarded)
    with closing(socket.create_connection(("127.0.0.1", guarded.port))) as client:
        act(client)
    left.check()


COPY_IN = f.Query(b"create temp table c (a text); copy c from stdin").encode()
IN_THE_MIDDLE = {
    "a query": f.Query(b"select pg_sleep(20)").encode(),
    "a header": b"Q\0\0",
    "a text": b"Q\0\x10\0\0select '" + b"x" * 500_000,
    "a parse": b"P\0\0\1\0s1\0sel",
    "a pipeline": f.Parse(b"", b"select 1").encode() + f.Bind(b"", b"").encode() + f.Execute(b"").encode(),
    "a transaction": f.Query(b"begin; lock table pg_class in access share mode").encode(),
    "COPY from the client": COPY_IN + f.CopyData(b"x\n").encode() + b"d\0\0\1\0half",
    "COPY to the client": f.Query(
        b"copy (select repeat('x', 1000) from generate_series(1, 100000)) to stdout"
    ).encode(),
    "a large result": f.Query(b"select repeat('x', 1000) from generate_series(1, 100000)").encode(),
    "a listener": f.Query(b"listen news").encode(),
}


@pytest.mark.server
@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
@pytest.mark.parametrize("place", IN_THE_MIDDLE)
def test_gone_in_the_middle(
    proxy: RunningProxy, scratch_server: ScratchServer, place: str, reset: bool
) -> None:
    left = Left(proxy)
    raws = [Raw(("127.0.0.1", proxy.port), "postgres", "postgres") for _ in range(3)]
    for raw in raws:
        raw.send(IN_THE_MIDDLE[place])
    if place == "a query":
        until(lambda: queries_running(scratch_server.dsn(), "pg_sleep(20)") == 3)
    time.sleep(0.1)
    for raw in raws:
        if reset:
            raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        raw.socket.close()
    if place == "a query":
        # as without a proxy: the server notices when it has something to say
        with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
            connection.execute(
                "select pg_cancel_backend(pid) from pg_stat_activity where query like '%pg_sleep(20)'"
            )
    left.check()


@pytest.mark.server
@pytest.mark.parametrize(
    "bad",
    [
        message(b"Q", b"select 1\0 and more\0"),
        message(b"Q", b"select 1"),
        message(b"Q", b"select '\xff\xfe\x80'\0"),
        message(b"Q", b"select '\xed\xa0\x80'\0"),
        message(b"P", b"\0select '\xff'\0\0\0"),
        f.Query(b"select '" + b"y" * (1 << 20)).encode(),
        f.Query(b"select " + b"(" * 20_000).encode(),
        message(b"P", b"\0select 1\0\xff\xff"),
        message(b"B", b"\0\0\0\0\xff\xff"),
        message(b"F", b"\0"),
        message(b"C", b"Z\0"),
    ],
    ids=range(11),
)
def test_bad_messages_get_the_servers_answer(
    proxy: RunningProxy, scratch_server: ScratchServer, bad: bytes
) -> None:
    path = f"{scratch_server.address.socket_dir}/.s.PGSQL.{scratch_server.port}"
    answers = []
    for address in (path, ("127.0.0.1", proxy.port)):
        raw = Raw(address, "postgres", "postgres")
        raw.send(bad)
        raw.finish()
        answers.append(raw.got)
    assert answers[0] == answers[1]
    assert answers[0][0][0] == b"E"


# --- servers --------------------------------------------------------------------------------------------

ROW = b.RowDescription((b.Column(b"x", 25),)).encode() + b.DataRow((b"half",)).encode()[:-2]
READY = b.ReadyForQuery().encode()
WELCOME = b.Authentication(0).encode() + b.BackendKeyData(7, b"abcd").encode() + READY
SERVERS = {
    "closes at once": (),
    "closes after the startup": (b"",),
    "closes inside a login message": (b.Authentication(10, b"SCRAM-SHA-256\0\0").encode()[:6],),
    "closes after its welcome began": (b.Authentication(0).encode(),),
    "is no PostgreSQL": (b"HTTP/1.1 400 Bad Request\r\n\r\n",),
    "sends a huge login message": (b"R\x7f\xff\xff\xff" + b"x" * 100,),
    "closes before its answer": (WELCOME, b""),
    "closes inside a row": (WELCOME, ROW),
    "sends garbage": (WELCOME, b"\x01\x02\x03\x04\x05\x06\x07"),
    "sends ReadyForQuery twice": (WELCOME, READY + READY),
}


class Misbehaving:
    """A server that answers each piece it gets with the next of its replies, and then closes."""

    def __init__(self, replies: tuple[bytes, ...]) -> None:
        self.replies = replies
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                with closing(client), suppress(ConnectionError):
                    for reply in self.replies:
                        client.recv(65536)
                        client.sendall(reply)

    def stop(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)


@pytest.mark.parametrize("kind", SERVERS)
def test_server_that(kind: str) -> None:
    server = Misbehaving(SERVERS[kind])
    with RunningProxy(config(f"host=127.0.0.1 port={server.port} sslmode=disable")) as proxy:
        left = Left(proxy)
        for _ in range(3):
            with closing(socket.create_connection(("127.0.0.1", proxy.port))) as client:
                client.sendall(STARTUP)
                if len(SERVERS[kind]) > 1:
                    collected = b""
                    while READY not in collected:
                        collected += client.recv(65536)
                    client.sendall(f.Query(b"select 1").encode())
                heard = said(client)
            assert b"Traceback" not in heard
            if kind not in {"closes inside a row", "sends garbage", "closes inside a login message"}:
                # in the middle of a message there is no room for a word
                assert b"C08006\0" in heard or READY in heard, heard
        left.check()
    server.stop()
    assert not proxy.problems


def test_server_that_never_answers() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        dsn = f"host=127.0.0.1 port={listener.getsockname()[1]} sslmode=disable"
        with RunningProxy(config(dsn, limits=HASTY)) as proxy:
            left = Left(proxy)
            with closing(socket.create_connection(("127.0.0.1", proxy.port))) as client:
                client.sendall(STARTUP)
                assert b"C57P03\0" in said(client)
            left.check()
    assert not proxy.problems


@pytest.mark.server
def test_a_client_that_never_proves_itself_is_told_as_by_the_server(waiting: RunningProxy) -> None:
    left = Left(waiting)
    with closing(socket.create_connection(("127.0.0.1", waiting.port))) as client:
        client.sendall(STARTUP)
        heard = said(client)
    assert heard[:1] == b"R"
    assert b"C57014\0Mcanceling authentication due to timeout\0" in heard
    left.check()


# --- clients that end only what they send ---------------------------------------------------------------

TWO = f.Query(b"select 1").encode() + f.Query(b"select pg_sleep(0.2)").encode()
ENDED_AFTER = {
    "nothing": b"",
    "queries": TWO,
    "a pipeline": f.Parse(b"", b"select 1").encode()
    + f.Bind(b"", b"").encode()
    + f.Execute(b"").encode()
    + f.SYNC,
    "a pipeline without a Sync": f.Parse(b"", b"select 1").encode()
    + f.Bind(b"", b"").encode()
    + b"H\0\0\0\4",
    "a transaction": f.Query(b"begin; select 1").encode(),
    "half a text": TWO + b"Q\0\0\1\0select",
    "COPY from the client": COPY_IN + f.CopyData(b"x\n").encode(),
    "a large result": f.Query(b"select repeat('x', 1000) from generate_series(1, 3000)").encode(),
    "something of ours": f.Query(b"set rewright.mode = 'wrong'").encode() + f.Query(b"select 2").encode(),
    "goodbye": f.Query(b"select 1").encode() + b"X\0\0\0\4",
}


def ended(address: str | tuple[str, int], last: bytes) -> list[tuple[bytes, bytes]]:
    """Send, end the sending half, read to the end."""
    raw = Raw(address, "postgres", "postgres")
    raw.send(last)
    raw.socket.shutdown(socket.SHUT_WR)
    while raw.open:
        raw._read()
    raw.socket.close()
    return raw.got


@pytest.mark.server
@pytest.mark.parametrize("place", ENDED_AFTER)
def test_who_sends_no_more_may_still_read(
    proxy: RunningProxy, scratch_server: ScratchServer, place: str
) -> None:
    left = Left(proxy)
    path = f"{scratch_server.address.socket_dir}/.s.PGSQL.{scratch_server.port}"
    last = ENDED_AFTER[place]
    through = ended(("127.0.0.1", proxy.port), last)
    if place == "something of ours":
        assert [kind for kind, _ in through] == [b"E", b"Z", b"T", b"D", b"C", b"Z"]
    else:
        assert through == ended(path, last)
    left.check()


@pytest.mark.server
def test_all_in_one_breath(proxy: RunningProxy, scratch_server: ScratchServer) -> None:
    """The startup packet, a query and the end at once, where the server asks for no password."""
    left = Left(proxy)
    answers = []
    path = f"{scratch_server.address.socket_dir}/.s.PGSQL.{scratch_server.port}"
    for address in (path, ("127.0.0.1", proxy.port)):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with socket.socket(family) as client:
            client.connect(address)
            client.sendall(STARTUP + f.Query(b"select 'the answer'").encode())
            client.shutdown(socket.SHUT_WR)
            answers.append(said(client))
    through, direct = answers[1], answers[0]
    for answer in (direct, through):
        assert b"the answer" in answer
        assert answer.endswith(b.ReadyForQuery().encode())
    left.check()
