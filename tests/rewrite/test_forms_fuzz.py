"""Forms that pairs are seen in, on made-up queries: each gives the same rows on small databases as the query itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from engines.postgres.scratch import ScratchServer
from rewrite.search.eager import without_early_groups
from rewrite.search.flattening import flattened
from rewrite.search.ordering import without_idle_keys
from rewrite.search.restrictions import without_restrictions
from sql import algebra as a
from sql.binder import bind
from sql.catalog import Catalog
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


def made_early(r: random.Random) -> str:
    """Aggregates over a join with a grouping: of its parts as they may be put together, and as they may not."""
    early = [
        "sum(s.qty) AS v",
        "count(s.part) AS n",
        "count(*) AS m",
        "min(s.cost) AS low",
        "max(s.day) AS high",
        "sum(s.cost) AS w",
    ]
    keys = r.choice(["s.cust", "s.cust, s.part", "s.cust, s.day"])
    where = r.choice(["", "WHERE s.qty > 1", "WHERE s.cost > 2"])
    having = r.choice(["", "", "", "HAVING count(*) > 1"])
    inner = f"SELECT {keys}, {', '.join(early)} FROM sale s {where} GROUP BY {keys} {having}"
    fine = [
        "sum(p.v)",
        "sum(p.n)",
        "sum(p.m)::bigint",
        "min(p.low)",
        "max(p.high)",
        "sum(p.w)",
        "sum(p.w) / sum(p.n)",
        "max(p.cust)",
        "count(DISTINCT c.state)",
    ]
    wrong = [
        "count(*)",
        "sum(p.cust)",
        "avg(p.v)",
        "max(p.v)",
        "count(p.n)",
        "sum(DISTINCT p.v)",
        "sum(p.v * 2)",
        "min(p.high)",
        "sum(c.id)",
    ]
    chosen = r.sample(fine, 2) + ([r.choice(wrong)] if r.random() < 0.4 else [])
    if r.random() < 0.3:
        chosen[0] = f"sum(p.{r.choice(['v', 'n', 'm'])}) FILTER (WHERE p.cust > {r.choice([1, 4])})"
    tie = r.choice(["p.cust = c.id", "p.cust = c.id AND c.region > 0", "p.cust > c.id"])
    group = r.choice(["c.state", "c.state, p.cust", "c.region", ""])
    shown = f"{group}, " if group else ""
    end = f" GROUP BY {group}" if group else ""
    return f"SELECT {shown}{', '.join(chosen)} FROM cust c, ({inner}) p WHERE {tie}{end}"


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)  # type: ignore[arg-type]
        yield connection


FORMS: dict[str, tuple[Callable[[random.Random], str], Callable[[a.Query, Catalog], a.Query]]] = {
    "restrictions": (
        made,
        lambda q, k: without_idle_keys(flattened(without_restrictions(q, k).query), k).query,
    ),
    "early groupings": (made_early, lambda q, k: flattened(without_early_groups(q, k).query)),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_made_up_queries_give_the_same(form: str, filled: psycopg.Connection[Any]) -> None:
    r, known = random.Random(4), catalog()
    make, look = FORMS[form]
    changed: list[tuple[str, str]] = []
    for text in (make(r) for _ in range(QUERIES)):
        query = bind(text, known)
        other = look(query, known)
        if other != query:
            changed.append((text, to_sql(other)))
    assert QUERIES / 10 < len(changed) < QUERIES
    for rows, seed in ((0, 0.1), (6, 0.2), (20, 0.3), (20, 0.6)):
        fill(filled, rows, seed)
        # small numbers, so that ids meet
        filled.execute(
            "update sale set cust = cust % 5 + 1, part = part % 4 + 1, qty = qty % 4; update cust set region = region % 3"
        )
        for text, other_text in changed:
            assert answer(filled, text)[1] == answer(filled, other_text)[1], (text, other_text)
