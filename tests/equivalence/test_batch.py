"""Batches: a line for each line, whatever happens; resumed; deadlines kept."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence import batch
from rewright.equivalence.batch import run_batch
from rewright.equivalence.pair_lines import finished, read_pairs
from tests.proxy.waiting import Stopwatch

SCHEMA = "create table t (a int primary key, b int)"
LINES = [
    {"id": 1, "schema_sql": SCHEMA, "q1": "select a from t", "q2": "select a from t where a = a"},
    {"id": "two", "schema_sql": SCHEMA, "q1": "select b from t", "q2": "select b from t where b = b"},
    {"id": 3, "schema_sql": "drop table x", "q1": "select 1", "q2": "select 1"},
    {"id": 4, "schema_sql": SCHEMA, "q1": "select nothing from t", "q2": "select 1"},
    {"id": 5, "schema_sql": SCHEMA, "q1": "select 1"},
    {"id": 6, "schema_sql": SCHEMA, "q1": "select 1\0", "q2": "select 1", "expected": "ignored"},
]


@pytest.mark.server
def test_every_line_gets_its_line_and_a_second_run_adds_nothing(
    scratch_server: ScratchServer, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    text = [*map(json.dumps, LINES), "not json", "", "[]"]
    counts = run_batch(read_pairs(text), out, scratch_server.address, jobs=2, timeout=20)
    found = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert sum(counts.values()) == len(found) == 8
    assert found[1]["verdict"] == "proved"
    assert found["two"]["verdict"] == "refuted"
    assert found["two"]["counterexample"]["setup"]
    for id_ in (3, 4, 5, 6, "line 7", "line 9"):
        assert found[id_]["verdict"] == "unknown"
        assert found[id_]["reason"]
    assert not run_batch(read_pairs(text), out, scratch_server.address)
    assert len(out.read_text().splitlines()) == 8


@pytest.mark.server
def test_a_pair_past_its_time_is_unknown(scratch_server: ScratchServer, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    slow = "select count(*) from generate_series(1, 100000000000) x"
    pairs = read_pairs([json.dumps({"id": 1, "schema_sql": SCHEMA, "q1": slow, "q2": slow + " where x > 0"})])
    with Stopwatch() as watch:
        run_batch(pairs, out, scratch_server.address, jobs=1, timeout=2)
    assert watch.seconds < 30
    (row,) = map(json.loads, out.read_text().splitlines())
    assert row["verdict"] == "unknown"
    assert "timeout" in row["reason"]


@pytest.mark.parametrize(
    ("wall", "cpu", "late"),
    [(19.0, 3.0, False), (19.0, 11.0, True), (41.0, 0.1, True), (9.0, None, False), (11.0, None, True)],
)
def test_load_on_the_machine_ends_no_pair(
    monkeypatch: pytest.MonkeyPatch, wall: float, cpu: float | None, late: object
) -> None:
    """Ten seconds are ten of work, or forty on the wall; where nobody tells the work, ten on the wall."""
    worker = batch._Worker.__new__(batch._Worker)
    worker.process = multiprocessing.get_context("spawn").Process()
    worker.started, worker.worked = 100.0, 50.0
    monkeypatch.setattr("time.monotonic", lambda: 100.0 + wall)
    monkeypatch.setattr(batch, "cpu_seconds", lambda _: None if cpu is None else 50.0 + cpu)
    assert worker.is_late(10.0) == late


def test_a_torn_last_line_is_done_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text('{"id": 1, "verdict": "proved"}\n{"id": 2, "verd')
    assert finished(out) == {"1": 1}
    assert out.read_text() == '{"id": 1, "verdict": "proved"}\n'


def test_lines_that_are_no_text_are_said_to_be_none(tmp_path: Path) -> None:
    """And those behind them are worked on."""
    source, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    source.write_bytes(
        b'\xff\xfe\x00\n{"id": "\xe9", "q1": ""}\n{"id": 3, "schema_sql": "", "q1": "", "q2": ""}\n'
    )
    with source.open(encoding="utf-8", errors="surrogateescape") as file:
        pairs = list(read_pairs(file))
    assert [(pair.id, pair.problem) for pair in pairs] == [
        ("line 1", "no text in UTF-8"),
        ("line 2", "no text in UTF-8"),
        (3, ""),
    ]
    done = CliRunner().invoke(rewright, ["verify", "--batch", str(source), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.server
def test_ctrl_c_ends_all_processes_with_one_word(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    slow = "select count(*) from generate_series(1, 100000000000) x"
    lines = [
        LINES[0],
        *({"id": n, "schema_sql": SCHEMA, "q1": slow, "q2": f"{slow} where x > {n}"} for n in range(9)),
    ]
    pairs.write_text("\n".join(map(json.dumps, lines)))
    command = [
        sys.executable,
        "-m",
        "rewright",
        "verify",
        "--batch",
        str(pairs),
        "--out",
        str(out),
        "--jobs",
        "2",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        # a shell's background processes ignore it, and hand that down
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as started:  # fmt: skip
        _wait_for_a_line(out)
        # those that judge get it first, and have time to say something
        for child in _judges_of(started.pid):
            os.kill(child, signal.SIGINT)
        time.sleep(1)
        os.killpg(started.pid, signal.SIGINT)
        said, _ = started.communicate(timeout=60)
    assert started.returncode == 1
    assert "Traceback" not in said
    assert "Aborted" in said


def _judges_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    assert len(found) == 2
    return found


def _wait_for_a_line(path: Path) -> None:
    for _ in range(600):
        if path.exists() and path.read_text():
            # by now another pair is under way
            time.sleep(0.5)
            return
        time.sleep(0.1)
    pytest.fail("no pair was judged")
