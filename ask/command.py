"""``rewright ask``: a question in plain language, a file of them, or a conversation, over a PostgreSQL
database or a lake.

Owns the options and the output; the composition root finds `command` here and gives it the model. Must not
know how a question is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import psycopg

from rewright.ask.answer import Answer, chosen_among
from rewright.ask.api import THRESHOLD, Asker, Assistance
from rewright.ask.execution import Limits
from rewright.ask.interactive import converse
from rewright.ask.ports import Document
from rewright.ask.printing import print_answer, print_choices
from rewright.ask.sessions import plain
from rewright.ask.sources.api import Source
from rewright.ask.sources.postgres import PostgresSource
from rewright.engines.duckdb.errors import LakeError
from rewright.terminal import echo, echo_json, or_stdin

if TYPE_CHECKING:
    from rewright.ask.sources.lake import LakeAnswers
    from rewright.lake.api import Lake


@dataclass(frozen=True, slots=True)
class ModelPort:
    """The configured model with all that goes with it; ``make`` takes long and gives None where there is
    none. ``learning`` gives it with the kept lessons of a role; None: there is no store.
    """

    make: Callable[[Sequence[Document]], Assistance | None]
    learning: Callable[[str], Assistance | None] | None = None


@dataclass(frozen=True, slots=True)
class Ports:
    """What the composition root gives the command, as the context's object. ``lakes``: who runs a lake's
    queries as a session does; ``model``: None where none is configured.
    """

    lakes: Callable[[Lake], AbstractContextManager[LakeAnswers]]
    model: ModelPort | None = None


@dataclass(frozen=True, slots=True)
class _Options:
    confidence: float
    limits: Limits
    assistance: Assistance | None
    as_json: bool


@click.command()
@click.argument("question", required=False, callback=or_stdin)
@click.option(
    "--dsn",
    envvar="REWRIGHT_DSN",
    show_envvar=True,
    help="the database, as the role that may read what is asked about",
)
@click.option(
    "--lake",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="a folder of files instead of a database",
)
@click.option(
    "--batch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=(
        "a question a line, or JSON lines with id, question and evidence; one JSON document a line comes back"
    ),
)
@click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
@click.option(
    "--model",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="may the configured model be asked",
)
@click.option(
    "--documents",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="a glossary or business rules in Markdown, of which a model may read passages",
)
@click.option("--choose", is_flag=True, help="show the readings there are, and run the one that is chosen")
@click.option("--evidence", default="", help="a hint that goes with the question: what a term means")
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
@click.option(
    "--learn",
    is_flag=True,
    help="no question: try each lesson that a question of this role taught on the validated questions",
)
@click.pass_context
def command(
    ctx: click.Context,
    question: str | None,
    dsn: str | None,
    lake: Path | None,
    batch: Path | None,
    as_json: bool,
    model: str,
    documents: tuple[Path, ...],
    choose: bool,
    evidence: str,
    confidence: float,
    rows: int,
    seconds: float,
    learn: bool,
) -> None:
    """Answer QUESTION by one read-only query, shown with what it was taken to mean; or say what was unclear.
    QUESTION may be `-`: it is read from stdin.

    Without a question, on a terminal: a conversation, in which each question may follow up the one before it.
    """
    if learn:
        _learn(ctx, dsn, question or batch or lake, as_json=as_json)
        return
    talks = question is None and batch is None and sys.stdin.isatty()
    if not talks and (question is None) == (batch is None):
        raise click.UsageError("give a question or --batch FILE")
    # a DSN of the environment gives way to --lake
    if lake is not None and ctx.get_parameter_source("dsn") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("give --dsn or --lake DIR")
    if lake is None and dsn is None:
        raise click.UsageError("give --dsn or --lake DIR")
    options = _Options(
        confidence, Limits(seconds=seconds, rows=rows), _assistance(ctx, model, documents), as_json
    )
    try:
        with _source(ctx, dsn or "", lake, options.limits) as source:
            asker = Asker(source, threshold=confidence, assistance=options.assistance, follows=talks)
            if batch is not None:
                _batch(asker, batch)
                return
            if question is None:
                converse(asker)
                return
            answer = (
                asker.read(question, evidence=evidence) if choose else asker.ask(question, evidence=evidence)
            )
            if choose:
                answer = _chosen(asker, answer, as_json=as_json)
    except psycopg.Error as error:
        raise click.ClickException(str(error).strip() or type(error).__name__) from error
    except LakeError as error:
        raise click.ClickException(str(error)) from error
    _print(answer, as_json)
    if answer.refused or answer.error:
        sys.exit(1)


@contextmanager
def _source(ctx: click.Context, dsn: str, lake: Path | None, limits: Limits) -> Iterator[Source]:
    """Raises psycopg.Error, LakeError."""
    if lake is None:
        with psycopg.connect(
            dsn, autocommit=True, prepare_threshold=None, application_name="rewright ask"
        ) as connection:
            yield PostgresSource(connection, limits)
        return
    from rewright.ask.sources.lake import LakeSource
    from rewright.engines.duckdb.locked import Limits as LakeLimits
    from rewright.lake.api import open_lake

    bounds = LakeLimits(seconds=limits.seconds)
    ports = ctx.find_object(Ports)
    if ports is None:
        raise click.ClickException("nobody runs a lake's queries here")
    with (
        open_lake(lake, limits=bounds, progress=sys.stderr.isatty()) as opened,
        ports.lakes(opened) as answers,
    ):
        yield LakeSource(opened, lake.resolve().name, answers, limits=limits)


def _model_port(ctx: click.Context) -> ModelPort | None:
    ports = ctx.find_object(Ports)
    return None if ports is None else ports.model


def _assistance(ctx: click.Context, model: str, files: Sequence[Path]) -> Assistance | None:
    port = _model_port(ctx)
    if model == "off" or port is None:
        return None
    return port.make([Document(path.name, path.read_text("utf-8", "replace")) for path in files])


def _learn(ctx: click.Context, dsn: str | None, other: object, *, as_json: bool) -> None:
    """ASK LEARN of the DSN's role, with a line, or one JSON document, for each lesson."""
    if other is not None or dsn is None:
        raise click.UsageError("--learn takes --dsn, and no question (over a lake: ASK LEARN in a session)")
    port = _model_port(ctx)
    if port is None or port.learning is None:
        raise click.ClickException("no model is configured: nothing is learnt ([models] ask)")
    try:
        with _source(ctx, dsn, None, Limits()) as source:
            assert isinstance(source, PostgresSource)
            lessons = Asker(source, assistance=port.learning(source.known.state.role)).learn()
    except psycopg.Error as error:
        raise click.ClickException(str(error).strip() or type(error).__name__) from error
    if lessons is None:
        raise click.ClickException("the configured model can't be asked ([models] ask)")
    if as_json:
        echo_json([asdict(one) for one in lessons])
        return
    for one in lessons:
        echo(f"{one.status}: {one.stage}: {plain(one.text)}" + f" ({plain(one.reason)})")
    if not lessons:
        echo("no lesson is proposed")


