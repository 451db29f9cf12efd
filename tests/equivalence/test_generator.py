"""Generated databases satisfy the schema they are made for: the server takes nearly all of them."""

from __future__ import annotations

from collections import Counter

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.generator.constants import constants_of, like_samples
from rewright.equivalence.generator.databases import PROFILES, Database
from rewright.equivalence.generator.directed import directed_databases
from rewright.equivalence.generator.flatten import flatten
from rewright.equivalence.generator.pools import pools_for
from rewright.equivalence.isolation import screen_query, screen_schema
from rewright.equivalence.proving import bind_both, catalog_of
from rewright.equivalence.refuter.scratch_database import ScratchDatabase, insert_statements
from rewright.equivalence.refuter.search import Refuter
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create type mood as enum ('sad', 'ok', 'happy');
create domain even as int check (value % 2 = 0);
create table region (id int primary key, name varchar(10) not null unique, up int references region);
create table city (
    id int generated always as identity primary key, region int not null references region,
    twin int, size even, m mood, area numeric(6,2) check (area > 0), twice int generated always as (region * 2) stored,
    code char(3) not null, born date check (born >= '1990-01-01'), unique (region, code)
);
create table mayor (id int primary key, city int unique nulls not distinct references city, f float8, at timestamptz);
alter table city add constraint twin foreign key (twin) references mayor (id);
create table road (a int references city, b int references city, primary key (a, b), kind text check (kind in ('x', 'y')));
"""
QUERY = "select c.id from city c join region r on r.id = c.region where c.area > 12.5 and r.name like 'No%'"


@pytest.fixture(scope="module")
def scratch_db(scratch_server: ScratchServer) -> object:
    with ScratchDatabase(scratch_server, screen_schema(SCHEMA)) as made:
        yield made


def taken(scratch_db: ScratchDatabase, database: Database) -> bool:
    try:
        with scratch_db.rolled_back():
            for statement in insert_statements(scratch_db.shape, database):
                scratch_db.connection.execute(statement.encode())
            scratch_db.connection.execute("set constraints all immediate")
    except psycopg.Error:
        return False
    return True


@pytest.mark.server
def test_generated_databases_satisfy_the_schema(scratch_db: ScratchDatabase) -> None:
    query = screen_query("select * from city, mayor, road where size > 4 and kind = 'x' and f < 2")
    refuter = Refuter(scratch_db, query, query)
    made = [refuter.generator.database(profile) for profile in PROFILES for _ in range(12)]
    refuter.close()
    good = [database for database in made if taken(scratch_db, database)]
    assert len(good) >= 0.9 * len(made)
    names = [t.name for t in scratch_db.shape.tables]
    for name in ("region", "city", "mayor", "road"):
        assert any(database[names.index(name)] for database in good), name
    cells = [row for database in good for row in database[names.index("city")]]
    assert any(row[2] is not None for row in cells), "the cycle is used"
    assert any(row[2] is None for row in cells)


@pytest.mark.server
def test_the_same_seed_makes_the_same_databases(scratch_db: ScratchDatabase) -> None:
    query = screen_query(QUERY)
    runs = []
    for _ in range(2):
        refuter = Refuter(scratch_db, query, query, seed=5)
        runs.append([refuter.generator.database() for _ in range(30)])
        refuter.close()
    assert runs[0] == runs[1]


@pytest.mark.server
def test_solved_rows_answer_a_selective_query(scratch_db: ScratchDatabase) -> None:
    text = (
        "select r.name from city c join region r on r.id = c.region where c.area between 41.5 and 42 "
        "and c.born > date '2011-03-03' and r.name like 'Nor__' and c.m in ('ok', 'happy') and c.size = 4"
    )
    assert _answered(scratch_db, text) >= 2


def _seeds(scratch_db: ScratchDatabase, refuter: Refuter, text: str) -> list[Database]:
    catalog, problem = catalog_of(SCHEMA)
    assert catalog is not None, problem
    bound = bind_both(text, text, catalog, ("public",))
    assert not isinstance(bound, str)
    sizes = refuter.constants.small_integers
    return directed_databases(scratch_db.shape, refuter.pools, (bound.original,), seconds=5, sizes=sizes)


def _answered(scratch_db: ScratchDatabase, text: str) -> int:
    """On how many of the solved databases a query has rows."""
    query = screen_query(text)
    refuter = Refuter(scratch_db, query, query)
    seeds = _seeds(scratch_db, refuter, text)
    refuter.close()
    answered = 0
    for database in seeds:
        try:
            with scratch_db.rolled_back():
                for statement in insert_statements(scratch_db.shape, database):
                    scratch_db.connection.execute(statement.encode())
                answered += bool(scratch_db.connection.execute(text.encode()).fetchall())
        except psycopg.Error:
            continue
    return answered


def test_constants_are_read_with_their_columns() -> None:
    tree = screen_query(
        "select 1 from t where a > 5 and b in ('x', 'y') and c like 'No%' and d < date '2020-01-01' + interval '3' month "
        "group by e having count(*) > 7"
    ).tree
    found = constants_of([tree])
    assert found.near["a"] == {"5"}
    assert found.near["b"] == {"x", "y"}
    assert "No" in found.near["c"]
    assert found.intervals >= {"3 month"}
    assert 7 in found.small_integers


@pytest.mark.parametrize(
    ("text", "counting"),
    [
        (
            "with recursive r(i, m) as (select 1, n from t union all select i + 1, m from r where i < m) select i from r",
            True,
        ),
        ("select i from t, generate_series(1, n) as i", True),
        ("with r as (select n from t) select abs(n) from r", False),
    ],
)
def test_what_counts_up_to_a_number_is_known(text: str, counting: bool) -> None:
    """No value of millions is tried there that only meets a float."""
    assert constants_of([screen_query(text).tree]).counting is counting


def test_samples_of_a_pattern_match_it_and_miss_it() -> None:
    assert {"aXxb", "aXyzzb"} & like_samples("aX_%b")
    assert "aXx" in like_samples("aX_%b")


@pytest.mark.server
def test_pools_hold_neighbours_of_constants(scratch_db: ScratchDatabase) -> None:
    constants = constants_of(
        [screen_query("select 1 from city where area > 10.5 and born < '2001-05-05'").tree]
    )
    pools = pools_for(scratch_db.shape, constants, scratch_db.accepted)
    city = next(i for i, t in enumerate(scratch_db.shape.tables) if t.name == "city")
    places = {c.name: i for i, c in enumerate(scratch_db.shape.tables[city].columns)}
    assert {"10.5", "10.51", "10.49"} <= set(pools[city][places["area"]].near)
    assert "2001-05-06 00:00:00" in pools[city][places["born"]].near
    assert set(pools[city][places["size"]].family) <= {"0", "2", "4", "6", "-2", "10", "12"}, (
        "the domain's check"
    )
    assert set(pools[city][places["m"]].family) == {"sad", "ok", "happy"}


def test_a_recursive_query_is_walked_once() -> None:
    query = bind(
        "with recursive t(id) as (select id from region where up is null"
        " union all select r.id from region r join t on r.up = t.id) select id from t",
        catalog_from_ddl(SCHEMA),
    )
    assert len(flatten(query).scans) == 2


def test_subqueries_below_comparisons_have_rows_too() -> None:
    query = bind(
        "select c.code from city c where c.area > 1.2 * (select avg(d.area) from city d where d.region = c.region)"
        " and coalesce((select r.name from region r where r.id = c.region), '') <> ''",
        catalog_from_ddl(SCHEMA),
    )
    flat = flatten(query)
    assert sorted(ref.name for ref in flat.scans.values()) == ["city", "city", "region"]


@pytest.mark.server
def test_a_value_is_far_from_an_average_that_it_is_part_of(scratch_db: ScratchDatabase) -> None:
    text = "select c.code from city c where c.area > 1.5 * (select avg(d.area) from city d where d.region = c.region)"
    assert _answered(scratch_db, text) >= 1


@pytest.mark.server
def test_rows_that_are_repeated_for_a_group_still_join(scratch_db: ScratchDatabase) -> None:
    # a key of the repeated rows holds the column that is joined
    text = "select r.name from region r join city c on c.region = r.id where c.area > 41.5 group by r.name having count(*) >= 5"
    query = screen_query(text)
    refuter = Refuter(scratch_db, query, query)
    seeds = _seeds(scratch_db, refuter, text)
    refuter.close()
    city = [t.name for t in scratch_db.shape.tables].index("city")
    groups = [Counter(row[1] for row in database[city]) for database in seeds]
    assert sum(max(group.values(), default=0) >= 5 for group in groups) >= 2


@pytest.mark.server
def test_databases_like_the_rare_telling_ones_are_made(scratch_db: ScratchDatabase) -> None:
    query = screen_query(
        "select r.name, count(*) from region r join city c on c.region = r.id "
        "where c.area > 41.5 and r.name like 'No%' group by r.name having count(*) >= 5"
    )
    shares = []
    for breeds in (False, True):
        refuter = Refuter(scratch_db, query, query, seed=3)
        refuter.seeds = _seeds(scratch_db, refuter, query.text)[:6]
        for _ in range(5):
            refuter.run(databases=200, seconds=20)
            refuter.bred = refuter.bred if breeds else []
        shares.append(refuter.done.nonempty / refuter.done.databases)
        refuter.close()
    assert shares[1] > 1.5 * shares[0]
