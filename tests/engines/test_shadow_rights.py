"""What a lake's user may do on the server behind the lake: look, and nothing that writes, waits, lasts or
touches another.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
import structlog.testing
from psycopg.conninfo import make_conninfo

from rewright.engines.duckdb.shadow import (
    BACKEND_MEMORY,
    READER,
    SERVER,
    ShadowColumn,
    admit,
    provision,
    role_of,
    synchronise,
)
from rewright.engines.duckdb.shadow_rights import STABLE_DENIED, VOLATILE_ALLOWED
from rewright.engines.postgres.scratch import ScratchServer
from rewright.wiring.shadow_limits import LOOK_SECONDS, ShadowLimits, ShadowWarden
from tests.proxy.waiting import until

pytestmark = pytest.mark.server
TABLES = {"public": {"cities": [ShadowColumn("city", "VARCHAR"), ShadowColumn("population", "BIGINT")]}}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ScratchServer(SERVER, memory=BACKEND_MEMORY) as found:
        address = found.dsn(unix=True)
        provision(address, "lake", TABLES)
        yield address


def connected(server: str, user: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        make_conninfo(server, user=admit(server, user), dbname="lake", password=""), autocommit=True
    )


@pytest.fixture
def ann(server: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with connected(server, "ann") as found:
        found.execute("set default_transaction_read_only = off")
        yield found


@pytest.fixture
def bob(server: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with connected(server, "bob") as found:
        yield found


REFUSED = [
    "select lo_from_bytea(0, 'x')",
    "select lo_create(0)",
    "select lo_creat(-1)",
    "select lo_put(1, 0, 'x')",
    "select lo_import('/etc/passwd')",
    "select lo_export(1, '/tmp/x')",
    "select lo_get(1)",
    "select pg_advisory_lock(1)",
    "select pg_try_advisory_lock(1)",
    "select pg_advisory_xact_lock(1, 2)",
    "select pg_notify('a', 'b')",
    "select pg_export_snapshot()",
    "select pg_logical_emit_message(false, 'a', repeat('x', 1000))",
    "select pg_create_physical_replication_slot('x')",
    "select txid_current()",
    "select pg_current_xact_id()",
    "select pg_read_file('/etc/passwd')",
    "select pg_read_binary_file('postgresql.conf')",
    "select pg_ls_dir('.')",
    "select pg_stat_file('postgresql.conf')",
    "select pg_reload_conf()",
    "select pg_stat_reset()",
    "select query_to_xml('select 1', true, true, '')",
    "do $$ begin perform 1; end $$",
    "create table t (a int)",
    "create temp table t (a int)",
    "create view v as select 1",
    "create schema s",
    "create function f() returns int language sql as 'select 1'",
    "create function pg_temp.f() returns int language sql as 'select 1'",
    "create extension dblink",
    "create extension plpython3u",
    "create role x",
    "create database x",
    "create language plpgsql",
    "create server s foreign data wrapper w",
    "create publication p",
    "insert into cities values ('x', 1)",
    "update cities set city = 'x'",
    "delete from cities",
    "truncate cities",
    "drop table cities",
    "alter table cities disable row level security",
    "lock table cities in exclusive mode",
    "lock table pg_catalog.pg_class in access exclusive mode",
    "select * from cities for update",
    "copy cities from stdin",
    "copy (select 1) to '/tmp/x'",
    "copy (select 1) to program 'id'",
    "alter system set work_mem = '1GB'",
    "set temp_file_limit = -1",
    "set log_min_messages = debug5",
    "set session_replication_role = replica",
    "set role postgres",
    "set session authorization postgres",
    "set row_security = off; select * from cities",
    "select * from cities",
    "select * from pg_authid",
    "select * from pg_statistic",
    "select * from pg_hba_file_rules",
    "select setting from pg_config",
    "checkpoint",
    "alter role bob set work_mem = '50GB'",
    "alter database lake set work_mem = '50GB'",
    "security label on role ann is 'x'",
    "comment on database lake is 'x'",
    "prepare transaction 'x'",
    "load 'auto_explain'",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_it_is_refused_also_where_the_transaction_may_write(
    ann: psycopg.Connection[tuple[object, ...]], statement: str
) -> None:
    with pytest.raises(psycopg.Error):
        ann.execute(statement.encode()).fetchall()


def test_no_volatile_function_is_left_that_nobody_looked_at(
    ann: psycopg.Connection[tuple[object, ...]],
) -> None:
    rows = ann.execute(
        "select distinct p.proname from pg_proc p where p.prokind in ('f', 'p') and has_function_privilege(p.oid, 'execute')"
        " and p.pronamespace = 'pg_catalog'::regnamespace and p.provolatile = 'v'"
    ).fetchall()
    assert {str(name) for (name,) in rows} <= VOLATILE_ALLOWED
    for name in STABLE_DENIED:
        assert ann.execute(
            "select bool_or(has_function_privilege(oid, 'execute')) from pg_proc where proname = %s", [name]
        ).fetchone() == (False,)


def test_a_user_owns_nothing_and_may_create_nowhere(ann: psycopg.Connection[tuple[object, ...]]) -> None:
    assert ann.execute(
        "select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls from pg_roles where rolname = current_user"
    ).fetchone() == (False,)
    assert (
        ann.execute("select nspname from pg_namespace where has_schema_privilege(oid, 'create')").fetchall()
        == []
    )
    assert ann.execute("select datname from pg_database where has_database_privilege(oid, 'create, temp')").fetchall() == []  # fmt: skip
    assert ann.execute("select lanname from pg_language where lanname <> 'c' and has_language_privilege(oid, 'usage')").fetchall() in ([], [("internal",)])  # fmt: skip
    assert (
        ann.execute(
            "select c.oid::regclass from pg_class c where c.oid <> 'pg_settings'::regclass and has_table_privilege(c.oid, 'insert, update, delete, truncate, trigger')"
        ).fetchall()
        == []
    )


def test_one_user_neither_reads_nor_ends_what_another_does(
    ann: psycopg.Connection[tuple[object, ...]], bob: psycopg.Connection[tuple[object, ...]]
) -> None:
    assert ann.execute("select 'a secret of ann'").fetchone() == ("a secret of ann",)
    seen = bob.execute("select query from pg_stat_activity where pid = %s", [ann.info.backend_pid]).fetchall()
    assert seen in ([("<insufficient privilege>",)], [])
    for function in ("pg_terminate_backend", "pg_cancel_backend"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            bob.execute(f"select {function}(%s)".encode(), [ann.info.backend_pid])
    assert ann.execute("select 1").fetchone() == (1,)


def test_a_role_is_never_one_of_the_servers_own() -> None:
    names = ["postgres", "scratch", READER, "pg_monitor", "public", "none", "ä" * 40, "x" * 64]
    roles = [role_of(name) for name in names]
    assert not set(roles) & set(names)
    assert len({*roles, *(role_of(role) for role in roles)}) == 2 * len(names)
    assert all(len(role.encode()) <= 63 for role in roles)
    assert role_of("Ann Lee") == "Ann Lee"


def test_a_sessions_memory_is_bounded_whatever_its_settings(
    ann: psycopg.Connection[tuple[object, ...]],
) -> None:
    ann.execute("set work_mem = '50GB'")
    for statement in (
        "select length(repeat('x', 900000000))",
        "select count(*) from (select array_agg(i) from generate_series(1, 200000000) i) t",
        "select count(distinct md5(i::text)) from generate_series(1, 100000000) i",
    ):
        with pytest.raises((psycopg.errors.OutOfMemory, psycopg.errors.ConfigurationLimitExceeded)):
            ann.execute(statement.encode())
    assert ann.execute("select 1").fetchone() == (1,)


def test_temporary_files_are_bounded(ann: psycopg.Connection[tuple[object, ...]]) -> None:
    ann.execute("set work_mem = '64kB'")
    with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
        ann.execute(
            "select count(*) from (select md5(i::text) m from generate_series(1, 20000000) i order by m) t"
        )


def test_a_statement_is_stopped_though_the_client_set_no_timeout(
    server: str, ann: psycopg.Connection[tuple[object, ...]]
) -> None:
    warden = ShadowWarden(server, ShadowLimits(seconds=0.5))
    warden.start()
    try:
        ann.execute("set statement_timeout = 0")
        with pytest.raises(psycopg.errors.QueryCanceled):
            ann.execute("select pg_sleep(100)")
        with pytest.raises(psycopg.errors.QueryCanceled):
            ann.execute("select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b")
        assert ann.execute("select 1").fetchone() == (1,)
    finally:
        warden.stop()


def test_all_sessions_together_are_bounded(server: str, ann: psycopg.Connection[tuple[object, ...]]) -> None:
    warden = ShadowWarden(server, ShadowLimits(memory=60 << 20))
    warden.start()
    try:
        ann.execute("set work_mem = '50GB'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            ann.execute("select array_agg(i), pg_sleep(20) from generate_series(1, 2000000) i")
    finally:
        warden.stop()


def test_who_looks_at_a_table_holds_nobody_up(
    server: str, ann: psycopg.Connection[tuple[object, ...]], bob: psycopg.Connection[tuple[object, ...]]
) -> None:
    """A table cannot be made anew while a transaction looks at it; that waits a moment, and others go on."""
    with ann.transaction():
        ann.execute("explain select city from cities")
        changed = {"public": {"cities": [ShadowColumn("city", "VARCHAR")]}}
        failures: list[BaseException] = []

        def change() -> None:
            try:
                synchronise(server, "lake", changed)
            except psycopg.Error as error:
                failures.append(error)

        thread = threading.Thread(target=change)
        thread.start()
        bob.execute("set statement_timeout = '3s'")
        assert bob.execute("explain select city from cities").fetchall()
        thread.join()
    assert isinstance(failures[0], psycopg.errors.LockNotAvailable)
    synchronise(server, "lake", changed)
    synchronise(server, "lake", TABLES)


def test_that_nobody_looks_is_told_once() -> None:
    with structlog.testing.capture_logs() as said:
        warden = ShadowWarden("postgresql://127.0.0.1:1/nothing")
        warden.start()
        until(lambda: said)
        threading.Event().wait(3 * LOOK_SECONDS)
        warden.stop()
    assert [one["event"] for one in said] == ["lake.shadow_unbounded"]
