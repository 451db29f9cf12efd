"""Questions answered by a model: what is right, what it costs, what each part of the pipeline is worth.

``rewright bench ask --data DIR --model M``: DIR as for `bench.ask_bench`; M is a litellm model name (its key
from the environment; ``--api-base`` for a server of your own). ``--without planning,pruning-delete,…`` leaves
parts out, one ablation of the papers each; ``--feedback coarse`` and ``epistemic`` are those of REFLECT-SQL,
table 2; ``--learn`` adopts lessons between questions.

EX: the chosen query's rows are those of any gold, by BIRD's rule (the same set of rows, columns in order) and
by Spider's (the same multiset, columns in any order, rows in order where the question asks). Pass@n: any
candidate is right; EX@n: the share of right candidates; vote: the majority by rows alone, as in APEX-SQL.
VES: the mean over all questions of sqrt(gold's seconds / ours) for those right by BIRD's rule.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import psycopg

from bench.ask_bench import ASKS_ORDER, columns_of, fetched, part_of, plain, prepared, questions_of, same
from rewright.ask.context_reading import read_context
from rewright.ask.execution import Limits
from rewright.ask.outcome import Candidate, Outcome
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.pipeline_settings import PARTS
from rewright.ask.ports import Draft, Likely, Reader, ValidatedQuestion
from rewright.ask.reading.api import Reading, read, reader_of
from rewright.ask.reflection.lessons import MemoryLessons, MemoryValidated
from rewright.ask.running import PostgresRunner
from rewright.ask.safety import Rules
from rewright.ask.sameness import CheckerComparer
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker, Options
from rewright.models.api import Model
from rewright.models.budget import Ledger
from rewright.models.budget import Limits as Budget
from rewright.models.litellm_client import LiteLlm
from rewright.models.replay import Recorder, Replay

Row = tuple[Any, ...]
Connection = psycopg.Connection[Any]
LIMITS = Limits(rows=100_000, bytes=200_000_000)


def reader_over(pipeline_context: Any) -> Reader:
    """The deterministic reader behind the pipeline's port."""

    def reader(question: str, evidence: str) -> Draft | None:
        found = read(question, pipeline_context, evidence=evidence)
        return Draft(found.sql, found.plain, found.confidence) if isinstance(found, Reading) else None

    return reader


def likely_over(context: Any) -> Likely:
    """The columns that the deterministic reader thinks a question may need."""
    return lambda asked, hint: reader_of(context).columns(asked, evidence=hint)


def golds(connection: Connection, question: dict[str, Any]) -> list[tuple[str, list[Row]]]:
    """Gold queries that run, with their rows."""
    found = []
    for sql in dict.fromkeys([question["gold_sql"], *(question.get("gold_sql_alternatives") or [])]):
        try:
            found.append((sql, fetched(connection, sql)))
        except psycopg.Error:
            continue
    return found


def right(candidate: Candidate, gold: Iterable[tuple[str, list[Row]]], question: str) -> tuple[bool, bool]:
    """By BIRD's rule and by Spider's."""
    if candidate.rows is None:
        return False, False
    rows = [tuple(map(plain, row)) for row in candidate.rows.rows]
    bird = spider = False
    for sql, expected in gold:
        ordered = bool(ASKS_ORDER.search(question)) and " order by " in f" {' '.join(sql.lower().split())} "
        bird = bird or set(rows) == set(expected)
        spider = spider or same(rows, expected, ordered=ordered)
    return bird, spider


def voted(candidates: Iterable[Candidate]) -> Candidate | None:
    """The majority by rows alone; the earliest of equals."""
    ran = [c for c in candidates if c.rows is not None]
    votes = Counter(c.result for c in ran)
    return max(ran, key=lambda c: votes[c.result], default=None)


def efficiency(connection: Connection, ours: str, gold: str) -> float:
    """sqrt of the gold's time over ours, the best of three runs each."""
    took = []
    for sql in (gold, ours):
        runs = []
        for _ in range(3):
            began = time.perf_counter()
            fetched(connection, sql)
            runs.append(time.perf_counter() - began)
        took.append(min(runs))
    return float((took[0] / max(took[1], 1e-6)) ** 0.5)


