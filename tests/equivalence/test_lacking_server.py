"""What the scratch server cannot hold or is not: a proof is still given, and nothing else."""

from __future__ import annotations

import re

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Proved, Refuted, Tested, Unknown

pytestmark = pytest.mark.server
# the embedded server is built without ICU
SCHEMA = """
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain label as text collate ci;
create table t (id int primary key, a text collate ci, n int);
create table w (id int primary key, a text collate "en-US-x-icu", n int);
create table z (id int primary key, n int);
create table child (id int primary key, t int references t, n int);
create table late (id int primary key, t int, n int);
alter table late add foreign key (t) references t;
create view seen as select id, n from t;
create view of_domain as select id, n, null::label as other from z;
create index on t (n);
"""
LACKING = ("t", "w", "child", "late", "seen", "of_domain")
DOMAINS = """
create domain d as text collate "C";
create type c as (a text collate "C", b int);
create table t (id int primary key, x d not null, y text not null);
create table u (id int primary key, c c not null);
"""
ROW_SECURITY = """
create extension citext;
create table parent (id int primary key, owner text not null, name citext);
create table child (id int primary key, parent_id int not null references parent, n int not null);
alter table parent enable row level security;
alter table only parent force row level security;
create policy own on parent using (owner = current_user);
create function touch() returns trigger language plpgsql as 'begin return new; end';
create trigger touched before insert on child for each row execute function touch();
"""


@pytest.mark.parametrize("name", LACKING)
def test_relations_that_the_server_lacks_are_judged_by_proof_alone(
    name: str, scratch_server: ScratchServer
) -> None:
    with Checker(scratch=scratch_server, schema_sql=SCHEMA) as checker:
        equal = checker.check(
            f"select id from {name} where n = 1", f"select id from {name} where n = 1 and n > 0"
        )
        differ = checker.check(f"select id from {name} where n = 1", f"select id from {name} where n = 2")
    assert isinstance(equal, Proved)
    assert isinstance(differ, Unknown)
    assert re.search(f"the scratch database lacks (table|view) {name}", differ.reason)
    assert {f"table {name}", f"view {name}"} & {*differ.stamp.omitted}


def test_the_other_relations_are_run(scratch_server: ScratchServer) -> None:
    with Checker(scratch=scratch_server, schema_sql=SCHEMA) as checker:
        assert isinstance(
            checker.check("select id from z where n = 1", "select id from z where n = 2"), Refuted
        )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("select id from t where a = 'x' and a = 'X'", "select id from t where false"),
        ("select id from t where a = 'x'", "select id from t where a = 'x' and a <> 'X'"),
        ("select a from t where a = 'x'", "select 'x' from t where a = 'x'"),
        ("select id from w order by a, id", 'select id from w order by a collate "C", id'),
        ("select length(a) from t group by a, length(a)", "select distinct length(a) from t"),
    ],
)
def test_constants_may_be_equal_under_a_collation_of_the_schema(
    first: str, second: str, scratch_server: ScratchServer
) -> None:
    with Checker(scratch=scratch_server, schema_sql=SCHEMA) as checker:
        assert isinstance(checker.check(first, second), Unknown)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("select max(x::text) from t", 'select max(x::text collate "default") from t'),
        ("select max(x) from t", 'select max(x collate "default") from t'),
        ("select id from t where x < y", 'select id from t where x::text collate "default" < y'),
        ("select id from t where x < 'b'", "select id from t where (x::text collate \"default\") < 'b'"),
        ("select id from u order by (c).a, id", 'select id from u order by (c).a collate "default", id'),
    ],
)
def test_domains_and_fields_have_the_collation_they_are_made_with(
    first: str, second: str, scratch_server: ScratchServer
) -> None:
    with Checker(scratch=scratch_server, schema_sql=DOMAINS) as checker:
        assert isinstance(checker.check(first, second), Refuted | Tested)


def test_a_collation_that_nothing_makes_is_an_error(scratch_server: ScratchServer) -> None:
    with Checker(scratch=scratch_server, schema_sql="create table t (a text collate nowhere)") as checker:
        verdict = checker.check("select a from t", "select a from t where true")
    assert isinstance(verdict, Unknown)
    assert "nowhere" in verdict.reason


def test_of_another_version_only_a_proof_is_given(scratch_server: ScratchServer) -> None:
    options = Options(server_major=14)
    with Checker(scratch=scratch_server, options=options, schema_sql="create table t (a int)") as checker:
        proved = checker.check("select a from t", "select a from t where true")
        other = checker.check("select a from t", "select a from t where a > 1")
        volatile = checker.check("select random() from t", "select random() from t where true")
    assert isinstance(proved, Proved)
    assert isinstance(other, Unknown)
    assert "the scratch server is PostgreSQL 18, not 14" in other.reason
    assert isinstance(volatile, Unknown)


def test_row_security_hides_any_rows(scratch_server: ScratchServer) -> None:
    joined = "select c.id from child c join parent p on p.id = c.parent_id"
    with Checker(scratch=scratch_server, schema_sql=ROW_SECURITY) as checker:
        # twice: what is known of the columns outlives the scratch database of other relations
        for _ in range(2):
            assert isinstance(checker.check(joined, "select id from child"), Refuted)
            assert isinstance(checker.check(f"{joined} where n > 1", f"{joined} and n > 1"), Proved)
            distinct = checker.check("select distinct id, owner from parent", "select id, owner from parent")
            assert isinstance(distinct, Proved)
            names = checker.check(
                "select id from parent where name = 'a'", "select id from parent where name = 'A'"
            )
            assert isinstance(names, Unknown)
            assert "extension" in names.reason
    assert {"row security of parent", "policy own", "trigger touched"} <= {*distinct.stamp.omitted}


def test_row_security_of_a_schema_that_is_not_understood_is_refused(scratch_server: ScratchServer) -> None:
    schema = "create table t (a int); alter table t enable row level security; create domain d as int; alter domain d rename to e"
    with Checker(scratch=scratch_server, schema_sql=schema) as checker:
        verdict = checker.check("select a from t", "select a from t where true")
    assert isinstance(verdict, Unknown)
    assert "row security" in verdict.reason


STRANGERS = """
create extension if not exists "uuid-ossp";
drop table if exists u;
create table u (id uuid default uuid_generate_v4() primary key, n int not null default 3 check (n > 0));
create table w (id uuid, n int);
alter table w alter column id set default uuid_generate_v4();
create function h(int) returns table (a int) language sql stable as 'select $1';
create view j as select json_value('{"a":1}'::jsonb, '$.a') as a;
create sequence s;
select pg_catalog.setval('s', 3, true);
insert into w values (null, 1);
analyze w;
"""


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("select id from u where n > 0", "select id from u", Proved),
        ("select id from u", "select id from u where n > 1", Refuted),
        # no row of a schema's text is more than an example
        ("select count(*) from w", "select 1::bigint", Refuted),
        ("select n from w", "select n from w where true", Proved),
        # of what is not understood nothing is proved
        ("select * from h(3)", "select * from h(2 + 1)", Tested),
        ("select a from j", "select a from j where true", Tested),
        ("select a from j", "select a from j where a = '2'", Refuted),
    ],
)
def test_what_a_schema_has_besides_does_not_stand_in_the_way(
    first: str, second: str, verdict: type, scratch_server: ScratchServer
) -> None:
    with Checker(scratch=scratch_server, schema_sql=STRANGERS) as checker:
        found = checker.check(first, second)
    assert isinstance(found, verdict), found
