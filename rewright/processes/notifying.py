"""Telling systemd (``Type=notify``) the state of the service, by one datagram to the socket it names."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """``state`` as in sd_notify(3): ``READY=1``, ``STOPPING=1``, ``STATUS=...``; without systemd nothing
    happens.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    # anything else is no socket's address: somebody set the variable for another purpose
    if not address.startswith(("/", "@")):
        return
    # @ stands for an abstract socket, whose name begins with a zero byte
    name = "\0" + address[1:] if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(state.encode(), name)
