"""Whole statements: the same rows in the same form from a server and, as they are said in DuckDB's words,
from DuckDB.

Where PostgreSQL finishes or runs a statement itself, the plan is checked by running it on a server over what
DuckDB fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rewright.engines.duckdb.dialect.catalog import Analysed
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.dialect.translating import Translator, Words
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.duckdb_backend.values import to_text
from tests.engines.dialect_compare import Both

pytestmark = pytest.mark.server

PEOPLE = [
    ("ann", "a", 1, "1.50", "2024-01-31", None),
    ("bob", "a", 2, "2.25", "2024-02-29", "{x,y}"),
    ("Ben", "b", None, "0.10", None, "{}"),
    ("", "b", 7, None, "2023-12-31", "{NULL,y}"),
    (None, None, -7, "3.00", "2020-02-29", "{z}"),
    ("änne", "c", 2, "2.25", "infinity", None),
]
TRANSLATED = (
    "select name, grp, n from people order by name desc, n",
    "select grp, count(*), sum(n), min(name), max(born) from people group by grp order by grp nulls first",
    "select grp, sum(n) / 2 * 3, sum(price) from people group by grp having count(*) > 1 order by 1",
    "select grp, name, sum(n) from people group by rollup(grp, name) order by 1, 2, 3",
    "select distinct grp from people order by grp desc",
    "select x, -x as y from (values ('-0'::float8), ('NaN'), (0.5), ('-inf'), (null)) v(x) order by x, y",
    "select distinct x from (values ('-0'::float8), (1), (-1)) v(x) order by x desc",
    "select x, count(*) from (values ('-0'::float8), (1), (1)) v(x) group by x order by x",
    "select '-0'::float8 as x union all select n::float8 from people order by x limit 2",
    "select distinct on (grp) grp, name from people order by grp, n desc nulls last, name",
    "select p.name, q.name from people p left join people q on p.n = q.n and p.name <> q.name order by 1, 2",
    "select name, q.n from people p join people q using (name) where p.n / 2 = 1 order by 1",
    "select name from people where n in (select n from people where grp = 'a') order by 1",
    "select name from people p where not exists (select 1 from people q where q.n = p.n + 1) order by 1",
    "select name from people p where not exists (select from people q where q.n = p.n + 1 and q.grp = 'a') order by 1",
    "select exists (select from people where n > 5), not exists (select from people where n > 50 limit 1)",
    "select name from people where n not in (select n from people where n is not null) order by 1",
    "select name, (select max(n) from people q where q.grp = p.grp) from people p order by 1",
    "with g as (select grp, count(*) c from people group by grp) select p.name, c from people p join g using (grp) order by 1, 2",
    "select grp from people union select name from people order by 1",
    "(select n from people order by n limit 2) except all select 2 order by 1",
    "select name, rank() over (partition by grp order by n), sum(n) over (order by n, name rows 1 preceding) from people order by 1, 2",
    "select name, lag(name) over w, first_value(n) over w from people window w as (order by n, name) order by n, name",
    "select name, count(*) over (order by n groups between 1 preceding and current row exclude ties) from people order by n, name",
    "select name, born + interval '1 month', born - 1, born - date '2024-01-01' from people where born < '2100-01-01' order by 1",
    "select date_trunc('month', born), extract(year from born) from people where isfinite(born) order by 1",
    "select case grp when 'a' then n else 0 end, coalesce(name, '-'), nullif(grp, 'a') from people order by 1, 2, 3",
    "select tags[1], tags[0], tags[5], array_length(tags, 1) from people order by name",
    "select a.x, a.y from (values (1, 'p'), (2, null)) a(x, y), people where a.x = people.n order by 1, 2",
    "select count(*) filter (where n > 1), count(distinct grp), string_agg(name, ',' order by name) from people",
    "select name, born from people order by born nulls first, name offset 1 limit 3",
    "select t.c from people p, lateral (select p.n + 1 as c) t order by 1",
    "select name || '!' as name, name as name from people order by people.name",
    "select * from people p natural join (select distinct grp from people) g order by name",
    "select name, n is null, n is distinct from 2, (n > 1) is true from people order by 1",
    "select upper(substr(name, 2, 2)), length(name) from people where name ~ '^[a-z]{3}$' order by 1",
    "select price * n, -price, price + 1.5, round(price, 1) from people order by 1, 2",
    "select name from people where n > 0 and 100 / (n - 0) > 20 and 7 / (n - 7 * (n / 7)) > 1 or n = 7 order by 1",
    "select name from people where name ~ '^[0-9]+$' and name::int > 5 or (name is null and n / 1 < 0) order by 1",
    "select (n > 0 and 1 / n = 1), (n is null or 7 / (n + 100) = 0) from people order by name",
    "select i, name from people, generate_series(-1, 2) i where i = n order by 1, 2",
    "select count(*) from generate_series(5, 4) i, people",
    "select 7 / 2, -7 / 2, 7 % -2, 2147483647 + 0, 'a' || null, 1.50 from people limit 1",
)
FINISHED = (
    "select avg(n), avg(price), round(avg(n), 2), sum(n)::numeric / 3 from people",
    "select grp, avg(n) from people group by grp having avg(n) > 1 is not false and count(*) > 0 order by avg(n) desc nulls last, 1",
    "select to_char(n, '999'), format('%s-%s', name, n), name::char(3) from people order by name",
    "select name, generate_series(1, n) from people where n < 3 order by 1, 2",
    "select unnest(tags), name from people order by 2, 1",
    "select price / 3, n::numeric(5,2), n ^ 2 from people where n > 0 order by 1",
    "select jsonb_build_object('n', n, 'name', name) from people order by name limit 2",
    "select initcap(name), reverse(name), born::text, age(born, date '2020-01-01') from people where isfinite(born) order by n",
)
FINISHED += (
    "select case when n <> 0 then to_char(100 / n, '999') end from people order by 1",
    "select grp, avg(n) from people group by grp having avg(n) > 1 and avg(n) is not null limit 5",
)
COPIED = (
    # a constant of other decimals than the column has
    "select name, lag(price, 1, 0) over (order by name) from people order by name",
    "select percentile_cont(0.5) within group (order by n), json_agg(name order by name) from people",
    "select name from people where name similar to '%(nn|o)\\w' or tags @> '{y}' order by 1",
    "with recursive t(i) as (select 1 union all select i + 1 from t where i < 3) select i, name from t join people on n = i order by 1, 2",
    "select name from people order by n fetch first 2 rows with ties",
    "select stddev(n), variance(price), corr(n, n) from people where grp = 'a'",
    "select p from people p where p.grp = 'a' order by p.name",
    "select grp, grouping(grp), avg(n) from people group by cube(grp) order by 1, 2",
)
REFUSED = (
    "select pg_sleep(1) from people",
    "select current_user, name from people",
    "select * from people tablesample system (50)",
    "select * from people for update",
    "select set_config('a.b', 'c', false) from people",
    "select nextval('s') from people",
    "select pg_read_file('/etc/passwd') from people",
    "select current_setting('server_version') from people",
    "select query_to_xml('select 1', true, false, '') from people",
    "select relname from pg_class, people",
)


@pytest.fixture(scope="module")
def both(scratch_server: ScratchServer, module_database: str) -> Iterator[Both]:
    made = Both(scratch_server.dsn(module_database, unix=True), {})
    made.postgres.execute("create sequence s")
    made.postgres.execute(
        "create table people (name text, grp text, n int, price numeric(10,2), born date, tags text[])"
    )
    made.duckdb.execute(
        "CREATE TABLE people (name VARCHAR, grp VARCHAR, n INTEGER, price DECIMAL(10,2), born DATE, tags VARCHAR[])"
    )
    for row in PEOPLE:
        made.postgres.execute("insert into people values (%s, %s, %s, %s, %s, %s)", row)
        tags = None if row[5] is None else [None if t == "NULL" else t for t in row[5][1:-1].split(",") if t]
        made.duckdb.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", [*row[:5], tags])
    yield made
    made.close()


def _made(both: Both, text: str) -> tuple[Words | Plan, Analysed]:
    found = both.analyser.analyse(text)
    assert isinstance(found, Analysed), found
    return Translator(both.analyser).translate(text, found), found


def _told(both: Both, text: bytes) -> list[tuple[str | None, ...]]:
    result = both.postgres.pgconn.exec_(text)
    assert not result.error_message, result.error_message
    return [
        tuple(None if (v := result.get_value(row, i)) is None else v.decode() for i in range(result.nfields))
        for row in range(result.ntuples)
    ]


def _from_duckdb(both: Both, sql: str, oids: tuple[int, ...]) -> list[tuple[Any, ...]]:
    return [
        tuple(None if v is None else to_text(v, oid) for v, oid in zip(row, oids, strict=True))
        for row in both.duckdb.execute(sql).fetchall()
    ]


def _run_by_postgres(both: Both, plan: Plan) -> list[tuple[Any, ...]]:
    both.postgres.execute("begin")
    try:
        for fetch in plan.fetches:
            columns = ", ".join(f'"{name}" {type_}' for name, type_, _ in fetch.columns)
            both.postgres.execute(f'create temp table "{fetch.table}" ({columns})')
            with both.postgres.cursor().copy(f'copy pg_temp."{fetch.table}" from stdin') as copy:
                for row in _from_duckdb(both, fetch.query, tuple(oid for _, _, oid in fetch.columns)):
                    copy.write_row(row)
        return _told(both, plan.text.encode())
    finally:
        both.postgres.execute("rollback")


@pytest.mark.parametrize("text", TRANSLATED)
def test_translated(both: Both, text: str) -> None:
    made, found = _made(both, text)
    assert isinstance(made, Words), made
    assert _from_duckdb(both, made.sql, tuple(one.oid for one in found.columns)) == _told(both, text.encode())


@pytest.mark.parametrize("text", FINISHED)
def test_finished_by_postgresql(both: Both, text: str) -> None:
    made, _ = _made(both, text)
    assert isinstance(made, Plan)
    assert not made.copied, made.reason
    assert _run_by_postgres(both, made) == _told(both, text.encode())


@pytest.mark.parametrize("text", COPIED)
def test_run_by_postgresql(both: Both, text: str) -> None:
    made, _ = _made(both, text)
    assert isinstance(made, Plan)
    assert made.copied
    assert _run_by_postgres(both, made) == _told(both, text.encode())


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_the_reason(both: Both, text: str) -> None:
    with pytest.raises(LakeError, match=r"not served|catalogs") as caught:
        _made(both, text)
    assert caught.value.sqlstate == "0A000"
