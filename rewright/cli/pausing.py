"""``rewright pause`` and ``rewright resume``."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, configuration, whoami, with_store
from rewright.terminal import echo_json

if TYPE_CHECKING:
    from rewright.processes.instances import Instance
    from rewright.wiring.pausing import Told


@click.command()
@JSON_OPTION
@with_store
def pause(as_json: bool, config_path: Path | None, store_url: str | None) -> None:
    """Stop serving replacements everywhere, within a second and across restarts.

    Works without the store, too. Says what was reached; exit code 1 when that is neither the store nor a
    running proxy, or when the proxies that run here use another store.
    """
    _throw(True, config_path, store_url, as_json=as_json)


@click.command()
@JSON_OPTION
@with_store
def resume(as_json: bool, config_path: Path | None, store_url: str | None) -> None:
    """Serve replacements again.

    Works without the store, too. Says what was reached; exit code 1 when that is neither the store nor a
    running proxy.
    """
    _throw(False, config_path, store_url, as_json=as_json)


def _throw(paused: bool, config_path: Path | None, store_url: str | None, *, as_json: bool) -> None:
    """Raises Failure when neither the store nor a running proxy was reached, or a pause reached none of those
    that run here.
    """
    from rewright.processes.instances import alive, running
    from rewright.store.errors import StoreError
    from rewright.wiring.pausing import scope_of, shared, tell
    from rewright.wiring.stores import reach_configured

    config = configuration(config_path, store__url=store_url)
    try:
        # a mistyped path is no store that proxies read
        with reach_configured(config, create=False) as store:
            told = tell(store, config, paused, whoami())
    except StoreError as error:
        raise Failure(f"store: {error}") from error
    proxies = running(config.serve.run_dir, scope_of(config))
    # a pause is kept by its file where the store cannot be written, which proxies read by themselves
    if not paused or told.file is None:
        # a signal needs no disk, and also ends a pause that was begun by one
        _signal([proxy.pid for proxy in proxies], paused)
    for problem in told.problems:
        click.echo(f"not reached: {problem}", err=True)
    # resumed for the running proxies, but the store would pause the next one
    if told.still:
        raise Failure("the store says paused and cannot be written, so the pause continues")
    if not told.store and not proxies:
        kept = f"; {told.file} is kept for the next start" if paused and told.file is not None else ""
        raise Failure(f"neither the store nor a running proxy was reached{kept}")
    # proxies of this user with another store are not stopped by what this one says
    elsewhere = [proxy for proxy in alive(config.serve.run_dir) if proxy not in proxies]
    if paused and not proxies and elsewhere and not shared(config):
        # typed in another folder, or without --config: what was to stop goes on
        raise Failure(
            f"no running proxy uses {told.store or config.store.url}, which is paused for the next start. "
            f"With another store: {', '.join(map(_named, elsewhere))}. Give its --config or --store"
        )
    _tell(told, proxies, paused, as_json=as_json)


def _tell(told: Told, proxies: Sequence[Instance], paused: bool, *, as_json: bool) -> None:
    if as_json:
        echo_json(
            {
                "paused": paused,
                "store": told.store or None,
                "file": None if told.file is None else str(told.file),
                "proxies": [{"address": proxy.address, "pid": proxy.pid} for proxy in proxies],
            }
        )
        return
    click.echo("paused: every query runs as it is written" if paused else "resumed")
    if told.store:
        click.echo(f"  store {told.store}")
    if told.file is not None:
        click.echo(f"  file {told.file}")
    for proxy in proxies:
        click.echo(f"  proxy {_named(proxy)}")
    if not proxies:
        click.echo(
            "  no running proxy of this user on this machine; it holds for those that start or run elsewhere"
        )


def _named(proxy: Instance) -> str:
    return f"{proxy.address}, process {proxy.pid}"


def _signal(pids: list[int], paused: bool) -> None:
    for pid in pids:
        # ended meanwhile, or another user's
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGUSR1 if paused else signal.SIGUSR2)
