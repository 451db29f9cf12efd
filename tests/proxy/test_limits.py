"""Clients that come and say nothing, sessions that idle, encryption that is not spoken, and which host is
meant.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import Limits
from rewright.proxy.hosts import HostChooser
from rewright.proxy.upstream import DsnError, UpstreamUnavailable, parse_dsn
from tests.proxy.running import RunningProxy, config
from tests.proxy.waiting import until

GSS_REQUEST, SSL_REQUEST = struct.pack("!II", 8, 80877104), struct.pack("!II", 8, 80877103)


def through(server: ScratchServer, proxy: RunningProxy) -> str:
    return server.dsn().replace(f":{server.port}/", f":{proxy.port}/")


def startup(user: bytes) -> bytes:
    body = struct.pack("!HH", 3, 0) + b"user\0" + user + b"\0database\0postgres\0\0"
    return struct.pack("!I", len(body) + 4) + body


@pytest.fixture
def impatient(scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    limits = Limits(login_timeout=1.0)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}", limits=limits)) as proxy:
        yield proxy


@pytest.fixture
def restless(scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    limits = Limits(idle_timeout=2.0)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}", limits=limits)) as proxy:
        yield proxy


@pytest.mark.server
def test_an_idle_session_is_ended(restless: RunningProxy, scratch_server: ScratchServer) -> None:
    with psycopg.connect(through(scratch_server, restless), autocommit=True) as connection:
        for _ in range(3):
            time.sleep(0.5)
            connection.execute("select pg_sleep(0.6)")  # not idle, and the clock begins anew behind it
        connection.execute("begin")
        time.sleep(2.5)  # idle in a transaction is the server's business
        connection.execute("commit")
        until(lambda: not restless.proxy._connections)
        with pytest.raises(psycopg.errors.IdleSessionTimeout):
            connection.execute("select 1")


@pytest.mark.server
@pytest.mark.parametrize("said", [b"", b"\0\0", SSL_REQUEST, GSS_REQUEST, startup(b"postgres")[:20]])
def test_a_client_that_does_not_log_in_is_dropped(impatient: RunningProxy, said: bytes) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port), 10) as client:
        client.settimeout(10)
        client.sendall(said)
        heard = b""
        with contextlib.suppress(ConnectionResetError):  # where bytes were left unread
            while piece := client.recv(100):
                heard += piece
        assert heard in {b"", b"N"}
    until(lambda: not impatient.proxy._connections)


@pytest.mark.server
@pytest.mark.parametrize("asked", [(GSS_REQUEST,), (GSS_REQUEST, SSL_REQUEST), (SSL_REQUEST, GSS_REQUEST)])
def test_encryption_that_is_not_spoken_is_declined(restless: RunningProxy, asked: tuple[bytes, ...]) -> None:
    """As a server without it: N, and the client may go on in the clear."""
    with socket.create_connection(("127.0.0.1", restless.port), 10) as client:
        client.settimeout(10)
        for request in asked:
            client.sendall(request)
            assert client.recv(10) == b"N"
        client.sendall(startup(b"postgres"))
        assert client.recv(1) == b"R"


# --- sessions of a user, of a database --------------------------------------------------------------


@pytest.mark.server
def test_sessions_of_a_user_and_of_a_database(scratch_server: ScratchServer) -> None:
    parts = config(f"host=127.0.0.1 port={scratch_server.port}", limits=Limits(max_user_connections=2))
    small = replace(parts.databases["*"], name="template1", max_connections=1)
    with RunningProxy(replace(parts, databases={**parts.databases, "template1": small})) as proxy:
        here = through(scratch_server, proxy)
        # who only names the user takes no place of it
        silent = [socket.create_connection(("127.0.0.1", proxy.port), 10) for _ in range(3)]
        for one in silent:
            one.sendall(startup(b"postgres"))
            assert one.recv(1) == b"R"
        with psycopg.connect(here, dbname="template1"):
            with pytest.raises(
                psycopg.OperationalError, match='too many connections for database "template1"'
            ):
                psycopg.connect(here, dbname="template1")
            with (
                psycopg.connect(here),
                pytest.raises(psycopg.OperationalError, match='too many connections for role "postgres"'),
            ):
                psycopg.connect(here)
            until(lambda: proxy.proxy.places.held("role", "postgres") == 1)
            psycopg.connect(here).close()
        until(lambda: not proxy.proxy.places.held("role", "postgres"))
        assert proxy.proxy.metrics.refused["53300"] == 2
        for one in silent:
            one.close()


# --- several hosts --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def read_only_server() -> Iterator[ScratchServer]:
    with ScratchServer() as server:
        yield server


@pytest.mark.server
def test_the_kind_of_host_that_is_wanted(
    scratch_server: ScratchServer, read_only_server: ScratchServer
) -> None:
    password = scratch_server.address.passwords["postgres"]
    with psycopg.connect(read_only_server.dsn(), autocommit=True) as direct:
        direct.execute(f"alter role postgres password '{password}'")
        direct.execute("alter system set default_transaction_read_only = on")
        direct.execute("select pg_reload_conf()")
    ports = f"{read_only_server.port},{scratch_server.port}"
    base = f"host=127.0.0.1,127.0.0.1 port={ports} user=postgres password={password} target_session_attrs="
    for wanted, port in (("read-write", scratch_server.port), ("read-only", read_only_server.port)):
        with (
            RunningProxy(config(base + wanted)) as proxy,
            psycopg.connect(through(scratch_server, proxy), autocommit=True) as connection,
        ):
            assert connection.execute("show port").fetchone() == (str(port),)
    with (
        RunningProxy(config(base + "standby")) as proxy,
        pytest.raises(psycopg.OperationalError, match="could not connect"),
    ):
        psycopg.connect(through(scratch_server, proxy))
    assert "no host is standby" in str(proxy.events)


def test_an_answer_holds_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    chooser = HostChooser(lambda: now[0])
    dsn = "host=a,b port=1,2 user=u target_session_attrs=primary"
    target = parse_dsn(dsn)
    asked: list[str] = []

    async def ask(_dsn: str, _target: object, _patience: float) -> object:
        asked.append(_dsn)
        return target

    monkeypatch.setattr(chooser, "_ask", ask)

    async def play() -> None:
        await asyncio.gather(*(chooser.pick(dsn, target, 1.0) for _ in range(5)))
        now[0] += 3
        await chooser.pick(dsn, target, 1.0)
        await chooser.pick("host=a", parse_dsn("host=a"), 1.0)

    asyncio.run(play())
    assert asked == [dsn, dsn]


def test_nobody_to_ask() -> None:
    with pytest.raises(DsnError, match="needs a user"):
        parse_dsn("host=a,b target_session_attrs=primary")
    with pytest.raises(DsnError, match="target_session_attrs"):
        parse_dsn("host=a,b user=u target_session_attrs=writable")

    async def play() -> None:
        dsn = "host=127.0.0.1 port=1 user=u target_session_attrs=primary"
        with pytest.raises(UpstreamUnavailable, match="no host is primary"):
            await HostChooser().pick(dsn, parse_dsn(dsn), 2.0)

    asyncio.run(play())


def test_a_dsn_that_cannot_be_read_is_not_quoted() -> None:
    """What libpq cannot read may be a piece of the password."""
    with RunningProxy(config("host=127.0.0.1 password=open sesame")) as proxy:
        with pytest.raises(psycopg.OperationalError, match="is wrong") as raised:
            psycopg.connect(host="127.0.0.1", port=proxy.port, user="u", dbname="d", sslmode="disable")
        assert "sesame" not in str(raised.value)
        assert "sesame" not in repr(proxy.events)
