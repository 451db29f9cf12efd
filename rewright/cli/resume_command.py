"""``rewright resume``."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli.common import with_store
from rewright.cli.pausing import throw


@click.command()
@with_store
def command(config_path: Path | None, store_url: str | None) -> None:
    """Serve replacements again.

    Works without the store, too. Says what was reached; exit code 1 when that is neither the store nor a running proxy.
    """
    throw(False, config_path, store_url)
