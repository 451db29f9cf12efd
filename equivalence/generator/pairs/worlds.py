"""Random schemas for random pairs: a parent, a child, and two tables without keys.

Owns their names, types and constraints, and random predicates over their columns.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBERS = ("int", "int", "int", "bigint", "smallint", "numeric(8,2)")
_VALUES = {
    "int": ("0", "1", "2", "3", "7"),
    "bigint": ("0", "1", "2", "5"),
    "smallint": ("0", "1", "2", "4"),
    "numeric(8,2)": ("0", "1", "2.5", "1.50"),
    "text": ("'a'", "'b'", "'ab'"),
    "varchar(8)": ("'a'", "'b'", "'xy'"),
    "date": ("date '2001-01-01'", "date '2001-01-02'", "date '1999-12-31'"),
}
_TYPED = (
    "k int not null, i int, b bigint, n numeric, p numeric(8,2), f float8, t text, v varchar(5), c char(4), "
    'x text collate "C", d date, ts timestamp, o bool, a int[], j jsonb'
)


@dataclass(frozen=True, slots=True)
class Col:
    """A column; ``nullable`` as declared."""

    name: str
    type: str
    nullable: bool = True

    @property
    def numeric(self) -> bool:
        return self.type in _NUMBERS


@dataclass(frozen=True, slots=True)
class World:
    """One schema. The parent has the key ``id`` and a unique nullable ``u``; the child has ``id``, a NOT NULL
    reference ``pid`` and a nullable one ``qid``; the loose tables have no constraint but NOT NULL on ``w``;
    ``typed`` has a column of each common type (k, the only NOT NULL one, i, b, n, p, f, t, v, c, x, d, ts,
    o, the array a and the document j).
    """

    ddl: str
    parent: str
    child: str
    loose: tuple[str, str]
    key_type: str
    columns: dict[str, tuple[Col, ...]]
    typed: str

    def pick(
        self, rnd: random.Random, table: str, *, nullable: bool | None = None, numeric: bool = False
    ) -> Col:
        """A payload column of the table."""
        fitting = [
            c
            for c in self.columns[table]
            if (nullable is None or c.nullable == nullable) and (c.numeric or not numeric)
        ]
        return rnd.choice(fitting)

    def pick_type(self, table: str, name: str) -> str:
        """The type of a payload column."""
        return next(c.type for c in self.columns[table] if c.name == name)


def random_world(rnd: random.Random) -> World:
    """A schema with random names, types and extra columns."""
    names = rnd.sample(
        ("a", "b", "item", "orders", "emp", "dept", "t1", "t2", "log", "node", "Mixed Case"), 5
    )
    parent, child, one, two, typed = [f'"{n}"' if " " in n else n for n in names]
    key = rnd.choice(("int", "int", "bigint"))
    # same types in both loose tables: set operations pair them
    loose: tuple[Col, ...] = (
        Col("k", "int"),
        Col("v", rnd.choice(_NUMBERS)),
        Col("g", rnd.choice(("int", "text", "date"))),
    )
    loose = (*loose, Col("w", "int", nullable=False))
    columns: dict[str, tuple[Col, ...]] = {
        parent: (
            Col("x", rnd.choice(_NUMBERS)),
            Col("y", "int", nullable=False),
            Col("s", rnd.choice(("text", "varchar(8)", "date"))),
        ),
        child: (
            Col("v", rnd.choice(_NUMBERS)),
            Col("w", rnd.choice(_NUMBERS[:4]), nullable=False),
            Col("d", "date"),
        ),
        one: loose,
        two: loose,
    }
    references = f"pid {key} not null references {parent}, qid {key} references {parent}"
    ddl = [
        f"create table {parent} (id {key} primary key, u int unique, {_declared(columns[parent])})",
        f"create table {child} (id int primary key, {references}, {_declared(columns[child])})",
        f"create table {one} ({_declared(columns[one])})",
        f"create table {two} ({_declared(columns[two])})",
        f"create table {typed} ({_TYPED})",
    ]
    return World("".join(f"{line};\n" for line in ddl), parent, child, (one, two), key, columns, typed)


def _declared(columns: Sequence[Col]) -> str:
    return ", ".join(f"{c.name} {c.type}{'' if c.nullable else ' not null'}" for c in columns)


def constant(rnd: random.Random, column: Col) -> str:
    """A literal of the column's type."""
    return rnd.choice(_VALUES[column.type])


def predicate(rnd: random.Random, alias: str, column: Col, *, rejecting: bool = False) -> str:
    """A predicate over one column that some values satisfy; ``rejecting``: never true of NULL."""
    name = f"{alias}.{column.name}"
    low, high = constant(rnd, column), constant(rnd, column)
    kinds = ["compare", "compare", "in", "not equal", "or"]
    if not rejecting:
        kinds += ["null", "not null", "or null"]
    match rnd.choice(kinds):
        case "compare":
            return f"{name} {rnd.choice(('=', '>', '>=', '<=', '<>'))} {low}"
        case "in":
            return f"{name} in ({low}, {high})"
        case "not equal":
            return f"{name} <> {low}"
        case "or":
            return f"({name} = {low} or {name} > {high})"
        case "null":
            return f"{name} is null"
        case "not null":
            return f"{name} is not null"
        case _:
            return f"({name} = {low} or {name} is null)"
