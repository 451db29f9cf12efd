"""``rewright lake``: index a folder, look around in it, query it.

Owns the verbs' options and output; the composition root finds `command` here. Must not know the wire.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.locked import Limits
from rewright.lake.actions import BuildCte, EvictTable, FindJoinPath, SearchTable, SearchValue, UnionSearch
from rewright.lake.api import Lake, Mode, open_lake
from rewright.lake.augment.kept import keep_rows
from rewright.lake.batch import REFUSE_BELOW, AnsweredBy, plain, run_batch
from rewright.lake.explaining import tree_of
from rewright.lake.model_driver import Driving
from rewright.lake.remote import is_remote
from rewright.lake.resolve.loop import Options
from rewright.lake.resolve.resolution import Answer
from rewright.lake.worker import Task, Worker
from rewright.models.api import Model
from rewright.terminal import echo, echo_json, echo_table, on_terminal, or_stdin

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
MODEL_OPTION = click.option("--model", type=click.Choice(["on", "off"]), default="on", show_default=True)


class LakeFolder(click.Path):
    """An existing directory (a Path), or ``s3://bucket/prefix`` (a text)."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, str) and is_remote(value) else super().convert(value, param, ctx)


FOLDER = click.argument("folder", metavar="DIR", type=LakeFolder())
OVER = click.option(
    "--over",
    type=LakeFolder(),
    help="files that replace those of the same name",
)


class Duration(click.ParamType[float]):
    """`500ms`, `60s`, `2min`, or plain seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h)?\s*", str(value))
        if match is None:
            self.fail(f"{value!r} is no duration", param, ctx)
        return float(match[1]) * {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}[match[2] or "s"]


@dataclass(frozen=True, slots=True)
class ModelPort:
    """The configured model, if any: `make` is importable by name, for it is called
    in other processes, too.
    """

    make: Callable[[], Model]
    driving: Driving


@dataclass(frozen=True, slots=True)
class PostgresPort:
    """A server that says what a query's expressions mean, as in a lake session; both
    are importable by name.
    """

    served: Callable[[Lake], AbstractContextManager[str]]
    answered: AnsweredBy


POSTGRES = "rewright.lake.postgres"
"""Under this name a command finds a PostgresPort in its context; without one queries
mean what DuckDB says.
"""


@contextmanager
def _reader(ctx: click.Context, lake: Lake) -> Iterator[tuple[str, AnsweredBy | None]]:
    """The server's address and who answers by it; empty and None where there is none."""
    port: PostgresPort | None = ctx.meta.get(POSTGRES)
    if port is None:
        yield "", None
        return
    with port.served(lake) as dsn:
        yield dsn, port.answered


def _answer(ctx: click.Context, lake: Lake, sql: str, mode: Mode, threshold: float) -> Answer:
    """Expressions mean what they mean in a session, where there is a server that says so."""
    with _reader(ctx, lake) as (dsn, answered):
        if answered is not None:
            return answered(lake, dsn, sql, mode, threshold)
        return lake.query(sql, mode, threshold=threshold)


@click.group()
def command() -> None:
    """A folder of CSV, Parquet and JSON files as a database."""


@contextmanager
def opened(folder: Path, over: Path | None = None, *, seconds: float = 60.0) -> Iterator[Lake]:
    """The lake; its errors become the command's."""
    try:
        with open_lake(
            folder, over, progress=True, options=Options(seconds=seconds), limits=Limits(seconds=seconds)
        ) as lake:
            yield lake
    except LakeError as error:
        raise click.ClickException(
            f"{error.sqlstate}: {error}" + (f"\n{error.hint}" if error.hint else "")
        ) from error


@command.command()
@FOLDER
@OVER
@JSON_OPTION
def index(folder: Path, over: Path | None, as_json: bool) -> None:
    """Profile what is new in DIR, build the join graph, and read what AUGMENT looks at."""
    with opened(folder, over) as lake:
        graph = lake.graph()
        keep_rows(lake)
        document: dict[str, Any] = {
            "tables": len(lake.tables()),
            "columns": sum(len(t.columns) for t in lake.tables()),
            "joins": graph.number_of_edges(),
            "unions": {name: united.part_names() for name, united in lake.index.unions.items()},
            "broken": [{"file": str(b.path), "reason": b.reason} for b in lake.broken()],
        }
    if as_json:
        echo_json(document)
        return
    kinds = [(kind, document[kind]) for kind in ("tables", "columns", "joins")]
    echo(", ".join(f"{count} {kind if count != 1 else kind[:-1]}" for kind, count in kinds))
    for broken in document["broken"]:
        echo(f"left out: {broken['file']}: {broken['reason']}", err=True)


