"""Commands that live in the package they belong to: imported when run, with a clear failure where there is none yet.

The module offers ``command``, a click command or group.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

from rewright.cli.common import part


def package_command(name: str, module: str, what: str, help_text: str) -> click.Command:
    """A command whose arguments its own package declares."""

    @click.command(
        name, help=help_text, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
    )
    @click.pass_context
    def command(ctx: click.Context) -> None:
        inner: click.Command = part(module, what).command
        inner.main(args=list(ctx.args), prog_name=ctx.command_path, standalone_mode=False)

    return command


class Verbs(click.Group):
    """A group whose verbs are known here and done elsewhere."""

    def __init__(self, name: str, module: str, what: str, verbs: Mapping[str, str], *, help: str) -> None:
        super().__init__(name, help=help)
        self._module = module
        self._what = what
        self._verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._verbs:
            return None
        group = part(self._module, self._what).command
        assert isinstance(group, click.Group)
        return group.get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))
