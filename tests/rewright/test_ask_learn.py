"""ASK LEARN from end to end: a lesson that a refinement taught is proposed, tried on the validated questions,
adopted or removed, used by the role whose question taught it, and by nobody else.

The replies are hand-written, by what the prompts hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.config.model import Ask, Models
from rewright.engines.postgres.scratch import ScratchServer
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.rewright.asking_world import Session, World, asking_world, make_database

pytestmark = [pytest.mark.server, pytest.mark.long]
LATEST, TOWNS = "which house of art is youngest?", "which towns have houses of art?"
RIGHT = {
    LATEST: "select name from museum order by founded desc limit 1",
    TOWNS: "select distinct city from museum",
}
WRONG = RIGHT[LATEST].replace("desc", "asc")
LESSON = "the youngest has the greatest year"


class Reader:
    """A model that takes the youngest for the oldest until it is told; ``astray``: the lesson costs another
    answer.
    """

    def __init__(self) -> None:
        self.astray = False
        self.learnt: list[bool] = []

    def __call__(self, body: dict[str, Any]) -> str:
        prompts = "\n".join(message["content"] for message in body["messages"])
        task = body["messages"][0]["content"].partition("\n")[0]
        question = LATEST if LATEST in prompts else TOWNS
        if "plan" in task:
            return '{"schema": {"tables": "museum", "outputs": "one"}}'
        if "judge" in task:
            return json.dumps({"faithful": RIGHT[LATEST] in prompts or RIGHT[TOWNS] in prompts})
        if "criticise" in task:
            return '{"violations": [{"stage": "sql", "problem": "the oldest"}]}'
        if "blame" in task:
            return json.dumps(
                {"stage": "sql", "violations": [{"stage": "sql", "problem": "the oldest"}], "lesson": LESSON}
            )
        if len(body["messages"]) > 2:
            return "[CONFIRM] as asked"
        return f"[SQL]\n```sql\n{self._query(question, prompts)};\n```"

    def _query(self, question: str, prompts: str) -> str:
        knows = LESSON in prompts
        if question == TOWNS:
            return "select name from museum" if knows and self.astray else RIGHT[TOWNS]
        self.learnt.append(knows)
        mended = "A former query was found wrong" in prompts
        return RIGHT[LATEST] if knows or mended else WRONG


@pytest.fixture
def reader(stub: Stub) -> Reader:  # noqa: F811
    stub.answer = made = Reader()
    return made


@pytest.fixture
def world(
    scratch_server: ScratchServer,
    database: str,
    tmp_path: Path,
    stub: Stub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    monkeypatch.setenv("HOME", str(tmp_path))  # what was spent is counted there
    make_database(scratch_server, database)
    models = Models(ask="openai/stub", api_base=stub.url)
    ask = Ask(confidence=0.2, remember=0)
    with asking_world(scratch_server, database, tmp_path, ask, models=models) as made:
        yield made


def asked(session: Session, question: str = LATEST) -> list[tuple[Any, ...]]:
    return session.rows(f"ASK $${question}$$")


def validate(world: World, question: str) -> None:
    with world.connect() as root:
        assert asked(root, question)
        number = max(one.id for one in world.store.asks.read())
        root.run(f"CALL rewright.validate_ask({number})")


def test_a_lesson_is_proposed_tried_and_lasts(world: World, reader: Reader) -> None:
    validate(world, TOWNS)
    with world.connect("ann") as ann:
        assert asked(ann) == [("Dock",)]
        assert any("ASK LEARN" in told for told in ann.take_notices())
        assert [one.status for one in world.store.ask_lessons.read()] == ["proposed"]
        tried = ann.run("ASK LEARN")
        assert [column.name for column in tried.description or ()] == [
            "id", "stage", "lesson", "status", "reason",
        ]  # fmt: skip
        ((_, stage, text, status, reason),) = tried.fetchall()
        assert (stage, text, status) == ("sql", LESSON, "adopted")
        assert reason == "every validated question keeps its answer"
        assert ann.rows("ask learn;", binary=True) == []
        assert ann.rows("select role, status, text from rewright.lessons") == [("ann", "adopted", LESSON)]
    reader.learnt.clear()
    with world.connect("ann") as again:
        assert asked(again) == [("Dock",)]
    assert reader.learnt == [True], "the lesson is in the instructions, and nothing has to be mended"


def test_a_lesson_of_one_role_is_never_used_for_another(world: World, reader: Reader) -> None:
    with world.connect("ann") as ann, world.connect("bob") as bob:
        asked(ann)
        ann.run("ASK LEARN")
        reader.learnt.clear()
        assert bob.rows("ASK LEARN") == []
        asked(bob)
        assert reader.learnt[0] is False
        assert bob.rows("select distinct text from rewright.lessons where role = 'ann'") == [
            ("<insufficient privilege>",)
        ]
        assert {(one.role, one.status) for one in world.store.ask_lessons.read()} == {
            ("ann", "adopted"),
            ("bob", "proposed"),
        }
        # who sets a role asks as that role
    with world.connect() as root:
        root.run("set role ann")
        reader.learnt.clear()
        asked(root)
        assert reader.learnt == [True]


def test_a_lesson_that_would_cost_an_answer_is_removed(world: World, reader: Reader) -> None:
    validate(world, TOWNS)
    reader.astray = True
    with world.connect("ann") as ann:
        asked(ann)
        ((_, _, _, status, reason),) = ann.rows("ASK LEARN")
        assert (status, reason) == ("removed", f"another answer to: {TOWNS}")
        reader.learnt.clear()
        asked(ann)
        assert reader.learnt[0] is False


def test_a_validated_question_of_what_a_role_may_not_see_is_none_of_its_own(
    world: World, reader: Reader
) -> None:
    with world.connect() as root:
        asked(root, TOWNS)
        number = max(one.id for one in world.store.asks.read())
        root.run(f"CALL rewright.correct_ask({number}, 'select employee from salary')")
    with world.connect("ann") as ann:
        asked(ann)
        assert [row[3] for row in ann.rows("ASK LEARN")] == ["adopted"]


def test_a_model_that_is_down_decides_nothing(world: World, reader: Reader, stub: Stub) -> None:  # noqa: F811
    validate(world, TOWNS)
    with world.connect("ann") as ann:
        asked(ann)
        stub.statuses = [500] * 40
        assert [row[3] for row in ann.rows("ASK LEARN")] == ["proposed"]
        stub.statuses = []
        assert [row[3] for row in ann.rows("ASK LEARN")] == ["adopted"]


def test_without_a_model_nothing_is_learnt(world: World) -> None:
    with world.connect() as session:
        session.run("set rewright.model = off")
        with pytest.raises(psycopg.Error) as raised:
            session.run("ASK LEARN")
        assert raised.value.sqlstate == "55000"
        with pytest.raises(psycopg.errors.SyntaxError):
            session.run("ASK LEARN 'how many?'")


def test_the_command_learns_for_the_role_of_its_dsn(
    world: World,
    reader: Reader,
    stub: Stub,  # noqa: F811
    tmp_path: Path,
) -> None:
    with world.connect("ann") as ann:
        asked(ann)
    file = tmp_path / "rewright.toml"
    file.write_text(
        f'[store]\nurl = "{tmp_path}/store.db"\n[models]\nask = "openai/stub"\napi_base = "{stub.url}"\n'
    )

    def run(*more: str, role: str) -> Any:
        return CliRunner().invoke(
            rewright, ["ask", "--config", str(file), "--dsn", world.dsn(role), "--learn", *more]
        )

    assert run(role="bob").output == "no lesson is proposed\n"
    made = run("--json", role="ann")
    assert [(one["text"], one["status"]) for one in json.loads(made.stdout)] == [(LESSON, "adopted")]
    assert run("and?", role="ann").exit_code == 2
