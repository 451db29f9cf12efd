"""Everyday turns, and what comments of terse names say: a pilot station with made-up names and questions."""

from __future__ import annotations

import pytest

from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.reading.api import Reader
from rewright.sql.algebra import TableRef
from tests.ask.readings import assert_read, assert_refused

SHP, TJOB, PLT = (TableRef("public", name) for name in ("shp", "tjob", "plt"))


def column(table: TableRef, name: str, kind: str, comment: str = "", **more: object) -> ColumnContext:
    return ColumnContext.of(table, name, kind, comment=comment, **more)  # type: ignore[arg-type] # as it takes them


SHIPS = TableContext.of(
    SHP,
    [
        column(SHP, "shp_id", "int4", key=True, unique=True),
        column(SHP, "shp_nm", "text", unique=True, values=("Gale", "Reed")),
        column(
            SHP,
            "tp",
            "text",
            "type: BLK bulk carrier, TNK tanker, ROR ro-ro ferry",
            values=("BLK", "ROR", "TNK"),
        ),
        column(SHP, "loa", "numeric", "length over all, m", distinct=30),
    ],
    comment="vessels",
    rows=40,
)
PILOTS = TableContext.of(
    PLT,
    [
        column(PLT, "plt_id", "int4", key=True, unique=True),
        column(PLT, "full_name", "text", unique=True, values=("Ida Holt", "Per Lund")),
        column(PLT, "sts", "text", "A active, L on leave, R retired", values=("A", "L", "R")),
        column(PLT, "hire_dt", "date", distinct=20),
        column(PLT, "stn", "text", values=("North", "South")),
    ],
    comment="pilots",
    rows=20,
)
JOBS = TableContext.of(
    TJOB,
    [
        column(TJOB, "job_id", "int4", key=True, unique=True),
        column(TJOB, "shp_id", "int4", distinct=40),
        column(TJOB, "plt_id", "int4", distinct=20),
        column(TJOB, "job_tp", "text", values=("IN", "OUT")),
        column(TJOB, "started_at", "timestamp", distinct=300),
        column(TJOB, "ended_at", "timestamp", distinct=300),
    ],
    comment="towing jobs",
    rows=300,
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    at = {(c.table.name, c.name): c for t in (SHIPS, PILOTS, JOBS) for c in t.columns}
    joins = [
        Join(at["tjob", "shp_id"], at["shp", "shp_id"], 1.0),
        Join(at["tjob", "plt_id"], at["plt", "plt_id"], 1.0),
    ]
    return Reader(Context.of(tables=[SHIPS, PILOTS, JOBS], joins=joins))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many active pilots are there?", ["count(*)", "plt.sts = 'A'"]),
        ("List the pilots who are on leave", ["plt.sts = 'L'"]),
        ("how many tankers are on our books?", ["count(*)", "shp.tp = 'TNK'"]),
        ("Which ships are longer than 220 m?", ["select shp.shp_nm from", "shp.loa > 220"]),
        ("Give me all ships shorter than 0.2 km", ["shp.loa < 200"]),
        ("For every ship type, the longest ship", ["partition by shp.tp", "order by shp.loa desc"]),
        ("Which pilot did the most jobs?", ["order by count(*) desc"]),
        ("How long did the longest job last?", ["select max((tjob.ended_at - tjob.started_at))"]),
        ("number of jobs by ship, most frequent first", ["count(*)", "order by count(*) desc"]),
        ("Which jobs took longer than two hours?", ["interval '2 hours'"]),
        ("For each station the pilot who was hired first", ["partition by plt.stn", "plt.hire_dt asc"]),
    ],
)
def test_what_is_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


def test_who_was_hired_first_is_not_the_oldest(reader: Reader) -> None:
    assert_refused(reader, "Who is the oldest pilot?")
    assert_read(reader, "Which pilot was hired first?", ["order by plt.hire_dt asc"])


def test_a_hint_that_calls_a_function_spells_no_name_out(reader: Reader) -> None:
    found = reader.read("What is the name of the oldest job?", evidence="oldest refers to MIN(started_at)")
    assert "MIN" not in found.question
    ranked = reader.read("Which job is the oldest?", evidence="oldest refers to min(started_at)")
    assert "order by tjob.started_at asc" in getattr(ranked, "sql", "")
