"""A worker that has no descriptors left: it neither dies nor spins, and takes clients again when there are some."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from rewright.proxy import accepting
from rewright.proxy.wire.startup import StartupMessage
from tests.proxy.apart import ProxyApart
from tests.proxy.running import LOOPS
from tests.proxy.test_storm import busy_server
from tests.proxy.waiting import until

STARTUP = StartupMessage(3, 0, ((b"user", b"alice"), (b"database", b"app"))).encode()


@pytest.fixture
def server() -> Iterator[int]:
    with busy_server(0.0) as port:
        yield port


def _client(proxy: ProxyApart) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), 30)


def _log_in(client: socket.socket) -> bytes:
    """The first byte that it hears."""
    client.settimeout(30)
    client.sendall(STARTUP)
    return client.recv(1)


def _spent(proxy: ProxyApart, seconds: float = 1.0) -> float:
    before = proxy.cpu
    time.sleep(seconds)
    return proxy.cpu - before


@pytest.mark.parametrize("loop", LOOPS)
def test_who_cannot_be_accepted_waits(loop: str, server: int) -> None:
    with (
        ProxyApart(f"host=127.0.0.1 port={server} sslmode=disable", loop=loop) as proxy,
        ExitStack() as open_,
    ):
        inside = open_.enter_context(closing(_client(proxy)))
        assert _log_in(inside) == b"R"
        proxy.allow_descriptors(1)
        # one of them takes the last descriptor, and has none for its server
        waiting = [open_.enter_context(closing(_client(proxy))) for _ in range(20)]
        for one in waiting:
            one.sendall(STARTUP)
        until(lambda: proxy.named("proxy.accept_failed"))
        assert _spent(proxy) < 0.3
        assert len(proxy.named("proxy.accept_failed")) == 1
        # who is inside stays
        inside.setblocking(False)
        inside.recv(1 << 16)
        with pytest.raises(BlockingIOError):
            inside.recv(1)
        proxy.allow_descriptors(100)
        for one in waiting[-5:]:
            assert one.recv(1) in {b"R", b"E"}
        with closing(_client(proxy)) as later:
            assert _log_in(later) == b"R"


def test_who_says_nothing_gives_way(server: int) -> None:
    """Whoever opens connections and never names itself does not keep others out."""
    with (
        ProxyApart(f"host=127.0.0.1 port={server} sslmode=disable") as proxy,
        ExitStack() as open_,
    ):
        proxy.allow_descriptors(12)
        silent = [open_.enter_context(closing(_client(proxy))) for _ in range(60)]
        until(lambda: proxy.named("proxy.accept_failed"))
        for _ in range(3):
            with closing(_client(proxy)) as client:
                assert _log_in(client) == b"R"
        assert _spent(proxy) < 0.3
        # the first that came was the first to go
        assert silent[0].recv(1) == b""


def test_a_client_that_is_gone_before_it_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs nobody else a moment; the ends of other errors are not known, so they are rested from."""
    came: list[object] = []
    failures = [ConnectionAbortedError(103, "gone"), BlockingIOError()]

    class Listener:
        def accept(self) -> tuple[object, object]:
            if not came and len(failures) == 1:
                return "client", "peer"
            raise failures.pop(0)

    acceptor = accepting.Acceptor(lambda client, _: came.append(client), lambda: None, lambda _: None)
    listener = Listener()
    monkeypatch.setattr(acceptor, "_listeners", (listener,))
    acceptor._accept(listener)  # type: ignore[arg-type] # all that it does with a socket
    assert came == ["client"]
