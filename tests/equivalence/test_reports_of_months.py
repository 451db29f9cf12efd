"""Reports over series of days and months: dates beside local moments, spans that move moments, groups by years,
and series in CTEs.
"""

from __future__ import annotations

import re

import psycopg
import pytest

from bench.mutant_proofs import WAYS, Shown
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, as_kept
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table suit (id int primary key, kind text not null, court int not null, filed date not null, closed date, heard timestamp, seen timestamptz not null,
  award numeric(9, 2));
create table court (id int primary key, name text not null, seat text collate "und-x-icu");
""")
MONTHS = "generate_series({0} '2020-01-01', {0} '2021-12-01', interval '1 month') as m (day)"


def _in_place(value: str, series: str) -> str:
    return f"select m.day, k.id, (select {value}) as v from {series} cross join court k order by m.day, k.id"


def _grouped(made: str, on: str, shown: str, series: str) -> str:
    return (
        f"with p as (select m.day, s.court, {made} as v from {series} join suit s on {on} group by m.day, s.court)"
        f" select m.day, k.id, {shown} as v from {series} cross join court k"
        " left join p on p.day = m.day and p.court = k.id order by m.day, k.id"
    )


LOCAL, ZONED = MONTHS.format("timestamp"), MONTHS.format("timestamptz")
SAME = (
    # a row beside the other
    ("select id from suit where filed <= heard", "select id from suit where filed::timestamp <= heard and filed <= heard"),
    ("select id from suit where heard::date < filed", "select id from suit where heard < filed"),
    ("select id from suit where heard::date >= filed", "select id from suit where filed <= heard"),
    ("select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '1 year')", "select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '1 year' and b.heard <= a.heard)"),
    ("select id from suit a where exists (select from suit b where b.heard >= a.heard + interval '3 days')", "select id from suit a where exists (select from suit b where b.heard >= a.heard + interval '3 days' and not b.heard < a.heard)"),
    # series in CTEs and their groups
    (_in_place("count(*) from suit s where s.court = k.id and s.filed <= m.day", LOCAL), _grouped("count(*)", "s.filed <= m.day", "coalesce(p.v, 0)", LOCAL)),
    (_in_place("count(*) from suit s where s.court = k.id and s.seen >= m.day", ZONED), _grouped("count(*)", "s.seen >= m.day", "coalesce(p.v, 0)", ZONED)),
    (_in_place("sum(s.award) from suit s where s.court = k.id and s.heard >= m.day", LOCAL), _grouped("sum(s.award)", "s.heard >= m.day", "p.v", LOCAL)),
    (_in_place("count(*) from suit s where s.court = k.id and s.heard <= m.day - interval '1 year'", LOCAL), _grouped("count(*) filter (where s.heard <= m.day - interval '1 year')", "s.heard <= m.day", "coalesce(p.v, 0)", LOCAL)),
    # groups by years, which are numbers of no scale
    (
        "select y.court, y.year, (select sum(s.award) from suit s where extract(year from s.filed) = y.year) as all_of_it from (select court, extract(year from filed) as year from suit group by 1, 2) y",
        "select y.court, y.year, t.all_of_it from (select court, extract(year from filed) as year from suit group by 1, 2) y left join (select extract(year from filed) as year, sum(award) as all_of_it from suit group by 1) t on t.year = y.year",
    ),
)  # fmt: skip
DIFFERENT = (
    ("select id from suit where filed <= heard", "select id from suit where filed <= heard and filed < heard"),
    ("select id from suit where heard::date <= filed", "select id from suit where heard <= filed"),
    ("select id from suit where heard::date = filed", "select id from suit where heard = filed"),
    # the session's zone says when a day begins, and may leave days out
    ("select id from suit where seen::date < filed", "select id from suit where seen < filed::timestamp at time zone 'UTC'"),
    ("select id from suit a where exists (select from suit b where b.seen < a.seen - interval '1 day')", "select id from suit a where exists (select from suit b where b.seen < a.seen - interval '1 day' and b.seen < a.seen)"),
    # spans back, none, and of a session's own reading
    ("select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '-1 year')", "select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '-1 year' and b.heard <= a.heard)"),
    ("select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '1 year')", "select id from suit a where exists (select from suit b where b.heard <= a.heard - interval '1 year' and b.heard < a.heard)"),
    (_in_place("count(*) from suit s where s.court = k.id and s.heard <= m.day + interval '1 year'", LOCAL), _grouped("count(*) filter (where s.heard <= m.day + interval '1 year')", "s.heard <= m.day", "coalesce(p.v, 0)", LOCAL)),
    (_in_place("count(*) from suit s where s.court = k.id and s.filed <= m.day", LOCAL), _grouped("count(*)", "s.filed <= m.day", "p.v", LOCAL)),
    (_in_place("count(*) from suit s where s.court = k.id and s.filed <= m.day", LOCAL), _grouped("count(*)", "s.filed <= m.day", "coalesce(p.v, 0)", LOCAL.replace("1 month", "2 months"))),
    # groups by texts that another collation tells apart less
    (
        "select k.id, (select sum(s.award) from suit s where s.kind = k.seat) from court k",
        "select k.id, t.v from court k left join (select kind, sum(award) as v from suit group by kind) t on t.kind = k.seat",
    ),
)  # fmt: skip
_COMPUTES = re.compile(r"filed::|heard::|heard [<>]= \S+ [+-] interval")


def _shown(first: str, second: str) -> dict[str, Shown | str]:
    pair = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    return {name: way(pair, 15.0) for name, way in WAYS.items()}


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_report_is_proved_by_parts_and_rechecked(first: str, second: str) -> None:
    found = _shown(first, second)
    for name in ("parts", "forms"):
        assert isinstance(got := found[name], Shown), name
        # what is computed of moments may leave their type
        assert not set(got.modulo) - ({"errors", "overflow"} if _COMPUTES.search(second) else set()), name


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_another_report_is_not(first: str, second: str) -> None:
    for name, found in _shown(first, second).items():
        assert isinstance(found, str), name


_BY_YEAR = (
    "with y as (select court, extract({0} from filed)::int as at, sum(award) as v from suit group by 1, 2)"
)


@pytest.mark.parametrize(("field", "step"), [("year", "- 1"), ("month", "+ 100000")])
def test_what_is_near_a_year_is_a_number_among_rows_that_are_looked_at(field: str, step: str) -> None:
    """The value before, in a report by years: a year less one is no overflow, whatever year it is."""
    made = _BY_YEAR.format(field)
    first = f"{made} select y.court, (select p.v from y p where p.court = y.court and p.at = y.at {step}) from y where y.v > 9"
    second = f"{made} select y.court, p.v from y left join y p on p.court = y.court and p.at = y.at {step} where y.v > 9"
    pair, promises = as_kept(Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG))
    assert promises
    proved = prove_pair(pair, CATALOG, 15.0).proved
    assert proved is not None
    assert not proved.modulo


@pytest.mark.server
def test_a_server_has_dates_and_local_moments_on_one_line(scratch_server: ScratchServer) -> None:
    rows = """
      (select d from unnest('{-infinity,4713-01-01 BC,2020-02-29,2020-03-01,294276-12-31,5874897-12-31,infinity}'::date[]) d) days,
      (select t from unnest('{-infinity,4713-01-01 00:00:00 BC,2020-02-29,2020-02-29 23:59:59.999999,2020-03-01,294276-12-31 23:00:00,infinity}'::timestamp[]) t) moments
    """
    spans = "unnest('{1 second,5 hours,1 day,1 month,7 years}'::interval[]) s"
    near = "t between '4000-01-01 BC' and '9000-01-01' or not isfinite(t)"
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        asked = (
            f"select count(*), bool_and((t::date < d) = (t < d)), bool_and((t::date >= d) = (d <= t)) from {rows}",
            f"select count(*), bool_and((d <= t) = (d::timestamp <= t)) from {rows} where d < '294277-01-01' or d = 'infinity'",
            f"select count(*), bool_and(t - s <= t), bool_and(t <= t + s) from {rows}, {spans} where {near}",
        )
        for text in asked:
            met, *hold = connection.execute(text.encode()).fetchone() or (0,)
            assert met
            assert all(hold), text
