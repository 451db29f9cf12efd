"""What is known of how equal values look, and of how large values grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts
from rewright.sql.facts.looks import _WHOLE_FIELDS

SCHEMA = """
create table r (id int primary key, a char(2), b char(3), t text, n numeric(5,2), m numeric(6,3), u numeric, k int, big bigint,
                f float8, w numeric(4,-2));
"""
CATALOG = catalog_from_ddl(SCHEMA)


def looks(target: str, source: str = "r") -> object:
    query = bind(f"select {target} from {source}", CATALOG)
    return Facts(CATALOG, query).looks(query)[0]


@pytest.mark.parametrize(
    ("target", "look"),
    [
        ("id", ("identical", 0)),
        ("t", ("identical", 0)),
        ("a", ("characters", 2)),
        ("max(a)", ("characters", 2)),
        ("coalesce(a, b)", None),
        ('t collate "C"', ("identical", 0)),
        ("a::text", ("identical", 0)),
        ("n", ("decimals", 2)),
        ("w", ("decimals", 0)),
        ("u", None),
        ("sum(n)", ("decimals", 2)),
        ("sum(n + m)", ("decimals", 3)),
        ("sum(n * m)", ("decimals", 5)),
        ("-n", ("decimals", 2)),
        ("n * 1.20", ("decimals", 4)),
        ("n * k", ("decimals", 2)),
        ("n / 2", None),
        ("avg(n)", None),
        ("sum(u)", None),
        ("coalesce(n, 0)", None),
        ("coalesce(n, 0.00)", ("decimals", 2)),
        ("case when k > 1 then n end", ("decimals", 2)),
        ("case when k > 1 then n else m end", None),
        ("nullif(n, 1)", ("decimals", 2)),
        ("greatest(n, n + n)", ("decimals", 2)),
        ("sum(big)", None),
        ("(select sum(n) from r)", ("decimals", 2)),
        ("sum(n) over (order by id)", ("decimals", 2)),
        ("lag(n) over (order by id)", ("decimals", 2)),
        ("lag(n, 1, 0) over (order by id)", None),
        ("first_value(n) over (order by id)", ("decimals", 2)),
        ("avg(n) over (order by id)", None),
        ("f", None),
        ("extract(year from date '2020-01-01' + k)", ("decimals", 0)),
        ("extract(second from timestamp '2020-01-01' + k * interval '1 second')", ("decimals", 6)),
        ("extract(julian from timestamp '2020-01-01' + k * interval '1 second')", None),
        ("extract(epoch from date '2020-01-01' + k)", None),
        ("extract(day from k * interval '1 day')", None),
        ("date_part('year', timestamp '2020-01-01')", None),
        ("extract(epoch from now() - now())", ("decimals", 6)),
        ("max(timestamp '2020-01-01' - timestamp '2019-01-01')", ("identical", 0)),
        ("now() - timestamptz '2019-01-01'", ("identical", 0)),
        ("now() - timestamp '2019-01-01'", ("identical", 0)),
        ("coalesce(now() - now(), interval '1 day')", None),
        ("sum(now() - now())", None),
        ("age(now(), now())", None),
        ("now() - interval '1 day' - now() + interval '1 day'", None),
        ("time '10:00' - time '09:00'", None),
        ("interval '1 day' - interval '24:00:00'", None),
    ],
)
def test_looks(target: str, look: object) -> None:
    assert looks(target) == look


def test_looks_pass_through_subqueries() -> None:
    assert looks("s", "(select sum(n) as s from r) x") == ("decimals", 2)
    assert looks("s", "(select sum(n) as s from r union all select n from r) x") == ("decimals", 2)
    assert looks("s", "(select sum(n) as s from r union all select m from r) x") is None
    assert looks("s", "(values (1.10), (2.25)) x(s)") == ("decimals", 2)
    assert looks("s", "(values (1.1), (2.25)) x(s)") is None


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)  # type: ignore[arg-type]
        connection.execute(
            "insert into r select i, chr(75 + i), chr(75 + i), 'x', i * 1.5, i * 0.25, i, i, i, i, i * 1000"
            " from generate_series(-9, 9) i"
        )
        yield connection


WHOLE = [
    f"extract({field} from {source} '2020-02-27' + k * interval '31 hours')"
    for source in ("date", "timestamp", "timestamptz")
    for field in sorted(_WHOLE_FIELDS)
]
SECONDS = [
    f"extract({field} from {source})"
    for field in ("epoch", "second")
    for source in (
        "timestamp '2020-02-27' + k * interval '31 hours 7 seconds'",
        "timestamptz '2020-02-27 10:00:00.125+00' + k * interval '31 hours'",
        "timestamptz '294276-12-31' - k * k * interval '31 hours'",
        "k * interval '31 hours 1 month'",
        "(timestamp '2020-02-27' + k * interval '31 hours') - timestamp '2020-01-01 10:00:00.5'",
        "k * interval '10000000 years'",
    )
]
DAYS = [
    f"extract({field} from date '2020-02-27' + 9 * k)" for field in sorted(_WHOLE_FIELDS - {"hour", "minute"})
]


@pytest.mark.server
@pytest.mark.parametrize(
    "target",
    [
        *WHOLE,
        *DAYS,
        *SECONDS,
        "n",
        "w",
        "sum(n)",
        "sum(n) over (order by id rows between 1 preceding and 1 following)",
        "lag(n) over (order by id)",
        "sum(n + m)",
        "sum(n * m)",
        "-n",
        "n * 1.20",
        "n * k",
        "n - 1",
        "max(a)",
    ],
)
def test_values_look_as_is_said(target: str, filled: psycopg.Connection[Any]) -> None:
    """On the server: the decimals, or bytes, of every value are those that were foretold."""
    kind, size = looks(target)  # type: ignore[misc]
    grouped = " group by id" if target.startswith(("sum", "max")) and "over" not in target else ""
    measure = "octet_length(v)" if kind == "characters" else "scale(v)"
    rows = filled.execute(
        f"select distinct {measure} from (select {target} as v from r{grouped}) x where v is not null"  # type: ignore[arg-type]
    ).fetchall()
    assert rows == [(size,)]


@pytest.mark.parametrize("type_", ["timestamp", "timestamptz"])
def test_equal_spans_between_moments_are_written_alike(type_: str, filled: psycopg.Connection[Any]) -> None:
    moments = (
        f"(select {type_} '2020-02-28 13:00' + i * interval '7 hours 13 minutes 0.000001 seconds' as m"
        f" from generate_series(-60, 60) i union all values ({type_} 'infinity'), ('-infinity')) "
    )
    said = f"select count(distinct span), count(distinct span::text) from (select a.m - b.m as span from {moments} a, {moments} b where isfinite(a.m) or isfinite(b.m)) x"
    spans, texts = filled.execute(said).fetchone() or (0, 0)  # type: ignore[arg-type]
    assert spans == texts
    assert spans > 200


@pytest.mark.parametrize(
    ("sql", "may"),
    [
        ("select n * 1.2 from r", False),
        ("select s * 1.2 from (select avg(n) as s from r) x", False),
        ("select sum(n * m) / 7 from r", False),
        ("select n / m from r", False),
        ("select u * 2 from r", True),
        ("select n * u from r", True),
        ("select k + 1 from r", True),
        ("select 1998 + 2 from r", False),
        ("select 2147483647 + 2 from r", True),
        ("select k::bigint * k from r", False),
        ("select big::int from r", True),
        ("select k::smallint from r", True),
        ("select k::bigint from r", False),
        ("select k / -1 from r", True),
        ("select 1 / k from r", False),
        ("select @ k from r", True),
        ("select (k / 2)::bigint + 1 from r", False),
        ("select (k / id)::bigint + 1 from r", True),
        ("select n::numeric(3,1) from r", True),
        ("select f * f from r", True),
        ("select k from r where k * k > 3", True),
        ("select id from r where n * (select max(u) from r) > 3", True),
        ("select id from r where n * (select max(m) from r) > 3", False),
        ("select count(*) + 1 from r", False),
        ("select id, 7 - rank() over (order by n) from r", False),
        ("select id, count(*) over (order by n) + 9223372036854775807 from r", True),
        ("select (count(*) + 1)::int from r", True),
        ("select count(*) * count(n) from r", True),
        # a column of a subquery holds what is shown there
        ("select c - 1 from (select id, rank() over (order by n) as c from r) x", False),
        ("with x as (select count(*) as c from r) select c + 1 from x", False),
        ("with x as (select k::bigint as c from r) select c * c from x", False),
        ("with x as (select big as c from r) select c + 1 from x", True),
        ("select c + 1 from (select count(*) as c from r union all select big from r) x", True),
        ("select c + 1 from (select count(*) as c from r union all select k from r) x", False),
        ("select c * c from (select max(k)::bigint as c from r) x", False),
        ("select c + 1 from (select coalesce(sum(k), 0) as c from r) x", True),
        ("select c + 1 from (select case when id > 1 then 5 end as c from r) x", False),
        ("select c + 1 from (values (1), (2147483647)) v(c)", True),
        ("with recursive x(c) as (select 1 union all select c + 1 from x) select c from x limit 3", True),
    ],
)
def test_arithmetic_that_stays_in_range(sql: str, may: bool) -> None:
    query = bind(sql, CATALOG)
    assert Facts(CATALOG, query).may_overflow(query) is may


ODD = [
    *("'NaN'::numeric", "'-Infinity'::numeric", "'NaN'::float8", "'infinity'::date", "'4713-01-01 BC'::date"),
    *("'-infinity'::timestamp", "'294276-12-31 23:59:59.999999'::timestamp", "'infinity'::timestamptz", "'24:00'::time"),
    *("'-178000000 years'::interval", "e'\\x01\\x1f\"\\\\'::text", "'a'::bpchar", "null::int", "'[1e400, \"\\u0041\"]'::jsonb"),
]  # fmt: skip


@pytest.mark.server
@pytest.mark.parametrize("value", ODD)
def test_json_is_made_of_every_value_that_is_said_to_be_written(
    value: str, filled: psycopg.Connection[Any]
) -> None:
    made = f"jsonb_build_object('a', {value}), json_build_object('a', {value}), to_jsonb({value}), jsonb_agg({value}), json_agg({value})"
    query = bind(f"select {made}", CATALOG)
    assert not Facts(CATALOG, query).errors(query)
    filled.execute(f"select {made}").fetchall()
