"""Pairs that differ are refuted by a database that replays; pairs that hold are left alone."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.generator.odd_midnights import SKIPPED_DAY, odd_midnights
from rewright.equivalence.generator.zones import local_times_of_one_moment, moments_of_zone
from rewright.equivalence.verdicts import Refuted, Tested, Verdict
from tests.equivalence.conftest import SCHEMA, Check

pytestmark = pytest.mark.server

DIFFERENT = {
    "count bug": (
        "select a.id from a where a.x = (select count(b.v) from b where b.aid = a.id)",
        "select a.id from a join (select aid, count(v) c from b group by aid) t on t.aid = a.id where a.x = t.c",
    ),
    "not in with nulls": (
        "select k from n where k not in (select k from m)",
        "select k from n where not exists (select 1 from m where m.k = n.k)",
    ),
    "unique lets nulls in": (
        "select distinct u from a",
        "select u from a",
    ),
    "group larger than a constant": (
        "select g from n group by g having count(*) > 7",
        "select g from n group by g having count(*) > 8",
    ),
    "scalar subquery with two rows": (
        "select a.id, (select b.v from b where b.aid = a.id) from a",
        "select a.id, b.v from a left join b on b.aid = a.id",
    ),
    "or as union": (
        "select k from n where v = 1 or g = 1",
        "select k from n where v = 1 union select k from n where g = 1",
    ),
    "average of integers": ("select avg(v) from n", "select sum(v) / count(v) from n"),
    "visible order": ("select k, v from n order by k", "select k, v from n order by v"),
    "order dropped": ("select id from a order by x desc", "select id from a"),
    "nulls first": ("select k from n order by k desc", "select k from n order by k desc nulls last"),
    "limit before filter": (
        "select t.k from (select k from n order by k nulls last limit 2) t where t.k > 1",
        "select k from n where k > 1 order by k nulls last limit 2",
    ),
    "functional dependence": (
        "select a.id, a.y, count(*) from a join b on b.aid = a.id group by a.id",
        "select a.id, a.y, count(b.v) from a join b on b.aid = a.id group by a.id",
    ),
    "all first rows of a group, and one": (
        "select g, v from (select g, v, rank() over (partition by g order by v) as r from n) t where r = 1",
        "select distinct on (g) g, v from n order by g, v",
    ),
    "one of the first, and all of them": (
        "select k from n order by v limit 1",
        "select k from n where v = (select min(v) from n)",
    ),
    "number of columns": ("select k from n", "select k, v from n"),
}
SAME = {
    "functional dependence": (
        "select a.id, a.y, count(*) from a join b on b.aid = a.id group by a.id",
        "select a.id, a.y, count(*) from a join b on b.aid = a.id group by a.id, a.y",
    ),
    "filter above a choice": (
        "select k from (select distinct on (g) k, g, v from n order by g, v) t where k > 1",
        "select k from (select distinct on (g) k, g, v from n order by g, v, k) t where k > 1",
    ),
    "ties of a limit": (
        "select k, v from n order by k limit 3",
        "select k, v from (select * from n order by v) t order by k limit 3",
    ),
    "ties of row_number": (
        "select v from (select v, row_number() over (partition by g order by k) r from n) t where r = 1",
        "select v from (select v, row_number() over (partition by g order by k) r from (select * from n order by v) s) t where r = 1",
    ),
    "candidate with more order": ("select k, v from n order by k", "select k, v from n order by k, v"),
    "key fixes the order": ("select id, x from a order by id, x", "select id, x from a order by id"),
    "overflow apart": ("select sum(k + v - v) from n", "select sum(k + 0 * v) from n where v is not null"),
    "schema-qualified": ("select id from public.a where x > 1", "select public.a.id from a where not x <= 1"),
    "row type": ("select (n).k from n", "select k from n"),
    "join elimination by key": ("select b.id from b join a on a.id = b.aid", "select id from b"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_difference_is_found_and_replays(
    name: str, search_only: Check, scratch_server: ScratchServer
) -> None:
    q1, q2 = DIFFERENT[name]
    verdict = search_only(q1, q2)
    assert isinstance(verdict, Refuted)
    if verdict.counterexample.kind == "columns":
        return
    assert verdict.counterexample.rows <= 14
    answers = replay(scratch_server, verdict, q1, q2)
    assert answers[0] != answers[1]


def replay(server: ScratchServer, verdict: Refuted, q1: str, q2: str, schema: str = SCHEMA) -> list[object]:
    """Both answers on the counterexample, in a database made from nothing but the verdict's own INSERTs."""
    database = server.create_database()
    answers: list[object] = []
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        connection.execute(schema.encode())
        for statement in verdict.counterexample.setup:
            connection.execute(statement.encode())
        for query in (q1, q2):
            try:
                rows = connection.execute(query.encode()).fetchall()
                ordered = verdict.counterexample.kind == "order"
                answers.append(rows if ordered else sorted(map(repr, rows)))
            except psycopg.Error as error:
                answers.append(error.sqlstate)
    server.drop_database(database)
    return answers


