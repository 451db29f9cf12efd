"""The console in a real browser: by mouse and by keyboard, narrow and wide, light and dark, with a screen
reader's eyes.

Screenshots stay in .local/console. Debian's Chromium is installed by tests/install_system.sh.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from rewright.store.api import Store, open_store
from tests.console.conftest import app_of, fill

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]
# a browser beside other tests on two cores may take long over a page; what never comes fails all the same
expect.set_options(timeout=30_000)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SHOTS = Path(__file__).resolve().parents[2] / ".local" / "console"
PAGES = {
    "overview": "/",
    "rewrites": "/rewrites",
    "rewrite": "/rewrites/2",
    "queries": "/queries",
    "log": "/log",
}
PAGES |= {"asked": "/asked", "question": "/asked/1", "knowledge": "/knowledge", "unit": "/knowledge/join/one"}
PAGES |= {"settings": "/settings", "lake": "/lake", "resolutions": "/resolutions"}
PAGES |= {"refuted": "/rewrites/3"}
WIDTHS = (360, 1280, 1600)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("console") / "store.db")) as opened:
        fill(opened)
        yield opened


@pytest.fixture(scope="module")
def address(shared: Store) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    app: Any = app_of(shared)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listener.close()


def signed_in(browser: Browser, address: str, password: str = "correct horse", **settings: Any) -> Page:
    page = browser.new_context(**settings).new_page()
    page.goto(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    return page


def test_a_rewrite_is_read_and_approved(browser: Browser, address: str, shared: Store) -> None:
    page = signed_in(browser, address)
    page.get_by_role("link", name="Rewrites").click()
    page.get_by_label("State").select_option("proposed")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("2 rewrites").first).to_be_visible()
    page.get_by_role("link", name="1", exact=True).click()
    expect(page.get_by_text("There is a proof that both queries give the same rows")).to_be_visible()
    page.get_by_label("Reason").fill("looked at")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("It is served in place of the original (approved by a person)")).to_be_visible()
    assert shared.rewrites.get(1).reason == "looked at"
    page.context.close()


def test_by_keyboard_alone(browser: Browser, address: str, shared: Store) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}/rewrites")
    # the password field gets the focus when the page is drawn; keys typed before that go nowhere
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type("correct horse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Rewrites")).to_be_visible()
    # the script that listens for "/" runs once the page is parsed
    page.wait_for_load_state("domcontentloaded")
    page.keyboard.press("/")
    expect(page.locator("input[name=q]")).to_be_focused()
    page.keyboard.type("select")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=select**")
    tab_to(page, "a", "2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Rewrite 2")).to_be_visible()
    tab_to(page, "button", "Pin")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is served, and stays even where it is slower")).to_be_visible()
    assert shared.rewrites.get(2).state.value == "pinned"
    page.context.close()


def tab_to(page: Page, tag: str, text: str) -> None:
    """Press Tab until an element of this kind with this text has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "[document.activeElement.tagName.toLowerCase(), document.activeElement.innerText]"
        )
        if found == [tag, text]:
            return
    raise AssertionError(f"no {tag} {text} can be reached by Tab")


def test_the_log_is_followed(browser: Browser, address: str, shared: Store) -> None:
    from rewright.store.records import LogEntry

    page = signed_in(browser, address)
    page.goto(f"{address}/log")
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("button", name="Following (stop)")).to_be_visible()
    hostile = "<b id=hacked>select a from t</b>"
    turned = 'select "\u202eb"'
    shared.log.add(
        [LogEntry(at=time.time(), database="app", route="rewritten", rewrite_id=2, template=hostile)]
    )
    expect(page.get_by_text(hostile)).to_be_visible(timeout=10_000)
    assert page.locator("#hacked").count() == 0
    shared.log.add([LogEntry(at=time.time(), database="app", route="original", template=turned)])
    expect(page.get_by_text(r'select "\u202eb"')).to_be_visible(timeout=10_000)
    page.context.close()


@pytest.mark.parametrize("part", [0, 1])
def test_every_page_fits_and_is_accessible(browser: Browser, address: str, part: int) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    # axe is put into the page by a script of its own
    page = signed_in(browser, address, bypass_csp=True)
    for name, path in list(PAGES.items())[part::2]:
        looked_at(page, name, f"{address}{path}")
    page.context.close()


