"""A lake on Spark (local[2]), through the proxy. Not collected by the ordinary run: ``make test-extras``
installs what it needs.
"""

from __future__ import annotations

import threading
from collections import Counter
from datetime import date
from decimal import Decimal

import psycopg
import pytest

from tests.fixtures.lake_server import make_files, served_lake

VARIABLES = {
    "REWRIGHT_DATABASES__LAKE__ENGINE": "spark",
    "REWRIGHT_DATABASES__LAKE__SPARK_MASTER": "local[2]",
}


@pytest.fixture(scope="module")
def dsn(tmp_path_factory):
    home = tmp_path_factory.mktemp("spark")
    make_files(home / "files")
    with served_lake(home, **VARIABLES) as address:
        yield address


@pytest.fixture
def lake(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def check_rows_and_types(lake):
    rows = lake.execute(
        "select city, population, founded, area from cities where population < 1003 order by population"
    ).fetchall()
    assert rows == [
        ("City 0", 1000, date(1900, 1, 2), 0.0),
        ("City 1", 1001, date(1901, 1, 2), 0.125),
        ("City 2", 1002, date(1902, 1, 2), 0.25),
    ]


def check_nested_types(lake):
    assert lake.execute("select id, tags, place_x from nested order by id").fetchall() == [
        (1, ["a", "b"], 1.5),
        (2, [], None),
    ]


def check_joins_aggregates_and_parameters(lake):
    query = (
        "select c.name, count(*), sum(population) from cities join countries c on c.code = country"
        " where population > %s and founded < %s group by c.name order by 2 desc, 1 limit 2"
    )
    # populations 1501 to 3999 of years before 1950, of which each country has 2 or 3 in a hundred
    expected = Counter()
    totals = Counter()
    for i in range(501, 3000):
        if i % 100 < 50:
            expected[f"Country {i % 20}"] += 1
            totals[f"Country {i % 20}"] += 1000 + i
    wanted = sorted(expected, key=lambda name: (-expected[name], name))[:2]
    found = lake.execute(query, [1500, date(1950, 1, 1)]).fetchall()
    assert found == [(name, expected[name], Decimal(totals[name])) for name in wanted]


def check_imagined_names_are_resolved(lake):
    notices = []
    lake.add_notice_handler(lambda d: notices.append(d.message_primary))
    rows = lake.execute(
        "select city_name from city where country_code = 'C3' and inhabitants < 1030 order by inhabitants"
    ).fetchall()
    assert rows == [("City 3",), ("City 23",)]
    assert "resolved with confidence" in notices[0]


def check_errors_have_sqlstates(lake):
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        lake.execute("select cast(city as int) from cities").fetchall()
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def check_cancel(lake):
    timer = threading.Timer(3.0, lake.cancel)
    timer.start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        lake.execute("select count(*) from cities a, cities b, cities c where a.area + b.area * c.area > 1e9")
    timer.join()
    assert lake.execute("select count(*) from countries").fetchone() == (20,)


def check_large_results_in_portions(lake):
    with lake.transaction(), lake.cursor(name="c") as cursor:
        cursor.itersize = 500
        cursor.execute("select population from cities order by 1")
        assert sum(1 for _ in cursor) == 3000


@pytest.mark.parametrize(
    "hostile",
    [
        "select reflect('java.lang.System', 'exit', 1) from cities",
        "select java_method('java.lang.System', 'getenv', 'HOME') from cities",
        "select * from parquet.`/etc/passwd`",
        'select * from "parquet"."/etc/passwd"',
        "insert into cities select * from cities",
    ],
)
def check_spark_offers_nothing_more(lake, hostile):
    with pytest.raises(psycopg.Error):
        lake.execute(hostile.encode()).fetchall()


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("select population / 2 from cities where population = 1001", [(500,)]),
        ("select 7 / 2, -7 % 4 from countries where code = 'C3'", [(3, -3)]),
        # an average of whole numbers is PostgreSQL's numeric quotient
        ("select avg(population) from cities where population < 1002", [(Decimal("1000.5000000000000000"),)]),
        ("select count(*) from cities where city ~ 'y 1$'", [(1,)]),
        ("select upper('straße'), to_char(founded, 'DD.MM.YYYY') from cities where population = 1000", [("STRAßE", "02.01.1900")]),
        ("select array_agg(name order by name desc) from countries where code in ('C1', 'C2')", [(["Country 2", "Country 1"],)]),
        ("select row_number() over (order by population desc), city from cities where population < 1002", [(1, "City 1"), (2, "City 0")]),
        ("select distinct founded from cities where population < 1002 order by 1 desc", [(date(1901, 1, 2),), (date(1900, 1, 2),)]),
        ("select percentile_cont(0.5) within group (order by area) from cities where population < 1003", [(0.125,)]),
    ],
)  # fmt: skip
def check_expressions_mean_what_postgresql_says(lake, query, rows):
    assert lake.execute(query.encode()).fetchall() == rows


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ("select population / 0 from cities", "22012"),
        ("select (population * 3000000)::int * 3000000 from cities", "22003"),
        ("select nosuch(population) from cities", "42883"),
        ("select pg_read_file('/etc/passwd') from cities", "0A000"),
        ("select city from cities group by country", "42803"),
    ],
)
def check_errors_are_postgresqls(lake, query, state):
    with pytest.raises(psycopg.Error) as caught:
        lake.execute(query.encode()).fetchall()
    assert caught.value.sqlstate == state


def check_explain_says_what_runs_where(lake):
    told = "\n".join(row[0] for row in lake.execute("explain select avg(population) from cities"))
    assert "Finished by PostgreSQL, because of avg(bigint)" in told
    assert "Spark: SELECT" in told
