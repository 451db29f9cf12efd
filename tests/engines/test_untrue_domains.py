"""Values that break a domain's CHECK though the catalog calls it valid (F22): each way on a real server.

ALTER DOMAIN looks at the rows that it sees of the tables that it sees. What is not committed, what a variable
or a cursor holds, and what an older snapshot still reads comes in behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.engines.test_declared_facts import answers, is_proved

pytestmark = pytest.mark.server

PAIR = ("select id from t where id > 0 or id is null", "select id from t")
MADE = "create domain d as int; create table t (id d)"
ALTERED = "alter domain d add constraint above check (value > 0)"


def block(declared: str, written: str) -> str:
    """Statements of PL/pgSQL around an ALTER DOMAIN."""
    return f"do $$ declare {declared}; begin {ALTERED}; insert into t values ({written}); end $$"


# name: what two sessions run, one statement list after the other
WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "a variable": (("a", MADE), ("a", block("v d := -1", "v"))),
    "a field of a variable": (
        ("a", f"{MADE}; create type pair as (x d)"),
        ("a", block("v pair := row(-1)", "v.x")),
    ),
    "an element of an array": (("a", MADE), ("a", block("v d[] := '{-1}'", "v[1]"))),
    "a variable of a domain over it": (
        ("a", f"{MADE}; create domain e as d; drop table t; create table t (id e)"),
        ("a", block("v e := -1", "v")),
    ),
    "an argument": (
        ("a", f"{MADE}; create function w(d) returns void language sql as 'insert into t values ($1)'"),
        ("a", f"do $$ declare v d := -1; begin {ALTERED}; perform w(v); end $$"),
    ),
    "a function's result": (
        ("a", MADE),
        (
            "a",
            (
                "create function w() returns d language plpgsql as $$ declare v d := -1;"
                f" begin {ALTERED}; return v; end $$; insert into t select w()"
            ),
        ),
    ),
    "a trigger's row": (
        ("a", MADE),
        (
            "a",
            (
                f"create function w() returns trigger language plpgsql as $$ begin {ALTERED}; return new; end $$;"
                " create trigger w before insert on t for each row execute function w(); insert into t values (-1)"
            ),
        ),
    ),
    "a cursor that is held": (
        ("a", f"{MADE}; begin; declare held cursor with hold for select (-1)::d; commit; {ALTERED}"),
        (
            "a",
            (
                "do $$ declare v d; c refcursor := 'held'; begin fetch c into v; insert into t values (v); end $$;"
                " close held"
            ),
        ),
    ),
    "a table that is not committed": (
        ("a", "create domain d as int"),
        ("b", "begin; create table t (id d); insert into t values (-1)"),
        ("a", ALTERED),
        ("b", "commit"),
    ),
    "a table made of a query that is not committed": (
        ("a", "create domain d as int"),
        ("b", "begin; create table t as select (-1)::d as id"),
        ("a", ALTERED),
        ("b", "commit"),
    ),
    "a column whose type is changed and not committed": (
        ("a", "create domain d as int; create table t (id int); insert into t values (-1)"),
        ("b", "begin; alter table t alter id type d"),
        ("a", ALTERED),
        ("b", "commit"),
    ),
    "a constraint that is validated": (
        ("a", "create domain d as int"),
        ("b", "begin; create table t (id d); insert into t values (-1)"),
        ("a", f"{ALTERED} not valid; alter domain d validate constraint above"),
        ("b", "commit"),
    ),
    "a row that an older snapshot reads": (
        ("a", f"{MADE}; create table s (id d); insert into s values (-1)"),
        ("b", "begin isolation level repeatable read; select 1"),
        ("a", f"delete from s; {ALTERED}"),
        ("b", "insert into t select id from s; commit"),
    ),
}


@pytest.fixture
def sessions(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[dict[str, psycopg.Connection[Any]]]:
    with ExitStack() as stack:
        made: dict[str, psycopg.Connection[Any]] = {
            name: stack.enter_context(
                psycopg.connect(scratch_server.dsn(module_database), autocommit=True, prepare_threshold=None)
            )
            for name in "ab"
        }
        yield made
        for one in made.values():
            one.execute("rollback")
        made["a"].execute("drop schema public cascade; create schema public")


@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_a_domains_check_does_not_let_in_is_stored(
    sessions: dict[str, psycopg.Connection[Any]], way: str
) -> None:
    for name, sql in WAYS[way]:
        sessions[name].execute(sql.encode())
    one = sessions["a"]
    checks = [check for info in snapshot(one).types for check in info.checks]
    assert [(check.validated, check.doubt) for check in checks] == [(True, "F22")]
    first, second = answers(one, PAIR)
    assert first != second
    assert not is_proved(one, PAIR)


def test_the_domain_refuses_such_values_all_the_same(sessions: dict[str, psycopg.Connection[Any]]) -> None:
    """What the ways above show is no domain whose CHECK is off."""
    sessions["a"].execute(f"{MADE}; {ALTERED}".encode())
    with pytest.raises(psycopg.errors.CheckViolation):
        sessions["a"].execute("insert into t values (-1)")
