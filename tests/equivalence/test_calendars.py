"""Series of moments: what a row of a calendar is compared with, what such a series may raise, and which of equal
rows is counted. Each pair is run on a server too.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.laws.calendars import Bounds, by_calendar
from rewright.equivalence.laws.instants import as_instants
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.views.calendars import calendars
from rewright.equivalence.recheck.views.instants import instants
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from tests.equivalence.text_pairs import prover, rows

SCHEMA = """
create table t (id int primary key, at timestamp, day date, until date, n int, j jsonb, x numeric);
create table o (id int primary key, t int);
"""
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = """
insert into t select i, timestamp '2023-12-25' + i * interval '3 hours 20 minutes', date '2023-12-25' + i / 5, date '2024-01-10' + i % 40, i % 7,
    case when i % 2 = 0 then '{"a": 1.0}'::jsonb else '{"a": 1.00}' end, case when i % 2 = 0 then 1.0 else 1.00 end from generate_series(1, 400) i;
insert into t values (1001, 'infinity', 'infinity', null, 1), (1002, '-infinity', '-infinity', '-infinity', 1), (1003, null, null, '5874897-12-31', null),
    (1004, '4713-11-24 00:00:00 BC', '4713-11-24 BC', '294277-01-01', 1), (1005, '294276-12-31 23:59:59.999999', '5874897-12-31', null, 1),
    (1006, '2024-01-01', '2024-01-01', null, 1), (1007, '2024-01-01 23:59:59.999999', '2024-01-02', null, 1), (1008, '2024-02-20 12:00', '2024-02-20', null, 1), (1009, '2024-02-20 23:59:59.5', '2024-02-20', null, 1);
