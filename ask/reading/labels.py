"""By which columns a person knows the rows of a table: their name or title, else their key.

Owns that choice. Must not know a question; raises Unclear where nothing names a row.
"""

from __future__ import annotations

from typing import Protocol

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.rows import key_of
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.words import listed, stem

_LABELS = ("name", "title", "label")
_ORGANISATIONS = frozenset(
    listed("company firm organisation organization nick nickname heading headline caption designation")
)
_SITES = frozenset(listed("city town country"))
_OF_PEOPLE = (listed("firstname givenname forename"), listed("lastname familyname surname"))
"""Names of a person, whether the words of a column are told apart or run together."""
_DOERS = listed("driver owner manager captain author teacher contact customer client agent operator")
"""Whose name is another's than that of the rows which it stands in."""
_MEANINGS = frozenset(listed("description meaning text"))
_MEASURES = frozenset(("numeric", "float4", "float8"))
"""Types of what is measured: an `nm` of nautical miles is no name."""
# in fewer rows than these values repeat too rarely to tell kinds from names
_ENOUGH = 10
"""Rows of which it can be said that values repeat."""
_FEW = 3
"""Columns of a table that only says what codes mean."""


class Words(Protocol):
    """Who knows the words of names."""

    def words(self, what: ColumnContext | TableContext) -> tuple[str, ...]: ...

    def first_text(self, table: TableContext) -> ColumnContext | None: ...


def label_of(scope: Words, table: TableContext) -> tuple[ColumnContext, ...]:
    """The columns by which a person knows a row: its name or title, first and last name, else its key."""
    name, *titles = _LABELS
    # a name first, then a person's parts; titles come last, as a person's title is an honorific
    found = _called(scope, table, name) or _person(scope, table)
    for title in titles:
        found = found or _called(scope, table, title)
    if found:
        return found
    own = scope.words(table)
    for column in table.columns:
        # a column called like its table holds its rows' name: `country` of countries
        if column.kind == "text" and (scope.words(column) in {own, ("username",), ("user", "name")}):
            return (column,)
    named = [
        c
        for c in table.columns
        if c.kind == "text"
        and scope.words(c)[-1] in _LABELS
        and c.distinct > 1
        and not _of_a_doer(scope, c, own)
    ]
    if len(named) == 1:
        return (named[0],)
    first = scope.first_text(table)
    # the first text column is a likely name only where its words are those of names
    if first is not None and (set(scope.words(first)) & (_ORGANISATIONS | _SITES) or first in named):
        return (first,)
    if (meaning := _meaning(scope, table)) is not None:
        return (meaning,)
    numbered = _numbered(scope, table)
    if numbered is not None:
        return (numbered,)
    key = key_of(table)
    # a key of several columns: together they tell the row
    if key is None and table.composed:
        return table.composed
    if key is None:
        raise Unclear(f"nothing names a row of {table.ref.name}")
    return (key,)


def _of_a_doer(scope: Words, column: ColumnContext, own: tuple[str, ...]) -> bool:
    """`driver_name` of routes, each with a code: the name of somebody, not of the row."""
    first = scope.words(column)[0]
    doer = any(first == one or cut_from(one, first) for one in _DOERS)
    return doer and not any(first == word or cut_from(word, first) for word in own)


def _called(scope: Words, table: TableContext, word: str) -> tuple[ColumnContext, ...]:
    """The column that is the rows' name by the word: `title`, `book_title` of a table book."""
    own = scope.words(table)
    for column in table.columns:
        words = scope.words(column)
        whole = set(words) <= {*own, word} and words[-1] == word and column.kind == "text"
        # a numeric column `name` is a measure with an unlucky abbreviation
        if (words == (word,) and column.type not in _MEASURES) or whole:
            # a title with few values sorts the rows (`Mr`, `Dr`), it does not name them
            return () if word != _LABELS[0] and _is_kind(column, table) else (column,)
    return ()


def _person(scope: Words, table: TableContext) -> tuple[ColumnContext, ...]:
    """First and last name, or the full name: a person's `title` is a rank or a form of address."""
    by_name = {"".join(dict.fromkeys(scope.words(c))): c for c in table.columns}
    parts = [by_name[held[0]] for names in _OF_PEOPLE if (held := [n for n in names if n in by_name])]
    if parts:
        return tuple(parts)
    full = by_name.get("fullname")
    return (full,) if full is not None and full.kind == "text" else ()


def _is_kind(column: ColumnContext, table: TableContext) -> bool:
    """Whether a title sorts rows into few kinds, or is missing in most: it names none."""
    held = table.rows - column.nulls
    # unique, or too few rows to see values come again
    if column.unique or table.rows < _ENOUGH:
        return False
    # three rows a value on average: kinds; mostly missing: nobody's name
    return held * 2 < table.rows or 0 < column.distinct * 3 < held


def _meaning(scope: Words, table: TableContext) -> ColumnContext | None:
    """`description` of a table of codes and what they mean: no one speaks in codes."""
    key = key_of(table)
    # a table of codes begins with its key and has hardly anything else
    if key is None or table.columns[0] != key or (len(table.columns) > _FEW and key.kind != "text"):
        return None
    texts = [c for c in table.columns[1:] if c.kind == "text" and c.unique]
    return texts[0] if len(texts) == 1 and scope.words(texts[0])[-1] in _MEANINGS else None


def _numbered(scope: Words, table: TableContext) -> ColumnContext | None:
    """`room_number` of a table room: the text by which people tell its rows."""
    own = tuple(map(stem, scope.words(table)))
    texts = [c for c in table.columns if c.kind == "text" and tuple(map(stem, scope.words(c)[:-1])) == own]
    found = [c for c in texts if scope.words(c)[-1] in {"number", "no", "code"}]
    return found[0] if len(found) == 1 else None
