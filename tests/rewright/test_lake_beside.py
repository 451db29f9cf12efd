"""A PostgreSQL database beside a lake, and files that come while it is served."""

from __future__ import annotations

import json
import time

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.duckdb import beside
from rewright.engines.duckdb.beside import Beside
from rewright.engines.duckdb.database import LakeDatabase
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.postgres.scratch import ScratchServer, free_port
from tests.fixtures.lake_server import make_files, served_lake

pytestmark = pytest.mark.server

READER = "a word that must not be seen"
SCHEMA = """
create table orders (id int primary key, city text not null, amount numeric(10, 2), at timestamptz, tags text[]);
insert into orders select i, 'City ' || i % 4, i * 1.5, '2026-01-01 00:00+00', array['a'] from generate_series(1, 10) i;
create schema books; create table books.entries (entry int); insert into books.entries values (7);
create table hidden (secret text);
create role mallory; create schema hers authorization mallory; set role mallory;
create function hers.told() returns int language plpgsql stable as 'begin raise exception ''LEAKED as %'', current_user; end';
create view hers.shown as select hers.told() as entry;
create table hers.indexed (entry int); create index on hers.indexed (entry) where entry > 1;
reset role;
create view public.plain as select id, upper(city) as city from orders;
grant usage on schema books, hers to reader;
grant select on orders, plain, books.entries, hers.shown, hers.indexed to reader
"""


@pytest.fixture(scope="module")
def app():
    with ScratchServer({}) as server:
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute("create database app")
            connection.execute(f"create role reader login password '{READER}'")
        with psycopg.connect(server.dsn(), dbname="app", autocommit=True) as connection:
            connection.execute(SCHEMA)
        yield make_conninfo(server.dsn(), dbname="app", user="reader", password=READER)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("beside")
    make_files(home / "files")
    return home


@pytest.fixture(scope="module")
def dsn(home, app):
    gone = f"host=127.0.0.1 port={free_port()} dbname=gone user=x password=y"
    databases = "".join(
        f"[databases.{name}]\ndsn = {json.dumps(address)}\noptimiser_dsn = {json.dumps(address)}\n"
        for name, address in (("app", app), ("gone", gone))
    )
    with served_lake(home, databases, REWRIGHT_DATABASES__LAKE__BESIDE="app,gone") as address:
        yield address


@pytest.fixture
def lake(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def test_files_and_tables_are_joined(lake):
    rows = lake.execute(
        "select c.city, sum(o.amount) from cities c join app.orders o on o.city = c.city group by 1 order by 1"
    ).fetchall()
    assert [(city, str(total)) for city, total in rows] == [
        ("City 0", "18.00"),
        ("City 1", "22.50"),
        ("City 2", "27.00"),
        ("City 3", "15.00"),
    ]


def test_parameters_get_the_types_of_the_tables_beside(lake):
    query = "select id from app.orders where amount > %s and id < %s order by id"
    assert lake.execute(query, [9, 8], prepare=True, binary=True).fetchall() == [(7,)]


def test_other_schemas_are_reached_by_three_names(lake):
    assert lake.execute("select entry from app.books.entries").fetchall() == [(7,)]


def test_views_beside_are_read_if_nothing_of_their_owners_runs(lake):
    assert lake.execute("select count(*) from app.plain where city = 'CITY 1'").fetchone() == (3,)
    assert lake.execute("select count(*) from app.hers.indexed").fetchone() == (0,)
    for text in ("select * from app.hers.shown", "with x as (select * from app.HERS.Shown) select * from x"):
        with pytest.raises(
            psycopg.Error, match=r"it uses function hers\.told\(\), whose owner is mallory"
        ) as raised:
            lake.execute(text)
        assert raised.value.sqlstate == "42501"


def test_tables_beside_are_listed(lake):
    found = lake.execute(
        "select table_name, column_name, data_type from information_schema.columns where table_schema = 'app'"
        " and table_name = 'orders' order by ordinal_position"
    ).fetchall()
    assert [column for _, column, _ in found] == ["id", "city", "amount", "at", "tags"]
    assert found[2][2] == "numeric"


@pytest.mark.parametrize(
    "hostile",
    [
        "insert into app.orders values (11)",
        "delete from app.orders",
        "select * from cities, postgres_query('app', 'select 1')",
        "select * from cities, postgres_execute('app', 'drop table orders')",
        "select * from cities, postgres_scan('host=127.0.0.1', 'public', 'orders')",
        "select * from cities, duckdb_databases()",
        "select * from cities, duckdb_secrets()",
        "select rolname from app.pg_catalog.pg_roles, cities",
        'select * from "app"."information_schema"."tables", cities',
    ],
)
def test_nothing_but_tables_is_read(lake, hostile):
    with pytest.raises(psycopg.Error) as raised:
        lake.execute(hostile.encode()).fetchall()
    # functions of DuckDB's are none of PostgreSQL's
    assert raised.value.sqlstate in {"42501", "25006", "42883"}
    assert READER not in str(raised.value)


def test_what_the_reader_may_not_see_is_refused(lake):
    with pytest.raises(psycopg.Error) as raised:
        lake.execute("select * from app.hidden").fetchall()
    assert "permission denied" in str(raised.value)
    assert READER not in str(raised.value)


@pytest.mark.long
def test_a_database_that_is_down_is_named_and_the_lake_goes_on(lake):
    with pytest.raises(psycopg.OperationalError, match="gone beside the lake cannot be reached") as raised:
        lake.execute("select * from gone.orders")
    assert raised.value.sqlstate == "08001"
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def test_without_the_extension_it_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(beside, "extension_file", lambda: None)
    with LakeDatabase([], {}, beside=[Beside("app", "host=127.0.0.1")]) as database:
        assert database.execute("select 1").rows == [(1,)]
        with pytest.raises(LakeError, match="duckdb-extension-postgres-scanner") as raised:
            database.execute("select * from app.orders")
        assert raised.value.sqlstate == "0A000"
        assert database.beside() == {}


def test_the_extension_is_of_the_duckdb_that_is_installed():
    assert beside.extension_file() is not None


def test_new_files_are_noticed(lake, home):
    (home / "files" / "rivers.csv").write_text("river,length\nDanube,2850\nElbe,1094\n")
    listed = "select count(*) from pg_class where relname = 'rivers'"
    deadline = time.monotonic() + 60
    while lake.execute(listed).fetchone() == (0,):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    while True:  # each of the two notices by itself
        try:
            assert lake.execute("select length from rivers where river = 'Elbe'").fetchone() == (1094,)
            break
        except psycopg.Error:
            assert time.monotonic() < deadline
            time.sleep(0.5)
