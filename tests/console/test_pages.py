"""Every page as HTML, JSON and CSV, over a store with hostile texts; sign-in, roles, forms."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from rewright.console.access import Rules
from rewright.console.rendering import as_csv
from rewright.store.api import Store
from rewright.store.life import Action, Level
from rewright.store.outcomes import SLOW
from rewright.store.records import LogEntry, Resolution
from tests.console.conftest import SCRIPT, SECRET, TURNING, app_of, proposal

PAGES = (
    "/",
    "/rewrites",
    "/rewrites/1",
    "/rewrites/2",
    "/rewrites/3",
    "/queries",
    "/log",
    "/resolutions",
    "/lake",
)
PAGES += ("/knowledge", "/settings", "/asked", "/asked/1", "/knowledge/join/one")
ACTIONS = (
    "/rewrites/1/approve",
    "/rewrites/1/reject",
    "/rewrites/2/retire",
    "/resolutions/1/accept",
    "/asked/lessons/1/remove",
    "/asked/validated/1/remove",
    "/pause",
)


def client(
    store: Store, rules: Rules | None = None, password: str = "", *, literals: bool = False
) -> TestClient:
    app: Any = app_of(store, literals=literals) if rules is None else app_of(store, rules, literals=literals)
    made = TestClient(app, base_url="http://localhost:6480", follow_redirects=False)
    if password:
        assert made.post("/sign-in", data={"password": password}).status_code == 303
    return made


def token(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("literals", [False, True])
def test_hostile_texts_are_texts(store: Store, path: str, literals: bool) -> None:
    answer = client(store, password="correct horse", literals=literals).get(path)
    assert answer.status_code == 200
    assert "<script>window" not in answer.text
    assert "<img" not in answer.text
    assert not set(TURNING) & set(answer.text)
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<style" not in answer.text
    assert answer.text.count("<script") == 1


@pytest.mark.parametrize("path", PAGES)
def test_literals_are_shown_only_where_they_may(store: Store, path: str) -> None:
    forms = (
        ("", ".json", ".csv")
        if path in {"/rewrites", "/queries", "/log", "/resolutions", "/asked"}
        else ("", ".json")
    )
    whole = client(store, password="correct horse", literals=True)
    hidden = client(store, password="correct horse")
    for form in forms:
        address = f"{'/overview' if path == '/' else path}{form}" if form else path
        assert SECRET not in hidden.get(address).text
    if path in {"/queries", "/asked", "/asked/1", "/knowledge/join/one"}:
        assert SECRET in whole.get(path).text


def test_a_literal_can_not_be_searched_for(store: Store) -> None:
    hidden = client(store, password="look only")
    assert hidden.get("/log.json", params={"q": SECRET}).json()["total"] == 0
    assert hidden.get("/queries.json", params={"q": SECRET}).json()["total"] == 0
    assert hidden.get("/queries.json", params={"q": "from T"}).json()["total"] == 1


@pytest.mark.parametrize("path", PAGES)
def test_without_a_session_there_is_nothing(store: Store, path: str) -> None:
    stranger = client(store)
    answer = stranger.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sign-in?{urlencode({'next': path})}"
    if path != "/":
        answer = stranger.get(f"{path}.json")
        assert answer.status_code == 401
        assert set(answer.json()) == {"error"}


def test_what_is_for_probes_needs_no_session(store: Store) -> None:
    stranger = client(store)
    assert stranger.get("/healthz").json()["store"] == "ok"
    assert "rewright_up" in stranger.get("/metrics").text
    assert stranger.get("/static/console.css").status_code == 200
    assert stranger.get("/static/../app.py").status_code == 404
    assert stranger.get("/static/%2e%2e/app.py").status_code == 404


@pytest.mark.parametrize("path", [*PAGES, "/healthz", "/metrics", "/static/console.css"])
def test_names_that_nobody_gave_us_are_not_answered(store: Store, path: str) -> None:
    answer = client(store, Rules()).get(path, headers={"host": "rebound.example"})
    assert answer.status_code == 421
    assert "select" not in answer.text


@pytest.mark.parametrize("path", ACTIONS)
def test_who_may_change_something(store: Store, path: str) -> None:
    before = [(one.id, one.state, one.approved) for one in store.rewrites.find()], store.switches.paused()
    stranger, viewer, admin = (
        client(store),
        client(store, password="look only"),
        client(store, password="correct horse"),
    )
    viewers = token(viewer.get("/").text)
    assert stranger.post(path, data={"paused": "on"}).status_code == 401
    assert viewer.post(path, data={"csrf": viewers, "paused": "on"}).status_code == 403
    assert admin.post(path, data={"paused": "on"}).status_code == 403
    assert admin.post(path, data={"csrf": viewers, "paused": "on"}).status_code == 403
    mine = token(admin.get("/").text)
    foreign = {"sec-fetch-site": "cross-site"}
    assert admin.post(path, data={"csrf": mine, "paused": "on"}, headers=foreign).status_code == 403
    assert admin.get(path).status_code in {404, 405}
    now = [(one.id, one.state, one.approved) for one in store.rewrites.find()], store.switches.paused()
    assert now == before
    assert not store.resolutions.read()[0].accepted
    assert (store.validated.read()[0].id, store.ask_lessons.read()[0].status) == (1, "proposed")
    assert admin.post(path, data={"csrf": mine, "paused": "on"}).status_code == 303


def test_a_person_decides(store: Store) -> None:
    admin = client(store, password="correct horse")
    page = admin.get("/rewrites/1").text
    assert "With ties in ORDER BY" in page
    assert "NOT NULL on a of public.t" in page
    assert "(2 times)" in page
    given = {"csrf": token(page), "reason": "checked by hand"}
    assert admin.post("/rewrites/1/approve", data=given).headers["location"] == "/rewrites/1"
    found = store.rewrites.get(1)
    assert (found.state.value, found.approved, found.reason, found.changed_by) == (
        "active",
        True,
        "checked by hand",
        "console: admin",
    )
    assert "checked by hand" in admin.get("/rewrites/1").text
    # what is refuted nobody can activate
    assert admin.post("/rewrites/3/approve", data=given).status_code == 409
    assert admin.post("/rewrites/3/destroy", data=given).status_code == 404
    assert admin.post("/rewrites/77/approve", data=given).status_code == 404
    assert admin.post("/rewrites/99999999999999999999/approve", data=given).status_code == 404


def test_what_is_refuted_waits_for_nobody(store: Store) -> None:
    admin = client(store, password="correct horse")
    overview = admin.get("/overview.json").json()
    assert [one["id"] for one in overview["waiting"]] == [1]
    assert overview["to_decide"] == 1
    page = admin.get("/rewrites/3").text
    assert 'formaction="/rewrites/3/approve"' not in page
    assert 'formaction="/rewrites/3/pin"' not in page
    assert "waits for a person" not in page
    # every button that is offered works
    offered = admin.get("/rewrites/3.json").json()["buttons"]
    assert offered
    for number, name in enumerate(offered, 30):
        fresh = store.rewrites.add(proposal(number, level=Level.REFUTED)).id
        answer = admin.post(f"/rewrites/{fresh}/{name}", data={"csrf": token(page)})
        assert answer.status_code == 303, name


def test_what_was_slower_is_told_among_many_that_were_not(store: Store) -> None:
    slow = 0
    for number in range(10, 22):
        found = store.rewrites.add(proposal(number))
        action = Action.EXPIRE if number == 10 else Action.RETIRE
        store.rewrites.act(found.id, action, reason="for some reason", by="test")
        slow = found.id if action is Action.EXPIRE else slow
    told = client(store, password="look only").get("/overview.json").json()["regressions"]
    assert [one["id"] for one in told] == [slow]


def test_the_overview_tells_why_in_words_and_what_the_optimiser_does(store: Store) -> None:
    store.queries.set_status("app", "k", "nothing", "volatile function random()")
    viewer = client(store, password="look only")
    (slow,) = viewer.get("/overview.json").json()["unimproved"]
    assert slow["outcome"] == "not optimised: volatile function random()"
    for path in ("/", "/queries"):
        assert "not optimised: volatile function random()" in viewer.get(path).text
    assert "2 queries wait" in viewer.get("/").text


def test_resolutions_are_filtered_and_paged_and_tell_other_readings(store: Store) -> None:
    for number in range(70):
        store.resolutions.add(Resolution("other", f"select {number}", "select 1", {}, None, number / 70))
    store.resolutions.accept(1)
    viewer = client(store, password="look only")
    first = viewer.get("/resolutions.json", params={"database": "other", "sort": "-confidence"}).json()
    assert (first["total"], first["pages"], len(first["resolutions"])) == (70, 2, 50)
    assert first["resolutions"][0]["query"] == "select ?"
    (accepted,) = viewer.get("/resolutions.json", params={"accepted": "yes"}).json()["resolutions"]
    assert [one["sql"] for one in accepted["understood"]["alternatives"]] == ["select ?"]
    assert viewer.get("/resolutions.json", params={"accepted": "perhaps"}).json()["total"] == 0
    # words of queries are literals, too: they are searched only where they are shown
    assert viewer.get("/resolutions.json", params={"q": "select 69"}).json()["total"] == 0
    shown = client(store, password="look only", literals=True)
    assert shown.get("/resolutions.json", params={"q": "select 69"}).json()["total"] == 1


def test_a_lake_table_with_its_profile(store: Store) -> None:
    at = {"database": "lake", "table": SCRIPT}
    page = client(store, password="look only").get("/lake", params=at).text
    assert "2 of 4,711" in page
    assert SECRET not in page
    assert "<script>window" not in page
    assert SECRET in client(store, password="look only", literals=True).get("/lake", params=at).text


def test_a_program_decides(store: Store) -> None:
    program = client(store)
    headers = {"authorization": "Bearer for-programs", "accept": "application/json"}
    assert program.post("/rewrites/1/pin", headers=headers).json() == {"id": 1, "action": "pin"}
    assert store.rewrites.get(1).state.value == "pinned"
    assert store.rewrites.get(1).changed_by == "console: token"
    assert program.get("/rewrites.json", headers=headers).json()["total"] == 3
    wrong = {"authorization": "Bearer for-programmers", "accept": "application/json"}
    assert program.post("/rewrites/1/retire", headers=wrong).status_code == 401


def test_pausing(store: Store) -> None:
    admin = client(store, password="correct horse")
    mine = token(admin.get("/").text)
    admin.post("/pause", data={"csrf": mine, "paused": "on"})
    assert store.switches.paused()
    assert "Paused: every query runs as it is written" in admin.get("/rewrites").text
    admin.post("/pause", data={"csrf": mine, "paused": "off"})
    assert not store.switches.paused()


def test_without_passwords_pages_are_read_and_nothing_changes(store: Store) -> None:
    everybody = client(store, Rules())
    assert everybody.get("/rewrites/1").status_code == 200
    for path in ACTIONS:
        assert everybody.post(path, data={"paused": "on"}).status_code == 403


def test_signing_in_goes_only_to_our_own_pages(store: Store) -> None:
    for target in (
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "evil",
        "/\n/x",
    ):
        answer = client(store).post("/sign-in", data={"password": "look only", "next": target})
        assert answer.headers["location"] == "/"
    answer = client(store).post("/sign-in", data={"password": "look only", "next": "/log"})
    assert answer.headers["location"] == "/log"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client(store).post("/sign-in", data={"password": "wrong"}).status_code == 403
    foreign = {"sec-fetch-site": "cross-site"}
    assert client(store).post("/sign-in", data={"password": "look only"}, headers=foreign).status_code == 403


def test_signing_out(store: Store) -> None:
    admin = client(store, password="correct horse")
    assert admin.post("/sign-out", data={"csrf": "x"}).status_code == 403
    assert admin.post("/sign-out", data={"csrf": token(admin.get("/").text)}).status_code == 303
    assert admin.get("/log").status_code == 303


def test_signing_everybody_out_is_an_admins(store: Store) -> None:
    viewer = client(store, password="look only")
    assert viewer.post("/sign-out-everybody", data={"csrf": token(viewer.get("/").text)}).status_code == 403
    assert viewer.get("/log").status_code == 200
    admin = client(store, password="correct horse")
    assert admin.post("/sign-out-everybody", data={"csrf": "x"}).status_code == 403
    assert 'action="/sign-out-everybody"' in admin.get("/settings").text
    assert admin.post("/sign-out-everybody", data={"csrf": token(admin.get("/").text)}).status_code == 303
    assert admin.get("/log").status_code == 303


@pytest.mark.parametrize(
    "body",
    [b"x" * 70_000, b"\xff\xfe=1", b"&".join(b"a%d=1" % n for n in range(50)), b"csrf"],
    ids=["large", "bytes", "fields", "no value"],
)
def test_forms_that_are_none(store: Store, body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client(store, password="correct horse").post(
        "/rewrites/1/approve", content=body, headers=headers
    )
    assert answer.status_code in {400, 403, 413}
    json_body = client(store, password="correct horse").post("/rewrites/1/approve", json={"csrf": "x"})
    assert json_body.status_code == 415


def test_lists_are_filtered_sorted_and_paged(store: Store) -> None:
    now = time.time()
    store.log.add(
        [
            LogEntry(at=now, database="app", route="rewritten", template=f"select {n}", duration_ms=float(n))
            for n in range(120)
        ]
    )
    viewer = client(store, password="look only")
    first = viewer.get("/log.json", params={"route": "rewritten", "sort": "-duration_ms"}).json()
    assert (first["total"], first["pages"], len(first["log"])) == (120, 3, 50)
    assert first["log"][0]["duration_ms"] == 119
    last = viewer.get("/log.json", params={"route": "rewritten", "sort": "-duration_ms", "page": "3"}).json()
    assert [one["duration_ms"] for one in last["log"]] == [float(n) for n in range(19, -1, -1)]
    assert viewer.get("/log.json", params={"rewrite_id": "1"}).json()["total"] == 1
    newest = viewer.get("/log.json").json()["log"][0]["id"]
    assert viewer.get("/log.json", params={"after": newest - 3}).json()["total"] == 3
    for wrong in (
        {"page": "x"},
        {"page": "-5"},
        {"page": "9" * 30},
        {"sort": "nonsense"},
        {"rewrite_id": "1 or 1=1"},
    ):
        assert viewer.get("/log", params=wrong).status_code == 200
    assert viewer.get("/rewrites.json", params={"state": "active"}).json()["total"] == 1
    assert viewer.get("/rewrites.json", params={"q": "%"}).json()["total"] == 0


def test_the_log_tells_what_became_of_a_slow_query(store: Store) -> None:
    entry = LogEntry(at=time.time(), database="app", template="select 2", template_key="k", reason=SLOW)
    store.log.add([entry])
    store.queries.set_status("app", "k", "nothing", "volatile function random()")
    for read in (
        store.log.read()[-1].reason,
        client(store, Rules()).get("/log.json").json()["log"][0]["reason"],
    ):
        assert read == "not optimised: volatile function random()"


def test_tables_are_spreadsheets_too(store: Store) -> None:
    store.log.add([LogEntry(at=1.0, database="app", role="=cmd|' /C calc'!A0", template="select 1")])
    answer = client(store, password="look only").get("/log.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 2
    assert any(row["role"].startswith("'=cmd") for row in rows)
    for path in ("/rewrites", "/queries", "/asked", "/resolutions", "/lake", "/knowledge", "/settings"):
        assert client(store, password="look only").get(f"{path}.csv").status_code == 200


def test_a_long_file_is_sent_while_it_is_made() -> None:
    made = list[int]()

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(1000):
            made.append(number)
            yield {"number": number, "text": "=1+1"}

    pieces = as_csv(rows())
    first = next(pieces)
    assert first.startswith("number,text\r\n0,'=1+1\r\n")
    assert len(made) < 100
    assert len(list(csv.reader(io.StringIO(first + "".join(pieces))))) == 1001
    assert list(as_csv([])) == ["\r\n"]


def test_pages_of_a_file_follow_each_other(store: Store) -> None:
    store.log.add([LogEntry(at=1.0, database="app", template=f"select {n}") for n in range(1200)])
    viewer = client(store, password="look only")
    files = [viewer.get("/log.csv", params={"page": page}).text for page in (1, 2)]
    numbers = [row["id"] for text in files for row in csv.DictReader(io.StringIO(text))]
    assert len(numbers) == len(set(numbers)) == 1201


def test_the_time_saved(store: Store) -> None:
    document = client(store, password="look only").get("/overview.json").json()
    assert document["served"] == 5
    assert document["saved_ms"] == pytest.approx(5 * 891.0)
    assert document["days"][-1]["served"] == 5
    assert document["states"] == {"proposed": 2, "active": 1, "pinned": 0, "retired": 0, "rejected": 0}
    json.dumps(document)


def test_a_correlated_subplan_carries_the_work(store: Store) -> None:
    page = client(store, password="look only").get("/rewrites/1").text
    assert "A subquery was computed again for each of an estimated 89 rows" in page
    assert ": 89% of the estimated cost." in page


def test_a_store_that_is_gone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from rewright.store.browsing import Browsing
    from rewright.store.errors import StoreUnavailable

    def gone(*_: object, **__: object) -> None:
        raise StoreUnavailable("disk I/O error")

    monkeypatch.setattr(Browsing, "log", gone)
    assert client(store, password="look only").get("/log").status_code == 503
    assert store.rewrites.act(1, Action.APPROVE).approved
