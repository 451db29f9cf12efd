"""JSON that is nested more deeply than its readers can bear is left out, and ends no process."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rewright.lake.files import depth
from rewright.lake.files.depth import too_deep

_LISTS = '[{"a":' + "[" * 100_000 + "]" * 100_000 + "}]"
_OBJECTS = '{"a":' * 50_000 + "1" + "}" * 50_000


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        (_LISTS, True),
        (_OBJECTS, True),
        ('[ "]", ' * 30_000, True),
        ('{"a": 1}\n' * 5_000, False),
        (json.dumps([{"said": "[" * 5_000}, {"said": 'a "quote" \\ and [[ ' * 2_000}]), False),
        ('{"said": "ends in a backslash \\\\"}\n{"b": ' + "[" * 2_000, True),
        ("]" * 5_000 + "[" * 900, False),
        ('{"broken: "\n' + "[" * 2_000, True),
        ("", False),
    ],
)
@pytest.mark.parametrize("chunk", [7, 4 << 20])
def test_depths(text: str, deep: bool, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "_CHUNK", chunk)
    file = tmp_path / "x.json"
    file.write_text(text)
    assert too_deep(file) is deep


def test_a_lake_with_such_files_is_indexed(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "good.csv").write_text("id,name\n1,a\n2,b\n3,c\n")
    (lake / "lists.json").write_text(_LISTS)
    (lake / "packed.json.gz").write_bytes(gzip.compress(_OBJECTS.encode()))
    command = [sys.executable, "-m", "rewright", "lake", "index", str(lake)]
    cache = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(command, env=cache, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    told = done.stdout + done.stderr
    assert told.count("nested too deeply") == 2
    assert "1 table, 2 columns" in told
