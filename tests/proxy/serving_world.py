"""A database with one rewrite whose replacement gives a recognisable answer.

The replacement deliberately returns other rows than the original: only so can a test see which of the two
ran.
"""

from __future__ import annotations

import psycopg

from rewright.proxy.ports import Guard, RelationName, Report, ServedRewrite
from rewright.proxy.serving.guard import capture_sql
from rewright.proxy.serving.index import RewriteIndex

SCHEMA = """
create table item (id int primary key, price int not null, note text);
insert into item select n, n * 10, 'n' || n from generate_series(1, 100) as n;
create table part (id int primary key, item int not null references item (id));
insert into part select n, n from generate_series(1, 50) as n;
"""

ORIGINAL = "select id, price from item where id < 4 order by id"
REPLACEMENT = "select id, price + 1000000 as price from item where id < 4 order by id"
BY_ID = "select id, price from item where id = $1"
BY_ID_REPLACED = "select id, price + 1000000 as price from item where id = $1"
FAILS_LATE = "select id, price from item where id between 5 and 7 order by id"
FAILS_LATE_REPLACED = "select id, price / (id - 5) as price from item where id between 5 and 7 order by id"
FROM_ORIGINAL = [(1, 10), (2, 20), (3, 30)]
FROM_REPLACEMENT = [(1, 1000010), (2, 1000020), (3, 1000030)]


class Reports:
    """A reporter that keeps what it gets."""

    def __init__(self) -> None:
        self.all: list[Report] = []

    def put(self, report: Report) -> bool:
        self.all.append(report)
        return True


def guard_of(connection: psycopg.Connection, *names: str) -> Guard:
    relations = tuple(
        RelationName(name, connection.execute("select %s::regclass::oid::int8", [name]).fetchone()[0])  # type: ignore[index]
        for name in names
    )
    guard = Guard(relations, relations, search_path=("pg_catalog", "public"))
    (digest,) = connection.execute(capture_sql(guard)).fetchone()  # type: ignore[misc]
    return Guard(relations, relations, search_path=guard.search_path, digest=digest)


def rewrites(connection: psycopg.Connection, database: str, **changes: object) -> list[ServedRewrite]:
    guard = guard_of(connection, "item")
    pairs = [
        (ORIGINAL, REPLACEMENT, ()),
        (BY_ID, BY_ID_REPLACED, (21,)),
        (FAILS_LATE, FAILS_LATE_REPLACED, ()),
    ]
    return [
        ServedRewrite(number, database, original, replacement, guard, param_types=types, **changes)  # type: ignore[arg-type]
        for number, (original, replacement, types) in enumerate(pairs, 1)
    ]


def index_for(dsn: str, database: str, **changes: object) -> RewriteIndex:
    index = RewriteIndex()
    with psycopg.connect(dsn, autocommit=True) as connection:
        index.replace(rewrites(connection, database, **changes))
    return index
