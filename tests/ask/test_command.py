"""`rewright ask` as people type it: over a lake, with choices, in a conversation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rewright.ask.api import Asker
from rewright.ask.command import Ports, command
from rewright.ask.interactive import converse
from rewright.ask.sources.lake import LakeSource
from rewright.cli import rewright
from rewright.lake.api import open_lake
from rewright.wiring.lake_answers import SessionAnswers, served

pytestmark = pytest.mark.server

FIELDS = {
    *("question", "sql", "columns", "rows", "row_count", "truncated", "confidence", "refused", "reading"),
    *("linked", "alternatives", "tokens", "money", "seconds", "error"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("museums")
    (made / "museum.csv").write_text(
        "museum_id,name,city,founded\n1,Old Hall,Porto,1901\n2,Glass House,Porto,1950\n3,Dock,Lima,1988\n"
    )
    (made / "painting.csv").write_text(
        "painting_id,title,museum_id,price\n1,Sea,1,100\n2,Hill,2,300\n3,Rain,1,50\n4,Night,3,250\n"
    )
    return made


Invoke = Callable[..., Result]


@pytest.fixture(scope="module")
def dsn(folder: Path) -> Iterator[str]:
    """Of one server behind the lake, for all tests."""
    with open_lake(folder) as lake, served(lake) as address:
        yield address


@pytest.fixture(scope="module")
def source(folder: Path, dsn: str) -> Iterator[LakeSource]:
    with open_lake(folder) as lake, closing(SessionAnswers(lake, dsn)) as answers:
        yield LakeSource(lake, "museums", answers)


@pytest.fixture
def invoke(dsn: str) -> Invoke:
    """The command, with the lake's server."""
    ports = Ports(lambda lake: closing(SessionAnswers(lake, dsn)))

    def run(*arguments: str, told: str | None = None) -> Result:
        return CliRunner().invoke(command, arguments, obj=ports, input=told)

    return run


def test_a_lake_is_asked_as_a_database_is(folder: Path, invoke: Invoke) -> None:
    asked = invoke("--lake", str(folder), "--json", "How many paintings are there in each museum?")
    document = json.loads(asked.stdout)
    assert set(document) == FIELDS
    assert sorted(document["rows"]) == [["Dock", 1], ["Glass House", 1], ["Old Hall", 2]]
    assert "lake" not in document["sql"], "a lake has no schemas"
    assert document["linked"]["tables"] == ["painting", "museum"]
    # a question that looks like an option, or that others must not see
    told = invoke("--lake", str(folder), "--json", "-", told="How many paintings are there in each museum?\n")
    # the question asks for no order, and DuckDB's threads have none
    assert sorted(json.loads(told.stdout)["rows"]) == sorted(document["rows"])


def test_lines_keep_their_order_and_their_ids(folder: Path, tmp_path: Path, invoke: Invoke) -> None:
    file = tmp_path / "questions.jsonl"
    lines = [
        '{"id": 7, "question": "How many museums are there?"}',
        "Why?",
        '{"question": 5}',
        "{",
        "",
        '{"id": 8}',
    ]
    file.write_text("\n".join(lines) + "\n")
    asked = invoke("--lake", str(folder), "--batch", str(file))
    documents = [json.loads(line) for line in asked.stdout.splitlines()]
    assert [one.get("id") for one in documents] == [7, None, None, None, None, 8]
    assert [bool(one["refused"]) for one in documents] == [False, True, True, True, True, True]
    assert documents[4]["refused"] == "an empty question"


def test_a_batch_that_is_no_text_is_answered_line_by_line(
    folder: Path, tmp_path: Path, invoke: Invoke
) -> None:
    file = tmp_path / "questions"
    file.write_bytes(b"\xff\xfe\nWhich museums are in Porto?\n")
    asked = invoke("--lake", str(folder), "--batch", str(file))
    assert [bool(json.loads(line)["refused"]) for line in asked.stdout.splitlines()] == [True, False]


