"""A small town's folder, asked by somebody who knows no name in it: what is told is right, or told with doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake import town_folder

pytestmark = pytest.mark.long

_TOLD = 0.7
_RIGHT, _TOLD_RIGHT = 33, 30
"""Of 34 questions; all are right, and 31 told."""


def _alike(value: Any) -> Any:
    """A value as it is compared: numbers to six digits, texts as they are."""
    return f"{float(value):.6g}" if not isinstance(value, str) and _is_number(value) else str(value)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def compared(rows: list[Any]) -> list[list[Any]]:
    return sorted([_alike(value) for value in row] for row in rows)


def test_what_is_told_of_a_town_is_right(tmp_path: Path, embedder: CachedEmbedder) -> None:
    folder = tmp_path / "town"
    folder.mkdir()
    questions = town_folder.write(folder)
    right, told, wrong = 0, 0, []
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        assert not lake.broken()
        for sql, expected in questions:
            answer = lake.query(sql, "resolve", threshold=0.0)
            sure = answer.resolution.confidence >= _TOLD
            if answer.rows is not None and compared(answer.rows.rows) == compared(expected):
                right, told = right + 1, told + sure
            elif sure:
                wrong.append((sql, answer.rows and answer.rows.rows[:3], expected[:3]))
    assert not wrong
    assert right >= _RIGHT
    assert told >= _TOLD_RIGHT
