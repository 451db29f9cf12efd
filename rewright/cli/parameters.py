"""What options and arguments may be: wrong ones are wrong usage (exit code 2), said before any work begins.

Must not know single commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rewright import values

DSN_VARIABLE = "REWRIGHT_DSN"
"""Where ``--dsn`` may come from, too: a command line shows its password to every user of the machine."""


class Duration(click.ParamType[float]):
    """A time such as 30s or 1h, as seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        # a default that click has converted already
        if isinstance(value, float):
            return value
        try:
            return values.seconds(value)
        except ValueError as error:
            self.fail(f"must be {error}", param, ctx)


class Dsn(click.ParamType[str]):
    """A connection string of libpq, as it was given."""

    name = "dsn"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict

        # only its form is looked at: whether the server is there is told when it is needed
        try:
            conninfo_to_dict(value)
        except ProgrammingError as error:
            self.fail(
                f"must be postgresql://user@host:5432/database or 'host=... dbname=...': "
                f"{str(error).strip()}",
                param,
                ctx,
            )
        return str(value)


class Words(click.ParamType[tuple[str, ...]]):
    """Some of the allowed words, with commas between them."""

    name = "words"

    def __init__(self, *allowed: str) -> None:
        self._parse = values.words(*allowed)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(f"must be {error}", param, ctx)


class OutFile(click.Path):
    """A file to write, in a directory that is there: hours of work are not done for a place that does not
    exist.
    """

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Path = super().convert(value, param, ctx)  # type: ignore[assignment] # path_type makes it a Path
        if not path.parent.is_dir():
            self.fail(f"there is no directory {path.parent}", param, ctx)
        return path


DURATION = Duration()
DSN = Dsn()
OUT_FILE = OutFile()
IN_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

QUERIES_ARGUMENT = click.argument(
    "source", required=False, type=click.Path(exists=True, path_type=Path), metavar="[FILE.sql|DIR]"
)
READING_DSN_OPTION = click.option(
    "--dsn",
    type=DSN,
    required=True,
    envvar=DSN_VARIABLE,
    show_envvar=True,
    help="the database; an account that may only read is enough",
)
