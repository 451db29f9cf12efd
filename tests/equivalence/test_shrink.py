from __future__ import annotations

from rewright.equivalence.generator.databases import Database
from rewright.equivalence.generator.schema import ColumnShape, Shape, TableShape
from rewright.equivalence.refuter.shrink import shrink

COLUMNS = (
    ColumnShape("a", "integer", "int4", -1, "int", nullable=False),
    ColumnShape("b", "text", "text", -1, "text", nullable=True),
)
TABLES = tuple(TableShape("public", n, i, COLUMNS, (), (), (), plain=True) for i, n in enumerate("tu"))
SHAPE = Shape(TABLES, (0, 1), frozenset())


def join_on_a(database: Database) -> bool:
    return any(left[0] == right[0] for left in database[0] for right in database[1])


def test_rows_go_and_values_become_plain_together() -> None:
    rows = tuple((str(n * 1000), "long text") for n in range(1, 20))
    assert shrink(SHAPE, (rows, rows[5:9]), join_on_a) == ((("0", None),), (("0", None),))


def test_what_matters_stays() -> None:
    def still(database: Database) -> bool:
        return any(b == "long text" for _, b in database[0]) and len(database[1]) >= 3

    rows = (("7", "x"), ("8", "long text"), ("9", "y"), ("9", "z"))
    small = shrink(SHAPE, (rows, rows), still)
    assert small[0] == (("0", "long text"),)
    assert len(small[1]) == 3


def test_without_time_it_gives_back_what_it_got() -> None:
    database: Database = ((("5", "x"),), (("5", "x"),))
    assert shrink(SHAPE, database, join_on_a, seconds=0) == database
