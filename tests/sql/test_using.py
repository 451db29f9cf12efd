"""JOIN USING and NATURAL: which side's column is shown, of which type and modifier, for all pairs of types of
a family and all joins.

The values of both sides are equal and look different where the types allow it, so that the rows tell which
side the server shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, LiteralString, cast

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import output_columns
from rewright.sql.binder import BindError, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql

pytestmark = [pytest.mark.server, pytest.mark.long]

# type -> values: equal ones of a family, one of the left side alone and one of the right side alone
_FAMILIES: tuple[dict[str, tuple[str, str]], ...] = (
    {
        **dict.fromkeys(("int2", "int8", "float4"), ("1", "0")),
        "int4": ("1", "0"), "float8": ("1", "-0"), "numeric": ("1.0000", "0.0"), "numeric(8,2)": ("1", "0"),
        "numeric(8,3)": ("1", "0"), "numeric(9,2)": ("1", "0"),
    },
    {
        **dict.fromkeys(("char(4)", "char(6)", "text", "varchar(4)", "varchar(6)", "varchar", "name"), ("a", "b")),
        "bpchar": ("a  ", "b "), 'text collate "C"': ("a", "b"), 'char(4) collate "C"': ("a", "b"),
    },
    dict.fromkeys(("date", "timestamp", "timestamp(0)", "timestamp(3)", "timestamptz"), ("2000-01-01", "2001-02-03")),
    {
        "interval": ("1 day", "1 mon"), "interval(0)": ("24:00", "30 days"), "interval day to second": ("24:00", "30 days"),
        "time": ("12:00", "13:00"), "time(0)": ("12:00", "13:00"), "interval year to month": ("1 day", "1 mon"),
    },
    dict.fromkeys(("bit(3)", "varbit", "varbit(5)"), ("101", "001")),
)  # fmt: skip
_KINDS = ("join", "left join", "right join", "full join")
Server = psycopg.Connection[Any]


def _name(side: str, family: int, place: int) -> str:
    return f"{side}{family}_{place}"


def _tables() -> Iterator[tuple[str, str, str]]:
    for i, family in enumerate(_FAMILIES):
        for j, (type_, (shared, own)) in enumerate(family.items()):
            for side in "lr":
                name = _name(side, i, j)
                yield (
                    name,
                    f"create table {name} (x {type_}, {side} int);",
                    f"insert into {name} values ('{shared}', 1), ('{own}', 2), (null, 3)",
                )


_SCHEMA = "\n".join(ddl for _, ddl, _ in _tables())


@pytest.fixture(scope="module")
def server(scratch_server: ScratchServer, module_database: str) -> Iterator[Server]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(cast("LiteralString", _SCHEMA))
        for _, _, fill in _tables():
            connection.execute(cast("LiteralString", fill))
        yield connection


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_from_ddl(_SCHEMA)


def _queries(left: str, right: str) -> Iterator[str]:
    for kind in _KINDS:
        joined = f"{left} {kind} {right} using (x)"
        yield f"select x, l, r from {joined}"
        yield f"select * from {left} natural {kind} {right}"
        yield f"select both_.x, {left}.l from {joined} as both_"
        yield f"select j.x from ({joined}) as j"
        yield f"select x from {joined} {kind} {left} as again using (x)"
        yield f"select x, count(*) from {joined} group by x"


def _seen(server: Server, text: str) -> tuple[list[tuple[int, int]], list[tuple[Any, ...]]] | str:
    """Types with modifiers, and rows as the server prints them."""
    try:
        cursor = server.execute(cast("LiteralString", text))
    except psycopg.Error as error:
        return str(error.sqlstate)
    found = cursor.pgresult
    assert found is not None
    described = [(found.ftype(i), found.fmod(i)) for i in range(found.nfields)]
    rows = [
        tuple(found.get_value(r, c) or b"NULL" for c in range(found.nfields)) for r in range(found.ntuples)
    ]
    return described, sorted(rows)


@pytest.mark.parametrize("family", range(len(_FAMILIES)))
def test_the_column_shown_is_the_servers(server: Server, catalog: Catalog, family: int) -> None:
    places = range(len(_FAMILIES[family]))
    wrong: list[str] = []
    met = 0
    for i, j in product(places, places):
        for text in _queries(_name("l", family, i), _name("r", family, j)):
            expected = _seen(server, text)
            try:
                query = bind(text, catalog)
            except BindError as refused:
                if refused.sqlstate != expected:
                    wrong.append(f"{text}: {refused} for {expected}")
                continue
            met += 1
            modifiers = [c.type.typmod for c in output_columns(query)]
            printed = _seen(server, to_sql(query, catalog=catalog))
            if isinstance(expected, str) or modifiers != [m for _, m in expected[0]] or printed != expected:
                wrong.append(f"{text}: {modifiers}, {printed} for {expected}")
    assert not wrong
    assert met > len(places) ** 2