def measured(connection: Connection, pipeline: Pipeline, question: dict[str, Any]) -> dict[str, Any]:
    """One question asked and scored."""
    asked = question["question"]
    outcome = pipeline.answer(asked, evidence=question.get("evidence") or "")
    chosen = Candidate(outcome.sql, "", "model", rows=outcome.rows)
    gold = golds(connection, question) if question["answerable"] else []
    bird, spider = right(chosen, gold, asked)
    each = [right(c, gold, asked)[1] for c in outcome.candidates]
    vote = voted(outcome.candidates)
    return {
        "id": question.get("id"),
        "half": part_of(question),
        "difficulty": question.get("difficulty") or "",
        "answerable": question["answerable"],
        "answered": bool(outcome.sql),
        "error": outcome.error,
        "refused": outcome.refused,
        "sql": outcome.sql,
        "bird": bird,
        "spider": spider,
        "pass": any(each),
        "ex_n": sum(each) / len(each) if each else 0.0,
        "vote": vote is not None and right(vote, gold, asked)[1],
        "ves": efficiency(connection, outcome.sql, gold[0][0]) if bird else 0.0,
        "tokens": outcome.tokens,
        "calls": outcome.calls,
        "money": outcome.money,
        "seconds": outcome.seconds,
        "refinements": sum(e.kind == "refined" for e in outcome.trajectory),
        "explorations": sum(e.kind == "explored" for e in outcome.trajectory),
        "recall": _recall(outcome, question, pipeline) if question["answerable"] else None,
    }


def _recall(outcome: Outcome, question: dict[str, Any], pipeline: Pipeline) -> float | None:
    """Share of the gold's columns among those linked; None where nothing was linked."""
    wanted = columns_of(question["gold_sql"], pipeline)
    linked = {column.rpartition(".")[2].strip('"').lower() for column in outcome.linked.columns}
    return len(wanted & linked) / len(wanted) if wanted and linked else None


def run(
    server: ScratchServer,
    folder: Path,
    questions: Iterable[dict[str, Any]],
    model: Model,
    settings: PipelineSettings,
    *,
    learn: bool = False,
) -> list[dict[str, Any]]:
    """All questions, database by database."""
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in questions:
        by_database[question["db"]].append(question)
    outcomes: list[dict[str, Any]] = []
    for name, asked in sorted(by_database.items()):
        with prepared(server, folder, name) as connection:
            catalog = snapshot(connection)
            path = tuple(row[0] for row in connection.execute("select unnest(current_schemas(false))::text"))
            context = read_context(connection, catalog)
            with Checker(catalog, server, Options(seconds=6, search_path=path)) as checker:
                pipeline = Pipeline(
                    model,
                    PostgresRunner(connection, Rules(catalog, path), LIMITS),
                    context,
                    replace(settings, database=name),
                    lessons=MemoryLessons() if learn else None,
                    validated=MemoryValidated() if learn else None,
                    reader=reader_over(context),
                    likely=likely_over(context),
                    comparer=CheckerComparer(checker),
                )
                outcomes += [_one(connection, pipeline, question) for question in asked]
    return outcomes


def _one(connection: Connection, pipeline: Pipeline, question: dict[str, Any]) -> dict[str, Any]:
    """A right answer is validated, as a user would; what was learnt is tried on all that were."""
    found = measured(connection, pipeline, question)
    if pipeline.validated is not None and pipeline.lessons is not None:
        if found["spider"]:
            known = ValidatedQuestion(question["question"], found["sql"], question.get("evidence") or "")
            pipeline.validated.add(pipeline.settings.database, known)
        found["lessons"] = [lesson.status for lesson in pipeline.learn()]
    return found


