"""What rules make of queries over functions in FROM: calendars, lists of a row, series. Each is run both ways."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.rewrite.rules import RULES
from rewright.rewrite.rules.apply import applications
from rewright.sql.binder import bind
from rewright.sql.facts import may_differ
from rewright.sql.printing import to_sql
from tests.rewrite.sqlfixtures import SCHEMA, answer, catalog, fill

_DAYS = "generate_series(timestamp '1999-12-20', timestamp '2000-02-20', interval '1 day') d(day)"
_WORDS = "unnest(string_to_array(p.brand, '-')) u(w)"
QUERIES = (
    f"select d.day, count(v.id) from {_DAYS} left join visit v on v.at >= d.day and v.at < d.day + interval '1 day' group by d.day having count(v.id) > 0",
    f"select d.day, (select max(v.cost) from visit v where v.day = d.day::date) from {_DAYS} where (select count(*) from visit w where w.day = d.day::date) > 1",
    f"select d.day, v.id from {_DAYS} join visit v on v.day >= d.day and v.day < d.day + interval '1 day' order by d.day desc, v.id limit 5",
    f"select p.id, u.w from part p, {_WORDS} where u.w in (select c.name from cust c where c.region = p.size)",
    f"select p.id from part p where exists (select 1 from {_WORDS} where u.w in (select c.name from cust c))",
    f"select p.id from part p where not exists (select 1 from {_WORDS} where u.w = 'a')",
    f"select p.id, (select string_agg(u.w, ',' order by u.w) from {_WORDS}) from part p",
    f"select distinct p.id from part p cross join lateral {_WORDS}",
    f"select c.id from cust c where (select count(*) from part p where exists (select 1 from {_WORDS} where u.w = c.name)) > 0",
    f"select p.id from part p left join lateral (select u.w from {_WORDS} order by u.w limit 1) x on true where x.w is null or x.w = 'a'",
    "select g.n, count(s.id) from generate_series(1, 9) g(n) left join sale s on s.qty = g.n group by g.n",
    "select g.n from generate_series(1, 9) g(n) where g.n not in (select s.qty from sale s where s.qty is not null and s.day = g.n)",
    "select g.n, (select count(*) from sale s where s.qty <= g.n) from generate_series(1, 9) g(n)",
    "select c.id, x.m from cust c left join lateral (select max(g) as m from generate_series(1, c.region) g) x on true",
    "select c.id, o.id from cust c join ord o on o.cust = c.id or o.day in (select g from generate_series(1, c.region) g)",
    "with days as (select g.n from generate_series(1, 9) g(n)) select a.n, (select count(*) from sale s join days b on b.n = s.qty where b.n <= a.n) from days a",
    "select s.id, (select count(*) from visit v where v.at < s.open and v.at + interval '3 days' >= s.open) from store s",
)


@pytest.mark.server
def test_every_rewrite_gives_the_same_rows(scratch_server: ScratchServer, module_database: str) -> None:
    made = {
        q: [to_sql(f.query, catalog=catalog()) for f in applications(bind(q, catalog()), catalog(), RULES)]
        for q in QUERIES
    }
    assert sum(map(len, made.values())) >= 10
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        for rows, seed in ((0, 0.1), (12, 0.3), (40, 0.5)):
            fill(connection, rows, seed)
            for query, texts in made.items():
                before = answer(connection, query)[1]
                assert [t for t in texts if answer(connection, t)[1] != before] == []


@pytest.mark.parametrize(
    ("call", "differs"),
    [
        ("generate_series(1, 3)", False),
        ("unnest(array[1, 2])", False),
        ("generate_series(1, (random() * 9)::int)", True),
        ("unnest(array[random()])", True),
    ],
)
def test_what_a_function_in_from_is_declared_and_given_decides(call: str, differs: bool) -> None:
    assert may_differ(bind(f"select g from {call} g", catalog())) is differs
