"""Readers over tables made for a test, and what is asserted of them: parts of the query that a question is read as,
or a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.sql.algebra import TableRef

THRESHOLD = 0.75
"""The confidence below which nothing is run."""


def table(name: str, rows: int, /, **columns: str) -> TableContext:
    """Columns as `name="type key"`, `name="text:value,value"` or `name="int4 *7"` of seven distinct values."""
    ref = TableRef("public", name)
    made = []
    for column, said in columns.items():
        kind, _, values = said.partition(":")
        type_name, *marks = kind.split()
        held = tuple(values.split(",")) if values else ()
        counted = next((int(mark[1:]) for mark in marks if mark.startswith("*")), len(held) or rows)
        made.append(
            ColumnContext.of(
                ref,
                column,
                type_name,
                key="key" in marks,
                unique=bool({"key", "unique"} & set(marks)),
                distinct=counted,
                nulls=int("null" in marks),
                values=held,
            )
        )
    return TableContext.of(ref, made, rows=rows)


def reader_of(tables: Sequence[TableContext], *keys: str) -> Reader:
    """A reader of questions about these tables. Keys are ``"from.column to.column"``, both as sure as declared ones."""
    at = {f"{t.ref.name}.{c.name}": c for t in tables for c in t.columns}
    joins = [Join(at[many], at[one], 1.0) for many, one in map(str.split, keys)]
    return Reader(Context.of(tables=tables, joins=joins))


def assert_read(reader: Reader, question: str, parts: Sequence[str], without: str = "") -> Reading:
    """The question is read, surely enough, and its query has the parts and not what is excluded."""
    found = reader.read(question)
    assert isinstance(found, Reading), found.why
    said = found.sql + found.sql.replace("public.", "")
    assert [part for part in parts if part not in said] == [], found.sql
    assert not without or without not in found.sql, found.sql
    assert found.confidence >= THRESHOLD, (found.doubts, found.sql)
    return found


def assert_refused(reader: Reader, question: str) -> None:
    """The question has no reading, or none that is sure enough."""
    found = reader.read(question)
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD, found.sql
