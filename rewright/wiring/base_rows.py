"""The base table of an AUGMENT, read through the client's own session.

Owns which columns are read and as what, and how much. What the session's role may not see, the server does
not give; nothing is read under another account. Must not know lakes' tables or searches.
docs/decisions/0440-augment-reads-the-base-through-the-clients-session.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import psycopg

from rewright.ask.execution import read_only
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.quoting import quoted
from rewright.lake.augment.api import BaseSpec, Brought
from rewright.wiring.lake_binding import parameters_in

# they are held in memory by the process that searches, and pass through the client's session
MOST_ROWS = 1_000_000
MOST_BYTES = 256 << 20
_PORTION_BYTES = 1 << 20
_MOST_IN_A_PORTION = 10_000
_OVERHEAD = 60
"""Bytes of a text beside its letters, about."""
_CURSOR = "rewright_base"
_RELATION = b"""
select c.oid, n.nspname::pg_catalog.text, c.relname::pg_catalog.text, c.relkind::pg_catalog.text
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
 where c.oid operator(pg_catalog.=) pg_catalog.to_regclass(%s)::pg_catalog.oid
"""
# domains as what they are over; of types that users made, enums and those that are texts to the byte
_COLUMNS = b"""
with recursive types (attnum, attname, readable, type) as (
  select a.attnum, a.attname::pg_catalog.text,
         pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select'), a.atttypid
    from pg_catalog.pg_attribute a
   where a.attrelid operator(pg_catalog.=) %s and a.attnum operator(pg_catalog.>) 0 and not a.attisdropped
  union all
  select s.attnum, s.attname, s.readable, t.typbasetype
    from types s join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) s.type
   where t.typtype operator(pg_catalog.=) 'd'
)
select s.attname, s.readable,
       case when t.typtype operator(pg_catalog.=) 'e' or exists (
              select from pg_catalog.pg_cast c where c.castsource operator(pg_catalog.=) t.oid
                 and c.casttarget operator(pg_catalog.=) 25 and c.castmethod operator(pg_catalog.=) 'b')
            then 25 else t.oid end::pg_catalog.int8
  from types s join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) s.type
 where t.typtype operator(pg_catalog.<>) 'd'
 order by s.attnum
"""
_TABLES = frozenset("rvmpf")
Form = Literal["boolean", "integer", "number", "date", "timestamp", "text"]
_FORMS: dict[int, Form] = {
    16: "boolean",
    **dict.fromkeys((20, 21, 23, 26), "integer"),
    **dict.fromkeys((700, 701, 790, 1700), "number"),
    1082: "date",
    **dict.fromkeys((1114, 1184), "timestamp"),
    # text, varchar, char(n), name, "char", uuid, time, inet, cidr, macaddr
    **dict.fromkeys((25, 1043, 1042, 19, 18, 2950, 1083, 869, 650, 829), "text"),
}
_TYPES: dict[Form, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "text": "VARCHAR",
}
_WITHIN = "operator(pg_catalog.>=) '0001-01-01' and {0} operator(pg_catalog.<) '9999-01-01'"
"""Days that both sides know; infinity is none."""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    oid: int

    @property
    def form(self) -> Form:
        return _FORMS[self.oid]

    def sql(self) -> str:
        """As what it is fetched, whatever the session's settings and search_path are."""
        name = quoted(self.name)
        match self.form:
            case "boolean":
                return name
            case "integer":
                return f"{name}::pg_catalog.int8"
            case "number" if self.oid == 790:  # money has no way to float8 but numeric
                return f"{name}::pg_catalog.numeric::pg_catalog.float8"
            case "number":
                return f"{name}::pg_catalog.float8"
            case "date":
                shown = f"pg_catalog.to_char({name}, 'YYYY-MM-DD')"
                return f"case when {name} {_WITHIN.format(name)} then {shown} end"
            case "timestamp":
                zone = f"pg_catalog.timezone('UTC', {name})" if self.oid == 1184 else name
                shown = f"pg_catalog.to_char({zone}, 'YYYY-MM-DD HH24:MI:SS.US')"
                return f"case when {name} {_WITHIN.format(name)} then {shown} end"
            case "text":
                return f"{name}::pg_catalog.text"


@dataclass(slots=True)
class _Values:
    """One column's values, portion by portion. A column: (rows,)."""

    form: Form
    parts: list[Any] = field(default_factory=list)
    missing: list[Any] = field(default_factory=list)

    def add(self, values: Sequence[Any]) -> int:
        """The bytes that they take, about."""
        match self.form:
            case "number":
                part: Any = np.array(values, dtype=np.float64)
            case "boolean" | "integer":
                kind = np.int64 if self.form == "integer" else np.bool_
                part = np.array([value or 0 for value in values], dtype=kind)
                # DuckDB does not look at masks of NumPy
                self.missing.append(np.array([value is None for value in values]))
            case _:
                part = np.empty(len(values), dtype=object)
                part[:] = values
        self.parts.append(part)
        if part.dtype != object:
            return int(part.nbytes)
        return sum(len(value) + _OVERHEAD for value in values if value is not None)

    def arrays(self, name: str) -> dict[str, Any]:
        """By name, as DuckDB takes them."""
        if not self.parts:
            return {name: np.empty(0, dtype=object)}
        found = {name: np.concatenate(self.parts)}
        return found | ({f"{name}_missing": np.concatenate(self.missing)} if self.missing else {})

    def sql(self, name: str) -> str:
        """The column of those arrays, NULL where there is no value. NaN is none to DuckDB already."""
        value = f"CASE WHEN NOT {name}_missing THEN {name} END" if self.missing else name
        return f"CAST({value} AS {_TYPES[self.form]})"


