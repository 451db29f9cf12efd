"""Groupings that are joined by their whole key are lookups; others are not. Both are
proved, or not, and run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.laws.lookups import as_lookups
from rewright.rewrite.adapters.links import LinkProver
from rewright.sql.binder import bind
from rewright.sql.walk import Fresh, highest_number
from tests.rewrite.sqlfixtures import DATABASES, SCHEMA, answer, catalog, fill

pytestmark = pytest.mark.server
GROUPED = "(SELECT cust, {} AS v FROM sale GROUP BY cust) g ON g.cust = o.cust"
LOOKUP = "(SELECT {} FROM sale s WHERE s.cust = o.cust)"
FIRST = "(SELECT DISTINCT ON (cust) cust, qty AS v FROM sale ORDER BY cust, {}) g ON g.cust = o.cust"

# before, after, reservations
HOLD = [
    # ord.cust may be NULL
    (
        f"SELECT o.id, {LOOKUP.format('max(s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('max(qty)')}",
        (),
    ),
    (
        f"SELECT o.id, {LOOKUP.format('count(*)')} FROM ord o",
        f"SELECT o.id, coalesce(g.v, 0) FROM ord o LEFT JOIN {GROUPED.format('count(*)')}",
        (),
    ),
    (
        f"SELECT o.id FROM ord o WHERE {LOOKUP.format('sum(s.qty)')} IS NULL",
        f"SELECT o.id FROM ord o LEFT JOIN {GROUPED.format('sum(qty)')} WHERE g.v IS NULL",
        (),
    ),
    # columns varchar are grouped as such and compared as text
    (
        "SELECT e.empno, (SELECT min(l.qty) FROM line l WHERE l.note = e.ename) FROM emp e",
        "SELECT e.empno, g.v FROM emp e LEFT JOIN (SELECT note, min(qty) AS v FROM line GROUP BY note) g ON g.note = e.ename",
        (),
    ),
    # the first of each group
    (
        "SELECT o.id, (SELECT s.qty FROM sale s WHERE s.cust = o.cust ORDER BY s.id LIMIT 1) FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {FIRST.format('id')}",
        (),
    ),
    (
        "SELECT o.id, (SELECT s.qty FROM sale s WHERE s.cust = o.cust ORDER BY s.day LIMIT 1) FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {FIRST.format('day')}",
        ("tie-order",),
    ),
    # what fails for one group fails for all only where all are computed
    (
        f"SELECT o.id, {LOOKUP.format('max(1 / s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('max(1 / qty)')}",
        ("errors",),
    ),
    # 1.0 and 1.00 are one group, and rows that equal either
    (
        "SELECT b.id, (SELECT max(m.code) FROM badge m WHERE m.weight = b.weight) FROM badge b",
        "SELECT b.id, g.v FROM badge b LEFT JOIN (SELECT weight, max(code) AS v FROM badge GROUP BY weight) g ON g.weight = b.weight",
        (),
    ),
    # rows that are there more often below DISTINCT
    (
        "SELECT DISTINCT c.id FROM cust c JOIN sale s ON s.cust = c.region WHERE s.qty = 2",
        "SELECT DISTINCT c.id FROM cust c WHERE EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.region AND s.qty = 2)",
        (),
    ),
]
FALL = [
    # a count of no rows is 0, and NULL where no group is found
    (
        f"SELECT o.id, {LOOKUP.format('count(*)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('count(*)')}",
    ),
    (
        f"SELECT o.id, {LOOKUP.format('coalesce(sum(s.qty), 7)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('coalesce(sum(qty), 7)')}",
    ),
    # one of two keys
    (
        f"SELECT o.id, {LOOKUP.format('max(s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('max(qty)').replace('BY cust', 'BY cust, part')}",
    ),
    # rows without a partner go
    (
        f"SELECT o.id, {LOOKUP.format('max(s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o JOIN {GROUPED.format('max(qty)')}",
    ),
    # NULL groups are partners of NULL
    (
        f"SELECT o.id, {LOOKUP.format('max(s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('max(qty)').replace('g.cust = ', 'g.cust IS NOT DISTINCT FROM ')}",
    ),
    # only the groups that are large
    (
        f"SELECT o.id, {LOOKUP.format('max(s.qty)')} FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {GROUPED.format('max(qty)').replace('BY cust', 'BY cust HAVING count(*) > 1')}",
    ),
    # another order
    (
        "SELECT o.id, (SELECT s.qty FROM sale s WHERE s.cust = o.cust ORDER BY s.id LIMIT 1) FROM ord o",
        f"SELECT o.id, g.v FROM ord o LEFT JOIN {FIRST.format('id DESC')}",
    ),
]


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        yield connection


def small(connection: psycopg.Connection[Any], rows: int, seed: float) -> None:
    fill(connection, rows, seed)
    connection.execute("update sale set qty = 1 + qty % 4; update line set note = 'e' || num where num < 3")


@pytest.mark.parametrize(("before", "after", "modulo"), HOLD)
def test_lookups_are_proved(before: str, after: str, modulo: tuple[str, ...]) -> None:
    found = LinkProver(catalog()).prove(before, after, 10.0)
    assert found is not None
    assert found.modulo == modulo


def test_lookups_give_the_same(filled: psycopg.Connection[Any]) -> None:
    for rows, seed in DATABASES:
        small(filled, rows, seed)
        for before, after, modulo in HOLD:
            if "tie-order" not in modulo:
                assert answer(filled, before)[1] == answer(filled, after)[1], after


@pytest.mark.parametrize(("before", "after"), FALL)
def test_near_misses_are_not_proved_and_differ(
    filled: psycopg.Connection[Any], before: str, after: str
) -> None:
    assert LinkProver(catalog()).prove(before, after, 5.0) is None
    different = False
    for rows, seed in DATABASES:
        small(filled, rows, seed)
        different |= answer(filled, before)[1] != answer(filled, after)[1]
    assert different


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT o.id, g.v, g.cust FROM ord o LEFT JOIN (SELECT cust, max(qty) AS v FROM sale GROUP BY cust) g ON g.cust = o.cust",
        "SELECT o.id, g.v FROM ord o LEFT JOIN (SELECT cust, max(qty) AS v FROM sale GROUP BY cust) g ON g.cust = coalesce(o.cust, 1)",
        "SELECT o.id, g.v FROM ord o LEFT JOIN (SELECT cust, sum(count(*)) OVER () AS v FROM sale GROUP BY cust) g ON g.cust = o.cust",
        # two values of a row that the order does not decide
        "SELECT o.id, g.v, g.w FROM ord o LEFT JOIN (SELECT DISTINCT ON (cust) cust, qty AS v, part AS w FROM sale ORDER BY cust, day) g ON g.cust = o.cust",
        # a cast of the key may join two groups
        "SELECT c.id, g.v FROM cust c LEFT JOIN (SELECT cost, max(qty) AS v FROM sale GROUP BY cost) g ON g.cost::int = c.id",
    ],
)
def test_what_is_no_lookup_stays(sql: str) -> None:
    query = bind(sql, catalog())
    assert as_lookups(query, catalog(), Fresh(highest_number(query))).query == query
