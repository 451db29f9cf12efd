"""Recursions that step from value to value: what they are, and the nearest that are something else."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover, rows

SCHEMA = """
create table t (id int primary key, b bigint, k text not null, n numeric, c text collate "C", s smallint, at timestamp);
create table o (id int primary key, b bigint);
"""
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = """
insert into t select i, nullif(i % 5, 0), chr(97 + i % 3), (i % 4)::numeric, chr(97 + i % 2), i % 3, timestamp '2024-01-01' + i * interval '1 hour'
from generate_series(1, 40) i;
insert into t values (50, -9223372036854775808, '', 1.00, '', -1, 'infinity'), (51, 9223372036854775807, 'ä', 1.0, 'Z', null, null);
insert into o values (1, 2), (2, null);
"""
FIRST = "select min(b) from t where id > 3"
STEP = "select (select min(t.b) from t where t.id > 3 and t.b > r.b) from r where r.b is not null"
DISTINCT = "select distinct b from t where id > 3 and b is not null"


def stepped(
    first: str = FIRST, step: str = STEP, read: str = "b from r where b is not null", union: str = "all"
) -> str:
    return f"with recursive r(b) as ({first} union {union} {step}) select {read}"


def of(column: str) -> tuple[str, str]:
    """Two queries for the values of a column."""
    step = f"select (select min(t.{column}) from t where t.{column} > r.b) from r where r.b is not null"
    return (
        f"select distinct {column} from t where {column} is not null",
        stepped(f"select min({column}) from t", step),
    )


def with_null(asked: str, rows: str = "id > 3") -> str:
    """The values, and NULL where something is so."""
    return stepped(
        FIRST.replace("id > 3", rows),
        STEP.replace("t.id > 3", f"t.{rows}"),
        f"b from r where b is not null or {asked}",
    )


SAME = (
    ("select distinct b from t where id > 3", with_null("exists (select 1 from t where id > 3 and b is null)")),
    ("select distinct b from t where id < 5", with_null("exists (select 1 from t where id < 5 and b is null)", "id < 5")),
    ("select count(*) from (select distinct b from t where id > 3) x", with_null("exists (select from t where id > 3 and b is null)").replace(") select b from", ") select count(*) from")),
    (DISTINCT, stepped()),
    (DISTINCT, stepped(step=STEP.replace("t.b > r.b", "r.b < t.b"))),
    (f"{DISTINCT} order by b desc limit 2", stepped(read="b from r where b is not null order by b desc limit 2")),
    ("select count(distinct b) from t where id > 3", stepped(read="count(*) from r where b is not null")),
    (
        "select b, max(at) from t where id > 3 and b is not null group by b",
        stepped(read="r.b, x.m from r, lateral (select max(at) as m from t where id > 3 and t.b = r.b) x where r.b is not null"),
    ),
    (
        "select distinct on (b) b, id from t where id > 3 and b is not null order by b, at desc, id",
        stepped(
            read="r.b, x.id from r, lateral (select id from t where id > 3 and t.b = r.b order by at desc, id limit 1) x "
            "where r.b is not null order by r.b"
        ),
    ),
    (f"{DISTINCT} union all select null", stepped(read="b from r")),
    of("k"),
    of("c"),
    of("s"),
    of("at"),
)  # fmt: skip
DIFFERENT = (
    (
        "select distinct b from t where id < 5",
        with_null("exists (select 1 from t where b is null)", "id < 5"),
    ),
    (
        "select distinct b from t where id < 5",
        with_null("exists (select count(*) from t where id < 5 and b is null)", "id < 5"),
    ),
    (
        "select distinct b from t where id < 5",
        with_null("not exists (select 1 from t where id < 5 and b is not null)", "id < 5").replace(
            "not null or", "not null or true or"
        ),
    ),
    (
        "select distinct b from t where id > 3",
        with_null("exists (select 1 from t where id > 3 and b is null limit 0)"),
    ),
    (
        "select distinct b from t where id > 3",
        with_null("exists (select 1 from t where id > 3 and k is null)"),
    ),
    (
        "select distinct b from t where id > 3",
        with_null("not exists (select 1 from t where id > 3 and b is null)"),
    ),
    (
        "select distinct b from t where id > 3",
        with_null("exists (select 1 from t where id > 3 and b is null)").replace(" or ", " and "),
    ),
    # the NULL of the last step, and of the column
    (DISTINCT, stepped(read="b from r")),
    ("select distinct b from t where id > 3", stepped(read="b from r where b is not null")),
    # other rows, other values, another order
    (DISTINCT, stepped(first=FIRST.replace("> 3", "< 30"))),
    (DISTINCT, stepped(step=STEP.replace("> 3", "< 3"))),
    (DISTINCT, stepped(first=FIRST.replace("min", "max"))),
    (DISTINCT, stepped(step=STEP.replace("min", "max"))),
    (DISTINCT, stepped(step=STEP.replace("min(t.b)", "min(t.b + 1)"))),
    (DISTINCT, stepped(step=STEP.replace("t.b > r.b", "t.b < r.b"))),
    (DISTINCT, stepped(step=STEP.replace("t.b > r.b", "t.b > r.b + 1"))),
    (DISTINCT, stepped(step=STEP.replace("from r where", "from r, o where"))),
    (DISTINCT, stepped(step=STEP.replace("r.b is not null", "r.b < 3"))),
    (DISTINCT, stepped(step=STEP.replace("r.b is not null", "r.b is not null and r.b < 3"))),
    (DISTINCT, stepped(step=STEP.replace("(select min", "(select o.b from o where o.id = 1) + (select min"))),
    # a condition on the value of the round before, in the place of the same column of the rows
    (
        "select distinct id from t where id % 2 = 0",
        stepped(
            "select min(id) from t where id % 2 = 0",
            "select (select min(t.id) from t where r.b % 2 = 0 and t.id > r.b) from r where r.b is not null",
        ),
    ),
    # readers that meet the NULL, or show how the column is called
    (f"select count(*) from ({DISTINCT}) x", stepped(read="count(*) from r")),
    (
        f"select o.id, x.b from o left join ({DISTINCT}) x on x.b = o.b",
        stepped(read="o.id, r.b from o left join r on r.b = o.b or r.b is null"),
    ),
    (
        f"select row_to_json(x)::text from ({DISTINCT.replace('distinct b', 'distinct b as value')}) x",
        stepped(read="row_to_json(r)::text from r where r.b is not null"),
    ),
)
# they are the same here, but for how equal values look or what is not known of them
SILENT = (of("n"),)


proved = prover(CATALOG)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("first", "second"), SAME)
def test_steps_give_the_different_values(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert not found.modulo


@pytest.mark.parametrize(("first", "second"), [*DIFFERENT, *SILENT])
def test_what_does_not_step_from_each_value_to_the_next_is_not_proved(first: str, second: str) -> None:
    assert proved(first, second) is None


def test_what_a_condition_may_raise_behind_an_index_is_reserved() -> None:
    fails = "10 / id > 0"
    found = proved(
        DISTINCT.replace("id > 3", fails),
        stepped(FIRST.replace("id > 3", fails), STEP.replace("t.id > 3", "10 / t.id > 0")),
    )
    assert found is not None
    assert set(found.modulo) == {"errors"}


@pytest.mark.server
def test_what_is_said_of_the_pairs_is_so(scratch_server: ScratchServer) -> None:
    dsn = scratch_server.dsn(scratch_server.create_database("stepping"))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        connection.execute(ROWS.encode())

        for first, second in SAME:
            assert rows(connection, first) == rows(connection, second), second
        connection.execute("set statement_timeout = '2s'")
        for first, second in DIFFERENT:
            try:
                same = rows(connection, first) == rows(connection, second)
            except psycopg.Error:  # endless, or out of range
                same = False
            assert not same, second
