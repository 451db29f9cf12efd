"""``rewright knowledge``: search units, check them by running, add one's own, build them from material."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure, WrongUsage
from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, MODEL_OPTION, configuration, part
from rewright.cli.parameters import IN_FILE
from rewright.terminal import echo, echo_json

OWN = click.option(
    "--own",
    type=click.Path(file_okay=False, path_type=Path),
    default="~/.local/state/rewright/knowledge",
    show_default=True,
    help="the folder of your own units",
)


DSN_BEGINS = ("postgresql://", "postgres://")


def _category(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    allowed = part("rewright.knowledge.units", "knowledge").CATEGORIES if value is not None else ()
    if value is not None and value not in allowed:
        raise click.BadParameter(f"{value!r} is not one of {', '.join(allowed)}")
    return value


def _sources(_ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for source in value:
        # a DSN names its own server; whether that is there is found out when it is read
        if not source.startswith(DSN_BEGINS) and not Path(source).expanduser().exists():
            raise click.BadParameter(f"must be files, folders or postgresql://...; there is no {source}")
    return value


@click.group()
def command() -> None:
    """What is known about rewriting: units that were checked by running them."""


@command.command()
@click.argument("text")
@click.option("--category", callback=_category, help="only this category")
@click.option("-k", "count", type=click.IntRange(1), default=5, show_default=True, help="how many")
@OWN
@JSON_OPTION
def search(text: str, category: str | None, count: int, own: Path, as_json: bool) -> None:
    """Units for TEXT: words, or a SQL query."""
    base = part("rewright.knowledge.api", "knowledge search").KnowledgeBase.load(_own_units(own))
    hits = base.search(text, count, category=category)
    if as_json:
        echo_json([hit.to_json() for hit in hits])
        return
    for hit in hits:
        echo(f"{hit.score:6.2f}  {hit.unit.id}  {hit.unit.title}")
        echo(f"        {' '.join(hit.unit.answer.split())}\n        found by: {', '.join(hit.why)}")
    if not hits:
        echo("nothing was found", err=True)


@command.command()
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@click.option(
    "--category",
    callback=_category,
    help="of all FILES; without it each is classified by what its two queries do",
)
@OWN
@JSON_OPTION
def add(files: tuple[Path, ...], category: str | None, own: Path, as_json: bool) -> None:
    """Check unit FILES by running them and keep those that stand.

    A file's schema is one that comes with Rewright, or NAME.sql (and NAME.data.sql) beside the file.
    """
    units, checking = (
        part("rewright.knowledge.units", "knowledge"),
        part("rewright.knowledge.check", "knowledge"),
    )
    documents: list[dict[str, Any]] = []
    for file in files:
        try:
            unit = units.read_unit(file, category)
            (done,) = checking.check_all([unit])
        except UnicodeDecodeError as error:
            raise WrongUsage(f"{file}: not UTF-8 text: invalid from byte {error.start + 1} on") from error
        except units.UnitError as error:
            raise Failure(str(error)) from error
        documents.append(checking.document_of(done))
        # one that is refused does not keep the others out
        if done.problem:
            echo(f"{file}: refused: {done.problem}", err=True)
            continue
        _keep(unit, file, done, own.expanduser())
        if not as_json:
            echo(f"{unit.id}: {done.verdict}, {done.evidence.gain} times as fast")
    if as_json:
        echo_json(documents)
    if refused := sum(bool(one["problem"]) for one in documents):
        raise Failure(f"{refused} of {len(files)} refused")


def _keep(unit: Any, file: Path, done: Any, own: Path) -> None:
    checking = part("rewright.knowledge.check", "knowledge")
    target = own / "units" / unit.category
    target.mkdir(parents=True, exist_ok=True)
    (own / "schemas").mkdir(exist_ok=True)
    # a unit needs its schema to be checked again, and has it beside it
    for schema in (f"{unit.schema}.sql", f"{unit.schema}.data.sql"):
        source = unit.schemas / schema
        if source.exists() and source != own / "schemas" / schema:
            shutil.copyfile(source, own / "schemas" / schema)
    text = checking.with_evidence(file.read_text(encoding="utf-8"), done.evidence)
    (target / file.name).write_text(text, encoding="utf-8")


@command.command()
@click.argument("names", nargs=-1)
@click.option("--sample", type=int, help="use only this many, chosen by --seed")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--measure/--no-measure", default=True, show_default=True)
@OWN
@JSON_OPTION
def check(
    names: tuple[str, ...], sample: int | None, seed: int, measure: bool, own: Path, as_json: bool
) -> None:
    """Run units (all, or by category or name): both SQLs, the verdict, the gain. Fails if one does not stand,
    or two say the same.
    """
    import random

    units, checking = (
        part("rewright.knowledge.units", "knowledge"),
        part("rewright.knowledge.check", "knowledge"),
    )
    try:
        known = [unit for folder in (units.UNITS, *_own_units(own)) for unit in units.load_units(folder)]
    except (units.UnitError, UnicodeDecodeError) as error:
        raise Failure(str(error)) from error
    if unknown := set(names) - {u.id for u in known} - {u.category for u in known}:
        raise Failure(f"no unit or category {', '.join(sorted(unknown))}")
    chosen = [u for u in known if not names or u.category in names or u.id in names]
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)  # noqa: S311 - a sample, not a secret
    # of the chosen ones: two units with one pattern would both be shown for a query
    same = part("rewright.knowledge.patterns.fits", "knowledge").same_patterns(chosen)
    documents = []
    for done in _with_progress(checking.check_all(chosen, measure=measure), len(chosen)):
        document = checking.document_of(done)
        documents.append(document)
        if not as_json:
            gain = f"x{document['gain']}" if document["gain"] is not None else ""
            unseen = " (no gain seen)" if done.evidence is not None and not done.gains else ""
            echo(f"{done.unit.id}: {done.verdict} {done.problem or gain}{unseen}")
    summary = checking.summary_of(documents) | {"same_pattern": same}
    if as_json:
        echo_json({"units": documents, "summary": summary})
    else:
        for line in checking.lines_of(summary):
            echo(line)
    if summary["refused"] or same:
        raise Failure(
            f"{summary['refused']} units failed the check, {len(same)} patterns occur more than once"
        )


@command.command()
@click.argument("sources", nargs=-1, required=True, callback=_sources)
@OWN
@MODEL_OPTION
@CONFIG_OPTION
@JSON_OPTION
def build(sources: tuple[str, ...], own: Path, model: str, config_path: Path | None, as_json: bool) -> None:
    """Units from SOURCES: a Stack Exchange dump, Markdown or HTML documents, a folder of NAME.before.sql and
    NAME.after.sql, a DSN (postgresql://…: rewrites of the store that people approved and that gained, with
    the tables and pg_stat_statements of that database).

    Collects, filters by votes (and a model's majority), enriches, verifies by running, classifies; can be
    interrupted.
    """
    pipeline = part("rewright.knowledge.build.pipeline", "knowledge build")
    scratch = part("rewright.engines.postgres.scratch", "knowledge build")
    build_state = part("rewright.knowledge.build.build_state", "knowledge build").BuildState(
        own.expanduser() / "build.db"
    )
    rules = pipeline.Rules()
    config = configuration(config_path)
    try:
        for source in sources:
            if source.startswith(DSN_BEGINS):
                _collect_accepted(source, config, build_state)
            else:
                _collect(source, build_state)
        pipeline.filter_pairs(build_state, rules, _voter(config) if model == "on" else None)
        pipeline.enrich(build_state, _embed())
        with scratch.ScratchServer() as server:
            waiting = len(build_state.pairs("kept"))
            with _bar("verifying", " pairs", waiting) as bar:
                # reading all units takes seconds: only where pairs wait
                known = _known_patterns(own) if waiting else {}
                written = pipeline.verify(build_state, server, own.expanduser(), rules, bar.update, known)
        counts, left_out = build_state.counts(), build_state.reasons()
    finally:
        build_state.close()
    if as_json:
        reasons = [{"pair": pair, "state": state, "reason": reason} for pair, state, reason in left_out]
        echo_json({"written": written, "pairs": counts, "left_out": reasons})
        return
    for pair, state, reason in left_out:
        echo(f"{state}: {pair}: {reason}")
    said = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none"
    echo(f"{written} units written to {own.expanduser()}; pairs so far: {said}")


def _known_patterns(own: Path) -> Any:
    """Patterns of all units there are: a pair that says the same as one of them is no news."""
    units = part("rewright.knowledge.units", "knowledge build")
    known = [unit for folder in (units.UNITS, *_own_units(own)) for unit in units.load_units(folder)]
    forms = part("rewright.knowledge.patterns.fits", "knowledge build").forms(
        {unit.id: unit for unit in known}
    )
    return {form: names[0] for form, names in forms.items()}


def _collect(source: str, build_state: Any) -> None:
    collecting = part("rewright.knowledge.build.collect", "knowledge build")
    with _bar(source, " posts") as bar:
        try:
            collecting.collect(source, build_state, bar.update)
        except (collecting.NoSource, OSError, ValueError) as error:
            raise Failure(str(error)) from error


def _collect_accepted(dsn: str, config: Any, build_state: Any) -> None:
    """Rewrites of the configured store about the database that ``dsn`` leads to."""
    import psycopg

    from rewright.engines.postgres.catalog import snapshot
    from rewright.engines.postgres.session import Session, SessionError
    from rewright.rewrite.adapters.postgres import PostgresDatabase
    from rewright.store.errors import StoreError
    from rewright.wiring.stores import open_configured

    accepted = part("rewright.knowledge.build.accepted", "knowledge build")
    try:
        with open_configured(config, create=False) as store, Session(dsn) as session:
            database = PostgresDatabase(session, snapshot(session.connection))
            try:
                statements = accepted.Statements.read(session)
            except SessionError:
                # the store's own measurements count
                statements = None
            rewrites = store.rewrites.find(database=session.connection.info.dbname, limit=100_000)
            counts = accepted.collect_accepted(rewrites, build_state, database.schema_text, statements)
    except StoreError as error:
        raise Failure(str(error)) from error
    except (SessionError, psycopg.Error) as error:
        raise DatabaseFailure(error) from error
    said = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items())) or "none"
    echo(f"rewrites of the store: {said}", err=True)


def _voter(config: Any) -> Any:
    from rewright.models.api import NoModel
    from rewright.wiring.modelling import make_model

    model = make_model(config)
    if isinstance(model, NoModel):
        return None
    return part("rewright.knowledge.build.voting", "knowledge build").ModelVoter(model)


def _embed() -> Any:
    """Embeddings where their weights are installed."""
    embedding = part("rewright.lake.embedding", "knowledge build")
    return embedding.best_embedder().embed if embedding.weights_folder() is not None else None


def _bar(title: str, unit: str, total: int | None = None) -> Any:
    from tqdm import tqdm

    return tqdm(unit=unit, desc=title, total=total, disable=None, leave=False)


def _with_progress(done: Iterable[Any], total: int) -> Iterator[Any]:
    from tqdm import tqdm

    return iter(tqdm(done, total=total, unit=" units", disable=None, leave=False))


def _own_units(own: Path) -> tuple[Path, ...]:
    folder = own.expanduser() / "units"
    return (folder,) if folder.is_dir() else ()
