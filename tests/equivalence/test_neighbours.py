"""Rows beside a row, told by the order of whole numbers: what a window reads of rows that are no neighbours."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, is_proved_by_parts, reserves_what_fails

SCHEMA = "create table p (id int primary key, g int not null, k int not null, z int not null, unique (g, k));"
# the second row has no neighbour, and its reciprocal is read for the third
ROWS = "insert into p values (1, 1, 1, 1), (2, 1, 5, 0), (3, 1, 9, 1);"
CATALOG = catalog_from_ddl(SCHEMA)
WINDOW = "over (partition by p.g order by p.k)"
TOLD = f"select p.id, case when lag(p.k) {WINDOW} = p.k - 1 then lag({{0}}) {WINDOW} end from p"
LOOKED_UP = "select p.id, (select {0} from p r where r.g = p.g and r.k = p.k - 1) from p"


def test_what_is_shown_of_rows_without_neighbours_may_fail() -> None:
    reserves_what_fails(CATALOG, LOOKED_UP.format("1 / r.z"), TOLD.format("1 / p.z"))


@pytest.mark.parametrize("shown", ["{}.z", "coalesce({}.z, 0)"])
def test_what_cannot_fail_is_looked_up_without_a_reservation(shown: str) -> None:
    is_proved_by_parts(CATALOG, TOLD.format(shown.format("p")), LOOKED_UP.format(shown.format("r")))


@pytest.mark.server
def test_the_server_raises_in_the_window_alone(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(psycopg.errors.DivisionByZero, scratch_server, database, SCHEMA + ROWS) as fails:
        assert not fails(LOOKED_UP.format("1 / r.z"))
        assert fails(TOLD.format("1 / p.z"))
