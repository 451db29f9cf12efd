"""``rewright augment``: columns for a table from a lake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewright.cli import Failure
from rewright.cli.common import CONFIG_OPTION, configuration, opened_store, whoami
from rewright.cli.parts import whole

if TYPE_CHECKING:
    from rewright.lake.augment.asking import Asking
    from rewright.lake.augment.command import Kept


@click.command(
    name="augment",
    help="Add columns from a lake to a table.",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    # the options are the inner command's to tell
    add_help_option=False,
)
@CONFIG_OPTION
@click.pass_context
def command(ctx: click.Context, config_path: Path | None) -> None:
    inner = whole(command)
    from rewright.lake.augment.command import AugmentPort

    has_model = bool(configuration(config_path).models.of("lake"))
    port = AugmentPort(partial(_asking, config_path) if has_model else None, partial(_kept, config_path))
    inner.main(args=list(ctx.args), prog_name=ctx.command_path, standalone_mode=False, obj=port)


def _asking(config_path: Path | None) -> Asking:
    from rewright.lake.augment.asking import Asking
    from rewright.wiring.modelling import model_of

    share: Any = configuration(config_path).models.share
    return Asking(model_of(config_path), share)


@contextmanager
def _kept(config_path: Path | None, folder: str) -> Iterator[Kept | None]:
    """The searches of this lake by this person in the configured store; None: it cannot be opened."""
    from rewright.wiring.lake_views import KeptSearches

    with ExitStack() as stack:
        kept = None
        # a store that cannot be opened is no reason not to search
        with suppress(Failure):
            kept = KeptSearches(
                folder, whoami(), stack.enter_context(opened_store(config_path, None, create=True))
            )
        yield kept
