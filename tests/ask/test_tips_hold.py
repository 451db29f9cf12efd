"""What the tips say of SQL is so, on PostgreSQL and on a lake: each claim runs on both, through the check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
import pytest

from rewright.ask.guidance.retrieval import LIBRARY
from rewright.ask.safety import Refused
from rewright.ask.sources.api import Source
from rewright.ask.sources.lake import LakeSource
from rewright.ask.sources.postgres import PostgresSource
from rewright.engines.postgres.scratch import ScratchServer
from rewright.lake.api import open_lake
from rewright.wiring.lake_answers import session_answers

pytestmark = pytest.mark.server

THINGS = """\
id,name,kind,size,made,seen
1,Ada,a,7,2020-01-01,2020-01-01 10:00:00
2,ada,a,7,2020-12-31,2020-12-31 11:30:00
3,Bo,b,2,2021-01-01,2021-01-01 00:00:00
4,Cy,b,,2021-02-01,2021-02-01 09:00:00
"""
PARTS = "id,thing_id,weight\n1,1,5\n2,1,6\n3,2,\n"
TABLES = (
    "create table things (id int, name text, kind text, size int, made date, seen timestamp)",
    "create table parts (id int, thing_id int, weight int)",
)
NAMES = "select name from things where {} order by id"
ALL = [("Ada",), ("ada",), ("Bo",), ("Cy",)]

# the tip: what of its text is claimed, a query, what it gives (numbers as floats)
CLAIMS: Mapping[str, list[tuple[str, str, list[tuple[Any, ...]]]]] = {
    "evidence-no-shortcut": [
        ("avg(x) leaves out NULLs", "select avg(size) = 16.0 / 3 from things", [(True,)]),
        ("sum(x) / count(*) does not", "select sum(size) / count(*) from things", [(4,)]),
    ],
    "like-only-partial": [
        ("% and _", NAMES.format("name like '_d%'"), [("Ada",), ("ada",)]),
        ("ILIKE", NAMES.format("name ilike 'AD%'"), [("Ada",), ("ada",)]),
    ],
    "found-value": [
        ("text comparison minds case", NAMES.format("name = 'ada'"), [("ada",)]),
        ("lower(x) = lower('…')", NAMES.format("lower(name) = lower('ADA')"), [("Ada",), ("ada",)]),
    ],
    "match-kind": [
        ("a prefix ('X%')", NAMES.format("name like 'A%'"), [("Ada",)]),
        ("a suffix ('%X')", NAMES.format("name like '%o'"), [("Bo",)]),
        ("a part ('%X%')", NAMES.format("name like '%d%'"), [("Ada",), ("ada",)]),
    ],
    "join-kind": [
        (
            "JOIN drops them",
            "select distinct t.name from things t join parts p on p.thing_id = t.id order by 1 desc",
            [("ada",), ("Ada",)],
        ),
        (
            "count(t.key), which gives 0, not count(*), which gives 1",
            (
                "select t.name, count(p.id), count(*) from things t left join parts p on p.thing_id = t.id "
                "where t.name = 'Bo' group by t.name"
            ),
            [("Bo", 0, 1)],
        ),
    ],
    "comparison": [("BETWEEN includes both", NAMES.format("id between 2 and 3"), [("ada",), ("Bo",)])],
    "any-of": [
        ("IN (…)", NAMES.format("name in ('Bo', 'Cy')"), [("Bo",), ("Cy",)]),
        ("= ANY (…)", NAMES.format("name = any (array['Bo', 'Cy'])"), [("Bo",), ("Cy",)]),
        (
            "two EXISTS",
            NAMES.format(
                "exists (select 1 from parts p where p.thing_id = things.id and p.weight = 5) and exists "
                "(select 1 from parts p where p.thing_id = things.id and p.weight = 6)"
            ),
            [("Ada",)],
        ),
        (
            "HAVING count(DISTINCT …) = 2",
            (
                "select thing_id from parts where weight in (5, 6) group by thing_id having "
                "count(distinct weight) = 2"
            ),
            [(1,)],
        ),
    ],
    "anti-join": [
        (
            "NOT EXISTS",
            NAMES.format("not exists (select 1 from parts p where p.weight = things.size)"),
            ALL,
        ),
        (
            "NOT IN gives no rows when the subquery has a NULL",
            NAMES.format("id not in (select weight from parts)"),
            [],
        ),
    ],
    "aggregate-function": [
        (
            "Of rows count(*), of things that a join repeats count(DISTINCT key)",
            "select count(*), count(distinct t.id) from things t join parts p on p.thing_id = t.id",
            [(3, 2)],
        )
    ],
    "safe-division": [
        (
            "Divide by nullif(x, 0)",
            "select size / nullif(size - size, 0) from things where id = 1",
            [(None,)],
        ),
        (
            "one side cast to numeric: a quotient of integers is cut",
            "select size / 2, size::numeric / 2 from things where id = 1",
            [(3, 3.5)],
        ),
    ],
    "group-by": [
        (
            "two things may share a name",
            "select lower(name), count(*) from things where kind = 'a' group by id, name order by id",
            [("ada", 1), ("ada", 1)],
        )
    ],
    "having": [
        ("is HAVING", "select kind from things group by kind having sum(size) > 2", [("a",)]),
    ],
    "percentage": [
        (
            "100.0 * part / nullif(whole, 0)",
            "select 100.0 * count(*) filter (where size = 2) / nullif(count(*), 0) from things",
            [(25.0,)],
        ),
        (
            "integers cut it to 0 or 100",
            "select count(*) filter (where size = 2) / count(*) * 100 from things",
            [(0,)],
        ),
    ],
    "distinct-list": [
        (
            "DISTINCT where a join may repeat them",
            "select distinct kind from things order by 1",
            [("a",), ("b",)],
        )
    ],
    "order-direction": [
        ("latest, most: ORDER BY … DESC", "select name from things order by made desc limit 1", [("Cy",)]),
        ("ASC", "select name from things order by made asc limit 1", [("Ada",)]),
    ],
    "limit-ties": [
        ("ORDER BY with LIMIT 3", "select name from things order by id limit 3", ALL[:3]),
        (
            "compare with (SELECT max(…))",
            NAMES.format("size = (select max(size) from things)"),
            [("Ada",), ("ada",)],
        ),
        (
            "FETCH FIRST 1 ROW WITH TIES",
            "select size from things order by size desc nulls last fetch first 1 row with ties",
            [(7,), (7,)],
        ),
    ],
    "nulls-last": [
        ("DESC puts NULLs first", "select name from things order by size desc limit 1", [("Cy",)]),
        (
            "write NULLS LAST",
            "select size from things order by size desc nulls last limit 1",
            [(7,)],
        ),
    ],
    "dependent-steps": [
        (
            "a subquery or a WITH",
            (
                "with middle as (select avg(size) as x from things) select name from things, middle "
                "where size > middle.x order by id"
            ),
            [("Ada",), ("ada",)],
        )
    ],
    "cte": [
        (
            "one WITH part for each",
            "with a as (select 1 as x), b as (select x + 1 as y from a) table b",
            [(2,)],
        )
    ],
    "quote-names": [
        ("strings in single quotes", """select "Of all" from (select 'x' as "Of all") s""", [("x",)]),
    ],
    "alias": [("AS and a plain lower-case name", "select max(size) as largest from things", [(7,)])],
    "alias-scope": [
        (
            "filter in an outer query",
            "select twice from (select size * 2 as twice from things) s where twice < 5",
            [(4,)],
        ),
        (
            "GROUP BY and ORDER BY know them",
            "select upper(kind) as big, count(*) from things group by big order by big",
            [("A", 2), ("B", 2)],
        ),
    ],
    "nulls": [
        (
            "NULL equals nothing",
            NAMES.format("size = null"),
            [],
        ),
        ("IS NULL", NAMES.format("size is null"), [("Cy",)]),
        ("IS NOT NULL", NAMES.format("size is not null"), ALL[:3]),
        ("coalesce", "select coalesce(size, 0) from things where id = 4", [(0,)]),
        ("aggregates leave NULLs out", "select count(size), sum(size) from things", [(3, 16)]),
    ],
    "integer-division": [
        ("7 / 2 is 3", "select 7 / 2, size / 2 from things where id = 1", [(3, 3)]),
        ("x::numeric / y", "select size::numeric / id from things where id = 2", [(3.5,)]),
    ],
    "conditional-aggregate": [
        (
            "count(*) FILTER (WHERE …), sum(x) FILTER (WHERE …)",
            "select count(*) filter (where kind = 'b'), sum(size) filter (where kind = 'b') from things",
            [(2, 2)],
        )
    ],
    "window": [
        (
            "rank() leaves gaps after ties, dense_rank() none, row_number() breaks ties at will",
            (
                "select rank() over w, dense_rank() over w from things where size is not null "
                "window w as (order by size desc) order by 1, 2"
            ),
            [(1, 1), (1, 1), (3, 2)],
        ),
        (
            "run a total",
            "select sum(size) over (order by id) from things order by id",
            [(7,), (14,), (16,), (16,)],
        ),
    ],
    "top-per-group": [
        (
            "rank() OVER (PARTITION BY group ORDER BY …) in a subquery",
            (
                "select name from (select id, name, rank() over (partition by kind order by size desc nulls last) "
                "as place from things) s where place = 1 order by id"
            ),
            [("Ada",), ("ada",), ("Bo",)],
        )
    ],
    "dates": [
        ("extract(year from d)", "select extract(year from made) from things where id = 1", [(2020,)]),
        (
            "date_trunc('month', d)",
            "select date_trunc('month', made)::date = '2020-12-01' from things where id = 2",
            [(True,)],
        ),
        (
            "d >= '2020-01-01' AND d < '2021-01-01'",
            NAMES.format("made >= '2020-01-01' and made < '2021-01-01'"),
            [("Ada",), ("ada",)],
        ),
        ("needs a cast", "select ('2020-' || '03-04')::date - made from things where id = 1", [(63,)]),
    ],
    "relative-dates": [
        (
            "d >= current_date - interval '30 days'",
            "select count(*) from things where current_date - made + made >= current_date - interval '30 days'",
            [(4,)],
        )
    ],
    "date-difference": [
        ("date - date is a number of days", "select max(made) - min(made) from things", [(397,)]),
        (
            "extract(epoch from …) / 3600 for hours",
            "select extract(epoch from (max(seen) - min(seen))) / 3600 from things where kind = 'a'",
            [(365 * 24 + 1.5,)],
        ),
        (
            "age() for years and months",
            (
                "select extract(year from age(timestamp '2022-03-01', seen)), extract(month from "
                "age(timestamp '2022-03-01', seen)) from things where id = 3"
            ),
            [(1, 2)],
        ),
    ],
    "time-zones": [
        (
            "AT TIME ZONE",
            "select extract(hour from timestamptz '2020-07-01 12:00+00' at time zone 'Europe/Berlin')",
            [(14,)],
        )
    ],
    "arrays": [
        ("x = ANY (array_column)", "select 2 = any (a) from (select array[1, 2] as a) s", [(True,)]),
        (
            "unnest(array_column)",
            "select unnest(a) from (select array[1, 2] as a) s order by 1",
            [(1,), (2,)],
        ),
    ],
}
# words and signs of SQL, and no prose
_SQL = re.compile(r"[A-Z]{2,}[ (]|\w\(|::|NULL|%")
PROSE = frozenset({"join-values"})
"""Names SQL without claiming anything of it."""


@pytest.fixture(scope="module")
def on_postgres(scratch_server: ScratchServer, module_database: str) -> Iterator[Source]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        for statement, name, text in zip(TABLES, ("things", "parts"), (THINGS, PARTS), strict=True):
            connection.execute(statement.encode())
            with connection.cursor().copy(f"copy {name} from stdin (format csv, header)".encode()) as copy:
                copy.write(text)
        yield PostgresSource(connection)


@pytest.fixture(scope="module")
def on_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    folder = tmp_path_factory.mktemp("things")
    (folder / "things.csv").write_text(THINGS)
    (folder / "parts.csv").write_text(PARTS)
    with (
        open_lake(folder, catalog=tmp_path_factory.mktemp("catalog") / "things.db") as lake,
        session_answers(lake) as answers,
    ):
        yield LakeSource(lake, "things", answers)


def as_floats(rows: Any) -> list[tuple[Any, ...]]:
    return [tuple(v if isinstance(v, bool | str | None) else round(float(v), 6) for v in row) for row in rows]


def test_each_tip_that_says_sql_has_its_claims_tried() -> None:
    texts = {tip.name: tip.text for tip in LIBRARY}
    said = {name for name, text in texts.items() if _SQL.search(text)}
    assert said - PROSE <= CLAIMS.keys()
    for name, claims in CLAIMS.items():
        for claim, _, _ in claims:
            assert claim in texts[name], f"{name} does not say {claim}"


@pytest.mark.parametrize("where", ["on_postgres", "on_lake"])
@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_tip_says_is_so(name: str, where: str, request: pytest.FixtureRequest) -> None:
    source: Source = request.getfixturevalue(where)
    for claim, query, rows in CLAIMS[name]:
        assert as_floats(source.run(query).rows) == as_floats(rows), claim


def test_where_and_having_do_not_know_names_of_select(on_postgres: Source) -> None:
    """The tip alias-scope says so."""
    with pytest.raises(Refused, match="twice"):
        on_postgres.run("select size * 2 as twice from things where twice > 3")
    with pytest.raises(Refused, match="whole"):
        on_postgres.run("select kind, sum(size) as whole from things group by kind having whole > 3")
