"""What may not be replaced, with the reason; and the nearest that may."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.rewrite.eligible import eligible
from rewright.sql.algebra import TableRef
from rewright.sql.ddl import catalog_from_ddl

BASE = catalog_from_ddl(
    "create table t (a int primary key, b text); create table u (a int, t int references t (a));"
    "create view v as select a from t; create view w as select random() as r from t;"
)


def with_table(name: str, **facts: object):  # type: ignore[no-untyped-def]
    table = BASE.table(TableRef("public", name))
    return BASE.with_relations(replace(table, **facts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select random() from t", "volatile function random()"),
        (
            "select a from t where exists (select 1 from u where u.a = t.a order by clock_timestamp())",
            "clock_timestamp",
        ),
        ("select pg_catalog.random()", "volatile function random()"),
        ("select nextval('s') from t", "nextval"),
        ("select current_query()", "tells what runs"),
        ("select no_such_function(a) from t", "unknown function"),
        ("select a from t for update", "row locks"),
        ("select a from (select a from t for share) x", "row locks"),
        ("with d as (delete from t returning a) select a from d", "data-modifying"),
        ("select a into n from t", "SELECT INTO"),
        ("select a from t tablesample system (10)", "TABLESAMPLE"),
        ("select ctid, a from t", "system column ctid"),
        ("select t.xmin from t", "system column xmin"),
        ("select relname from pg_class", "system catalog pg_class"),
        ("select a from nowhere", "unknown table nowhere"),
        ("select r from w", "volatile function random() in a view"),
        ("insert into t values (1)", "not a SELECT"),
    ],
)
def test_refused(sql: str, reason: str) -> None:
    assert reason in (eligible(sql, BASE) or "")


@pytest.mark.parametrize(
    "sql",
    [
        "select a, count(*) from t group by a order by a limit 3",
        "select now(), lower(b), sum(a) over (partition by b) from t",
        "with t as (select 1 as a) select a from t",
        "select v.a from v join u on u.t = v.a",
        "select a from t order by b fetch first 3 rows with ties",
        "values (1), (2)",
    ],
)
def test_allowed(sql: str) -> None:
    assert eligible(sql, BASE) is None


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"row_security": True}, "row-level security on public.t"),
        ({"temporary": True}, "temporary table"),
        ({"kind": "foreign"}, "foreign table"),
        ({"has_children": True}, "inheritance on public.t"),
        ({"kind": "partitioned"}, None),
    ],
)
def test_tables(facts: dict[str, object], reason: str | None) -> None:
    catalog = with_table("t", **facts)
    for sql in ("select a from t", "select a from v"):
        found = eligible(sql, catalog)
        assert found is None if reason is None else reason in (found or "")


def test_row_security_that_the_measuring_account_bypasses_is_no_reason() -> None:
    catalog = with_table("t", row_security=True)
    assert eligible("select a from t", catalog, filtered=frozenset()) is None
    assert "row-level security" in (
        eligible("select a from t", catalog, filtered=frozenset({("public", "t")})) or ""
    )
    # below a view its owner's rights count
    assert "row-level security" in (eligible("select a from v", catalog, filtered=frozenset()) or "")


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("select a, b from t", False),
        ("select count(*) from t join u on u.t = t.a", False),
        ("select x.a from (select a from t) x", False),
        ("select c from t", True),
        ("select u.a from u where exists (select 1 from t where t.a = u.t and t.c > 1)", True),
        # as one of all columns, or of a row as one value
        ("select * from t", True),
        ("select count(x) from t as x", True),
        ("select (x).a from t as x", True),
        ("select u.a from u natural join t", True),
        ("select u.a from u join t using (c)", True),
        ("select x.* from (select u.* from u, t where u.t = t.a) x", False),
        ("select * from (select t.a from t) x, unnest(array[1]) as t", False),
        ("select u.a from u, t as z where z is not null", True),
        ("select u.a, z.* from u join t z on true", True),
        ("select 1 from (select * from u join t on true) x", True),
        # in a view
        ("select a from s", True),
        ("select a from v", False),
    ],
)
def test_virtual_columns_that_are_not_read_are_no_reason(sql: str, *, reads: bool) -> None:
    catalog = catalog_from_ddl(
        "create table t (a int primary key, b text, c int generated always as (1 / a) virtual);"
        "create table u (a int, t int, c int); create view v as select a from t; create view s as select a, c from t;"
    )
    found = eligible(sql, catalog)
    assert found == ("virtual generated column c of public.t" if reads else None)
