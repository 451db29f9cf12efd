"""SELECTs inside other statements: served where nothing of the statement could tell,
the original elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Ports, ServedStatement, SlowQuery
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.serving.sites import find_site
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FAILS_LATE,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    REPLACEMENT,
    SCHEMA,
    Reports,
    rewrites,
)

S = "select id from t where x = ')'"


@pytest.mark.parametrize(
    ("before", "behind", "kind"),
    [
        ("copy (", ") to stdout", "copy"),
        (" COPY( ", " )\nTO  STDOUT with (format csv, header);  ", "copy"),
        ("create table s.t as ", "", "create"),
        ('create unlogged table if not exists "a b" (x, "y") as (', ");", "create"),
        ("insert into t ", "", "insert"),
        ("insert into s . t (a, b)\n", " ;", "insert"),
        ("explain ", "", "explain"),
        ("explain analyze verbose ", "", "explain"),
        ("explain (costs off, format json) ", "", "explain"),
    ],
)
def test_texts_are_cut(before: str, behind: str, kind: str) -> None:
    site = find_site(f"{before}{S}{behind}".encode())
    assert site is not None
    bracket = "(" * before.endswith("as (")
    assert (site.kind, site.select.decode()) == (kind, bracket + S + ")" * len(bracket))
    assert site.around(site.select.decode()) == f"{before}{S}{behind}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        S,
        "copy t to stdout",
        f"copy ({S}) to stdout; select 1",
        f"copy ({S}) to '/tmp/x'",
        f"copy ({S} -- ) to stdout\n) to stdout",
        f"create table t as {S} /* ",
        f"create materialized view t as {S}",
        f"create table t using heap as {S}",
        "insert into t values (1)",
        "insert into t default values",
        f"insert into t as u {S}",
        f"insert into t overriding system value {S}",
        "explain update t set x = 1",
        "insert into t (" + "a" * 50_000,
        "create table t as" + " " * 200_000 + "x",
        "explain " + "(" * 100_000,
        "copy (select" + " )" * 100_000,
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    began = time.process_time()
    assert find_site(text.encode()) is None
    assert time.process_time() - began < 5  # hostile texts cost no more than others


# --- through the proxy ----------------------------------------------------------------------------


class World:
    def __init__(self, server: ScratchServer, database: str) -> None:
        self.server, self.database = server, database
        self.index, self.reports = RewriteIndex(), Reports()
        ports = Ports(lookup=self.index, reporter=self.reports, settings=RULES)
        self.proxy = RunningProxy(config(f"host=127.0.0.1 port={server.port}"), ports)

    def direct(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.server.dsn(self.database), autocommit=True)

    def load(self, **changes: object) -> None:
        with self.direct() as direct:
            self.index.replace(rewrites(direct, self.database, **changes))

    def connect(self) -> psycopg.Connection[Any]:
        dsn = self.server.dsn(self.database).replace(f":{self.server.port}/", f":{self.proxy.port}/")
        return psycopg.connect(dsn, autocommit=True)

    def routes(self) -> list[tuple[str, str]]:
        return [(r.route, r.reason) for r in self.reports.all if isinstance(r, ServedStatement)]


@pytest.fixture
def world(scratch_server: ScratchServer, database: str) -> Iterator[World]:
    made = World(scratch_server, database)
    with made.direct() as direct:
        direct.execute(SCHEMA)
        direct.execute("create table target (id int, price int)")
    made.load(unreserved=True)
    with made.proxy:
        yield made
    assert not made.proxy.problems


def simple(connection: psycopg.Connection[Any], query: str) -> Any:
    return psycopg.ClientCursor(connection).execute(query)


def extended(connection: psycopg.Connection[Any], query: str) -> Any:
    return psycopg.RawCursor(connection).execute(query.encode(), [], prepare=True)


PROTOCOLS = pytest.mark.parametrize("run", [simple, extended])
CSV_ORIGINAL, CSV_REPLACED = "1,10\n2,20\n3,30\n", "1,1000010\n2,1000020\n3,1000030\n"


def copied(connection: psycopg.Connection[Any], select: str = ORIGINAL) -> str:
    with connection.cursor().copy(f"copy ({select}) to stdout (format csv)") as copy:
        return b"".join(bytes(piece) for piece in copy).decode()


@pytest.mark.server
def test_copy(world: World) -> None:
    with world.connect() as connection:
        assert copied(connection) == CSV_REPLACED
        with connection.transaction():
            assert copied(connection) == CSV_REPLACED
        assert copied(connection, FAILS_LATE) == "5,50\n6,60\n7,70\n"
        connection.execute("set rewright.mode = off")
        assert copied(connection) == CSV_ORIGINAL
        with pytest.raises(psycopg.errors.UndefinedTable):
            copied(connection, ORIGINAL.replace("item", "nothing"))
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.server
def test_copy_in_the_extended_protocol(world: World) -> None:
    with world.connect() as connection:
        pgconn = connection.pgconn
        for _ in range(2):
            pgconn.send_query_params(f"copy ({ORIGINAL}) to stdout (format csv)".encode(), None)
            (result,) = connection.wait(psycopg.generators.execute(pgconn))
            assert result.status == psycopg.pq.ExecStatus.COPY_OUT
            lines = b""
            while True:
                piece = connection.wait(psycopg.generators.copy_from(pgconn))
                if not isinstance(piece, memoryview):
                    break
                lines += bytes(piece)
            assert lines.decode() == CSV_REPLACED
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.server
@PROTOCOLS
def test_create_table_as(world: World, run: Any) -> None:
    with world.connect() as connection:
        assert run(connection, f"create table made as {ORIGINAL}").statusmessage == "SELECT 3"
        assert connection.execute("table made order by 1").fetchall() == FROM_REPLACEMENT
        assert run(connection, f"create table late as {FAILS_LATE}").statusmessage == "SELECT 3"
        assert connection.execute("table late order by 1").fetchall() == [(5, 50), (6, 60), (7, 70)]
        with pytest.raises(psycopg.errors.DuplicateTable):
            run(connection, f"create table made as {ORIGINAL}")
        with connection.transaction():
            run(connection, f"create table inside as {ORIGINAL}")
        assert connection.execute("table inside order by 1").fetchall() == FROM_ORIGINAL
    assert [route for route, _ in world.routes()][:2] == ["replacement", "fallback"]
    assert world.routes()[-1] == ("original", "block")


@pytest.mark.server
def test_create_table_as_minds_collations(world: World) -> None:
    with world.direct() as direct:
        direct.execute('alter table item alter note type text collate "C"')
    world.load()
    with world.connect() as connection:
        simple(connection, f"create table made as {ORIGINAL}")
        assert connection.execute("table made order by 1").fetchall() == FROM_ORIGINAL
    assert world.routes()[-1] == ("original", "target")


@pytest.mark.server
@PROTOCOLS
def test_insert(world: World, run: Any) -> None:
    with world.connect() as connection:
        assert run(connection, f"insert into target {ORIGINAL}").statusmessage == "INSERT 0 3"
        assert run(connection, f"insert into public.target (id, price) {ORIGINAL};").rowcount == 3
        assert connection.execute("select distinct * from target order by 1").fetchall() == FROM_REPLACEMENT
        assert run(connection, f"insert into target {FAILS_LATE}").rowcount == 3
        assert connection.execute("select price from target where id = 5").fetchall() == [(50,)]
    assert [route for route, _ in world.routes()] == ["replacement", "replacement", "fallback"]
    assert all(r.more_than_select for r in world.reports.all if isinstance(r, ServedStatement))


@pytest.mark.server
def test_insert_with_parameters(world: World) -> None:
    with world.connect() as connection:
        cursor = psycopg.RawCursor(connection)
        for _ in range(2):
            cursor.execute(f"insert into target {BY_ID}", [7], prepare=True)
        assert connection.execute("table target").fetchall() == [(7, 1000070)] * 2


REFUSED = {
    "trigger": "create function f() returns trigger language plpgsql as 'begin return new; end'; "
    "create trigger t before insert on target for each row execute function f()",
    "identity": "alter table target add n int generated always as identity",
    "serial": "alter table target add n serial",
    "volatile default": "alter table target add n float default random()",
    "generated": "alter table target add n int generated always as (id + 1) stored",
    "domain": "create domain d as int default 5; alter table target add n d",
    "rule": "create rule r as on insert to target do also notify x",
    "row security": "alter table target enable row level security",
    "child": "create table child () inherits (target)",
    "partitions": "drop table target; create table target (id int, price int) partition by list (id); "
    "create table p partition of target default",
    "view": "alter table target rename to below; create view target as select * from below",
    "temporary": "drop table target",
}


@pytest.mark.server
@pytest.mark.parametrize("name", REFUSED)
def test_insert_is_left_alone(world: World, name: str) -> None:
    with world.direct() as direct:
        direct.execute(REFUSED[name])
    with world.connect() as connection:
        if name == "temporary":
            connection.execute("create temp table target (id int, price int)")
        for run in (simple, extended):
            run(connection, f"insert into target {ORIGINAL}")
        found = connection.execute("select distinct id, price from target order by 1").fetchall()
        assert found == FROM_ORIGINAL
    assert world.routes() == [("original", "target")] * 2


@pytest.mark.server
@PROTOCOLS
def test_insert_that_is_more(world: World, run: Any) -> None:
    """ON CONFLICT, RETURNING and blocks: the client's own statement."""
    with world.connect() as connection:
        connection.execute("alter table target add primary key (id)")
        assert (
            run(connection, f"insert into target {ORIGINAL} returning id, price").fetchall() == FROM_ORIGINAL
        )
        assert run(connection, f"insert into target {ORIGINAL} on conflict do nothing").rowcount == 0
        with pytest.raises(psycopg.errors.UniqueViolation) as caught:
            run(connection, f"insert into target {ORIGINAL}")
        assert caught.value.diag.message_detail == "Key (id)=(1) already exists."
        connection.execute("truncate target")
        with connection.transaction():
            run(connection, f"insert into target {ORIGINAL}")
        assert connection.execute("table target order by 1").fetchall() == FROM_ORIGINAL
        with pytest.raises(psycopg.errors.UndefinedTable):
            run(connection, f"insert into nowhere {ORIGINAL}")
        assert connection.execute("select 1").fetchone() == (1,)
    assert world.routes()[:2] == [("fallback", "failed"), ("original", "block")]
    failures = {r.failure for r in world.reports.all if isinstance(r, ServedStatement)}
    assert failures == {""}  # a full or missing table retires no rewrite


