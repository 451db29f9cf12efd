"""Linking over a schema of 800 columns: what a question needs is kept, and little beside it."""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import table

_AREAS = [
    "payroll",
    "freight",
    "tooling",
    "catering",
    "leasing",
    "safety",
    "quality",
    "archive",
    "fleet",
    "tender",
]
_THINGS = ["ledger", "ticket", "batch", "review", "notice", "asset", "order", "report"]
_TRAITS = [
    "weight",
    "volume",
    "priority",
    "status",
    "region",
    "origin",
    "grade",
    "duration",
    "score",
    "margin",
]


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Eighty tables of ten columns, as of departments that keep the same kinds of papers; each refers to a
    site.
    """
    site = table(
        "site", 30, site_id="int4 key", name="text unique:Elmet,Orford,Thirsk", county="text:Kent,Essex"
    )
    tables = [site]
    for area in _AREAS:
        for thing in _THINGS:
            own = {f"{area}_{trait}" if at % 2 else trait: "numeric" for at, trait in enumerate(_TRAITS[:6])}
            named = {"site_id": "int4 *30", "title": "text", "issued_on": "date"}
            tables.append(table(f"{area}_{thing}", 500, **{f"{area}_{thing}_id": "int4 key"}, **own, **named))
    at = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    joins = [Join(at[t.ref.name, "site_id"], at["site", "site_id"], 1.0) for t in tables[1:]]
    return Reader(Context.of(tables=tables, joins=joins))


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        (
            "What is the total tooling volume of tooling assets per site?",
            {("tooling_asset", "tooling_volume"), ("tooling_asset", "site_id"), ("site", "name")},
        ),
        (
            "How many safety reviews were issued in 2023 in Kent?",
            {("safety_review", "issued_on"), ("safety_review", "site_id"), ("site", "county")},
        ),
        (
            "Which fleet tickets weigh more than 40 and come from Orford?",
            {("fleet_ticket", "weight"), ("site", "name")},
        ),
    ],
)
def test_what_is_needed_is_kept(reader: Reader, question: str, needed: set[tuple[str, str]]) -> None:
    columns = sum(len(t.columns) for t in reader.context.tables)
    kept = reader.columns(question)
    assert columns > 800
    assert len(kept) <= 0.3 * columns
    assert needed <= {(c.table.name, c.name) for c in kept}


def test_one_of_eighty_tables_is_read(reader: Reader) -> None:
    found = reader.read("How many safety reviews were issued in 2023 in Kent?")
    assert isinstance(found, Reading), found.why
    assert "from public.safety_review join public.site" in found.sql
