"""Reasons to leave a query alone, in the words people read; and what a client sees of a result."""

from __future__ import annotations

import pytest

from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.eligible import Reason, bind_eligible
from rewright.sql.signature import difference, signature_of

CATALOG = catalog_from_ddl("""
create table t (a int primary key, b varchar(5), c text);
create table p (x int); create table k () inherits (p);
create table r (x int); alter table r enable row level security;
create view barrier with (security_barrier) as select * from t;
create function f(int) returns int language sql as 'select 1';
create function g(int) returns int language sql stable as 'select 1';
create function h(int) returns int language sql immutable as 'select 1';
create function upper(int) returns int language sql immutable as 'select 1';
""")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("select random() from t", "volatile"),
        ("select f(a) from t", "volatile"),
        ("select g(a) from t", "stable"),
        ("select upper(c) from t", "shadowed"),
        ("select ctid from t", "system column"),
        ("select * from p", "inheritance"),
        ("select * from r", "row security"),
        ("select a from t where exists (select 1 from r)", "row security"),
        ("select * from barrier", "security barrier"),
        ("select oid from pg_class", "system table"),
        ("select 1", "no table"),
        ("select * from t for update", "unsupported"),
        ("select * from t tablesample system (1)", "unsupported"),
        ("select nope from t", "does not bind"),
    ],
)
def test_reasons(text: str, code: str) -> None:
    found = bind_eligible(text, CATALOG)
    assert isinstance(found, Reason)
    assert found.code == code


@pytest.mark.parametrize(
    "text",
    [
        "select a, lower(c), now() from t where b like 'x%'",
        "select h(a) from t",
        "select a from t order by b limit 3",
    ],
)
def test_eligible_ones(text: str) -> None:
    assert not isinstance(bind_eligible(text, CATALOG), Reason)


def test_the_volatile_function_is_named() -> None:
    found = bind_eligible("select a from t where random() < 0.5", CATALOG)
    assert found == Reason("volatile", "volatile function random()")


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("select a from t", "select t.a from t", False),
        ("select a from t", "select a as x from t", True),
        ("select a from t", "select a::bigint as a from t", True),
        ("select b from t", "select max(b) as b from t", True),
        ("select b from t", "select b::varchar(6) as b from t", True),
        ("select a from t", "select a, b from t", True),
    ],
)
def test_signatures(one: str, other: str, differs: bool) -> None:
    found = difference(signature_of(bind(one, CATALOG)), signature_of(bind(other, CATALOG)))
    assert (found is not None) is differs
