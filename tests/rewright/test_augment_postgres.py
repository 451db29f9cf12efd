"""AUGMENT in a session with a PostgreSQL database: what the client may see is what is augmented, from the
lakes that are open to it.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.config.model import Auth, Config, Database, StoreSection
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.postgres.scratch import ScratchServer
from rewright.lake.api import default_catalog
from rewright.lake.augment.api import BaseSpec
from rewright.processes.lake_searcher import Search, chosen
from rewright.proxy.config import AuthConfig, ProxyConfig, UserConfig
from rewright.proxy.ports import Ports
from rewright.wiring import answers
from rewright.wiring.base_rows import base_of
from rewright.wiring.proxies import settings_rules
from rewright.wiring.searches import Searches, open_lakes
from rewright.wiring.stores import open_configured
from tests.proxy.running import RunningProxy, config
from tests.proxy.waiting import Stopwatch

pytestmark = pytest.mark.server
COLUMNS = [
    "rank", "table", "join_path", "added_columns", "r2_before", "r2_after", "interval", "leakage", "evidence",
]  # fmt: skip
SALES = "AUGMENT TABLE sales TARGET amount BUDGET '60s'"
SECRET = "Quetzalcoatl"
SCHEMA = f"""
create table sales (shop text, amount numeric(10, 3), sold timestamptz, region text, salary int, note jsonb);
create table hidden (shop text, amount float8);
create table guarded (owner name, shop text, amount float8);
alter table guarded enable row level security;
create policy own on guarded using (owner = current_user);
create table counted (n int);
create function counting(int) returns boolean language sql as 'insert into counted values ($1); select true';
create type mood as enum ('glad', 'sad');
create domain points as numeric;
create table "Odd Names" ("Shop Code" text, "Total ""X"" it" points, feeling mood, "at" date, ip inet, spot point, always int);
create view shown as select shop, amount from sales where region <> 'nowhere';
create sequence numbers;
create schema inner_room; create table inner_room.sales (shop text, amount float8);
insert into hidden values ('{SECRET}', 1);
"""


def make_files(folder: Path) -> None:
    """Streets that explain amounts, and noise."""
    chance = random.Random(5)
    folder.mkdir()
    signal = {shop: chance.gauss(0, 1) for shop in shops()}
    chance = random.Random(6)
    files = {
        "streets": ("shop,footfall", [f"{k},{round(100 + 9 * s, 3)}" for k, s in signal.items()]),
        "weather": ("shop,wind", [f"{k},{round(chance.gauss(3, 1), 3)}" for k in signal]),
    }
    for name, (header, rows) in files.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n")


def shops() -> list[str]:
    return [f"S{i * 37 + 1009}" for i in range(150)]


def make_database(server: ScratchServer, name: str) -> None:
    chance = random.Random(5)
    signal = [chance.gauss(0, 1) for _ in shops()]
    amounts = [round(20 + 4 * s + chance.gauss(0, 1), 3) for s in signal]
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        for role in ("ann", "bob"):
            connection.execute(f"drop role if exists {role}".encode())
            connection.execute(f"create role {role} login password '{role}'".encode())
        with connection.cursor() as cursor:
            cursor.executemany(
                "insert into sales values (%s, %s, now(), 'north', 7, '{}')",
                list(zip(shops(), amounts, strict=True)),
            )
            # what ann sees goes with footfall, what bob sees is noise
            cursor.executemany(
                "insert into guarded values ('ann', %s, %s)", list(zip(shops(), amounts, strict=True))
            )
            cursor.executemany(
                "insert into guarded values ('bob', %s, %s)", [(k, chance.gauss(0, 1)) for k in shops()[:100]]
            )
            cursor.executemany(
                "insert into \"Odd Names\" values (%s, %s, 'glad', '2024-02-03', '10.0.0.1', null, 4)",
                list(zip(shops(), amounts, strict=True)),
            )
        connection.execute("insert into inner_room.sales select shop, amount from sales")
        connection.execute(
            'grant select on guarded, shown, "Odd Names" to ann, bob;'
            "grant select (shop, amount, region) on sales to ann, bob;"
            "grant usage on schema inner_room to ann; grant select on inner_room.sales to ann;"
            "grant insert on counted to ann"
        )


class World:
    def __init__(self, proxy: RunningProxy, server: ScratchServer, database: str, home: Path) -> None:
        self.proxy, self.server, self.database, self.home = proxy, server, database, home
        self.searches: Searches

    def connect(self, role: str = "ann", **options: Any) -> psycopg.Connection[Any]:
        password = self.server.address.passwords["postgres"] if role == "postgres" else role
        dsn = f"postgresql://{role}:{password}@127.0.0.1:{self.proxy.port}/{self.database}"
        return psycopg.connect(dsn, autocommit=True, **options)


@contextmanager
def augmenting_world(
    server: ScratchServer, database: str, home: Path, lakes: tuple[str, ...] = ("files",)
) -> Iterator[World]:
    configured = Config(
        databases={
            database: Database(dsn=server.dsn(database), lakes=lakes),
            "files": Database(engine="duckdb", path=str(home / "files")),
        },
        store=StoreSection(url=str(home / "store.db")),
    )
    searches = Searches(configured)
    with open_configured(configured) as store:
        ports = Ports(
            answers=answers.make(store, configured, augmenter=searches), settings=settings_rules(configured)
        )
        upstream: ProxyConfig = config(server.dsn(database), admins=frozenset({"postgres"}))
        with RunningProxy(upstream, ports) as proxy:
            world = World(proxy, server, database, home)
            world.searches = searches
            try:
                yield world
            finally:
                proxy.call(searches.close)


@pytest.fixture(scope="module")
def world(
    scratch_server: ScratchServer, module_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    home = tmp_path_factory.mktemp("augmenting")
    make_files(home / "files")
    make_database(scratch_server, module_database)
    with augmenting_world(scratch_server, module_database, home) as made:
        yield made


# --- both protocols ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"binary": True}, {"prepare": True}])
def test_rows_say_what_helps(world: World, options: dict[str, Any]) -> None:
    with world.connect() as session:
        cursor = session.execute(SALES.encode(), **options)
        assert [column.name for column in cursor.description or ()] == COLUMNS
        rows = cursor.fetchall()
        assert rows[0][:2] == (1, "streets")
        assert rows[0][5] > rows[0][4] + 0.5
        assert "weather" not in {row[1] for row in rows if "the gain beats" in row[8]}
        assert session.execute("select 1").fetchone() == (1,)


def test_simple_queries_and_names_with_quotes(world: World) -> None:
    with world.connect(cursor_factory=psycopg.ClientCursor) as session:
        told: list[str] = []
        session.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        text = """/* c */ augment -- d
            table PUBLIC."Odd Names" target "Total ""X"" it" on ("Shop Code")"""
        assert session.execute(text).fetchall()[0][1] == "streets"
        assert any("1 column of Odd Names is of a type" in line for line in told)


def test_explain_shows_how_it_went_and_the_sql(world: World) -> None:
    with world.connect() as session:
        cursor = session.execute("EXPLAIN AUGMENT TABLE sales TARGET amount WHERE (region = 'north')")
        lines = [line for (line,) in cursor.fetchall()]
        assert lines[0].startswith(f"Augment {world.database}.sales for amount: R²")
        assert "region = 'north'" in lines
        assert cursor.statusmessage == "EXPLAIN"


def test_names_are_found_as_the_session_finds_them(world: World) -> None:
    with world.connect() as session:
        session.execute("set search_path to inner_room")
        lines = session.execute("EXPLAIN AUGMENT TABLE sales TARGET amount").fetchall()
        assert lines[0][0].startswith(f"Augment {world.database}.inner_room.sales for")


# --- rights -----------------------------------------------------------------------------------------


def test_each_role_sees_its_own_rows_of_a_table(world: World) -> None:
    found = {}
    for role in ("ann", "bob", "ann"):
        with world.connect(role) as session:
            rows = session.execute("AUGMENT TABLE guarded TARGET amount").fetchall()
            found.setdefault(role, []).append([row[1] for row in rows if "the gain beats" in row[8]])
    assert found == {"ann": [["streets"], ["streets"]], "bob": [[]]}


def test_the_current_role_counts(world: World) -> None:
    with world.connect("postgres") as session:
        session.execute("set role bob")
        rows = session.execute("AUGMENT TABLE guarded TARGET amount").fetchall()
        assert not [row for row in rows if "the gain beats" in row[8]]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("AUGMENT TABLE hidden TARGET amount")


def test_columns_without_a_right_are_left_out_and_told(world: World) -> None:
    told: list[str] = []
    with world.connect() as session:
        session.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        assert session.execute(SALES).fetchall()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("AUGMENT TABLE sales TARGET salary")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("AUGMENT TABLE sales TARGET amount WHERE (salary = 7)")
    assert "3 columns of sales are not read: the role has no right to them" in told


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("AUGMENT TABLE hidden TARGET amount", "42501"),
        ("AUGMENT TABLE nothing TARGET amount", "42P01"),
        ("AUGMENT TABLE numbers TARGET amount", "42809"),
        ("AUGMENT TABLE elsewhere.public.sales TARGET amount", "0A000"),
        ("AUGMENT TABLE a.b.c.d TARGET amount", "42601"),
        ("AUGMENT TABLE inner_room.nothing TARGET amount", "42P01"),
        ("AUGMENT TABLE streets TARGET footfall", "42P01"),
        ("AUGMENT TABLE sales TARGET nothing", "42703"),
        ("AUGMENT TABLE sales", "42601"),
        ("AUGMENT TABLE sales TARGET amount; select 1", "42601"),
        ("AUGMENT TABLE sales TARGET shop", "22023"),
        ('AUGMENT TABLE "Odd Names" TARGET always', "22023"),
        ('AUGMENT TABLE "Odd Names" TARGET spot', "22023"),
        ("AUGMENT TABLE sales TARGET amount LAKE nowhere", "42501"),
        ("AUGMENT TABLE sales TARGET amount SELECTOR enrich", "0A000"),
        ("AUGMENT TABLE sales TARGET amount WHERE (amount / 0 > 1)", "22012"),
        ("AUGMENT TABLE sales TARGET amount WHERE (counting(1))", "25006"),
        ("AUGMENT TABLE sales TARGET amount WHERE (true) UNION SELECT 1", "42601"),
        ("AUGMENT TABLE sales TARGET amount WHERE (1 = 1; insert into counted values (1))", "42601"),
        ("AUGMENT TABLE sales TARGET amount WHERE (amount > $1)", "42P02"),
    ],
)
def test_what_cannot_be_done_is_told(world: World, text: str, state: str) -> None:
    with world.connect() as session:
        for options in ({}, {"binary": True}):
            with pytest.raises(psycopg.Error) as caught:
                session.execute(text.encode(), **options)
            assert caught.value.sqlstate == state, caught.value
            assert "\n" not in (caught.value.diag.message_primary or "")
            assert session.execute("select 1").fetchone() == (1,)
    with world.connect("postgres") as session:
        assert session.execute("select count(*) from counted").fetchone() == (0,)


def test_what_one_role_read_is_kept_nowhere(world: World) -> None:
    """Neither in a process that works on, nor in a file."""
    with world.connect("postgres") as session:
        session.execute(
            f"create table if not exists told as select shop, amount, '{SECRET}' as word from sales"
        )
        assert session.execute("AUGMENT TABLE told TARGET amount").fetchall()
    assert not world.searches._idle
    catalog = default_catalog(world.home / "files")
    written = [*catalog.parent.glob(f"{catalog.stem}*"), *world.home.rglob("*")]
    assert catalog in written
    files = [file for file in written if file.is_file()]
    assert [file for file in files if SECRET.encode() in file.read_bytes()] == []


def test_searches_are_remembered_for_their_role_alone(world: World) -> None:
    query = "SELECT count(*) FROM rewright.augmentations WHERE base_table like '%guarded'"
    with world.connect() as session:
        session.execute("AUGMENT TABLE guarded TARGET amount").fetchall()
        ((count,),) = session.execute(query.encode()).fetchall()
        assert count > 0
    with world.connect("bob") as session:
        before = session.execute(query.encode()).fetchone()
        with world.connect() as other:
            other.execute("AUGMENT TABLE guarded TARGET amount").fetchall()
        assert session.execute(query.encode()).fetchone() == before


# --- transactions, ends -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"binary": True}])
def test_a_block_goes_on_as_it_was(world: World, options: dict[str, Any]) -> None:
    with world.connect() as session:
        session.execute("begin")
        session.execute("create temp table mine as select shop, amount from sales")
        assert session.execute(b"AUGMENT TABLE mine TARGET amount", **options).fetchall()[0][1] == "streets"
        session.execute("insert into mine values ('x', 1)")
        session.execute("commit")
        assert session.execute("select count(*) from mine").fetchone() == (151,)


def test_an_error_fails_the_block(world: World) -> None:
    with world.connect() as session:
        session.execute("begin")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("AUGMENT TABLE hidden TARGET amount")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            session.execute(SALES)
        session.execute("rollback")


def test_cancelled_it_ends_at_once_and_leaves_nothing(world: World) -> None:
    with world.connect() as session:
        for delay in (0.3, 2.5):
            timer = threading.Timer(delay, session.cancel_safe)
            timer.start()
            with Stopwatch() as watch:
                try:
                    session.execute("AUGMENT TABLE sales TARGET amount HOPS 4").fetchall()
                except psycopg.errors.QueryCanceled:
                    cancelled = True
                else:
                    cancelled = False
            assert not cancelled or watch.seconds < delay + 2
            timer.join()
            assert session.execute("select 1").fetchone() == (1,)
        assert session.info.transaction_status.name == "IDLE"


def test_one_user_has_so_many_searches(world: World) -> None:
    world.searches._config = replace(
        world.searches._config, limits=replace(world.searches._config.limits, lake_total_memory=1 << 31)
    )
    try:
        with world.connect() as first, world.connect() as second:
            running = threading.Thread(target=lambda: first.execute(SALES))
            running.start()
            deadline = time.monotonic() + 20
            while not world.searches._held and time.monotonic() < deadline:
                time.sleep(0.01)
            with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
                second.execute(SALES)
            running.join()
    finally:
        world.searches._config = replace(
            world.searches._config, limits=replace(world.searches._config.limits, lake_total_memory=6 << 30)
        )


# --- which lakes ------------------------------------------------------------------------------------


def test_a_lake_that_is_open_to_nobody_is_refused(
    world: World, scratch_server: ScratchServer, module_database: str, tmp_path: Path
) -> None:
    make_files(tmp_path / "files")
    with (
        augmenting_world(scratch_server, module_database, tmp_path, lakes=()) as closed,
        closed.connect() as session,
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match='no lake is open to user "ann"'):
            session.execute(SALES)
        assert session.execute("select 1").fetchone() == (1,)


def test_lakes_are_open_to_those_who_may_log_in_there() -> None:
    configured = Config(
        databases={
            "app": Database(dsn="postgresql://x/app", lakes=("shared",)),
            "shared": Database(engine="duckdb", path="a"),
            "other": Database(engine="duckdb", path="b"),
        },
        auth=Auth(),
    )
    users = {"all": UserConfig(), "app": UserConfig(databases=("app",)), "both": UserConfig(databases=("app", "other"))}  # fmt: skip
    for method in ("file", "cert"):
        auth = AuthConfig(method, users)  # type: ignore[arg-type]
        found = {user: open_lakes(configured, auth, user, "app") for user in (*users, "nobody")}
        assert found == {
            "all": ("shared", "other"),
            "app": ("shared",),
            "both": ("shared", "other"),
            "nobody": ("shared",),
        }
        assert open_lakes(configured, auth, "app", "elsewhere") == ()
    assert open_lakes(configured, AuthConfig("passthrough", users), "all", "app") == ("shared",)
    assert open_lakes(configured, AuthConfig("passthrough", users), "all", "elsewhere") == ()
    assert open_lakes(configured, AuthConfig("trust", users), "nobody", "app") == ("shared", "other")


def test_of_several_lakes_the_one_beside_or_the_named_one() -> None:
    lakes = {name: Database(engine="duckdb", path=name) for name in ("one", "two")}
    asked = Search("", "app", "ann", ("one", "two"), model=True)
    assert chosen("two", asked, Config(databases=lakes)) == "two"
    with pytest.raises(Exception, match="say which lake: LAKE one or two"):
        chosen("", asked, Config(databases=lakes))
    near = {**lakes, "two": replace(lakes["two"], beside=("app",))}
    assert chosen("", asked, Config(databases=near)) == "two"
    with pytest.raises(Exception, match="does not exist or is not open to you"):
        chosen("three", asked, Config(databases=near))


def test_without_a_lake_it_says_so(
    scratch_server: ScratchServer, module_database: str, tmp_path: Path
) -> None:
    configured = Config(store=StoreSection(url=str(tmp_path / "store.db")))
    with open_configured(configured) as store:
        ports = Ports(answers=answers.make(store, configured))
        with (
            RunningProxy(config(scratch_server.dsn(module_database)), ports) as proxy,
            psycopg.connect(
                make_conninfo(scratch_server.dsn(module_database), host="127.0.0.1", port=proxy.port),
                autocommit=True,
            ) as session,
            pytest.raises(psycopg.errors.FeatureNotSupported, match="needs a lake"),
        ):
            session.execute(SALES)


# --- odd tables -------------------------------------------------------------------------------------


@contextmanager
def read(
    server: ScratchServer, database: str, *given: str, target: str = "y", where: str = ""
) -> Iterator[Any]:
    """The base table as a search gets it."""
    with psycopg.connect(server.dsn(database), autocommit=True) as connection, duckdb.connect() as made:
        name, brought = base_of(connection, "app", given, BaseSpec(".".join(given), target, where=where))
        brought.fill(made, "base")
        yield name, brought, made
        assert connection.info.transaction_status.name == "IDLE"


def test_values_come_as_they_are(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(
            b"""create table valued (i bigint, f float4, n numeric, b bool, d date, t timestamptz, m money, c char(3),
                  u uuid, y float8, "Y" int, empty text);
                insert into valued values
                (9007199254740993, 'NaN', 'NaN', true, 'infinity', '-infinity', 12.5, 'a', gen_random_uuid(), 1, 2),
                (null, 'inf', 1e300, null, '0044-03-15 BC', '2024-05-06 07:08:09+02', null, null, null, 'NaN', 2),
                (-1, 0.5, 0.1, false, '2024-02-03', null, 1, 'bcd', null, null, 2);
                alter database {} set timezone to 'Pacific/Auckland'""".replace(
                b"{}", module_database.encode()
            )
        )
    with read(scratch_server, module_database, "valued") as (name, brought, made):
        assert name == "app.valued"
        assert brought.notes == ("1 column of valued is of a type that is no feature and no key",)
        found = made.execute("select i, f, n, b, cast(d as varchar), cast(t as varchar), m, c, y, empty from base").fetchall()  # fmt: skip
    assert found == [
        (9007199254740993, None, None, True, None, None, 12.5, "a", 1.0, None),
        (None, float("inf"), 1e300, None, None, "2024-05-06 05:08:09", None, None, None, None),
        (-1, 0.5, 0.1, False, "2024-02-03", None, 1.0, "bcd", None, None),
    ]


@pytest.mark.long
def test_a_million_rows_are_read_and_no_more(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(
            "create table large as select n as id, n * 0.5::float8 as y from generate_series(1, 1000001) n"
        )
    with read(scratch_server, module_database, "large", where="id > 1") as (_, _, made):
        assert made.execute("select count(*), sum(id) from base").fetchone() == (1_000_000, 500001500000)
    with pytest.raises(LakeError, match="more than 1,000,000 rows") as raised:  # noqa: SIM117
        with read(scratch_server, module_database, "large"):
            pass
    assert raised.value.sqlstate == "54000"
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(
            "create table wide_texts as select n::float8 as y, repeat('x', 1000000) as t from generate_series(1, 300) n"
        )
    with pytest.raises(LakeError, match="256 MB"), read(scratch_server, module_database, "wide_texts"):
        pass


@pytest.mark.long
def test_many_columns_few_rows_and_none(world: World) -> None:
    columns = ", ".join(f"c{i} float8" for i in range(1000))
    with world.connect("postgres") as session:
        session.execute(f"create table if not exists wide (shop text, amount float8, {columns})".encode())
        session.execute(
            "truncate wide; insert into wide (shop, amount, c7) select shop, amount, 'NaN' from sales"
        )
        rows = session.execute("AUGMENT TABLE wide TARGET amount").fetchall()
        assert rows[0][1] == "streets"
        session.execute("create table if not exists bare (shop text, amount float8)")
        for text in ("truncate bare", "insert into bare select shop, null from sales limit 30", "insert into bare select shop, amount from sales limit 9"):  # fmt: skip
            session.execute(text.encode())
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                session.execute("AUGMENT TABLE bare TARGET amount")
        session.execute("truncate bare; insert into bare select shop, amount from sales limit 10")
        session.execute("AUGMENT TABLE bare TARGET amount").fetchall()
        told: list[str] = []
        session.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        session.execute("truncate bare; insert into bare select 'nobody ' || shop, amount from sales")
        assert session.execute("AUGMENT TABLE bare TARGET amount").fetchall() == []
        assert "no table of the lake joins with this one" in told


@pytest.mark.parametrize(
    "words", ["create view", "CREATE OR REPLACE VIEW", "/* ours */ create\ttemp view", "(no)create view"]
)
@pytest.mark.parametrize("prepare", [False, True])
def test_a_view_of_what_was_found_belongs_to_the_lake(world: World, words: str, prepare: bool) -> None:
    """The database has no such table, and the server would only say that it does not know the word."""
    is_ours = not words.startswith("(")
    with world.connect() as connection:
        with pytest.raises(psycopg.Error) as raised:
            connection.execute(f"{words} plus as {SALES}".encode(), prepare=prepare)
        assert raised.value.sqlstate == ("0A000" if is_ours else "42601")
        assert ("session with the lake" in (raised.value.diag.message_hint or "")) is is_ours
        assert connection.execute("select 1", prepare=prepare).fetchone() == (1,)


@pytest.mark.parametrize("prepare", [False, True])
def test_a_search_ends_with_the_sessions_own_timeout(world: World, prepare: bool) -> None:
    with world.connect() as connection:
        connection.execute("set statement_timeout = 1")
        for sql in (SALES, f"explain {SALES}"):
            with pytest.raises(psycopg.errors.QueryCanceled) as raised:
                connection.execute(sql.encode(), prepare=prepare)
            assert raised.value.diag.message_primary == "canceling statement due to statement timeout"
        connection.execute("reset statement_timeout")
        assert connection.execute(SALES.encode(), prepare=prepare).fetchall()
