"""``rewright ask``: a question in plain language, or a file of them, answered on a PostgreSQL database.

Owns the options and the output; the composition root finds `command` here. Must not know how a question is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import psycopg

from rewright.ask.api import THRESHOLD, Answer, Asker
from rewright.ask.execution import Limits

_CELL = 60


@click.command()
@click.argument("question", required=False)
@click.option(
    "--dsn",
    required=True,
    envvar="REWRIGHT_DSN",
    show_envvar=True,
    help="the database, as the role that may read what is asked about",
)
@click.option(
    "--batch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="a question a line, or JSON lines with id and question; one JSON document a line comes back",
)
@click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1),
    default=THRESHOLD,
    show_default=True,
    help="a reading less sure than this is refused",
)
@click.option(
    "--rows", type=click.IntRange(1), default=1000, show_default=True, help="most rows of an answer"
)
@click.option(
    "--seconds", type=click.FloatRange(0.001), default=30.0, show_default=True, help="most time of a query"
)
def command(
    question: str | None,
    dsn: str,
    batch: Path | None,
    as_json: bool,
    confidence: float,
    rows: int,
    seconds: float,
) -> None:
    """Answer QUESTION by one read-only query, shown with what it was taken to mean; or say what was unclear."""
    if (question is None) == (batch is None):
        raise click.UsageError("give a question or --batch FILE")
    try:
        with psycopg.connect(
            dsn, autocommit=True, prepare_threshold=None, application_name="rewright ask"
        ) as connection:
            asker = Asker(connection, threshold=confidence, limits=Limits(seconds=seconds, rows=rows))
            if batch is not None:
                _batch(asker, batch)
                return
            assert question is not None
            answer = asker.ask(question)
    except psycopg.Error as error:
        raise click.ClickException(str(error).strip() or type(error).__name__) from error
    _print(answer, as_json)
    if answer.refused or answer.error:
        sys.exit(1)


def _batch(asker: Asker, file: Path) -> None:
    """One document a line in the order of the file, whatever happens; progress on a terminal's stderr."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    for number, (given, question) in enumerate(_questions(lines), 1):
        document = {**given, **_asked(asker, question)}
        click.echo(json.dumps(document, ensure_ascii=False, default=str))
        if sys.stderr.isatty():
            click.echo(f"\r{number}/{len(lines)}", err=True, nl=number == len(lines))


def _asked(asker: Asker, question: str) -> dict[str, Any]:
    try:
        return asker.ask(question).document()
    except Exception as error:  # noqa: BLE001 - a line for each question, whatever happens
        return Answer(question, error=f"{type(error).__name__}: {error}").document()


def _questions(lines: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """What of a line is given back, and its question."""
    for line in lines:
        if not line.lstrip().startswith("{"):
            yield {}, line.strip()
            continue
        try:
            record = json.loads(line)
        except ValueError:
            yield {}, line.strip()
            continue
        yield ({"id": record["id"]} if "id" in record else {}), str(record.get("question", ""))


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(answer.document(), ensure_ascii=False, default=str, indent=2))
        return
    if answer.sql:
        click.echo(f"SQL: {answer.sql}", err=True)
    if answer.reading:
        click.echo(f"read as: {answer.reading} (confidence {answer.confidence:.2f})", err=True)
    if answer.refused or answer.error:
        click.echo(f"not answered: {answer.refused or answer.error}", err=True)
        return
    click.echo(" | ".join(answer.columns))
    for row in answer.rows:
        click.echo(" | ".join("" if value is None else _cell(value) for value in row))
    if answer.truncated:
        click.echo(f"(the first {len(answer.rows)} rows)", err=True)


def _cell(value: object) -> str:
    """One line, no control characters: a cell must not steer the terminal."""
    text = "".join(ch if ch.isprintable() else " " for ch in str(value))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
