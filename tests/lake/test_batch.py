"""Batches: a line for every line, whatever happens."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rewright.lake.batch import empty_line, run_batch
from rewright.lake.worker import Task, Worker
from tests.lake.small_lakes import bakery
from tests.lake.stub_models import Awkward

pytestmark = pytest.mark.long


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_line_is_answered_and_runs_resume(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(
        '{"id": "a", "user_query": "x"}\nno json\n\n[1]\n{"id": {"odd": 1}}\n{"id": "a"}\n{"id": "b"}\n'
    )
    asked: list[Any] = []

    def answer(name: Any, query: Any) -> dict[str, Any]:
        asked.append((name, query))
        return empty_line(name)

    assert run_batch(answer, pairs, out) == 5
    assert asked == [("a", "x"), (1, None), (2, None), ({"odd": 1}, None), ("b", None)]
    assert run_batch(answer, pairs, out) == 0
    # a run that was killed while it wrote
    out.write_text(out.read_text() + '{"id": "c", "sq')
    pairs.write_text(pairs.read_text() + '{"id": "c", "user_query": "y"}\n')
    assert run_batch(answer, pairs, out) == 1
    assert [line["id"] for line in lines(out)] == ["a", 1, 2, {"odd": 1}, "b", "c"]


def test_a_query_that_hangs_or_kills_its_process_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    bakery(folder)
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(
        "\n".join(
            json.dumps({"id": i, "user_query": f"SELECT city AS {name} FROM bakery_shops"})
            for i, name in enumerate(("die_here", "hang_here", "town"))
        )
    )
    with Worker(Task(folder, None, tmp_path / "c.db", 5.0, Awkward)) as worker:
        run_batch(partial(worker.answer, refuse_below=0.7), pairs, out)
    died, hung, answered = lines(out)
    assert died["error"].startswith("58000")
    assert hung["error"].startswith("57014")
    assert hung["seconds"] >= 5.0
    assert answered["error"] is None
    assert answered["columns"] == ["town"]
    assert len(answered["rows"]) == 8
