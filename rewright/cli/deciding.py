"""The commands by which a person decides on one rewrite: approve, reject, pin, retire."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import opened_store, whoami, with_store
from rewright.store.errors import NotFound
from rewright.store.life import Action, IllegalTransition


def decide(action: Action, help_text: str) -> click.Command:
    """The command that takes ``action`` on a rewrite."""

    @click.command(help=help_text)
    @click.argument("identifier", metavar="ID", type=int)
    @click.option("--reason", default="", help="kept with the decision")
    @with_store
    def command(identifier: int, reason: str, config_path: Path | None, store_url: str | None) -> None:
        with opened_store(config_path, store_url) as store:
            try:
                rewrite = store.rewrites.act(identifier, action, reason=reason, by=whoami())
            except (NotFound, IllegalTransition) as error:
                raise Failure(str(error)) from error
        click.echo(f"rewrite {rewrite.id} is {rewrite.state}")

    return command
