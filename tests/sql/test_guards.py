"""What keeps zeros from a divisor: made-up expressions whose divisions are said to be safe are evaluated on a server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from engines.postgres.scratch import ScratchServer
from sql.algebra import Op, Select
from sql.binder import bind
from sql.ddl import catalog_from_ddl
from sql.facts.guards import division, is_division, of_block
from sql.walk import all_queries

SCHEMA = "create table v (id int primary key, k int, x int, y int, n numeric(10,2), m numeric(6,3), f float8)"
CATALOG = catalog_from_ddl(SCHEMA)
CASES = 400


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        values = ["null", "0", "1", "-1", "2", "-2147483648"]
        rows = [
            f"({i}, {i % 3}, {x}, {y}, {n}, {m}, {f})"
            for i, (x, y, n, m, f) in enumerate(
                (
                    values[i % 6],
                    values[i // 6 % 6],
                    ["null", "0", "0.01", "-3"][i % 4],
                    ["0", "1.5", "null"][i % 3],
                    f,
                )
                for i in range(72)
                for f in ["0", "'nan'", "-0.5", "null"][i % 4 : i % 4 + 1]
            )
        ]
        connection.execute(f"insert into v values {', '.join(rows)}")
        yield connection


class Writer:
    """Writes divisions behind guards, good and bad ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> str:
        of_rows = ["x", "y", "n", "m", "f", "x::numeric", "y::bigint", "x::float8", "m::float8"]
        of_groups = ["count(*)", "sum(y)", "count(x)", "min(m)", "sum(n)::float8"]
        return self.random.choice(of_groups if self.grouped else of_rows)

    def condition(self, about: str, depth: int = 0) -> str:
        r = self.random
        bound = r.choice(["0", "1", "-1", "0.0", "2"])
        plain = f"{about} {r.choice(['=', '<>', '<', '<=', '>', '>='])} {bound}"
        tests = [
            plain,
            plain,
            f"{bound} {r.choice(['=', '<>', '<', '>='])} {about}",
            f"{about} {r.choice(['in', 'not in'])} (0, {bound})",
            f"{about} between {bound} and 5",
            f"{about} is {r.choice(['', 'not '])}distinct from {bound}",
            f"{about} is null",
        ]
        if depth < 2:
            one, two = (
                self.condition(about, depth + 1),
                self.condition(r.choice([about, self.number()]), depth + 1),
            )
            tests += [
                f"({one} {r.choice(['and', 'or'])} {two})",
                f"not ({one})",
                f"({one}) is {r.choice(['', 'not '])}true",
            ]
        return r.choice(tests)

    def divisor(self, about: str) -> str:
        return self.random.choice(
            [about, about, f"nullif({about}, 0)", f"nullif({about}, 1)", f"coalesce(nullif({about}, 0), {self.random.choice('012')})",
             f"greatest({about}, {self.random.choice('01')})", f"least({about}, -1)", f"case when {self.condition(about)} then {about} else 1 end"]
        )  # fmt: skip

    def value(self) -> str:
        about = self.number()
        quotient = f"{self.random.choice(['1', '2.5', self.number()])} / {self.divisor(about)}"
        other = f"{self.random.choice(['1', '2.5'])} / {self.divisor(about)}"
        return self.random.choice(
            [
                quotient,
                f"case when {self.condition(about)} then {quotient} end",
                f"case when {self.condition(about)} then {quotient} when {self.condition(about)} then {other} else {other} end",
            ]
        )

    def query(self) -> str:
        r = self.random
        self.grouped = False
        where = f" where {self.condition(self.number())}" if r.random() < 0.5 else ""
        kind = r.randrange(3)
        if kind == 0:
            return f"select {self.value()} from v{where}"
        if kind == 1:  # what an aggregate reads
            inner, kept = self.value(), self.condition(self.number())
            filtered = f" filter (where {kept})" if r.random() < 0.5 else ""
            return f"select k, sum({inner}){filtered} from v{where} group by k"
        self.grouped = True
        where = ""
        having = f" having {self.condition(self.number())}" if r.random() < 0.5 else ""
        return f"select {self.value()} from v{where} group by {r.choice(['k', 'k, x', '()', 'rollup (k)'])}{having}"


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
    for _ in range(CASES):
        sql = writer.query()
        nonzero, fits = sure(sql)
        try:
            filled.execute(sql)  # type: ignore[call-overload]
        except psycopg.errors.DivisionByZero:
            failed += 1
            assert not nonzero, sql
        except psycopg.errors.NumericValueOutOfRange as error:
            assert not (fits and "integer" in str(error)), sql
        safe += nonzero
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
        ("select sum(x) / count(*) from v", False),
        ("select sum(x) / count(*) from v group by rollup (k)", False),
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
