"""Built-ins by what they are made of: pairs that hold, the nearest that do not, and the same asked of a server.

Each meaning is printed and run beside what it stands for, over values chosen to tell them apart; each pair
that falls is run on rows that show the difference.
"""

from __future__ import annotations

import json

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.meanings import meaning, where_known
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql

SCHEMA = """
create table t (id int primary key, n int, b bigint, s text, r text, d date, at timestamp, till timestamp, j jsonb,
  days daterange, span tsrange, nums numrange, tags text[]);
create table doc (id int primary key, o jsonb not null check (jsonb_typeof(o) = 'object'));
create table one (id int primary key, p int, c int, check (num_nonnulls(p, c) = 1));
create table slot (id int primary key, at timestamp not null, till timestamp not null, check (at < till));
"""
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = r"""
insert into t (id, n, b) select row_number() over (), v, v from unnest(array[0, 1, 2, 3, 4, 7, 8, -1, -2, -3, -4, -2147483648, 2147483647, null]) v;
insert into t (id, s, r) select 100 + row_number() over (), s, r from unnest(array['', 'a', 'ab', 'abc', 'äöü€x', null]) s, unnest(array['', 'b', null]) r;
insert into t (id, d, at) select 200 + v, date '2024-02-25' + v, timestamp '2024-02-25 23:59:59' + v * interval '1 day' from generate_series(0, 8) v;
insert into t (id, d, at) values (300, 'infinity', '-infinity'), (301, '4714-11-24 BC', '0001-12-31 BC');
insert into t (id, at, till) select 400 + row_number() over (), x, y from
  unnest(array[timestamp '2024-01-01', '2024-01-02', '2024-01-03', 'infinity', null]) x,
  unnest(array[timestamp '2024-01-01', '2024-01-02', '2024-01-03', '-infinity', null]) y;
insert into t (id, j) select 500 + row_number() over (), v::jsonb from unnest(array[
  '{}', '[]', 'null', '1', '"k"', '["k"]', '{"k": null}', '{"k": 1}', '{"k": 1.0, "l": "x"}', '{"k": "1"}', '{"k": [1, 2]}', '{"k": [1]}',
  '{"k": {}}', '{"k": {"m": 1}}', '{"k": {"m": 1, "n": 2}, "l": true}', '[{"k": 1}]', '{"k": true}', '{"k": {"m": [{"z": 1}]}}', '{"l": "x"}',
  null]) v;
insert into t (id, days) select 600 + row_number() over (), v::daterange from unnest(array[
  'empty', '(,)', '[2024-02-29,2024-03-01)', '[2024-02-29,)', '(2024-02-29,)', '(,2024-02-29]', '(,2024-02-29)', '(-infinity,2024-03-01)', '[-infinity,infinity]',
  '[infinity,infinity]', '[-infinity,-infinity]', '[2024-03-01,infinity)', null]) v;
insert into t (id, span, nums) select 700 + row_number() over (), x::tsrange, y::numrange from unnest(array[
  'empty', '(,)', '["2024-02-29 00:00","2024-02-29 00:00"]', '("2024-02-29 00:00","2024-03-01 00:00")', '["2024-02-29 00:00",)', '(,"2024-02-29 00:00"]',
  '(,"2024-02-29 00:00")', '(-infinity,infinity)', '[infinity,]', null],
  array['empty', '(,)', '[1.5,1.5]', '(1.5,2)', '[1.50,)', '(,1.500]', '(,1.5)', '[0,NaN]', '[NaN,]', null]) u(x, y);
insert into t (id, tags) select 800 + row_number() over (), v::text[] from unnest(array[
  '{}', '{a}', '{a,b}', '{b,a,a}', '{c}', '{NULL}', '{a,NULL}', '{"null"}', '{A}', '{{a,b},{c,d}}', '[0:1]={a,c}', null]) v;
insert into doc values (1, '{}'), (2, '{"k": null}'), (3, '{"k": 1}');
"""
# each is one meaning, or known where its conditions are met
EXPRESSIONS = (
    "num_nonnulls(n, s, d)",
    "num_nulls(n, s)",
    "concat(s, '-', r)",
    "concat(r, s)",
    "substring(s from 1 for 2)",
    "substr(s, 1, 0)",
    *(f"extract({u} from {v}) {op} {n}" for u in ("dow", "isodow") for v in ("d", "at") for op in ("=", "<>", "<", "<=", ">", ">=") for n in (0, 3, 6, 7)),
    "extract(isodow from d)::int in (6, 7)",
    "extract(dow from d) not in (0, 6)",
    "5 < extract(isodow from at)",
    "n & 1 = 1",
    "n & 1 <> 1",
    "b & 3 = 0",
    "7 & n <> 0",
    "j ->> 'k' is null",
    "j ->> 'k' is not null",
    "j ? 'k'",
    *(f"j @> '{c}'" for c in ('{"k": 1}', '{"k": 1, "l": "x"}', '{"k": {"m": 1}}', '{"k": [1]}', '{"k": {}}', '{"k": null}', '{"k": true}', '{"k": {"m": [{}]}}')),
    "days @> date '2024-02-29'",
    "date '2024-02-29' <@ days",
    "span @> timestamp '2024-02-29'",
    "nums @> 1.5",
    "current_date",
    "localtimestamp",
    "current_timestamp",
    *(f"tags {op} '{{{c}}}'" for op in ("@>", "<@", "&&") for c in ("a", "a,b", "b,a,a", "x")),
    "(at, till) overlaps (till, at)",
    "(at, till) overlaps (timestamp '2024-01-02', timestamp '2024-01-03')",
    "(at, till) overlaps (timestamp '2024-01-02', timestamp '2024-01-02')",
)  # fmt: skip
STANDS = (
    ("select id from doc where o ? 'k'", "select id from doc where o -> 'k' is not null"),
    ("select id from doc where not o ? 'k'", "select id from doc where o -> 'k' is null"),
    ("select id from t where j @> '{\"k\": 1, \"l\": \"x\"}'", "select id from t where j @> '{\"l\": \"x\"}' and j @> '{\"k\": 1}'"),
    ("select id from t where j @> '{\"k\": {\"m\": 1}}'", "select id from t where j -> 'k' -> 'm' = '1'"),
    ("select id from t where j ->> 'k' is not null", "select id from t where jsonb_typeof(j -> 'k') <> 'null'"),
    ("select id from one where p is null", "select id from one where c is not null"),
    ("select id, concat(s, '-', r) from t", "select id, coalesce(s, '') || '-' || coalesce(r, '') from t"),
    ("select id, left(s, 3) from t", "select id, substring(s from 1 for 3) from t"),
    ("select id from t where extract(dow from d) in (0, 6)", "select id from t where extract(isodow from d) > 5"),
    ("select id from t where n % 2 <> 0", "select id from t where n & 1 = 1"),
    ("select id from t where days @> date '2024-02-29'",
     "select id from t where (lower_inf(days) or lower(days) <= '2024-02-29') and (upper_inf(days) or '2024-02-29' < upper(days)) and not isempty(days)"),
    ("select id from t where timestamp '2024-02-29' <@ span", "select id from t where span @> timestamp '2024-02-29'"),
    ("select id from t where d < current_date", "select id from t where d < now()::date"),
    ("select id from t where not d >= current_date", "select id from t where d < now()::date"),
    ("select id from t where tags @> '{a,b}'", "select id from t where 'b' = any (tags) and 'a' = any (tags)"),
    ("select id from t where tags && '{a,b}'", "select id from t where exists (select 1 from unnest(tags) x where x in ('a', 'b'))"),
    ("select x.id, y.id from slot x join slot y on x.id < y.id and (x.at, x.till) overlaps (y.at, y.till)",
     "select x.id, y.id from slot x join slot y on x.id < y.id and x.at < y.till and y.at < x.till"),
    ("select n, s, count(*) from t group by n, s", "select n, s, count(*) from t group by s, n"),
    ("select distinct s, n from t where n >= 5", "select s, n from t group by n, s having n > 4"),
    ("select id, s, count(n) from t group by id, s order by count(n), id limit 3",
     "select id, s, count(n) from t group by id order by count(n), id limit 3"),
    ("select coalesce(max(id), 0) from t", "select coalesce((select id from t order by id desc limit 1), 0)"),
)  # fmt: skip
FALLS = (
    ("select id from t where j ? 'k'", "select id from t where j -> 'k' is not null"),
    ("select id from t where j @> '{\"k\": [1]}'", "select id from t where j -> 'k' = '[1]'"),
    ("select id, j @> '{\"k\": 1}' from t", "select id, j -> 'k' = '1' from t"),
    ("select id from t where j ->> 'k' is not null", "select id from t where j -> 'k' is not null"),
    ("select id, concat(s, r) from t", "select id, s || r from t"),
    ("select id, left(s, 3) from t", "select id, substring(s from 2 for 3) from t"),
    ("select id from t where extract(dow from d) in (0, 6)", "select id from t where extract(isodow from d) >= 5"),
    ("select id from t where extract(dow from d) < 7", "select id from t where d is not null"),
    ("select id from t where n % 2 = 1", "select id from t where n & 1 = 1"),
    ("select id from t where n & 2 = 0", "select id from t where n % 4 = 0"),
    ("select id from t where span @> timestamp '2024-02-29'", "select id from t where lower(span) <= '2024-02-29' and upper(span) > '2024-02-29'"),
    ("select id from t where days @> date '2024-02-29'", "select id from t where lower(days) <= '2024-02-29' and upper(days) > '2024-02-29'"),
    ("select id, tags @> '{a}' from t", "select id, 'a' = any (tags) from t"),
    ("select id from t where tags && '{a,b}'", "select id from t where tags @> '{a,b}'"),
    ("select id from t where tags <@ '{a,b}'", "select id from t where tags && '{a,b}'"),
    ("select id from t where (at, till) overlaps (till, at)", "select id from t where at < at and till < till"),
    ("select n, count(*) from t group by n, s", "select n, count(*) from t group by n"),
    ("select coalesce(max(n), 0) from t", "select coalesce((select n from t order by n desc limit 1), 0)"),
)  # fmt: skip


