"""Documents as HTML and CSV. Every value is hostile text: the templates escape, and formulas in CSV are
defused.
"""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from rewright.console.access import Visitor
from rewright.console.showing import visible
from rewright.console.words import proposers
from rewright.store.api import Store
from rewright.store.browsing import Became
from rewright.store.errors import StoreError
from rewright.store.life import Level, State
from rewright.store.records import QueryStatus, Route

# the first characters that a spreadsheet takes for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# rows of a CSV file that are sent together
_PIECE = 50
# what a list can be filtered by: column, and the values that it may have
CHOICES: Mapping[str, Sequence[str]] = {
    "route": get_args(Route),
    "status": get_args(QueryStatus),
    "state": tuple(State),
    "level": tuple(Level),
    "became": tuple(Became),
}
NAVIGATION = (
    ("/", "Overview"),
    ("/rewrites", "Rewrites"),
    ("/queries", "Slow queries"),
    ("/log", "Log"),
    ("/asked", "Asked"),
    ("/lake", "Lake"),
    ("/resolutions", "Resolutions"),
    ("/knowledge", "Knowledge"),
    ("/settings", "Settings"),
)


class Renderer:
    """Fills the templates. ``sign_in``: whether there are passwords; ``pausing``: whether the switch is
    offered.
    """

    def __init__(self, store: Store, sign_in: bool, pausing: bool) -> None:
        self._store = store
        self._sign_in = sign_in
        self._pausing = pausing
        self._templates = environment()

    def html(
        self,
        request: Request,
        visitor: Visitor,
        template: str,
        title: str,
        data: Mapping[str, Any],
        *,
        status: int = 200,
    ) -> HTMLResponse:
        """A page."""
        paused = False
        with contextlib.suppress(StoreError):
            paused = self._store.switches.paused()
        path = request.url.path

        def address(**changed: object) -> str:
            """This page with other parameters; an empty one is left out."""
            merged = {**dict(request.query_params), **changed}
            kept = {name: str(value) for name, value in merged.items() if value not in ("", None)}
            return f"{path}?{urlencode(kept)}" if kept else path

        known = {
            "title": title,
            "paused": paused,
            "visitor": visitor,
            "sign_in": self._sign_in,
            "pausing": self._pausing,
            "navigation": NAVIGATION,
            "path": path,
            "address": address,
            "query": request.url.query,
        }
        return HTMLResponse(self._templates.get_template(f"{template}.html").render(**known, **data), status)


def environment() -> Environment:
    """Where templates are found, and what they may use. Values are escaped."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalized,
    )
    made.globals["choices"] = CHOICES
    made.filters |= {"when": when, "ms": ms, "span": span, "pretty": pretty, "proposers": proposers}
    return made


def _finalized(value: Any) -> Any:
    """What is put into a page; markup was made of such values."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def as_csv(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """In pieces of some rows, the header first; documents as JSON. The columns are those of the first row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names: list[str] = []
    for number, row in enumerate(rows):
        if not number:
            names = list(row)
            writer.writerow(names)
        writer.writerow([_cell(row.get(name)) for name in names])
        if number % _PIECE == _PIECE - 1:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    # without any row there is a line all the same
    yield out.getvalue() if names else "\r\n"


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        value = json.dumps(value, default=str, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def when(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def ms(value: float | None) -> str:
    """A duration with the unit that reads best.

    >>> ms(0.4), ms(2422.7), ms(None)
    ('0.4 ms', '2.42 s', '')
    """
    if value is None:
        return ""
    return f"{value:,.1f} ms" if value < 1000 else span(value)


def span(value: float | None) -> str:
    """Milliseconds as a span of time.

    >>> span(90_000), span(7_200_000)
    ('1.5 min', '2.0 h')
    """
    if value is None:
        return ""
    seconds = value / 1000
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if abs(seconds) >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.2f} s"


def pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
