"""Facts: each usable constraint beside the nearest one that is not (hazards F1-F13, M2, M3, M8)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.sql.algebra import Derived, Select, Volatility
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts, rejected_columns, usable_foreign_keys
from rewright.sql.walk import from_tree

SCHEMA = """
create table a (id int primary key, x int, u int unique, n int not null, p numeric unique);
create table b (id int primary key, aid int not null references a (id), v int, unique (aid, v));
create table w (k int unique deferrable, i int, j int, z int);
create unique index wi on w (i) where z > 0;
create unique index wj on w (lower(j::text));
create table nnd (k int, v int, unique nulls not distinct (k));
create table parent (id int primary key);
create table child () inherits (parent);
"""
CATALOG = catalog_from_ddl(SCHEMA)


def facts_of(text: str) -> tuple[Facts, Select]:
    query = bind(text, CATALOG)
    assert isinstance(query, Select)
    return Facts(CATALOG, query), query


def keys(text: str) -> set[tuple[int, ...]]:
    query = bind(text, CATALOG)
    return {tuple(sorted(k)) for k, _ in Facts(CATALOG, query).keys(query)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id, x from a", {(0,)}),
        ("select x from a", set()),
        # F2: UNIQUE lets NULLs in
        ("select u from a", set()),
        ("select u from a where u is not null", {(0,)}),
        ("select u from a where u > 1 or u < 0", {(0,)}),
        ("select u from a where u > 1 or x < 0", set()),
        ("select k from nnd", {(0,)}),
        # F1, F3, F4
        ("select k from w where k > 0", set()),
        ("select i from w where i > 0", set()),
        ("select j from w where j > 0", set()),
        ("select id from parent", set()),
        ("select id from only parent", {(0,)}),
        ("select id from child", set()),
        # joins
        ("select b.id from b join a on a.id = b.aid", {(0,)}),
        ("select a.id from b join a on a.id = b.aid", set()),
        ("select b.id from b left join a on a.id = b.aid", {(0,)}),
        ("select a.id from a left join b on b.aid = a.id", set()),
        ("select a.id from a left join b on b.aid = a.id and b.v = 3", {(0,)}),
        ("select a.id from a left join b on b.aid = a.id and b.v > 3", set()),
        ("select a.id from a left join b on b.aid = a.id where b.v = 3", {(0,)}),
        ("select b.id from a left join b on b.aid = a.id", set()),
        ("select a.id from a full join b on b.id = a.id", set()),
        ("select k, id from nnd full join a on false", set()),
        ("select nnd.k from a left join nnd on nnd.k = a.x", set()),
        ("select a.id, d.x from a, lateral (select x from a z where z.id = a.id) d", {(0,)}),
        ("select d.x from a, lateral (select x from a z where z.id = a.id) d", set()),
        ("select d.m from a, lateral (select max(v) m from b where b.aid = a.id) d", set()),
        # blocks
        ("select x, count(*) from a group by x", {(0,)}),
        ("select count(*) from a group by x", set()),
        ("select id, x, count(*) from a group by id, x", {(0,)}),
        # rows that agree on what ON asks of them have the same partner
        (
            (
                "select a.x, d.m, count(*) from a left join (select aid, max(v) m from b group by aid) d"
                " on d.aid = a.x group by a.x, d.m"
            ),
            {(0,)},
        ),
        (
            (
                "select a.x, d.m, count(*) from a left join (select aid, max(v) m from b group by aid) d"
                " on d.aid = a.x and a.n > 1 group by a.x, d.m"
            ),
            {(0, 1)},
        ),
        (
            (
                "select a.x, d.m, count(*) from a left join (select aid, max(v) m from b group by aid) d"
                " on d.aid = a.x and random() < 0.5 group by a.x, d.m"
            ),
            {(0, 1)},
        ),
        (
            (
                "select a.x, a.p, d.m from a left join (select aid, max(v) m from b group by aid) d"
                " on d.aid = a.x and a.p::text = '1' group by a.x, a.p, d.m"
            ),
            {(0, 1, 2)},
        ),
        ("select x, n, count(*) from a group by rollup (x, n)", set()),
        # the number of a row in its partition, where its order leaves no ties
        ("select aid, row_number() over (partition by aid order by id) from b", {(0, 1)}),
        ("select aid, row_number() over (partition by aid order by v) from b", set()),
        ("select aid, dense_rank() over (partition by aid order by v, id desc) from b", {(0, 1)}),
        ("select v, rank() over (partition by aid order by id) from b", set()),
        ("select rank() over (order by id) from b", {(0,)}),
        ("select aid, rank() over (partition by aid + 1 order by id) from b", set()),
        ("select count(*) over (order by id) from b", set()),
        ("select aid, rank() over (partition by aid order by id) from b where aid = 4", {(1,)}),
        ("select x, rank() over (partition by x order by n), count(*) from a group by x, n", {(0, 1)}),
        ("select x, n, rank() over (partition by x order by n) from a group by x, n", {(0, 1), (0, 2)}),
        ("select x, rank() over (partition by x order by count(*)) from a group by x, n", set()),
        ("select x, rank() over (partition by x order by n) from a group by rollup (x, n)", set()),
        (
            (
                "select p.id from a p join (select x, rank() over (partition by x order by id) r from a) q"
                " on q.x = p.x and q.r = p.n - 1"
            ),
            {(0,)},
        ),
        (
            (
                "select p.id from a p join (select x, rank() over (partition by x order by id) r from a) q"
                " on q.x = p.x and q.r = p.n / 2"
            ),
            set(),
        ),
        ("select a.id from a join b on b.id + 1 = a.id", {(0,)}),
        ("select a.id from a join b on 7 - b.id = a.id", {(0,)}),
        ("select a.id from a join b on b.id + a.x = a.id", set()),
        ("select a.id from a join b on b.id * 2 = a.id", set()),
        ("select max(x) from a", {()}),
        ("select x from a where id = 5", {()}),
        ("select x from a where id > 5", set()),
        ("select x from a limit 1", {()}),
        ("select x from a order by x fetch first 1 row with ties", set()),
        ("select distinct x, n from a", {(0, 1)}),
        ("select x from a union select x from a", {(0,)}),
        ("select id from a union all select id from a", set()),
        ("select id from a except all select x from a", {(0,)}),
        ("with c as (select id from a) select c.id from c join c d on d.id = c.id", {(0,)}),
        ("select x from (values (1)) v (x)", {()}),
        ("select x from (values (1), (1)) v (x)", set()),
        ("select g from generate_series(1, 3) g", set()),
    ],
)
def test_keys(text: str, expected: set[tuple[int, ...]]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id, x, n from a", [True, False, True]),
        ("select x from a where x > 1", [True]),
        ("select x from a where x is distinct from 1", [False]),
        ("select x from a where coalesce(x, 1) = 1", [False]),
        ("select x from a where not (x > 1)", [True]),
        ("select x from a where (x > 1) is not true", [False]),
        ("select a.n, b.aid from a left join b on b.aid = a.id", [True, False]),
        ("select a.n, b.aid from a left join b on b.aid = a.id where b.v = 1", [True, True]),
        ("select a.n, b.aid from a right join b on b.aid = a.id", [False, True]),
        ("select a.n, b.aid from a full join b on b.aid = a.id", [False, False]),
        ("select count(x), sum(n), max(n) from a", [True, False, False]),
        (
            "select count(x), sum(n), sum(x), sum(n) filter (where x > 1) from a group by x",
            [True, True, False, False],
        ),
        ("select n, id from a group by rollup (n), id", [False, True]),
        (
            "select n + 1, n + x, coalesce(x, n), case when x > 1 then n end from a",
            [True, False, True, False],
        ),
        ("select (select count(*) from b), (select max(v) from b), exists (select 1)", [True, False, True]),
        ("select id from a union all select x from a", [False]),
        ("select n from a intersect select x from a", [True]),
        ("select row_number() over (order by x), sum(n) over (order by x) from a", [True, False]),
        ("select id from parent", [False]),
        ("select x is null, n in (1, 2), x in (1, 2) from a", [True, True, False]),
    ],
)
def test_outputs_that_are_never_null(text: str, expected: list[bool]) -> None:
    query = bind(text, CATALOG)
    assert [a is not None for a in Facts(CATALOG, query).nonnull_outputs(query)] == expected


def test_answers_carry_their_constraints() -> None:
    facts, query = facts_of("select u from a where u > 1")
    ((_, basis),) = facts.keys(query)
    assert {(a.kind, a.name) for a in basis} == {("key", "a_u_key")}
    (nonnull,) = facts.nonnull_outputs(bind("select n from a", CATALOG))
    assert nonnull is not None
    assert {(a.kind, a.columns) for a in nonnull} == {("not_null", ("n",))}


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("x > 1", {1}),
        ("x > 1 and u < n", {1, 2, 3}),
        ("x > 1 or u < x", {1}),
        ("x is not null", {1}),
        ("x is null", set()),
        ("x is distinct from 1", set()),
        ("x is not distinct from 1", {1}),
        ("not (x > 1 and u > 1)", set()),
        ("x in (1, 2)", {1}),
        ("x not in (1, 2)", {1}),
        ("x = any (array[1])", {1}),
        ("x <> all (array[]::int[])", set()),
        ("x in (select 1)", {1}),
        ("x not in (select 1)", set()),
        ("x > all (select 1)", set()),
        ("coalesce(x, u) > 1", set()),
        ("coalesce(x, x + 1) > 1", {1}),
        ("case when x > 1 then true end", set()),
        ("(x > 1) is true", {1}),
        ("(x > 1) is not false", set()),
        ("(x > 1) is not unknown", {1}),
        ("(x, u) < (1, 2)", {1}),
        ("(x, u) <> (1, 2)", set()),
        ("(x, x + u) <> (1, 2)", {1}),
        ("false", set()),
    ],
)
def test_null_rejection(condition: str, columns: set[int]) -> None:
    _, query = facts_of(f"select 1 from a where {condition}")
    assert {pos for _, pos in rejected_columns(query.where)} == columns


@pytest.mark.parametrize(
    ("expr", "errors"),
    [
        ("x", set()),
        ("x = 1", set()),
        ("x + 1", {"overflow"}),
        ("1 / x", {"division", "overflow"}),
        ("x::text", set()),
        ("x::text::int", {"cast"}),
        ("(select id from a z)", {"cardinality"}),
        ("(select z.x from a z where z.id = a.id)", set()),
        ("(select max(z.x) from a z)", set()),
        ("x::text like 'a%'", set()),
        ("x::text like x::text", {"pattern"}),
        ("reverse(x::text)", set()),
        # a character that is not of ASCII, in EUC_JP
        ("ascii(x::text)", {"any"}),
        ("sqrt(x)", {"any"}),
        ("p::int", {"overflow", "cast"}),
        ("length(x::text::bytea, 'UTF8')", {"cast", "any"}),
        ("extract(year from time '10:00')", {"argument"}),
        ("date_trunc('dow', timestamp '2000-01-01')", {"argument"}),
        ("date_trunc('week', timestamp '2000-01-01')", set()),
        ("date_trunc('week', x::text::timestamp)", {"overflow", "cast"}),
        ("date_trunc('day', timestamp '2000-01-01')", set()),
        ("date_trunc('hour', x::text::timestamptz)", {"argument", "cast"}),
        ("(timestamp '2000-01-01')::date", set()),
        ("(timestamptz '2000-01-01')::date", set()),
        ("(date '2000-01-01')::timestamp", set()),
        ("x::text::date::timestamp", {"overflow", "cast"}),
        ("array[array[x], array[n]]", {"argument"}),
        ("array[x, n]", set()),
        ("date '2020-01-01'", set()),
        ("jsonb_build_object('a', x, 'p', p)", set()),
        ("json_build_object(x::text, n)", {"any"}),
        ("jsonb_build_object('a', x, null, n)", {"any"}),
        ("to_jsonb(array[x])", {"any"}),
        ("(select jsonb_agg(z.p) from a z)", set()),
        ("(select jsonb_agg(array[z.x]) from a z)", {"any"}),
    ],
)
def test_possible_errors(expr: str, errors: set[str]) -> None:
    facts, query = facts_of(f"select {expr} from a")
    found = facts.errors(query.targets[0].expr)
    assert errors <= found
    if errors != {"any"}:
        assert found <= errors | ({"any"} if "sqrt" in expr else set())


@pytest.mark.parametrize(
    ("expr", "fails"), [("m > 900", False), ("m + 1", True), ("5::even", True), ("m::text", True)]
)
def test_a_domains_value_is_one_of_its_base_type(expr: str, *, fails: bool) -> None:
    catalog = catalog_from_ddl(
        "create domain even as int check (value % 2 = 0); create table t (id int primary key, m even);"
    )
    query = bind(f"select {expr} from t", catalog)
    assert bool(Facts(catalog, query).errors(query)) is fails


@pytest.mark.parametrize(
    ("expr", "volatility"),
    [
        ("x + 1", "IMMUTABLE"),
        ("now()", "STABLE"),
        ("current_date", "STABLE"),
        ("random()", "VOLATILE"),
        ("(select random() from a z limit 1)", "VOLATILE"),
        ("x::text::date", "STABLE"),
        ("x::text", "IMMUTABLE"),
    ],
)
def test_volatility(expr: str, volatility: str) -> None:
    facts, query = facts_of(f"select {expr} from a")
    assert facts.volatility(query) is Volatility[volatility]


def test_foreign_keys_need_a_target_without_row_security() -> None:
    def usable(extra: str) -> int:
        catalog = catalog_from_ddl(SCHEMA + extra)
        query = bind("select * from b", catalog)
        assert isinstance(query, Select)
        scan = next(from_tree(query.from_[0]))
        return len(usable_foreign_keys(catalog, scan))  # type: ignore[arg-type]

    assert usable("") == 1
    assert usable("alter table a enable row level security") == 0


def test_reading_a_virtual_generated_column_may_fail() -> None:
    catalog = catalog_from_ddl(
        "create table g (a int, v int generated always as (1 / a) virtual, s int generated always as (1 / a) stored)"
    )
    errors = {c: Facts(catalog).errors(bind(f"select {c} from g", catalog)) for c in ("a", "v", "s")}
    assert errors == {"a": set(), "v": {"generated"}, "s": set()}


@pytest.mark.parametrize(
    ("condition", "single"),
    [
        ("k.x = o.d", True),
        ("k.c = o.d", True),
        ("k.c = o.c", True),
        # under a collation that takes several texts for one a key's texts are not told apart
        ("k.x = o.c", False),
        ("o.c = k.x", False),
        ("k.n::numeric = 10", True),
        ("k.n::numeric(2,-1) = 10", False),
    ],
)
def test_a_column_is_fixed_by_an_equality_of_its_own(condition: str, *, single: bool) -> None:
    catalog = catalog_from_ddl(
        "create table k (id int primary key, x text not null unique, c text not null unique, n int not null unique);"
        "create table o (c text, d text);"
    )
    for table in catalog.relations:
        loose = tuple(
            replace(c, type=replace(c.type, collation="public.ci")) if c.name == "c" else c
            for c in table.columns
        )
        catalog = catalog.with_relations(replace(table, columns=loose))
    query = bind(f"select 1 from o, lateral (select k.id from k where {condition}) k", catalog)
    assert isinstance(query, Select)
    inner = query.from_[1]
    assert isinstance(inner, Derived)
    assert (Facts(catalog, query).at_most_one_row(inner.query) is not None) is single
