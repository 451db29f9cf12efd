"""Subqueries that both queries of a pair share are tables with the keys, and the columns without NULL, that
they have.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from tests.rewrite.sqlfixtures import catalog

GROUPS = (
    "SELECT cust, day, max(qty) AS q FROM sale WHERE cust IS NOT NULL AND day IS NOT NULL GROUP BY cust, day"
)
WITH_NULLS = "SELECT cust, day, max(qty) AS q FROM sale GROUP BY cust, day"
NO_KEY = "SELECT cust, day, qty AS q FROM sale WHERE cust IS NOT NULL AND day IS NOT NULL"
RUNNING = (
    "SELECT a.cust, a.day, max(b.q) AS m FROM d a JOIN d b ON b.cust = a.cust AND b.day <= a.day GROUP BY a.cust, a.day",
    "SELECT cust, day, max(q) OVER (PARTITION BY cust ORDER BY day) AS m FROM d",
)
ITSELF = (
    "SELECT a.cust, a.day, b.q FROM d a JOIN d b ON b.cust = a.cust AND b.day = a.day",
    "SELECT cust, day, q FROM d",
)


def proved(shared: str, pair: tuple[str, str], seconds: float = 30.0) -> Proved | None:
    first, second = (bind(f"WITH d AS ({shared}) {text}", catalog()) for text in pair)
    return proved_by_parts(first, second, catalog(), seconds)


@pytest.mark.parametrize("pair", [RUNNING, ITSELF])
def test_groups_have_the_key_that_they_are_made_by(pair: tuple[str, str]) -> None:
    found = proved(GROUPS, pair)
    assert found is not None
    assert (found.assumptions, found.modulo) == ((), ())


@pytest.mark.parametrize("shared", [WITH_NULLS, NO_KEY])
def test_without_the_key_or_with_nulls_in_it_nothing_is_proved(shared: str) -> None:
    assert proved(shared, ITSELF, 1.0) is None


def test_half_a_key_is_none() -> None:
    pair = "SELECT a.cust FROM d a JOIN d b ON b.cust = a.cust", "SELECT cust FROM d"
    assert proved(GROUPS, pair, 1.0) is None


def test_what_a_key_rests_on_is_said_of_the_tables_that_there_are() -> None:
    """A join with a table by its key leaves the key of the other: both facts are the stored tables'."""
    lines = "SELECT o.id, c.state, coalesce(o.total, 0) AS t FROM ord o JOIN cust c ON c.id = o.cust"
    pair = "SELECT a.id, b.state FROM d a JOIN d b ON b.id = a.id", "SELECT id, state FROM d"
    found = proved(lines, pair)
    assert found is not None
    assert not any("rewright_unknown" in fact for fact in found.assumptions)
    assert {fact.split(" (")[0] for fact in found.assumptions} >= {
        "unique public.ord(id)",
        "unique public.cust(id)",
    }
