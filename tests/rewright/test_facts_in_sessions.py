"""What a served rewrite rests on changes between its proof and a question: the answer through the proxy is the
server's own.

Each case is a few statements of an owner or of the session itself. All texts of ``tests.rewright.changes`` are
asked afterwards, in both protocols, directly and through a proxy that has a rewrite for each; their statements
were prepared and run before. A rewrite need not be served, and must not show. Each run takes a third of the cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.proxy.ports import Ports, ServedRewrite, ServedStatement
from rewright.proxy.serving.index import RewriteIndex
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports
from tests.rewright.changes import PAIRS, SCHEMA
from tests.rewright.test_changes import PATH, Served, serve

pytestmark = [pytest.mark.server, pytest.mark.timeout(120)]

OLDER = ("begin isolation level repeatable read", "select 1")
SERIAL = ("begin isolation level serializable", "select 1")
TWICE = "alter table p drop constraint p_pkey cascade; insert into p select id, name || '+', n from p"
ODD = (
    "create function {schema}.odd(public.small, int) returns boolean language sql immutable as 'select $1::int > $2';"
    " create operator {schema}.{operator} (leftarg = public.small, rightarg = int, function = {schema}.odd)"
)
ORPHAN = "insert into c (id, pid, s, v) values (901, 999, 1, 1)"


@dataclass(frozen=True, slots=True)
class Case:
    """``first``: committed before the sessions open. ``opening``: what each session says before ``change``, which
    an owner commits. ``session``: what each session says right before it asks.
    """

    name: str
    change: str = "select 1"
    first: str = "select 1"
    opening: tuple[str, ...] = ()
    session: tuple[str, ...] = ()


CASES = (
    # what is committed by somebody else
    Case("key dropped", TWICE),
    Case("foreign key dropped", f"alter table c drop constraint c_pid_fkey; {ORPHAN}"),
    Case(
        "foreign key not valid",
        f"alter table c drop constraint c_pid_fkey; {ORPHAN};"
        " alter table c add constraint c_pid_fkey foreign key (pid) references p not valid",
    ),
    Case("triggers disabled", f"alter table c disable trigger all; {ORPHAN}"),
    Case(
        "check not valid",
        "alter table c drop constraint c_v_check; insert into c (id, pid, s, v) values (902, 1, 1, -4);"
        " alter table c add constraint c_v_check check (v > 0) not valid",
    ),
    Case(
        "null allowed", "alter table c alter pid drop not null; insert into c (id, s, v) values (903, 1, 1)"
    ),
    Case("child added", "create table child () inherits (root); insert into child select * from only root"),
    Case("type altered", "alter table root drop constraint root_id_key, alter id type int2 using 1"),
    Case(
        "function replaced",
        "create or replace function f(int) returns int language sql immutable as 'select 0'",
    ),
    Case("function made volatile", "alter function f(int) volatile"),
    Case(
        "operator's function replaced",
        "create or replace function same(int, int) returns boolean language sql as 'select true'",
    ),
    Case(
        "row security", "create policy odd on p using (id % 2 = 1); alter table p enable row level security"
    ),
    Case(
        "renamed, and another in its place",
        "alter table p rename to was; create table p as select * from was union all select * from was",
    ),
    Case(
        "another in a schema before it",
        "create table first.p as select * from public.p, generate_series(1, 2)",
    ),
    Case(
        "view replaced",
        "create or replace view seen as select c.id, c.pid, f(c.v) + 1 as fv from c where c.s < 9",
    ),
    Case("view before it", "create view first.seen as select id, pid, 0 as fv from c where id < 9"),
    Case(
        "operator before it", "create operator first.=== (leftarg = int, rightarg = int, function = int4ne)"
    ),
    Case(
        "built-in's operator before it",
        ODD.format(schema="first", operator="<"),
    ),
    Case(
        "function before it", "create function first.f(int) returns int language sql immutable as 'select 7'"
    ),
    Case("type before it", "create domain first.mood as text"),
    Case("collation before it", "create collation first.versioned (provider = builtin, locale = 'C')"),
    Case("label added", "alter type mood add value 'glad' before 'sad'"),
    Case(
        "domain opened",
        "alter domain small drop constraint small_check; insert into c (id, pid, s) values (904, 1, 5000)",
    ),
    Case("column added", "alter table p add column more int default 3"),
    Case(
        "columns swapped",
        "alter table p rename id to x; alter table p rename n to id; alter table p rename x to n",
    ),
    Case("generated no more", "alter table c alter g drop expression; update c set g = 8"),
    Case("truncated", "truncate p cascade"),
    Case("index not ready", "update pg_index set indisvalid = false where indexrelid = 'p_pkey'::regclass"),
    # in the session, never committed
    Case("own drop", session=("begin", TWICE)),
    Case(
        "own drop, later parts rolled back",
        session=("begin", TWICE, "savepoint a", "drop view above", "rollback to a"),
    ),
    Case("own drop rolled back", session=("begin", "savepoint a", TWICE, "rollback to a")),
    Case("own drop released", session=("begin", "savepoint a", TWICE, "release a")),
    Case(
        "own child",
        session=(
            "begin",
            "create table child () inherits (root)",
            "insert into child select * from only root",
        ),
    ),
    Case(
        "own view",
        session=("begin", "create or replace view seen as select c.id, c.pid, 1 as fv from c where c.s < 9"),
    ),
    Case(
        "own function",
        session=(
            "begin",
            "create or replace function f(int) returns int language sql immutable as 'select 0'",
        ),
    ),
    Case(
        "own name",
        session=(
            "begin",
            "alter table p rename to was",
            "create table p as select * from was union all select * from was",
        ),
    ),
    Case("own replica", session=("begin", "set local session_replication_role = replica", ORPHAN)),
    Case(
        "own replica, origin again",
        session=(
            "begin",
            "set local session_replication_role = replica",
            ORPHAN,
            "set local session_replication_role = origin",
        ),
    ),
    Case(
        "own violation, deferred",
        "alter table c alter constraint c_pid_fkey deferrable",
        session=("begin", "set constraints all deferred", ORPHAN),
    ),
    Case(
        "own key deferred",
        "alter table c drop constraint c_pid_fkey; alter table p drop constraint p_pkey, add primary key (id) deferrable",
        session=("begin", "set constraints all deferred", "update p set id = 1"),
    ),
    Case(
        "temporary table",
        session=("create temporary table p as select * from public.p, generate_series(1, 2)",),
    ),
    Case(
        "temporary view",
        session=("create temporary view seen as select id, pid, 1 as fv from c where id < 9",),
    ),
    Case(
        "temporary table, dropped again",
        session=("create temporary table p (like public.p)", "drop table pg_temp.p"),
    ),
    Case(
        "path set",
        "create table beside.p as select * from public.p, generate_series(1, 2)",
        session=("set search_path = beside, public",),
    ),
    Case(
        "path set locally",
        "create table beside.p as select * from public.p, generate_series(1, 2)",
        session=("begin", "set local search_path = beside, public"),
    ),
    Case(
        "temporary schema last",
        session=(
            "create temporary table p as select * from public.p, generate_series(1, 2)",
            "set search_path = first, public, pg_temp",
        ),
    ),
    Case(
        "server's schema last",
        ODD.format(schema="public", operator="<"),
        session=("set search_path = first, public, pg_catalog",),
    ),
    Case(
        "role set",
        "grant select on all tables in schema public to reader; create policy none on p using (false); alter table p enable row level security",
        session=("set role reader",),
    ),
    Case(
        "authorised as another",
        "grant select on all tables in schema public to reader; create policy none on p using (id < 3); alter table p enable row level security",
        session=("set session authorization reader",),
    ),
    Case(
        "no right to what is left out",
        "grant select on c to reader",
        session=("set session authorization reader",),
    ),
    Case(
        "rights to columns",
        "grant select (id) on p to reader; grant select (s) on c to reader; grant select on seen to reader",
        session=("set session authorization reader",),
    ),
    Case(
        "a view's owner without rights",
        "alter view seen owner to other_owner; grant usage on schema public to other_owner",
    ),
    Case(
        "no right to the function",
        "revoke execute on function f(int) from public; grant select on all tables in schema public to reader",
        session=("set session authorization reader",),
    ),
    Case(
        "row security off",
        "create policy none on p using (false); alter table p enable row level security; grant select on all tables in schema public to reader",
        session=("set session authorization reader", "set row_security = off"),
    ),
    Case("= null is null", session=("set transform_null_equals = on",)),
    # sessions whose state of the rows is older than the change
    Case("older: key dropped", TWICE, opening=OLDER),
    Case(
        "older: key added",
        "delete from p where name like '%+'; alter table p add primary key (id)",
        first="alter table p drop constraint p_pkey cascade; insert into p select id, name || '+', n from p",
        opening=(*OLDER,),
    ),
    Case(
        "older: a table becomes a child",
        "alter table twin inherit root",
        first="create table twin as select * from root; alter table twin alter id set not null",
        opening=OLDER,
    ),
    Case(
        "older: a child goes",
        "alter table twin no inherit root",
        first="create table twin () inherits (root); insert into twin select * from only root",
        opening=OLDER,
    ),
    Case(
        "older: view replaced",
        "create or replace view seen as select c.id, c.pid, f(c.v) as fv from c where c.s > 20",
        opening=OLDER,
    ),
    Case(
        "older: function replaced",
        "create or replace function f(int) returns int language sql immutable as 'select 0'",
        opening=OLDER,
    ),
    Case(
        "older: another in its place",
        "alter table p rename to was; alter table double rename to p",
        first="create table double as select * from p union all select * from p",
        opening=OLDER,
    ),
    Case(
        "older: another before it",
        "alter table beside.p set schema first",
        first="create table beside.p as select * from public.p union all select * from public.p",
        opening=OLDER,
    ),
    Case(
        "older: row security",
        "create policy odd on p using (id % 2 = 1); alter table p enable row level security; grant select on all tables in schema public to reader",
        first="grant select on all tables in schema public to reader",
        opening=("set session authorization reader", *OLDER),
    ),
    Case(
        "older: columns swapped",
        "alter table p rename id to x; alter table p rename n to id; alter table p rename x to n",
        opening=OLDER,
    ),
    Case(
        "serializable: a table becomes a child",
        "alter table twin inherit root",
        first="create table twin as select * from root; alter table twin alter id set not null",
        opening=SERIAL,
    ),
    Case(
        "serializable: view replaced",
        "create or replace view seen as select c.id, c.pid, f(c.v) as fv from c where c.s > 20",
        opening=SERIAL,
    ),
)


@dataclass(frozen=True, slots=True)
class World:
    """``template``: a database with the schema, of which each case has a copy (object numbers are the same)."""

    server: ScratchServer
    template: str
    served: dict[str, Served]
    index: RewriteIndex
    reports: Reports
    port: int

    def fill(self, database: str) -> None:
        """Each text has its rewrite in this database."""
        pairs = enumerate(self.served.values(), 1)
        self.index.replace(
            [
                ServedRewrite(
                    n, database, one.original, one.replacement, one.guard, unreserved=not one.proof.modulo
                )
                for n, one in pairs
            ]
        )

    def replaced(self) -> int:
        found = [r for r in self.reports.all if isinstance(r, ServedStatement) and r.route == "replacement"]
        self.reports.all.clear()
        return len(found)


@pytest.fixture(scope="module")
def world(scratch_server: ScratchServer, module_database: str) -> Iterator[World]:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        catalog = snapshot(connection)
        with Session(make_conninfo(dsn, options=f"-c search_path={','.join(PATH)}")) as session:
            served = {name: serve(session, catalog, name, *pair) for name, pair in PAIRS.items()}
    index, reports = RewriteIndex(), Reports()
    upstream = config(f"host=127.0.0.1 port={scratch_server.port}")
    with RunningProxy(upstream, Ports(lookup=index, reporter=reports, settings=RULES)) as proxy:
        yield World(scratch_server, module_database, served, index, reports, proxy.port)
    assert not proxy.problems
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("drop owned by other_owner, reader; drop role other_owner, reader")


def answer(connection: psycopg.Connection[Any], text: str, *, prepared: bool) -> Any:
    """Columns and the bag of rows, or which error it is; a block goes on all the same."""
    in_block = connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    cursor = connection.cursor() if prepared else psycopg.ClientCursor(connection)
    if in_block:
        connection.execute("savepoint asked")
    try:
        cursor.execute(text.encode(), prepare=prepared)
        columns = tuple((c.name, c.type_code) for c in cursor.description or ())
        found: Any = columns, Counter(cursor.fetchall())
    except psycopg.Error as error:
        found = error.sqlstate
    if in_block:
        connection.execute("rollback to asked")
    return found


def answers(connection: psycopg.Connection[Any], said: tuple[str, ...]) -> dict[tuple[str, bool], Any]:
    """Of every text, in both protocols, after ``said``; what was begun is rolled back."""
    for text in said:
        connection.execute(text.encode())
    found = {
        (name, prepared): answer(connection, text, prepared=prepared)
        for prepared in (False, True)
        for name, (text, _) in PAIRS.items()
    }
    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        connection.execute("rollback")
    return found


def compare(world: World, case: Case) -> tuple[dict[tuple[str, bool], Any], dict[tuple[str, bool], Any]]:
    """Answers directly, and through the proxy, in a database of its own."""
    database = world.server.create_database(template=world.template)
    dsn = make_conninfo(world.server.dsn(database), options=f"-c search_path={','.join(PATH)}")
    try:
        with ExitStack() as stack:
            owner = stack.enter_context(psycopg.connect(dsn, autocommit=True))
            owner.execute("set lock_timeout = '5s'; set allow_system_table_mods = on")
            owner.execute(case.first.encode())
            world.fill(database)
            sessions = [
                stack.enter_context(psycopg.connect(one, autocommit=True))
                for one in (dsn, make_conninfo(dsn, host="127.0.0.1", port=world.port))
            ]
            for connection in sessions:
                for text, _ in PAIRS.values():
                    answer(connection, text, prepared=True)
                for text in case.opening:
                    connection.execute(text.encode())
            world.replaced()
            owner.execute(case.change.encode())
            direct, through = (answers(connection, case.session) for connection in sessions)
            return direct, through
    finally:
        world.server.drop_database(database)


def test_as_it_is_each_text_is_served(world: World) -> None:
    """Otherwise no case would show anything."""
    direct, through = compare(world, Case("nothing changed"))
    assert direct == through
    assert world.replaced() == 2 * len(PAIRS)
    compare(world, Case("in a block", session=("begin",)))
    assert world.replaced() > len(PAIRS)


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_answer_is_the_servers_own(world: World, case: Case) -> None:
    direct, through = compare(world, case)
    assert {key: (direct[key], found) for key, found in through.items() if found != direct[key]} == {}
