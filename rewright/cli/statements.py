"""Files of SQL that somebody names on the command line: what the grammar does not know is wrong usage,
told in one line with file and place before any server is asked.

Must not know what a command does with the statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rewright.cli import DatabaseFailure, Failure, WrongUsage
from rewright.cli.common import text_of
from rewright.terminal import echo

if TYPE_CHECKING:
    from rewright.config.model import Config
    from rewright.rewrite.offline import Work


def query_of(path: Path) -> str:
    """The text of a file with one statement. Raises WrongUsage."""
    text = text_of(path)
    count = _parsed(path, text)
    if count == 0:
        raise WrongUsage(f"{path}: no statement in it")
    if count is not None and count > 1:
        raise WrongUsage(f"{path}: {count} statements where one query is expected")
    return text


def queries_of(path: Path) -> list[str]:
    """The statements of a file, one at least. Raises WrongUsage."""
    import pglast

    text = text_of(path)
    # as many statements as characters: no limit
    if not _parsed(path, text, len(text)):
        raise WrongUsage(f"{path}: no statement in it")
    return list(pglast.split(text))


def schema_of(path: Path) -> str:
    """The text of a file of DDL, whatever its statements do. Raises WrongUsage."""
    from rewright.sql.ddl import MAX_TABLES
    from rewright.sql.dumps import without_commands

    text = text_of(path)
    # a dump may have thousands of statements
    _parsed(path, without_commands(text), MAX_TABLES)
    return text


def _parsed(path: Path, text: str, statements: int = 1) -> int | None:
    """How many statements there are; None for what is too large to be parsed: the checker refuses that with a
    reason. Raises WrongUsage.
    """
    from pglast.parser import ParseError

    from rewright.sql.parsing import TooDeep, parse

    try:
        return len(parse(text, statements=statements))
    except TooDeep:
        return None
    except ParseError as error:
        message, place = error.args
        # psql's \restrict and its like stand in every pg_dump since 2025
        if text[place : place + 1] == "\\":
            message = "a command of psql's, which only psql reads (of a database: pg_dump --schema-only)"
        raise WrongUsage(f"{path}: line {text.count(chr(10), 0, place) + 1}: {message}") from error


def statements_of(source: Path | None, top: int, dsn: str, config: Config) -> tuple[Work, ...]:
    """Those of a file or a directory, or the ``top`` most expensive of pg_stat_statements. Raises
    Failure.
    """
    from rewright.engines.postgres.session import Session, SessionError
    from rewright.rewrite.offline import InputError, collect
    from rewright.rewrite.offline import top as top_of
    from rewright.wiring.accounts import own_roles

    try:
        if source is not None:
            return collect(source)
        with Session(dsn) as session:
            return top_of(session, top, own_roles(config))
    except InputError as error:
        raise (Failure if source is None else WrongUsage)(str(error)) from error
    except SessionError as error:
        raise DatabaseFailure(error) from error


def tell_syntax_errors(works: Sequence[Work]) -> bool:
    """Whether there are any in the statements of a file or a directory, each told in a
    line on stderr. Raises WrongUsage where no statement is without.
    """
    wrong = [f"{work.name}: {found}" for work in works if (found := _syntax_error(work.sql))]
    # nothing to work on
    if wrong and len(wrong) == len(works):
        raise WrongUsage("\nrewright: ".join(wrong))
    for line in wrong:
        echo(f"rewright: {line}", err=True)
    return bool(wrong)


def _syntax_error(statement: str) -> str:
    from pglast.parser import ParseError

    from rewright.sql.parsing import TooDeep, parse

    # what is too large to be parsed is refused with a reason where it is read
    with suppress(TooDeep):
        try:
            parse(statement)
        except ParseError as error:
            return str(error.args[0])
    return ""
