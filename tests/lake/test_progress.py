"""Who indexes a lake at a terminal sees how far it is; a log or a pipe gets nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.embedding import best_embedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lake").mkdir()
    for i in range(30):
        rows = "\n".join(f"{n},word{n * 31 + i}" for n in range(20))
        (tmp_path / "lake" / f"list_{chr(97 + i % 26)}{i}.csv").write_text(f"number{i},text{i}\n{rows}\n")
    return tmp_path


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_shows_how_far_indexing_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    embedder = best_embedder()
    with open_lake(folder / "lake", catalog=folder / "catalog.db", embedder=embedder, progress=True) as lake:
        assert len(lake.tables()) == 30
    shown = capsys.readouterr().err
    assert ("profiling: 100%" in shown) is terminal
    assert ("30/30" in shown) is terminal
