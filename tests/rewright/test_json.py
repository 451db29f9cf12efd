"""docs/reference/json.md names every field of our documents, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.cli.documents import acceptance_document, decision_document, log_document, rewrite_document
from rewright.knowledge.units import UNITS
from rewright.store.life import State
from rewright.store.records import LogEntry, NewRewrite, Resolution, Rewrite
from tests.rewright.json_page import PAGE, documented

PROPOSAL = NewRewrite("app", "k", "t", "o", "r")
REWRITE = Rewrite(1, PROPOSAL, State.PROPOSED, False, "", "", 0.0, 0.0)


def test_log() -> None:
    assert documented("rewright log --json") == set(log_document(LogEntry(at=0.0, database="app")))


def test_show() -> None:
    assert documented("rewright show ID --json") == set(rewrite_document(REWRITE, []))


def test_decisions() -> None:
    assert documented("rewright approve ID --json") == set(decision_document(REWRITE))
    assert documented("rewright accept ID --json") == set(acceptance_document(Resolution("lake", "a", "b")))


def commands(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, f"{before} {name}")
        else:
            yield f"{before} {name}", found


def test_every_command_that_prints_a_document_is_on_the_page() -> None:
    named = set(re.findall(r"^## (rewright [a-z -]+[a-z])", PAGE, re.MULTILINE))
    named |= set(re.findall(r"`(rewright [a-z -]+)`", PAGE))
    printing = {
        name
        for name, command in commands(rewright, "rewright")
        if any("--json" in option.opts for option in command.params)
    }
    assert len(printing) > 25
    assert not printing - {name.removesuffix(" --json") for name in named}


@pytest.fixture(scope="module")
def museums(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("museums")
    lines = [
        "id,name,city,price",
        *(f"{n},museum {n},{'Paris' if n % 2 else 'Rome'},${n}.50" for n in range(1, 9)),
    ]
    (folder / "museums.csv").write_text("\n".join(lines))
    (folder / "museums_2023.csv").write_text("\n".join(lines))
    visits = ["museum_id,year,visitors", *(f"{1 + n % 8},{2015 + n % 5},{n * 7}" for n in range(20))]
    (folder / "visits.csv").write_text("\n".join(visits))
    return str(folder)


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("index", ()),
        ("tables", ()),
        ("search-table", ("museum",)),
        ("search-value", ("museums", "Paris")),
        ("union", ("museums",)),
        ("join-path", ("museums", "visits")),
        ("build-cte", ("museums",)),
        ("query", ("select nam from museums",)),
    ],
)
def test_lakes(museums: str, verb: str, words: tuple[str, ...]) -> None:
    (document, *_) = printed("lake", verb, museums, *words)
    assert set(document) == documented(f"rewright lake {verb} --json")
    if verb == "query":
        assert set(document["resolution"]) == documented("The resolution of a lake query")


def test_knowledge() -> None:
    (document,) = printed("knowledge", "search", "distinct inside of in", "-k", "1")
    assert set(document) == documented("rewright knowledge search --json")


@pytest.mark.server
def test_knowledge_that_is_run(tmp_path: Path) -> None:
    (document,) = printed("knowledge", "check", "subquery/in-with-distinct", "--no-measure")
    assert set(document) == documented("rewright knowledge check --json")
    unit = (UNITS / "subquery" / "in-with-distinct.toml").read_text()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(unit.replace("IN (SELECT i.product_id", "NOT IN (SELECT i.product_id"))
    (refused,) = printed("knowledge", "add", str(wrong), "--own", str(tmp_path / "own"), code=1)
    assert set(refused) == set(document["units"][0]) == documented("rewright knowledge add --json")
    assert refused["problem"]


def printed(*words: str, code: int = 0) -> list[dict[str, Any]]:
    """The objects of a document, which is one or a list of them."""
    found = CliRunner().invoke(rewright, [*words, "--json"])
    assert found.exit_code == code, found.output
    document = json.loads(found.stdout)
    return document if isinstance(document, list) else [document]
