"""``rewright ask``: a question in plain language, with the configured model if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import psycopg

from rewright.cli import DatabaseFailure, Failure
from rewright.cli.common import CONFIG_OPTION, configuration, part
from rewright.cli.parts import whole

if TYPE_CHECKING:
    from rewright.ask.sources.lake import LakeAnswers
    from rewright.lake.api import Lake


class _Outer(click.Command):
    """Takes ``--config`` out and hands all else on as it was typed: a question may look like an option behind
    ``--``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # behind -- all is the question's
        end = args.index("--") if "--" in args else len(args)
        own: list[str] = []
        rest: list[str] = []
        words = iter(args[:end])
        for word in words:
            if word == "--config":
                own += [word, *([value] if (value := next(words, None)) is not None else [])]
            else:
                (own if word.startswith("--config=") else rest).append(word)
        # what is left is the inner command's, in the order in which it was typed
        super().parse_args(ctx, own)
        ctx.args = [*rest, *args[end:]]
        return ctx.args


def _lake_answers(lake: Lake) -> AbstractContextManager[LakeAnswers]:
    # only questions about lakes need all this
    from rewright.wiring.lake_answers import session_answers

    return session_answers(lake)


@click.command(
    "ask",
    cls=_Outer,
    help="Answer a question in plain language.",
    # --help belongs to the command within
    context_settings={"help_option_names": []},
)
@CONFIG_OPTION
@click.pass_context
def command(ctx: click.Context, config_path: Any) -> None:
    inner: Any = part("rewright.ask.command", "asking in plain language")
    told = whole(command)
    config = configuration(config_path)
    model = None
    # a model that is configured but switched off for questions is not even made
    if config.models.of("ask") and config.ask.model:

        def make(documents: Sequence[Any]) -> Any:
            from rewright.wiring.asking_adapters import assistance_of

            found = assistance_of(config, None)
            if found is None:
                return None
            # the documents of this question beside those that are configured
            return replace(found, documents=(*found.documents, *documents))

        def learning(role: str) -> Any:
            from rewright.wiring.asking_adapters import assistance_of
            from rewright.wiring.stores import reach_configured

            return assistance_of(config, reach_configured(config), role)

        model = inner.ModelPort(make, learning)
    ports = inner.Ports(_lake_answers, model)
    try:
        told.main(args=list(ctx.args), prog_name=ctx.command_path, standalone_mode=False, obj=ports)
    # wrong usage is told as click tells it, with the command's own usage line
    except click.UsageError:
        raise
    except click.ClickException as error:
        # told as every other command tells a failure; what a server said is its cause
        cause = error.__cause__
        raise (
            DatabaseFailure(cause) if isinstance(cause, psycopg.Error) else Failure(error.message)
        ) from error
