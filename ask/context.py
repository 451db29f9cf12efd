"""What a database holds, in words: tables, columns, kinds of values, likely keys, joins, and the values of
columns with few of them.

Owns the shapes, and how a description is made from whatever knows a schema. Values are data: nothing here or
later takes them for instructions. Must not know questions, nor how a database is read. Source of the idea:
the context of REFLECT-SQL, section 4.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rewright.lake import names
from rewright.sql.algebra import TableRef

Kind = Literal["number", "text", "date", "boolean", "other"]
_NUMBERS = {"int2", "int4", "int8", "numeric", "float4", "float8", "money"}
_DATES = {"date", "timestamp", "timestamptz"}
_TEXTS = {"text", "varchar", "bpchar", "name"}


def is_text(type_name: str) -> bool:
    """Whether it is a type of texts of any kind, no enumerated one."""
    return type_name in _TEXTS


def kind_of(type_name: str) -> Kind:
    """The kind of PostgreSQL's type of that name (`int4`, `text`)."""
    if type_name == "bool":
        return "boolean"
    if type_name in _NUMBERS:
        return "number"
    return "date" if type_name in _DATES else "text" if type_name in _TEXTS else "other"


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """One column. ``unique``: no value twice in what was read; ``values`` only where they are few.

    ``as_text``: its dates are texts, ``type`` what they are read as.
    """

    table: TableRef
    name: str
    words: tuple[str, ...]
    type: str
    kind: Kind
    comment: str = ""
    unique: bool = False
    key: bool = False
    distinct: int = 0
    nulls: int = 0
    values: tuple[str, ...] = ()
    as_text: bool = False

    @property
    def held_type(self) -> str:
        """The type the database gives it."""
        return "text" if self.as_text else self.type

    @classmethod
    def of(
        cls,
        table: TableRef,
        name: str,
        type_name: str,
        *,
        comment: str = "",
        unique: bool = False,
        key: bool = False,
        distinct: int = 0,
        nulls: int = 0,
        values: Sequence[str] = (),
        enumerated: bool = False,
    ) -> ColumnContext:
        """A column by its name and the name of PostgreSQL's type; its words and kind follow from them. An
        enumerated type's labels are texts.
        """
        words = names.words(name)
        kind = "text" if enumerated else kind_of(type_name)
        return cls(table, name, words, type_name, kind, comment, unique, key, distinct, nulls, tuple(values))


@dataclass(frozen=True, slots=True)
class TableContext:
    """One table; ``rows`` counts those read, at most SAMPLE_ROWS. ``composed``: the columns that tell its
    rows apart together, if its key has several.
    """

    ref: TableRef
    words: tuple[str, ...]
    columns: tuple[ColumnContext, ...]
    comment: str = ""
    rows: int = 0
    composed: tuple[ColumnContext, ...] = ()

    @classmethod
    def of(
        cls,
        ref: TableRef,
        columns: Sequence[ColumnContext],
        *,
        comment: str = "",
        rows: int = 0,
        composed: Sequence[str] = (),
    ) -> TableContext:
        """A table by its name and its described columns; ``composed`` by their names."""
        own = {column.name: column for column in columns}
        key = tuple(own[name] for name in composed if name in own)
        return cls(ref, names.words(ref.name), tuple(columns), comment, rows, key)

    @property
    def summary(self) -> str:
        """One line: `orders (120 rows): key id; 2 numbers, 1 date, 3 texts`."""
        counted = Counter(c.kind for c in self.columns)
        kinds = ", ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in counted.items())
        keys = ", ".join(c.name for c in self.columns if c.key)
        return f"{self.ref.name} ({self.rows} rows): {f'key {keys}; ' if keys else ''}{kinds}"


@dataclass(frozen=True, slots=True)
class Join:
    """``many.column = one.column``, the second unique in its table; a likelihood below 1 was found in the
    data.

    A key of several columns has ``more`` pairs, all of which hold; its ``one`` sides are unique together,
    and, ``paired``, its ``many`` sides too. The first pair says most of it.
    """

    many: ColumnContext
    one: ColumnContext
    likelihood: float
    more: tuple[tuple[ColumnContext, ColumnContext], ...] = ()
    paired: bool = False

    @property
    def pairs(self) -> tuple[tuple[ColumnContext, ColumnContext], ...]:
        """All of them, ``many`` before ``one``."""
        return ((self.many, self.one), *self.more)

    @property
    def keys(self) -> tuple[ColumnContext, ...]:
        """The columns that refer."""
        return tuple(many for many, _ in self.pairs)

    @property
    def single(self) -> bool:
        """Whether a row of ``one`` has one row of ``many`` at most."""
        return self.paired or any(many.unique for many in self.keys)


@dataclass(frozen=True, slots=True)
class Context:
    """Everything known of one database under one catalog."""

    digest: str
    tables: tuple[TableContext, ...]
    joins: tuple[Join, ...]

    @classmethod
    def of(
        cls,
        *,
        tables: Iterable[TableContext],
        joins: Iterable[Join] = (),
        values: Mapping[tuple[TableRef, str], Sequence[str]] | None = None,
        digest: str = "",
    ) -> Context:
        """From a catalog that is not PostgreSQL's: its tables, its joins, and known values by table and
        column.

        ``digest`` names the state of the catalog; without one it is made of the tables' and columns' names.
        """
        known = values or {}
        made = tuple(
            replace(t, columns=tuple(_with_values(c, known.get((c.table, c.name))) for c in t.columns))
            for t in tables
        )
        text = repr([(t.ref, [(c.name, c.type) for c in t.columns]) for t in made])
        return cls(digest or hashlib.sha256(text.encode()).hexdigest(), made, tuple(joins))

    def table(self, ref: TableRef) -> TableContext:
        return next(t for t in self.tables if t.ref == ref)

    def refers(self, column: ColumnContext) -> bool:
        """Whether it is one of the columns by which its table refers to another."""
        place = (column.table, column.name)
        return any((key.table, key.name) == place for join in self.joins for key in join.keys)

    def alike(self) -> tuple[tuple[TableContext, ...], ...]:
        """The tables, those with the same columns together: one entry each for who
        describes a large schema.
        """
        found: dict[tuple[tuple[str, str], ...], list[TableContext]] = {}
        for table in self.tables:
            found.setdefault(tuple((c.name, c.type) for c in table.columns), []).append(table)
        return tuple(map(tuple, found.values()))


def _with_values(column: ColumnContext, values: Sequence[str] | None) -> ColumnContext:
    return column if values is None else replace(column, values=tuple(values))
