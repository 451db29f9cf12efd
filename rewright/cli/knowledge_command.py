"""``rewright knowledge``: search units, check them by running, add one's own, build them from material."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, part, print_json

OWN = click.option(
    "--own",
    type=click.Path(file_okay=False, path_type=Path),
    default="~/.local/state/rewright/knowledge",
    show_default=True,
    help="the folder of your own units",
)


@click.group()
def command() -> None:
    """What is known about rewriting: units that were checked by running them."""


@command.command()
@click.argument("text")
@click.option("--category", help="only this category")
@click.option("-k", "count", default=5, show_default=True, help="how many")
@OWN
@JSON_OPTION
def search(text: str, category: str | None, count: int, own: Path, as_json: bool) -> None:
    """Units for TEXT: words, or a SQL query."""
    base = part("knowledge.api", "knowledge search").KnowledgeBase.load(_own_units(own))
    hits = base.search(text, count, category=category)
    if as_json:
        print_json([hit.to_json() for hit in hits])
        return
    for hit in hits:
        click.echo(f"{hit.score:6.2f}  {hit.unit.id}  {hit.unit.title}\n        {', '.join(hit.why)}")


@command.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--category", required=True)
@OWN
def add(files: tuple[Path, ...], category: str, own: Path) -> None:
    """Check unit FILES by running them and keep those that stand."""
    units, checking = part("knowledge.units", "knowledge"), part("knowledge.check", "knowledge")
    refused = 0
    for file in files:
        try:
            unit = units.parse_unit(
                file.read_text(encoding="utf-8"), id_=f"{category}/{file.stem}", category=category
            )
            (done,) = checking.check_all([unit])
        except (units.UnitError, UnicodeDecodeError) as error:
            raise Failure(str(error)) from error
        if done.problem:
            refused += 1
            click.echo(f"{file}: refused: {done.problem}", err=True)
            continue
        target = own.expanduser() / "units" / category
        target.mkdir(parents=True, exist_ok=True)
        (own.expanduser() / "schemas").mkdir(exist_ok=True)
        for schema in units.SCHEMAS.glob(f"{unit.schema}.*"):
            shutil.copyfile(schema, own.expanduser() / "schemas" / schema.name)
        text = checking.with_evidence(file.read_text(encoding="utf-8"), done.evidence)
        (target / file.name).write_text(text, encoding="utf-8")
        click.echo(f"{unit.id}: {done.verdict}, {done.evidence.gain} times as fast")
    if refused:
        raise Failure(f"{refused} of {len(files)} refused")


@command.command()
@click.argument("names", nargs=-1)
@click.option("--sample", type=int, help="only so many, chosen by --seed")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--measure/--no-measure", default=True, show_default=True)
@JSON_OPTION
def check(names: tuple[str, ...], sample: int | None, seed: int, measure: bool, as_json: bool) -> None:
    """Run units (all, or by category or name): both SQLs, the verdict, the gain. Fails if one does not stand."""
    import random

    units, checking = part("knowledge.units", "knowledge"), part("knowledge.check", "knowledge")
    chosen = [u for u in units.load_units() if not names or u.category in names or u.id in names]
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)  # noqa: S311 - a sample, not a secret
    documents = []
    for done in _with_progress(checking.check_all(chosen, measure=measure), len(chosen)):
        gain = done.evidence.gain if done.evidence else None
        documents.append(
            {"unit": done.unit.id, "verdict": done.verdict, "gain": gain, "problem": done.problem}
        )
        if not as_json:
            click.echo(
                f"{done.unit.id}: {done.verdict} {done.problem or f'x{gain}' if gain else done.problem}"
            )
    summary = _summary(documents)
    if as_json:
        print_json({"units": documents, "summary": summary})
    else:
        click.echo(", ".join(f"{name}: {value}" for name, value in summary.items()))
    if summary["refused"]:
        raise Failure(f"{summary['refused']} units do not stand")


def _summary(documents: list[dict[str, Any]]) -> dict[str, int]:
    verdicts = [document["verdict"] for document in documents]
    return {
        "units": len(documents),
        "refused": sum(bool(document["problem"]) for document in documents),
        "proved": verdicts.count("proved"),
        "tested": verdicts.count("tested"),
        "gain of 10 % or more": sum((document["gain"] or 0) >= 1 / 0.9 for document in documents),
    }


@command.command()
@click.argument("sources", nargs=-1, required=True)
@OWN
@JSON_OPTION
def build(sources: tuple[str, ...], own: Path, as_json: bool) -> None:
    """Units from SOURCES: a Stack Exchange dump, Markdown or HTML documents, a folder of NAME.before.sql and
    NAME.after.sql. Collects, filters by votes, enriches, verifies by running, classifies; can be interrupted.
    """
    collecting = part("knowledge.build.collect", "knowledge build")
    pipeline = part("knowledge.build.pipeline", "knowledge build")
    scratch = part("engines.postgres.scratch", "knowledge build")
    book = part("knowledge.build.workbook", "knowledge build").Workbook(own.expanduser() / "build.db")
    rules = pipeline.Rules()
    try:
        for source in sources:
            _collect(collecting, source, book)
        pipeline.filter_pairs(book, rules)
        pipeline.enrich(book)
        with scratch.ScratchServer() as server:
            written = pipeline.verify(book, server, own.expanduser(), rules)
        counts = book.counts()
    finally:
        book.close()
    if as_json:
        print_json({"written": written, "pairs": counts})
    else:
        click.echo(f"{written} units written to {own}; pairs: {counts}")


def _collect(collecting: Any, source: str, book: Any) -> None:
    from tqdm import tqdm

    with tqdm(unit=" posts", desc=source, disable=None, leave=False) as bar:
        try:
            collecting.collect(source, book, bar.update)
        except (collecting.NoSource, OSError, ValueError) as error:
            raise Failure(str(error)) from error


def _with_progress(done: Iterable[Any], total: int) -> Iterator[Any]:
    from tqdm import tqdm

    return iter(tqdm(done, total=total, unit=" units", disable=None, leave=False))


def _own_units(own: Path) -> tuple[Path, ...]:
    folder = own.expanduser() / "units"
    return (folder,) if folder.is_dir() else ()
