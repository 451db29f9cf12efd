"""The web pages over the store: the log, one rewrite, why a query was not rewritten. Each also as .json.

Read-only and without passwords: whoever reaches the address sees every page, and texts without their literals unless the
configuration says otherwise (docs/guide/operation.md). Must not know processes; health and metrics come in as functions.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from rewright.sql.redaction import scrubbed, values_in, without_literals, without_values
from rewright.store.api import Store
from rewright.store.errors import NotFound, StoreError

Health = Callable[[], tuple[bool, Mapping[str, Any]]]
Metrics = Callable[[], bytes]
Shown = Callable[[dict[str, Any]], dict[str, Any]]

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
LIMIT = 200


def create_app(store: Store, *, health: Health, metrics: Metrics, literals: bool = False) -> Starlette:
    """The ASGI application. ``literals``: whether texts are shown as they were sent."""
    pages = _Pages(store, health, metrics, _whole if literals else _redacted)
    routes = [
        Route("/", pages.log),
        Route("/healthz", pages.healthz),
        Route("/metrics", pages.metrics_page),
    ]
    for path, endpoint in (
        ("/log", pages.log),
        ("/rewrites", pages.rewrites),
        ("/rewrites/{id:int}", pages.rewrite),
        ("/queries", pages.queries),
        ("/resolutions", pages.resolutions),
    ):
        routes += [Route(f"{path}.json", endpoint), Route(path, endpoint)]
    handlers: Any = {StoreError: _store_failed}
    return Starlette(routes=routes, exception_handlers=handlers)


async def _store_failed(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"the store can't be read: {error}", 503, headers=HEADERS)


class _Pages:
    """Synchronous readings of the store run in Starlette's threads."""

    def __init__(self, store: Store, health: Health, metrics: Metrics, shown: Shown) -> None:
        self._shown = shown
        self._store = store
        self._health = health
        self._metrics = metrics
        self._templates = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True
        )
        self._templates.filters |= {"when": _when, "ms": _ms, "pretty": _pretty}

    def healthz(self, _request: Request) -> Response:
        healthy, document = self._health()
        store = "ok"
        try:
            self._store.revision()
        except StoreError as error:
            store = str(error)
        # traffic passes without the store: not a reason to be restarted
        return JSONResponse({**document, "store": store}, 200 if healthy else 503)

    def metrics_page(self, _request: Request) -> Response:
        return Response(self._metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")

    def log(self, request: Request) -> Response:
        entries = list(reversed(self._store.log.read(limit=LIMIT)))
        return self._page(request, "log", "Log", entries=[self._shown(asdict(entry)) for entry in entries])

    def rewrites(self, request: Request) -> Response:
        found = self._store.rewrites.find(limit=LIMIT)
        return self._page(
            request, "rewrites", "Rewrites", rewrites=[self._shown(_rewrite(one)) for one in found]
        )

    def rewrite(self, request: Request) -> Response:
        number = request.path_params["id"]
        try:
            found = self._store.rewrites.get(number)
        except NotFound as error:
            raise HTTPException(404, str(error)) from error
        events = self._store.events.of(rewrite_id=found.id, limit=500)
        document = self._shown(_rewrite(found))
        return self._page(
            request,
            "rewrite",
            f"Rewrite {found.id}",
            rewrite=document,
            diff=_diff(document["original"], document["replacement"]),
            events=[self._shown(asdict(event)) for event in events],
            timings=[
                asdict(one)
                for side in _SIDES
                for one in self._store.rewrites.timings(found.id, side, limit=25)
            ],
        )

    def queries(self, request: Request) -> Response:
        """Why each slow query was, or was not, rewritten."""
        found = self._store.queries.read(limit=LIMIT)
        return self._page(
            request,
            "queries",
            "Slow queries, and why (not)",
            queries=[self._shown(asdict(one)) for one in found],
        )

    def resolutions(self, request: Request) -> Response:
        found = self._store.resolutions.read(limit=LIMIT)
        return self._page(
            request, "resolutions", "Resolutions", resolutions=[self._shown(asdict(one)) for one in found]
        )

    def _page(self, request: Request, template: str, title: str, **data: Any) -> Response:
        if request.url.path.endswith(".json"):
            return JSONResponse(json.loads(json.dumps(data, default=str)), headers=HEADERS)
        paused = False
        with contextlib.suppress(StoreError):
            paused = self._store.switches.paused()
        text = self._templates.get_template(f"{template}.html").render(title=title, paused=paused, **data)
        return HTMLResponse(text, headers=HEADERS)


_SIDES: Any = ("original", "replacement")
_TEXTS = frozenset({"query", "example", "template", "original", "replacement", "resolved"})
_DOCUMENTS = frozenset(
    {"evidence", "plans", "signature", "parameters", "literals", "mapping", "detail", "sources"}
)
_SENTENCES = frozenset({"reason", "hints"})


def _whole(document: dict[str, Any]) -> dict[str, Any]:
    return document


def _redacted(document: dict[str, Any]) -> dict[str, Any]:
    """A record without the values in its texts."""
    texts = [document[name] for name in _TEXTS if document.get(name)]
    values = {value for text in texts for value in values_in(text)}
    shown = dict(document)
    for name in _TEXTS & document.keys():
        shown[name] = without_literals(document[name])
    for name in _DOCUMENTS & document.keys():
        shown[name] = scrubbed(document[name], values)
    for name in _SENTENCES & document.keys():
        shown[name] = without_values(document[name], values)
    return shown


def _rewrite(one: Any) -> dict[str, Any]:
    """One flat document: the proposal and its life."""
    document = asdict(one)
    return {**document.pop("proposal"), **document}


def _diff(before: str, after: str) -> list[tuple[str, str]]:
    """(sign, line) for each line of both texts."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [(line[0], line[2:]) for line in lines if line[0] in "+- "]


def _when(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f} ms"


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
