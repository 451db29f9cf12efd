"""``rewright accept``."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import opened_store, with_store
from rewright.store.errors import NotFound


@click.command()
@click.argument("identifier", metavar="ID", type=int)
@click.option("--reason", default="", help="kept with the decision")
@with_store
def command(identifier: int, reason: str, config_path: Path | None, store_url: str | None) -> None:
    """Accept a resolution: the lake query it belongs to is resolved so from now on."""
    del reason
    with opened_store(config_path, store_url) as store:
        try:
            resolution = store.resolutions.accept(identifier)
        except NotFound as error:
            raise Failure(str(error)) from error
    click.echo(f"resolution {resolution.id} is accepted")
