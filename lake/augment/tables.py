"""A candidate's features for the base's key values: the SQL that makes them, and what is kept of them.

Owns how a table, or a chain of tables, becomes arrays aligned with a base's keys. Must not know targets or
scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidate, Hop
from rewright.lake.augment.encoding import (
    Aggregates,
    Encoded,
    Kind,
    encoded,
    hash_form,
    key_form,
    key_kind,
)
from rewright.lake.augment.features import Keyed, Links, features_of
from rewright.lake.augment.rows import joint

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
        self._rows = base.table_rows
        self._tables: dict[Hop, Encoded] = {}
        self._steps: dict[tuple[tuple[Hop, ...], bytes], tuple[list[Links], Any]] = {}
        self._arrived: dict[tuple[Hop, ...], Any] = {}

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
        if len(candidate.hops) == 1:
            return self._keyed(candidate.hops[0], base.hashes(grouping)).aligned(base.hashes(grouping))
        keyed = self._keyed(candidate.hops[-1])
        for back, hop in zip(reversed(candidate.hops[:-1]), reversed(candidate.hops[1:]), strict=True):
            keyed = self._links(back, hop).carried(keyed)
        return keyed.aligned(base.hashes(grouping))

    def of_keys(self, candidate: Candidate, wanted: Any) -> tuple[Any, Any] | None:
        """As `aligned`, for these of the base's keys alone (sorted hashes), and from their rows alone; None:
        a table is too large to be held.
        """
        tables = self._base.lake.index.tables
        if max(tables[name].rows for name in candidate.tables[1:]) > _KEPT_ROWS:
            return None
        steps, reached = self._reached(candidate.hops, wanted)
        keyed = self._of_rows(candidate.hops[-1], reached)
        for links in reversed(steps):
            keyed = links.carried(keyed)
        return keyed.aligned(wanted)

    def _reached(self, hops: tuple[Hop, ...], wanted: Any) -> tuple[list[Links], Any]:
        """The links over the tables between, from `wanted` keys of the base on, and the keys of the last
        table that they reach. Chains of a level begin alike: what leads to their last table but one is
        kept.
        """
        if len(hops) == 1:
            return [], wanted
        told = (hops, wanted.tobytes())
        if told not in self._steps:
            steps, reached = self._reached(hops[:-1], wanted)
            links = self._links(hops[-2], hops[-1]).among(reached)
            self._steps[told] = [*steps, links], np.unique(links.leaving)
        return self._steps[told]

    def grouping(self, candidate: Candidate) -> int:
        """The number of the grouping of the base's rows by which the candidate is joined."""
        return self._base.grouping(tuple((a, kind) for a, _, kind in candidate.hops[0].pairs))

    def reached_values(self, candidate: Candidate, columns: Sequence[tuple[str, Kind]]) -> list[Any]:
        """Of each of these columns of the candidate's last table the hash of the value that each of the
        base's keys reaches (0: none); None in the place of a column of which one reaches several.

        :raises LakeError: a table cannot be read.
        """
        arrived, last = self._arriving(candidate.hops), candidate.hops[-1]
        keys = [(b, kind) for _, b, kind in last.pairs]
        # nothing is known of which of several rows would be meant
        if arrived is None:
            return [None] * len(columns)
        return [self._sides(last.right, keys, [column]).only(arrived) for column in columns]

    def _arriving(self, hops: tuple[Hop, ...]) -> Any:
        """The key of the last table that each of the base's keys reaches; None: one reaches several."""
        if hops not in self._arrived:
            if len(hops) == 1:
                found = self._base.hashes(self.grouping(Candidate(hops)))
            else:
                before = self._arriving(hops[:-1])
                found = None if before is None else self._links(hops[-2], hops[-1]).only(before)
            self._arrived[hops] = found
        return self._arrived[hops]

    def _of_rows(self, hop: Hop, wanted: Any) -> Keyed:
        made = self._of_table(hop)
        keys = [(b, kind) for _, b, kind in hop.pairs]
        rows = self._rows.of(hop.right, keys)
        if rows is None or (made.how == "latest" and not rows.numbered(made.time)):
            return self._keyed(hop)
        return Keyed(*rows.grouped(made, keys, wanted))

    def as_of(
        self, candidate: Candidate, time: str, hashes: Any, days: Any
    ) -> tuple[Encoded, Any, Any] | None:
        """The features of a table's rows as of a day for each wanted key, and which have any (see
        `Rows.as_of`); None: its rows are not held as arrays.
        """
        hop, index = candidate.hops[0], self._base.lake.index
        table = index.tables[hop.right]
        keys = [(b, kind) for _, b, kind in hop.pairs]
        made = encoded(
            index,
            hop.right,
            keys,
            unique=False,
            aggregates=self._aggregates,
            levels=self._rows.levels,
            as_of=table.column(time),
        )
        rows = self._rows.of(hop.right, keys)
        if rows is None or not rows.numbered(time):
            return None
        return made, *rows.as_of(made, keys, hashes, days)

    def _keyed(self, hop: Hop, wanted: Any = None) -> Keyed:
        """The features of a join's right side by its key; `wanted`: of these keys alone (sorted hashes) where
        its rows are held.
        """
        made = self._of_table(hop)
        keys = [(b, kind) for _, b, kind in hop.pairs]
        rows = self._rows.of(hop.right, keys)
        if rows is not None and (made.how != "latest" or rows.numbered(made.time)):
            of_all = ("grouped", *self._rows.content(hop.right), *map(str, keys), *made.shape)
            told = of_all if wanted is None else (*of_all, hashlib.sha256(wanted.tobytes()).hexdigest())
            kept = self._features.get(told, lambda: rows.grouped(made, keys, wanted), in_file=False)
            return Keyed(*kept)
        return Keyed(
            *self._features.get(
                ("features", *self._rows.content(hop.right), made.repeating),
                lambda: self._keyed_in_sql(hop.right, made),
            )
        )

    def _keyed_in_sql(self, table: str, made: Encoded) -> tuple[Any, Any]:
        """A large table is aggregated where it is."""
        listed = [f"{hash_form([f'k{i}'])} AS h{i}" for i in range(made.keys)]
        listed += [f"v{i}" for i in range(len(made.features))]
        found = self._rows.read(table, f"SELECT {', '.join(listed)} FROM ({made.repeating})")
        hashes = joint([np.asarray(found[f"h{i}"], dtype=np.uint64) for i in range(made.keys)])
        values = np.empty((len(hashes), len(made.features)))
        for i in range(len(made.features)):
            values[:, i] = np.ma.filled(np.ma.asarray(found[f"v{i}"], dtype=np.float64), np.nan)
        # a key with a missing part has the hash 0 and meets nothing
        there = np.flatnonzero(hashes)
        hashes, first = np.unique(hashes[there], return_index=True)
        return hashes, values[there[first]]

    def _links(self, back: Hop, hop: Hop) -> Links:
        """The middle table of two joins: its keys on either side."""
        arriving = [(b, kind) for _, b, kind in back.pairs]
        return self._sides(back.right, arriving, [(a, kind) for a, _, kind in hop.pairs])

    def _sides(
        self, table: str, arriving: Sequence[tuple[str, Kind]], leaving: Sequence[tuple[str, Kind]]
    ) -> Links:
        """A table's rows as pairs of two of its keys."""
        sides = [list(arriving), list(leaving)]
        told = ("links", *self._rows.content(table), *map(str, sides))
        rows = self._rows.of(table, [key for side in sides for key in side])

        def make() -> tuple[Any, Any]:
            if rows is not None:
                arriving, leaving = (rows.hashes(side) for side in sides)
            else:
                arriving, leaving = (self._rows.hashes(table, side) for side in sides)
            there = (arriving != 0) & (leaving != 0)
            arriving, leaving = arriving[there], leaving[there]
            order = np.lexsort((leaving, arriving))
            arriving, leaving = arriving[order], leaving[order]
            first: Any = np.ones(len(order), dtype=bool)
            # each pair once, however many rows have it
            first[1:] = (arriving[1:] != arriving[:-1]) | (leaving[1:] != leaving[:-1])
            return arriving[first], leaving[first]

        return Links(*self._features.get(told, make, in_file=rows is None))

    def encoded(self, candidate: Candidate) -> Encoded:
        """The last table's features, carried back over the chain: each step one row per key, so rows never
        multiply.
        """
        made = self._of_table(candidate.hops[-1])
        if len(candidate.hops) == 1:
            return made
        return replace(
            made, write=cache(lambda: self._written(candidate, made)), keys=len(candidate.hops[0].pairs)
        )

    def _written(self, candidate: Candidate, made: Encoded) -> tuple[str, str]:
        """The SQL of a chain's features; its quicker form is the same."""
        index, sql = self._base.lake.index, made.sql
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
            # j: the keys that lead on to the next table; k: those by which this one is reached
            on = " AND ".join(f"a.j{i} = b.k{i}" for i in range(len(leaving)))
            by = ", ".join(f"a.k{i}" for i in range(len(arriving)))
            shown = "".join(f", avg(b.v{i}) AS v{i}" for i in range(len(made.features)))
            sql = f"SELECT {by}{shown} FROM ({rows}) a JOIN ({sql}) b ON {on} GROUP BY {by}"
        return sql, sql

    def _of_table(self, hop: Hop) -> Encoded:
        if hop not in self._tables:
            self._tables[hop] = self._encoded_table(hop)
        return self._tables[hop]

    def _encoded_table(self, hop: Hop) -> Encoded:
        index = self._base.lake.index
        table = index.tables[hop.right]
        # what texts are told by is kept with the rows
        self._rows.of(hop.right, [(b, kind) for _, b, kind in hop.pairs])
        parts = [(c, kind) for _, b, kind in hop.pairs if (c := table.column(b)) is not None]
        return encoded(
            index,
            hop.right,
            [(b, kind) for _, b, kind in hop.pairs],
            # many days are of one month
            unique=any(c.unique and key_kind(c, c) == kind for c, kind in parts) or self._unique(hop),
            aggregates=self._aggregates,
            levels=self._rows.levels,
        )

    def _unique(self, hop: Hop) -> bool:
        """Does the key, cleaned, name one row?"""
        table = self._base.lake.index.tables[hop.right]
        only = table.column(hop.pairs[0][1]) if len(hop.pairs) == 1 else None
        # cleaning makes values the same, never different
        if only is not None and only.distinct < _SURELY_REPEATED * (only.rows - only.nulls):
            return False
        rows, distinct = self._rows.distinct(hop.right, [(b, kind) for _, b, kind in hop.pairs])
        return rows == distinct
