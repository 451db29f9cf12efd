"""The HTTP side of ``serve`` in a thread: health, metrics, the console."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette

from rewright.config.model import Config
from rewright.config.reloading import moment_of
from rewright.config.showing import defaults, effective
from rewright.console.access import Rules
from rewright.console.app import Ports, create_app
from rewright.processes.supervisor import ServeFailed, Supervisor
from rewright.reaching import address_remedy
from rewright.store.api import Store
from rewright.wiring.lake_tables import lake_joins, lake_profile, lake_rows
from rewright.wiring.pausing import tell
from rewright.wiring.unit_pages import UnitPages


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
    app = console(supervisor.config, store, supervisor)
    http = supervisor.config.http
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        ssl_certfile=http.tls_cert or None,
        ssl_keyfile=http.tls_key or None,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="http", daemon=True)
    thread.start()
    # a retiring process serves no pages: its successor has the socket
    supervisor.on_retire = partial(setattr, server, "should_exit", True)
    try:
        yield listener
    finally:
        server.should_exit = True
        thread.join(5)
        listener.close()


def console(config: Config, store: Store, supervisor: Supervisor) -> Starlette:
    """The pages of a running proxy."""
    http = config.http
    rules = Rules(
        http.admin_password, http.viewer_password, http.token, http.hosts, secure=bool(http.tls_cert)
    )
    units = UnitPages(config.store.url)
    ports = Ports(
        health=supervisor.health,
        metrics=supervisor.metrics,
        settings=partial(_settings, supervisor),
        lake_tables=partial(lake_rows, config),
        lake_joins=partial(lake_joins, config),
        lake_profile=partial(lake_profile, config),
        optimiser=supervisor.optimiser,
        units=units.search,
        unit=units.one,
        pause=partial(_pause, store, config),
    )
    return create_app(store, ports, rules, literals=http.literals)


def _settings(supervisor: Supervisor) -> Sequence[Mapping[str, Any]]:
    """As they are now: SIGHUP may have changed them."""
    config = supervisor.config
    usual = defaults(config)
    return [
        {
            "key": key,
            "value": value,
            "default": usual.get(key, ""),
            "source": source,
            "counts_from": moment_of(key),
        }
        for key, value, source in effective(config)
    ]


def _pause(store: Store, config: Config, paused: bool, by: str) -> str:
    told = tell(store, config, paused, by)
    # a pause that reached nothing is told by its problems alone
    reached = ", ".join(filter(None, (told.store, str(told.file or ""))))
    return "; ".join(filter(None, (f"reached {reached}" if reached else "", *told.problems)))


def _listen(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(64)
    except OSError as error:
        listener.close()
        advice = address_remedy(error, "--http")
        raise ServeFailed(f"[http] address {address[0]}:{address[1]}: {error.strerror}{advice}") from error
    return listener
