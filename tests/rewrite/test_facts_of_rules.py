"""What rules take for known of keys, NULLs and effects, on the server's odd values and on users' own
functions and casts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.rewrite.rules import RULES
from rewright.rewrite.rules.apply import Applied, applications
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from tests.rewrite.sqlfixtures import answer

pytestmark = pytest.mark.server

SCHEMA = """
create schema own;
create table c (id int primary key, at timestamp not null);
create table o (id int primary key, c int, at timestamp not null, d date, x int not null);
insert into c values (1, '2020-01-01 10:00'), (2, 'infinity'), (3, '2020-01-01 12:00'), (4, '2020-01-01 10:00');
insert into o values (1, 1, '2020-05-05 10:00', '2020-01-01', 1), (2, 1, 'infinity', null, 2), (3, 2, '-infinity', null, 3);
-- a cast that makes a value of NULL, and one that gives another value each time
create function own.days(date) returns int language sql immutable as 'select coalesce($1 - date ''2000-01-01'', 7)';
create cast (date as int) with function own.days(date);
create sequence own.number;
create function own.next(date) returns bigint language sql volatile as 'select nextval(''own.number'')';
create cast (date as bigint) with function own.next(date);
-- an aggregate with the name of one that is never NULL
create function own.nothing(int, int) returns int language sql immutable as 'select null::int';
create aggregate own.count(int) (sfunc = own.nothing, stype = int);
"""
# how the server answers depends on what the rule must know
QUERIES = {
    "an infinite moment has no time of day": "SELECT c.id FROM c WHERE c.at::time NOT IN (SELECT o.at::time FROM o)",
    "nor one beside a key": "SELECT c.id FROM c WHERE c.at::time NOT IN (SELECT o.at::time FROM o WHERE o.c = c.id)",
    "an extreme of times of day": "SELECT c.id FROM c WHERE c.at::time >= ALL (SELECT o.at::time FROM o WHERE o.c = c.id)",
    "a cast makes a value of NULL": "SELECT c.id FROM c LEFT JOIN o ON o.c = c.id GROUP BY c.id HAVING sum(o.d::int) > 0",
    "in a comparison with a subquery": "SELECT c.id FROM c WHERE (SELECT max(o.d) FROM o WHERE o.c = c.id)::int > 5",
    "in an outer join's argument": "SELECT c.id, count(o.d::int) AS n FROM c LEFT JOIN o ON o.c = c.id GROUP BY c.id",
    "an aggregate called count": "SELECT c.id FROM c WHERE c.id NOT IN (SELECT g.n FROM (SELECT own.count(o.x) AS n FROM o GROUP BY o.c) g)",
}


@pytest.fixture(scope="module")
def connection(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA.encode())
        yield made


@pytest.fixture(scope="module")
def catalog(connection: psycopg.Connection[Any]) -> Catalog:
    return snapshot(connection)


def made_of(sql: str, catalog: Catalog) -> list[Applied]:
    return list(applications(bind(sql, catalog), catalog, RULES))


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_what_rules_make_of_odd_values_gives_the_same_rows(
    sql: str, connection: psycopg.Connection[Any], catalog: Catalog
) -> None:
    expected = answer(connection, sql)
    for made in made_of(sql, catalog):
        assert answer(connection, to_sql(made.query)) == expected, made.rule.name


def test_a_cast_by_a_volatile_function_is_not_shared(catalog: Catalog) -> None:
    one = "SELECT o.d::bigint AS n FROM o GROUP BY o.d"
    made = made_of(f"SELECT a.n = b.n AS same FROM ({one}) a, ({one}) b", catalog)
    assert "share_subqueries" not in {x.rule.name for x in made}
