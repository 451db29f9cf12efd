"""The doctor asks a configured model a word, and says what to do where none comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.config.model import Config, Models, StoreSection
from rewright.doctor import Finding, examine
from rewright.wiring import modelling


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modelling, "LEDGER", str(tmp_path / "tokens.json"))


def said(tmp_path: Path, *, ask: bool = True, **models: Any) -> list[Finding]:
    config = Config(store=StoreSection(url=str(tmp_path / "store.db")), models=Models(**models))
    return [one for one in examine(config, ask_model=ask) if one.subject == "model"]


def test_each_model_is_asked_once(stub: Any, tmp_path: Path) -> None:
    stub.answer = lambda _body: "ready"
    names = {"default": "openai/plain", "reasoning": "openai/thinker", "ask": "openai/plain"}
    found = said(tmp_path, api_base=stub.url, **names)
    assert sorted(one["model"] for one in stub.requests) == ["plain", "thinker"]
    assert [one.status for one in found] == ["ok", "ok"]
    assert "openai/plain answered in " in found[0].message
    assert "today 120" in found[0].message


def test_a_model_that_refuses(stub: Any, tmp_path: Path) -> None:
    stub.statuses = [401]
    (found,) = said(tmp_path, api_base=stub.url, default="openai/stub")
    assert found.status == "failed"
    assert "does not answer" in found.message
    assert any(line.startswith("export OPENAI_API_KEY=") for line in found.remedy)


def test_a_model_that_thinks_too_long(stub: Any, tmp_path: Path) -> None:
    stub.answer, stub.finish = (lambda _body: ""), "length"
    (found,) = said(tmp_path, api_base=stub.url, default="openai/stub")
    assert (found.status, found.remedy) == ("note", ("set max_tokens in [models]",))


def test_a_model_over_its_budget_is_not_asked(stub: Any, tmp_path: Path) -> None:
    (found,) = said(tmp_path, api_base=stub.url, default="openai/stub", daily_tokens=1)
    assert found.status == "note"
    assert "was not asked" in found.message
    assert stub.requests == []


def test_nothing_is_sent_unless_it_is_wanted(stub: Any, tmp_path: Path) -> None:
    (found,) = said(tmp_path, ask=False, api_base=stub.url, default="openai/stub")
    assert "not asked" in found.message
    (none,) = said(tmp_path)
    assert (none.status, stub.requests) == ("ok", [])