def base_of(
    connection: psycopg.Connection[Any], database: str, parts: Sequence[str], spec: BaseSpec
) -> tuple[str, Brought]:
    """The table's name, ``database.table`` or ``database.schema.table``, and its rows as the session sees
    them.

    :raises psycopg.Error: what the server says: no such table, no right to it, a wrong condition.
    :raises LakeError: it is no table (42809), has no such target (42703), or is too large (54000); the
        condition has parameters (42P02).
    """
    if len(parts) > 3:
        raise LakeError(f"improper qualified name (too many dotted names): {spec.table}", sqlstate="42601")
    if parameters := parameters_in(spec.where):
        raise LakeError(f"there is no parameter ${parameters[0]}", sqlstate="42P02")
    with read_only(connection):
        oid, schema, table = _relation(connection, parts)
        read, notes = _columns(connection, oid, table, spec)
        values = _fetched(connection, _query(schema, table, read, spec.where), read)
    name = f"{database}.{table}" if schema == "public" else f"{database}.{schema}.{table}"
    columns = tuple((column.name, _TYPES[column.form]) for column in read)
    return name, Brought(columns, _filling(columns, values), notes)


def _relation(connection: psycopg.Connection[Any], parts: Sequence[str]) -> tuple[int, str, str]:
    name = ".".join(quoted(part) for part in parts)
    found = connection.execute(_RELATION, [name]).fetchone()
    if found is None:
        raise LakeError(f'relation "{".".join(parts)}" does not exist', sqlstate="42P01")
    oid, schema, table, kind = found
    if kind not in _TABLES:
        raise LakeError(f'"{table}" is not a table or view', sqlstate="42809")
    return oid, schema, table


def _columns(
    connection: psycopg.Connection[Any], oid: int, table: str, spec: BaseSpec
) -> tuple[list[_Column], tuple[str, ...]]:
    """What is read, and what is to be told of the rest."""
    read: list[_Column] = []
    taken: set[str] = set()
    unreadable = others = 0
    wanted = {name.lower() for name in (spec.target, *spec.keys, *(spec.features or ()))}
    found = connection.execute(_COLUMNS, [oid]).fetchall()
    # DuckDB folds names of columns: two that differ in case only are one there
    if spec.target.lower() not in {name.lower() for name, _, _ in found}:
        raise LakeError(f'column "{spec.target}" of relation "{table}" does not exist', sqlstate="42703")
    # one that is asked for comes before another that differs in its case only
    order = sorted(found, key=lambda one: one[0] not in {spec.target, *spec.keys, *(spec.features or ())})
    for name, readable, type_ in order:
        # one that is wanted is read all the same, so that the server says what is missing
        if not readable and name.lower() not in wanted:
            unreadable += 1
        elif type_ not in _FORMS or name.lower() in taken:
            others += 1
        else:
            taken.add(name.lower())
            read.append(_Column(name, type_))
    # taken is what can be read; the target has a type that is no form
    if spec.target.lower() not in taken:
        raise LakeError(f"{spec.target} is of a type that cannot be predicted", sqlstate="22023")
    place = {name: at for at, (name, _, _) in enumerate(found)}
    notes = []
    if unreadable:
        many = f"{unreadable} columns of {table} are" if unreadable > 1 else f"1 column of {table} is"
        notes.append(f"{many} not read: the role has no right to {'them' if unreadable > 1 else 'it'}")
    if others > 1:
        notes.append(f"{others} columns of {table} are of types that are no features and no keys")
    elif others:
        notes.append(f"1 column of {table} is of a type that is no feature and no key")
    return sorted(read, key=lambda column: place[column.name]), tuple(notes)


def _query(schema: str, table: str, columns: Sequence[_Column], where: str) -> str:
    listed = ", ".join(column.sql() for column in columns)
    # on lines of its own: a comment in it ends there
    condition = f" WHERE (\n{where}\n)" if where else ""
    return f"SELECT {listed} FROM {quoted(schema)}.{quoted(table)}{condition}"


def _fetched(connection: psycopg.Connection[Any], query: str, columns: Sequence[_Column]) -> list[_Values]:
    # the extended protocol takes one statement and refuses two
    connection.execute(f"declare {_CURSOR} no scroll cursor for {query}".encode(), binary=True)
    values = [_Values(column.form) for column in columns]
    rows = size = 0
    wanted = 100
    while True:
        # about a megabyte at a time: the relay holds each portion as a whole
        fetch = f"fetch forward {wanted} from {_CURSOR}"
        portion = connection.execute(fetch.encode(), binary=True).fetchall()
        if portion:
            # rows by columns
            size += sum(one.add(given) for one, given in zip(values, zip(*portion, strict=True), strict=True))
        rows += len(portion)
        if rows > MOST_ROWS or size > MOST_BYTES:
            most = f"{MOST_ROWS:,} rows or {MOST_BYTES >> 20} MB"
            raise LakeError(f"the table has more than {most}: WHERE can choose among them", sqlstate="54000")
        # fewer than asked for: the cursor is at its end
        if len(portion) < wanted:
            return values
        wanted = max(1, min(_MOST_IN_A_PORTION, _PORTION_BYTES * rows // max(size, 1)))


def _filling(columns: Sequence[tuple[str, str]], values: Sequence[_Values]) -> Any:
    # made when the search has a cursor, in DuckDB's own process
    def fill(cursor: Any, name: str) -> None:
        arrays = {key: array for i, one in enumerate(values) for key, array in one.arrays(f"c{i}").items()}
        cursor.register("brought", arrays)
        listed = ", ".join(
            f"{one.sql(f'c{i}')} AS {quoted(column)}"
            for i, (one, (column, _)) in enumerate(zip(values, columns, strict=True))
        )
        try:
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {listed} FROM brought")
        finally:
            cursor.unregister("brought")

    return fill
