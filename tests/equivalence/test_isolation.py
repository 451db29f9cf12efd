"""Hostile schemas and queries are refused, and what gets past the first wall is contained."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.isolation import Refused, screen_query, screen_schema
from rewright.equivalence.options import Options
from rewright.equivalence.refuter.scratch_database import ScratchDatabase, harden
from rewright.equivalence.verdicts import Refuted, Unknown
from tests.proxy.waiting import Stopwatch

pytestmark = pytest.mark.long

HOSTILE_SCHEMAS = {
    "anonymous block": "do 'begin execute ''drop table t''; end'",
    "copy program": "copy t from program 'id'",
    "rule": "create table t (a int); create rule r as on select to t do instead select 1",
    "role": "create role mallory superuser",
    "alter role": "alter role scratch superuser",
    "alter system": "alter system set shared_preload_libraries = 'x'",
    "writing function": "create function f() returns int language sql as 'delete from t returning 1'",
    "tablespace": "create tablespace s location '/tmp'",
    "load": "load 'auto_explain'",
    "data": "create table t (a int); update t set a = 1",
    "as select": "create table t as select pg_sleep(9)",
    "temporary": "create temp table t (a int)",
    "too many tables": "".join(f"create table t{i} (a int);" for i in range(501)),
    "too much text": "create table t (a int);" + " " * 2_000_000,
    "too deep": "create table t (a int check (" + "abs(" * 1500 + "a" + ")" * 1500 + " > 0))",
    "ten thousand tables": "".join(f"create table t{i} (a int);" for i in range(10_000)),
}
# never run; what a pair does not name it does not need
LEFT_OUT = {
    "rows": "create table t (a int); insert into t values (1)",
    "row security": "create table t (a int); alter table t enable row level security",
    "foreign server": "create server s foreign data wrapper postgres_fdw",
    "other language": "create function f() returns int language plpython3u as 'import os'",
    "c function": "create function f(text) returns int language c as 'system', 'system'",
    "plpgsql": "create function f() returns int language plpgsql as 'begin perform pg_sleep(9); end'",
    "extension": "create extension dblink",
    "event trigger": "create event trigger e on ddl_command_start execute function f()",
    "trigger": "create table t (a int); create trigger g before insert on t execute function suppress_redundant_updates_trigger()",
    "set role in a function": "create function f() returns int language sql set role postgres as 'select 1'",
    "subscription": "create subscription s connection 'host=x' publication p",
    "text search": "create text search configuration mine (copy = pg_catalog.english)",
    "materialized view": "create materialized view m as select 1 as a",
    "security definer": "create function f() returns int language sql security definer as 'select 1'",
}
HOSTILE_QUERIES = {
    "two statements": "select 1; drop table t",
    "not a select": "delete from t",
    "into": "select * into u from t",
    "locking": "select * from t for update",
    "writing cte": "with x as (delete from t returning a) select * from x",
    "copy": "copy t to program 'id'",
    "catalog": "select rolpassword from pg_authid",
    "information schema": "select * from information_schema.tables",
    "do": "do 'begin end'",
    "tablesample": "select * from t tablesample system (10)",
}
VOLATILE = [
    "pg_sleep(30)",
    "pg_read_file('/etc/passwd')",
    "lo_import('/etc/passwd')",
    "set_config('statement_timeout', '0', false)",
    "pg_terminate_backend(1)",
    "query_to_xml('drop table t', true, true, '')",
    "pg_advisory_lock(1)",
    "nextval('s')",
    "random()",
    "pg_ls_dir('/')",
    "dblink('', '')",
]
BOMBS = [
    "select count(*) from generate_series(1, 1000000000000)",
    "select array_agg(x) from generate_series(1, 2000000000) x",
    "select length(string_agg(repeat('x', 1000000), '')) from generate_series(1, 1000000)",
    "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r",
    "select a from t order by (select count(*) from generate_series(1, 100000000) x, generate_series(1, 100) y)",
]


@pytest.mark.parametrize("name", HOSTILE_SCHEMAS)
def test_hostile_schema_text_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        screen_schema(HOSTILE_SCHEMAS[name])


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_a_pair_may_not_need_is_left_out_and_named(name: str) -> None:
    schema = screen_schema(LEFT_OUT[name] + "; create table kept (a int)")
    assert not any(
        word in text for text in schema.statements for word in ("function", "extension", "trigger")
    )
    assert schema.statements[-1] == "create table kept (a int)"
    assert len(schema.omitted) == 1


@pytest.mark.parametrize(
    "text",
    [
        "create extension intarray",  # its operators on int[] win over the built-in ones
        "create operator = (leftarg = int, rightarg = text, function = f)",
        "create cast (int as text) with function f(int)",
        "create function f(int) returns bool language plpgsql as ''; create table t (a int check (f(a))); do ''",
    ],
)
def test_what_may_change_the_meaning_of_other_things_is_not_left_out(text: str) -> None:
    with pytest.raises(Refused):
        screen_schema(text)


@pytest.mark.server
def test_a_pair_is_judged_without_what_it_does_not_need(scratch_server: ScratchServer) -> None:
    schema = """
        create extension vector; create extension pg_trgm;
        create table t (id int primary key, s text, x int);
        create index on t using gin (s gin_trgm_ops);
        create table odd (c vector check (c <> '')); alter table odd add unique (c);
        create function f(int) returns int language plpgsql as 'begin return 1; end';
        create operator ## (leftarg = int, rightarg = int, function = f2);
        create trigger g before insert on t for each row execute function f();
        create materialized view m as select x from t; create unique index on m (x); create view w as select x from m;
        create text search configuration mine (copy = pg_catalog.english);
        create view v as select f(x) from t;"""
    with Checker(scratch=scratch_server, options=Options(databases=200), schema_sql=schema) as checker:
        found = checker.check("select id from t where x > 3", "select id from t where x >= 3")
        assert isinstance(found, Refuted)
        assert {"extension vector", "function f", "operator ##", "trigger g", "view v", "table odd"} <= set(
            found.stamp.omitted
        )
        for query in (
            "select f(x) from t",
            "select x ## 1 from t",
            "select * from v",
            "select c from odd",
            "select x from m",
        ):
            assert isinstance(checker.check(query, query + " where true"), Unknown), query


@pytest.mark.parametrize("name", HOSTILE_QUERIES)
def test_hostile_queries_are_refused(name: str) -> None:
    with pytest.raises(Refused):
        screen_query(HOSTILE_QUERIES[name])


def test_what_pg_dump_writes_is_let_in() -> None:
    schema = screen_schema(
        "SET statement_timeout = 0; SELECT pg_catalog.set_config('search_path', '', false); "
        "CREATE TABLE public.t (a integer NOT NULL); ALTER TABLE public.t OWNER TO joe; "
        "COMMENT ON TABLE public.t IS 'x'; ALTER TABLE ONLY public.t ADD CONSTRAINT p PRIMARY KEY (a); "
        "GRANT SELECT ON public.t TO joe;"
    )
    assert len(schema.statements) == 2


@pytest.mark.server
@pytest.mark.parametrize("call", VOLATILE)
def test_volatile_functions_are_not_run(call: str, scratch_server: ScratchServer) -> None:
    table = "create table t (a int)"
    with Checker(scratch=scratch_server, schema_sql=table) as checker, Stopwatch() as watch:
        verdict = checker.check(f"select {call} from t", f"select {call} from t where true")
    assert isinstance(verdict, Unknown)
    assert watch.seconds < 10


@pytest.mark.server
def test_a_view_does_not_hide_a_volatile_function(scratch_server: ScratchServer) -> None:
    schema = "create table t (a int); create view v as select pg_sleep(30) from t"
    with Checker(scratch=scratch_server, schema_sql=schema) as checker:
        verdict = checker.check("select * from v", "select * from v where true")
    assert isinstance(verdict, Unknown)
    assert "pg_sleep" in verdict.reason


@pytest.mark.server
@pytest.mark.parametrize("text", BOMBS)
def test_bombs_end_in_time(text: str, scratch_server: ScratchServer) -> None:
    options = Options(seconds=3, databases=200)
    with Checker(scratch=scratch_server, options=options, schema_sql="create table t (a int)") as checker:
        with Stopwatch() as watch:
            verdict = checker.check(text, text + " limit 7")
        assert not isinstance(verdict, Refuted)
        assert watch.seconds < 25
        # and the next pair is served
        assert isinstance(checker.check("select a from t", "select a + 1 from t"), Refuted)


@pytest.mark.server
def test_the_role_has_no_rights_beyond_its_database(scratch_server: ScratchServer) -> None:
    harden(scratch_server)
    with ScratchDatabase(scratch_server, screen_schema("create table t (a int)")) as scratch_db:
        run = scratch_db.connection.execute
        for forbidden in (
            "copy t from program 'id'",
            "copy t to '/tmp/x'",
            "select pg_read_file('/etc/passwd')",
            "select lo_import('/etc/passwd')",
            "create role mallory",
            "set role postgres",
            "set session authorization postgres",
            "alter system set work_mem = '1GB'",
            "set temp_file_limit = -1",
            "create function f() returns int language c as 'x'",
            "create extension plpython3u",
            "create database d",
            "select * from pg_authid",
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'",
        ):
            with pytest.raises(psycopg.Error):
                run(forbidden.encode())
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(scratch_server.unprivileged_dsn("postgres", unix=True))
        assert run("show temp_file_limit").fetchone() == ("256MB",)
        scratch_db.set_timeout(120_000)
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
            run(
                "select count(*) from (select md5(x::text) || repeat('x', 900) r "
                "from generate_series(1, 1000000) x order by r) t"
            )


@pytest.mark.server
def test_types_and_functions_of_others_are_unknown(scratch_server: ScratchServer) -> None:
    schema = "create table t (a int)"
    with Checker(scratch=scratch_server, schema_sql="create table t (a hstore)") as checker:
        verdict = checker.check("select a from t", "select a from t where true")
        assert isinstance(verdict, Unknown)
        assert "hstore" in verdict.reason
    with Checker(scratch=scratch_server, schema_sql=schema) as checker:
        verdict = checker.check("select f(a) from t", "select f(a) from t where true")
        assert isinstance(verdict, Unknown)
        assert "f(integer)" in verdict.reason


def test_an_extension_is_made_only_before_a_strangers_functions() -> None:
    function = "create function f(int) returns int language sql as 'select 1'"
    made = frozenset({"citext", "hstore"})
    first = screen_schema(f"create extension citext version '1.4' cascade; {function}", made)
    assert first.statements[0] == "create extension if not exists citext with schema public"
    assert not first.omitted
    later = screen_schema(f"{function}; create extension citext", made)
    assert later.statements == (function,)
    assert [one.label for one in later.omitted] == ["extension citext"]
    named = screen_schema('create schema "E"; create extension hstore with schema "E"', made)
    assert named.statements[1] == 'create extension if not exists hstore with schema "E"'
