"""Which groups are seen as rows with lookups, what is looked up for its values, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.equivalence.laws.chance import chance
from rewright.equivalence.laws.counts_less import with_counts_of_others
from rewright.equivalence.laws.joined_values import as_values
from rewright.equivalence.laws.ordered_ranges import by_bounds
from rewright.equivalence.laws.partners import by_partners
from rewright.equivalence.laws.zeros import without_zeros
from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.recheck.views.others import others
from rewright.equivalence.recheck.views.stating import Changes
from rewright.equivalence.recheck.views.values import values
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.records import Table
from rewright.sql.walk import Fresh, highest_number, walk

CATALOG = catalog_from_ddl("""
create table p (id int primary key, u int unique, x int, n numeric);
create table c (id int primary key, p int not null references p, v int, w int not null, n numeric);
create table q (id int primary key, p int, v int);
create table d (id int primary key deferrable, x int);
create table r (id int primary key, a date not null, b date, c date, check (a <= b), check (c >= a or id > 3));
""")
GROUPED = "select p.id, sum(c.v) from p left join c on c.p = p.id group by p.id"
JOINED = "select p.id, g.s from p left join (select p, sum(v) s from c group by p) g on g.p = p.id"


def _partners(sql: str) -> a.Query:
    query = bind(sql, CATALOG)
    return by_partners(query, CATALOG, Fresh(highest_number(query))).query


def _values(sql: str) -> a.Query:
    query = bind(sql, CATALOG)
    return as_values(query, CATALOG, Fresh(highest_number(query))).query


@pytest.mark.parametrize(
    "sql",
    [
        GROUPED,
        GROUPED.replace("sum(c.v)", "count(*)"),
        GROUPED.replace("left join c", "join c"),
        GROUPED.replace("group by", "left join q on q.p = c.id group by"),
        GROUPED.replace(
            "group by p.id", "where c.w > 1 and p.x = 2 group by p.id, p.n having count(c.id) > 2"
        ),
        "select p.x, c.w, max(q.v) from p join c on c.p = p.id join q on q.p = c.w group by p.id, c.id",
        # c leads from q to p
        (
            "select q.id, p.x, count(r.id) from q join c on c.id = q.p join p on p.id = c.p left join r on r.id > q.v"
            " group by q.id, p.x"
        ),
    ],
)
def test_groups_by_a_key_are_rows(sql: str) -> None:
    made = _partners(sql)
    assert isinstance(made, a.Select)
    assert made.group_by is None


@pytest.mark.parametrize(
    "sql",
    [
        GROUPED.replace("p.id", "p.u").replace("c.p = p.u", "c.p = p.id"),
        GROUPED.replace("group by p.id", "group by p.id, c.w"),
        GROUPED.replace("group by p.id", "group by rollup (p.id)"),
        GROUPED.replace("sum(c.v)", "sum(c.v), random()"),
        GROUPED.replace("sum(c.v)", "array_agg(c.v)"),
        GROUPED.replace("sum(c.v)", "sum(c.v) over ()").replace("group by p.id", "group by p.id, c.v"),
        GROUPED.replace("sum(c.v)", "count(c)"),
        GROUPED.replace("group by", "where c.v is null group by"),
        "select d.id, count(c.id) from d left join c on c.p = d.x group by d.id, d.x",
        "select p.id, count(*) from p group by p.id",
        (
            "select q.id, p.x, count(r.id) from q join c on c.w = q.p join p on p.id = c.p left join r on r.id > q.v"
            " group by q.id, p.x"
        ),
    ],
)
def test_other_groups_stay(sql: str) -> None:
    assert _partners(sql) == bind(sql, CATALOG)


def test_a_row_of_nulls_stays_where_an_aggregate_looks_at_it() -> None:
    def padded(sql: str) -> bool:
        return any(isinstance(n, a.ValuesScan) for n in walk(_partners(sql)))

    assert not padded(GROUPED)
    assert not padded(GROUPED.replace("sum(c.v)", "count(case when c.v > 1 then 1 end)"))
    assert padded(GROUPED.replace("sum(c.v)", "count(*)"))
    assert padded(GROUPED.replace("sum(c.v)", "sum(coalesce(c.v, 1))"))
    assert padded(
        GROUPED.replace("sum(c.v)", "count(q.v)").replace(
            "group by", "left join q on q.v = coalesce(c.v, 3) group by"
        )
    )


@pytest.mark.parametrize(
    "sql",
    [
        JOINED,
        JOINED.replace("left join", "join"),
        JOINED.replace("group by p", "group by p having count(*) > 1"),
        "select c.id, p.n from c left join p on p.id = c.w",
        "select p.id, s.n from p, lateral (select count(*) n from c where c.p = p.id) s",
    ],
)
def test_what_is_joined_for_its_values_is_looked_up(sql: str) -> None:
    made = _values(sql)
    assert isinstance(made, a.Select)
    assert len(made.from_) == 1
    assert not isinstance(made.from_[0], a.Join)


@pytest.mark.parametrize(
    "sql",
    [
        JOINED.replace("group by p", "group by p, w"),
        JOINED.replace("g.p = p.id", "g.p = p.id and g.s > 1"),
        JOINED.replace("g.p = p.id", "g.p is not distinct from p.id"),
        JOINED.replace("g.p = p.id", "g.p <= p.id"),
        JOINED.replace("select p, sum(v)", "select n as p, sum(v)")
        .replace("group by p", "group by n")
        .replace("p.id", "p.n"),
        JOINED.replace("group by p", "group by p limit 3"),
        JOINED.replace("g.s", "g"),
        # a column that depends on the key
        "select q.v, g.n from q join (select id, n, count(*) from p group by id) g on g.id = q.p",
        "select q.v, g.m from q left join (select id, max(n) + x m from p group by id) g on g.id = q.p",
        "select q.v, g.m from q left join (select id, max(n) m from p group by id having x > 1) g on g.id = q.p",
        "select p.id, c.v from p left join c on c.p = p.id",
        "select p.id, d.x from p left join d on d.id = p.x",
        "select c.id, p.n from c join p on p.id = c.w",
        "select p.id, s.n from p, lateral (select count(*) n from c where c.p = p.id having count(*) > 0) s",
        "select p.id, s.n from p left join lateral (select count(*) n from c where c.p = p.id) s on s.n > 0",
    ],
)
def test_what_may_be_there_more_often_or_not_at_all_stays(sql: str) -> None:
    query = bind(sql, CATALOG)
    assert _values(sql) == query
    assert values(query, Changes(CATALOG, query)) == query


@pytest.mark.parametrize(
    ("sql", "held"),
    [
        ("select id from r where daterange(a, b) @> c", True),
        ("select x.id from r x, r y where daterange(x.a, x.b) && daterange(y.a, null)", True),
        ("select id from r where daterange(b, a) @> c", False),
        ("select id from r where daterange(a, c) @> b", False),
        ("select id from r where daterange(a, b, '[]') @> c", False),
        ("select x.id from r x, r y where daterange(x.a, y.b) @> x.c", False),
    ],
)
def test_bounds_that_a_check_keeps_in_order_are_compared(sql: str, held: bool) -> None:
    query = bind(sql, CATALOG)
    found = by_bounds(query, CATALOG)
    assert (found.query != query) is held
    assert any("check public.r" in x for x in found.assumptions) is held


@pytest.mark.parametrize(
    ("sql", "held"),
    [
        ("select count(*) - count(v) from c", True),
        ("select count(v) - count(*) from c", False),
        ("select count(*) - count(distinct v) from c", False),
        ("select count(*) filter (where v = 1) - count(*) filter (where v = 1 and w = 2) from c", True),
        ("select count(*) filter (where v = 1) - count(*) filter (where w = 2) from c", False),
        ("select count(*) - count((v, w)) from c", False),
    ],
)
def test_counts_of_some_of_the_rows_leave_the_others(sql: str, held: bool) -> None:
    query = bind(sql, CATALOG)
    assert (with_counts_of_others(query, CATALOG).query != query) is held


@pytest.mark.parametrize(("collation", "held"), [("default", True), ("C", True), ("public.ci", False)])
def test_constants_that_a_collation_may_take_for_one_leave_no_others(collation: str, held: bool) -> None:
    catalog = catalog_from_ddl("create table t (a text)")
    (table,) = (r for r in catalog.relations if isinstance(r, Table))
    (column,) = table.columns
    collated = replace(column, type=replace(column.type, collation=collation))
    catalog = catalog.with_relations(replace(table, columns=(collated,)))
    sql = "select count(*) filter (where (a = 'x') is not true) - count(*) filter (where a = 'X') from t"
    query = bind(sql, catalog)
    assert (with_counts_of_others(query, catalog).query != query) is held
    assert (others(query, Changes(catalog, query)) != query) is held


@pytest.mark.parametrize(
    ("sql", "held"),
    [
        ("select p, sum(case when v > 1 then w else 0 end) from c group by p", True),
        ("select p, sum(case when w > 1 then v else 0 end) from c group by p", False),
        ("select sum(case when v > 1 then w else 0 end) from c", False),
        ("select p, sum(case when v > 1 then w else 1 end) from c group by p", False),
        ("select p, sum(case when v > 1 then w::numeric else 0.0 end) from c group by p", False),
        ("select p, avg(case when v > 1 then w else 0 end) from c group by p", False),
    ],
)
def test_zeros_that_are_added_in_a_group_are_left_out(sql: str, held: bool) -> None:
    query = bind(sql, CATALOG)
    assert (without_zeros(query, CATALOG).query != query) is held


@pytest.mark.parametrize(
    ("sql", "open_"),
    [
        ("select p, array_agg(v order by id) from c group by p", False),
        ("select p, array_agg(v order by w, id desc) from c group by p", False),
        ("select id, array_agg(v order by w) from c group by id", False),
        ("select p, array_agg(v order by w) from c group by p", True),
        ("select p, array_agg(v order by id), array_agg(v) from c group by p", True),
        ("select c.p, array_agg(q.v order by c.id) from c join q on q.p = c.p group by c.p", True),
        ("select x, array_agg(x + 1 order by id) from d group by x", True),
        ("select array_agg(x order by u) from p", True),
    ],
)
def test_an_order_by_a_key_leaves_no_ties_in_a_group(sql: str, open_: bool) -> None:
    query = bind(sql, CATALOG)
    assert ("tie-order" in chance(query, CATALOG)[0]) is open_
    assert ("tie-order" in left_to_chance(query, CATALOG)[0]) is open_


@pytest.mark.parametrize(
    ("sql", "open_"),
    [
        ("select 1 as a from c where v > 2 limit 1", False),
        ("select 1, 'x' from c offset 2", False),
        ("select 1, p from c order by w limit 1", True),
        ("select p, 1 from c limit 1", True),
        ("select 1 + v from c limit 1", True),
        ("select generate_series(1, id) from c limit 1", True),
        ("select count(*) from c group by p limit 1", True),
    ],
)
def test_rows_that_show_constants_leave_no_choice(sql: str, open_: bool) -> None:
    query = bind(sql, CATALOG)
    assert ("tie-order" in chance(query, CATALOG)[0]) is open_
    assert ("tie-order" in left_to_chance(query, CATALOG)[0]) is open_
