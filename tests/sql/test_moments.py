"""Which moments stay within their type by what conditions say; a server computes them of the moments at the ends."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import Call, Cast, Expr, Op, Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts.guards import NOTHING, Known, evaluated
from rewright.sql.facts.moments import bounds, may_come_first, stays_in_time
from rewright.sql.walk import conjuncts

SCHEMA = "create table t (id int primary key, ts timestamp, ts2 timestamp, tz timestamptz, d date);"
MOMENTS = {"date", "timestamp", "timestamptz"}
CATALOG = catalog_from_ddl(SCHEMA)
# the ends of each type, and infinite ones; where a condition says nothing of a column it may be any of these
ROWS = """
insert into t select row_number() over (), ts::timestamp, ts2::timestamp, tz::timestamptz, d::date from
    unnest(array['4714-11-24 BC', '1000-01-01', '2020-02-29 10:00', '2019-06-30', '8999-12-31', '294276-12-31 23:59:59', '-infinity', 'infinity']) ts,
    unnest(array['4714-11-24 BC', '294276-12-31 23:59:59']) ts2,
    unnest(array['4714-11-24 00:00+00 BC', '1000-01-01', '2020-02-29 10:00', '8999-12-31', '294276-12-31 23:59:59+00', '-infinity', 'infinity']) tz,
    unnest(array['4714-11-24 BC', '1000-01-01', '2020-02-29', '2020-06-30', '8999-12-31', '5874897-12-31', '-infinity', 'infinity']) d;
