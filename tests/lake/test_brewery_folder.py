"""A small brewery's folder, asked by somebody who knows no name in it: what is told is right, or told with doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake import brewery_folder
from tests.lake.test_town_folder import compared

pytestmark = pytest.mark.long

_TOLD = 0.7
_RIGHT, _TOLD_RIGHT = 31, 23
"""Of 34 questions; 32 are right, and 24 told."""


def test_what_is_told_of_a_brewery_is_right(tmp_path: Path, embedder: CachedEmbedder) -> None:
    folder = tmp_path / "brewery"
    folder.mkdir()
    questions = brewery_folder.write(folder)
    right, told, wrong = 0, 0, []
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        assert [broken.path.name for broken in lake.broken()] == ["README.txt"]
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
