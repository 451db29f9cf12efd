"""Divisions that can not fail, and conditions in whose good order they do not: what is left open, and in
which direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.sql.divisions import SCHEMA, Writer, fill

CATALOG = catalog_from_ddl(
    """create table t (id int primary key, k int not null, a int, b int, n numeric(10,2), m numeric(10,2));
    create table d (id int primary key, x int)"""
)
SEALED = "select id from t where m > 0 and n / nullif(m, 0) > 1"
RISKY = "select id from t where m > 0 and n / m > 1"


def left_open(original: str, replacement: str) -> tuple[str, ...]:
    found = prove(bind(original, CATALOG), bind(replacement, CATALOG), CATALOG)
    assert isinstance(found, Proof), found
    return tuple(found.modulo)


@pytest.mark.parametrize(
    ("value", "open_"),
    [
        ("n / m", ("errors",)),
        ("n / nullif(m, 0)", ()),
        ("case when m = 0 then 0 else n / m end", ()),
        ("case when m >= 0 then n / m end", ("errors",)),
        ("case when b > 0 then a / b end", ()),
        ("case when b <> 0 then a / b end", ("overflow",)),  # the least integer by -1
        ("a::float8 / nullif(b, 0)", ()),
        ("n::float8 / nullif(m, 0)", ()),
        ("a::float8 / b", ("errors",)),
    ],
)
def test_a_quotient_on_fewer_rows(value: str, open_: tuple[str, ...]) -> None:
    original = f"with c as materialized (select k, {value} as q from t) select d.id, c.q from d join c on c.k = d.id where d.x = 1"
    replacement = (
        f"with c as materialized (select k, {value} as q from t where k in (select id from d where x = 1)) "
        "select d.id, c.q from d join c on c.k = d.id where d.x = 1"
    )
    assert left_open(original, replacement) == open_


def test_the_replacement_may_be_safer_and_not_the_other_way() -> None:
    assert left_open(RISKY, SEALED) == ()
    assert left_open(SEALED, RISKY) == ("errors",)
    assert left_open(RISKY, RISKY) == ()


@pytest.mark.parametrize(
    ("condition", "open_"),
    [
        ("m > 0 and n / m > 1", ()),
        ("n / m > 1 and m <> 0", ()),
        ("m >= 0 and n / m > 1", ("errors",)),
        # each would have to come before the other
        ("n / m > 1 and m / n > 1", ("errors",)),
        # one of two is kept from failing
        ("m > 0 and n / m > 1 and m / n > 1", ("errors",)),
        ("m > 0 and case when k > 1 then n / m > 1 end", ()),
        ("m > 0 and exists (select from d where d.x = t.k and t.n / t.m > 1)", ("errors",)),
    ],
)
def test_an_error_that_always_came_is_not_hidden(condition: str, open_: tuple[str, ...]) -> None:
    """The replacement shows no row, and raises nothing."""
    assert (
        left_open(f"select id from t where {condition} and k is null", "select id from t where false")
        == open_
    )


@pytest.fixture(scope="module")
def divisions(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        fill(connection)
        yield connection


@pytest.mark.server
@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(11, 17))
def test_a_replacement_fails_only_where_the_original_does(
    seed: int, divisions: psycopg.Connection[Any]
) -> None:
    """Made-up pairs that differ in nothing but what may fail: where a proof leaves nothing open the server is
    asked.
    """
    writer, catalog = Writer(seed), catalog_from_ddl(SCHEMA)
    clean = apart = 0
    for _ in range(50):
        original, replacement = writer.pair()
        found = prove(bind(original, catalog), bind(replacement, catalog), catalog)
        assert isinstance(found, Proof), (original, replacement)
        left_open = bool({"errors", "overflow"} & set(found.modulo))
        clean += not left_open
        if _fails(divisions, replacement) and not _fails(divisions, original):
            apart += 1
            assert left_open, (original, replacement)
    assert clean > 8, "nothing is proved without reservation"
    assert apart > 1, "nothing fails"


def _fails(connection: psycopg.Connection[Any], sql: str) -> bool:
    try:
        connection.execute(sql)  # type: ignore[call-overload]
    except (psycopg.errors.DivisionByZero, psycopg.errors.NumericValueOutOfRange):
        return True
    return False
