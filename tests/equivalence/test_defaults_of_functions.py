"""Functions are as volatile as their declaration says of given arguments; what a call leaves to a default is
evaluated with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import Proved, Unknown
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import is_volatile

SCHEMA = """
create table t (id int primary key, a int);
create sequence sq;
create function f(x float8 default random()) returns float8 language sql immutable as 'select x';
create function g(x int, y bigint default nextval('sq')) returns bigint language sql immutable as 'select x + y';
create function clock(x timestamptz default clock_timestamp()) returns timestamptz language sql stable as 'select x';
create function h(x int, y int default 5, z text default 'a'::text) returns int language sql immutable as 'select x + y';
"""
VOLATILE = ("f()", "g(a)", "g(x => a)", "clock()", "f() + 1")
PLAIN = ("f(1)", "g(a, 2)", "clock(now())", "h(a)", "h(a, 6)", "h(x => a)")
DIFFERENT = (
    ("select id, x, x from (select id, f() as x from t) z", "select id, f(), f() from t"),
    ("select id from t where clock() <= clock()", "select id from t where clock() >= clock()"),
    ("select x, x from (select g(1) as x from t) z", "select g(1), g(1) from t"),
)


@pytest.fixture(scope="module")
def checker(scratch_server: ScratchServer) -> Iterator[Checker]:
    with Checker(scratch=scratch_server, schema_sql=SCHEMA) as made:
        yield made


@pytest.mark.parametrize("call", [*VOLATILE, *PLAIN])
def test_a_call_is_as_volatile_as_what_it_leaves_to_defaults(
    call: str, scratch_server: ScratchServer
) -> None:
    name = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(name), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        catalogs = (catalog_from_ddl(SCHEMA), snapshot(connection))
    scratch_server.drop_database(name)
    for catalog in catalogs:
        assert is_volatile(bind(f"select {call} from t", catalog)) == (call in VOLATILE)


@pytest.mark.parametrize("pair", DIFFERENT)
def test_what_defaults_may_change_is_not_judged(pair: tuple[str, str], checker: Checker) -> None:
    verdict = checker.check(*pair)
    assert isinstance(verdict, Unknown)
    assert "volatile function" in verdict.reason


def test_constants_left_to_defaults_are_as_given(checker: Checker) -> None:
    verdict = checker.check("select h(a) from t where id = id", "select h(a) from t")
    assert isinstance(verdict, Proved)
