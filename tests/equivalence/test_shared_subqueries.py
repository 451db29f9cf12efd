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


# a subquery that may leave its type, read by whoever asks for it, and for all rows
ASKED_FOR = (
    "SELECT c.id, CASE WHEN c.state = 'x' THEN (SELECT max(q) FROM d) END FROM cust c",
    "SELECT c.id, CASE WHEN c.state = 'x' THEN m.q END FROM cust c CROSS JOIN (SELECT max(q) AS q FROM d) m",
)
# by the rows that a condition leaves, and by all
FILTERED = (
    "SELECT c.id, (SELECT max(q) FROM d WHERE d.cust = c.id) FROM cust c WHERE c.id = 7",
    "WITH w AS MATERIALIZED (SELECT c.id, (SELECT max(q) FROM d WHERE d.cust = c.id) AS q FROM cust c) SELECT id, q FROM w WHERE id = 7",
)
SUMS = "SELECT DISTINCT cust, qty + 1 AS q FROM sale"


@pytest.mark.parametrize("materialized", ["", "MATERIALIZED"])
@pytest.mark.parametrize("pair", [ASKED_FOR, FILTERED])
def test_what_overflows_only_where_a_row_asks_for_it_is_told(
    pair: tuple[str, str], materialized: str
) -> None:
    for shared, told in ((SUMS, True), (SUMS.replace(" + 1", ""), False)):
        texts = (
            f"WITH d AS {materialized} ({shared}){', ' if x.startswith('WITH') else ' '}{x.removeprefix('WITH ')}"
            for x in pair
        )
        first, second = (bind(text, catalog()) for text in texts)
        found = proved_by_parts(first, second, catalog(), 20.0)
        if told:
            assert found is None or "overflow" in found.modulo
        else:
            assert found is not None
            assert not found.modulo


def test_what_both_read_at_once_overflows_in_both() -> None:
    """A sum in a CTE that both compute, and a filter of something else, written in two ways."""
    pair = (
        "SELECT d.q FROM d JOIN cust c ON c.id = d.cust WHERE c.state IN ('x', 'y')",
        "SELECT d.q FROM d JOIN cust c ON c.id = d.cust WHERE c.state = 'x' OR c.state = 'y'",
    )
    first, second = (bind(f"WITH d AS MATERIALIZED ({SUMS}) {x}", catalog()) for x in pair)
    found = proved_by_parts(first, second, catalog(), 20.0)
    assert found is not None
    assert not found.modulo
