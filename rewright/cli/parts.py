"""Commands that live in the package they belong to: imported when run, with a clear failure where there is
none yet.

Each offers ``command``, a click command or group.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import click

from rewright.cli.common import part

# commands that hand on what they are given, but for options of their own: to whom, and what that does
_INNER: Mapping[str, tuple[str, str]] = {
    "ask": ("rewright.ask.command", "asking in plain language"),
    "augment": ("rewright.lake.augment.command", "augmenting tables"),
}


def whole(outer: click.Command) -> click.Command:
    """A command with all options that it takes: its own, and those of the command that it hands the rest on
    to. Run, it knows nothing of its own ones, which must have been taken out. Others are given back as they
    are.
    """
    name = outer.name or ""
    if name not in _INNER:
        return outer
    inner: click.Command = part(*_INNER[name]).command
    # copies: the command itself must not know of the outer one's options when it runs
    found = copy(inner)
    own = [copy(parameter) for parameter in outer.params]
    for parameter in own:
        # taken out before the inner command is called
        parameter.expose_value = False
    found.params = [*found.params, *own]
    return found


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
        # the verb is known here, so that a misspelt one is told without importing the family
        if cmd_name not in self._verbs:
            return None
        group = part(self._module, self._what).command
        assert isinstance(group, click.Group)
        return group.get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))
