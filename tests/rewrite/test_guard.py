"""What a model's text may read and call: judged by what names mean, not by how they are spelt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.rewrite.agents.guard import BoundGuard, NamesGuard
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.records import OperatorInfo

_DECLARED = catalog_from_ddl(
    """
    create table orders (id int primary key, total numeric not null, note text, placed_on date not null);
    create table secret (id int primary key, word text);
    create schema other;
    create table other.orders (id int primary key, total numeric);
    create view big as select id, total from orders where total > 10;
    create view hiding with (security_barrier) as select id, total from orders where total > 10;
    create domain positive as int check (value > 0);
    create type mood as enum ('good', 'bad');
    create function spy(x int) returns int language sql immutable as 'select x';
    create view spied as select spy(id) as id from orders;
    create function spy_of(o orders) returns int language sql immutable as 'select 1';
    create function abs(x text) returns int language sql immutable as 'select 1';
    create function near(a numeric, b numeric) returns boolean language sql immutable as 'select true';
    """
)
_NEAR = next(f for f in _DECLARED.functions if f.name == "near").to_ref()
CATALOG = replace(
    _DECLARED,
    operators=tuple(
        OperatorInfo(schema, name, "numeric", "numeric", "bool", _NEAR)
        for schema, name in (("public", "~=="), ("other", "="))
    ),
)
ORIGINAL = "select o.id from orders o where o.total > (select avg(total) from orders)"
GUARD = BoundGuard(CATALOG)

HOSTILE = {
    "another table": ("select id from secret", "table public.secret"),
    "another schema's table of the same name": ("select id from other.orders", "table other.orders"),
    "a view of the table": ("select id from big", "table public.big"),
    "a CTE elsewhere that hides the table's name": (
        (
            "select o.id from orders o, (with secret as (select 1 as id) select id from secret) s"
            " where o.id in (select id from secret)"
        ),
        "table public.secret",
    ),
    "a CTE that reads the table it is named after": (
        "with secret as (select id from secret) select id from secret",
        "table public.secret",
    ),
    "an earlier CTE that reads a later one's name": (
        "with a as (select id from secret), secret as (select 1 as id) select a.id from a, secret",
        "table public.secret",
    ),
    "a function": ("select spy(o.id) as id from orders o", "function public.spy(int4)"),
    "a function called as a column": ("select o.spy_of as id from orders o", "function spy_of"),
    "a function named like a harmless one": (
        "select abs(o.note) as id from orders o",
        "function public.abs(text)",
    ),
    "an operator": ("select o.id from orders o where o.total ~== 1", "operator public.~==(numeric, numeric)"),
    "an operator spelt with a schema": (
        "select o.id from orders o where o.total operator(other.=) 1",
        "operator other.=(numeric, numeric)",
    ),
    "a cast to a domain": ("select o.id::positive as id from orders o", "type public.positive"),
    "a literal of a type of a user's": (
        "select o.id from orders o where 'good'::mood = 'bad'",
        "type public.mood",
    ),
    "a file": (
        "select o.id from orders o where pg_read_file('/x') is not null",
        "function pg_read_file(text)",
    ),
    "a wait": ("select o.id from orders o where pg_sleep(9) is not null", "function pg_sleep(float8)"),
    "a setting": (
        "select o.id from orders o where set_config('a.b', 'c', false) is not null",
        "function set_config(text, text, bool)",
    ),
    "the server's catalog": ("select o.id from orders o, pg_catalog.pg_authid", "table pg_catalog.pg_authid"),
    "another writing": ("with a as (delete from orders returning id) select id from a", "data-modifying"),
    "a lock": ("select id from orders for update", "row locks"),
}

HARMLESS = {
    "the same": ORIGINAL,
    "written with its schema": "select o.id from public.orders o where o.total > (select avg(total) from public.orders)",
    "a join in place of the subquery": (
        "select o.id from orders o cross join (select avg(total) as a from orders) m where o.total > m.a"
    ),
    "a CTE": "with m as (select avg(total) as a from orders) select o.id from orders o, m where o.total > m.a",
    "a CTE named as a table that the original does not read": (
        "with secret as (select avg(total) as a from orders) select o.id from orders o, secret s where o.total > s.a"
    ),
    "a window": "select id from (select id, total, avg(total) over () as a from orders) o where total > a",
    "casts between the server's own types": "select o.id from orders o where o.total::float8::int::text = '1'",
    "harmless functions": "select o.id from orders o where round(abs(o.total)) = 1 and upper(o.note) = 'A'",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_the_original_does_not_use_is_not_planned(name: str) -> None:
    text, what = HOSTILE[name]
    complaint = GUARD.complaint(ORIGINAL, text)
    assert complaint is not None
    assert what in complaint


@pytest.mark.parametrize("name", HARMLESS)
def test_other_ways_to_ask_the_same_may_be_planned(name: str) -> None:
    assert GUARD.complaint(ORIGINAL, HARMLESS[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "select spy(o.id) as id from orders o",
        "select o.spy_of as id from orders o",
        "select o.id from orders o where o.total ~== 1",
        "select o.id from orders o where o.id = 1::positive",
        "select big.id from big",
    ],
)
def test_what_the_original_uses_may_be_used(text: str) -> None:
    assert GUARD.complaint(text, f"with q as ({text}) select id from q") is None


UNBOUND = "select o.id from orders o where o.no_such_column = 1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"{UNBOUND} and o.total ~== 1", "operator ~=="),
        (f"{UNBOUND} and abs(o.note) = 1", "function abs"),
        (f"{UNBOUND} and o.spy_of = 1", "function spy_of"),
        (f"{UNBOUND} and o.id::positive = 1", "type positive"),
        (f"{UNBOUND} and o.id in (select id from secret)", "table secret"),
    ],
)
def test_a_text_that_is_not_bound_may_name_nothing_that_a_user_made(text: str, what: str) -> None:
    complaint = GUARD.complaint(ORIGINAL, text)
    assert complaint is not None
    assert what in complaint


def test_a_text_that_is_not_bound_is_left_to_the_servers_own_message() -> None:
    assert GUARD.complaint(ORIGINAL, "select o.no_such_column from orders o") is None


def test_names_alone_know_the_scopes_of_ctes() -> None:
    text, _ = HOSTILE["a CTE elsewhere that hides the table's name"]
    assert NamesGuard().complaint(ORIGINAL, text) == "the original has no table secret"


def test_what_the_originals_views_read_may_be_read() -> None:
    assert GUARD.complaint("select id from big", "select orders.id from orders where total > 10") is None
    text = "select secret.id from secret where id > 10"
    complaint = GUARD.complaint("select id from big", text)
    assert complaint == "the original has no table public.secret"
    # only of what the view reads the function is the original's
    assert GUARD.complaint("select id from spied", "select spy(orders.id) as id from orders") is None
    assert GUARD.complaint("select id from big", "select spy(orders.id) as id from orders") is not None


def test_what_is_behind_a_view_that_hides_rows_is_not_read() -> None:
    text = "select orders.id from orders where total > 10"
    assert GUARD.complaint("select id from hiding", text) == "the original has no table public.orders"
    assert GUARD.complaint("select id from hiding", text, ours=True) is None
