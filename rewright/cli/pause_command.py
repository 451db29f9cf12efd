"""``rewright pause``."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli.common import opened_store, whoami, with_store


@click.command()
@with_store
def command(config_path: Path | None, store_url: str | None) -> None:
    """Stop serving replacements everywhere, within a second and across restarts."""
    with opened_store(config_path, store_url) as store:
        store.switches.set_paused(True, by=whoami())
    click.echo("paused: every query runs as it is written")