def test_the_best_that_tie_are_all_shown_on_a_lake(folder: Path, invoke: Invoke) -> None:
    question = "Which museum has the most paintings?"
    asked = invoke("--lake", str(folder), "--json", question)
    found = json.loads(asked.stdout)
    assert found["rows"] == [["Old Hall"]], found


def test_readings_that_are_not_sure_are_shown(folder: Path, invoke: Invoke) -> None:
    arguments = ["--lake", str(folder), "--confidence", "0.999", "which museums are in Porto?"]
    refused = invoke(*arguments)
    assert refused.exit_code == 1
    assert "not answered" in refused.stderr
    shown = invoke("--choose", *arguments)
    assert "1. " in shown.stderr
    assert "select museum.name" in shown.stderr
    assert not shown.stdout, "nobody chose"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--dsn", "dbname=x"],
        ["why?"],
        ["--dsn", "dbname=x", "--lake", ".", "why?"],
        ["--lake", ".", "why?", "--batch", __file__],
        ["--lake", "/nowhere", "why?"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments, env={"REWRIGHT_DSN": ""}).exit_code == 2


def typed(*lines: str) -> Callable[[str], str]:
    left = list(lines)

    def read(_prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return read


def test_a_conversation(source: LakeSource, capsys: pytest.CaptureFixture[str]) -> None:
    asker = Asker(source, follows=True)
    lines = ("\\e", "which museums are in Porto?", "\\e", "\\c", "1", "\\c", "9", "\\?", "")
    converse(asker, read=typed(*lines), edit=lambda sql: sql.replace("Porto", "Lima"))
    out, err = capsys.readouterr()
    assert out.splitlines() == ["name", "Old Hall", "Glass House", "name", "Dock", "name", "Dock"]
    assert "there is no question yet" in err
    assert err.count("SQL: ") == 3


def test_a_choice_that_is_not_made_ends_nothing_else(
    source: LakeSource, capsys: pytest.CaptureFixture[str]
) -> None:
    """The end of the input at the second prompt (Ctrl-D) takes no reading, and the conversation goes on."""
    answers = iter(["which museums are in Porto?", "\\c", None, "which museums are in Lima?"])

    def read(_prompt: str) -> str:
        said = next(answers, None)
        if said is None:
            raise EOFError
        return said

    converse(Asker(source, follows=True), read=read)
    assert capsys.readouterr().out.splitlines() == ["name", "Old Hall", "Glass House", "name", "Dock"]


def test_a_refused_question_leaves_the_query_before_it(
    source: LakeSource, capsys: pytest.CaptureFixture[str]
) -> None:
    asker = Asker(source, follows=True)
    lines = ("which museums are in Porto?", "which museums are happy?", "\\e", "\\q")
    converse(asker, read=typed(*lines), edit=lambda sql: sql.replace("Porto", "Lima"))
    out, err = capsys.readouterr()
    assert "not answered" in err
    assert out.splitlines() == ["name", "Old Hall", "Glass House", "name", "Dock"]


def test_an_edited_query_is_judged_as_any_other(
    source: LakeSource, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = lambda _sql: "copy museum to '/tmp/x'"  # noqa: E731 - a person's editor
    converse(
        Asker(source, follows=True), read=typed("which museums are in Porto?", "\\e", "\\q"), edit=edited
    )
    assert "only SELECT may run" in capsys.readouterr().err


def test_a_question_may_look_like_an_option(folder: Path) -> None:
    words = ["ask", "--config", str(folder / "rewright.toml"), "--json", "--lake", str(folder)]
    (folder / "rewright.toml").write_text("")
    for question in ("--help", "--documents=/etc/passwd", "--config=x", "--"):
        asked = CliRunner().invoke(rewright, [*words, "--", question])
        assert json.loads(asked.stdout)["question"] == question
        assert asked.exit_code == 1
    assert CliRunner().invoke(rewright, [*words, "How many museums are there?"]).exit_code == 0
    assert "QUESTION" in CliRunner().invoke(rewright, ["ask", "--help"]).stdout
