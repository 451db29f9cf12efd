"""The command line: one file a command, or a family of small ones, each imported only when it is asked for.

Owns the list of commands and the exit codes: 0 done, 1 failed (message on stderr), 2 wrong usage.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import MutableMapping

import click

from rewright.terminal import echo

COMMANDS = {
    "demo": "embedded PostgreSQL, sample data and the proxy; prints the psql line to try",
    "serve": "run the proxy",
    "config": "effective values and where each comes from; validate; an annotated file",
    "log": "what was rewritten, hinted, resolved, asked",
    "show": "one rewrite: what was wrong, what was done, texts, evidence, plans, history",
    "approve": "serve a rewrite on a person's word",
    "reject": "never serve a rewrite",
    "pin": "serve a rewrite and do not retire it for slowness",
    "retire": "stop serving a rewrite",
    "accept": "accept a resolution of a lake query",
    "pause": "stop serving replacements everywhere",
    "resume": "serve replacements again",
    "rewrite": "find faster equivalents of queries",
    "verify": "are two queries the same?",
    "recheck": "check a proof's certificate without the search",
    "advise": "indexes, statistics and constraints that would help; proposed only",
    "hint": "measured hints for a query",
    "hintplan": "get, check and feed pg_hint_plan",
    "knowledge": "rewrite knowledge: search, add, build, check",
    "lake": "a data lake: index, look around, query",
    "ask": "a question in plain language",
    "augment": "columns for a table from a lake",
    "mcp": "tools for a coding agent: verify, rewrite, hint, plan, lake queries",
    "bench": "benchmarks",
    "doctor": "check the installation",
}

# families of commands that share a file, in which each stands under its name; any other is ``command`` in
# NAME_command.py
FAMILIES = {
    "deciding": ("approve", "reject", "pin", "retire", "accept"),
    "pausing": ("pause", "resume"),
}
_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


class Failure(click.ClickException):
    """The thing asked for failed: its message on stderr, exit code 1."""

    def show(self, file: object = None) -> None:
        del file
        echo(f"rewright: {self.message}", err=True)


class DatabaseFailure(Failure):
    """A database could not be reached, or refused: with what can be done about it."""

    def __init__(self, error: Exception) -> None:
        # imported here: the remedies read the server's messages, which help texts need not wait for
        from rewright.reaching import with_remedy

        super().__init__(f"database: {with_remedy(str(error).strip() or type(error).__name__)}")


class WrongUsage(Failure):
    """What was typed can't be meant: exit code 2."""

    exit_code = 2


def without_package(error: ModuleNotFoundError, what: str) -> Failure:
    """The failure to tell for a package that only an extra brings; anything else is
    a fault and raised again.
    """
    from rewright.extras import remedy

    command = remedy(error.name or "")
    # a module of our own, or one that no extra brings, is missing: that is a broken installation
    if command is None:
        raise error
    return Failure(f"{what} needs the Python package {error.name}: {command}")


class Commands(click.Group):
    """Commands by name; the help text needs none of them imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        family = _FAMILY_OF.get(cmd_name)
        module = importlib.import_module(f"rewright.cli.{family or f'{cmd_name}_command'}")
        command: click.Command = getattr(module, cmd_name if family else "command")
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _say_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    # eager: said before any other option is looked at
    if wanted:
        from rewright import version

        click.echo(f"rewright {version()}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version.",
)
def rewright() -> None:
    """Slow SELECTs replaced by faster queries with the same answer, at the PostgreSQL protocol."""


def settle_environment(environment: MutableMapping[str, str]) -> None:
    """What libpq would take from the environment for every session of ours, of all processes.

    PGTZ and its like are a person's wishes for psql. Lakes' answers would be told in that zone and form, and
    texts of ours, which are UTF-8, be read as something else. docs/decisions/1475.
    """
    for name in ("PGTZ", "PGDATESTYLE", "PGGEQO"):
        environment.pop(name, None)
    environment["PGCLIENTENCODING"] = "UTF8"


def main() -> None:
    """The entry point."""
    settle_environment(os.environ)
    try:
        _run()
    finally:
        # All that was asked for is done and printed. Python puts back the signal's default while it ends, so
        # that Ctrl-C in these last milliseconds would turn a whole answer into death by a signal.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run() -> None:
    try:
        rewright.main(prog_name="rewright")
    except ModuleNotFoundError as error:
        failure = without_package(error, "this command")
        failure.show()
        sys.exit(failure.exit_code)
    except BrokenPipeError:
        # `rewright log | head`
        sys.stderr.close()
        sys.exit(1)