def prove(first: str, second: str) -> tuple[str, ...] | None:
    """The reservations of a proof; None where there is none."""
    binding = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    found = prove_pair(binding, CATALOG, 3.0).proved
    return None if found is None else found.modulo


@pytest.mark.parametrize(("first", "second"), STANDS)
def test_one_form(first: str, second: str) -> None:
    assert prove(first, second) == ()


@pytest.mark.parametrize(("first", "second"), STANDS)
def test_its_certificate_stands(first: str, second: str) -> None:
    both = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    found = prove_pair(both, CATALOG, 5.0).proved
    assert found is not None
    document = json.dumps(certificate(found, Texts(SCHEMA, first, second), both))
    assert recheck(document.encode()).word == "good"


@pytest.mark.parametrize(("first", "second"), FALLS)
def test_the_nearest_is_not_proved(first: str, second: str) -> None:
    assert prove(first, second) is None


def test_what_rows_are_grouped_by_is_known_as_a_whole() -> None:
    query = "select {0} from t group by extract(isodow from d)::int"
    kept = "extract(isodow from d)::int > 5", "not extract(isodow from d)::int <= 5"
    assert prove(*(query.format(x) for x in kept)) == ()


@pytest.fixture(scope="module")
def server(scratch_server: ScratchServer, module_database: str) -> psycopg.Connection[tuple[object, ...]]:
    connection = psycopg.connect(scratch_server.dsn(module_database), autocommit=True)
    connection.execute(SCHEMA + ROWS)
    return connection


@pytest.mark.server
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_server_computes_the_same(text: str, server: psycopg.Connection[tuple[object, ...]]) -> None:
    query = bind(f"select {text} as x from t", CATALOG)
    assert isinstance(query, a.Select)
    (target,) = query.targets
    whole = meaning(target.expr)
    found = [(None, whole)] if whole is not None else list(where_known(target.expr))
    assert found or "extract" in text, "nothing is known of it"
    for condition, made in found:
        ours = a.Select((a.Target("x", target.expr), a.Target("y", made)), query.from_, condition)
        rows = server.execute(to_sql(ours).encode()).fetchall()
        assert rows
        assert [x for x, _ in rows] == [y for _, y in rows]


@pytest.mark.server
@pytest.mark.parametrize(("first", "second"), [pair for pair in FALLS if "max(n)" not in pair[0]])
def test_rows_tell_them_apart(
    first: str, second: str, server: psycopg.Connection[tuple[object, ...]]
) -> None:
    ours, theirs = (sorted(map(repr, server.execute(q.encode()).fetchall())) for q in (first, second))
    assert ours != theirs