@pytest.mark.server
@PROTOCOLS
def test_explain(world: World, run: Any) -> None:
    with world.connect() as connection:
        for _ in range(2):
            lines = [row[0] for row in run(connection, f"explain (verbose, costs off) {ORIGINAL}").fetchall()]
            assert "Output: id, (price + 1000000)" in "".join(lines)
            assert lines[-2:] == [
                "Rewright: the plan of what runs instead, by rewrite 1 (proved):",
                f"  {REPLACEMENT}",
            ]
        (((plan,),),) = [run(connection, f"explain (verbose, format json) {ORIGINAL}").fetchall()]
        assert "(price + 1000000)" in str(plan)
        analyzed = run(connection, f"explain analyze {ORIGINAL}")
        assert "rows=3" in str(analyzed.fetchall())
        assert analyzed.statusmessage == "EXPLAIN"
        connection.execute("set rewright.mode = off")
        assert "Rewright" not in str(run(connection, f"explain {ORIGINAL}").fetchall())
    assert world.routes() == []  # nobody was served anything


@pytest.mark.server
def test_slow_statements_are_reported_as_their_select(world: World) -> None:
    with world.connect() as connection:
        connection.execute("set rewright.min_duration = '20ms'")
        connection.execute("create table slept as select 1 as x, pg_sleep(0.1)::text as y")
    wait = time.monotonic() + 5
    while time.monotonic() < wait and not [r for r in world.reports.all if isinstance(r, SlowQuery)]:
        time.sleep(0.05)
    texts = {r.text for r in world.reports.all if isinstance(r, SlowQuery)}
    assert texts == {"select 1 as x, pg_sleep(0.1)::text as y"}
