"""Schema facts that may be relied on, each with the constraint it rests on (hazards F1-F21).

Owns which constraints of a catalog count for a scan. Must not know queries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rewright.sql.algebra import FromItem, Scan, TableRef
from rewright.sql.catalog import Catalog, Table
from rewright.sql.records import Check, ForeignKey, Key


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """A constraint that an answer used. ``name`` is empty for a NOT NULL without a name of its own."""

    kind: Literal["key", "not_null", "foreign_key", "check"]
    schema: str
    table: str
    name: str
    columns: tuple[str, ...]

    @property
    def ref(self) -> TableRef:
        return TableRef(self.schema, self.table)

    @property
    def label(self) -> str:
        """The constraint's name, or what it says where it has none."""
        return self.name or f"{self.table}.{', '.join(self.columns)} {self.kind.replace('_', ' ')}"


Assumptions = frozenset[Assumption]
NOTHING: Assumptions = frozenset()


def labels(assumptions: Iterable[Assumption]) -> frozenset[str]:
    """The constraints by name. NOT NULLs of a key's own columns go with the key."""
    known = frozenset(assumptions)
    of_keys = {(x.ref, c) for x in known if x.kind == "key" for c in x.columns}
    return frozenset(
        x.label for x in known if x.kind != "not_null" or not {(x.ref, c) for c in x.columns} <= of_keys
    )


def stored_table(catalog: Catalog, item: FromItem) -> Table | None:
    """The stored table that an item scans, where its constraints speak for all rows scanned (F4)."""
    if not isinstance(item, Scan) or not catalog.has_table(item.table):
        return None
    table = catalog.table(item.table)
    stored = table.kind in {"table", "partitioned", "matview"}
    return table if stored and covers_all_rows(table, only=item.only) else None


def covers_all_rows(table: Table, *, only: bool) -> bool:
    """Whether the table's own constraints bind every row a scan of it returns: not with inheritance
    children (F4), nor for foreign tables, whose constraints are declarations, nor with a foreign table among
    the partitions (F19). Other partitions obey their parent's.
    """
    if table.kind == "foreign" or (table.foreign_children and not only):
        return False
    return only or not table.has_children


def is_computed_anew(table: Table, pos: int, *, only: bool) -> bool:
    """Whether a scan may read a column by another expression than the one under which a row was checked: a
    virtual column is computed by the expression of the relation that is named, also of rows of children and
    partitions, which have their own (`expand_virtual_generated_columns`).
    """
    others = table.kind == "partitioned" or (table.has_children and not only)
    return others and table.columns[pos].generated == "virtual"


def usable_keys(catalog: Catalog, scan: Scan) -> list[tuple[Key, Assumption]]:
    """Keys that hold for the rows of a scan at all times; NULLs are the caller's to consider (F2)."""
    table = catalog.table(scan.table)
    if not covers_all_rows(table, only=scan.only) or table.kind == "view":
        return []
    return [(k, _assume("key", table, k.name, k.columns)) for k in table.keys if k.usable]


def not_null(catalog: Catalog, scan: Scan, pos: int) -> Assumption | None:
    """The validated NOT NULL of a stored column (F11), if it has one."""
    table = catalog.table(scan.table)
    column = table.columns[pos]
    if not column.not_null or not covers_all_rows(table, only=scan.only) or table.kind in {"view", "matview"}:
        return None
    if is_computed_anew(table, pos, only=scan.only):
        return None
    return _assume("not_null", table, column.not_null_constraint, (column.name,))


def usable_foreign_keys(catalog: Catalog, scan: Scan) -> list[tuple[ForeignKey, Assumption]]:
    """Foreign keys under which each row with all columns non-null has its row in the target (F5-F7, F13).

    MATCH SIMPLE leaves rows with a NULL column unchecked (F6): the caller must show them absent.
    """
    table = catalog.table(scan.table)
    if not covers_all_rows(table, only=scan.only):
        return []
    found = []
    for fk in table.foreign_keys:
        target = catalog.table(fk.target) if catalog.has_table(fk.target) else None
        if (
            fk.usable
            and target is not None
            and not target.row_security
            and covers_all_rows(target, only=True)
        ):
            found.append((fk, _assume("foreign_key", table, fk.name, fk.columns)))
    return found


def usable_checks(catalog: Catalog, scan: Scan) -> list[tuple[Check, Assumption]]:
    """CHECK constraints that are not FALSE on any row of a scan (F8: they may be unknown)."""
    table = catalog.table(scan.table)
    if not covers_all_rows(table, only=scan.only):
        return []
    anew = [c.name for i, c in enumerate(table.columns) if is_computed_anew(table, i, only=scan.only)]
    checks = (c for c in table.checks if c.usable and not any(_may_mention(c.text, n) for n in anew))
    return [(c, _assume("check", table, c.name, ())) for c in checks]


def _may_mention(text: str, column: str) -> bool:
    # in whatever case it is written
    return column.casefold() in text.casefold()


def _assume(
    kind: Literal["key", "not_null", "foreign_key", "check"],
    table: Table,
    name: str,
    columns: tuple[str, ...],
) -> Assumption:
    return Assumption(kind, table.ref.schema, table.ref.name, name, columns)
