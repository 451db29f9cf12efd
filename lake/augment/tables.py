"""A candidate's features for the base's key values: the SQL that makes them, and what is kept of them.

Owns how a table, or a chain of tables, becomes arrays aligned with a base's keys. Must not know targets or
scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidate, Hop
from rewright.lake.augment.encoding import Aggregates, Encoded, Kind, encoded, hash_form, key_form
from rewright.lake.augment.features import Keyed, Links, features_of

_KEPT_ROWS = 500_000
"""Features of a table of more rows than this are made for the base's own keys only."""
_SURELY_REPEATED = 0.9
"""A column with fewer distinct values per filled row than this has some twice, whatever is written instead of
a value.
"""


class TableFeatures:
    """Features of the lake's tables for one base table."""

    def __init__(self, base: Base, aggregates: Aggregates) -> None:
        self._base = base
        self._aggregates = aggregates
        self._features = features_of(base.lake)
        self._tables: dict[Hop, Encoded] = {}

    def aligned(
        self, candidate: Candidate, made: Encoded, grouping: int, columns: Sequence[str]
    ) -> tuple[Any, Any]:
        """Raw features for each of the base's key values, and which matched: from what is kept of the tables,
        unless they are large.
        """
        base, tables = self._base, self._base.lake.index.tables
        if max(tables[name].rows for name in candidate.tables[1:]) > _KEPT_ROWS:
            base.lake.database.load(list(candidate.tables))
            return base.aligned(grouping, made.sql, columns, made.keys)
        keyed = self._keyed(candidate.hops[-1])
        for back, hop in zip(reversed(candidate.hops[:-1]), reversed(candidate.hops[1:]), strict=True):
            keyed = self._links(back, hop).carried(keyed)
        return keyed.aligned(base.hashes(grouping))

    def _keyed(self, hop: Hop) -> Keyed:
        """The features of a join's right side by its key."""
        made = self._of_table(hop)
        name = hop.right

        def make() -> tuple[Any, Any]:
            parts = [f"k{i}" for i in range(made.keys)]
            shown = "".join(f", v{i}" for i in range(len(made.features)))
            found = self._read(
                name, f"SELECT {hash_form(parts)} AS h{shown} FROM ({made.repeating}) WHERE h <> 0"
            )
            hashes = np.asarray(found["h"], dtype=np.uint64)
            values = np.empty((len(hashes), len(made.features)))
            for i in range(len(made.features)):
                values[:, i] = np.ma.filled(np.ma.asarray(found[f"v{i}"], dtype=np.float64), np.nan)
            hashes, first = np.unique(hashes, return_index=True)
            return hashes, values[first]

        return self._features.get(("features", *self._content(name), made.repeating), make)

    def _links(self, back: Hop, hop: Hop) -> Links:
        """The middle table of two joins: its keys on either side."""
        sides = [[(b, kind) for _, b, kind in back.pairs], [(a, kind) for a, _, kind in hop.pairs]]
        forms = [hash_form(self._forms(back.right, side)) for side in sides]
        sql = (
            f"SELECT DISTINCT {forms[0]} AS a, {forms[1]} AS b FROM {quoted(back.right)} WHERE a <> 0 AND b "
            f"<> 0"
        )

        def make() -> tuple[Any, Any]:
            found = self._read(back.right, sql)
            return np.asarray(found["a"], dtype=np.uint64), np.asarray(found["b"], dtype=np.uint64)

        kept = self._features.get(("links", *self._content(back.right), sql), make)
        return Links(kept.hashes, kept.values)

    def _read(self, table: str, sql: str) -> Any:
        self._base.lake.database.load([table])
        return self._base.sql(sql).fetchnumpy()

    def _forms(self, table: str, keys: Sequence[tuple[str, Kind]]) -> list[str]:
        index = self._base.lake.index
        found = index.tables[table]
        return [key_form(index, c, kind) for name, kind in keys if (c := found.column(name)) is not None]

    def _content(self, table: str) -> tuple[str, ...]:
        """What changes when the table's rows do."""
        index = self._base.lake.index
        united = index.unions.get(table)
        names = [table] if united is None else [name for name, _ in united.parts]
        return (table, *(index.tables[name].digest for name in names))

    def encoded(self, candidate: Candidate) -> Encoded:
        """The last table's features, carried back over the chain: each step one row per key, so rows never
        multiply.
        """
        index = self._base.lake.index
        last = candidate.hops[-1]
        made = self._of_table(last)
        for back, hop in zip(reversed(candidate.hops[:-1]), reversed(candidate.hops[1:]), strict=True):
            table = index.tables[back.right]
            arriving = [
                f"{key_form(index, c, kind)} AS k{i}"
                for i, (_, b, kind) in enumerate(back.pairs)
                if (c := table.column(b)) is not None
            ]
            leaving = [
                f"{key_form(index, c, kind)} AS j{i}"
                for i, (a, _, kind) in enumerate(hop.pairs)
                if (c := table.column(a)) is not None
            ]
            rows = f"SELECT DISTINCT {', '.join([*arriving, *leaving])} FROM {quoted(back.right)}"
            on = " AND ".join(f"a.j{i} = b.k{i}" for i in range(len(leaving)))
            by = ", ".join(f"a.k{i}" for i in range(len(arriving)))
            shown = "".join(f", avg(b.v{i}) AS v{i}" for i in range(len(made.features)))
            sql = f"SELECT {by}{shown} FROM ({rows}) a JOIN ({made.sql}) b ON {on} GROUP BY {by}"
            made = replace(made, sql=sql, repeating=sql, keys=len(arriving))
        return made

    def _of_table(self, hop: Hop) -> Encoded:
        if hop not in self._tables:
            self._tables[hop] = self._encoded_table(hop)
        return self._tables[hop]

    def _encoded_table(self, hop: Hop) -> Encoded:
        index = self._base.lake.index
        table = index.tables[hop.right]
        parts = [c for _, b, _ in hop.pairs if (c := table.column(b)) is not None]
        return encoded(
            index,
            hop.right,
            [(b, kind) for _, b, kind in hop.pairs],
            unique=any(c.unique for c in parts) or self._unique(hop),
            aggregates=self._aggregates,
        )

    def _unique(self, hop: Hop) -> bool:
        table = self._base.lake.index.tables[hop.right]
        only = table.column(hop.pairs[0][1]) if len(hop.pairs) == 1 else None
        # cleaning makes values the same, never different
        if only is not None and only.distinct < _SURELY_REPEATED * (only.rows - only.nulls):
            return False
        forms = self._forms(hop.right, [(b, kind) for _, b, kind in hop.pairs])
        filled = " AND ".join(f"{form} IS NOT NULL" for form in forms)
        sql = (
            f"SELECT count(*) AS n, count(DISTINCT ({', '.join(forms)})) AS d FROM {quoted(hop.right)} WHERE "
            f"{filled}"
        )

        def make() -> tuple[Any, Any]:
            found = self._read(hop.right, sql)
            return np.asarray(found["n"], dtype=np.uint64), np.asarray(found["d"], dtype=np.uint64)

        kept = self._features.get(("unique", *self._content(hop.right), sql), make)
        return bool(kept.hashes[0] == kept.values[0])
