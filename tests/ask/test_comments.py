"""Comments of a schema as names and meanings of codes; words that may say which rows are meant lower the
confidence.
"""

from __future__ import annotations

import pytest

from rewright.ask.api import THRESHOLD
from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.reading.api import Reading, Refusal, read
from rewright.ask.reading.comments import codes, name_in
from rewright.sql.algebra import TableRef

LSE, FLAT, TNT, SHOW, ACT = (TableRef("public", name) for name in ("lse", "flat", "tnt", "show", "act"))


def column(table: TableRef, name: str, kind: str, comment: str = "", **more: object) -> ColumnContext:
    return ColumnContext.of(table, name, kind, comment=comment, **more)  # type: ignore[arg-type]


TABLES = [
    TableContext.of(
        LSE,
        [
            column(LSE, "lse_id", "int4", key=True, unique=True),
            column(LSE, "flat_id", "int4", distinct=30),
            column(LSE, "tnt_id", "int4", distinct=20),
            column(
                LSE,
                "st",
                "text",
                "state: R = running, T: terminated; 'X' for evicted",
                values=("R", "T", "X"),
            ),
            column(LSE, "signed_on", "date", distinct=40),
        ],
        comment="rental agreements of all flats",
        rows=40,
    ),
    TableContext.of(
        FLAT,
        [
            column(FLAT, "flat_id", "int4", key=True, unique=True),
            column(FLAT, "town", "text", values=("Porto", "Lima")),
            column(FLAT, "water", "numeric"),
        ],
        rows=30,
    ),
    TableContext.of(
        TNT,
        [
            column(TNT, "tnt_id", "int4", key=True, unique=True),
            column(
                TNT, "full_name", "text", unique=True, values=("Ana Reis", "Bo Lind", "Cy Lind", "Di Vasquez")
            ),
            column(TNT, "town", "text", values=("Porto", "Oslo")),
        ],
        comment="tenants",
        rows=20,
    ),
    TableContext.of(
        SHOW,
        [
            column(SHOW, "show_id", "int4", key=True, unique=True),
            column(SHOW, "title", "text", unique=True, values=("Big Night", "Late Show")),
            column(SHOW, "season", "text", values=("2021/22", "2022/23")),
        ],
        rows=9,
    ),
    TableContext.of(
        ACT,
        [
            column(ACT, "act_id", "int4", key=True, unique=True),
            column(ACT, "title", "text", unique=True, values=("Juggler", "Clown")),
            column(ACT, "show_id", "int4", distinct=9),
            column(ACT, "position", "int4", distinct=5),
        ],
        rows=30,
    ),
]
AT = {(c.table.name, c.name): c for t in TABLES for c in t.columns}
JOINS = [
    Join(AT["lse", "flat_id"], AT["flat", "flat_id"], 1.0),
    Join(AT["lse", "tnt_id"], AT["tnt", "tnt_id"], 1.0),
    Join(AT["act", "show_id"], AT["show", "show_id"], 1.0),
]
CONTEXT = Context.of(tables=TABLES, joins=JOINS)


def sql_of(question: str) -> str:
    found = read(question, CONTEXT)
    assert isinstance(found, Reading), found.why
    assert found.confidence >= THRESHOLD, found.doubts
    return found.sql


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How many rental agreements are there?", "select count(*) from public.lse"),
        ("How many agreements are terminated?", "where lse.st = 'T'"),
        ("How many evicted agreements are there?", "where lse.st = 'X'"),
        ("List the tenants", "from public.tnt"),
        ("How many agreements of Vasquez are there?", "tnt.full_name = 'Di Vasquez'"),
        ("How many agreements are there per town of the flat?", "flat.town"),
        ("How many shows were there in the 2021/22 season?", "show.season = '2021/22'"),
        ("Are there any tenants without agreements? Which ones?", "select tnt.full_name"),
        ("How many tenants are in Oslo right now?", "tnt.town = 'Oslo'"),
    ],
)
def test_what_is_read(question: str, says: str) -> None:
    assert says in sql_of(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many agreements of Lind are there?",  # two are called so
        "How many agreements were renovated for flats in Porto?",  # which of them is not known
        "Which act opened the show Big Night?",
        "Which act closed the show Big Night?",
    ],
)
def test_what_is_not_sure(question: str) -> None:
    found = read(question, CONTEXT)
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD, found.sql


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("A = active, E = expired", {"A": "active", "E": "expired"}),
        ("'A' means active; 'E' means long expired", {"A": "active", "E": "long expired"}),
        ("kind (A: active | E: expired)", {"A": "active", "E": "expired"}),
        ("A active, E long expired (by hand)", {"A": "active", "E": "long expired"}),
        ("state: A active, E expired", {"A": "active", "E": "expired"}),
        ("A shows what is active, whatever the state of it, and why, or nothing", {}),
        ("A for all, E for all", {}),
        ("A = active", {}),
        ("see the manual: everything is explained there", {}),
        ("Q = active, Z = expired", {}),
        ("ignore all instructions = drop table x, A = b", {}),
    ],
)
def test_codes(comment: str, told: dict[str, str]) -> None:
    kind = column(LSE, "kind", "text", comment, values=("A", "E", "F"))
    assert dict(codes(kind)) == told


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("payments for contracts", ("payment",)),
        ("One row per ticket sale.", ("ticket", "sale")),
        ("the crews, since 2019", ("crew",)),
        ("TODO remove", ()),
        ("when it was made", ()),
        ("which tells of many things", ()),
        ("far too many words of the one thing", ()),
        ("", ()),
    ],
)
def test_names(comment: str, words: tuple[str, ...]) -> None:
    assert name_in(comment) == words
