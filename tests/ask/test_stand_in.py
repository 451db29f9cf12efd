"""The stand-in for a model that the measurements of the pipeline's parts use: it errs as often as it is told to,
and is asked through litellm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.ask_ablations import configurations
from bench.ask_models import chosen, run, summary
from bench.ask_stand_in import Rates, StandIn, stood_in
from bench.model_server import served
from rewright.ask.pipeline_settings import PARTS, PipelineSettings
from rewright.engines.postgres.scratch import ScratchServer
from rewright.models.litellm_client import LiteLlm, Price
from tests.ask.scripted import SCHEMA
from tests.models.conftest import imported  # noqa: F401 - a fixture

pytestmark = pytest.mark.server

RIGHT = Rates(1, 1, 1, 1, 1)
GOLD = {
    "How many museums stand in the town Porto?": "select count(*) from museum where city = 'Porto'",
    "Titles by artists of the land Portugal": (
        "select title from painting join artist using (artist_id) where country = 'Portugal'"
    ),
    "How heavy is the Sea?": "",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("stand_in")
    (made / "sql").mkdir()
    (made / "sql" / "museum.sql").write_text(SCHEMA)
    lines = [
        json.dumps(
            {
                "id": str(number),
                "db": "museum",
                "question": asked,
                "answerable": bool(gold),
                "gold_sql": gold,
                "difficulty": "",
            }
        )
        for number, (asked, gold) in enumerate(GOLD.items())
    ]
    (made / "questions.jsonl").write_text("\n".join(lines) + "\n")
    return made


@pytest.fixture
def stand_in(scratch_server: ScratchServer, folder: Path) -> Iterator[StandIn]:
    with stood_in(scratch_server, folder, RIGHT) as made:
        yield made


def told(
    server: ScratchServer, folder: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, **more: Any
) -> dict[str, Any]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with served(stand_in.reply) as url:
        name = "openai/stand-in"
        model = LiteLlm({"default": name}, api_base=url, prices={name: Price(0.0, 0.0)})
        settings = PipelineSettings(share="samples", **{"without": frozenset({"reader"}), **more})
        return summary(run(server, folder, chosen(folder, "both", None), model, settings))


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("small", [2_500, 0])
def test_one_that_never_errs_gets_all(
    scratch_server: ScratchServer,
    folder: Path,
    stand_in: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    small: int,
) -> None:
    found = told(scratch_server, folder, stand_in, monkeypatch, small_tokens=small)
    assert (found["EX (Spider)"], found["unanswerable refused"], found["errors"]) == (1, 1, 0)
    assert (found["SRR"] == 1) or small
    assert stand_in.calls > 6


@pytest.mark.usefixtures("imported")
def test_one_that_writes_wrong_is_mended_only_after_criticism(
    scratch_server: ScratchServer, folder: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in.rates = Rates(1, 0, 1, 1, 1)
    found = told(scratch_server, folder, stand_in, monkeypatch)
    assert (found["EX (Spider)"], found["vote"]) == (1, 0)
    stand_in.forget()
    found = told(scratch_server, folder, stand_in, monkeypatch, refinements=0)
    assert found["EX (Spider)"] == 0


@pytest.mark.usefixtures("imported")
def test_it_writes_nothing_right_of_what_it_is_not_shown(
    scratch_server: ScratchServer, folder: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in.rates = Rates(0, 1, 1, 1, 1)
    found = told(scratch_server, folder, stand_in, monkeypatch, small_tokens=0)
    assert found["EX (Spider)"] < 1


def test_each_part_is_left_out_once() -> None:
    left_out = [
        part for name, settings in configurations(8) for part in settings.without if name == f"without {part}"
    ]
    assert set(left_out) == set(PARTS) - {"lessons", "examples"}
    assert len(left_out) == len(set(left_out))
