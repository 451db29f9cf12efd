"""What the checker adds to choosing by rows, measured without a model: wrong queries with the right rows
here.

``python -m bench.ask_choice --data DIR``: DIR as for `bench.ask_bench`. The wrong candidates are mutants of
the gold queries (`bench.mutations`); those with the gold's rows on the data at hand would be counted as right
by a vote. For each the checker is asked: told apart (with how many rows), proved equal (the mutation changed
nothing), or open. The other gold queries with the same rows are asked as well: of them none may be told apart
unless they are different readings.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
import psycopg

from bench.ask_bench import fetched, prepared
from bench.ask_models import Connection, chosen
from bench.mutants import chosen_mutants
from rewright.ask.ports import Comparer
from rewright.ask.sameness import CheckerComparer
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker, Options


def same_here(connection: Connection, gold: str, other: str) -> bool | None:
    """Whether both give the same rows, in any order; None where the other does not run."""
    try:
        return Counter(fetched(connection, gold)) == Counter(fetched(connection, other))
    except psycopg.Error:
        return None


def asked(comparer: Comparer, gold: str, other: str) -> dict[str, Any]:
    began = time.perf_counter()
    found = comparer.compare(gold, other)
    rows = len(found.difference.setup) if found.difference is not None else None
    return {"verdict": found.verdict, "seconds": time.perf_counter() - began, "rows": rows}


def of_question(
    connection: Connection, comparer: Comparer, question: dict[str, Any], each: int, chance: random.Random
) -> dict[str, Any]:
    """Mutants by what became of them, and the answers about those with the gold's rows."""
    gold = question["gold_sql"]
    found: dict[str, Any] = {"mutants": Counter(), "alike": [], "golds": []}
    for mutant in chosen_mutants(gold, each, chance):
        same = same_here(connection, gold, mutant.sql)
        found["mutants"]["fails" if same is None else "same rows" if same else "other rows"] += 1
        if same:
            found["alike"].append(asked(comparer, gold, mutant.sql))
    for other in dict.fromkeys(question.get("gold_sql_alternatives") or []):
        if other != gold and same_here(connection, gold, other):
            found["golds"].append(asked(comparer, gold, other))
    return found


def summary(answers: list[dict[str, Any]]) -> dict[str, Any]:
    rows = [a["rows"] for a in answers if a["rows"] is not None]
    return {
        **Counter(a["verdict"] for a in answers),
        "median rows": statistics.median(rows) if rows else None,
        "median seconds": round(statistics.median(a["seconds"] for a in answers), 2) if answers else None,
    }


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--half", type=click.Choice(["tune", "held", "both"]), default="both", show_default=True)
@click.option("--limit", type=click.IntRange(1), help="the first so many questions of each database")
@click.option("--each", type=click.IntRange(1), default=6, show_default=True, help="mutants of a gold query")
@click.option("--seconds", type=click.FloatRange(0.1), default=5.0, show_default=True, help="for one pair")
@click.option("--seed", type=int, default=0, show_default=True)
def main(data: Path, half: str, limit: int | None, each: int, seconds: float, seed: int) -> None:
    """Print what becomes of wrong queries with the right rows."""
    chance = random.Random(seed)
    questions = [q for q in chosen(data, half, None) if q["answerable"]]
    taken: Counter[str] = Counter()
    results = []
    with ScratchServer() as server:
        for name in dict.fromkeys(q["db"] for q in questions):
            with prepared(server, data, name) as connection:
                path = tuple(
                    row[0] for row in connection.execute("select unnest(current_schemas(false))::text")
                )
                with Checker(
                    snapshot(connection), server, Options(seconds=seconds, search_path=path)
                ) as checker:
                    for question in (q for q in questions if q["db"] == name):
                        taken[name] += 1
                        if limit is None or taken[name] <= limit:
                            comparer = CheckerComparer(checker)
                            results.append(of_question(connection, comparer, question, each, chance))
    report = {
        "questions": len(results),
        "mutants": dict(sum((r["mutants"] for r in results), Counter())),
        "mutants with the gold's rows": summary([a for r in results for a in r["alike"]]),
        "other golds with the gold's rows": summary([a for r in results for a in r["golds"]]),
    }
    click.echo(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
