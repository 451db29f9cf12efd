"""Forms that pairs are seen in, on made-up queries: each gives the same rows on small databases as the query itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from engines.postgres.scratch import ScratchServer
from rewrite.search.flattening import flattened
from rewrite.search.ordering import without_idle_keys
from rewrite.search.restrictions import without_restrictions
from sql.binder import bind
from sql.printing import to_sql
from tests.rewrite.sqlfixtures import SCHEMA, answer, catalog, fill

pytestmark = pytest.mark.server
QUERIES = 400


def made(r: random.Random) -> str:
    """A join of a table with a subquery that has restrictions, some of which the join makes anyway."""
    kind = r.choice(["group", "group", "distinct", "window", "plain", "union", "except"])
    outside = [
        r.choice(["c.region = 1", "c.region = 2", "c.id > 2", "c.state = 'a'", "c.region IS NOT NULL"])
        for _ in range(r.randint(0, 2))
    ]
    other = r.choice(["c.region = 1", "c.id > 2", "c.region = 2 AND c.id > 1"])
    inside = " AND ".join(r.choice([o, o, other]) for o in outside) or other
    listed = f"SELECT c.id FROM cust c WHERE {inside}"
    if r.random() < 0.3:
        listed += r.choice([" UNION ALL ", " UNION "]) + f"SELECT c.id FROM cust c WHERE {other}"
    column = r.choice(["s.cust", "s.cust", "s.cust", "s.part"])
    restriction = r.choice(
        [
            f"{column} IN ({listed})",
            f"{column} NOT IN ({listed})",
            f"({column} = 1 OR {column} = 2)",
            f"{column} = 2",
            f"(s.cust, s.part) IN (SELECT o.cust, o.day FROM ord o, cust c WHERE o.cust = c.id AND {inside})",
        ]
    )
    where = f"WHERE {restriction}" + r.choice(["", " AND s.qty > 1"])
    body = {
        "group": f"SELECT s.cust, s.part, sum(s.qty) AS t FROM sale s {where} GROUP BY {r.choice(['s.cust, s.part', 'GROUPING SETS ((s.cust, s.part), (s.cust, s.part))', 'CUBE (s.cust, s.part)'])}",
        "distinct": f"SELECT {r.choice(['DISTINCT', 'DISTINCT ON (s.cust)'])} s.cust, s.part, 1 AS t FROM sale s {where} ORDER BY s.cust, s.part",
        "window": f"SELECT s.cust, s.part, count(*) OVER (PARTITION BY {r.choice(['s.cust', 's.part', 's.cust, s.part', 's.day'])}) AS t FROM sale s {where}",
        "plain": f"SELECT s.cust, s.part, s.qty AS t FROM sale s {where}",
        "union": f"SELECT s.cust, s.part, 1 AS t FROM sale s {where} {r.choice(['UNION', 'UNION ALL'])} SELECT o.cust, o.day, 1 FROM ord o",
        "except": f"SELECT s.cust, s.part, 1 AS t FROM sale s {where} {r.choice(['EXCEPT', 'EXCEPT ALL', 'INTERSECT'])} SELECT s.cust, s.part, 1 FROM sale s {where.replace('s.qty > 1', 's.qty < 3')}",
    }[kind]
    join = r.choice([", ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "])
    tie = r.choice(["g.cust = c.id", "g.cust = c.id", "g.part = c.id", "g.cust = c.id AND g.part = c.region"])
    conditions = [*outside, *r.choice([[], ["g.cust = 2"], ["g.t > 0"], ["g.cust = 1 OR g.cust = 2"]])]
    if join == ", ":
        return f"SELECT c.id, g.cust, g.part, g.t FROM cust c, ({body}) g WHERE {' AND '.join([tie, *conditions])}"
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT c.id, g.cust, g.part, g.t FROM cust c{join}({body}) g ON {tie}{where}"


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)  # type: ignore[arg-type]
        yield connection


def test_forms_of_made_up_queries_give_the_same(filled: psycopg.Connection[Any]) -> None:
    r = random.Random(4)
    known = catalog()
    texts = [made(r) for _ in range(QUERIES)]
    changed: list[tuple[str, str]] = []
    for text in texts:
        query = bind(text, known)
        form = without_idle_keys(flattened(without_restrictions(query, known).query), known).query
        if form != query:
            changed.append((text, to_sql(form)))
    assert len(changed) > QUERIES / 10
    for rows, seed in ((6, 0.2), (20, 0.3), (20, 0.6)):
        fill(filled, rows, seed)
        # small numbers, so that ids meet
        filled.execute(
            "update sale set cust = cust % 5 + 1, part = part % 4 + 1, qty = qty % 4; update cust set region = region % 3"
        )
        for text, form in changed:
            assert answer(filled, text)[1] == answer(filled, form)[1], (text, form)
