"""Sets of questions of which some are kept in a file of their own."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from bench.ask_bench import fetched, half_of, part_of, prepared, questions_of
from bench.ask_models import chosen
from rewright.engines.postgres.scratch import ScratchServer

BENCH = Path(__file__).parents[2] / "bench"
SETS = (
    "ask_fourteenth_strangers",
    "ask_fifteenth_strangers",
    "ask_sixteenth_strangers",
    "ask_seventeenth_strangers",
)
TEXTS = ("how many", "which", "who", "when", "list them")


def written(file: Path, texts: tuple[str, ...]) -> None:
    file.write_text("".join(json.dumps({"db": "d", "question": text}) + "\n" for text in texts))


def test_a_file_of_kept_questions_tells_the_halves(tmp_path: Path) -> None:
    written(tmp_path / "questions.jsonl", TEXTS[:3])
    written(tmp_path / "kept.jsonl", TEXTS[3:])
    assert [part_of(q) for q in questions_of(tmp_path)] == ["tune"] * 3 + ["held"] * 2
    assert [q["question"] for q in chosen(tmp_path, "held", None)] == [*TEXTS[3:]]


def test_without_one_the_text_tells(tmp_path: Path) -> None:
    written(tmp_path / "questions.jsonl", TEXTS)
    assert [part_of(q) for q in questions_of(tmp_path)] == [half_of(text) for text in TEXTS]


@pytest.mark.parametrize("of", SETS)
def test_every_gold_of_a_kept_set_brings_rows(of: str) -> None:
    """Texts of kept questions are not shown: only their ids."""
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in questions_of(BENCH / of):
        by_database[question["db"]].append(question)
    empty = []
    with ScratchServer() as server:
        for name, questions in by_database.items():
            with prepared(server, BENCH / of, name) as connection:
                for question in (q for q in questions if q["answerable"]):
                    for gold in [question["gold_sql"], *question["gold_sql_alternatives"]]:
                        rows = fetched(connection, gold)
                        if "current_date" not in gold and not any(any(row) for row in rows):
                            empty.append(question["id"])
    assert not empty
