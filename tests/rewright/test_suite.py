"""Tests that fail are run once more, alone; only what passes then is forgiven, and is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite import MOST, alone

ROOT = Path(__file__).parents[2]
# fails in its first run only
ONCE = """
from pathlib import Path

def test_once():
    seen = Path("seen")
    before = seen.exists()
    seen.touch()
    assert before
"""
ALWAYS = "def test_always():\n    assert False\n"
MANY = "import pytest\n@pytest.mark.parametrize('n', range({}))\n" + ALWAYS.replace("()", "(n)")


def suite(folder: Path, tests: str, *arguments: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.fixtures.sampling"]\n')
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    sampled\n")
    (folder / "test_some.py").write_text(tests)
    done = subprocess.run(
        [sys.executable, "-m", "tests.suite", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_one_that_passes_alone_is_named(tmp_path: Path) -> None:
    code, told = suite(tmp_path, ONCE)
    assert code == 0
    assert told.rstrip().endswith("passed only when run alone:\n  test_some.py::test_once")


def test_one_that_fails_alone_fails_the_run(tmp_path: Path) -> None:
    code, told = suite(tmp_path, ONCE + ALWAYS)
    assert code == 1
    assert "passed only" not in told


@pytest.mark.parametrize(("failures", "runs"), [(MOST, 2), (MOST + 1, 1)])
def test_many_failures_are_believed(tmp_path: Path, failures: int, runs: int) -> None:
    code, told = suite(tmp_path, MANY.format(failures))
    assert code == 1
    assert told.count("test session starts") == runs


def test_a_file_that_cannot_be_read_fails_the_run(tmp_path: Path) -> None:
    assert suite(tmp_path, "import nothing_of_this_name")[0] == 2


def test_failures_of_an_earlier_run_are_not_run_again(tmp_path: Path) -> None:
    assert suite(tmp_path, ALWAYS)[0] == 1
    code, told = suite(tmp_path, "def test_fine():\n    pass\n")
    assert (code, told.count("test session starts")) == (0, 1)


def test_the_second_run_has_one_process() -> None:
    assert alone(["-n", "3", "--dist", "loadfile", "--randomly-seed=1", "--thorough"]) == [
        "--randomly-seed=1",
        "--thorough",
    ]
