"""Clients and servers that are gone while bytes for them, or from them, still wait: the other end does not
stay.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import trustme

from rewright.proxy import relay
from rewright.proxy.config import AuthConfig, ListenConfig, UserConfig
from rewright.proxy.ports import Ports
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.upstream import tune
from rewright.proxy.wire.frontend import Query
from rewright.proxy.wire.startup import SslRequest, StartupMessage
from tests.proxy.debian import DebianServer
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports
from tests.proxy.test_auth import write_certificate
from tests.proxy.waiting import Stopwatch, until

pytestmark = pytest.mark.server

# a backend of a direct client that is gone ends at its next write; ours may take this much longer
SOON = 8.0
ANSWER = Query(b"select repeat('x', 50000)").encode()
PIPELINE = ANSWER * (11_000_000 // len(ANSWER))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def certificates(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tls")
    write_certificate(authority, home)
    return home


@pytest.fixture(scope="module")
def server(certificates: Path) -> Iterator[DebianServer]:
    with DebianServer(certificates / "cert.pem", certificates / "key.pem") as started:
        yield started


@pytest.fixture(params=["plain server", "tls server"])
def proxy(request: pytest.FixtureRequest, server: DebianServer, certificates: Path) -> Iterator[RunningProxy]:
    sslmode = "require" if request.param == "tls server" else "disable"
    parts = config(
        f"host=127.0.0.1 port={server.port} dbname=postgres sslmode={sslmode}",
        auth=AuthConfig("trust", {"alice": UserConfig("", "tester", "secret")}),
        listen=ListenConfig(
            port=0, tls_cert=str(certificates / "cert.pem"), tls_key=str(certificates / "key.pem")
        ),
    )
    ports = Ports(lookup=RewriteIndex(), reporter=Reports(), settings=RULES)
    with RunningProxy(parts, ports) as running:
        yield running
    assert not running.problems


def client_of(port: int, *, tls: bool) -> socket.socket:
    """Logged in as alice."""
    client = socket.create_connection(("127.0.0.1", port), 20)
    if tls:
        client.sendall(SslRequest().encode())
        assert client.recv(1) == b"S"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client = context.wrap_socket(client)
    client.sendall(StartupMessage(3, 0, ((b"user", b"alice"), (b"database", b"postgres"))).encode())
    said = b""
    while not said.endswith(b"Z\0\0\0\5I"):
        piece = client.recv(4096)
        assert piece, said
        said += piece
    return client


def backends(server: DebianServer) -> list[tuple[str, str]]:
    """State and what is waited for, of the sessions of tester."""
    with psycopg.connect(host=str(server.home), port=server.port, user="postgres", dbname="postgres") as one:
        found = one.execute(
            "select state, wait_event from pg_stat_activity where usename = 'tester'"
        ).fetchall()
    return [(str(state), str(event)) for state, event in found]


def stuck(server: DebianServer) -> int:
    """How many sessions of tester wait for who does not read. The state of one that waits to send that an
    answer is complete is idle already.
    """
    return sum(event == "ClientWrite" for _state, event in backends(server))


def soon(condition: Callable[[], object]) -> None:
    with Stopwatch() as watch:
        until(condition)
    assert watch.seconds < SOON


def pour(client: socket.socket, data: bytes) -> int:
    """Send until nothing more is taken for a moment; how many bytes it took."""
    client.settimeout(0.5)
    sent = 0
    try:
        while sent < len(data):
            sent += client.send(data[sent : sent + 65536])
    except (TimeoutError, ssl.SSLWantWriteError):
        pass
    return sent


def reset(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("end", [socket.socket.close, reset], ids=["close", "reset"])
def test_a_client_that_never_read_takes_its_server_along(
    proxy: RunningProxy, server: DebianServer, tls: bool, end: Callable[[socket.socket], None]
) -> None:
    clients = [client_of(proxy.port, tls=tls) for _ in range(2)]
    for client in clients:
        assert pour(client, PIPELINE) > 100_000
    until(lambda: stuck(server) == 2)
    for client in clients:
        end(client)
    soon(lambda: not backends(server))
    soon(lambda: not proxy.proxy.metrics.connections)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize(
    "copy", [b"copy (select repeat('x', 50000) from generate_series(1, 10000)) to stdout", b""]
)
def test_a_client_that_goes_in_the_middle_of_copy(
    proxy: RunningProxy, server: DebianServer, copy: bytes, tls: bool
) -> None:
    client = client_of(proxy.port, tls=tls)
    client.sendall(Query(copy or b"create temp table t (x text)").encode())
    if copy:
        until(lambda: stuck(server) == 1)
    else:
        client.sendall(Query(b"copy t from stdin").encode() + b"d\0\0\0\6x\n" * 10_000)
        until(lambda: backends(server) == [("active", "ClientRead")])
    client.close()
    soon(lambda: not backends(server))
    soon(lambda: not proxy.proxy.metrics.connections)


def test_who_only_stops_sending_gets_every_answer(proxy: RunningProxy, server: DebianServer) -> None:
    """As with ``cat file | nc``: much is asked, the sending half ends, and only then the answers are read."""
    with closing(client_of(proxy.port, tls=False)) as client:
        count = 2000
        client.sendall(ANSWER * count)
        client.shutdown(socket.SHUT_WR)
        until(lambda: stuck(server) == 1)
        heard = 0
        while piece := client.recv(1 << 20):
            heard += len(piece)
    assert heard > count * 50_000
    soon(lambda: not backends(server))


def test_a_server_that_goes_while_the_client_does_not_read(
    proxy: RunningProxy, server: DebianServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow reader still gets what was sent to it; one that never reads is not kept for ever."""
    monkeypatch.setattr(relay, "STUCK_SECONDS", 0.5)
    monkeypatch.setattr(relay.Side.close, "__defaults__", (0.5,))
    with closing(client_of(proxy.port, tls=False)) as client:
        assert pour(client, PIPELINE) > 100_000
        until(lambda: stuck(server) == 1)
        with psycopg.connect(
            host=str(server.home), port=server.port, user="postgres", dbname="postgres"
        ) as one:
            one.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tester'")
        until(lambda: not backends(server))
        sides = next(iter(proxy.proxy._connections.values()))
        assert sides.client is not None
        assert sides.client.transport.get_write_buffer_size() < 2 * relay.HIGH_WATER + (1 << 20)
    soon(lambda: not proxy.proxy.metrics.connections)


def test_peers_that_vanish_are_probed() -> None:
    """Without a word: after ``keepalive`` seconds of silence, six probes in as long again."""
    with socket.socket() as connection:
        tune(connection, 60)
        options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        assert [connection.getsockopt(socket.IPPROTO_TCP, one) for one in options] == [60, 10, 6]
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    with socket.socket() as connection:
        tune(connection, 0)
        assert not connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
