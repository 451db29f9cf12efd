"""Readers that stop early, joins by an index, and what keeps rows from them: a server answers the first of each pair
and fails in the second, by rows that the first one never asks; no proof goes without `errors`.
"""

from __future__ import annotations

import psycopg
import pytest

from bench.mutant_proofs import Shown
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.calendar_series import without_series
from rewright.equivalence.prover.stopping import may_fail
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts
from tests.equivalence.failing_pairs import failing_with, shown

SCHEMA = """
create table t (id int primary key, a int not null, s text not null);
create table u (id int primary key, t int not null references t, v int);
create table m (id int primary key, at timestamp not null);
create domain small as int check (value < 3);
"""
# the rows that fail come last by the key, and are few
ROWS = """
insert into t select i, case when i > 99990 then 0 else 1 + i % 4 end, 'x'
from generate_series(1, 100000) i order by hashint4(i);
insert into u select i, i, 2 from generate_series(1, 20) i;
set max_parallel_workers_per_gather = 0;
analyze;
"""
CATALOG = catalog_from_ddl(SCHEMA)
ASKED = "from t where 10 / a > 1"
JOINED = "on t.id = u.t where 10 / t.a > 1"
LEAST = f"select min(id) {ASKED}"
FIRST = f"select id {ASKED} order by id limit 3"
TIES = "select id from u order by id fetch first 2 rows with ties"
DAYS = "generate_series(timestamp '2024-01-01', timestamp '2024-03-31', interval '1 day') d(day)"
# too far away for a moment, and made of a date when the query runs
FAR = "(date '5000000-01-01')::timestamptz"
LAST = "case when a > 0 then true else"
SORTED = f"(select id {ASKED} order by id) q"
# the server fails in the second of each
SEEN = {
    "a day that is cast by the session's zone": (
        f"select min(id) from t where {LAST} now() < {FAR} end",
        f"with x as (select 1) select min(id) from t where {LAST} now() < {FAR} end",
    ),
    "a constant that a domain refuses": (
        f"select min(id) from t where {LAST} a < 5::small end",
        f"with x as (select 1) select min(id) from t where {LAST} a < 5::small end",
    ),
    "a day by which rows are estimated": (
        f"select count(*) filter (where m.at < {FAR}) from m",
        f"select count(*) from m where m.at < {FAR}",
    ),
    "a sorted subquery here, and not there": (
        f"select (select count(*) from (select v from u where 10 / v > 1 order by v) z), ({LEAST})",
        f"select (select count(*) from u where 10 / v > 1), (select min(id) from {SORTED})",
    ),
    "a computed CTE here, and not there": (
        f"with x as materialized (select v from u) select (select count(*) from x where 10 / v > 1), q.id from ({FIRST}) q",
        (
            "with x as materialized (select id, a from t) select (select count(*) from u where 10 / v > 1), q.id"
            " from (select id from x where 10 / a > 1 order by id limit 3) q"
        ),
    ),
    "IN of sorted rows here, and not there": (
        f"select u.id from u where u.t in (select id {ASKED}) and u.v in (select id from u where 10 / v > 1 order by id)",
        f"select u.id from u where u.t in (select id {ASKED} order by id) and u.v in (select id from u where 10 / v > 1)",
    ),
    "a sorted subquery below a cut": (
        FIRST,
        f"select id from (select id {ASKED} order by id) q order by id limit 3",
    ),
    "a least value in a join with one row": (
        LEAST,
        "select min(id) from t cross join generate_series(1, 1) x(k) where 10 / a > 1",
    ),
    "what is shown waits for the cut where it costs much": (
        "select id, (select 10 / x.a from t x where x.id = t.id) from t order by s, id limit 3",
        "select id, 10 / a from t order by s, id limit 3",
    ),
    "a computed CTE below a cut": (
        FIRST,
        "with q as materialized (select id, a from t) select id from q where 10 / a > 1 order by id limit 3",
    ),
    "an aggregate with an order of its own": (LEAST, f"select min(id order by id) {ASKED}"),
    "an aggregate with a filter": (LEAST, "select min(id) filter (where 10 / a > 1) from t"),
    "an aggregate beside a CTE that nobody reads": (LEAST, f"with x as (select 1) {LEAST}"),
    "an aggregate of an inlined CTE": (LEAST, f"with x as (select id {ASKED}) select min(id) from x"),
    "an aggregate of sorted rows": (LEAST, f"select min(id) from (select id {ASKED} order by id) q"),
    "an aggregate of fenced rows": (
        LEAST,
        "select min(id) from (select * from t offset 0) t where 10 / a > 1",
    ),
    "an aggregate beside another": (LEAST, f"{LEAST} having count(*) >= 0"),
    "EXISTS of sorted rows": (
        f"select exists (select {ASKED})",
        f"select exists (select from (select id {ASKED} order by s) q)",
    ),
    "a join with a subquery that has a WITH": (
        f"select u.id from u join t {JOINED}",
        f"select u.id from u join (with x as (select * from t) select * from x) t {JOINED}",
    ),
    "a join with a computed CTE": (
        f"select u.id from u join t {JOINED}",
        f"with x as materialized (select * from t) select u.id from u join x t {JOINED}",
    ),
}
# the same, by plans that the server takes of other rows, or versions
UNSEEN = {
    "a longer page within a page": (
        FIRST,
        f"select id from (select id {ASKED} order by id limit 1000000) q order by id limit 3",
    ),
    "a page without an end within a page": (
        FIRST,
        f"select id from (select id {ASKED} order by id offset 0) q order by id limit 3",
    ),
    "WITH TIES, beside another": (
        f"select (select count(*) from ({TIES}) x), q.id from ({FIRST}) q",
        f"select (select count(*) from ({TIES}) x), q.id from (select id {ASKED} order by id fetch first 3 rows with ties) q",
    ),
    "a LATERAL subquery that is sorted": (
        "select u.id from u cross join lateral (select t.id from t where t.id = u.t and 10 / t.a > 1 order by t.s) q",
        f"select u.id from u join t {JOINED}",
    ),
    "an EXISTS with WITH": (
        "select u.id from u where exists (with x as (select 1) select from t where t.id = u.t and 10 / t.a > 1)",
        "select u.id from u where exists (select from t where t.id = u.t and 10 / t.a > 1)",
    ),
    "an EXISTS that reads the row outside in FROM": (
        "select t.id from t where exists (select from u join u w on w.id = u.id and w.t = t.id where 10 / u.v > 1)",
        "select t.id from t where exists (select from u join u w on w.id = u.id where w.t = t.id and 10 / u.v > 1)",
    ),
    "numbers of rows that end no window": (
        f"select id, n from (select id, row_number() over (order by id) as n {ASKED}) q where n <= 3",
        f"select id, n from (select id, row_number() over (order by id) as n {ASKED}) q where n in (1, 2, 3)",
    ),
    "numbers of rows in an order that no index gives": (
        "select id, n from (select id, row_number() over (order by v, id) as n from u where 10 / t > 1) q where n <= 3",
        (
            "select id, n from (select id, row_number() over (order by v is null, v, id) as n from u where 10 / t > 1) q"
            " where n <= 3"
        ),
    ),
    "IN of sorted rows that are asked again": (
        "select u.id, u.v in (select t.a from t where 10 / t.a > u.id) from u",
        "select u.id, u.v in (select t.a from (select * from t order by s) t where 10 / t.a > u.id) from u",
    ),
    "sorted rows in a LATERAL subquery": (
        "select u.id, q.id from u, lateral (select t.id from t where t.a = u.v and 10 / t.a > 1) q",
        (
            "select u.id, q.id from u,"
            " lateral (select t.id from (select * from t order by s) t where t.a = u.v and 10 / t.a > 1) q"
        ),
    ),
    "a key as no index of expressions has it": (
        f"select id {ASKED} order by lower(s), id limit 3",
        f"select id {ASKED} order by lower(coalesce(s, '')), id limit 3",
    ),
    "a least value as no index of expressions has it": (
        f"select min(lower(s)) {ASKED}",
        f"select min(lower(coalesce(s, ''))) {ASKED}",
    ),
    "a number that is not known when the query is planned": (
        FIRST,
        f"select id {ASKED} order by id limit (select 3)",
    ),
    "IN of sorted rows": (
        f"select u.id from u where u.t in (select id {ASKED} and s = 'x')",
        f"select u.id from u where u.t in (select id {ASKED} and s = 'x' order by id)",
    ),
    "two conditions above a fence": (
        f"select id {ASKED} and lower(s) = 'x'",
        "select id from (select * from t offset 0) t where 10 / a > 1 and lower(s) = 'x'",
    ),
    "moments that are moved, joined with a computed series": (
        f"select count(*) from m join {DAYS} on d.day < m.at + interval '1 day' where m.id < 9",
        f"with days as materialized (select day from {DAYS}) select count(*) from m join days d on d.day < m.at + interval '1 day' where m.id < 9",
    ),
    "what today's date decides": (
        f"select min(id) from t where {LAST} 10 / (extract(day from current_date)::int - 30) < a end",
        f"with x as (select 1) select min(id) from t where {LAST} 10 / (extract(day from current_date)::int - 30) < a end",
    ),
    "a moment before the first by which rows are estimated": (
        "select count(*) filter (where m.at > now() - interval '9999 years') from m",
        "select count(*) from m where m.at > now() - interval '9999 years'",
    ),
    "WITH TIES here, and not there": (
        f"select p.id, q.id from (select id from u where 10 / v > 1 order by id fetch first 2 rows with ties) p, ({FIRST}) q",
        f"select p.id, q.id from (select id from u where 10 / v > 1 order by id limit 2) p, (select id {ASKED} order by id fetch first 3 rows with ties) q",
    ),
    "a computed key here, and not there": (
        f"select p.id, q.id from (select id from u where 10 / v > 1 order by v is null, v, id limit 2) p, (select id {ASKED} order by s, id limit 3) q",
        f"select p.id, q.id from (select id from u where 10 / v > 1 order by v, id limit 2) p, (select id {ASKED} order by s is null, s, id limit 3) q",
    ),
    "sorted rows of one table for some of its rows, and for all": (
        f"select (select min(id) from (select id {ASKED} and id < 9 order by id) q), ({LEAST})",
        f"select (select min(id) {ASKED} and id < 9), (select min(id) from {SORTED})",
    ),
    "sorted rows of one table for its greatest value, and for its least": (
        f"select (select max(id) from {SORTED}), ({LEAST})",
        f"select (select max(id) {ASKED}), (select min(id) from {SORTED})",
    ),
    "WITH TIES from the one end, and from the other": (
        f"select p.id, q.id from (select id {ASKED} order by id desc fetch first 1 rows with ties) p, ({FIRST}) q",
        f"select p.id, q.id from (select id {ASKED} order by id desc limit 1) p, (select id {ASKED} order by id fetch first 3 rows with ties) q",
    ),
    "a computed CTE in a join, and in EXISTS": (
        f"select (select count(*) from u join (with x as (select * from t) select * from x) t {JOINED}), exists (select from u join t {JOINED} and u.v > 0)",
        f"select (select count(*) from u join t {JOINED}), exists (select from u join (with x as (select * from t) select * from x) t {JOINED} and u.v > 0)",
    ),
    "a number divided by a constant that is computed": (
        "select id from t where a / (5 - 5) > 1 order by id limit 3",
        "select id from (select id, a from t order by id) q where a / (5 - 5) > 1 order by id limit 3",
    ),
    "a number and a constant that is computed, too large together": (
        "select id from t where a + (2147483640 + 7) > 1 order by id limit 3",
        "with q as materialized (select id, a from t) select id from q where a + (2147483640 + 7) > 1 order by id limit 3",
    ),
    "moments of a series moved twice": (
        f"select count(*) from m join {DAYS} on m.at < d.day + interval '1 day' + interval '1 day'",
        f"with days as materialized (select day + interval '1 day' as day from {DAYS}) select count(*) from m join days d on m.at < d.day + interval '1 day'",
    ),
}
SAME = {
    "the cut of a sorted subquery in which nothing fails": (
        "select id from t where a > 1 order by id limit 3",
        "select id from (select id from t where a > 1 order by id) q order by id limit 3",
    ),
    "least values in which nothing fails": (
        "select min(id) from t where a > 1",
        "with x as (select id from t where a > 1) select min(id order by id) from x",
    ),
    "less that is computed as a whole": (
        f"select min(id) from (select id {ASKED} order by id) q",
        LEAST,
    ),
    "sorted rows that are all read": (
        f"select id, count(*) {ASKED} group by id",
        "select id, count(*) from (select * from t order by s) t where 10 / a > 1 group by id",
    ),
    "sorted rows of one row outside": (
        "select u.id, (select count(*) from t where t.id = u.t and 10 / t.a > 1) from u",
        "select u.id, (select count(*) from (select * from t order by s) t where t.id = u.t and 10 / t.a > 1) from u",
    ),
    "computed keys in a subquery": (
        f"select id {ASKED} order by lower(s), id limit 3",
        "select id from (select id, a, lower(s) as x from t) t where 10 / a > 1 order by x, id limit 3",
    ),
    "a least value beside a row of constants": (
        LEAST,
        "select min(id) from t, (values (1)) x(k) where 10 / a > x.k",
    ),
    "what is shown of a subquery": (
        "select id, z from (select id, s, 10 / a as z from t) q order by s, id limit 3",
        "select id, 10 / a from t order by s, id limit 3",
    ),
    "a constant moment that is moved when the query is planned": (
        "select count(*) from m join u on u.id = m.id where m.at < date '2024-01-01' + interval '1 year' and u.v = 2",
        "with k as materialized (select id, at from m) select count(*) from k join u on u.id = k.id where k.at < date '2024-01-01' + interval '1 year' and u.v = 2",
    ),
    "moments of a series, computed or not": (
        f"select count(*) from m join {DAYS} on m.at < d.day + interval '1 day' where m.id < 9",
        f"with days as materialized (select day from {DAYS}) select count(*) from m join days d on m.at < d.day + interval '1 day' where m.id < 9",
    ),
    "a plain day in a zone": (
        "select min(id) from t where now() < (date '2024-01-01' + interval '1 day')::timestamptz",
        "with x as (select 1) select min(id) from t where now() < (date '2024-01-01' + interval '1 day')::timestamptz",
    ),
    "moments near this one, by which rows are estimated": (
        "select count(*) filter (where m.at > now() - interval '7 days' and m.at < current_date - 3) from m",
        "select count(*) from m where m.at > now() - interval '7 days' and m.at < current_date - 3",
    ),
    "some days from now, by which rows are estimated": (
        "select count(*) filter (where m.at > now() - 7 * interval '1 day') from m",
        "select count(*) from m where m.at > now() - 7 * interval '1 day'",
    ),
    "a sorted subquery in both": (
        f"select (select count(*) from u where u.v = 2), (select min(id) from {SORTED})",
        f"select (select count(*) from u where 2 = u.v), (select min(id) from {SORTED})",
    ),
    "numbers up to one, turned round": (
        f"select id, n from (select id, row_number() over (order by id) as n {ASKED}) q where n <= 3",
        f"select id, n from (select id, row_number() over (order by id) as n {ASKED}) q where 3 >= n",
    ),
}


