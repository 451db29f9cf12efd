"""The commands by which a person decides on one rewrite or resolution: approve,
reject, pin, retire, accept.
"""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, opened_store, whoami, with_store
from rewright.cli.documents import acceptance_document, decision_document
from rewright.store.errors import NotFound
from rewright.store.life import Action, IllegalTransition
from rewright.terminal import echo_json


def decide(action: Action, help_text: str) -> click.Command:
    """The command that takes ``action`` on a rewrite."""

    @click.command(help=help_text)
    @click.argument("identifier", metavar="ID", type=int)
    @click.option("--reason", default="", help="stored with the decision")
    @JSON_OPTION
    @with_store
    def command(
        identifier: int, reason: str, as_json: bool, config_path: Path | None, store_url: str | None
    ) -> None:
        with opened_store(config_path, store_url) as store:
            try:
                # the store decides what is legal: a refuted rewrite cannot be approved
                rewrite = store.rewrites.act(identifier, action, reason=reason, by=whoami())
            except (NotFound, IllegalTransition) as error:
                raise Failure(str(error)) from error
        if as_json:
            echo_json(decision_document(rewrite))
        else:
            click.echo(f"rewrite {rewrite.id} is {rewrite.state}")

    return command


approve = decide(
    Action.APPROVE, "Serve a rewrite on a person's word, whatever its evidence (a refuted one never)."
)
reject = decide(Action.REJECT, "Never serve a rewrite, even when it is found again.")
pin = decide(Action.PIN, "Serve a rewrite and do not retire it for slowness.")
retire = decide(Action.RETIRE, "Stop serving a rewrite until it is found again.")


@click.command()
@click.argument("identifier", metavar="ID", type=int)
@click.option("--reason", default="", help="stored with the decision")
@JSON_OPTION
@with_store
def accept(
    identifier: int, reason: str, as_json: bool, config_path: Path | None, store_url: str | None
) -> None:
    """Accept a resolution: the lake query it belongs to is resolved so from now on."""
    del reason
    with opened_store(config_path, store_url) as store:
        try:
            resolution = store.resolutions.accept(identifier)
        except NotFound as error:
            raise Failure(str(error)) from error
    if as_json:
        echo_json(acceptance_document(resolution))
    else:
        click.echo(f"resolution {resolution.id} is accepted")
