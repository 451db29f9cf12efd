"""The web pages over the store, each also as .json and tables as .csv: routes, sign-in, security headers.

Owns HTTP alone: what pages show is in ``pages``, who may see them in ``access``. Health, metrics, pausing and
what other packages know (settings, lakes) come in as functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rewright.console import join_graph
from rewright.console import pages as shown
from rewright.console.access import COOKIE, Gate, Rules, TooManyFailures, Visitor
from rewright.console.asking import form_of, local_path, number_of
from rewright.console.guarding import Guard
from rewright.console.pages import Pages
from rewright.console.rendering import Renderer, as_csv
from rewright.store.api import Store
from rewright.store.browsing import Asked
from rewright.store.errors import NotFound, StoreError
from rewright.store.life import Action, IllegalTransition

Health = Callable[[], tuple[bool, Mapping[str, Any]]]
Metrics = Callable[[], bytes]
Rows = Callable[[], Sequence[Mapping[str, Any]]]
Pauser = Callable[[bool, str], str]
# rows of a page
PAGE = 50
# rows of a CSV file
FILE = 1000


def _none() -> Sequence[Mapping[str, Any]]:
    return ()


@dataclass(frozen=True, slots=True)
class Ports:
    """What the console is given. ``pause(paused, by)`` says in a sentence what it reached; ``units`` finds
    knowledge by words (all for none), ``unit`` is one by ``category/name``.
    ``lake_profile(database, table)``: its columns. ``optimiser``: a word for its ``state`` and a sentence
    (``told``); None where nobody knows.
    """

    health: Health
    metrics: Metrics
    settings: Rows = _none
    lake_tables: Rows = _none
    lake_joins: Rows = _none
    units: Callable[[str], Sequence[Mapping[str, Any]]] = lambda _words: ()
    unit: Callable[[str], Mapping[str, Any] | None] = lambda _id: None
    lake_profile: Callable[[str, str], Sequence[Mapping[str, Any]]] = lambda _database, _table: ()
    optimiser: Callable[[], Mapping[str, str] | None] = lambda: None
    pause: Pauser | None = None
    by: str = field(default="console")


def create_app(
    store: Store, ports: Ports, rules: Rules | None = None, *, literals: bool = False
) -> Starlette:
    """The ASGI application. ``literals``: whether texts are shown as they were sent."""
    console = _Console(store, ports, Gate(rules or Rules()), literals)
    handlers: Any = {
        StoreError: console.store_failed,
        NotFound: console.not_found,
        HTTPException: console.failed,
    }
    guard = [Middleware(Guard, gate=console.gate)]
    routes = [*_actions(console), *_pages(console)]
    return Starlette(routes=routes, exception_handlers=handlers, middleware=guard)


def _actions(console: _Console) -> list[Any]:
    return [
        Route("/healthz", console.healthz),
        Route("/metrics", console.metrics),
        Route("/sign-in", console.sign_in_page),
        Route("/sign-in", console.sign_in, methods=["POST"]),
        Route("/sign-out", console.sign_out, methods=["POST"]),
        Route("/sign-out-everybody", console.sign_out_everybody, methods=["POST"]),
        Route("/pause", console.pause, methods=["POST"]),
        Route("/rewrites/{id:int}/{action}", console.act, methods=["POST"]),
        Route("/resolutions/{id:int}/accept", console.accept, methods=["POST"]),
        Route("/asked/{kind}/{id:int}/remove", console.forget, methods=["POST"]),
        Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
    ]


def _pages(console: _Console) -> list[Any]:
    """Each page, and the same as data, under the same rules."""
    routes: list[Any] = []
    for path, endpoint, forms in (
        ("/", console.overview, (".json",)),
        ("/overview", console.overview, (".json",)),
        ("/rewrites", console.rewrites, (".json", ".csv")),
        ("/rewrites/{id:int}", console.rewrite, (".json",)),
        ("/queries", console.queries, (".json", ".csv")),
        ("/log", console.log, (".json", ".csv")),
        ("/asked", console.asked, (".json", ".csv")),
        ("/asked/{id:int}", console.question, (".json",)),
        ("/resolutions", console.resolutions, (".json", ".csv")),
        ("/lake", console.lake, (".json", ".csv")),
        ("/knowledge", console.knowledge, (".json", ".csv")),
        ("/knowledge/{category}/{name}", console.unit, (".json",)),
        ("/settings", console.settings, (".json", ".csv")),
    ):
        # "/" has no form with a suffix of its own
        routes += [Route(f"{path}{form}", endpoint) for form in forms if path != "/"]
        routes.append(Route(path, endpoint))
    return routes


class _Console:
    """Readings of the store run in Starlette's threads."""

    def __init__(self, store: Store, ports: Ports, gate: Gate, literals: bool) -> None:
        self.gate = gate
        self._store = store
        self._ports = ports
        self._pages = Pages(store, literals)
        self._renderer = Renderer(store, gate.rules.sign_in, ports.pause is not None)

    # what needs no sign-in

    def healthz(self, _request: Request) -> Response:
        healthy, document = self._ports.health()
        store = "ok"
        try:
            self._store.revision()
        except StoreError as error:
            store = str(error)
        # traffic passes without the store: not a reason to be restarted
        return JSONResponse({**document, "store": store}, 200 if healthy else 503)

    def metrics(self, _request: Request) -> Response:
        return Response(self._ports.metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")

    def sign_in_page(self, request: Request) -> Response:
        data = {"next": local_path(request.query_params.get("next", "/")), "wrong": False}
        return self._renderer.html(request, self._visitor(request), "sign_in", "Sign in", data)

    async def sign_in(self, request: Request) -> Response:
        form = await form_of(request)
        # Sec-Fetch-Site is the browser's word, which scripts cannot set; programs send none
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise HTTPException(403, "this form was not sent from this page")
        # back to the page that asked for the sign-in, and to no other site
        target = local_path(form.get("next", "/"))
        try:
            cookie = await run_in_threadpool(self.gate.sign_in, form.get("password", ""))
        except TooManyFailures as error:
            # counted over all addresses: a limit per address is no limit
            raise HTTPException(429, "too many wrong passwords; try again in a minute") from error
        if cookie is None:
            data = {"next": target, "wrong": True}
            return self._renderer.html(request, Visitor(None), "sign_in", "Sign in", data, status=403)
        answer = RedirectResponse(target, 303)
        # strict: not sent along with a link from elsewhere
        answer.set_cookie(
            COOKIE, cookie, httponly=True, samesite="strict", secure=self.gate.rules.secure, path="/"
        )
        return answer

    # pages

    def overview(self, request: Request) -> Response:
        def read() -> Mapping[str, Any]:
            return {**self._pages.overview(), "optimiser": self._ports.optimiser()}

        return self._page(request, "overview", "Overview", read, plot=lambda data: shown.saved(data["days"]))

    def rewrites(self, request: Request) -> Response:
        return self._list(
            request, "rewrites", "Rewrites", ("state", "level", "database"), self._pages.rewrites
        )

    def queries(self, request: Request) -> Response:
        return self._list(
            request, "queries", "Slow queries", ("status", "database", "role"), self._pages.queries
        )

    def log(self, request: Request) -> Response:
        after = number_of(request.query_params.get("after", "0"))
        names = ("route", "database", "role", "rewrite_id")
        return self._list(request, "log", "Log", names, lambda asked: self._pages.log(asked, after))

    def rewrite(self, request: Request) -> Response:
        number = request.path_params["id"]
        read = partial(self._pages.rewrite, number)
        return self._page(
            request,
            "rewrite",
            f"Rewrite {number}",
            read,
            plot=lambda data: shown.measured(data["timings"]),
            timeline=lambda data: shown.searched(data["trace"]),
        )

    def asked(self, request: Request) -> Response:
        names = ("became", "database", "role")
        return self._list(
            request, "asked", "Questions asked", names, self._pages.asked, also=self._pages.learned
        )

    def question(self, request: Request) -> Response:
        number = request.path_params["id"]
        return self._page(request, "question", f"Question {number}", partial(self._pages.question, number))

    def resolutions(self, request: Request) -> Response:
        names = ("accepted", "database", "role")
        return self._list(request, "resolutions", "Resolutions", names, self._pages.resolutions)

    def lake(self, request: Request) -> Response:
        given = request.query_params
        chosen = (given.get("database", ""), given.get("table", ""))

        def read() -> Mapping[str, Any]:
            profile = [dict(one) for one in self._ports.lake_profile(*chosen)] if all(chosen) else []
            return {
                "lake": list(self._ports.lake_tables()),
                "joins": list(self._ports.lake_joins()),
                "chosen": {"database": chosen[0], "table": chosen[1]},
                "profile": self._pages.profile(profile),
            }

        return self._page(
            request,
            "lake",
            "Lake tables",
            read,
            plot=lambda data: join_graph.drawn(data["joins"], chosen),
            table="lake",
        )

    def knowledge(self, request: Request) -> Response:
        text = request.query_params.get("q", "")

        def read() -> Mapping[str, Any]:
            found = list(self._ports.units(text))
            return {"q": text, "units": found, "knowledge": list(self._pages.knowledge())}

        return self._page(request, "knowledge", "Knowledge", read, table="knowledge")

    def unit(self, request: Request) -> Response:
        id_ = f"{request.path_params['category']}/{request.path_params['name']}"
        visitor = self._visitor(request)
        # who may not look is not told which there are
        found = self._ports.unit(id_) if visitor.role is not None else {}
        if found is None:
            raise HTTPException(404, "no such unit")
        title = str(found.get("title", "Knowledge"))
        return self._page(request, "unit", title, partial(self._pages.unit, found))

    def settings(self, request: Request) -> Response:
        return self._rows(request, "settings", "Settings", self._ports.settings)

    # changes

    async def act(self, request: Request) -> Response:
        form = await self._change(request)
        number, name = request.path_params["id"], request.path_params["action"]
        # of the life cycle, these are a person's
        if name not in {"approve", "pin", "reject", "retire"}:
            raise HTTPException(404, "no such action")
        # bounded: it is shown on pages and kept for good
        reason = form.get("reason", "").strip()[:1000]
        act = partial(self._store.rewrites.act, reason=reason, by=self._by(request))
        try:
            await run_in_threadpool(act, number, Action(name))
        except IllegalTransition as error:
            raise HTTPException(409, str(error)) from error
        return _done(request, f"/rewrites/{number}", {"id": number, "action": name})

    async def accept(self, request: Request) -> Response:
        await self._change(request)
        number = request.path_params["id"]
        await run_in_threadpool(self._store.resolutions.accept, number)
        return _done(request, "/resolutions", {"id": number, "action": "accept"})

    async def forget(self, request: Request) -> Response:
        """Remove a lesson, or a question's query."""
        # POST alone changes anything: a link can't
        form = await self._change(request)
        number, kind = request.path_params["id"], request.path_params["kind"]
        lessons, reason = self._store.ask_lessons, form.get("reason", "").strip()[:1000]
        if kind == "lessons":
            remove: Callable[[], object] = partial(
                lessons.change, number, "removed", reason=reason, by=self._by(request)
            )
        elif kind == "validated":
            remove = partial(self._store.validated.remove, number)
        else:
            raise HTTPException(404, "no such list")
        await run_in_threadpool(remove)
        return _done(request, "/asked", {"id": number, "action": "remove"})

    async def pause(self, request: Request) -> Response:
        form = await self._change(request)
        if self._ports.pause is None:
            raise HTTPException(404, "pausing is not available here")
        # a checkbox that is off is not sent at all
        paused = form.get("paused") == "on"
        told = await run_in_threadpool(self._ports.pause, paused, self._by(request))
        return _done(request, "/", {"paused": paused, "told": told})

    async def sign_out(self, request: Request) -> Response:
        visitor = self._visitor(request)
        form = await form_of(request)
        # signing somebody out from another site would be a nuisance
        if not self.gate.form_allowed(visitor, request.headers, form.get("csrf", "")):
            raise HTTPException(403, "this form is not from your session")
        self.gate.sign_out(request.cookies)
        return _signed_out()

    async def sign_out_everybody(self, request: Request) -> Response:
        await self._change(request)
        self.gate.sign_out_everybody()
        return _signed_out()

    # failures

    async def store_failed(self, _request: Request, error: Exception) -> Response:
        return PlainTextResponse(f"the store can't be read: {error}", 503)

    async def not_found(self, request: Request, error: Exception) -> Response:
        return await self.failed(request, HTTPException(404, str(error)))

    async def failed(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.url.path.endswith((".json", ".csv")) or "application/json" in request.headers.get(
            "accept", ""
        ):
            return JSONResponse({"error": error.detail}, error.status_code)
        # programs get the error in their own form
        data = {"detail": error.detail}
        title = HTTPStatus(error.status_code).phrase
        render = partial(self._renderer.html, status=error.status_code)
        return await run_in_threadpool(render, request, self._visitor(request), "error", title, data)

    # helpers

    def _by(self, request: Request) -> str:
        """The user who changes something, as the store keeps it: by which sign-in of the console."""
        return f"{self._ports.by}: {self._visitor(request).name}"

    def _visitor(self, request: Request) -> Visitor:
        return self.gate.visitor(request.headers, request.cookies)

    async def _change(self, request: Request) -> Mapping[str, str]:
        """The form of somebody who may change something. Raises HTTPException."""
        visitor = self._visitor(request)
        if visitor.role is None:
            # 401 tells a program to sign in, 403 that it is of no use
            raise HTTPException(401, "sign in first")
        if not visitor.admin:
            raise HTTPException(403, "only an admin may do this; see [http] admin_password")
        form = await form_of(request)
        if not self.gate.form_allowed(visitor, request.headers, form.get("csrf", "")):
            raise HTTPException(403, "this form is not from your session; open the page again")
        return form

    def _page(
        self,
        request: Request,
        template: str,
        title: str,
        read: Callable[[], Mapping[str, Any]],
        *,
        table: str = "",
        **plots: Callable[[Mapping[str, Any]], Any],
    ) -> Response:
        """``plots``: pictures of what is read, by the names that the template gives them."""
        visitor = self._visitor(request)
        path = request.url.path
        if visitor.role is None:
            # programs cannot follow a redirect to a form
            if path.endswith((".json", ".csv")):
                raise HTTPException(401, "sign in, or send Authorization: Bearer with the token")
            wanted = f"{path}?{request.url.query}" if request.url.query else path
            return RedirectResponse(f"/sign-in?{urlencode({'next': wanted})}", 303)
        data = read()
        if path.endswith(".json"):
            # dates, enums and decimals as texts
            return JSONResponse(json.loads(json.dumps(data, default=str)))
        if path.endswith(".csv"):
            return StreamingResponse(as_csv(data[table]), media_type="text/csv; charset=utf-8")
        pictures = {name: draw(data) for name, draw in plots.items()}
        return self._renderer.html(request, visitor, template, title, {**data, **pictures})

    def _rows(self, request: Request, name: str, title: str, read: Rows) -> Response:
        return self._page(request, name, title, lambda: {name: list(read())}, table=name)

    def _list(
        self,
        request: Request,
        name: str,
        title: str,
        filters: Sequence[str],
        read: Callable[[Asked], tuple[Iterable[dict[str, Any]], int]],
        *,
        also: Callable[[], Mapping[str, Any]] = dict,
    ) -> Response:
        """A page of a list. ``also``: what stands beside it, in the page and in JSON."""
        given = request.query_params
        # what is no number is the first page
        page = max(number_of(given.get("page", "1")), 1)
        # a table for a spreadsheet has more rows than a page
        size = FILE if request.url.path.endswith(".csv") else PAGE
        asked = Asked(
            text=given.get("q", ""),
            values={one: given.get(one, "") for one in filters},
            sort=given.get("sort", ""),
            offset=(page - 1) * size,
            limit=size,
        )

        def document() -> Mapping[str, Any]:
            rows, total = read(asked)
            chosen = {one: value for one, value in (asked.values or {}).items() if value}
            return {
                name: rows if size == FILE else list(rows),
                "total": total,
                "page": page,
                # rounded up
                "pages": max(-(-total // size), 1),
                "q": asked.text,
                "sort": asked.sort,
                "filters": chosen,
                **also(),
            }

        return self._page(request, name, title, document, table=name)


def _signed_out() -> Response:
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(COOKIE, path="/")
    return answer


def _done(request: Request, target: str, document: Mapping[str, Any]) -> Response:
    """To a browser the page that changed, to a program what was done."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse(dict(document))
    return RedirectResponse(target, 303)


__all__ = ["Ports", "create_app"]