def summary(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    able = [o for o in outcomes if o["answerable"]]
    unable = [o for o in outcomes if not o["answerable"]]
    passed, voted_right, ours = (_mean([float(o[k]) for o in able]) for k in ("pass", "vote", "spider"))
    gap = (passed or 0.0) - (voted_right or 0.0)
    recalls = [o["recall"] for o in able if o["recall"] is not None]
    money = [o["money"] for o in outcomes]
    return {
        "questions": len(able),
        "answered": sum(o["answered"] for o in able),
        "EX (BIRD)": _mean([float(o["bird"]) for o in able]),
        "EX (Spider)": ours,
        "VES": _mean([o["ves"] for o in able]),
        "Pass@n": passed,
        "EX@n": _mean([o["ex_n"] for o in able]),
        "vote": voted_right,
        "gap closed": round(((ours or 0.0) - (voted_right or 0.0)) / gap, 3) if gap > 0 else None,
        "unanswerable": len(unable),
        "unanswerable refused": _mean([float(not o["answered"]) for o in unable]),
        "errors": sum(bool(o["error"]) for o in outcomes),
        "SRR": _mean([float(r == 1) for r in recalls]),
        "NSR": _mean(recalls),
        "tokens": _mean([o["tokens"] for o in outcomes]),
        "most tokens": max((o["tokens"] for o in outcomes), default=0),
        "calls": _mean([o["calls"] for o in outcomes]),
        "money": None if None in money else _mean(money),
        "median seconds": round(statistics.median([o["seconds"] for o in outcomes]), 3) if outcomes else None,
        "refinements": _mean([o["refinements"] for o in outcomes]),
        "explorations": _mean([o["explorations"] for o in outcomes]),
        "lessons": dict(Counter(s for o in outcomes for s in o.get("lessons", ()))),
    }


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _parts(_: click.Context, __: click.Parameter, text: str) -> frozenset[str]:
    named = frozenset(part.strip() for part in text.split(",") if part.strip())
    if unknown := named - set(PARTS):
        raise click.BadParameter(f"{', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return named


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--model", "name", required=True, help="a litellm model name")
@click.option("--api-base", help="an OpenAI-compatible server")
@click.option(
    "--share", type=click.Choice(["schema", "statistics", "samples"]), default="samples", show_default=True
)
@click.option("--candidates", type=click.IntRange(1, 32), default=1, show_default=True)
@click.option("--without", callback=_parts, default="", help=f"parts to leave out: {','.join(PARTS)}")
@click.option(
    "--feedback",
    type=click.Choice(["granular", "coarse", "epistemic"]),
    default="granular",
    show_default=True,
)
@click.option(
    "--learn",
    is_flag=True,
    help="adopt lessons between questions; each is tried on all answered right before",
)
@click.option("--separate-stages", is_flag=True, help="a call for each stage, as in the paper")
@click.option(
    "--small-tokens",
    type=click.IntRange(0),
    default=PipelineSettings().small_tokens,
    show_default=True,
    help="descriptions up to this size are not linked",
)
@click.option("--half", type=click.Choice(["tune", "held", "both"]), default="both", show_default=True)
@click.option("--limit", type=click.IntRange(1), help="the first so many questions of each database")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="write the conversations down"
)
@click.option(
    "--replay",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="a recording in place of the model",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path))
def main(
    data: Path,
    name: str,
    api_base: str | None,
    share: str,
    candidates: int,
    without: frozenset[str],
    feedback: str,
    learn: bool,
    separate_stages: bool,
    small_tokens: int,
    half: str,
    limit: int | None,
    record: Path | None,
    replay: Path | None,
    out: Path | None,
) -> None:
    """Score a model's answers, with all parts of the pipeline or without some."""
    model: Model = (
        Replay.load(replay)
        if replay is not None
        # a day's limit for a proxy would end a long measurement in the middle
        else LiteLlm({"default": name}, Ledger(Budget(daily_tokens=None)), api_base=api_base)
    )
    if record is not None:
        model = Recorder(model, record)
    settings = PipelineSettings(
        share=share,  # type: ignore[arg-type] # click lets only these words through
        candidates=candidates,
        without=without,
        feedback=feedback,  # type: ignore[arg-type] # click lets only these words through
        separate_stages=separate_stages,
        small_tokens=small_tokens,
    )
    questions = chosen(data, half, limit)
    with ScratchServer() as server:
        outcomes = run(server, data, questions, model, settings, learn=learn)
    report = {
        "machine": platform.platform(),
        "python": platform.python_version(),
        "model": name,
        "without": sorted(without),
        "feedback": feedback,
        "candidates": candidates,
        "share": share,
        "all": summary(outcomes),
        "halves": {part: summary([o for o in outcomes if o["half"] == part]) for part in ("tune", "held")},
    }
    click.echo(json.dumps(report, indent=2))
    if out is not None:
        out.write_text(json.dumps({**report, "outcomes": outcomes}, indent=2, default=str))


def chosen(data: Path, half: str, limit: int | None) -> list[dict[str, Any]]:
    """Questions of the half, at most ``limit`` of each database."""
    taken: Counter[str] = Counter()
    found = []
    for question in questions_of(data):
        if half in {"both", part_of(question)} and (limit is None or taken[question["db"]] < limit):
            taken[question["db"]] += 1
            found.append(question)
    return found


if __name__ == "__main__":
    main()