@pytest.mark.parametrize("name", SAME)
def test_no_difference_is_made_up(name: str, search_only: Check) -> None:
    verdict: Verdict = search_only(*SAME[name])
    assert isinstance(verdict, Tested)


def test_the_script_of_a_counterexample_can_be_pasted(
    search_only: Check, scratch_server: ScratchServer
) -> None:
    verdict = search_only(*DIFFERENT["count bug"])
    assert isinstance(verdict, Refuted)
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(verdict.counterexample.script.encode())
        left = connection.execute("select count(*) from pg_class where relnamespace = 'public'::regnamespace")
        assert left.fetchone() == (0,)
    scratch_server.drop_database(database)


def test_errors_on_one_side_are_a_difference(search_only: Check) -> None:
    verdict = search_only("select 1 / (v - 1) from n where v = 1", "select v from n where v = 1")
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.kind == "error"
    assert verdict.counterexample.original.startswith("ERROR 22012")


def test_overflow_alone_is_a_reservation(search_only: Check) -> None:
    verdict = search_only("select k + 1 > v + 1 from n", "select k > v from n")
    assert isinstance(verdict, Tested)
    assert "overflow" in verdict.modulo


SOFT = """
create table p (id int primary key, v int);
create table c (id int primary key, pid int not null, x int, q int);
alter table c add constraint soft foreign key (pid) references p not valid;
alter table c add constraint softer check (x > 0) not valid;
alter table c add constraint softest not null q not valid;
alter table p add constraint loop foreign key (v) references c (id);
alter table c add constraint back foreign key (x) references p;
"""


@pytest.mark.parametrize(
    ("q1", "q2"),
    [
        ("select c.id from c join p on p.id = c.pid", "select id from c"),
        ("select id from c where x <= 0", "select id from c where false"),
        ("select count(q) from c", "select count(*) from c"),
        ("select p.id from p join c on c.id = p.v join p o on o.id = c.x", "select id from p where v < 0"),
    ],
)
def test_facts_that_stored_rows_may_violate_are_violated(
    q1: str, q2: str, search_only: Check, scratch_server: ScratchServer
) -> None:
    verdict = search_only(q1, q2, SOFT)
    assert isinstance(verdict, Refuted)
    answers = replay(scratch_server, verdict, q1, q2, SOFT)
    assert answers[0] != answers[1]


INHERITED = """
create table kept (id int, v int check (v > 0) not enforced, check (v < 9) no inherit);
create table kept_old (closed date) inherits (kept);
create table kept_older (v int, constraint kept_v_check check (v > 0) not enforced) inherits (kept);
alter table kept add constraint told check (id > 5) not valid;
"""


@pytest.mark.parametrize(
    ("q1", "q2"),
    [
        ("select id from kept where v <= 0", "select id from kept where false"),
        ("select id from kept_old where v <= 0", "select id from kept_old where false"),
        ("select id from kept_older where v <= 0", "select id from kept_older where false"),
        ("select id from kept where id < 3", "select id from kept where id < 3 and false"),
    ],
)
def test_facts_that_children_inherit_are_violated_too(
    q1: str, q2: str, search_only: Check, scratch_server: ScratchServer
) -> None:
    verdict = search_only(q1, q2, INHERITED)
    assert isinstance(verdict, Refuted)
    answers = replay(scratch_server, verdict, q1, q2, INHERITED)
    assert answers[0] != answers[1]


ZONED = "create table seen (id int not null, at timestamptz, cash money);"


@pytest.mark.parametrize(
    ("q1", "q2"),
    [
        (
            "select id, date_trunc('hour', at, 'Europe/Berlin') from seen",
            "select id, date_trunc('hour', at at time zone 'Europe/Berlin') at time zone 'Europe/Berlin' from seen",
        ),
        (
            "select id, date_add(at, interval '1 day', 'Australia/Lord_Howe') from seen",
            "select id, at + interval '24 hours' from seen",
        ),
        ("select sum(cash * 0.5) from seen", "select sum(cash) * 0.5 from seen"),
    ],
)
def test_changes_of_clocks_in_a_named_zone_and_odd_cents_are_tried(
    q1: str, q2: str, search_only: Check, scratch_server: ScratchServer
) -> None:
    verdict = search_only(q1, q2, ZONED)
    assert isinstance(verdict, Refuted)
    answers = replay(scratch_server, verdict, q1, q2, ZONED)
    assert answers[0] != answers[1]


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Sydney"])
def test_two_local_times_are_one_moment_where_clocks_are_put_forward(
    scratch_server: ScratchServer, module_database: str, zone: str
) -> None:
    found = local_times_of_one_moment(zone)
    assert found is not None
    with psycopg.connect(scratch_server.dsn(module_database)) as connection:
        connection.execute(f"set timezone = '{zone}'".encode())
        asked = "select %s::timestamp = %s::timestamptz, %s::timestamp = %s::timestamptz, %s <> %s::text"
        one, other, moment = found
        rows = connection.execute(asked, (one, moment, other, moment, one, other)).fetchall()
    assert rows == [(True, True, True)]
    assert local_times_of_one_moment("Asia/Kathmandu") is local_times_of_one_moment("Nowhere/Land") is None


