"""``rewright rewrite``: faster equivalents for the statements of a file, a directory
or pg_stat_statements.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure, WrongUsage
from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, MODEL_OPTION, configuration
from rewright.cli.parameters import DURATION, OUT_FILE, QUERIES_ARGUMENT, READING_DSN_OPTION
from rewright.cli.statements import statements_of, tell_syntax_errors
from rewright.terminal import echo, echo_json


@click.command()
@QUERIES_ARGUMENT
@READING_DSN_OPTION
@click.option(
    "--top",
    type=click.IntRange(1, 10_000),
    help="the N most expensive SELECTs of pg_stat_statements, without those of an optimiser_dsn's role",
)
@click.option(
    "--trust", type=click.Choice(["proved", "tested", "judged"]), default="proved", show_default=True
)
@click.option("--budget", type=DURATION, default="60s", show_default=True, help="time for one statement")
@click.option(
    "--measure",
    type=click.Choice(["off", "explain", "run", "both"]),
    default="both",
    show_default=True,
    help="both: original and replacement are run, within [optimiser] run_timeout; explain: nothing is run",
)
@click.option("--report", type=OUT_FILE, help="out.html or out.md")
@MODEL_OPTION
@CONFIG_OPTION
@JSON_OPTION
def command(
    source: Path | None,
    dsn: str,
    top: int | None,
    trust: Any,
    budget: float,
    measure: Any,
    report: Path | None,
    model: str,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Find faster equivalents of queries.

    Nothing is changed in the database. --json prints one document for one statement, an array for several.
    """
    if (source is None) == (top is None):
        raise click.UsageError("give a file or a directory, or --top N")
    config = configuration(config_path)
    settings = _settings(config, trust, budget, measure, model=model == "on")
    works = statements_of(source, top or 0, dsn, config)
    # a file's own mistakes are told before a server is asked
    wrong = source is not None and tell_syntax_errors(works)
    done = _work(works, dsn, config, settings, own=source is not None)
    if report is not None:
        _write_report(report, done)
    if as_json:
        documents = [one.to_json() for one in done]
        # --top gives an array even for one statement: scripts count on it
        echo_json(documents[0] if len(documents) == 1 and top is None else documents)
    elif report is None:
        from rewright.rewrite.page import markdown

        echo(markdown(done), nl=False)
    if wrong:
        sys.exit(WrongUsage.exit_code)


def _settings(config: Any, trust: Any, budget: float, measure: Any, *, model: bool) -> Any:
    from rewright.rewrite.model import Settings

    return Settings(
        trust=trust,
        accept=frozenset(config.verify.accept),
        budget=budget,
        measure=measure,
        run_timeout=config.optimiser.run_timeout,
        check_seconds=config.verify.timeout,
        model=model,
        share=config.models.share,
        samples=config.models.samples,
    )


def _work(works: Any, dsn: str, config: Any, settings: Any, *, own: bool) -> list[Any]:
    """``own``: the user chose the statements; those of pg_stat_statements were sent by others."""
    from rewright.engines.postgres.session import SessionError
    from rewright.rewrite.adapters.live import connected
    from rewright.rewrite.offline import work_off
    from rewright.wiring.advising import ADVICE_SECONDS, Adviser
    from rewright.wiring.row_facts import policy_of
    from rewright.wiring.scratch import Scratch

    # without a scratch server only proofs count; the rewriter goes on
    scratch = Scratch(config.verify.scratch, lambda error: echo(f"no scratch server: {error}", err=True))
    try:
        timeout = config.optimiser.run_timeout
        extras, policy = _extras(dsn, config, settings, own=own), policy_of(config)
        with (
            connected(
                dsn, scratch.server(), extras=extras, run_timeout=timeout, own=own, foreign_keys=policy
            ) as rewriter,
            Adviser(dsn, timeout, min(settings.budget / 4, ADVICE_SECONDS), own=own) as adviser,
        ):
            # advice may execute queries only where measuring may
            advise = adviser.running if settings.measure in {"run", "both"} else adviser.planning
            return _with_progress(works, lambda tick: work_off(rewriter, works, settings, tick, advise))
    except SessionError as error:
        raise DatabaseFailure(error) from error
    finally:
        scratch.close()


def _extras(dsn: str, config: Any, settings: Any, *, own: bool) -> Any:
    """Model, hints and knowledge, as far as they are wanted."""
    from rewright.models.api import NoModel
    from rewright.rewrite.adapters.live import Extras
    from rewright.rewrite.ports import NoHints
    from rewright.wiring.knowledge_provider import knowledge_base, own_folder
    from rewright.wiring.modelling import make_model, warmed
    from rewright.wiring.ports.hinting import HintPort

    # its library is imported before the first query's time runs
    model = warmed(make_model(config)) if settings.model else NoModel()
    may_run = settings.measure in {"run", "both"}
    hinter = (
        HintPort(dsn, config.optimiser.run_timeout, may_run, model=model, share=settings.share, own=own)
        if settings.measure != "off"
        else NoHints()
    )
    return Extras(
        model=model,
        hinter=hinter,
        share=settings.share,
        judge=settings.trust == "judged",
        units=knowledge_base(own_folder(config.store.url)),
    )


def _with_progress(works: Iterable[Any], run: Callable[[Callable[[Any], None]], list[Any]]) -> list[Any]:
    """A bar on stderr where that is a terminal and there is more than one statement."""
    # the rewriter takes minutes a statement: one needs no bar
    total = len(list(works))
    if not sys.stderr.isatty() or total < 2:
        return run(lambda _: None)
    from tqdm import tqdm

    with tqdm(total=total, unit="query", file=sys.stderr, leave=False) as bar:
        return run(lambda done: _tick(bar, done))


def _tick(bar: Any, done: Any) -> None:
    bar.set_postfix_str(done.work.name[-30:], refresh=False)
    bar.update()


def _write_report(path: Path, done: list[Any]) -> None:
    from rewright.rewrite.page import markdown, summary
    from rewright.wiring.offline_report import html_report

    # any other name is HTML, as a browser shows it whatever it is called
    text = markdown(done) if path.suffix in {".md", ".markdown"} else html_report(done)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror or error}") from error
    echo(f"{path}: {summary(done)}", err=True)
