"""ASK with a model behind it, over litellm's own path to a server on this machine: what it costs, and what of
it is let through.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.config.model import Ask, Models
from rewright.engines.postgres.scratch import ScratchServer
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.rewright.asking_world import World, asking_world, make_database

pytestmark = [pytest.mark.server, pytest.mark.long]
VOLCANOES = "ASK 'how many houses of art are there near volcanoes?'"


@pytest.fixture
def world(
    scratch_server: ScratchServer,
    database: str,
    tmp_path: Path,
    stub: Stub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    monkeypatch.setenv("HOME", str(tmp_path))  # what was spent is counted there
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    make_database(scratch_server, database)
    models = Models(ask="openai/stub", api_base=stub.url)
    with asking_world(scratch_server, database, tmp_path, Ask(confidence=0.2), models=models) as made:
        yield made


def saying(sql: str) -> Any:
    def answer(body: dict[str, Any]) -> str:
        task = body["messages"][0]["content"].partition("\n")[0]
        if "plan" in task:
            return '{"schema": {"tables": "museum", "outputs": "number"}}'
        if "judge" in task:
            return '{"faithful": "yes"}'
        return "[CONFIRM] museums counted" if len(body["messages"]) > 2 else f"[SQL]\n```sql\n{sql};\n```"

    return answer


def test_a_model_reads_what_nobody_else_does_once(world: World, stub: Stub) -> None:  # noqa: F811
    stub.answer = saying("select count(*) as museums from museum")
    with world.connect() as session:
        assert session.rows(VOLCANOES) == [(3,)]
        assert session.take_notices()[1] == "read as: museums counted"
        calls = len(stub.requests)
        assert calls > 0
        assert session.rows(VOLCANOES, binary=True) == [(3,)]
        assert len(stub.requests) == calls, "the same question on the same catalog costs nothing"
        spent = session.rows("select tokens, trajectory from rewright.asks order by id")
        assert spent[0][0] > 0
        assert "asked" in spent[0][1]
        assert spent[1][0] == 0
        explained = session.rows(f"EXPLAIN {VOLCANOES}")
        assert any(line.startswith("Step 1: ") for (line,) in explained)
        assert not any("Porto" in repr(body) for body in stub.requests), "no value of the data was sent"
        calls = len(stub.requests)
        session.run("set rewright.model = off")
        with pytest.raises(psycopg.Error) as raised:
            session.run(VOLCANOES)
        assert raised.value.sqlstate == "22023"
        assert len(stub.requests) == calls
        # what a model makes is judged as anything else
        session.run("set rewright.model = on")
        stub.answer = saying("select pg_sleep(60), lo_import('/etc/passwd'); drop table museum")
        with pytest.raises(psycopg.Error):
            session.run("ASK 'how many volcanoes are near houses of art?'")
        assert session.rows("select count(*) from museum") == [(3,)]


def test_a_correction_is_an_example_for_questions_like_it(world: World, stub: Stub) -> None:  # noqa: F811
    asked = "ASK 'how many houses of art stand on hills?'"
    stub.answer = saying("select count(*) as museums from museum")
    with world.connect() as root, world.connect("ann") as ann:
        assert ann.rows(asked) == [(3,)]
        calls = len(stub.requests)
        for question, query in (
            (VOLCANOES, "select count(*) from museum where founded < 1960"),
            ("ASK 'how many houses of art pay Zebulon on hills?'", "select amount from salary"),
        ):
            root.rows(question)
            number = max(one.id for one in world.store.asks.read())
            root.run(f"CALL rewright.correct_ask({number}, $$" + query + "$$)")
        calls = len(stub.requests)
        assert ann.rows(asked) == [(3,)]
        sent = [repr(body) for body in stub.requests[calls:]]
        assert sent, "what was remembered was remembered without the examples"
        told = [text for text in sent if "select count(*) from museum where founded < \u2026" in text]
        assert len(told) >= 2, "in the plan's prompt and in the query's"
        assert not any("salary" in text or "Zebulon" in text for text in sent), "ann may not read it"