@command.command()
@FOLDER
@OVER
@JSON_OPTION
def tables(folder: Path, over: Path | None, as_json: bool) -> None:
    """The tables of DIR with their columns."""
    with opened(folder, over) as lake:
        found: list[dict[str, Any]] = [
            {
                "table": t.name,
                "file": str(t.path),
                "rows": t.rows,
                "columns": [
                    {"name": c.name, "type": c.type, "noise": [str(n) for n in c.noise]} for c in t.columns
                ],
                "notes": list(t.notes),
            }
            for t in lake.tables()
        ]
    if as_json:
        echo_json(found)
        return
    listed = [", ".join(f"{c['name']} {c['type']}" for c in table["columns"]) for table in found]
    if on_terminal():
        rows = [(t["table"], str(t["rows"]), columns) for t, columns in zip(found, listed, strict=True)]
        echo_table(("table", "rows", "columns"), rows)
        return
    for table, columns in zip(found, listed, strict=True):
        echo(f"{table['table']} ({table['rows']} rows): {columns}")


@command.command("search-table")
@FOLDER
@click.argument("words", nargs=-1, required=True)
@click.option("--column", "columns", multiple=True, help="a column the table should have (may be repeated)")
@click.option("--evict", multiple=True, metavar="TABLE", help="leave this table out (may be repeated)")
@JSON_OPTION
def search_table(
    folder: Path, words: tuple[str, ...], columns: tuple[str, ...], evict: tuple[str, ...], as_json: bool
) -> None:
    """Tables about WORDS."""
    with opened(folder) as lake:
        hits = lake.actions().search_table(
            SearchTable(" ".join(words), columns), evicted=[EvictTable(name) for name in evict]
        )
    _show(
        [{"table": h.table, "score": h.score, "columns": list(h.columns)} for h in hits],
        as_json,
        "{table}  {score}",
    )


@command.command("search-value")
@FOLDER
@click.argument("table")
@click.argument("value")
@JSON_OPTION
def search_value(folder: Path, table: str, value: str, as_json: bool) -> None:
    """Where TABLE holds VALUE, or what is closest."""
    with opened(folder) as lake:
        hits = lake.actions().search_value(SearchValue(table, value))
    _show(
        [{"column": h.column, "value": h.value, "score": h.score, "rows": h.rows} for h in hits],
        as_json,
        "{column}: {value}  {score} ({rows} rows)",
    )


@command.command()
@FOLDER
@click.argument("table")
@JSON_OPTION
def union(folder: Path, table: str, as_json: bool) -> None:
    """Tables that could be appended to TABLE."""
    with opened(folder) as lake:
        hits = lake.actions().union_search(UnionSearch(table))
    _show(
        [{"table": h.table, "score": h.score, "columns": [list(c) for c in h.columns]} for h in hits],
        as_json,
        "{table}  {score}",
    )


@command.command("join-path")
@FOLDER
@click.argument("a")
@click.argument("b")
@JSON_OPTION
def join_path(folder: Path, a: str, b: str, as_json: bool) -> None:
    """The best ways to join A to B."""
    with opened(folder) as lake:
        paths = [p.to_json() for p in lake.actions().find_join_path(FindJoinPath(a, b))]
    if not paths:
        raise click.ClickException(f"no way from {a} to {b}")
    _show(paths, as_json, "{cost}  {sql}")


@command.command("build-cte")
@FOLDER
@click.argument("table")
@click.argument("columns", nargs=-1)
@JSON_OPTION
def build_cte(folder: Path, table: str, columns: tuple[str, ...], as_json: bool) -> None:
    """TABLE cleaned: the query that does it, and the first rows it gives. Without
    COLUMNS, all that need it.
    """
    with opened(folder) as lake:
        made = lake.actions().build_cte(BuildCte(table, columns))
    if not made.sql or made.preview is None:
        raise click.ClickException(made.error)
    rows = [[plain(v) for v in row] for row in made.preview.rows]
    if as_json:
        echo_json({"name": made.name, "sql": made.sql, "cleaned": list(made.columns), "rows": rows})
        return
    echo(made.sql)
    _echo_rows(made.preview.columns, rows)


