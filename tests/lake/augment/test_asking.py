"""Selectors that ask a model, on scripted replies: what it is shown, what its words count for, what tokens
are spent on.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.augment_ablations import ablations
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import Asking, AugmentError, BaseSpec, Options, augment
from rewright.lake.augment.blocks import Block
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.history import Helped, History, alike, helped_by
from rewright.lake.embedding import CachedEmbedder
from rewright.models.api import ModelTimeout, Reply, Request, Role, Usage

SPEC = BaseSpec("sales", "revenue")
SELECTOR = Options(selector="selector", similar=9, sets=3)


class Scripted:
    """Answers by a function of what is shown; remembers what it was asked."""

    def __init__(self, answer: Callable[[dict[str, Any]], dict[str, Any] | str]) -> None:
        self._answer = answer
        self.shown: list[dict[str, Any]] = []
        self.tokens = 0

    def available(self, role: Role) -> bool:
        return role == "lake"

    def complete(self, request: Request) -> Reply:
        shown = json.loads(request.messages[1].text)
        self.shown.append(shown)
        answer = self._answer(shown)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        usage = Usage(request.characters() // 4, len(text) // 4)
        self.tokens += usage.tokens
        return Reply(text, usage)

    def names(self) -> list[list[str]]:
        return [[one["name"] for one in shown["tables"]] for shown in self.shown]


def knows(*wanted: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A selector that chooses these where it sees them."""
    return lambda shown: {
        "tables": [one["name"] for one in shown["tables"] if one["name"] in wanted],
        "reason": "x",
    }


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    """Sales that streets explain, and eight tables of noise with the same key."""
    home = tmp_path_factory.mktemp("asking")
    folder = home / "lake"
    folder.mkdir()
    chance = random.Random(5)
    shops = [f"S{i * 37 + 1009}" for i in range(120)]
    signal = [chance.gauss(0, 1) for _ in shops]
    tables: dict[str, tuple[str, list[float]]] = {
        "sales": ("revenue", [20 + 4 * s + chance.gauss(0, 1) for s in signal]),
        "streets": ("footfall", [100 + 9 * s for s in signal]),
    }
    for word in ("wind", "trees", "lamps", "dogs", "roofs", "doors", "birds", "clocks"):
        tables[f"{word}_list"] = (word, [chance.gauss(3, 1) for _ in shops])
    for name, (column, values) in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            rows = [[k, round(v, 4)] for k, v in zip(shops, values, strict=True)]
            csv.writer(file).writerows([["shop", column], *rows])
    with open_lake(folder, catalog=home / "c.db", embedder=embedder) as opened:
        opened.graph()
        yield opened


def test_survivors_of_one_set_are_shown_with_the_next(lake: Lake) -> None:
    model = Scripted(knows("streets", "dogs_list"))
    report = augment(lake, SPEC, SELECTOR, model=Asking(model))
    assert report.added[0].table == "streets"
    assert report.tokens == model.tokens > 0
    told = model.names()
    assert len(told) == 3
    first = next(i for i, names in enumerate(told) if "streets" in names)
    assert all("streets" in names for names in told[first:])
    assert set().union(*map(set, told)) == {t.name for t in lake.tables()} - {"sales"}


def test_only_tables_that_were_shown_count(lake: Lake) -> None:
    model = Scripted(lambda _: {"tables": ["no_such_table", "sales", "STREETS"], "reason": "'; drop table x"})
    report = augment(lake, SPEC, SELECTOR, model=Asking(model))
    assert [added.table for added in report.added] == ["streets"]


@pytest.mark.parametrize("reply", ["I do not know.", '{"tables": 3}'])
def test_a_useless_reply_leaves_an_answer(lake: Lake, reply: str) -> None:
    report = augment(lake, SPEC, SELECTOR, model=Asking(Scripted(lambda _: reply)))
    assert report.added == ()
    assert any("no answer" in note for note in report.notes)
    assert report.ended == "budget"
    assert report.not_tried


def test_a_model_that_is_late_leaves_an_answer(lake: Lake) -> None:
    def late(_: dict[str, Any]) -> dict[str, Any]:
        raise ModelTimeout("late")

    assert augment(lake, SPEC, SELECTOR, model=Asking(Scripted(late))).added == ()


@pytest.mark.parametrize("limit", [500, 1500, 2500])
@pytest.mark.parametrize("spending", ["greedy", "value-per-token"])
def test_tokens_are_counted_before_they_are_spent(lake: Lake, limit: int, spending: Any) -> None:
    model = Scripted(knows("streets"))
    options = replace(SELECTOR, tokens=limit, spending=spending)
    report = augment(lake, SPEC, options, model=Asking(model))
    assert model.tokens <= limit
    assert report.tokens == model.tokens
    if limit == 500:
        assert not model.shown
        assert report.ended == "budget"


def test_what_is_shown_obeys_share(lake: Lake) -> None:
    earlier = (Helped("sales", "revenue", "streets", "", (), 0.625, 0.5, 0.7, True, "ours"),)
    shown = {}
    for share in ("schema", "statistics", "samples"):
        model = Scripted(knows("streets"))
        augment(lake, SPEC, replace(SELECTOR, sets=1), model=Asking(model, share), earlier=earlier)
        shown[share] = json.dumps(model.shown)
    values = lake.execute("SELECT shop FROM sales").rows
    assert not any(str(value) in shown["schema"] + shown["statistics"] for (value,) in values)
    assert "120" not in shown["schema"]
    assert "0.625" not in shown["schema"]
    assert "0.625" in shown["statistics"]
    assert any(str(value) in shown["samples"] for (value,) in values)


