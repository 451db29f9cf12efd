"""``rewright advise``: what would help where no rewrite does. Nothing is changed in the database."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, WrongUsage
from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, configuration
from rewright.cli.parameters import DURATION, QUERIES_ARGUMENT, READING_DSN_OPTION
from rewright.cli.statements import statements_of, tell_syntax_errors
from rewright.terminal import echo, echo_json

_TOP = 20


@click.command()
@QUERIES_ARGUMENT
@READING_DSN_OPTION
@click.option(
    "--top",
    type=click.IntRange(1, 10_000),
    help="the N most expensive SELECTs of pg_stat_statements, without those of an optimiser_dsn's role "
    f"({_TOP} where no file is named)",
)
@click.option("--limit", type=DURATION, default="30s", show_default=True, help="time limit for one execution")
@click.option(
    "--budget", type=DURATION, default="30s", show_default=True, help="total time for one statement"
)
@click.option("--no-run", is_flag=True, help="execute nothing; use statistics and compare costs")
@CONFIG_OPTION
@JSON_OPTION
def command(
    source: Path | None,
    dsn: str,
    top: int | None,
    limit: float,
    budget: float,
    no_run: bool,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Indexes, statistics and constraints that would help queries, or let a faster one be proved.

    Proposed only. An index is tried with HypoPG where the server has it; NOT NULL is looked for in the stored
    rows.
    """
    if source is not None and top is not None:
        raise click.UsageError("either a file or --top")
    config = configuration(config_path)
    works = statements_of(source, top or _TOP, dsn, config)
    wrong = source is not None and tell_syntax_errors(works)
    # a file was chosen by who types this; what pg_stat_statements has was sent by others
    documents = list(_documents(works, dsn, limit, budget, own=source is not None, execute=not no_run))
    if as_json:
        echo_json(documents)
    else:
        for document in documents:
            echo("\n".join(_lines(document)))
    if wrong:
        sys.exit(WrongUsage.exit_code)


def _documents(
    works: Iterable[Any], dsn: str, limit: float, budget: float, *, own: bool, execute: bool
) -> Iterable[dict[str, Any]]:
    from rewright.engines.postgres.hinting import HintingSession
    from rewright.engines.postgres.session import Limits, SessionError
    from rewright.wiring.advising import advice_for

    try:
        with HintingSession(dsn, limits=Limits(statement=limit), own=own) as session:
            for work in works:
                yield {
                    "name": work.name,
                    "calls": work.calls or None,
                    "original": work.sql,
                    **advice_for(session, work.sql, limit, budget, execute=execute),
                }
    except SessionError as error:
        raise DatabaseFailure(error) from error


def _lines(document: dict[str, Any]) -> Iterable[str]:
    start = " ".join(document["original"].split())
    yield f"-- {document['name']}: {start[:90]}{'…' if len(start) > 90 else ''}"
    # psql reads what is printed: reasons are comments, statements can be run
    for one in document["advice"]:
        yield f"-- {one['reason']}"
        yield from (f"{statement};" for statement in one["statements"])
    if not document["advice"]:
        yield f"-- {document['reason'] or 'nothing to advise'}"
    yield ""
