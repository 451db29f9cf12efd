"""Rows that are only asked for, the first row of an order read column by column, its key as an extreme, and
arrays that look one way.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table author (id int primary key, name text not null);
create table article (id int primary key, author int references author, at timestamptz not null, words int not null, tags text[] not null, marks numeric[], seen int);
create table revision (id bigint primary key, article int not null references article, editor int not null, made timestamptz not null, delta int not null, price numeric, hour time);
create table reader (id int primary key, country text not null);
create table plan (id int primary key, reader int not null references reader, kind text not null);
create table reading (id bigint primary key, reader int references reader, article int not null references article, seconds int);
""")
READ = (
    "join reading r on r.article = a.id join reader s on s.id = r.reader left join plan p on p.reader = s.id"
)
ASKED = "s.country in ('de', 'at') and (r.seconds > 800 or p.kind = 'x')"
NEWEST = "from revision r where r.article = a.id order by r.made desc, r.id desc limit 1"
FIRST = f"left join lateral (select r.editor, r.made, r.delta {NEWEST}) l on true"
SAME = (
    (
        f"select distinct a.id, a.tags, u.name from article a join author u on u.id = a.author {READ} where {ASKED} order by a.id limit 9",
        f"select a.id, a.tags, u.name from article a join author u on u.id = a.author where exists (select 1 from reading r join reader s on s.id = r.reader left join plan p on p.reader = s.id where r.article = a.id and {ASKED}) order by a.id limit 9",
    ),
    (
        f"select distinct a.id from article a join revision v on v.article = a.id {READ} where v.delta > 0 and {ASKED}",
        f"select distinct a.id from article a {READ} where {ASKED} and exists (select 1 from revision v where v.article = a.id and v.delta > 0)",
    ),
    (
        "select id from reader s where id in (select r.reader from reading r left join plan p on p.reader = r.reader where r.seconds > 9 or p.kind = 'x')",
        "select id from reader s where id in (select r.reader from reading r where r.seconds > 9 or exists (select 1 from plan p where p.reader = r.reader and p.kind = 'x'))",
    ),
    (
        f"select a.id, (select r.editor {NEWEST}), (select r.delta {NEWEST}) from article a where a.words > 9",
        f"select a.id, l.editor, l.delta from article a {FIRST} where a.words > 9",
    ),
    (
        f"select a.id, l.editor, l.made from article a {FIRST}",
        "select a.id, l.e, l.m from article a cross join lateral (select (array_agg(r.editor order by r.made desc, r.id desc))[1] e, max(r.made) m from revision r where r.article = a.id) l",
    ),
    ("select (select r.hour from revision r order by r.hour nulls last, r.delta limit 1)", "select min(hour) from revision"),
    ("select distinct tags from article a", "select tags from article group by tags"),
)  # fmt: skip
# no proof, or one with the reservation
OPEN = (
    (
        "select id from reader s where id not in (select p.reader from reading r left join plan p on p.reader = r.reader where r.seconds > 9 or p.kind = 'x')",
        "select id from reader s where id not in (select p.reader from reading r join plan p on p.reader = r.reader where r.seconds > 9 or p.kind = 'x')",
        None,
    ),
    (
        "select distinct a.id from article a join revision v on v.article = a.id where 10 / v.delta > 1 and a.words > 3",
        "select distinct a.id from article a where a.words > 3 and exists (select 1 from revision v where v.article = a.id and 10 / v.delta > 1)",
        "errors",
    ),
    (
        "select a.id, (select r.editor from revision r where r.article = a.id order by r.made limit 1), (select r.delta from revision r where r.article = a.id order by r.made limit 1) from article a",
        "select a.id, l.editor, l.delta from article a left join lateral (select r.editor, r.delta from revision r where r.article = a.id order by r.made limit 1) l on true",
        None,
    ),
    ("select (select r.made from revision r order by r.made, 10 / r.delta limit 1)", "select min(made) from revision", "errors"),
    ("select (select r.made from revision r order by r.delta, r.made limit 1)", "select min(made) from revision", None),
    ("select (select r.price from revision r order by r.price nulls last, r.id limit 1)", "select min(price) from revision", None),
    ("select (select r.hour from revision r order by r.hour desc, r.delta limit 1)", "select max(hour) from revision", None),
    ("select distinct marks from article a", "select marks from article group by marks having count(*) > 0", "tie-order"),
)  # fmt: skip


def _modulo(first: str, second: str) -> tuple[str, ...] | None:
    both = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(both, Binding), both
    proved = prove_pair(both, CATALOG, 10.0).proved
    return None if proved is None else proved.modulo


@pytest.mark.parametrize(("first", "second"), SAME)
def test_it_is_proved_in_both_directions(first: str, second: str) -> None:
    assert _modulo(first, second) == _modulo(second, first) == ()


@pytest.mark.parametrize(("first", "second", "reserved"), OPEN)
def test_it_is_not_proved_without_the_reservation(first: str, second: str, reserved: str | None) -> None:
    for found in (_modulo(first, second), _modulo(second, first)):
        assert found is None if reserved is None else found is None or reserved in found


@pytest.mark.server
def test_arrays_that_are_equal_look_alike_to_a_server(scratch_server: ScratchServer) -> None:
    arrays = "'{}', '{1,2}', '[0:1]={1,2}', '{{1,2}}', '{NULL}', '{1,NULL}', '[5:5]={1}', '{1}'"
    asked = f"""select count(*), bool_and((a = b) = (a::text = b::text)) from unnest(array[{arrays}]::text[]) x(t), unnest(array[{arrays}]::text[]) y(u),
      lateral (select t::int[] as a, u::int[] as b) v"""
    with psycopg.connect(scratch_server.dsn()) as connection:
        assert connection.execute(asked.encode()).fetchone() == (64, True)
