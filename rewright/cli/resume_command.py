"""``rewright resume``."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli.common import opened_store, whoami, with_store


@click.command()
@with_store
def command(config_path: Path | None, store_url: str | None) -> None:
    """Serve replacements again."""
    with opened_store(config_path, store_url) as store:
        store.switches.set_paused(False, by=whoami())
    click.echo("resumed")
