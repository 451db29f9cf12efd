"""Rules that leave a key's ``IS NOT NULL`` behind do so for no row: ``ROW(1, NULL) IS NOT NULL`` is false,
though the value is none and meets itself.
"""

from __future__ import annotations

import pytest

from rewright.rewrite.rules import RULES
from rewright.rewrite.rules.apply import applications
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

# the same table with a key of each type
DDL = """
CREATE TYPE spot AS (x int, y int);
CREATE TABLE seen (id int PRIMARY KEY, place {type} UNIQUE, day int NOT NULL, n int NOT NULL);
"""

QUERIES = {
    "self_join": "SELECT s.id, t.n FROM seen s JOIN seen t ON t.place = s.place",
    "redundant_keys": """SELECT sum(a.n * b.day) FROM (SELECT place, day, count(*) AS n FROM seen GROUP BY place, day) a
        JOIN (SELECT place, day FROM seen GROUP BY place, day) b ON b.place = a.place AND b.day = a.day""",
    "fold_readers": """WITH y AS (SELECT place, day, sum(n) AS q FROM seen GROUP BY place, day)
        SELECT s.id, a.q, b.q FROM seen s, y a, y b
        WHERE a.place = s.place AND a.day = 1 AND b.place = s.place AND b.day = 2""",
    "count_to_exists": "SELECT s.id FROM seen s WHERE (SELECT count(t.place) FROM seen t WHERE t.day = s.n) > 0",
}


def made(rule: str, kind: str) -> int:
    catalog = catalog_from_ddl(DDL.format(type=kind))
    query = bind(QUERIES[rule], catalog)
    return len(list(applications(query, catalog, [r for r in RULES if r.name == rule])))


@pytest.mark.parametrize("rule", QUERIES)
def test_a_row_is_not_asked_whether_it_is_null(rule: str) -> None:
    assert made(rule, "int") > 0
    assert made(rule, "spot") == 0