def _chosen(asker: Asker, answer: Answer, *, as_json: bool) -> Answer:
    """On a terminal the person chooses, elsewhere the readings are all there is to see."""
    found = answer.readings
    if not found or as_json:
        return answer
    print_choices(found)
    if not sys.stdin.isatty():
        return replace(answer, sql="", refused="" if found else answer.refused)
    number = click.prompt("which", type=click.IntRange(1, len(found)), default=1, err=True)
    chosen = chosen_among(answer, number)
    assert chosen is not None
    return asker.edited(
        replace(answer, reading=chosen.reading, confidence=chosen.confidence, refused=""), chosen.sql
    )


def _batch(asker: Asker, file: Path) -> None:
    """One document a line in the order of the file, whatever happens; progress on a terminal's stderr."""
    lines = file.read_text("utf-8", "replace").splitlines()
    for number, (given, question, evidence) in enumerate(_questions(lines), 1):
        document = {**given, **_asked(asker, question, evidence)}
        echo_json(document, indent=None)
        if sys.stderr.isatty():
            click.echo(f"\r{number}/{len(lines)}", err=True, nl=number == len(lines))


def _asked(asker: Asker, question: str, evidence: str) -> dict[str, Any]:
    try:
        return asker.ask(question, evidence=evidence).document()
    except Exception as error:  # noqa: BLE001 - a line for each question, whatever happens
        return Answer(question, error=f"{type(error).__name__}: {error}").document()


def _questions(lines: list[str]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """What of a line is given back, its question, its evidence."""
    for line in lines:
        if not line.lstrip().startswith("{"):
            yield {}, line.strip(), ""
            continue
        try:
            record = json.loads(line)
        except ValueError:
            # a question may begin with a brace
            yield {}, line.strip(), ""
            continue
        given = {"id": record["id"]} if "id" in record else {}
        yield given, str(record.get("question", "")), str(record.get("evidence") or "")


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        echo_json(answer.document())
    elif answer.sql or answer.refused or answer.error:
        print_answer(answer)
