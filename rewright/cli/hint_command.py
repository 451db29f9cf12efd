"""``rewright hint``: measured hints for the queries of a file."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import DURATION, JSON_OPTION, part, print_json


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dsn", required=True, help="the database, as the optimiser's own read-only role")
@click.option("--limit", type=DURATION, default="30s", show_default=True, help="what one execution may take")
@click.option("--budget", type=DURATION, default="120s", show_default=True, help="for one query in all")
@JSON_OPTION
def command(file: Path, dsn: str, limit: float, budget: float, as_json: bool) -> None:
    """Hints for each SELECT in FILE: found by executing it read-only, kept only if obeyed and measured faster."""
    hinting = part("engines.postgres.hinting", "hints")
    session_part = part("engines.postgres.session", "hints")
    recommending = part("hints.recommend", "hints")
    report = part("hints.text_report", "hints")
    statements = _statements(file)
    options = recommending.Options(run_seconds=limit, budget_seconds=budget)
    documents = []
    try:
        with hinting.HintingSession(dsn, limits=session_part.Limits(statement=4 * limit)) as session:
            if not session.support.extension:
                click.echo(
                    "pg_hint_plan is not loaded there: only CTE keywords are tried (rewright hintplan)",
                    err=True,
                )
            for text in statements:
                found = recommending.recommend(session, text, options)
                documents.append({"original": text, **found.to_json()})
                if not as_json:
                    click.echo("\n".join(report.lines_of(found)))
    except session_part.SessionError as error:
        raise Failure(f"database: {error}") from error
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)


def _statements(file: Path) -> list[str]:
    import pglast

    try:
        return list(pglast.split(file.read_text(encoding="utf-8")))
    except (pglast.Error, UnicodeDecodeError) as error:
        raise Failure(f"{file}: {error}") from error
