"""Tables of codes: a short code and what it stands for, beside a table that holds the codes alone.

Owns finding them in the catalog's profiles. Must not know queries.
"""

from __future__ import annotations

from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex, code_like
from rewright.lake.joins.keys import JoinKey

# a code, what it stands for, and perhaps a remark
_MOST_COLUMNS = 3
_MOST_ROWS = 1_000
_UNIQUE = 0.95
# sketches are not exact: not all values need be found
_HELD = 0.98
_MANY_ROWS_EACH = 0.9
_QUALITY = 0.9
"""How sure the join of codes with their table is: their values say it, whatever the columns are called."""


class Codes:
    """Which tables say what another's codes stand for; remembers answers."""

    def __init__(self, index: LakeIndex) -> None:
        self._index = index
        self._tables: dict[str, tuple[Column, Column] | None] = {}
        self._between: dict[tuple[str, str], JoinKey | None] = {}

    def of(self, table: str) -> tuple[Column, Column] | None:
        """The code and what it stands for, where the table holds little else."""
        if table not in self._tables:
            self._tables[table] = self._read(table)
        return self._tables[table]

    def between(self, table: str, codes: str) -> JoinKey | None:
        """The key from a table with one column of codes to the table of these codes."""
        if (table, codes) not in self._between:
            self._between[table, codes] = self._joined(table, codes)
        return self._between[table, codes]

    def meanings(self, coded: Column, tables: list[str]) -> list[Column]:
        """Columns of some tables that say what a column's codes stand for."""
        found: list[Column] = []
        for table in tables:
            key, told = self.between(coded.table, table), self.of(table)
            if key is not None and told is not None and key.pairs[0][0] is coded:
                found.append(told[1])
        return found

    def _read(self, name: str) -> tuple[Column, Column] | None:
        table = self._index.tables[name]
        if (
            name in self._index.unions
            or len(table.columns) > _MOST_COLUMNS
            or not 1 < table.rows <= _MOST_ROWS
        ):
            return None
        label = self._index.label_column(name)
        keys = [c for c in table.columns if code_like(c) and c.uniqueness >= _UNIQUE]
        if label is None or label.uniqueness < _UNIQUE or len(keys) != 1:
            return None
        return keys[0], label

    def _joined(self, table: str, codes: str) -> JoinKey | None:
        told = self.of(codes) if table != codes else None
        if told is None:
            return None
        key = told[0]
        # columns that repeat values, all of which the table of codes has
        held = [
            c
            for c in self._index.tables[table].columns
            if code_like(c)
            and c.distinct > 1
            and c.uniqueness < _MANY_ROWS_EACH
            and self._index.contained(c, key, _HELD) >= _HELD
        ]
        # of two columns of such codes it is not known which is meant
        return JoinKey(table, codes, ((held[0], key),), _QUALITY) if len(held) == 1 else None
