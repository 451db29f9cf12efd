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
    # the same and others, written and placed in ways that were not thought of first: letters that look like
    # others, comments in names, INTO and WITH in odd places, settings from anywhere, files, other servers,
    # large objects, locks and other sessions, sequences, SQL in texts, types that look things up
    "select pg\uff3fsleep(1)",
    "select pg_sleep\u200b(1)",
    "select U&\"pg\\005fread\\005ffile\"('/etc/passwd')",
    "select U&\"d!0062link\"('x', 'y') uescape '!'",
    "\ufeffselect pg_sleep(1)",
    "select 1\u037e drop table t",
    'select "a /*", pg_sleep(1), "*/" from t',
    "select 1 /* ; drop table t",
    "select 'a\\'; drop table t; --'",
    "select $x$;$x$; drop table t",
    "select 1 -- \r\n; drop table t",
    "select 1 \\gexec",
    "\\! touch /tmp/x",
    "select E'\\'; drop table t; --'; select '",
    "select a into temp u from t",
    "select a into unlogged table u from t",
    "select 1 into u union select 2",
    "(select a into u from t)",
    "with recursive w as (select 1 union all select a from (with d as (delete from t returning a) select a from d) x) select * from w",
    "select (with w as materialized (update t set a = 1 returning a) select a from w)",
    "with w as (merge into t using t s on t.a = s.a when matched then delete returning t.a) select * from w",
    "select (select set_config('row_security', 'off', true))",
    "values (set_config('role', 'postgres', false))",
    "select a from t order by (select set_config('role', 'x', true))",
    "select sum(a) over (order by set_config('a.b', 'c', true)) from t",
    "select * from t join t u on set_config('a.b', 'c', true) is null",
    "select * from rows from (set_config('a.b', 'c', true)) f",
    "select a from t limit (select length(set_config('a.b', 'c', true)))",
    "select a from t union select set_config('a.b', 'c', true)::int",
    "select case when a > 0 then set_config('a.b', 'c', true) end from t",
    "select coalesce(null, set_config('a.b','c',true))",
    "select pg_ls_logdir()",
    "select * from pg_ls_waldir()",
    "select pg_current_logfile()",
    "select pg_read_file('pg_hba.conf', 0, 100, true)",
    "select * from pg_hba_file_rules",
    "select * from pg_file_settings",
    "select pg_ls_archive_statusdir()",
    "select pg_relation_filepath('t')",
    "select dblink_connect('c', 'dbname=x')",
    "select dblink_send_query('c', 'drop table t')",
    "select * from dblink_get_result('c') as f(a int)",
    "select postgres_fdw_get_connections()",
    "select postgres_fdw_disconnect_all()",
    "select * from pg_foreign_server",
    "select * from pg_user_mappings",
    "select lo_get(1)",
    "select lo_put(1, 0, 'x')",
    "select lo_create(0)",
    "select lo_from_bytea(0, 'x')",
    "select loread(lo_open(1, 262144), 10)",
    "select lowrite(0, 'x')",
    "select * from pg_largeobject",
    "select pg_advisory_xact_lock_shared(1)",
    "select pg_advisory_unlock_all()",
    "select count(*) from pg_stat_activity a where pg_terminate_backend(a.pid)",
    "select pg_log_backend_memory_contexts(1)",
    "select lastval()",
    "select currval('s')",
    "select nextval('s'::regclass)",
    "select * from t for update skip locked",
    "select a from t for key share nowait",
    "select query_to_xml_and_xmlschema('do $$ begin end $$', true, true, '')",
    "select cursor_to_xml('c', 1, true, true, '')",
    "select * from crosstab('delete from t') as f(a int)",
    "select * from connectby('t', 'a', 'b', '1', 0) as f(a int)",
    "select xpath_table('a', 'b', 't', '/x', 'true')",
    "select ts_rewrite('a'::tsquery, 'select 1')",
    "select * from ts_stat('delete from t')",
    "select to_tsvector('x')",
    "select pg_input_is_valid('1', 'x')",
    "select schema_to_xml('public', true, true, '')",
    "select pg_logical_emit_message(true, 'a', 'b')",
    "select pg_create_restore_point('x')",
    "select pg_promote()",
    "select pg_rotate_logfile()",
    "select pg_stat_reset()",
    "select pg_create_logical_replication_slot('a', 'b')",
    "select pg_replication_origin_create('x')",
    "select pg_backup_start('x')",
    "select setseed(0.1)",
    "select txid_status(1)",
    "select pg_snapshot_xmin(pg_current_snapshot())",
    "select gen_random_uuid()",
    "select pg_get_functiondef(1)",
    "select pg_backend_pid()",
    "select pg_conf_load_time()",
    "select inet_client_addr()",
    "select pg_typeof(1)",
    "select obj_description(1)",
    "select col_description(1, 1)",
    "select has_schema_privilege('x', 'usage')",
    "select to_regclass('t')",
    "select current_schema",
    "select current_schemas(true)",
    "select current_catalog",
    "select user",
    "select current_role",
    "select 'x'::regrole",
    "select 'x'::regnamespace",
    "select 'x'::regconfig",
    "select json_populate_record(null::t, '{}')",
    "select * from jsonb_to_record('{}') as x(a pg_authid)",
    "select null::pg_catalog.pg_authid",
    "select row(1)::t",
    "select '{1}'::t[]",
    "select 1::oid::regproc",
    "select 'a'::aclitem",
    "select '1'::pg_lsn",
    "select array_fill(0, array[1000000000])",
    "select repeat(repeat(repeat('x', 1000), 1000), 1000)",
    "select length(repeat(r, 1000)) from (select repeat('x', 1000) r) q",
    "select * from json_table('{}', '$' columns (a int path '$.a'))",
    "select xmlserialize(content 'x' as text)",
    "select xmlparse(document '<a/>')",
    "select * from pg_temp.t",
    "table t for update",
    "explain (analyze) select 1",
    "select a from t window w as (order by pg_sleep(1))",
    "select grouping(pg_sleep(1)) from t",
    "select * from t tablesample bernoulli (pg_sleep(1))",
    'select * from information_schema."tables"',
    'select * from "pg_catalog"."pg_authid"',
    "select * from PG_SHADOW",
    "select count(*) from generate_series(1, 2) g, lateral pg_sleep(1)",
    "select array(select pg_sleep(1))",
    "select exists (select pg_sleep(1))",
    "select 1 in (select length(pg_read_file('x')))",
    "select 1 = any (array[(select setval('s', 1))])",
    "select current_setting('is_superuser')",
    "select format('%s', 1)",
    "select any_value(pg_sleep(1)) from t",
    "select string_agg(pg_read_file('/etc/passwd'), '') from t",
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
        ("select 1; ;", "select 1"),
        (" ;\n; select ';' ; -- end\n;", "select ';'"),
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
