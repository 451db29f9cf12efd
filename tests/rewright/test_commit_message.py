"""The hook that looks at commit messages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import commit_message
from tests.commit_message import LONGEST, SHORTEST, complaints

SUBJECT = "A subject that says what changed for whoever uses this"
BODY = "\n\nIt says why.\n"


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        (SUBJECT + BODY, []),
        ("x" * SHORTEST + BODY, []),
        ("x" * LONGEST + BODY, []),
        ("x" * (SHORTEST - 1) + BODY, ["the subject has 49 characters, not 50 to 72"]),
        ("x" * (LONGEST + 1) + BODY, ["the subject has 73 characters, not 50 to 72"]),
        (SUBJECT + "." + BODY, ["the subject ends with a full stop"]),
        (SUBJECT, ["there is no body that says why"]),
        (SUBJECT + "\n\n# comments of git are no body\n", ["there is no body that says why"]),
        (f"{SUBJECT}\n\n{commit_message.SCISSORS}\ndiff\n", ["there is no body that says why"]),
        (SUBJECT + "\nno empty line\nwhy\n", ["the line below the subject is not empty"]),
        ("", ["the subject has 0 characters, not 50 to 72", "there is no body that says why"]),
        ("Merge branch 'a'", []),
        ("fixup! " + SUBJECT, []),
    ],
)
def test_what_is_wrong_with_a_message(message: str, wrong: list[str]) -> None:
    assert complaints(message) == wrong


def test_the_hook_says_so_and_fails(tmp_path: Path) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    results = []
    for text in ("too short" + BODY, SUBJECT + BODY):
        file.write_text(text)
        ran = subprocess.run(
            [sys.executable, commit_message.__file__, file], capture_output=True, text=True, check=False
        )
        results.append((ran.returncode, ran.stderr))
    bad = "commit message: the subject has 9 characters, not 50 to 72 (CONTRIBUTING.md)\n"
    assert results == [(1, bad), (0, "")]
