"""Many logins at once: they queue, and each one that is refused all the same is logged with a reason."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from rewright.proxy.config import AuthConfig, Limits
from rewright.proxy.upstream import UpstreamUnavailable, connect, parse_dsn
from rewright.proxy.wire.startup import SslRequest, StartupMessage
from tests.proxy.running import LOOPS, RunningProxy, config
from tests.proxy.waiting import Stopwatch, until

READY = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\5I"
STARTUP = StartupMessage(3, 0, ((b"user", b"alice"), (b"database", b"app"))).encode()


@contextmanager
def busy_server(seconds: float) -> Iterator[int]:
    """Answers requests for encryption one after the other, each after ``seconds``, and lets everybody in; its
    port.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listener:
        threading.Thread(target=_serve, args=(listener, seconds), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, seconds: float) -> None:
    kept = []
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            kept.append(client)
            if client.recv(8) == SslRequest().encode():
                time.sleep(seconds)
                client.sendall(b"N")
            threading.Thread(target=_let_in, args=(client,), daemon=True).start()
    for client in kept:
        client.close()


def _let_in(client: socket.socket) -> None:
    with suppress(OSError):
        if client.recv(1000):
            client.sendall(READY)


def test_logins_queue() -> None:
    """All of them need longer than a single one may; those that are let through at once, much less."""
    clients = 250
    with (
        busy_server(0.02) as port,
        RunningProxy(config(f"host=127.0.0.1 port={port}", limits=Limits(connect_timeout=3.0))) as proxy,
    ):
        sockets = [socket.create_connection(("127.0.0.1", proxy.port), 30) for _ in range(clients)]
        for client in sockets:
            client.sendall(STARTUP)
        heard = [client.recv(1) for client in sockets]
        for client in sockets:
            client.close()
        assert heard == [b"R"] * clients
        assert not proxy.proxy.metrics.refused
        until(lambda: not proxy.proxy.metrics.connections)


def test_a_silent_client_holds_nobody_up() -> None:
    """Who queues is a client that has named itself, never one that only connected."""
    with busy_server(0.0) as port, RunningProxy(config(f"host=127.0.0.1 port={port}")) as proxy:
        silent = [socket.create_connection(("127.0.0.1", proxy.port), 30) for _ in range(100)]
        with closing(socket.create_connection(("127.0.0.1", proxy.port), 30)) as client:
            client.sendall(STARTUP)
            assert client.recv(1) == b"R"
        for one in silent:
            one.close()


def test_a_reason_is_always_given() -> None:
    """A server that accepts and says nothing."""

    async def refused(port: int, host: str = "127.0.0.1") -> str:
        target = parse_dsn(f"host={host} port={port} sslmode=prefer")
        with pytest.raises(UpstreamUnavailable) as failure:
            await connect(target, patience=0.2)
        return str(failure.value)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert asyncio.run(refused(port)) == f"127.0.0.1:{port}: no answer within 0.2 s"
    assert "111" in asyncio.run(refused(1))


def test_who_queues_for_a_server_that_is_gone_does_not_wait_for_ever() -> None:
    """More than are connected at a time: each is refused about as soon as an attempt of its own would have
    been.
    """
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"host=127.0.0.1 port={silent.getsockname()[1]}"
        with RunningProxy(config(dsn, limits=Limits(connect_timeout=0.5))) as proxy:
            clients = [socket.create_connection(("127.0.0.1", proxy.port), 30) for _ in range(100)]
            with Stopwatch() as watch:
                for client in clients:
                    client.sendall(STARTUP)
                assert all(b"C57P03" in client.recv(1000) for client in clients)
            assert watch.seconds < 3
            for client in clients:
                client.close()


def test_a_silent_host_holds_up_only_the_first() -> None:
    """Of two hosts: those that come later try the other one first."""
    with socket.create_server(("127.0.0.1", 0)) as silent, busy_server(0.0) as port:
        dsn = f"host=127.0.0.1,127.0.0.1 port={silent.getsockname()[1]},{port}"
        with RunningProxy(config(dsn, limits=Limits(connect_timeout=1.0))) as proxy:
            clients = [socket.create_connection(("127.0.0.1", proxy.port), 30) for _ in range(60)]
            with Stopwatch() as watch:
                for client in clients:
                    client.sendall(STARTUP)
                assert [client.recv(1) for client in clients] == [b"R"] * 60
            assert watch.seconds < 3
            for client in clients:
                client.close()


def test_the_reason_is_logged() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"host=127.0.0.1 port={silent.getsockname()[1]}"
        with RunningProxy(config(dsn, limits=Limits(connect_timeout=0.2))) as proxy:
            with closing(socket.create_connection(("127.0.0.1", proxy.port), 30)) as client:
                client.sendall(STARTUP)
                assert b"C57P03" in client.recv(1000)
            until(lambda: [name for name, _ in proxy.events if name == "connection.refused"])
            reasons = [fields["reason"] for name, fields in proxy.events if "reason" in fields]
            assert all(reasons)
            assert any("no answer within 0.2 s" in str(reason) for reason in reasons)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("method", ["passthrough", "trust"])
def test_a_client_that_left_while_its_server_was_reached(loop: str, method: str) -> None:
    """A server that lets everybody in would keep the session for good."""
    with busy_server(0.5) as port:
        parts = config(f"host=127.0.0.1 port={port}", auth=AuthConfig(method))  # type: ignore[arg-type]
        with RunningProxy(parts, loop=loop) as proxy:
            for linger in (False, True):
                client = socket.create_connection(("127.0.0.1", proxy.port), 30)
                client.sendall(STARTUP)
                until(lambda: any(c.awaiting_server for c in proxy.proxy._connections.values()))
                if linger:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
                with Stopwatch() as watch:
                    until(lambda: not proxy.proxy._connections)
                assert watch.seconds < 5
            assert not proxy.proxy.metrics.connections
