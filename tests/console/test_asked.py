"""The pages of questions: what became of them, their steps, and what was learned, to
be removed by an admin.
"""

from __future__ import annotations

import pytest

from rewright.store.api import Store
from rewright.store.records import AskSeen
from tests.console.conftest import SECRET
from tests.console.test_pages import client, token


def test_what_became_of_questions(store: Store) -> None:
    store.asks.add(AskSeen("app", "bob", "How many moons?", refused="no table of moons", tokens=7))
    store.asks.add(AskSeen("app", "bob", "How many suns?", "select 1", error="the server is gone"))
    viewer = client(store, password="look only", literals=True)
    document = viewer.get("/asked.json").json()
    assert [(one["id"], one["became"]) for one in document["asked"]] == [
        (3, "failed"),
        (2, "refused"),
        (1, "answered"),
    ]
    for became, number in (("failed", 3), ("refused", 2), ("answered", 1)):
        found = viewer.get("/asked.json", params={"became": became}).json()["asked"]
        assert [one["id"] for one in found] == [number]
    assert viewer.get("/asked.json", params={"became": "sung"}).json()["total"] == 0
    most = viewer.get("/asked.json", params={"sort": "-tokens"}).json()["asked"]
    assert [one["tokens"] for one in most] == [120, 7, 0]
    assert "no table of moons" in viewer.get("/asked").text
    assert "money" in viewer.get("/asked.csv").text.splitlines()[0]


def test_a_question_with_its_steps(store: Store) -> None:
    viewer = client(store, password="look only", literals=True)
    (step,) = viewer.get("/asked/1.json").json()["steps"]
    assert (step["stage"], step["tokens"]) == ("generation", 40)
    assert SECRET in step["text"]
    assert viewer.get("/asked/77").status_code == 404
    hidden = client(store, password="look only").get("/asked/1.json").json()
    assert hidden["asked"]["question"] == "<withheld>"
    assert hidden["asked"]["sql"].startswith("select ? from")
    assert hidden["steps"][0] == step | {"text": "", "sql": ""}


def test_words_of_hidden_questions_can_not_be_searched_for(store: Store) -> None:
    for literals, found in ((False, 0), (True, 1)):
        viewer = client(store, password="look only", literals=literals)
        assert viewer.get("/asked.json", params={"q": SECRET}).json()["total"] == found


@pytest.mark.parametrize("kind", ["lessons", "validated"])
def test_an_admin_removes_what_was_learned(store: Store, kind: str) -> None:
    button = f'action="/asked/{kind}/1/remove"'
    assert button not in client(store, password="look only").get("/asked").text
    admin = client(store, password="correct horse")
    page = admin.get("/asked").text
    assert button in page
    form = {"csrf": token(page), "reason": "wrong since spring"}
    assert admin.post(f"/asked/{kind}/1/remove", data=form).headers["location"] == "/asked"
    assert admin.get("/asked.json").json()[kind] == []
    assert admin.post(f"/asked/{kind}/77/remove", data=form).status_code == 404
    assert admin.post("/asked/rewrites/1/remove", data=form).status_code == 404
    removed = store.ask_lessons.read()[0]
    told = (removed.status, removed.reason, removed.changed_by)
    assert kind == "validated" or told == ("removed", "wrong since spring", "console: admin")
