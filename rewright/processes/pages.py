"""The HTTP side of ``serve`` in a thread: health, metrics, the console."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import uvicorn

from rewright.console.app import create_app
from rewright.processes.supervisor import ServeFailed, Supervisor
from rewright.store.api import Store


@contextmanager
def pages(
    address: tuple[str, int] | None,
    supervisor: Supervisor,
    store: Store,
    listener: socket.socket | None = None,
) -> Iterator[socket.socket | None]:
    """Serve the pages while the block runs; yields their socket. ``listener``: one that listens already.

    Raises ServeFailed when the address is taken.
    """
    if address is None:
        yield None
        return
    listener = listener or _listen(address)
    literals = supervisor.config.http.literals
    app = create_app(store, health=supervisor.health, metrics=supervisor.metrics, literals=literals)
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="http", daemon=True)
    thread.start()
    supervisor.on_retire = partial(setattr, server, "should_exit", True)
    try:
        yield listener
    finally:
        server.should_exit = True
        thread.join(5)
        listener.close()


def _listen(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise ServeFailed(f"[http] address {address[0]}:{address[1]}: {error.strerror}") from error
    return listener
