"""``rewright augment``: tables of a lake that make the prediction of a column better.

Owns the options, the progress bar and the output. Must not know how tables are found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import click

from rewright.lake.api import Lake
from rewright.lake.augment.api import (
    MODEL_SELECTORS,
    SELECTORS,
    STRATEGIES,
    Asking,
    BaseSpec,
    Options,
    Report,
    augment,
)
from rewright.lake.augment.encoding import Aggregates
from rewright.lake.augment.history import Helped, helped_by
from rewright.lake.augment.listing import ended, lines
from rewright.lake.augment.options import SelectorName, Strategy
from rewright.lake.augment.plotting import check_file, plot
from rewright.lake.augment.saving import save
from rewright.lake.command import Duration, LakeFolder, opened
from rewright.terminal import echo, echo_json


class Kept(Protocol):
    """Where earlier searches are kept, for one lake."""

    def earlier(self) -> Sequence[Helped]:
        """What helped in them; nothing where it cannot be read."""

    def keep(self, helped: Sequence[Helped]) -> None:
        """Add what this search learned; what cannot be written is lost."""


@dataclass(frozen=True, slots=True)
class AugmentPort:
    """What the composition root gives: the configured model, if any, and what is kept of a lake, by its
    folder.
    """

    model: Callable[[], Asking] | None = None
    kept: Callable[[str], AbstractContextManager[Kept | None]] | None = None


@click.command()
@click.option("--lake", "folder", metavar="DIR", type=LakeFolder(), required=True, help="the lake's folder")
@click.option("--over", type=LakeFolder(), help="files that replace those of the same name")
@click.option("--table", required=True, help="the table to augment")
@click.option("--target", required=True, help="its column to be predicted")
@click.option("--on", "keys", multiple=True, help="join on this column only (may be given several times)")
@click.option(
    "--feature", "features", multiple=True, help="its own column that may predict, too (default: all)"
)
@click.option("--where", default="", help="a condition on its rows")
@click.option("--latest", is_flag=True, help="only the latest row of each value of --on")
@click.option("--tables", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--budget", type=Duration(), default="60s", show_default=True, help="for how long to search")
@click.option("--evaluations", type=click.IntRange(1), help="full evaluations, at most")
@click.option(
    "--hops", type=click.IntRange(1, 6), default=1, show_default=True, help="longest chain of joins"
)
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    default="auto",
    show_default=True,
    help="how chains are searched",
)
@click.option("--selector", type=click.Choice(SELECTORS + MODEL_SELECTORS), default="ours", show_default=True)
@click.option("--tokens", type=click.IntRange(1), help="tokens that a model may be asked for, at most")
@click.option(
    "--similar", type=click.IntRange(1), default=30, show_default=True, help="tables a model is shown"
)
@click.option("--sets", type=click.IntRange(1), default=3, show_default=True, help="in how many sets")
@click.option(
    "--spending",
    type=click.Choice(["greedy", "value-per-token"]),
    default="value-per-token",
    show_default=True,
)
@click.option("--history/--no-history", default=True, show_default=True, help="let earlier searches count")
@click.option(
    "--aggregates",
    type=click.Choice(["all", "standard"]),
    default="all",
    show_default=True,
    help="what is made of many rows per key",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="write the augmented table as Parquet"
)
@click.option("--as-view", "view", metavar="NAME", help="keep the augmented table as a view of the lake")
@click.option(
    "--plot",
    "figure",
    type=click.Path(dir_okay=False, path_type=Path),
    help="write the gain by table as .svg or .png",
)
@click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
@click.pass_context
def command(
    ctx: click.Context,
    folder: Path,
    over: Path | None,
    table: str,
    target: str,
    keys: tuple[str, ...],
    features: tuple[str, ...],
    where: str,
    latest: bool,
    tables: int,
    budget: float,
    evaluations: int | None,
    hops: int,
    strategy: Strategy,
    selector: SelectorName,
    tokens: int | None,
    similar: int,
    sets: int,
    spending: Literal["greedy", "value-per-token"],
    history: bool,
    aggregates: Aggregates,
    seed: int,
    out: Path | None,
    view: str | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Find tables that, joined, predict a column better."""
    spec = BaseSpec(table, target, keys, features or None, where, latest)
    options = Options(
        tables,
        budget,
        evaluations,
        selector,
        aggregates,
        hops,
        None,
        strategy,
        seed,
        tokens,
        similar,
        sets,
        spending,
        history,
    )
    port = ctx.find_object(AugmentPort) or AugmentPort()
    with opened(folder, over) as lake:
        if figure is not None:
            check_file(figure)  # before a search that may take a minute
        lake.build_graph()
        report = _searched(lake, spec, options, port)
        written = save(lake, report.sql, out) if out is not None else None
        if view is not None:
            lake.keep_view(view, report.sql)
        if figure is not None:
            plot(report, figure)
    if as_json:
        echo_json(report.to_json())
        return
    _print(report)
    if out is not None:
        echo(f"{written} rows written to {out}")
    if view is not None:
        echo(f"kept as the view {view}")


