"""Which tables of a lake are drawn, where, and what is said of their joins."""

from __future__ import annotations

import itertools
from typing import Any

from rewright.console.join_graph import MOST_TABLES, drawn
from rewright.store.api import Store
from tests.console.conftest import SCRIPT
from tests.console.test_pages import client


def join(a: str, b: str, strength: float = 0.5) -> dict[str, Any]:
    return {"database": "d", "a": a, "b": b, "strength": strength, "columns": [["id", "ref", strength]]}


def test_a_small_lake_is_drawn_whole() -> None:
    joins = [join("a", "b", 0.9), join("b", "c"), join("x", "y")]
    found = drawn(joins)
    assert [one["name"] for one in found["nodes"]] == ["a", "b", "c", "x", "y"]
    assert found["left_out"] == {"tables": 0, "joins": 0}
    assert found["chosen"] is None
    assert found["lines"][0]["wide"] > found["lines"][1]["wide"]
    assert found["lines"][0]["told"] == "a.id = b.ref (0.90)"
    assert found == drawn(joins)
    for one in found["nodes"]:
        assert 0 < one["x"] < found["width"]
        assert 0 < one["y"] < found["height"]
    for one, two in itertools.combinations(found["nodes"], 2):
        assert abs(one["x"] - two["x"]) + abs(one["y"] - two["y"]) > 20


def test_a_large_lake_by_neighbourhoods() -> None:
    star = [join("hub", f"t{n:03}", n / 100) for n in range(99)]
    chain = [join(f"t{n:03}", f"t{n + 1:03}", 0.3) for n in range(98)]
    found = drawn([*chain, *star])
    assert found["chosen"] == ("d", "hub")
    assert len(found["nodes"]) == MOST_TABLES
    # those that it joins best
    assert {"hub", "t098", "t040"} <= {one["name"] for one in found["nodes"]}
    assert "t001" not in {one["name"] for one in found["nodes"]}
    assert found["left_out"]["tables"] == 100 - MOST_TABLES
    near = drawn([*chain, *star], ("d", "t001"))
    assert [one["name"] for one in near["nodes"]] == ["hub", "t000", "t001", "t002"]
    assert drawn([*chain, *star], ("d", "nowhere")) == found


def test_nothing_to_draw() -> None:
    assert drawn([])["nodes"] == []


def test_the_page_draws_hostile_names_as_text(store: Store) -> None:
    viewer = client(store, password="look only")
    page = viewer.get("/lake").text
    assert page.count("<circle") == 3
    assert SCRIPT not in page
    near = viewer.get("/lake", params={"database": "lake", "table": "t3"}).text
    assert near.count("<circle") == 2
    assert "The whole lake" in near
    assert len(viewer.get("/lake.json").json()["joins"]) == 2
