"""``rewright hint``: measured hints for the queries of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure
from rewright.cli.common import (
    CONFIG_OPTION,
    JSON_OPTION,
    MODEL_OPTION,
    configuration,
    part,
)
from rewright.cli.parameters import DSN, DSN_VARIABLE, DURATION, IN_FILE
from rewright.cli.statements import queries_of
from rewright.terminal import echo, echo_json


@click.command()
@click.argument("file", type=IN_FILE)
@click.option(
    "--dsn",
    type=DSN,
    required=True,
    envvar=DSN_VARIABLE,
    show_envvar=True,
    help="the database, as the optimiser's own read-only role",
)
@click.option("--limit", type=DURATION, default="30s", show_default=True, help="time limit for one execution")
@click.option("--budget", type=DURATION, default="120s", show_default=True, help="total time for one query")
@click.option("--no-run", is_flag=True, help="execute nothing; use statistics and logs, and compare costs")
@click.option(
    "--log",
    "log_file",
    type=IN_FILE,
    help="a server log with auto_explain's plans (log_analyze on): actual rows without a run",
)
@MODEL_OPTION
@CONFIG_OPTION
@JSON_OPTION
def command(
    file: Path,
    dsn: str,
    limit: float,
    budget: float,
    no_run: bool,
    log_file: Path | None,
    model: str,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Hints for each SELECT in FILE: found by executing it read-only, kept only if obeyed and measured
    faster.
    """
    hinting = part("rewright.engines.postgres.hinting", "hints")
    session_part = part("rewright.engines.postgres.session", "hints")
    recommending = part("rewright.hints.recommend", "hints")
    report = part("rewright.hints.text_report", "hints")
    statements = queries_of(file)
    options = recommending.Options(run_seconds=limit, budget_seconds=budget, execute=not no_run)
    logged = _logged(log_file)
    strategy = _strategy(config_path) if model == "on" else None
    documents = []
    try:
        # executions end by `run_seconds`; this bounds everything else that the session does
        with hinting.HintingSession(
            dsn, limits=session_part.Limits(statement=4 * limit), own=True
        ) as session:
            _tell_missing_extension(session)
            for number, text in enumerate(statements, 1):
                # plans of a log are of one text each: those of this statement
                plans = part("rewright.hints.logs", "hints").plans_of(text, logged) if logged else ()
                found = recommending.recommend(session, text, options, strategy=strategy, logged=plans)
                documents.append({"original": text, **found.to_json()})
                if not as_json:
                    _echo(number, len(statements), text, report.lines_of(found))
    except session_part.SessionError as error:
        raise DatabaseFailure(error) from error
    if as_json:
        # one statement gives one document, as it did before files could hold several
        echo_json(documents[0] if len(documents) == 1 else documents)


def _tell_missing_extension(session: Any) -> None:
    if not session.support.extension:
        echo(
            "pg_hint_plan is not loaded there: only CTE keywords are tried; "
            "rewright hintplan install DSN gets it",
            err=True,
        )


def _echo(number: int, total: int, text: str, lines: Any) -> None:
    if total > 1:
        start = " ".join(text.split())
        echo(f"{'' if number == 1 else chr(10)}-- {number}: {start[:90]}{'…' if len(start) > 90 else ''}")
    echo("\n".join(lines))


def _logged(path: Path | None) -> list[Any]:
    if path is None:
        return []
    try:
        found = list(part("rewright.hints.logs", "hints").read_log(path))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror or error}") from error
    if not found:
        echo(f"{path}: no executed plans of auto_explain (is log_analyze on?)", err=True)
    return found


def _strategy(config_path: Path | None) -> Any:
    """The dialogue with the configured model, None without one."""
    config = configuration(config_path)
    model = part("rewright.wiring.modelling", "hints").make_model(config)
    return (
        part("rewright.hints.dialogue", "hints").Dialogue(model, config.models.share)
        if model.available("hint")
        else None
    )
