"""``rewright rewrite --top`` on a server that keeps statistics of its statements."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.postgres.looking import Kept
from rewright.engines.postgres.references import look
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.rewrite.offline import top
from rewright.sql.algebra import TableRef

pytestmark = pytest.mark.server

SETUP = """
create extension pg_stat_statements;
create table part (id int primary key, brand text, box text);
create table line (id int primary key, part int references part, qty numeric(12,2), price numeric(12,2));
insert into part select i, 'Brand#' || i % 20, 'Box' || i % 10 from generate_series(1, 1000) i;
insert into line select i, 1 + i % 1000, i % 50, i % 1000 from generate_series(1, 20000) i;
create function twice(x int) returns int language sql as 'select 2 * x';
analyze;
"""


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    with ScratchServer({"shared_preload_libraries": "pg_stat_statements"}) as server:
        found = server.dsn(server.create_database())
        with psycopg.connect(found, autocommit=True) as connection:
            connection.execute(SETUP.encode())
        yield found


@pytest.mark.long
def test_the_most_expensive_statement_is_rewritten_for_any_of_its_values(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select pg_stat_statements_reset()")
        for brand in (3, 7):
            connection.execute(
                f"select sum(price) / 7.0 from line l, part p where p.id = l.part and brand = 'Brand#{brand}' and box = 'Box3'"
                " and qty < (select 0.2 * avg(qty) from line where part = p.id)".encode()
            )
        connection.execute("select count(*) from part where id in (1, 2, 3) and twice(id) > 1")
        connection.execute("insert into part values (0, 'x', 'y')")
    ran = CliRunner().invoke(rewright, ["rewrite", "--dsn", dsn, "--top", "4", "--json", "--budget", "20s"])
    assert ran.exit_code == 0, ran.output
    first, *others = json.loads(ran.stdout)
    assert (first["calls"], first["verdict"], first["scope"]) == (2, "proved", "any")
    assert "$2" in first["rewritten"]
    assert all(o["original"].lower().startswith(("select", "with")) and o["reason"] for o in others)


def test_an_ordinary_role_is_told_of_its_own_statements(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create role app login password 'app'")
        connection.execute("grant select on part, line to app")
    try:
        parts = psycopg.conninfo.conninfo_to_dict(dsn)
        own = psycopg.conninfo.make_conninfo(**{**parts, "user": "app", "password": "app"})
        with psycopg.connect(own, autocommit=True) as connection:
            connection.execute("select count(*) from line l where l.qty > 3 and l.price < 900")
        ran = CliRunner().invoke(
            rewright,
            ["rewrite", "--dsn", own, "--top", "5", "--json", "--measure", "explain", "--budget", "5s"],
        )
        assert ran.exit_code == 0, ran.output
        assert any("l.price" in one["original"] for one in json.loads(ran.stdout))
    finally:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("drop owned by app; drop role app")


@pytest.fixture
def cleared(dsn: str) -> Iterator[psycopg.Connection[object]]:
    """A session, after which and before which the statistics are empty."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select pg_stat_statements_reset()")
        yield connection
        connection.execute("select pg_stat_statements_reset()")


@pytest.mark.parametrize(
    "before",
    [
        "/* criteria query */ ",
        "/*application:shop**/\n",
        "-- of the monthly report\n",
        "(",
        " /* a */ /* b */ -- c\n",
    ],
)
def test_what_stands_before_a_query_hides_it_from_nobody(
    dsn: str, cleared: psycopg.Connection[object], before: str
) -> None:
    text = "select count(*) from line where qty > 3" + ")" * before.count("(")
    cleared.execute(f"{before}{text}".encode())
    cleared.execute("/* select */ update part set brand = 'x' where id = -1")
    with Session(dsn) as session:
        (found,) = top(session, 5)
    assert "from line where qty" in found.sql


def test_our_looks_at_stored_rows_are_not_the_applications(
    dsn: str, cleared: psycopg.Connection[object]
) -> None:
    cleared.execute("select count(*) from line")
    with Session(dsn) as session:
        # the same role looks whether the rows keep the foreign key
        assert isinstance(look(session.connection, TableRef("public", "line"), "line_part_fkey", 5), Kept)
        ran = cleared.execute("select query from pg_stat_statements where query ~ 'not exists'").fetchall()
        assert ran, "the look is recorded"
        assert [one.sql for one in top(session, 5)] == ["select count(*) from line"]
