"""Sockets that the service manager gives: which are taken, what is refused, and that clients wait over a restart."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.cli import rewright, serve_command
from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes.activation import Activated, ActivationFailed, activated, address_of
from tests.rewright.serving import Running, connect

# becomes the program behind it, with the sockets where systemd puts them and its own number in LISTEN_PID
MANAGER = """
import fcntl, os, sys
given = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 100) for one in sys.argv[1].split(",")]
for at, number in enumerate(given):
    os.dup2(number, 3 + at, inheritable=True)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[2], sys.argv[2:])
"""


@contextmanager
def descriptors(*opened: socket.socket) -> Iterator[int]:
    """The sockets as descriptors in a row, of which the first is given."""
    first = 200
    for at, one in enumerate(opened):
        os.dup2(one.fileno(), first + at)
    with ExitStack() as stack:
        for at, one in enumerate(opened):
            stack.callback(_closed, first + at)
            stack.callback(one.close)
        yield first


def _closed(number: int) -> None:
    # whoever took it may have closed it
    with suppress(OSError):
        os.close(number)


def listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def environment(pid: int, count: object, names: str = "") -> dict[str, str]:
    return {"LISTEN_PID": str(pid), "LISTEN_FDS": str(count), "LISTEN_FDNAMES": names, "OTHER": "stays"}


def test_which_are_taken() -> None:
    with descriptors(listener(), listener(), listener()) as first:
        given = environment(7, 3, "clients:http:rewright.socket")
        found = activated(given, pid=7, first=first)
        assert given == {"OTHER": "stays"}
        assert found.http is not None
        assert [one.fileno() for one in (*found.clients, found.http)] == [first, first + 2, first + 1]
        assert not any(one.get_inheritable() or one.getblocking() for one in (*found.clients, found.http))
        for one in (*found.clients, found.http):
            one.detach()


def test_what_is_meant_for_another_process_is_left_alone() -> None:
    for given in ({}, environment(8, 1), {"LISTEN_FDS": "1"}):
        assert activated(given, pid=7, first=10_000) == activated({}, pid=7)
        assert "LISTEN_FDS" not in given


def test_who_can_be_reached_from_elsewhere_goes_first() -> None:
    """Its address is what the conditions of an address are looked at for."""
    with descriptors(listener(), socket.create_server(("0.0.0.0", 0))) as first:
        found = activated(environment(7, 2), pid=7, first=first)
        assert [one.getsockname()[0] for one in found.clients] == ["0.0.0.0", "127.0.0.1"]
        assert address_of(found.clients[0]).startswith("0.0.0.0:")
        for one in found.clients:
            one.detach()


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("unbound", "Accept=no"),
        ("unix", "ListenStream="),
        ("datagram", "ListenStream="),
        ("closed", "is not a socket"),
    ],
)
def test_what_cannot_be_used_is_told(kind: str, told: str, tmp_path: Path) -> None:
    made = socket.socket(socket.AF_UNIX) if kind == "unix" else socket.socket(type=socket.SOCK_DGRAM) if kind == "datagram" else socket.socket()  # fmt: skip
    with descriptors(made) as first:
        if kind == "closed":
            os.close(first)
        with pytest.raises(ActivationFailed, match=told):
            activated(environment(7, 1, "clients"), pid=7, first=first)


@pytest.mark.parametrize(("count", "names"), [("x", ""), ("-1", ""), (2, "one"), (2, "http:http")])
def test_variables_that_contradict_each_other(count: object, names: str) -> None:
    with descriptors(listener(), listener()) as first, pytest.raises(ActivationFailed):
        activated(environment(7, count, names), pid=7, first=first)


@pytest.mark.server
@pytest.mark.timeout(280)
def test_who_connects_between_two_runs_waits(scratch_server: ScratchServer, tmp_path: Path) -> None:
    with listener() as clients, listener() as http:
        # another address in the configuration does not count
        first = serving(scratch_server, tmp_path, clients, http, "--listen", "127.0.0.1:1")
        assert (first.port, first.http) == (clients.getsockname()[1], http.getsockname()[1])
        assert '"status":"ok"' in first.get("/healthz")
        with connect(first, scratch_server, "postgres") as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        assert first.stop() == 0
        answers: list[object] = []
        waiting = threading.Thread(target=lambda: answers.append(asked(first, scratch_server)))
        waiting.start()
        second = serving(scratch_server, tmp_path, clients, http)
        waiting.join(60)
        assert answers == [(1,)]
        assert second.stop() == 0


def asked(running: Running, server: ScratchServer) -> object:
    with connect(running, server, "postgres") as connection:
        return connection.execute("select 1").fetchone()


def serving(
    server: ScratchServer, folder: Path, clients: socket.socket, http: socket.socket, *more: str
) -> Running:
    """Started as systemd does it; two workers share the socket."""
    handed = (clients.fileno(), http.fileno())
    arguments = [
        "--upstream",
        server.dsn().rsplit("/", 1)[0],
        "--workers",
        "2",
        "--store",
        str(folder / "s.db"),
    ]
    variables = {
        "LISTEN_FDS": "2",
        "LISTEN_FDNAMES": "clients:http",
        "REWRIGHT_SERVE__RUN_DIR": str(folder / "run"),
    }
    manager = [sys.executable, "-c", MANAGER, ",".join(map(str, handed))]
    return Running([*arguments, *more], variables, before=manager, pass_fds=handed)


def test_an_open_socket_for_the_pages_has_the_conditions_of_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `[http] address` has: query texts are not for the whole network."""
    with socket.create_server(("0.0.0.0", 0)) as opened:
        monkeypatch.setattr(serve_command, "activated", lambda: Activated((), opened))
        done = CliRunner().invoke(
            rewright, ["serve", "--upstream", "postgresql://127.0.0.1:1", "--http", "127.0.0.1:0"]
        )
    assert done.exit_code != 0
    assert "beyond loopback (0.0.0.0) the console needs a password and TLS" in done.output
