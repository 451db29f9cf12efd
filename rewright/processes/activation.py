"""Sockets that the service manager opened before it started `rewright serve` (systemd's socket activation).

Owns the convention of sd_listen_fds(3): which descriptors are meant for this process, and what each is for.
Must not know who accepts from them.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

# the first descriptor that is handed over, by the convention
FIRST = 3
PAGES = "http"
_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


class ActivationFailed(Exception):
    """What was handed over can't be used; the message says which descriptor, and what the unit should say."""


@dataclass(frozen=True, slots=True)
class Activated:
    """``clients``: sockets for clients, those that others than this machine reach first; ``http``: the one of
    the pages. Both may be missing.
    """

    clients: Sequence[socket.socket] = ()
    http: socket.socket | None = None


def activated(
    environment: MutableMapping[str, str] = os.environ, *, pid: int | None = None, first: int = FIRST
) -> Activated:
    """The sockets meant for this process, which its own children do not inherit; none without a service
    manager.

    The variables are taken out of ``environment``: they hold for no other process. A socket named ``http``
    (FileDescriptorName=) is for the pages, every other for clients. Raises ActivationFailed.
    """
    told = {name: environment.pop(name, "") for name in _VARIABLES}
    # meant for somebody else, such as the shell that started us
    if told["LISTEN_PID"] != str(os.getpid() if pid is None else pid):
        return Activated()
    if not (told["LISTEN_FDS"].isascii() and told["LISTEN_FDS"].isdigit()):
        raise ActivationFailed(f"LISTEN_FDS is not a number: {told['LISTEN_FDS']!r}")
    count = int(told["LISTEN_FDS"])
    # systemd gives no names before version 227
    names = told["LISTEN_FDNAMES"].split(":") if told["LISTEN_FDNAMES"] else [""] * count
    if len(names) != count:
        raise ActivationFailed(f"LISTEN_FDNAMES has {len(names)} names for {count} descriptors")
    found = [(name, _socket(first + at, name)) for at, name in enumerate(names)]
    pages = [one for name, one in found if name == PAGES]
    if len(pages) > 1:
        raise ActivationFailed(f"several sockets are called {PAGES}: the pages have one")
    clients = sorted((one for name, one in found if name != PAGES), key=_is_local)
    return Activated(clients, pages[0] if pages else None)


def address_of(listener: socket.socket) -> str:
    """As it is written in the configuration.

    >>> with socket.create_server(("127.0.0.1", 0)) as one:
    ...     address_of(one).rpartition(":")[0]
    '127.0.0.1'
    """
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _socket(number: int, name: str) -> socket.socket:
    what = f"descriptor {number}{f' ({name})' if name else ''} from the service manager"
    try:
        # takes the family and the type from the descriptor
        found = socket.socket(fileno=number)
    except OSError as error:
        raise ActivationFailed(f"{what} is not a socket: {error.strerror}") from error
    if found.family not in {socket.AF_INET, socket.AF_INET6} or found.type != socket.SOCK_STREAM:
        raise ActivationFailed(
            f"{what} is not a TCP socket: ListenStream= with an address and a port is needed"
        )
    if not found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise ActivationFailed(f"{what} does not listen: Accept=no is needed")
    found.set_inheritable(False)
    found.setblocking(False)
    return found


# what others reach first: its address is the one that is told
def _is_local(listener: socket.socket) -> bool:
    return ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
