"""Ctrl-C at every stage of a search: what was found so far, or a plain end, and nothing half-done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.augment_lakes import Planted, planted_tables
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment import base
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.asking import Asking, Chooser
from rewright.lake.augment.base import Base
from rewright.lake.augment.command import command
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.selection import Search
from rewright.lake.augment.values import RowValues
from rewright.lake.embedding import CachedEmbedder
from tests.lake.augment.test_asking import Scripted, knows

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return planted_tables(tmp_path_factory.mktemp("interrupted") / "lake", 5, rows=200, helpful=2, decoys=8)


@pytest.fixture(scope="module")
def lake(planted: Planted, embedder: CachedEmbedder) -> Iterator[Lake]:
    with open_lake(planted.folder, catalog=planted.folder.parent / "c.db", embedder=embedder) as found:
        yield found


def interrupt(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def left_behind(lake: Lake) -> list[tuple[Any, ...]]:
    return lake.database.trusted("SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'base_%'")


@pytest.mark.parametrize(
    ("owner", "what", "held"),
    [
        (Base, "_read", True),
        (Base, "_make_values", True),
        (RowValues, "moments", True),
        (Base, "_own_moments", False),
    ],
)
def test_while_the_base_is_read(
    lake: Lake, planted: Planted, monkeypatch: pytest.MonkeyPatch, owner: type, what: str, *, held: bool
) -> None:
    spec = BaseSpec(planted.base, planted.target)
    if not held:
        monkeypatch.setattr(base, "_IN_MEMORY", 0)
    monkeypatch.setattr(owner, what, interrupt)
    with pytest.raises(KeyboardInterrupt):
        augment(lake, spec)
    monkeypatch.undo()
    assert left_behind(lake) == []
    assert augment(lake, spec).ended == "complete"


def test_the_command_says_that_nothing_was_found_yet(
    planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(Base, "_read", interrupt)
    given = ["--lake", str(planted.folder), "--table", planted.base, "--target", planted.target]
    result = CliRunner().invoke(command, given)
    assert result.exit_code == 1
    assert "interrupted while the base table was read: nothing was found yet" in result.output


def test_while_the_model_is_asked(lake: Lake, planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chooser, "choose", interrupt)
    model = Asking(Scripted(knows(*planted.helpful)))
    report = augment(lake, BaseSpec(planted.base, planted.target), Options(selector="selector"), model=model)
    assert report.ended == "budget"
    assert report.added == ()
    assert set(planted.helpful) <= {path.split(" -> ")[1].split(" on ")[0] for path in report.not_tried}


@pytest.mark.parametrize(
    ("owner", "what"), [(Search, "recommended"), (Evaluator, "auc")], ids=["recommended", "auc"]
)
def test_while_the_report_is_made(
    lake: Lake, planted: Planted, monkeypatch: pytest.MonkeyPatch, owner: type, what: str
) -> None:
    spec = BaseSpec(planted.base, planted.target)
    whole = augment(lake, spec)
    monkeypatch.setattr(owner, what, interrupt)
    report = augment(lake, spec)
    assert {a.table for a in report.added} == {a.table for a in whole.added}
    assert {a.table for a in report.added if a.recommended} >= set(planted.helpful[:1])
    assert report.ended == "budget"
    assert len(lake.execute(report.sql).rows) == report.rows


def test_a_process_at_several_moments(planted: Planted, tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in planted.folder.iterdir()}
    cache = tmp_path / "cache"
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(tmp_path / "state")}
    given = ["augment", "--lake", str(planted.folder), "--table", planted.base, "--target", planted.target]
    words = [sys.executable, "-m", "rewright", *given, "--json"]

    def run(moment: float | None) -> tuple[int, str, str]:
        """`moment`: seconds after the lake's catalog was opened."""
        for left in cache.rglob("*-shm"):
            # one that was interrupted may leave it behind; it would stand for this one's before Python is up
            left.unlink()
        process = subprocess.Popen(
            words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if moment is not None:
            deadline = time.monotonic() + 30
            while not list(cache.rglob("*-shm")) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    status, whole, _ = run(None)
    assert status == 0
    chance = random.Random(1)
    for at in range(4):
        status, out, err = run(0.15 * at + chance.uniform(0, 0.1))
        assert "Traceback" not in err
        # Python ends itself by the signal where the interrupt went through a library that runs code of its own
        assert status in {0, 1, -signal.SIGINT}, err
        if status == 0:
            document = json.loads(out)
            assert document["sql"]
        else:
            assert out == ""
            assert err.strip()
        assert {path.name: path.read_bytes() for path in planted.folder.iterdir()} == files
    status, again, _ = run(None)
    assert status == 0
    told, wanted = json.loads(again), json.loads(whole)
    assert (told["r2_after"], told["sql"]) == (wanted["r2_after"], wanted["sql"])
