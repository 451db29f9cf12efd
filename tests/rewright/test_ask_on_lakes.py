"""A model's query over a lake means one thing: what is explored, the answer on the command line, the answer of a
session. All are PostgreSQL's.
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
from tests.fixtures.lake_server import served_lake
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures

pytestmark = [pytest.mark.server, pytest.mark.long]

MODELS = """
[models]
ask = "openai/stub"
api_base = "{url}"
share = "samples"
"""
QUERIES = {
    "volcano": "select 7 / 2 as n, count(*) / 2 as half from shops",
    "glacier": "select 100.0 * count(*) filter (where open) / nullif(count(*), 0) as share from shops",
    "geyser": "select count(*) filter (where open) / count(*) * 100 as share from shops",
    "lagoon": "select city from shops order by visitors desc limit 1",
    "canyon": "select extract(year from opened), opened - date '2020-01-01' from shops where city ~ '^U'",
}
GIVEN: dict[str, list[list[Any]]] = {
    "volcano": [[3, 1]],
    "glacier": [[66.6667]],
    "geyser": [[0]],
    "lagoon": [["Bonn"]],
    "canyon": [[2024, 1465]],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    rows = (
        "city,visitors,opened,open\nUlm,7,2024-01-05,true\nBonn,,2023-02-01,false\nKiel,4,2021-02-01,true\n"
    )
    (tmp_path / "files" / "shops.csv").write_text(rows)
    return tmp_path


@pytest.fixture
def session(home: Path, stub: Stub) -> Iterator[psycopg.Connection[Any]]:  # noqa: F811
    """A session with the lake, a model behind it that says what `QUERIES` holds."""
    stub.answer = scripted
    more = MODELS.replace("{url}", stub.url)
    with (
        served_lake(home, more, HOME=str(home), OPENAI_API_KEY="none") as dsn,
        psycopg.connect(dsn, autocommit=True) as made,
    ):
        yield made


def scripted(body: dict[str, Any]) -> str:
    """Hand-written: an exploration first, then the query that the question's noun stands for."""
    task = body["messages"][0]["content"].partition("\n")[0]
    said = body["messages"][-1]["content"]
    if "plan" in task:
        return '{"schema": {"tables": "shops", "outputs": "number"}}'
    if "judge" in task:
        return '{"faithful": "yes"}'
    if len(body["messages"]) == 2:
        return "[EXPLORE]\nselect 7 / 2 as seven_halves;"
    if "seven_halves" in said:
        asked = body["messages"][1]["content"].partition("Question: ")[2].partition("\n")[0]
        noun = next(one for one in QUERIES if one in asked)
        return f"[SQL]\n```sql\n{QUERIES[noun]}\n```"
    return "[CONFIRM] as it says"


def rounded(rows: Any) -> list[list[Any]]:
    """JSON has decimals as texts."""
    return [[v if str(v).isalpha() else round(float(v), 4) for v in row] for row in rows]


def test_one_meaning(
    home: Path,
    session: psycopg.Connection[Any],
    stub: Stub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    questions = [f"what is told of the {noun}?" for noun in GIVEN]
    (home / "questions").write_text("\n".join(questions))
    words = ["--config", str(home / "rewright.toml"), "--lake", str(home / "files")]
    asked = CliRunner().invoke(rewright, ["ask", *words, "--batch", str(home / "questions")])
    told = [rounded(json.loads(line)["rows"]) for line in asked.stdout.splitlines()]
    assert told == list(GIVEN.values())
    in_session = [rounded(session.execute(f"ASK '{question}'").fetchall()) for question in questions]
    assert in_session == told
    prompts = [message["content"] for body in stub.requests for message in body["messages"]]
    assert any("PostgreSQL" in text for text in prompts)
    assert not any("DuckDB" in text for text in prompts)
    explored = [text for text in prompts if "seven_halves" in text and "3" in text]
    assert explored
    assert not any("3.5" in text for text in explored), "explorations mean what the answer means"


def test_a_query_that_takes_too_long_is_stopped(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rewright.ask.execution import ExecutionError, Limits
    from rewright.ask.sources.lake import LakeSource
    from rewright.lake.api import open_lake
    from rewright.wiring.lake_answers import session_answers

    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    endless = " cross join ".join(f"(select 1 from generate_series(1, 4000)) t{n}" for n in range(3))
    with open_lake(home / "files") as lake, session_answers(lake) as answers:
        source = LakeSource(lake, "shops", answers, limits=Limits(seconds=30, rows=2))
        for query in (f"select count(*) from shops, {endless}", f"select count(*) from {endless}"):
            with pytest.raises(ExecutionError, match="timeout") as caught:
                source.run(query, seconds=0.5)
            assert caught.value.sqlstate == "57014"
        cities = source.run("select city from shops order by city")
        assert (cities.rows, cities.truncated) == ((("Bonn",), ("Kiel",)), True)