insert into o select i, i % 9 from generate_series(1, 30) i;
"""


def series(first: str, last: str, step: str) -> str:
    return f"generate_series(timestamp '{first}', timestamp '{last}', interval '{step}') as c(a)"


DAYS = series("2023-12-20", "2024-02-20", "1 day")
OPEN = "(select count(*) from t where day <= c.a and (until is null or until > c.a))"
ENDED = "(select count(*) from t where day is not null and until is not null and greatest(day, until) <= c.a::date)"
SAME = (
    (f"select a, {OPEN} from {DAYS}", f"select a, (select count(*) from t where day <= c.a::date) - {ENDED} from {DAYS}"),
    (f"select a, id from {DAYS} left join t on t.at >= a and t.at < a + interval '1 day'", f"select a, id from {DAYS} left join t on t.at::date = a::date"),
    (f"select a, id from {DAYS}, t where t.day >= a and t.day < a + interval '1 day'", f"select a, id from {DAYS}, t where t.day = a::date"),
    (f"select a, id from {DAYS} left join t on t.at >= a and t.at < a + interval '1 day'",
     f"select a, id from {DAYS} left join t on t.at::date = a::date and t.at >= timestamp '2023-12-20' and t.at < timestamp '2024-02-21'"),
    (f"select a from {DAYS} where not exists (select 1 from t where t.at >= a and t.at < a + interval '1 day' and n > 3)",
     f"select a from {DAYS} where not exists (select 1 from t where t.at::date = a::date and n > 3 and t.at > timestamp '2023-12-19 23:59' and timestamp '2024-02-21' >= t.at)"),
    (f"select a, id from {DAYS}, t where t.day >= a and t.day < a + interval '1 day' and t.day >= date '2023-12-20'",
     f"select a, id from {DAYS}, t where t.day = a::date and t.day < date '2024-02-21'"),
    ("select count(*) from (select distinct t.* from t left join o on o.t = t.id) x", "select count(*) from t"),
    ("select count(*) from (select distinct id, x from t) y", "select count(*) from t"),
)  # fmt: skip
DIFFERENT = (
    (f"select a, {OPEN} from {DAYS}", f"select a, (select count(*) from t where day < c.a::date) - {ENDED} from {DAYS}"),
    (f"select a, {OPEN.replace('<=', '<').replace('>', '>=')} from {series('2023-12-20 06:00', '2024-02-20', '1 day')}",
     f"select a, (select count(*) from t where day < c.a::date) - {ENDED.replace('<=', '<')} from {series('2023-12-20 06:00', '2024-02-20', '1 day')}"),
    (f"select a, id from {series('2023-12-20 06:00', '2024-02-20', '1 day')}, t where t.at >= a and t.at < a + interval '1 day'",
     f"select a, id from {series('2023-12-20 06:00', '2024-02-20', '1 day')}, t where t.at::date = a::date"),
    # the last day, the first, another column's bound, a bound beside no equality
    (f"select a, id from {DAYS} left join t on t.at >= a and t.at < a + interval '1 day'",
     f"select a, id from {DAYS} left join t on t.at::date = a::date and t.at >= timestamp '2023-12-20' and t.at < timestamp '2024-02-20'"),
    (f"select a, id from {DAYS} left join t on t.at >= a and t.at < a + interval '1 day'",
     f"select a, id from {DAYS} left join t on t.at::date = a::date and t.at < timestamp '2024-02-20 23:59:59'"),
    (f"select a, id from {DAYS}, t where t.day >= a and t.day < a + interval '1 day'",
     f"select a, id from {DAYS}, t where t.day = a::date and t.day > date '2023-12-25'"),
    (f"select a, id from {DAYS} left join t on t.at >= a and t.at < a + interval '1 day'",
     f"select a, id from {DAYS} left join t on t.at::date = a::date and t.until < date '2024-02-21'"),
    (f"select a, id from {DAYS} left join t on t.at < a", f"select a, id from {DAYS} left join t on t.at < a and t.at < timestamp '2024-01-02'"),
    (f"select a, id from {series('2024-01-01', '2024-03-31', '1 month')}, t where t.at >= a and t.at < a + interval '1 month'",
     f"select a, id from {series('2024-01-01', '2024-03-31', '1 month')}, t where t.at >= a and t.at < a + interval '1 month' and t.at < timestamp '2024-01-20'"),
    (f"select a, id from {DAYS}, t where t.at >= a and t.at <= a + interval '1 day'", f"select a, id from {DAYS}, t where t.at::date = a::date"),
    ("select count(*) from (select distinct x from t) y", "select count(*) from t"),
)  # fmt: skip
# shown, or asked: which of equal values DISTINCT keeps is not told
SHOWN = ("select distinct x from t where n = 1", "select distinct x from t where n = 1 and id = id")
ENDLESS = (
    ("2023-12-27", "2024-02-20", "1 day", "day"),
    ("2023-12-27 05:00", "2024-01-20", "1 hour", "hour"),
    ("2023-12-25", "2024-02-20", "7 days", "week"),
    ("2023-12-25", "2024-03-20", "2 weeks", "week"),
    ("2023-11-01", "2024-03-20", "1 month", "month"),
    ("2023-11-01", "2025-03-20", "3 months", "month"),
    ("2000-01-01", "2030-01-01", "1 year", "year"),
    ("2020-02-29", "2024-02-29", "1 day", "day"),
    ("2024-01-01", "2023-01-01", "1 day", "day"),
)
OTHERS = (
    ("2023-12-27 06:00", "2024-02-20", "1 day", "day"),
    ("2023-12-27", "2024-02-20", "7 days", "week"),
    ("2023-11-02", "2024-03-20", "1 month", "month"),
    ("2023-11-01", "2024-03-20", "1 month", "year"),
    ("2023-12-27 05:30", "2024-01-20", "1 hour", "hour"),
    ("2023-12-27", "2024-02-20", "12 hours", "day"),
    ("2023-12-01", "2024-02-20", "1 month 1 day", "month"),
)


proved = prover(CATALOG)


@pytest.mark.parametrize(("first", "last", "step", "unit"), ENDLESS)
@pytest.mark.parametrize("bounds", ["added", "kept"])
def test_bounds_of_the_whole_series_are_added_and_dropped(
    first: str, last: str, step: str, unit: str, bounds: Bounds
) -> None:
    query = bind(lying(first, last, step, unit, "t.at"), CATALOG)
    made = to_sql(by_calendar(as_instants(query), bounds))
    assert made.count("timestamp") > 2 or bounds == "kept"
    found = proved(to_sql(query), made)
    assert found is not None
    assert not found.modulo


def lying(first: str, last: str, step: str, unit: str, column: str) -> str:
    """The rows whose value lies in the unit that a row of the series begins."""
    return f"select a, id from {series(first, last, step)}, t where {column} >= a and {column} < a + interval '1 {unit}'"


@pytest.mark.parametrize(("first", "second"), SAME)
def test_they_are_the_same_without_a_reservation(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert not found.modulo


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_differs_is_not_proved(first: str, second: str) -> None:
    assert proved(first, second) is None


def test_what_is_shown_of_equal_values_stays_reserved() -> None:
    found = proved(*SHOWN)
    assert found is None or "tie-order" in found.modulo


def unread(call: str) -> Proved | None:
    """A proof that a series that nobody reads may be left out."""
    return proved(
        f"select t.id from t left join lateral (select count(*) as m from {call} g) x on true",
        "select id from t",
    )


@pytest.mark.parametrize(
    "call",
    [
        "generate_series(1, t.n)",
        "generate_series(1, t.n, 3)",
        "generate_series(t.n::bigint, 9, -1)",
    ],
)
def test_a_series_that_fails_for_nothing_is_not_reserved(call: str) -> None:
    found = unread(call)
    assert found is not None
    assert not found.modulo


@pytest.mark.parametrize(
    "call",
    [
        "generate_series(1, t.n, 0)",
        "generate_series(1, 9, t.n)",
        "generate_series(1.5, t.x)",
        "generate_series(timestamp '2024-01-01', timestamp '2024-02-01', interval '0 days')",
        "generate_series(timestamp '2024-01-01', timestamp '2024-02-01', interval '-1 day')",
        "generate_series(timestamp '2024-01-01', t.at, interval '1 day')",
        "generate_series(t.at, timestamp '2024-02-01', interval '1 day')",
        "generate_series(timestamptz '2024-01-01', now() + interval '1 day', interval '1 day')",
    ],
)
def test_a_series_that_may_fail_is_reserved(call: str) -> None:
    found = unread(call)
    assert found is None or "errors" in found.modulo


@pytest.mark.parametrize("column", ["at", "day"])
@pytest.mark.parametrize("calendar", OTHERS)
def test_a_series_that_does_not_begin_units_is_left_as_it_is(
    calendar: tuple[str, str, str, str], column: str
) -> None:
    query = bind(lying(*calendar, column), CATALOG)
    assert by_calendar(query) == query
    assert calendars(instants(query)) == instants(query)


@pytest.mark.server
def test_a_server_says_the_same_of_all_of_them(scratch_server: ScratchServer) -> None:
    dsn = scratch_server.dsn(scratch_server.create_database("calendars"))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute((SCHEMA + ROWS).encode())
        for first, second in SAME:
            assert rows(connection, first) == rows(connection, second), second
        for first, second in DIFFERENT:
            assert rows(connection, first) != rows(connection, second), second
        for calendar in ENDLESS:
            for column in ("at", "day"):
                query = bind(lying(*calendar, column), CATALOG)
                made = {to_sql(by_calendar(as_instants(query))), to_sql(calendars(instants(query)))}
                assert len(made) == 1, made
                assert made != {to_sql(query)}
                assert rows(connection, made.pop()) == rows(connection, to_sql(query)), calendar
        # none of these fails, for the first moment and the last either
        cut = ", ".join(f"date_trunc('{unit}', at)" for unit in ("day", "hour", "minute", "second"))
        assert rows(connection, f"select at::date, {cut} from t")
        for kind in ("<=", ">", "<", ">="):
            for left, right in (("day", "at"), ("at", "day")):
                asked = f"select t.id, u.id from t, t u where t.{left} {kind} u.{right}"
                cast = asked.replace("t.at", "t.at::date").replace("u.at", "u.at::date")
                same = rows(connection, asked) == rows(connection, cast)
                assert same == ((left == "day") == (kind in {"<=", ">"})), asked


@pytest.mark.parametrize(("step", "fails"), [("interval '5 hours'", False), ("interval '5 hours' day", True)])
def test_of_a_step_with_a_modifier_nothing_may_be_left(step: str, fails: bool) -> None:
    """A series by a step of no length fails, for whatever row it is asked."""
    series = f"(select count(*) from generate_series('2020-01-01'::timestamp, '2020-01-03', {step}) g where g > t.at)"
    first = f"select t.id, {series} from t where t.id = 77"
    second = f"with w as materialized (select t.id, {series} as n from t) select id, n from w where id = 77"
    found = prove_pair(Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG), CATALOG, 10.0).proved
    assert found is not None
    assert bool({"errors", "overflow"} & set(found.modulo)) is fails