def test_what_helped_most_and_least_is_told(lake: Lake) -> None:
    earlier = (
        Helped("sales", "revenue", "streets", "", (), 0.6, 0.5, 0.7, True, "ours"),
        Helped("sales", "revenue", "dogs_list", "", (), -0.01, -0.1, 0.1, False, "ours"),
    )
    model = Scripted(knows("streets"))
    augment(lake, SPEC, SELECTOR, model=Asking(model), earlier=earlier)
    assert model.shown[0]["helped_most_before"] == [{"target": "revenue", "table": "streets"}]
    assert model.shown[0]["helped_least_before"] == [{"target": "revenue", "table": "dogs_list"}]
    without = Scripted(knows("streets"))
    augment(lake, SPEC, replace(SELECTOR, history=False), model=Asking(without), earlier=earlier)
    assert "helped_most_before" not in without.shown[0]


def test_enrich_filters_and_takes_the_nearest_descriptions(lake: Lake) -> None:
    def answer(shown: dict[str, Any]) -> dict[str, Any]:
        if "table" not in shown:
            return {"description": "how many people pass a shop and what it earns"}
        near = shown["table"]["name"] == "streets"
        text = "how many people pass a shop" if near else "birds and the weather"
        return {"join_keys": ["shop"], "joinable": shown["table"]["name"] != "dogs_list", "description": text}

    model = Scripted(answer)
    report = augment(lake, SPEC, Options(1, selector="enrich", similar=9), model=Asking(model))
    assert [added.table for added in report.added] == ["streets"]
    assert len(model.shown) == 10
    # the question about the query table, and those about as many as the tokens suffice for
    few = Scripted(answer)
    report = augment(lake, SPEC, Options(1, selector="enrich", tokens=3000), model=Asking(few))
    assert few.tokens <= 3000
    assert report.not_tried


def test_the_ablations_run_on_any_model(lake: Lake) -> None:
    wanted = ("with history", "without history", "30 tables, 5 sets", "2000 tokens, greedy")
    rows = ablations(lake, [("A", SPEC)], Asking(Scripted(knows("streets"))), wanted)
    assert [row["variant"] for row in rows] == list(wanted)
    assert all(row["r2"] > row["baseline"] + 0.5 for row in rows[:3])
    assert rows[3]["tokens"] <= 2000


def test_without_a_model_it_is_told(lake: Lake) -> None:
    with pytest.raises(AugmentError, match="needs a model"):
        augment(lake, SPEC, SELECTOR)


def test_a_search_leaves_what_helped_and_the_next_begins_with_it(lake: Lake) -> None:
    report = augment(lake, SPEC, Options())
    learned = helped_by(report)
    assert learned[0].table == "streets"
    assert any(not one.recommended and one.gain < 0.05 for one in learned)
    looked: list[str] = []
    told = augment(
        lake, SPEC, Options(seconds=None), told=lambda table, _: looked.append(table), earlier=learned
    )
    assert looked[0] == "streets"
    assert told.r2_after == report.r2_after


def test_targets_that_are_not_alike_say_nothing(lake: Lake) -> None:
    index = lake.index
    assert alike(index, ("sales", "revenue"), ("sales", "revenue")) == 1.0
    far = alike(index, ("sales", "revenue"), ("planets", "orbital eccentricity"))
    assert far < 0.3
    one = Helped("planets", "orbital eccentricity", "streets", "", (), 0.9, 0.8, 1.0, True, "ours")
    assert History(index, "sales", "revenue", ()).prior("streets") == 0.0
    if far == 0.0:
        assert History(index, "sales", "revenue", [one]).prior("streets") == 0.0


@pytest.fixture
def two_keys(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """Footfall under the shop that has it, beside another column of shops that says nothing."""
    folder = tmp_path / "lake"
    folder.mkdir()
    chance = random.Random(7)
    shops = [f"S{i * 41 + 1013}" for i in range(120)]
    others = chance.sample(shops, len(shops))
    signal = [chance.gauss(0, 1) for _ in shops]
    sales = [[k, round(20 + 4 * s + chance.gauss(0, 1), 3)] for k, s in zip(shops, signal, strict=True)]
    counts = [[o, k, round(9 * s, 3)] for o, k, s in zip(others, shops, signal, strict=True)]
    written = (("sales", ["shop", "revenue"], sales), ("counts", ["rival", "site", "footfall"], counts))
    for name, header, rows in written:
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as opened:
        yield opened


@pytest.mark.parametrize(
    ("keys", "by", "tried"),
    [
        (["rival", "SITE"], "site", {"rival", "site"}),  # a wrong first key
        (["site"], "site", {"site"}),
        (["rival"], None, {"rival"}),
        (["no_such_column"], "site", {"rival", "site"}),
        ([], "site", {"rival", "site"}),
    ],
)
def test_enrich_joins_on_the_keys_that_the_model_names(
    two_keys: Lake, keys: list[str], by: str | None, tried: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: set[str] = set()
    block = Evaluator.block

    def seen(self: Evaluator, candidate: Candidate) -> Block:
        looked.update(b for _, b, _ in candidate.hops[0].pairs)
        return block(self, candidate)

    monkeypatch.setattr(Evaluator, "block", seen)
    model = Scripted(lambda shown: {"description": "counts", "join_keys": keys, "joinable": True})
    report = augment(two_keys, SPEC, Options(1, selector="enrich"), model=Asking(model))
    assert looked == tried
    told = [added.join_path for added in report.added if added.recommended]
    assert told == ([] if by is None else [f"sales -> counts on shop = {by}"])