# pixels: a row of a list on a telephone, with a query, what became of it, and who sent it
ROW = 450


def test_lists_are_read_on_a_telephone(browser: Browser, address: str) -> None:
    page = signed_in(browser, address, viewport={"width": 360, "height": 800})
    for name in ("rewrites", "queries", "log", "knowledge", "settings", "resolutions"):
        page.goto(f"{address}{PAGES[name]}")
        rows = page.locator("tbody tr:visible")
        heights = rows.evaluate_all("rows => rows.map((row) => row.offsetHeight)")
        assert heights
        assert max(heights) < ROW, name
        outside = "cells => cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).length"
        assert page.locator("tbody td:visible").evaluate_all(outside) == 0, name
    page.goto(f"{address}{PAGES['log']}")
    shown = page.locator("#log td").first
    assert shown.evaluate("cell => getComputedStyle(cell, '::before').content") == '"When"'
    page.goto(f"{address}{PAGES['settings']}")
    # a name of two lines stands beside one of a value, and above nothing of the next row
    shown = page.locator("tbody td[data-label='A change counts from']").first
    assert shown.evaluate("cell => cell.offsetHeight") > 30
    page.goto(f"{address}{PAGES['rewrite']}")
    # one text below the other, each in its own order
    tops = page.locator(".diff code").evaluate_all(
        "lines => lines.map((line) => [line.closest('td').cellIndex, line.getBoundingClientRect().top])"
    )
    assert max(top for side, top in tops if side == 0) < min(top for side, top in tops if side == 1)
    page.context.close()


def test_plots_are_read_on_a_telephone(browser: Browser, address: str) -> None:
    """The newest of the plot is seen without scrolling, in letters that can be read."""
    page = signed_in(browser, address, viewport={"width": 360, "height": 800})
    for path in ("/", "/rewrites/2"):
        page.goto(address + path)
        plots = page.locator("svg.plot:visible")
        assert plots.count() == page.locator("svg.plot").count() / 2 > 0
        for plot in plots.all():
            box = plot.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
            letters = plot.evaluate("svg => svg.querySelector('text').getBoundingClientRect().height")
            assert letters >= 9, (path, letters)
    page.context.close()


def test_words_of_a_list_are_not_broken(browser: Browser, address: str) -> None:
    page = signed_in(browser, address, viewport={"width": 1280, "height": 800})
    for path in ("/log", "/queries"):
        page.goto(f"{address}{path}")
        for one in page.locator("td.nowrap").all():
            assert one.evaluate("cell => cell.getClientRects().length && cell.offsetHeight") < 120
            assert one.evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    assert page.locator("td.nowrap").count()
    page.context.close()


def test_who_is_not_signed_in_meets_accessible_pages_too(browser: Browser, address: str) -> None:
    page = browser.new_context(bypass_csp=True).new_page()
    looked_at(page, "sign-in", f"{address}/sign-in")
    page.get_by_label("Password").fill("a wrong one")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert not grave_violations(page)
    page.context.close()
    page = signed_in(browser, address, bypass_csp=True)
    looked_at(page, "not-found", f"{address}/rewrites/4711")
    page.context.close()


def looked_at(page: Page, name: str, address: str) -> None:
    """A page at every width in both schemes: harmless, no wider than the window, readable for all; kept as
    pictures.
    """
    page.goto(address)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert not (grave := grave_violations(page)), (name, width, scheme, grave)
            page.screenshot(path=SHOTS / f"{name}-{width}-{scheme}.png", full_page=True)


def grave_violations(page: Page) -> list[tuple[str, str]]:
    """What a screen reader's users, or who sees badly, would stumble over."""
    return [
        (one["id"], one["nodes"][0]["html"])
        for one in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


def test_nothing_is_loaded_from_elsewhere(browser: Browser, address: str) -> None:
    page = signed_in(browser, address)
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    for path in PAGES.values():
        page.goto(f"{address}{path}")
    assert asked
    assert all(url.startswith(address) for url in asked)
    assert not complaints
    assert page.evaluate("window.hacked") is None
    page.context.close()
