"""Knowledge units on their pages, by the units that come with Rewright."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from rewright.console.app import Ports, create_app
from rewright.store.api import Store
from rewright.wiring.unit_pages import MOST_FOUND, UnitPages
from tests.console.conftest import RULES, SECRET
from tests.console.test_pages import client


def test_units_are_searched_and_read(store: Store, tmp_path: Path) -> None:
    units = UnitPages(str(tmp_path / "store.db"))
    ports = Ports(health=lambda: (True, {}), metrics=lambda: b"", units=units.search, unit=units.one)
    app: Any = create_app(store, ports, RULES)
    viewer = TestClient(app, base_url="http://localhost:6480", follow_redirects=False)
    viewer.post("/sign-in", data={"password": "look only"})
    everything = viewer.get("/knowledge.json").json()["units"]
    assert len(everything) > MOST_FOUND
    found = viewer.get("/knowledge.json", params={"q": "NOT IN with a subquery that may be null"}).json()[
        "units"
    ]
    assert 0 < len(found) <= MOST_FOUND
    assert "subquery" in {one["category"] for one in found[:5]}
    assert all(one["why"] for one in found)
    unit = units.one(found[0]["id"])
    assert unit is not None
    page = viewer.get(f"/knowledge/{found[0]['id']}")
    assert page.status_code == 200
    assert "When it holds" in page.text
    document = viewer.get(f"/knowledge/{found[0]['id']}.json").json()["unit"]
    assert document["preconditions"] == unit["preconditions"]
    assert document["evidence"]["verdict"] == unit["evidence"]["verdict"]
    assert viewer.get("/knowledge/join/none-of-them").status_code == 404
    assert viewer.get("/knowledge.json", params={"q": "zzyzx qwertz"}).json()["units"] == []


def test_constants_of_own_units_are_literals_too(store: Store) -> None:
    hidden = client(store, password="look only").get("/knowledge/join/one.json").json()["unit"]
    assert SECRET not in hidden["before"]
    whole = client(store, password="look only", literals=True).get("/knowledge/join/one.json").json()
    assert SECRET in whole["unit"]["before"]


def test_strangers_are_not_told_which_units_there_are(store: Store) -> None:
    for name in ("one", "none"):
        assert client(store).get(f"/knowledge/join/{name}").status_code == 303
        assert client(store).get(f"/knowledge/join/{name}.json").status_code == 401
