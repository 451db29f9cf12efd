"""What people read at a terminal: rewrites in words, and nothing that steers the terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.console import words
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.records import RESERVATIONS
from rewright.store.api import open_store
from rewright.store.life import Level
from rewright.store.records import Event, LogEntry, NewRewrite
from rewright.terminal import echo_json

# ends of lines, colours and titles in seven and in eight bits, and a right-to-left override
STEERING = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r"
PLAN = {
    "Node Type": "Aggregate",
    "Strategy": "Plain",
    "Startup Cost": 0.0,
    "Total Cost": 90.0,
    "Plan Rows": 1,
    "Plan Width": 8,
    "Actual Rows": 1,
    "Actual Loops": 1,
    "Actual Total Time": 50.0,
    "Plans": [
        {
            "Node Type": "Seq Scan",
            "Relation Name": "part",
            "Alias": "part",
            "Startup Cost": 0.0,
            "Total Cost": 80.0,
            "Plan Rows": 10,
            "Plan Width": 8,
            "Actual Rows": 4000,
            "Actual Loops": 1,
            "Actual Total Time": 45.0,
            "Filter": "(size > 3)",
        }
    ],
}
REWRITE = NewRewrite(
    database="app",
    template_key="k",
    template="select avg(price) from part",
    original="select avg(price)\nfrom part",
    replacement="select avg(price)\nfrom only part",
    level=Level.PROVED,
    modulo=("tie-order",),
    evidence={"assumptions": ["not null part(price)"], "steps": ["q1 semijoin at 1", "q1 semijoin at 2"]},
    plans={"plan": {"trees": {"before": PLAN}}, "other": ["semantic: unnest (the average is computed once)"]},
)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


def at_a_terminal(*words_: str) -> str:
    """What a command writes to both of its streams where they are a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rewright", *words_], stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        process.wait(60)
    os.close(leader)
    return b"".join(parts).decode()


def test_a_rewrite_is_told_in_words(url: str) -> None:
    with open_store(url) as store:
        one = store.rewrites.add(REWRITE)
        store.events.add([Event(one.id, "job", "reasoning", {"candidates": 2})])
    said = CliRunner().invoke(rewright, ["show", str(one.id), "--store", url]).output
    for part in (
        words.STATES[one.state.value],
        "- the average is computed once",
        "- Reading 4,000 rows of part: 90% of the time.",
        "-FROM part",
        "+FROM ONLY part",
        "tie-order: With ties in ORDER BY",
        "It relies on NOT NULL on price of part. If it is dropped, price may be NULL in a row of part",
        "- in the original: a join that only asks whether a row exists becomes EXISTS (2 times)",
        "\nplan of the original\n  Aggregate: 1 row (1 estimated), 50.0 ms, 10%\n",
        "Filter: (size > 3)",
        "the estimate is off by a factor of 400",
        'reasoning  {"candidates": 2}',
    ):
        assert part in said, part


@pytest.mark.parametrize("command", ["show", "show --json", "log", "log --json", "show of nothing"])
def test_nothing_steers_the_terminal(command: str, url: str) -> None:
    text = f"select '{STEERING}'"
    with open_store(url) as store:
        one = store.rewrites.add(
            replace(
                REWRITE,
                original=text,
                replacement=text,
                template=text,
                hints=STEERING,
                evidence={"assumptions": [STEERING], "counterexample": {"script": text}},
                plans={"other": [STEERING], "plan": {"trees": {"before": PLAN | {"Alias": STEERING}}}},
            )
        )
        store.events.add([Event(one.id, "job", "reasoning", {"said": STEERING})])
        store.log.add(
            [LogEntry(at=1e9, database="app", role=STEERING, query=text, reason=STEERING, route="as is")]
        )
    name, *rest = command.split(" ", 1)
    number = [str(one.id)] if name == "show" else []
    where = ["--store", url + STEERING] if "nothing" in command else ["--store", url]
    said = at_a_terminal(name, *number, *where, *(rest if rest == ["--json"] else []))
    assert "owned" in said
    # the heading of a table is bold; a terminal's line ends with both
    left = said.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\r\n", "\n")
    assert not {character for character in left if not (character.isprintable() or character in "\n\t")}


def test_json_is_the_same_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"text": f"naïve {STEERING} 東京 \U000e0001", "none": None}
    echo_json(document)
    said = capsys.readouterr().out
    assert json.loads(said) == document
    assert all(character.isprintable() or character == "\n" for character in said)
    assert "naïve" in said


def test_each_law_and_reservation_has_a_sentence() -> None:
    assert set(LAWS) <= set(words.LAWS)
    assert set(RESERVATIONS) == set(words.RESERVATIONS)
