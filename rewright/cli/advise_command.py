"""``rewright advise``: what would help where no rewrite does. Nothing is changed in the database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure
from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, configuration
from rewright.cli.parameters import DURATION, QUERIES_ARGUMENT, READING_DSN_OPTION
from rewright.config.model import Config
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
@click.option("--limit", type=DURATION, default="30s", show_default=True, help="what one execution may take")
@click.option("--budget", type=DURATION, default="30s", show_default=True, help="for one statement in all")
@click.option("--no-run", is_flag=True, help="execute nothing: statistics alone, cost decides")
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
    documents = list(_documents(source, top or _TOP, dsn, config, limit, budget, execute=not no_run))
    if as_json:
        echo_json(documents)
        return
    for document in documents:
        echo("\n".join(_lines(document)))


def _documents(
    source: Path | None,
    top: int,
    dsn: str,
    config: Config,
    limit: float,
    budget: float,
    *,
    execute: bool,
) -> Iterable[dict[str, Any]]:
    from rewright.engines.postgres.hinting import HintingSession
    from rewright.engines.postgres.session import Limits, Session, SessionError
    from rewright.rewrite.offline import InputError, collect
    from rewright.rewrite.offline import top as top_of
    from rewright.wiring.accounts import own_roles
    from rewright.wiring.advising import advice_for

    try:
        if source is None:
            with Session(dsn) as asking:
                works = top_of(asking, top, own_roles(config))
        else:
            works = collect(source)
        # a file was chosen by who types this; what pg_stat_statements has was sent by others
        own = source is not None
        with HintingSession(dsn, limits=Limits(statement=limit), own=own) as session:
            for work in works:
                yield {
                    "name": work.name,
                    "calls": work.calls or None,
                    "original": work.sql,
                    **advice_for(session, work.sql, limit, budget, execute=execute),
                }
    except InputError as error:
        raise Failure(str(error)) from error
    except SessionError as error:
        raise DatabaseFailure(error) from error


def _lines(document: dict[str, Any]) -> Iterable[str]:
    start = " ".join(document["original"].split())
    yield f"-- {document['name']}: {start[:90]}{'…' if len(start) > 90 else ''}"
    for one in document["advice"]:
        yield f"-- {one['reason']}"
        yield from (f"{statement};" for statement in one["statements"])
    if not document["advice"]:
        yield f"-- {document['reason'] or 'nothing to advise'}"
    yield ""
