"""Questions without a model: what is answered, what of it is right, what is rightly refused.

``rewright bench ask --data DIR`` (with ``--model M``: `bench.ask_models`): DIR holds ``questions.jsonl`` (id,
db, question, gold_sql, gold_sql_alternatives, difficulty, answerable; ``after``, where it follows up others:
what was asked before it, in order) and ``sql/DB.sql``. Questions are split in two (``--half``): those of
``kept.jsonl``, where DIR has one, are held and the others tuned; else a hash of their text tells. An answer is right when its rows are those of any gold, as a
multiset, columns in any order (Spider's rule); in order where the gold orders its rows and the question asks.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import platform
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import pglast
import psycopg
from pglast import ast

from bench.bars import bar
from rewright.ask.api import Answer, Asker
from rewright.ask.pipeline import Pipeline
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.parsing import nodes_of

ASKS_ORDER = re.compile(
    r"\b(order|ordered|sort|sorted|ascending|descending|rank|ranked|starting from|lowest to|highest to)\b",
    re.IGNORECASE,
)
MOST_COLUMNS = 6
Row = tuple[Any, ...]


def half_of(question: str) -> str:
    return ("tune", "held")[hashlib.sha256(question.encode()).digest()[0] % 2]


def part_of(question: dict[str, Any]) -> str:
    """The half that the set tells, or else the one of the question's text."""
    return question.get("half") or half_of(question["question"])


