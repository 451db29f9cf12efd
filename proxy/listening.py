"""The socket that clients connect to. Must not know who accepts from it: what makes it need not load that."""

from __future__ import annotations

import socket

# connections that wait for accept(); the kernel's net.core.somaxconn may be lower
BACKLOG = 1024


def listening_socket(host: str, port: int, *, share: bool) -> socket.socket:
    """``share``: other sockets may listen at the same address. Raises OSError with a
    message that names it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Connections of a proxy that ended a moment ago, in TIME_WAIT, must not keep it from starting again.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if share:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        raise OSError(f"[listen] address {where}: {error.strerror}") from error
    return listener
