"""Products of numerics: what is far from the limits of digits (hazards M6), and what is not, both declared."""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    """
create table t(id int primary key, n numeric(4,2) not null, m numeric(1000,0) not null, x int not null);
create table o(id int primary key, w numeric(10,2) not null);
"""
)


def times(column: str, number: int) -> str:
    return " * ".join([column] * number)


def _reservations(first: str, second: str) -> tuple[str, ...] | None:
    binding = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    proved = prove_pair(binding, CATALOG, 5.0).proved
    return None if proved is None else proved.modulo


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("select id from t where n * 0.002 > 0.01", "select id from t where n > 5"),
        ("select sum(n * 0.002) from t", "select sum(n) * 0.002 from t"),
        ("select sum(x * 0.002) from t", "select sum(x) * 0.002 from t"),
        (
            "select o.id, (select sum(t.n * t.n * o.w) from t) from o",
            "select o.id, (select sum(t.n * t.n) from t) * o.w from o",
        ),
        (f"select count({times('m', 6)}) from t", "select count(*) from t"),
        (f"select count(n / 3 + {times('m', 5)}) from t", "select count(*) from t"),
        (f"select id from t order by id, {times('n', 90)}", "select id from t order by id"),
        (
            "select count(s.a * s.a) from (select avg(n) a from t) s",
            "select count(a) from (select avg(n) a from t) s",
        ),
    ],
)
def test_few_digits_fit(first: str, second: str) -> None:
    assert _reservations(first, second) == ()


def test_digits_add_up() -> None:
    # 140 * 1000 digits are no numeric
    found = _reservations(f"select count({times('m', 140)}) from t", "select count(*) from t")
    assert found is None or "overflow" in found


@pytest.mark.parametrize("number", ["1" * 5000, "-" + "2" * 5000, "0" * 5000 + "7"])
def test_numbers_of_thousands_of_digits_are_read(number: str) -> None:
    query = f"select id from t where x > {number}"
    assert _reservations(query, query) == ()


def test_a_parameter_is_as_long_as_a_type_may_be_declared() -> None:
    catalog = catalog_from_ddl(
        "create table sold (id int primary key, part int not null, qty numeric(12, 2))"
    )
    one = bind(
        "select id from sold s where qty < (select $1 * avg(qty) from sold where part = s.part)", catalog
    )
    other = bind(
        "select id from sold s join (select part, $1 * avg(qty) as few from sold group by part) g on g.part = s.part where qty < few",
        catalog,
    )
    found = prove_pair(Binding(one, other, catalog), catalog, 10.0).proved
    assert found is not None
    assert found.modulo == ()
