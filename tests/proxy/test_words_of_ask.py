"""ASK as people type it: how its question is quoted, and what is said where it can't be read."""

from __future__ import annotations

import pytest

from rewright.proxy.answers.questions import read_question


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("ask $$how many donors' gifts?$$", "how many donors' gifts?"),
        ("ask E'it\\'s 5'", "it's 5"),
        ("ask U&'d\\00e9j\\00e0'", "déjà"),
        ("ask 'a'\n'b'", "ab"),
        ("-- why\nask 'x' -- that\n;", "x"),
    ],
)
def test_every_string_of_the_server_is_a_question(text: str, asked: str) -> None:
    found = read_question(text)
    assert found is not None
    assert (found.text, found.problem) == (asked, "")


@pytest.mark.parametrize(
    "text", ["ask how many?", 'ask "how many?"', "ask ‘how many?’", "ask ('x')", "ask $1", "ask: 'x'"]
)
def test_a_question_without_its_quotes_is_told_how(text: str) -> None:
    found = read_question(text)
    assert found is not None
    assert found.problem.startswith("syntax error at or near ")
    assert "single quotes" in found.problem
    assert found.sqlstate == "42601"


def test_nothing_behind_ask() -> None:
    found = read_question("ask")
    assert found is not None
    assert found.problem.startswith("syntax error at end of input: a question stands in single quotes")


@pytest.mark.parametrize(
    "text", ["explain analyze ask 'x'", "explain verbose ask 'x'", "EXPLAIN ANALYZE VERBOSE ASK 'x'"]
)
def test_an_explained_question_does_not_run(text: str) -> None:
    found = read_question(text)
    assert found is not None
    assert "does not run the answer" in found.problem
    assert found.sqlstate == "22023"


@pytest.mark.parametrize(
    "text",
    ["explain analyze select 1", "explain verbose select ask from t", "asks 'x'", "explain analyze asked", "select ask('x')"],
)  # fmt: skip
def test_other_statements_are_left_alone(text: str) -> None:
    assert read_question(text) is None