@command.command()
@FOLDER
@click.argument("sql", callback=or_stdin)
@OVER
@MODEL_OPTION
@JSON_OPTION
@click.option("--resolve", is_flag=True, help="look into a query that binds, too")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="below it: refused, with what is closest",
)
@click.option(
    "--candidate",
    type=click.IntRange(min=0),
    help="put out this candidate of the history instead of the chosen one",
)
@click.option("--explain", is_flag=True, help="show how it was resolved, as a tree, instead of the rows")
@click.pass_context
def query(
    ctx: click.Context,
    folder: Path,
    sql: str,
    over: Path | None,
    model: str,
    as_json: bool,
    resolve: bool,
    confidence: float,
    candidate: int | None,
    explain: bool,
) -> None:
    """Answer SQL over DIR, resolving tables and columns that do not exist. SQL may be `-`: it is read from
    stdin.
    """
    with opened(folder, over) as lake:
        if model == "on" and (port := ctx.find_object(ModelPort)) is not None:
            lake.drive(port.make(), port.driving)
        # a candidate asked for by its number is a person's choice, and who asks why is told: nothing is
        # refused
        threshold = confidence if candidate is None and not explain else 0.0
        mode: Mode = "resolve" if resolve else "bind"
        answer = _answer(ctx, lake, sql, mode, threshold)
        if candidate is not None:
            answer = lake.put_out(answer, candidate)
    if explain and not as_json:
        echo("\n".join(tree_of(answer.resolution)))
        return
    if answer.rows is None:
        raise click.ClickException(answer.resolution.error or "no candidate could be run")
    rows = [[plain(v) for v in row] for row in answer.rows.rows]
    if as_json:
        echo_json(
            {"columns": list(answer.rows.columns), "rows": rows, "resolution": answer.resolution.to_json()}
        )
        return
    echo(answer.resolution.notice(), err=True)
    _echo_rows(answer.rows.columns, rows)


@command.command()
@FOLDER
@click.argument("pairs", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="one JSON line for each line of PAIRS",
)
@OVER
@MODEL_OPTION
@click.option("--timeout", type=Duration(), default="60s", show_default=True, help="for one query")
@click.pass_context
def batch(
    ctx: click.Context, folder: Path, pairs: Path, out: Path, over: Path | None, model: str, timeout: float
) -> None:
    """Answer every `user_query` of a JSON-lines file; resumes where it stopped.

    A query that takes longer than --timeout, or brings its process down, gets a line that says so.
    """
    port = ctx.find_object(ModelPort) if model == "on" else None

    def report(done: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{done}", nl=False, err=True)

    with ExitStack() as until:
        with opened(folder, over) as lake:
            # brought up to date with a progress bar here, opened again by the worker
            root, extra, catalog = lake.folder, lake.over, lake.catalog
            dsn, answered = until.enter_context(_reader(ctx, lake))
        task = Task(
            root,
            extra,
            catalog,
            timeout,
            port.make if port is not None else None,
            replace(port.driving, seconds=timeout) if port is not None else Driving(),
            dsn,
            answered,
        )
        worker = until.enter_context(Worker(task))
        answer = partial(worker.answer, refuse_below=REFUSE_BELOW)
        written = run_batch(answer, pairs, out, report=report)
    echo(f"{written} lines written to {out}", err=True)


def _show(found: list[dict[str, Any]], as_json: bool, form: str) -> None:
    if as_json:
        echo_json(found)
        return
    # a terminal gets a table of the fields that the line would show
    names = re.findall(r"{(\w+)}", form)
    if found and on_terminal():
        echo_table(names, [[str(item[name]) for name in names] for item in found])
        return
    for item in found:
        echo(form.format(**item))


def _echo_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """An answer: a table for a person, tabs for a program."""
    cells = [["" if value is None else str(value) for value in row] for row in rows]
    if on_terminal():
        echo_table(names, cells)
        return
    for line in (names, *cells):
        echo("\t".join(line))
