"""A checker over the snapshot of a live database: its schema is made again on the scratch server."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Proved, Refuted, Tested, Unknown

pytestmark = pytest.mark.server

SCHEMA = """
create type mood as enum ('sad', 'ok');
create domain small as int check (value between 0 and 9);
create schema "Other";
create table a (id int primary key, x numeric(6,2) check (x > 5), m mood, p small, t varchar(7), c char(3), n text not null);
create table "Other".b (id int generated always as identity primary key, aid int references a, at timestamp(3), unique (aid, at));
create view v as select a.id, a.m, b.at from a join "Other".b on b.aid = a.id;
create view w as select v.id from v where m = 'sad';
create table d (k int unique deferrable initially deferred);
create table g (k int, twice int generated always as (k * 2) stored);
create function f(int) returns int language sql immutable as 'select $1';
"""


@pytest.fixture(scope="module")
def live(scratch_server: ScratchServer, module_database: str) -> Iterator[Checker]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        catalog = snapshot(connection)
    with Checker(catalog, scratch_server, Options(databases=500)) as checker:
        yield checker


def test_views_types_and_constraints_are_made_again(live: Checker) -> None:
    same = live.check(
        "select id from w", "select a.id from a join \"Other\".b on b.aid = a.id where a.m = 'sad'"
    )
    assert isinstance(same, Proved | Tested)
    assert same.stamp.catalog_digest
    assert same.stamp.server_version.startswith("18")
    assert isinstance(live.check("select id from v", "select id from a"), Refuted)
    assert isinstance(
        live.check("select n from a where x > 4 or x is null", "select n from a"), Proved | Tested
    )
    assert isinstance(
        live.check("select n from a where p >= 1", "select n from a where p <> 0"), Proved | Tested
    )
    assert isinstance(live.check('select distinct at from "Other".b', 'select at from "Other".b'), Refuted)


def test_what_a_scratch_server_lacks_is_named_and_poisons_nothing(live: Checker) -> None:
    verdict = live.check("select f(id) from a", "select f(id) from a where true")
    assert isinstance(verdict, Unknown)
    assert "f(integer)" in verdict.reason
    verdict = live.check("select twice + f(1) from g", "select k * 2 + f(1) from g where true")
    assert isinstance(verdict, Unknown)
    assert "f(integer)" in verdict.reason
    # a stored generated column holds its expression's value
    verdict = live.check("select twice from g", "select k * 2 from g")
    assert isinstance(verdict, Proved)
    assert "check on public.g (generated twice)" in verdict.assumptions
    assert isinstance(live.check("select k from d", "select k from d where k is not null"), Refuted)