@pytest.mark.parametrize("words", [*SEEN, *UNSEEN])
def test_rows_that_only_the_second_asks_may_fail(words: str) -> None:
    """By the kernel, by parts, and by the recheck's forms."""
    for name, found in shown(CATALOG, *(SEEN | UNSEEN)[words]).items():
        assert isinstance(found, str) or "errors" in found.modulo, name


@pytest.mark.parametrize("words", SAME)
def test_what_asks_no_more_rows_is_the_same(words: str) -> None:
    found = shown(CATALOG, *SAME[words])["parts"]
    assert isinstance(found, Shown)
    assert found.modulo == ()


@pytest.mark.server
def test_the_server_fails_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    # divided by zero, out of range or refused by a domain
    errors = (psycopg.errors.DataError, psycopg.errors.IntegrityError)
    with failing_with(errors, scratch_server, database, SCHEMA + ROWS) as fails:
        assert [words for words, (first, _) in SEEN.items() if fails(first)] == []
        assert [words for words, (_, second) in SEEN.items() if not fails(second)] == []


@pytest.mark.parametrize(
    ("condition", "fails"),
    [
        ("m.at < date '2024-01-01' + interval '1 year'", False),
        ("m.at + interval '1 year' < date '2024-01-01'", True),
        ("m.id / (5 - 5) > 1", True),
        ("m.id + (2147483640 + 7) > 1", True),
        ("m.at > '2024-01-01'::text::timestamp", True),
        ("d.day + interval '1 day' > m.at", False),
        ("d.day + interval '9999 years' + interval '9999 years' > m.at", True),
    ],
)
def test_constants_and_moments_of_constant_series_fail_for_no_row(condition: str, *, fails: bool) -> None:
    query = without_series(bind(f"select 1 from m, {DAYS} where {condition}", CATALOG))
    assert isinstance(query, a.Select)
    assert query.where is not None
    assert may_fail(Facts(CATALOG, query), query.where) is fails


@pytest.mark.parametrize(
    ("query", "fails"),
    [
        ("select 1 from m where at >= '2018-01-01' and at - interval '1 day' > '2018-05-01'", False),
        ("select date_trunc('month', at) from m where at >= '2018-01-01'", False),
        ("select date_trunc('month', at) from m where at < '2018-01-01'", True),
        ("select 1 from m where at >= '2018-01-01' and (at - interval '1 day') is not null", True),
        (
            "select 1 from m where at >= now() - interval '1 day' and at - interval '1 day' > '2018-05-01'",
            True,
        ),
    ],
)
def test_moments_that_are_compared_with_constants_fail_for_no_row(query: str, *, fails: bool) -> None:
    bound = bind(query, CATALOG)
    assert may_fail(Facts(CATALOG, bound), bound) is fails
