"""What is made of constants when a proof is looked for is what a server makes of them, whatever its session
is set to (M16).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, LiteralString, cast

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.folding import constant, moved
from rewright.equivalence.prover.terms import App, Lit, Sym
from rewright.sql.binder.constants import normalise
from rewright.sql.binder.errors import BindError
from rewright.sql.types import DATE, INTERVAL, TIMESTAMP, UNKNOWN

pytestmark = pytest.mark.server

SETTINGS = (
    ("ISO, MDY", "postgres", "UTC"),
    ("SQL, DMY", "sql_standard", "Asia/Kathmandu"),
    ("German, YMD", "iso_8601", "America/St_Johns"),
    ("Postgres, DMY", "postgres_verbose", "Pacific/Kiritimati"),
)
_TEXTS = (
    *(
        "2000-01-02",
        " 2000-01-02",
        "2000-1-2",
        "01-02-2000",
        "02.01.2000",
        "2000-02-30",
        "2001-02-29",
        "0001-01-01",
        "0000-01-01",
    ),
    *(
        "2000-01-02 10:00",
        "2000-01-02T10:00:00",
        "2000-01-02 24:00",
        "2000-01-02 23:59:60",
        "2000-01-02 23:59:59.9999999",
    ),
    *(
        "2000-01-02 10:00:00.5",
        "2000-01-02 10:00:00.123456",
        "2000-01-02 10:00+02",
        "2000-01-02 10",
        "20000102",
        "9999-12-31",
    ),
    *(
        "infinity",
        "today",
        "epoch",
        "2000-01-02 00:00:00 ",
        "2000-01-02 10:00:00.000000",
        "-1",
        "+1",
        " 12 ",
        "1e3",
        "1.50",
    ),
    *(
        "0x1F",
        "1_000",
        ".5",
        "5.",
        "-0",
        "-0.00",
        "00012",
        "1e-3",
        "12e",
        "NaN",
        "t",
        "TRUE",
        "on",
        "of",
        "1",
        "0",
        "yes ",
        "",
    ),
)
_SPANS = (
    "1 day",
    "-1 day",
    "+2 months",
    "1 mon",
    "1 year",
    "12 hours",
    "90 minutes",
    "1 second",
    "3 weeks",
    "-13 months",
    "1day",
)
_STARTS = (
    "2000-01-31",
    "2000-02-29",
    "1999-12-31",
    "2000-01-01 00:00:00",
    "2000-03-31 23:59:59",
    "0001-01-01",
    "9999-12-31",
)


@pytest.fixture(params=SETTINGS, ids=lambda s: s[0])
def session(
    request: pytest.FixtureRequest, scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        for name, value in zip(("DateStyle", "IntervalStyle", "TimeZone"), request.param, strict=True):
            connection.execute("select set_config(%s, %s, false)", (name, value))
        yield connection


def same(session: psycopg.Connection[Any], one: str, two: str) -> bool:
    """Whether the session takes both for the same value; False where one is refused."""
    try:
        rows = session.execute(
            cast("LiteralString", f"select {one} = {two}, ({one})::text = ({two})::text")
        ).fetchall()
    except psycopg.Error:
        return False
    return rows == [(True, True)]


@pytest.mark.parametrize(
    "type_", ["date", "timestamp", "int2", "int4", "int8", "numeric", "bool", "text", "varchar"]
)
def test_literals_are_read_as_the_session_reads_them(session: psycopg.Connection[Any], type_: str) -> None:
    read = 0
    for text in _TEXTS:
        try:
            found = normalise(type_, text)
        except BindError:
            assert not same(session, f"'{text}'::{type_}", f"'{text}'::{type_}")
            continue
        if found is not None:
            read += 1
            assert same(session, f"'{text}'::{type_}", f"'{found}'::{type_}"), (text, found)
    assert read


@pytest.mark.parametrize("type_", [DATE, TIMESTAMP], ids=["date", "timestamp"])
def test_moments_are_read_as_the_session_reads_them(session: psycopg.Connection[Any], type_: Any) -> None:
    writer = random.Random(3)
    made = [
        f"{writer.randint(0, 2400):04}-{writer.randint(1, 12):02}-{writer.randint(1, 31):02}"
        for _ in range(40)
    ]
    read = 0
    for text in (
        *_TEXTS,
        *made,
        *(f"{m} {writer.randint(0, 24):02}:{writer.randint(0, 59):02}" for m in made),
    ):
        found = constant(text, type_)
        if found is not None:
            read += 1
            assert same(session, f"'{text}'::{type_.name}", f"'{found.value}'::{type_.name}"), (text, found)
    assert read > 20


def test_moments_move_as_in_the_session(session: psycopg.Connection[Any]) -> None:
    moves = 0
    for start, span, name, type_ in product(_STARTS, _SPANS, "+-", (DATE, TIMESTAMP)):
        begun = constant(start, type_)
        assert begun is not None
        written = App(
            Sym("cast pg_catalog.unknown to pg_catalog.interval(-1) io"), (Lit(span, UNKNOWN),), INTERVAL
        )
        found = moved(name, begun, written)
        if found is not None:
            moves += 1
            made = f"('{start}'::{type_.name} {name} interval '{span}')"
            assert same(session, made, f"'{found.value}'::timestamp"), (start, name, span)
    assert moves > 100
