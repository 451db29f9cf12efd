"""``rewright demo``: everything at once, to try it."""

from __future__ import annotations

import secrets
import shutil
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewright import values
from rewright.cli import Failure
from rewright.config.model import Admins, Config, Database, Http, Listen, Logging, Serve, StoreSection

if TYPE_CHECKING:
    from rewright.demo.world import World
    from rewright.processes.supervisor import Supervisor

PORT, HTTP_PORT = 6432, 6480


@click.command()
@click.option("--once", is_flag=True, help="run the tour, print it, exit")
def command(once: bool) -> None:
    """An embedded PostgreSQL with sample data, and the proxy before it; prints the psql line to try.

    With --once, or without a terminal on stdin, runs the tour by itself. Nothing is left behind.
    """
    from rewright import interrupts
    from rewright.engines.postgres.installation import ServerUnavailable

    interrupts.end_quietly()
    try:
        # without a terminal nobody could try anything: the tour is all there is to show
        _demo(once=once or not sys.stdin.isatty())
    except ServerUnavailable as error:
        raise Failure(str(error)) from error


def _demo(*, once: bool) -> None:
    from rewright import interrupts, logs
    from rewright.demo.world import world
    from rewright.processes.pages import pages
    from rewright.processes.supervisor import ServeFailed, Supervisor
    from rewright.wiring.stores import open_configured

    click.echo("starting PostgreSQL and loading the sample …")
    with interrupts.temporary_directory("rewright-demo-") as directory, world() as sample:
        # the directory is removed when all else has stopped
        config = demo_config(sample, Path(directory))
        logs.set_up(config.log.format, config.log.level, "supervisor")
        supervisor = Supervisor(config)
        try:
            with open_configured(config) as store, pages(config.http.address, supervisor, store) as http:
                supervisor.start()
                _introduce(sample, supervisor, None if http is None else http.getsockname()[:2])
                if once:
                    _tour(sample, supervisor)
                else:
                    supervisor.run()
        except ServeFailed as error:
            raise Failure(str(error)) from error
        finally:
            supervisor.stop()


def demo_config(sample: World, home: Path) -> Config:
    """Everything on loopback and below ``home``; ports are the usual ones where they are free."""
    return Config(
        listen=Listen(address=("127.0.0.1", _free(PORT))),
        http=Http(address=("127.0.0.1", _free(HTTP_PORT)), admin_password=secrets.token_urlsafe(9)),
        store=StoreSection(url=str(home / "store.db")),
        serve=Serve(run_dir=str(home)),
        databases={"*": Database(dsn=sample.upstream, optimiser_dsn=sample.optimiser)},
        admins=Admins(roles=(sample.user,)),
        log=Logging(level="warning"),
    )


def _free(port: int) -> int:
    # 0: any port that is free
    with socket.socket() as probe:
        # taken: another demo, or a real proxy; any free one will do
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return 0
    return port


def client_dsn(sample: World, address: tuple[str, int]) -> str:
    return f"postgresql://{sample.user}:{sample.user}@{values.show(address)}/{sample.database}"


def _introduce(sample: World, supervisor: Supervisor, http: tuple[str, int] | None) -> None:
    # the sample's own psql where the machine has none
    psql = shutil.which("psql") or sample.psql
    click.echo(f"\n  {psql} '{client_dsn(sample, supervisor.address)}'\n")
    if http is not None:
        password = supervisor.config.http.admin_password
        click.echo(
            f"  http://{values.show(http)}/ shows what is done with your queries; password {password}\n"
        )
    click.echo("Ctrl-C ends everything.")


def _tour(sample: World, supervisor: Supervisor) -> None:
    """In a thread, so that Ctrl-C neither waits for an answer to its query nor tries to cancel it."""
    import psycopg

    from rewright.demo.tour import TourFailed, tour

    failures: list[Exception] = []

    def walk() -> None:
        try:
            tour(client_dsn(sample, supervisor.address), click.echo)
        except Exception as error:  # noqa: BLE001 - raised below, by who waits for it
            failures.append(error)

    walker = threading.Thread(target=walk, name="tour", daemon=True)
    walker.start()
    walker.join()
    for error in failures:
        if isinstance(error, (TourFailed, psycopg.Error)):
            raise Failure(str(error)) from error
        raise error
