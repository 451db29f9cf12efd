"""``rewright serve``: the proxy with everything beside it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewright import values
from rewright.cli import Failure, WrongUsage
from rewright.cli.common import CONFIG_OPTION, STORE_OPTION, check, configuration
from rewright.cli.parameters import DSN
from rewright.config.loading import load
from rewright.config.model import Config
from rewright.processes.activation import Activated, ActivationFailed, activated, address_of

if TYPE_CHECKING:
    from rewright.processes.instances import Instance
    from rewright.processes.supervisor import Supervisor
    from rewright.processes.takeover import Taken
    from rewright.store.api import Store
    from rewright.wiring.shadows import Shadows

# how long a start waits for a word of the store
STORE_SECONDS = 2.0


def _lake(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """A directory that is there, or a bucket: reaching that is tried when it is served."""
    # a bucket is not reached from here: credentials belong to the worker that serves it
    from rewright.lake.remote import is_remote

    if value and not is_remote(value) and not Path(value).expanduser().is_dir():
        raise click.BadParameter(f"must be a directory or s3://bucket/prefix; there is no directory {value}")
    return value


@click.command()
@CONFIG_OPTION
@click.option("--listen", help="address for clients, 127.0.0.1:6432")
@click.option("--upstream", type=DSN, help="DSN of the server behind, for any database name")
@click.option(
    "--optimiser-dsn",
    type=DSN,
    help="DSN of the role that looks for rewrites and only reads; without one nothing is looked for",
)
@click.option("--lake", callback=_lake, help="directory or s3://bucket/prefix served as the database `lake`")
@STORE_OPTION
@click.option("--http", help="address for /healthz, /metrics and the console; empty: none")
@click.option("--workers", type=click.IntRange(1), help="relay processes")
@click.option(
    "--takeover",
    is_flag=True,
    help="take the sockets of the proxy that runs at this address; its sessions go on there to their end",
)
def command(
    config_path: Path | None,
    listen: str | None,
    upstream: str | None,
    optimiser_dsn: str | None,
    lake: str | None,
    store_url: str | None,
    http: str | None,
    workers: int | None,
    takeover: bool,
) -> None:
    """Run the proxy until SIGTERM or Ctrl-C."""
    given_sockets = _activated()
    # two sources of sockets, of which one would be ignored
    if takeover and given_sockets.clients:
        raise WrongUsage("--takeover: the service manager has given sockets already")
    clients, pages_socket = given_sockets.clients, given_sockets.http
    # what they listen on counts for all that is said of addresses
    overrides: dict[str, object] = {
        "listen.address": address_of(clients[0]) if clients else listen,
        "listen.workers": workers,
        "http.address": address_of(pages_socket) if pages_socket is not None else http,
        "store.url": store_url,
        "databases.*.dsn": upstream,
        "databases.*.optimiser_dsn": optimiser_dsn,
        "databases.lake.engine": "duckdb" if lake else None,
        "databases.lake.path": lake,
    }
    given = {key.replace(".", "__"): value for key, value in overrides.items()}

    config = configuration(config_path, **given)
    if not config.databases:
        # a proxy without a database would answer every client with an error
        raise WrongUsage("no database is configured: give --upstream, or [databases.NAME] in rewright.toml")
    # the command line goes before a file that was read again, too
    given_now = {key: value for key, value in overrides.items() if value is not None}
    reread = partial(load, config_path, overrides=given_now)
    serve(config, reread, takeover=takeover, sockets=given_sockets)


def _activated() -> Activated:
    """Raises Failure."""
    try:
        return activated()
    except ActivationFailed as error:
        raise Failure(str(error)) from error


def serve(
    config: Config,
    reread: Callable[[], Config] | None = None,
    on_ready: Callable[[Supervisor], None] = lambda _: None,
    *,
    takeover: bool = False,
    sockets: Activated | None = None,
) -> None:
    """Until a signal ends it; raises Failure when it can't begin. ``reread``: for SIGHUP; raises ConfigError.

    ``takeover``: with the sockets of the process that listens at the configured address; ``sockets``: with
    these, as far as there are any.
    """
    from rewright import interrupts
    from rewright.processes import copies

    # until `run` takes them over
    interrupts.end_quietly()
    copies.begin()
    from rewright import logs
    from rewright.processes.notifying import notify
    from rewright.processes.pages import pages
    from rewright.processes.supervisor import ServeFailed, Supervisor

    logs.set_up(config.log.format, config.log.level, "supervisor")
    store, shadows = _opened(config)
    # lakes' servers are the same after a reread: their addresses are put into what was read
    again = None if reread is None else (lambda: shadows.applied(reread()))
    taken = _take(config) if takeover else None
    there = taken or sockets or Activated()
    supervisor = Supervisor(shadows.applied(config), again, there.clients)
    try:
        with ExitStack() as stack:
            stack.enter_context(shadows)
            stack.enter_context(store)
            _look_at(store)
            # before the workers start: an address that is taken ends the start early
            http = stack.enter_context(pages(config.http.address, supervisor, store, there.http))
            supervisor.start()
            _make_known(stack, config, supervisor, http)
            # the predecessor lets go only when this one listens
            if taken is not None:
                taken.finish()
            _tell_ready(supervisor, http)
            on_ready(supervisor)
            supervisor.run()
            notify("STOPPING=1")
    except ServeFailed as error:
        raise Failure(str(error)) from error
    finally:
        supervisor.stop()


def _opened(config: Config) -> tuple[Store, Shadows]:
    """The store, and the servers behind lakes, which run from now on. Raises Failure."""
    from rewright.store.errors import StoreError
    from rewright.wiring.shadows import ShadowFailed, Shadows
    from rewright.wiring.stores import reach_configured

    try:
        check(config)
        store = reach_configured(config)
    except StoreError as error:
        raise Failure(str(error)) from error
    shadows = Shadows(config)
    try:
        shadows.__enter__()
    # shadows are servers of ours: those that began have ended, the store has to be closed
    except ShadowFailed as error:
        store.close()
        raise Failure(str(error)) from error
    return store, shadows


def _tell_ready(supervisor: Supervisor, http: socket.socket | None) -> None:
    """The addresses for people, and systemd that clients can connect."""
    from rewright.processes.notifying import notify

    click.echo(f"listening on {values.show(supervisor.address)}", err=True)
    if http is not None:
        click.echo(f"pages on http://{values.show(http.getsockname()[:2])}/", err=True)
    if line := unoptimised(supervisor.config):
        click.echo(line, err=True)
    notify("READY=1")


def unoptimised(config: Config) -> str:
    """A line about the databases for which nothing new is found; empty where there is none."""
    if not config.optimiser.concurrency:
        return "no optimiser runs ([optimiser] concurrency is 0): nothing new is found"
    names = [
        "all others" if name == "*" else name
        for name, database in config.databases.items()
        if database.engine == "postgres" and not database.optimiser_dsn
    ]
    if not names:
        return ""
    # the only section is "*"
    if names == ["all others"] and len(config.databases) == 1:
        names = ["any database"]
    return (
        f"no optimiser for {', '.join(names)}: slow queries are logged, and nothing new is found "
        "(--optimiser-dsn DSN, or optimiser_dsn in [databases.NAME])"
    )


def _make_known(stack: ExitStack, config: Config, supervisor: Supervisor, http: socket.socket | None) -> None:
    """Listed for other commands, and ready to give its sockets to a successor."""
    from rewright.processes.instances import registered
    from rewright.processes.takeover import offered

    stack.enter_context(registered(config.serve.run_dir, _instance(config, supervisor)))
    give = partial(_sockets, supervisor, http)
    stack.enter_context(offered(config.serve.run_dir, give, supervisor.retire))


def _take(config: Config) -> Taken:
    """Raises Failure."""
    from rewright.processes.instances import alive
    from rewright.processes.takeover import TakeoverFailed, take

    address = values.show(config.listen.address)
    # in one run directory there may be several proxies: the one at this address
    pids = [one.pid for one in alive(config.serve.run_dir) if one.address == address]
    try:
        return take(config.serve.run_dir, pids)
    except TakeoverFailed as error:
        raise Failure(f"cannot take over {address}: {error}") from error


def _sockets(
    supervisor: Supervisor, http: socket.socket | None
) -> tuple[Sequence[socket.socket], socket.socket | None]:
    return supervisor.listeners, http


def _look_at(store: Store) -> None:
    """A store on a server that does not answer is not waited for: clients are."""
    from rewright import logs
    from rewright.wiring.stores import look_at

    look = threading.Thread(target=look_at, args=(store, logs.logger()), name="store", daemon=True)
    look.start()
    # goes on in its thread; the proxy reads what it needs when it is there
    look.join(STORE_SECONDS)


def _instance(config: Config, supervisor: Supervisor) -> Instance:
    from rewright.processes.instances import Instance
    from rewright.wiring.pausing import scope_of

    return Instance(os.getpid(), values.show(supervisor.address), scope_of(config))
