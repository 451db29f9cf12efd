"""What a lake's client writes means what PostgreSQL says: through the protocol, in both formats, with EXPLAIN
and NOTICEs.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest

pytestmark = pytest.mark.server


@pytest.fixture
def lake(lake_dsn: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select 7 / 2, count(*) from cities", [(3, 3000)]),
        ("select count(*) from cities where city ~ '99'", [(57,)]),
        ("select count(*) from cities where city similar to 'City (1|2)'", [(2,)]),
        ("select avg(population) from cities", [(Decimal("2499.5000000000000000"),)]),
        ("select to_char(founded, 'YYYY-MM') m from cities order by 1 limit 1", [("1900-01",)]),
        ("select unnest(tags) from nested order by 1", [("a",), ("b",)]),
        ("select generate_series(1, 2), code from countries order by 2, 1 limit 2", [(1, "C0"), (2, "C0")]),
        ("select format('%s-%s', code, name) from countries order by 1 limit 1", [("C0-Country 0",)]),
        (
            "select width_bucket(area, 0, 400, 4), count(*) from cities group by 1 order by 1 limit 1",
            [(1, 800)],
        ),
        ("select encode(convert_to(code, 'UTF8'), 'hex') from countries order by 1 limit 1", [("4330",)]),
        (
            "select to_number(substr(code, 2) || '-', '99S') n from countries where code = 'C7'",
            [(Decimal(-7),)],
        ),
        (
            "select count(*) from countries where to_tsvector('simple', name) @@ 'country & 7'::tsquery",
            [(1,)],
        ),
        (
            "select pg_size_pretty(population::bigint * 1024) from cities order by city limit 1",
            [("1000 kB",)],
        ),
        ("select json_agg(code order by code) from countries where code < 'C1'", [(["C0"],)]),
    ],
)
def test_expressions(lake: psycopg.Connection[Any], query: str, told: list[Any], binary: bool) -> None:
    assert lake.execute(query.encode(), binary=binary).fetchall() == told


def test_parameters_reach_what_postgresql_runs(lake: psycopg.Connection[Any]) -> None:
    query = "select initcap(city), avg(population) from cities where country = %s group by 1 having avg(population) > %s limit 1"
    assert len(lake.execute(query, ["C1", 1500]).fetchall()) == 1


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ("select median(area) from cities", "42883"),
        ("select population || population from cities", "42883"),
        ("select area / 0 from cities", "22012"),
        ("select population * 9223372036854775807 from cities", "22003"),
        ("select date '2020-13-01' from cities", "22008"),
        ("select pg_sleep(1) from cities", "0A000"),
        ("select current_user from cities", "0A000"),
        ("select * from cities for update", "0A000"),
        ("select city from cities group by country", "42803"),
        ("select (select code from countries) from cities", "21000"),
    ],
)
def test_errors_are_postgresqls(lake: psycopg.Connection[Any], query: str, state: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        lake.execute(query.encode())
    assert caught.value.sqlstate == state


def test_explain_says_what_runs_where(lake: psycopg.Connection[Any]) -> None:
    def explained(query: str) -> str:
        return "\n".join(row[0] for row in lake.execute(query.encode()).fetchall())

    translated = explained("explain select city from cities where population / 2 = 700")
    assert "DuckDB: SELECT" in translated
    assert "//" in translated
    finished = explained("explain (analyze, verbose) select avg(population) from cities")
    assert "Finished by PostgreSQL, because of avg(bigint)" in finished
    assert "Rows: 1" in finished
    assert "Execution Time:" in finished
    ran = explained("explain analyze select city from cities where population < 1003")
    assert "Rows: 3" in ran
    copied = explained("explain select percentile_cont(0.5) within group (order by area) from cities")
    assert "Run by PostgreSQL on rows fetched from the lake" in copied
    # what a tool puts in front, and a query in parentheses
    commented = explained("/* a tool's */ explain select city from cities where population / 2 = 700")
    assert commented == translated
    assert "DuckDB: " in explained("explain (select*from cities)")


def test_notices_are_one_line(lake: psycopg.Connection[Any]) -> None:
    told: list[str] = []
    lake.add_notice_handler(lambda diagnostic: told.append(diagnostic.message_primary or ""))
    lake.execute("set rewright.lake_confidence = 0")
    lake.execute("select sum(denizens) from towns")
    lake.execute("select percentile_cont(0.5) within group (order by area) from cities")
    resolved, copied = told
    assert resolved.startswith("resolved with confidence")
    assert "CALL rewright.accept(" in resolved
    assert "SQL:" not in resolved
    assert "\n" not in resolved
    assert copied.startswith("run by PostgreSQL on rows fetched from the lake, because of percentile_cont")
    assert [column.name for column in lake.execute("select count(*) from towns").description or []] == [
        "count"
    ]