def _searched(lake: Lake, spec: BaseSpec, options: Options, port: AugmentPort) -> Report:
    folder = str(Path(lake.folder).resolve())
    place: AbstractContextManager[Kept | None] = (
        port.kept(folder) if port.kept is not None else nullcontext(None)
    )
    # asked for only where a selector uses it: it may not be configured
    model = port.model() if port.model is not None and options.selector in MODEL_SELECTORS else None
    with place as kept, _progress() as told:
        earlier = kept.earlier() if kept is not None and options.history else ()
        try:
            report = augment(lake, spec, options, told=told, earlier=earlier, model=model)
        except KeyboardInterrupt as error:
            # later on it ends with the best set so far
            raise click.ClickException(
                "interrupted while the base table was read: nothing was found yet, and nothing is left behind"
            ) from error
        if kept is not None:
            kept.keep(helped_by(report))
    return report


@contextmanager
def _progress() -> Iterator[Callable[[str, float], None]]:
    """A line on a terminal: how many joins were looked at, and the best R² so far."""
    if not sys.stderr.isatty():
        yield lambda _table, _r2: None
        return
    from tqdm import tqdm

    with tqdm(desc="looking", unit="join", file=sys.stderr) as bar:

        def told(table: str, r2: float) -> None:
            bar.set_postfix_str(f"best R² {r2:.3f}, {table}")
            bar.update()

        yield told


def _print(report: Report) -> None:
    echo(
        f"{report.table}.{report.target}: R² {report.r2_before:.3f} by itself, {report.r2_after:.3f} with "
        f"what is recommended"
    )
    if report.auc_before is not None and report.auc_after is not None:
        echo(f"AUC {report.auc_before:.3f} by itself, {report.auc_after:.3f} with it")
    if report.added or report.leaks:
        echo()
        for line in lines(report):
            echo(line)
        echo()
    for added in report.added:
        echo(f"{added.table}: {added.join_path}: {', '.join(added.columns)}")
    for leak in report.leaks:
        echo(f"left out: {leak.table}.{leak.column}: {leak.reason}")
    for path, reason in report.failed:
        echo(f"failed: {path}: {reason}")
    for note in report.notes:
        echo(f"note: {note}")
    if report.ended == "budget":
        echo(ended(report))
        for path in report.not_tried[:20]:
            echo(f"   {path}")
    if report.tokens:
        echo(f"{report.tokens} tokens")
    echo(
        f"{_many(report.evaluations, 'evaluation')} and {_many(report.estimates, 'estimate')} of "
        f"{_many(report.candidates, 'join')} in {report.seconds:.1f} s"
    )
    echo(f"\n{report.sql};")


def _many(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
