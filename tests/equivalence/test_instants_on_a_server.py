"""What `laws/instants` and the recheck's own statement of it make of constants, asked of a server: under every
IntervalStyle and in zones of either hemisphere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.laws.instants import as_instants
from rewright.equivalence.recheck.views.instants import instants
from rewright.sql.binder import BindError, bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql

CATALOG = catalog_from_ddl("create table t (a int)")
_UNITS = [
    "year",
    "years",
    "mon",
    "mons",
    "month",
    "week",
    "weeks",
    "day",
    "days",
    "hour",
    "hours",
    "min",
    "mins",
    "minute",
    "second",
    "secs",
    "sec",
]


def _interval(chance: random.Random) -> str:
    parts = [
        f"{chance.choice((0, 1, 3, 29, 61, 400))} {u}" for u in chance.sample(_UNITS, chance.randint(0, 3))
    ]
    clock = chance.choice(("", "", "2:03", "25:59:59", "1:75"))
    return " ".join((*parts, clock)).strip() or "1 day"


def _moment(chance: random.Random) -> str:
    day = chance.choice(("2024-02-29", "2023-12-31", "1000-01-01", "2024-03-10", "2023-02-29"))
    time = chance.choice(("00:00", "23:59:59", "12:30:00.5", "24:00", "02:30"))
    zone = chance.choice(("Z", "+00", "-05", "+05:30", "+0545", " +02", "+15:59", "+16", ""))
    return f"{day}{chance.choice(' T')}{time}{zone}"


def expressions() -> Iterator[str]:
    chance = random.Random(492)
    for _ in range(150):
        length, other, moment = _interval(chance), _interval(chance), _moment(chance)
        day = chance.choice(("2024-01-31", "2024-02-29", "2023-12-31", "2024-03-31"))
        sign, compared = chance.choice("+-"), chance.choice(("<", "<=", "=", "<>", ">=", ">"))
        yield f"interval '{length}'"
        yield f"interval '{length}' {compared} interval '{other}'"
        yield f"timestamptz '{moment}'"
        yield f"timestamp '{day} 10:00' {sign} interval '{length}'"
        yield f"(date '{day}' {sign} interval '{length}')::date"
        yield f"(timestamptz '{moment}' at time zone 'UTC')::date {compared} date '{day}'"
        yield f"timestamptz '{moment}' at time zone 'GMT' {compared} timestamp '{day} 10:00'"


@pytest.mark.server
def test_constants_mean_what_the_server_reads(scratch_server: ScratchServer) -> None:
    changed, wrong = 0, []
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        for zone, style in (("America/Sao_Paulo", "postgres"), ("Asia/Kolkata", "sql_standard")):
            connection.execute(f"set timezone = '{zone}'".encode())
            connection.execute(f"set intervalstyle = '{style}'".encode())
            for text in dict.fromkeys(expressions()):
                try:
                    query = bind(f"select {text} as x", CATALOG)
                except BindError:
                    continue
                for seen in {to_sql(as_instants(query)), to_sql(instants(query))} - {to_sql(query)}:
                    changed += 1
                    first, second = (_value(connection, q) for q in (f"select {text}", seen))
                    if first != second:
                        wrong.append((text, seen, first, second))
    assert wrong == []
    assert changed > 400


def _value(connection: psycopg.Connection[tuple[object, ...]], query: str) -> object:
    """The value as text, or the error's class."""
    try:
        found = connection.execute(query.encode()).pgresult
    except psycopg.Error as error:
        return error.sqlstate
    assert found is not None
    return found.get_value(0, 0)
