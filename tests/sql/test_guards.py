"""What keeps zeros from a divisor: made-up expressions whose divisions are said to be safe are evaluated on a
server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import Op, Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts.guards import division, is_division, of_block
from rewright.sql.walk import all_queries
from tests.sql.divisions import SCHEMA, Writer, fill

CATALOG = catalog_from_ddl(SCHEMA)
CASES = 400


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        fill(connection)
        yield connection


def sure(sql: str) -> tuple[bool, bool]:
    """Whether every division's divisor is said to be no zero, and every whole quotient to fit."""
    query = bind(sql, CATALOG)
    assert isinstance(query, Select)
    found = [
        (e, division(e, known))
        for q in all_queries(query)
        for e, known in of_block(q)
        if isinstance(e, Op) and is_division(e)
    ]
    return all("nonzero" in f for _, f in found), all("fits" in f for e, f in found if e.type.name == "int4")


def test_a_division_said_to_be_safe_does_not_fail(filled: psycopg.Connection[Any]) -> None:
    writer = Writer(7)
    safe = failed = 0
    overflown: list[tuple[bool, str]] = []
    for _ in range(CASES):
        sql = writer.query()
        nonzero, fits = sure(sql)
        try:
            filled.execute(sql)  # type: ignore[call-overload]
        except psycopg.errors.DivisionByZero:
            failed += 1
            assert not nonzero, sql
        except psycopg.errors.NumericValueOutOfRange as error:
            overflown.append((fits and "integer" in str(error), sql))
        safe += nonzero
    assert not [sql for fits, sql in overflown if fits]
    assert safe > CASES / 5, "nothing is called safe"
    assert failed > CASES / 10, "nothing fails"


@pytest.mark.parametrize(
    ("sql", "nonzero"),
    [
        ("select x / y from v", False),
        ("select x / 2 from v", True),
        ("select x / nullif(y, 0) from v", True),
        ("select n / nullif(x, 0) from v", True),
        ("select case when y > 0 then x / y end from v", True),
        ("select case when y >= 0 then x / y end from v", False),
        ("select case y when 0 then null else x / y end from v", True),
        ("select case when y = 0 or x is null then null else x / y end from v", True),
        ("select case when y = 0 and x is null then null else x / y end from v", False),
        # an aggregate's argument is computed before any CASE around it
        ("select case when min(y) > 0 then sum(x / y) end from v group by k", False),
        ("select sum(x / y) filter (where y > 0) from v group by k", True),
        ("select sum(x / y) from v where y > 0 group by k", True),
        ("select sum(x) / count(*) from v group by k", True),
        ("select sum(x) / count(*) from v", True),
        ("select sum(x) / count(*) from v group by rollup (k)", True),
        ("select sum(x) / count(y) from v group by k", False),
        ("select sum(x) / count(*) filter (where y > 0) from v group by k", False),
        ("select sum(x) / sum(y) from v group by k having sum(y) > 0", True),
        ("select sum(x) from v group by k having sum(y) > 0 and 1 / sum(y) > 0", False),
        # the planner may move what a plain subquery computes
        ("select q from (select x / y as q from v where y > 0) t", False),
        ("select case when random() > 0 then x / random()::numeric end from v", False),
    ],
)
def test_what_keeps_zeros_away(sql: str, nonzero: bool) -> None:
    assert sure(sql)[0] is nonzero
