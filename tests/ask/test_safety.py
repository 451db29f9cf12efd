"""What a generated query may be: hostile texts are refused, ordinary analysis is not, and the server is a
second wall.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.ask.execution import Execution, ExecutionError, Limits
from rewright.ask.safety import Checked, Refused, Rules, check
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer

HOSTILE = [
    # more than one statement, or another kind
    "select 1; select 2",
    "select 1; drop table t",
    "rollback; drop table t",
    "commit",
    "select 1;; delete from t",
    "",
    ";",
    "-- nothing",
    "insert into t values (1)",
    "update t set a = 1",
    "delete from t",
    "merge into t using t s on t.a = s.a when matched then delete",
    "truncate t",
    "drop table t",
    "create table u as select * from t",
    "create materialized view m as select 1",
    "alter role postgres superuser",
    "grant all on t to public",
    "do $$ begin perform 1; end $$",
    "call p()",
    "copy t to '/tmp/x'",
    "copy (select 1) to program 'sh'",
    "copy t from program 'sh'",
    "set statement_timeout = 0",
    "reset all",
    "show all",
    "explain analyze delete from t",
    "explain select 1",
    "prepare p as select 1",
    "execute p",
    "declare c cursor for select 1",
    "listen x",
    "notify x",
    "lock table t",
    "vacuum t",
    "refresh materialized view m",
    "load 'x'",
    # parts of a SELECT that change or lock
    "select * into u from t",
    "select * from t for update",
    "select * from (select * from t for share) s",
    "select * from t where a in (select a from t for no key update)",
    "with x as (delete from t returning *) select * from x",
    "with x as (insert into t values (1) returning a) select * from x",
    "with x as (update t set a = 2 returning a) select * from x",
    "select * from (with x as (delete from t returning *) select * from x) y",
    # functions
    "select set_config('statement_timeout', '0', false)",
    "select pg_catalog.set_config('role', 'postgres', false)",
    "select SET_CONFIG('role', 'postgres', false)",
    "select \"set_config\"('role', 'postgres', false)",
    "select U&\"\\0073et_config\"('role', 'x', false)",
    "select current_setting('data_directory')",
    "select pg_read_file('/etc/passwd')",
    "select * from pg_read_file('/etc/passwd') f",
    "select pg_read_binary_file('/etc/passwd')",
    "select * from pg_ls_dir('/')",
    "select pg_stat_file('/etc/passwd')",
    "select dblink('dbname=x', 'drop table t')",
    "select * from dblink('dbname=x', 'select 1') as f(a int)",
    "select dblink_exec('drop table t')",
    "select lo_import('/etc/passwd')",
    "select lo_export(1, '/tmp/x')",
    "select lo_unlink(1)",
    "select pg_sleep(1000)",
    "select pg_sleep_for('1 hour')",
    "select a from t order by pg_sleep(1)",
    "select count(*) filter (where pg_sleep(1) is null) from t",
    "select a from t group by a having pg_sleep(1) is null",
    "select a from t limit (select 1 from pg_sleep(1))",
    "select pg_advisory_lock(1)",
    "select pg_try_advisory_xact_lock(1)",
    "select pg_terminate_backend(1)",
    "select pg_cancel_backend(1)",
    "select pg_reload_conf()",
    "select pg_switch_wal()",
    "select pg_notify('a', 'b')",
    "select nextval('s')",
    "select setval('s', 1)",
    "select query_to_xml('delete from t', true, true, '')",
    "select database_to_xml(true, true, '')",
    "select ts_stat('select 1')",
    "select pg_export_snapshot()",
    "select txid_current()",
    "select inet_server_addr()",
    "select version()",
    "select has_table_privilege('t', 'select')",
    "select pg_get_viewdef('v')",
    "select random()",
    "select repeat('x', 1000000000)",
    "select repeat('x', a) from t",
    "select lpad('x', 1 + 1000000000)",
    "select format('%1000000000s', 'x')",
    "select other.lower('x')",
    "select (f(a)).* from t",
    # types that look things up
    "select 'pg_authid'::regclass",
    "select cast('x' as regproc)",
    "select a::other.domain from t",
    "select '1'::xml",
    # the server's own tables
    "select * from pg_authid",
    "select * from pg_catalog.pg_shadow",
    "select * from information_schema.tables",
    "select * from pg_stat_activity",
    "select (with pg_authid as (select 1) select 1), * from pg_authid",
    "select * from pg_toast.pg_toast_1",
    "select * from other_database.public.t",
    "table pg_settings",
    # the rest
    "select current_user",
    "select session_user",
    "select $1",
    "select 1 operator(other.+) 1",
    "select a from t order by a using operator(other.<)",
    "select * from t tablesample system (1)",
    "select * from xmltable('/a' passing '<a/>' columns x int)",
    "select 'a' collate other.c",
    "select 1\x00; drop table t",
    "select a from t where current of c",
]

HARMLESS = [
    "select 1;",
    "select count(*) from t where a > 1 and b ilike 'x%' or not (a is null)",
    "with x as (select a, row_number() over (partition by b order by a) n from t) select * from x where n = 1",
    "select b, sum(a), avg(a)::numeric(10, 2), round(avg(a), 1) from t group by rollup (b) having count(*) > 1",
    "select a from t union all select a + 1 from t order by 1 nulls last limit 3 offset 1",
    "select t.a, u.a from t join t u using (a) left join lateral (select 1 as k) z on true",
    "select date_trunc('month', now()), current_date - interval '1 month', extract(year from now())",
    "select case when a > 1 then 'x' else b end, coalesce(b, ''), nullif(a, 0), greatest(a, 1) from t",
    "select * from t where a = any(array[1, 2]) and exists (select from t u where u.a = t.a)",
    "select g, lpad(b, 5, '0'), 'it''s; drop table t' from generate_series(1, 3) g, t",
    "select string_agg(distinct b, ', ' order by b) filter (where a > 0) from t",
    "select a from t where b similar to 'x%' or b ~* 'y' or a between 1 and 2",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        check(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_analysis_is_allowed(text: str) -> None:
    assert check(text).sql == text.rstrip(";")


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("select /*+ Set(statement_timeout 0) */ 1 -- ; drop table t", "select   1"),
        ("/*+ SeqScan(t) */ select 'é' /* é */, 'a--b' ;", "select 'é'  , 'a--b'"),
        ("select '/* kept */'", "select '/* kept */'"),
    ],
)
def test_what_runs_is_the_text_without_its_comments(text: str, runs: str) -> None:
    assert check(text).sql == runs


SCHEMA = """
create table t (a int, b text);
insert into t select g, 'v' || g from generate_series(1, 5000) g;
create schema other;
create type mood as enum ('good', 'bad');
create domain positive as int check (value > 0);
create function lower(int) returns int language sql volatile as 'select $1';
create function other.f(int) returns int language sql stable as 'select $1';
create function is_less(text, int) returns boolean language sql as 'select true';
create operator < (leftarg = text, rightarg = int, function = is_less);
create function extra(t) returns int language sql volatile as 'select 1';
create view plain as select a from t where a < 10;
create view slow as select a from t where pg_sleep(1) is not null;
create view hidden as select * from slow;
create view users as select other.f(a) from t;
"""


@pytest.fixture(scope="module")
def connection(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA.encode())
        yield made


@pytest.fixture(scope="module")
def rules(connection: psycopg.Connection[tuple[object, ...]]) -> Rules:
    return Rules(snapshot(connection))


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    [
        "select * from slow",
        "select * from hidden",
        "select * from users",
        "select (with slow as (select 1) select 1) from slow",
        "select lower(a) from t",
        "select t.extra from t",
        "select (t).extra from t",
        "select (select (x).extra from t x limit 1)",
        "select a from t where b < a",
        "select a::positive from t",
        "select missing from t",
        "select * from nothing",
        "select * from other.nothing",
        "select sum(b) from t",
    ],
)
def test_with_a_catalog_views_and_users_functions_are_looked_through(text: str, rules: Rules) -> None:
    with pytest.raises(Refused):
        check(text, rules)


@pytest.mark.server
@pytest.mark.parametrize(
    "text", ["select a from plain", "select 'good'::mood", "select count(*) from public.t"]
)
def test_with_a_catalog_plain_queries_pass(text: str, rules: Rules) -> None:
    assert check(text, rules).sql == text


@pytest.mark.server
@pytest.mark.parametrize("text", HARMLESS)
def test_the_server_takes_what_is_allowed(
    text: str, connection: psycopg.Connection[tuple[object, ...]]
) -> None:
    assert Execution(connection).run(check(text)).columns


@pytest.mark.server
def test_system_catalogs_are_read_only_where_asked_for() -> None:
    assert check("select relname from pg_class", Rules(system_catalogs=True))


@pytest.mark.server
@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("with x as (delete from t returning *) select * from x", "25006"),
        ("select 1; commit; drop table t", "42601"),
        ("select pg_sleep(60)", "57014"),
        ("select nextval('s')", "42P01"),
    ],
)
def test_the_transaction_is_a_second_wall(
    sql: str, sqlstate: str, connection: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Even what the judgement would have let through by mistake neither writes nor ends the transaction."""
    with pytest.raises(ExecutionError) as caught:
        Execution(connection, Limits(seconds=0.3)).run(Checked(sql))
    assert caught.value.sqlstate in {sqlstate, "0A000"}
    found = connection.execute("select count(*) from t").fetchone()
    assert found == (5000,)


@pytest.mark.server
def test_rows_bytes_and_cost_are_limited(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    query = check("select a from t order by a")
    answer = Execution(connection, Limits(rows=300)).run(query)
    assert (len(answer.rows), answer.truncated, answer.rows[0]) == (300, True, (1,))
    assert Execution(connection, Limits(rows=5000)).run(query).truncated is False
    assert Execution(connection, Limits(rows=5000, bytes=100)).run(query).truncated is True
    with pytest.raises(ExecutionError, match="too expensive"):
        Execution(connection, Limits(cost=1)).run(query)