def questions_of(folder: Path) -> list[dict[str, Any]]:
    """The questions of a set; where some are in ``kept.jsonl``, each with its half."""
    found = _lines(folder / "questions.jsonl")
    kept = folder / "kept.jsonl"
    if not kept.exists():
        return found
    return [{**q, "half": "tune"} for q in found] + [{**q, "half": "held"} for q in _lines(kept)]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def plain(value: Any) -> Any:
    """Numbers alike whatever their type, times as text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | Decimal):
        return round(float(value), 4)
    return str(value)


def same(rows: list[Row], gold: list[Row], *, ordered: bool) -> bool:
    """Equal up to the order of the columns, and of the rows unless `ordered`."""
    if len(rows) != len(gold) or (rows and len(rows[0]) != len(gold[0])):
        return False
    width = len(rows[0]) if rows else 0
    orders = itertools.permutations(range(width)) if width <= MOST_COLUMNS else [tuple(range(width))]
    for order in orders:
        turned = [tuple(row[i] for i in order) for row in rows]
        # rows that tie may come in any order: one column at least must be in the gold's
        if Counter(turned) == Counter(gold) and (not ordered or _in_order(turned, gold)):
            return True
    return False


def _in_order(rows: list[Row], gold: list[Row]) -> bool:
    return rows == gold or any(
        column == expected
        for column, expected in zip(zip(*rows, strict=True), zip(*gold, strict=True), strict=True)
    )


def fetched(connection: psycopg.Connection[Any], sql: str) -> list[Row]:
    return [tuple(map(plain, row)) for row in connection.execute(sql.encode()).fetchall()]


def is_right(connection: psycopg.Connection[Any], answer: Answer, question: dict[str, Any]) -> bool:
    rows = [tuple(map(plain, row)) for row in answer.rows]
    for gold in [question["gold_sql"], *(question.get("gold_sql_alternatives") or [])]:
        try:
            expected = fetched(connection, gold)
        except psycopg.Error:
            continue
        ordered = (
            bool(ASKS_ORDER.search(question["question"]))
            and " order by " in f" {' '.join(gold.lower().split())} "
        )
        if same(rows, expected, ordered=ordered):
            return True
    return False


def columns_of(sql: str, asker: Asker | Pipeline) -> set[str]:
    """Names of columns of the database that a text names, lower case, without their tables."""
    known = {c.name.lower() for t in asker.context.tables for c in t.columns}
    nodes = nodes_of(pglast.parse_sql(sql))
    named = {
        (f.sval or "").lower()
        for n in nodes
        if isinstance(n, ast.ColumnRef)
        for f in n.fields or ()
        if isinstance(f, ast.String)
    }
    return named & known


def linking(answer: Answer, question: dict[str, Any], asker: Asker) -> dict[str, float]:
    """Strict recall, and recall, precision and F of columns (macro averages over questions)."""
    gold = columns_of(question["gold_sql"], asker)
    linked = {
        c.name.lower() for c in asker.reader.columns(answer.question, evidence=question.get("evidence", ""))
    }
    hit = len(gold & linked)
    recall = hit / len(gold) if gold else 1.0
    precision = hit / len(linked) if linked else 0.0
    f = 2 * recall * precision / (recall + precision) if hit else 0.0
    kept = len(linked) / max(1, len({c.name.lower() for t in asker.context.tables for c in t.columns}))
    return {"SRR": float(recall == 1), "NSR": recall, "NSP": precision, "NSF": f, "kept": kept}


def prepared(server: ScratchServer, folder: Path, name: str) -> psycopg.Connection[Any]:
    database = server.create_database()
    connection = psycopg.connect(server.dsn(database), autocommit=True)
    connection.execute((folder / "sql" / f"{name}.sql").read_bytes())
    path = ", ".join(
        f'"{schema}"'
        for (schema,) in connection.execute(
            "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'"
        )
    )
    connection.execute(f"set search_path = {path}".encode())
    return connection


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--half", type=click.Choice(["tune", "held", "both"]), default="both", show_default=True)
@click.option("--show", is_flag=True, help="each question of the tuned half with what came of it")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path))
def main(data: Path, half: str, show: bool, out: Path | None) -> None:
    """Precision, share of all right, refusals and linking, by half and by difficulty."""
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in questions_of(data):
        if half in {"both", part_of(question)}:
            by_database[question["db"]].append(question)
    outcomes: list[dict[str, Any]] = []
    with ScratchServer() as server:
        for name, asked in sorted(by_database.items()):
            with prepared(server, data, name) as connection:
                asker = Asker(connection)
                outcomes += [outcome(connection, asker, question, show) for question in bar(asked, name)]
    report = {"machine": platform.platform(), "python": platform.python_version(), "halves": {}}
    for part in ("tune", "held"):
        mine = [o for o in outcomes if o["half"] == part]
        if mine:
            report["halves"][part] = summary(mine)  # type: ignore[index] # the value of halves is a dict
    click.echo(json.dumps(report, indent=2))
    if out is not None:
        out.write_text(json.dumps(report, indent=2))


def asked(asker: Asker, question: dict[str, Any]) -> Answer:
    """The answer to a question, behind those it follows up."""
    conversation = Asker(asker.source, follows=True) if question.get("after") else asker
    for before in question.get("after", ()):
        conversation.ask(before)
    return conversation.ask(question["question"], evidence=question.get("evidence") or "")


def outcome(
    connection: psycopg.Connection[Any], asker: Asker, question: dict[str, Any], show: bool
) -> dict[str, Any]:
    began = time.perf_counter()
    answer = asked(asker, question)
    seconds = time.perf_counter() - began
    answered = not answer.refused and not answer.error
    right = answered and question["answerable"] and is_right(connection, answer, question)
    half = part_of(question)
    if show and half == "tune":
        mark = "RIGHT" if right else "WRONG" if answered else "error" if answer.error else "-"
        click.echo(
            f"{mark} [{question['db']}] {question['question']}\n    {answer.refused or answer.error or answer.sql}",
            err=True,
        )
    return {
        "half": half,
        "difficulty": question["difficulty"],
        "answerable": question["answerable"],
        "answered": answered,
        "error": bool(answer.error),
        "right": right,
        "seconds": seconds,
        "linking": linking(answer, question, asker) if question["answerable"] else None,
    }


def summary(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    able = [o for o in outcomes if o["answerable"]]
    unable = [o for o in outcomes if not o["answerable"]]
    answered = [o for o in able if o["answered"]]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for o in able:
        groups[o["difficulty"]].append(o)
    return {
        "questions": len(able),
        "answered": len(answered),
        "right": sum(o["right"] for o in able),
        "precision": share(sum(o["right"] for o in answered), len(answered)),
        "right_of_all": share(sum(o["right"] for o in able), len(able)),
        "unanswerable": len(unable),
        "unanswerable_refused": share(sum(not o["answered"] for o in unable), len(unable)),
        "errors": sum(o["error"] for o in outcomes),
        "median_seconds": round(statistics.median(o["seconds"] for o in outcomes), 4),
        "linking": {
            k: share(sum(o["linking"][k] for o in able), len(able))
            for k in ("SRR", "NSR", "NSP", "NSF", "kept")
        },
        "by_difficulty": {
            name: {
                "questions": len(g),
                "answered": sum(o["answered"] for o in g),
                "right": sum(o["right"] for o in g),
            }
            for name, g in sorted(groups.items())
        },
    }


def share(part: float, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    if any(argument.partition("=")[0] == "--model" for argument in sys.argv):
        from bench.ask_models import main as with_model

        with_model()
    main()