"""
STAYS = [
    ("date_trunc('month', ts)", "ts >= '2018-01-01'"),
    ("date_trunc('century', ts)", "ts >= '1000-01-01'"),
    ("date_trunc('quarter', ts)", "ts > now() - interval '90 days'"),
    ("date_trunc('month', tz)", "tz >= '2018-01-01' and tz < now()"),
    ("date_trunc('month', ts)", "ts::date between '2018-01-01' and '2020-12-31'"),
    ("date_trunc('week', ts)", "extract(year from ts) = 2020"),
    ("date_trunc('week', ts)", "date_part('year', ts) in (2019, 2020)"),
    ("date_trunc('month', d)", "d >= '2020-01-01' and d < '2021-01-01'"),
    ("ts + interval '30 days'", "ts < now()"),
    ("ts + interval '99 years 11 mons 29 days'", "ts <= '8999-12-31'"),
    ("ts - interval '1 year 2 mons'", "ts > now() - interval '90 days'"),
    ("interval '2' day + ts", "ts <= current_date"),
    ("ts - 90 * interval '1 day'", "ts > now() - interval '1 month' * 2"),
    ("ts - interval '10:30'", "'2018-01-01' <= ts"),
    ("ts + interval '5 months'", "date_trunc('day', ts) = '2020-02-29'"),
    ("(ts - interval '6 hours')::date", "ts >= '2018-01-01'"),
    ("d + 7", "d <= current_date - 7"),
    ("d - 7", "d in ('2020-02-29', '2020-06-30')"),
    ("d + 36500", "d < '2021-01-01'"),
    ("d::timestamp", "d <= '2020-01-01'"),
    ("d::timestamptz", "d between '2000-01-01' and '2020-12-31'"),
    ("d + interval '1 month'", "d < '2020-12-31'"),
    ("d - interval '1 month'", "d = '2020-02-29'"),
    ("d - date '2020-01-01'", "d between '2020-01-01' and '2021-01-01'"),
    ("ts - timestamp '2020-01-01'", "ts > '2018-01-01' and ts < localtimestamp"),
    ("tz::date", "tz >= '2020-01-01' and tz < '2021-01-01'"),
    ("tz - interval '1 day'", "tz > '2020-01-01' and tz < now() + interval '1 year'"),
    ("coalesce(date_trunc('month', now()), now()) - interval '1 day'", "true"),
    ("case when ts >= '2018-01-01' then date_trunc('month', ts) end", "true"),
]
MAY_LEAVE = [
    ("date_trunc('month', ts)", "ts < '2018-01-01'"),
    ("date_trunc('month', ts)", "ts2 >= '2018-01-01'"),
    ("date_trunc('month', ts)", "ts >= '0999-01-01'"),
    ("date_trunc('month', ts)", "ts >= '2018-01-01' or id = 3"),
    ("date_trunc('month', ts)", "ts <> '2018-01-01'"),
    ("date_trunc('month', ts)", "extract(month from ts) = 2000"),
    ("date_trunc('millennium', ts)", "ts >= '2018-01-01'"),
    ("ts + interval '30 days'", "ts > now()"),
    ("ts - interval '-1 year'", "ts > now()"),
    ("ts + interval '1 year -2 mons'", "ts < now()"),
    ("ts + interval '1000 years'", "ts < now()"),
    ("ts + interval '1' year * id", "ts < now()"),
    ("ts + interval '1' year * 200", "ts < now()"),
    ("ts + interval '0.9 years' * 2000", "ts < now()"),
    ("ts + 200000 * interval '10:00'", "ts < now()"),
    ("ts + interval '1 year'", "ts between '9500-01-01' and '9999-01-01'"),
    ("ts + interval '1 day'", "ts <= ts2"),
    ("ts - ts2", "ts between '2018-01-01' and '2020-01-01'"),
    ("ts - timestamp '2020-01-01'", "ts > '2018-01-01'"),
    ("d - 7", "d <= current_date"),
    ("d + 40000", "d < '2021-01-01'"),
    ("d + id", "d < '2021-01-01'"),
    ("d::timestamp", "d >= '2020-01-01'"),
    ("d - interval '1 month'", "d >= '2020-01-01'"),
    ("d + interval '1 month'", "d >= '2020-01-01'"),
    ("d - d", "d >= '2020-01-01'"),
    ("tz::date", "tz >= '2020-01-01'"),
]


def _of_time(expr: Expr, known: Known) -> Iterator[tuple[Expr, Known]]:
    """What moves, cuts or converts moments in the expression, with what is known there."""
    for e, there in evaluated(expr, known):
        moves = isinstance(e, Op) and any(x.type.name in MOMENTS for x in e.args) and e.type.name != "bool"
        converts = isinstance(e, Cast) and e.type.name in MOMENTS and e.arg.type.name in MOMENTS
        if moves or converts or (isinstance(e, Call) and e.func.name == "date_trunc"):
            yield e, there


def stays(expr: str, condition: str) -> bool:
    """Whether nothing in the expression leaves its type."""
    query = bind(f"select {expr} from t where {condition}", CATALOG)
    assert isinstance(query, Select)
    known = NOTHING.where(*conjuncts(query.where))
    fits = [stays_in_time(e, k) for e, k in _of_time(query.targets[0].expr, known)]
    assert fits
    return all(fits)


@pytest.mark.parametrize(("expr", "condition"), STAYS)
def test_what_is_bounded_stays(expr: str, condition: str) -> None:
    assert stays(expr, condition)


@pytest.mark.parametrize(("expr", "condition"), MAY_LEAVE)
def test_what_is_not_bounded_where_it_matters_may_leave(expr: str, condition: str) -> None:
    assert not stays(expr, condition)


@pytest.mark.server
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Anchorage"])
def test_a_server_computes_them_of_the_moments_at_the_ends(
    scratch_server: ScratchServer, database: str, zone: str
) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute((SCHEMA + ROWS).encode())
        connection.execute(f"set timezone = '{zone}'".encode())
        for expr, condition in STAYS:
            # OFFSET: the rows are there before anything is computed of them
            rows = f"(select * from t where {condition} offset 0) t"
            connection.execute(f"select count({expr}) from {rows}".encode())


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("from t where ts >= '2018-01-01' and d < '2020-01-01' and id = 3", 2),
        ("from t where ts >= '2018-01-01' or id = 3", 0),
        # these cost more than one operator
        (
            "from t where ts >= now() - interval '1 day' and ts::date > '2020-01-01' and d in ('2020-01-01', '2021-01-01')",
            0,
        ),
        ("from t join t u on u.ts < '2020-01-01'", 1),
        ("from t left join t u on u.ts < '2020-01-01'", 0),
        ("from t left join t u on t.id = u.id where '2020-01-01' > u.ts", 1),
    ],
)
def test_comparisons_with_constants_are_asked_first(rest: str, found: int) -> None:
    assert len(bounds(bind(f"select 1 {rest}", CATALOG))) == found


@pytest.mark.parametrize(
    ("condition", "first"),
    [
        ("date_trunc('month', ts) is null", True),
        ("date_trunc('month', ts) = ts2", False),
        ("(ts + interval '1 day') is not null or id is null", True),
        ("exists (select 1)", False),
        ("coalesce(date_trunc('month', ts) is null, false)", True),
    ],
)
def test_what_costs_no_more_may_come_first(condition: str, *, first: bool) -> None:
    query = bind(f"select 1 from t where {condition}", CATALOG)
    assert isinstance(query, Select)
    assert query.where is not None
    assert may_come_first(query.where) is first
