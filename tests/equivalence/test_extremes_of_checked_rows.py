"""Divisors that are extremes of rows under a CHECK: none of them is 0, but there may be no extreme at all."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, is_proved_by_parts, reserves_what_fails

SCHEMA = """
create table g (id int primary key, k int not null, x int not null, z int not null check (z > 0));
create table h (id int primary key, gid int, k int not null);
"""
# the first group of g has no x above 0, the first row of h no row of g
ROWS = "insert into g values (1, 1, 0, 1), (2, 2, 1, 1); insert into h values (1, 9, 1), (2, 2, 2);"
CATALOG = catalog_from_ddl(SCHEMA)
OF_GROUPS = (
    "select q.k, q.v from (select k, 100 / {0} v from g group by k offset 0) q where q.k > 1",
    "select k, 100 / {0} from g where k > 1 group by k",
)
OF_ROWS = (
    "select q.k, q.v from (select k, 100 / {0} v from h offset 0) q where q.k > 1",
    "select k, 100 / {0} from h where k > 1",
)
LOOKED_UP = "(select max(z) from g where g.id = h.gid)"
FAILING = (
    (OF_GROUPS, "coalesce(max(z) filter (where x > 0), 0)"),
    (OF_GROUPS, "case when max(z) filter (where x > 0) > 0 then 1 else 0 end"),
    (OF_ROWS, f"coalesce({LOOKED_UP}, 0)"),
)
SAFE = (
    (OF_GROUPS, "max(z)"),
    (OF_GROUPS, "max(z) filter (where x > 0)"),
    (OF_GROUPS, "coalesce(max(z) filter (where x > 0), 1)"),
    (OF_ROWS, LOOKED_UP),
    (OF_ROWS, f"coalesce({LOOKED_UP}, 7)"),
)


@pytest.mark.parametrize(("pair", "divisor"), FAILING)
def test_an_extreme_of_nothing_is_not_under_the_check(pair: tuple[str, str], divisor: str) -> None:
    reserves_what_fails(CATALOG, *(text.format(divisor) for text in pair))


@pytest.mark.parametrize(("pair", "divisor"), SAFE)
def test_an_extreme_or_null_is_no_zero(pair: tuple[str, str], divisor: str) -> None:
    is_proved_by_parts(CATALOG, *(text.format(divisor) for text in pair))


@pytest.mark.server
def test_the_server_divides_by_what_stands_for_no_extreme(
    scratch_server: ScratchServer, database: str
) -> None:
    with failing_with(psycopg.errors.DivisionByZero, scratch_server, database, SCHEMA + ROWS) as fails:
        for (first, second), divisor in FAILING:
            assert fails(first.format(divisor))
            assert not fails(second.format(divisor))
        assert not any(fails(first.format(divisor)) for (first, _), divisor in SAFE)
