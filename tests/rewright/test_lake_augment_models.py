"""AUGMENT with selectors that ask a model, in sessions with a lake: over litellm's own path to a server on
this machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.fixtures.lake_server import served_lake
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.rewright.test_lake_augment import make_files

pytestmark = [pytest.mark.server, pytest.mark.long]
SELECTOR = "AUGMENT TABLE sales TARGET revenue SELECTOR selector"
ENRICH = "AUGMENT TABLE sales TARGET revenue SELECTOR enrich"


def suggestion(body: dict[str, Any]) -> str:
    """Replies of a model that thinks of streets; what it says of a table that is not there counts nothing."""
    task = body["messages"][0]["content"]
    if "choose those" in task:
        return json.dumps({"tables": ["no_such_table", "streets"], "reason": "people buy where they walk"})
    if "Describe a table of a data lake" in task:
        return json.dumps({"join_keys": ["shop"], "joinable": True, "description": "revenue of shops"})
    return json.dumps({"description": "what shops earn"})


@pytest.fixture
def dsn(stub: Stub, tmp_path: Path) -> Iterator[str]:  # noqa: F811
    stub.answer = suggestion
    make_files(tmp_path / "files")
    models = {
        "REWRIGHT_MODELS__LAKE": "openai/stub",
        "REWRIGHT_MODELS__API_BASE": stub.url,
        "OPENAI_API_KEY": "none",
        "HOME": str(tmp_path),  # what was spent is counted there
    }
    with served_lake(tmp_path, **models) as found:
        yield found


def test_a_model_narrows_the_tables_and_may_be_switched_off(dsn: str, stub: Stub) -> None:  # noqa: F811
    with psycopg.connect(dsn, autocommit=True) as lake:
        for text in (SELECTOR, ENRICH):
            before = len(stub.requests)
            rows = lake.execute(text.encode()).fetchall()
            assert rows[0][:2] == (1, "streets")
            assert rows[0][5] > rows[0][4] + 0.5
            assert len(stub.requests) > before
        assert not any("S1009" in json.dumps(body) for body in stub.requests), "no value of the data was sent"
        before = len(stub.requests)
        lake.execute("set rewright.model = off")
        for text in (SELECTOR, ENRICH):
            with pytest.raises(psycopg.errors.FeatureNotSupported, match=r"rewright\.model is off"):
                lake.execute(text.encode())
        lake.execute("set rewright.model = on")
        told: list[str] = []
        lake.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        assert lake.execute(f"{SELECTOR} TOKENS 10".encode()).fetchall() == []
        assert len(stub.requests) == before
        assert any("not tried" in line for line in told)
        stub.answer = lambda body: "I had rather not say."
        told.clear()
        assert lake.execute(SELECTOR).fetchall() == []
        assert any("no answer" in line for line in told)