def test_moments_of_a_zone() -> None:
    berlin = moments_of_zone("Europe/Berlin")
    assert {"2024-03-31 00:30:00+00", "2024-03-31 01:30:00+00", "2024-10-27 00:30:00+00"} <= {*berlin}
    assert moments_of_zone("Nowhere/Land") == moments_of_zone("Europe/") == moments_of_zone("Etc/UTC") == ()


ODD_DAYS = [("2024-11-03", "2024-03-10"), ("2024-02-29",), ("1999-12-31", "2000-01-01"), ("2023-01-01",), ()]


@pytest.mark.parametrize("days", ODD_DAYS)
def test_midnights_of_a_querys_days_are_odd_in_a_zone_made_for_them(
    scratch_server: ScratchServer, module_database: str, days: tuple[str, ...]
) -> None:
    found = odd_midnights(days)
    back, _, forward = found.texts["date"]
    assert not days or back == days[0]
    asked = f"""
        with m (at) as (select unnest(%s::timestamptz[]))
        select exists (select from m a, m b where a.at < b.at and a.at::date > b.at::date),
            exists (select from m where at::date = '{back}' and at < date '{back}'),
            date '{forward}' = timestamptz '{forward}' and timestamptz '{forward}'::time = '01:00',
            exists (select from m a, m b where b.at > a.at + interval '1 day' and b.at - a.at <= '1 day'),
            exists (select from m a, m b where b.at - a.at > '1 day' and b.at <= a.at + interval '1 day')
    """
    with psycopg.connect(scratch_server.dsn(module_database)) as connection:
        connection.execute(f"set timezone = '{found.zone}'".encode())
        rows = connection.execute(asked.encode(), [list(found.texts["timestamptz"])]).fetchall()
    # dates run backwards, a midnight comes twice, another not at all, days of 23 and of 25 hours
    assert rows == [(True,) * 5]


def test_a_day_that_was_skipped_begins_with_the_next(
    scratch_server: ScratchServer, module_database: str
) -> None:
    skipped, following, _ = SKIPPED_DAY.texts["date"]
    with psycopg.connect(scratch_server.dsn(module_database)) as connection:
        connection.execute(f"set timezone = '{SKIPPED_DAY.zone}'".encode())
        asked = "select %s::date = %s::timestamptz, %s::date = %s::timestamptz"
        moment = SKIPPED_DAY.texts["timestamptz"][0]
        rows = connection.execute(asked, (skipped, moment, following, moment)).fetchall()
    assert rows == [(True, True)]


KEPT = """
create table parent (num numeric primary key, f float8 unique);
create table child (id int not null, num numeric references parent, f float8 references parent (f));
create table big (n bigint primary key, f float8);
create table wide (x numeric(30, 20), s float8, d date, at timestamptz, ts timestamp);
create type pair as (x int, y numeric);
create table rows_of (c pair);
"""


@pytest.mark.parametrize(
    ("q1", "q2"),
    [
        ("select c.num from child c join parent p using (num)", "select p.num from child c join parent p using (num)"),
        ("select c.f from child c join parent p using (f)", "select p.f from child c join parent p using (f)"),
        ("select a.f from big a left join big b on b.n = a.f", "select f from big"),
        ("select x from wide where x / 3 > 1", "select x from wide where x > 3"),
        ("select s from wide where s::numeric = 0.3", "select s from wide where s = 0.3"),
        ("select 1 from wide where s::text = '0.3'", "select 1 from wide where s = 0.3"),
        ("select 1 from wide where d + 1 > d", "select 1 from wide where d is not null"),
        ("select 1 from wide where at = ts at time zone 'Europe/Paris'", "select 1 from wide where at at time zone 'Europe/Paris' = ts"),
        ("select count(distinct c) from rows_of", "select count(distinct c::text) from rows_of"),
    ],
)  # fmt: skip
def test_values_that_are_one_in_another_type_or_another_writing_are_tried(
    q1: str, q2: str, search_only: Check, scratch_server: ScratchServer
) -> None:
    verdict = search_only(q1, q2, KEPT)
    assert isinstance(verdict, Refuted)
    answers = replay(scratch_server, verdict, q1, q2, KEPT)
    assert answers[0] != answers[1]
