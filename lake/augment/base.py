"""The table to be augmented: its target, its own features, its folds, and sums of all of them by key.

Owns the base table's temporary tables in DuckDB and the aggregation by key and fold. Must not know
candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np

from rewright.engines.duckdb.errors import LakeError, translated
from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.augment.encoding import (
    Feature,
    Kind,
    hash_form,
    key_form,
    key_kinds,
    number_form,
    row_features,
    time_column,
)
from rewright.lake.augment.kept import TableRows
from rewright.lake.augment.keyed import keyable
from rewright.lake.augment.leakage import Leak, TargetByKey, leaks_of, leaks_together
from rewright.lake.augment.metric import FOLDS, SEEDS, fold_numbers
from rewright.lake.augment.outside import (
    COPY,
    Brought,
    is_outside,
    relation_of,
    with_brought,
    with_outside,
    without_schema,
)
from rewright.lake.augment.presence import given_by_presence
from rewright.lake.augment.rows import joint
from rewright.lake.augment.text_leaks import named_classes
from rewright.lake.augment.values import RowValues
from rewright.lake.catalog.model import Column, Family, Table
from rewright.lake.joins.scores import year_like

# five folds of two rows each
FEWEST_ROWS = 10
# a target with more is a name or a text, for which a regression on classes says nothing
MOST_CLASSES = 20
_IN_MEMORY = 100_000
"""Rows of a base table whose values are held here."""
_LEAKS_ROWS = 20_000
"""Rows on which a larger base table's own columns are compared with the target, about."""
_MOST_FEATURES = 24
"""Features of the base table that are used, those that go best with the target."""


class AugmentError(LakeError):
    """A table cannot be augmented for this target; the message says why."""

    def __init__(self, message: str, *, sqlstate: str = "22023") -> None:
        super().__init__(message, sqlstate=sqlstate)


@dataclass(frozen=True, slots=True)
class BaseSpec:
    """What is to be augmented.

    `keys`: columns to join on (none: any); `features`: the base table's own columns that a prediction may use
    (None: all);
    `where`: a condition on its rows; `latest`: only the latest row of each value of `keys`.
    """

    table: str
    target: str
    keys: tuple[str, ...] = ()
    features: tuple[str, ...] | None = None
    where: str = ""
    latest: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """Sums per combination of key values and fold, one such table a seed. Arrays over its rows.

    `groups`: (rows, groupings) which key value; `folds`; `counts`; `sums`: (rows, columns) of the base's
    features, their flags and the targets.
    """

    groups: Any
    folds: Any
    counts: Any
    sums: Any


KeyTuple = tuple[tuple[str, Kind], ...]


class Base:
    """The prepared base table. Everything it makes in DuckDB is temporary and belongs to `cursor`.

    `brought`: its rows, those that `spec.where` leaves, where they are not the lake's to read.
    """

    def __init__(self, lake: Lake, cursor: Any, spec: BaseSpec, brought: Brought | None = None) -> None:
        if brought is None:
            spec = replace(spec, table=without_schema(lake, spec.table))
        self._outside = brought is not None or is_outside(lake, spec.table)
        self._brought = brought is not None
        if brought is not None:
            lake = with_brought(lake, cursor, spec.table, brought)
        elif self._outside:
            lake = with_outside(lake, cursor, spec.table)
        self.lake = lake
        self.spec = spec
        self._cursor = cursor
        self.table, self.target = _found(lake, spec)
        self.table_rows = TableRows(lake, self.sql)
        self.keys = tuple(self._column(name).name for name in spec.keys)
        if self.target.name in self.keys:
            raise AugmentError(f"{self.target.name} is the column to predict: it cannot be joined on")
        self._groupings: dict[KeyTuple, int] = {}
        self._grouped: dict[tuple[int, ...], list[Grouped]] = {}
        self._totals: dict[tuple[int, ...], Grouped] = {}
        self._rows: Any = None
        self._row_groups: dict[int, Any] = {}
        self._hashes: dict[int, Any] = {}
        self._keys_of_rows: dict[tuple[str, Kind], Any] = {}
        self._made: set[int] = set()
        self._targets_of_rows: Any = None
        self.notes: list[str] = [] if brought is None else list(brought.notes)
        self.rows = self._read()
        self._tell_left_out()
        self.classes = self._classes()
        self.features: tuple[Feature, ...] = ()
        self.leaks: tuple[Leak, ...] = ()
        """Its own columns that give the target away; they are features only where they were asked for."""
        self.moments: Any = None
        """(seeds, folds, d, d) over 1, features with flags, targets."""
        self._make_values()

    @property
    def not_keys(self) -> set[str]:
        """Its columns that nothing is joined on: knowing one of them means knowing the target."""
        return {self.target.name, *(leak.column for leak in self.leaks)} - set(self.keys)

    @property
    def held(self) -> bool:
        """Are its rows held here, and not in DuckDB alone?"""
        return self.rows <= _IN_MEMORY

    @property
    def targets(self) -> int:
        return max(1, len(self.classes))

    def sql(self, text: str, parameters: Sequence[Any] = ()) -> Any:
        """Run a statement of ours.

        :raises LakeError: it fails.
        :raises KeyboardInterrupt: Ctrl-C, which DuckDB tells in its own way.
        """
        try:
            return self._cursor.execute(text, list(parameters)) if parameters else self._cursor.execute(text)
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except duckdb.Error as error:
            raise translated(error) from error
        except RuntimeError as error:
            # some versions of DuckDB raise it bare when interrupted
            raise KeyboardInterrupt from error

    def source(self, relation: str = "") -> str:
        """SELECT of the base table's rows that count, as they are where it is, or of those of `relation`."""
        is_copy = bool(relation)
        relation = relation or (relation_of if self._outside else quoted)(self.table.name)
        conditions = [f"{quoted(self.target.name)} IS NOT NULL"]
        # what was brought, its own server has chosen by the condition
        if self.spec.where and not (is_copy and self._brought):
            # on lines of its own: a comment in it ends there
            conditions.append(f"(\n{self.spec.where}\n)")
        sql = f"SELECT * FROM {relation} WHERE {' AND '.join(conditions)}"
        if self.spec.latest and self.keys:
            others = [c for c in self.table.columns if c.name not in self.keys and c is not self.target]
            if (time := time_column(others)) is not None:
                by = ", ".join(quoted(k) for k in self.keys)
                sql += f" QUALIFY row_number() OVER (PARTITION BY {by} ORDER BY {quoted(time.name)} DESC) = 1"
        return sql

    def grouping(self, keys: KeyTuple) -> int:
        """The number of a way to group the base's rows by key."""
        if keys not in self._groupings:
            self._read_keys(keys)
            # The hash stands for the value: 64 bits do not meet by chance among the rows of one table.
            told, groups = np.unique(joint([self._keys_of_rows[key] for key in keys]), return_inverse=True)
            n = len(self._groupings)
            self._hashes[n], self._row_groups[n] = told, groups.reshape(-1)
            self._groupings[keys] = n
        return self._groupings[keys]

    def _read_keys(self, wanted: KeyTuple) -> None:
        """Hash each row's values of these columns as keys. With the first of a table that is held here come
        those of all columns that a search may join on: one statement costs less than one for each.
        """
        asked = set(wanted)
        if not self._keys_of_rows and self.rows <= _IN_MEMORY:
            asked |= {
                (column.name, kind)
                for column in self.table.columns
                if keyable(column) and (not self.keys or column.name in self.keys)
                for kind in key_kinds(column)
            }
        missing = sorted(asked - self._keys_of_rows.keys())
        if not missing:
            return
        forms = [key_form(self.lake.index, self._column(name), kind) for name, kind in missing]
        listed = ", ".join(f"{hash_form([form])} AS h{i}" for i, form in enumerate(forms))
        found = self.sql(f"SELECT {listed} FROM base_rows ORDER BY __row").fetchnumpy()
        for i, key in enumerate(missing):
            self._keys_of_rows[key] = np.asarray(found[f"h{i}"], dtype=np.uint64)

    def groups(self, grouping: int) -> int:
        """How many different key values there are."""
        return len(self._hashes[grouping])

    def hashes(self, grouping: int) -> Any:
        """(key values,) uint64: the hash of each of the base's key values, sorted; 0 where a part of it is
        NULL.
        """
        return self._hashes[grouping]

    def key_hashes(self, column: str, kind: Kind) -> Any:
        """The hashes of a column's values as a key."""
        return self.hashes(self.grouping(((column, kind),)))

    def key_texts(self, column: str, kind: Kind) -> Any:
        """Each row's value of a column as a key, as text ('': it is NULL); days and months in their order."""
        form = key_form(self.lake.index, self._column(column), kind)
        found = self.sql(f"SELECT coalesce({form}, '') AS k FROM base_rows ORDER BY __row").fetchnumpy()
        return np.asarray(found["k"], dtype=str)

    def row_groups(self, grouping: int) -> Any:
        """Each row's key value."""
        return self._row_groups[grouping]

    def _in_tables(self, grouping: int) -> None:
        """Make the grouping known to DuckDB, for what is too large to be held here: `groups_N` (__row, g) and
        `keys_N` (g, c0, ...).
        """
        if grouping in self._made:
            return
        self._made.add(grouping)
        n, keys = grouping, next(keys for keys, at in self._groupings.items() if at == grouping)
        told = {"__row": np.arange(self.rows), "g": self._row_groups[n]}
        self._cursor.register("told_groups", told)
        self.sql(f"CREATE OR REPLACE TEMP TABLE groups_{n} AS SELECT * FROM told_groups")
        self._cursor.unregister("told_groups")
        forms = [key_form(self.lake.index, self._column(name), kind) for name, kind in keys]
        listed = ", ".join(f"{form} AS c{i}" for i, form in enumerate(forms))
        shown = ", ".join(f"min(c{i}) AS c{i}" for i in range(len(keys)))
        whole = " AND ".join(f"c{i} IS NOT NULL" for i in range(len(keys)))
        self.sql(
            f"CREATE OR REPLACE TEMP TABLE keys_{n} AS SELECT * FROM range({self.groups(n)}) r(g) LEFT JOIN "
            f"(SELECT g, {shown} FROM (SELECT __row, {listed} FROM (SELECT * FROM base_rows)) JOIN "
            f"groups_{n} USING (__row) WHERE {whole} GROUP BY g) USING (g)"
        )

    def aligned(self, grouping: int, sql: str, columns: Sequence[str], keys: int) -> tuple[Any, Any]:
        """Values of a SELECT of one row per key for each of the base's key values (NaN where none), and which
        matched.
        """
        self._in_tables(grouping)
        on = " AND ".join(f"k.c{i} = f.k{i}" for i in range(keys))
        shown = "".join(f", f.{quoted(c)}" for c in columns)
        found = self.sql(
            f"SELECT k.g, f.k0 IS NOT NULL AS matched{shown} FROM keys_{grouping} k LEFT JOIN ({sql}) f ON "
            f"{on} ORDER BY k.g"
        ).fetchnumpy()
        matched = np.asarray(found["matched"], dtype=bool)
        values = np.empty((len(matched), len(columns)))
        for i, name in enumerate(columns):
            values[:, i] = np.ma.filled(np.ma.asarray(found[name], dtype=np.float64), np.nan)
        return values, matched

    def grouped(self, groupings: tuple[int, ...]) -> list[Grouped]:
        """One aggregation a seed: sums by key and fold."""
        if groupings not in self._grouped:
            self._grouped[groupings] = [self._aggregate(groupings, seed) for seed in SEEDS]
        return self._grouped[groupings]

    def totals(self, groupings: tuple[int, ...]) -> Grouped:
        """Sums by key over all rows."""
        if groupings not in self._totals:
            self._totals[groupings] = self._aggregate(groupings, None)
        return self._totals[groupings]

    def by_group(self, grouping: int) -> tuple[Any, Any, Any, Any]:
        """Of each key value: rows, sum and sum of squares of each target, and the latest of the rows' own
        dates (NaN: none).
        """
        self._read_targets()
        groups, n = self.row_groups(grouping), self.groups(grouping)
        y, dated = self._targets_of_rows[:, :-1], self._targets_of_rows[:, -1]
        sums = np.column_stack([np.bincount(groups, y[:, t], n) for t in range(self.targets)])
        squares = np.column_stack([np.bincount(groups, y[:, t] ** 2, n) for t in range(self.targets)])
        latest = np.full(n, -np.inf)
        there = np.isfinite(dated)
        np.maximum.at(latest, groups[there], dated[there])
        counts = np.bincount(groups, minlength=n).astype(float)
        return counts, sums, squares, np.where(np.isfinite(latest), latest, np.nan)

    def _read_targets(self) -> None:
        if self._targets_of_rows is None:
            listed = [*(f"y{t}" for t in range(self.targets)), "dated"]
            found = self.sql(f"SELECT {', '.join(listed)} FROM base_values ORDER BY __row").fetchnumpy()
            told = [np.ma.filled(np.ma.asarray(found[c], dtype=np.float64), np.nan) for c in listed]
            self._targets_of_rows = np.column_stack(told)

    def row_values(self) -> Any:
        """Each row's own features, flags and targets, as in the moments."""
        if self._rows is None:
            found = self.sql("SELECT * FROM base_values ORDER BY __row").fetchnumpy()
            told = [np.asarray(found[c], dtype=np.float64) for c in self._value_columns()]
            self._rows = np.column_stack(told)
        return self._rows

    def some_values(self, rows: Any) -> Any:
        """Of these rows (numbers, sorted) what `row_values` gives."""
        if self._rows is not None or self.rows <= _IN_MEMORY:
            return self.row_values()[rows]
        found = self.sql(
            "SELECT * FROM base_values WHERE __row IN (SELECT unnest(?::BIGINT[])) ORDER BY __row",
            [rows.tolist()],
        ).fetchnumpy()
        return np.column_stack([np.asarray(found[c], dtype=np.float64) for c in self._value_columns()])

    def folds(self, seed: int) -> Any:
        return fold_numbers(self.rows, seed)

    def column(self, name: str) -> Column | None:
        return self.table.column(name)

    def _column(self, name: str) -> Column:
        column = self.table.column(name)
        if column is None:
            raise AugmentError(f"table {self.table.name} has no column {name}", sqlstate="42703")
        return column

    def _read(self) -> int:
        if not self._brought and (self.spec.where or self._outside):
            # what a client wrote of it, and what a view or a database beside holds, is checked as any query
            # of hers
            self.lake.database.describe(self.source())
        self.lake.database.load([self.table.name])
        rows_of = self.source(COPY if self._outside else "")
        # NaN and infinity are values to DuckDB, and would make every sum of the target the same.
        finite = ""
        if self.target.family is Family.FLOAT:
            finite = f" WHERE isfinite({quoted(self.target.name)})"
        made = self.sql(
            f"CREATE OR REPLACE TEMP TABLE base_rows AS SELECT row_number() OVER () - 1 AS __row, * FROM "
            f"(SELECT * FROM ({rows_of}){finite})"
        )
        rows = int(made.fetchone()[0])
        if rows < FEWEST_ROWS:
            raise AugmentError(
                f"{self.table.name} has {rows} rows with a value of {self.target.name}: at least "
                f"{FEWEST_ROWS} are needed"
            )
        return rows

    def _tell_left_out(self) -> None:
        """A note of the rows without a target, where nothing else chose among the rows."""
        whole = self.target.rows
        if self._brought or self.spec.where or self.spec.latest or self.rows >= whole:
            return
        self.notes.append(
            f"{whole - self.rows} of {whole} rows of {self.table.name} have no value of {self.target.name}: "
            f"they are left out"
        )

    def _classes(self) -> tuple[str, ...]:
        """The values that become indicators; none: the target is a number."""
        name = quoted(self.target.name)
        found = self.sql(
            # by number: a name would be that of a column of the table where it has one called so
            f"SELECT CAST({name} AS VARCHAR), count(*) FROM base_rows GROUP BY 1 ORDER BY 2 DESC, 1 "
            f"LIMIT {MOST_CLASSES + 1}"
        ).fetchall()
        if len(found) < 2:
            raise AugmentError(
                f"{self.target.name} is {found[0][0]} in all rows: there is nothing to predict"
            )
        number = number_form(self.lake.index, self.target)
        if self.target.meaning is not Family.BOOLEAN and number is not None and len(found) > 2:
            return ()
        # Two numbers other than 0 and 1 are measures that happen to be few: their distance says something.
        if self.target.meaning.numeric and {v for v, _ in found} != {"0", "1"} and len(found) == 2:
            return ()
        if len(found) > MOST_CLASSES:
            raise AugmentError(
                f"{self.target.name} is text of more than {MOST_CLASSES} different values: a number, a yes "
                f"or no, or a few classes can be predicted"
            )
        if len(found) == 2:
            # one indicator says it all: that of the value that sorts last (1, true, yes)
            return (max(v for v, _ in found),)
        return tuple(v for v, _ in found)

    def _make_values(self) -> None:
        """Features with flags and targets, all centred and scaled: as arrays where the table is held here,
        else as the table `base_values`, with folds.
        """
        features, encoding = self._encoding()
        told = ", ".join(
            [
                *(f"{form} AS y{i}" for i, form in enumerate(self._target_forms())),
                f"{self._date_form() or 'NULL::DOUBLE'} AS dated",
            ]
        )
        raw = f"SELECT * FROM (SELECT __row, {told} FROM base_rows) JOIN ({encoding}) USING (__row)"
        if self.rows <= _IN_MEMORY:
            self._hold_values(features, raw)
        else:
            self._keep_values(features, raw)

    def _hold_values(self, features: Sequence[Feature], raw: str) -> None:
        """As arrays: one statement reads all of them."""
        found = self.sql(f"{raw} ORDER BY __row").fetchnumpy()
        values = RowValues.of(found, self.targets, len(features))
        self._check_numbers(int(np.isnan(values.targets[:, 0]).sum()))
        kept = self._best(values.strength, self._without_leaks(features, values))
        self.features = tuple(features[i] for i in kept)
        self._rows, self._targets_of_rows = values.scaled(kept)
        self.moments = values.moments(self._rows)

    def _without_leaks(self, features: Sequence[Feature], values: RowValues) -> list[int]:
        """The numbers of the features that do not give the target away; of those that were asked for all, and
        a note says which do. A year or a date is none of them: what grows steadily goes with it.
        """
        y = values.scaled(())[0]
        by_row = TargetByKey(np.ones(len(y)), y, y**2, values.dated)
        index = self.lake.index
        everywhere: Any = np.ones(len(y), dtype=bool)
        leaks = leaks_of(index, self.target, features, values.features, everywhere, by_row)
        leaks |= named_classes(features, values.features, by_row)
        leaks |= leaks_together(features, values.features, by_row, leaks)
        leaks = {i: leak for i, leak in leaks.items() if not self._is_time(leak.column)}
        # but a date that only some have says which
        leaks = given_by_presence(features, values.features, everywhere, by_row) | leaks
        if self.spec.features is None:
            self.leaks = tuple({leak.column: leak for leak in leaks.values()}.values())
            return [i for i in range(len(features)) if i not in leaks]
        for leak in leaks.values():
            self.notes.append(f"{leak.column} of {leak.table} itself is used, as asked: {leak.reason}")
        return list(range(len(features)))

    def _is_time(self, name: str) -> bool:
        column = self._column(name)
        return column.meaning is Family.DATE or year_like(column)

    def _check_numbers(self, gone: int) -> None:
        if gone and not self.classes:
            raise AugmentError(
                f"{self.target.name} is not a number in {gone} of {self.rows} rows: a filter on the rows can "
                f"leave them out"
            )

    def _keep_values(self, features: Sequence[Feature], raw: str) -> None:
        """As a table: `base_values`."""
        self._cursor.register(
            "base_folds", {"__row": np.arange(self.rows), **{f"f{s}": fold_numbers(self.rows,
            s) for s in SEEDS}}
        )  # fmt: skip
        self.sql("CREATE OR REPLACE TEMP TABLE folds AS SELECT * FROM base_folds")
        self._cursor.unregister("base_folds")
        self.sql(f"CREATE OR REPLACE TEMP TABLE raw AS {raw}")
        self._check_numbers(int(self.sql("SELECT count(*) FROM raw WHERE y0 IS NULL").fetchone()[0]))
        some = self.sql(f"SELECT * FROM raw WHERE __row % {-(-self.rows // _LEAKS_ROWS)} = 0 ORDER BY __row")
        values = RowValues.of(some.fetchnumpy(), self.targets, len(features))
        kept = self._best(self._strength_in_sql, self._without_leaks(features, values))
        self.features = tuple(features[i] for i in kept)
        columns = [f"y{i}" for i in range(self.targets)] + [f"v{i}" for i in kept]
        measures = (f"coalesce(avg({c}), 0), coalesce(stddev_pop({c}), 0)" for c in columns)
        told = self.sql(f"SELECT {', '.join(measures)} FROM raw").fetchone()
        scales = {c: (float(told[2 * i]), float(told[2 * i + 1]) or 1.0) for i, c in enumerate(columns)}
        shown = []
        for n, i in enumerate(kept):
            centre, scale = scales[f"v{i}"]
            shown.append(f"coalesce((v{i} - {centre!r}::DOUBLE) / {scale!r}::DOUBLE, 0.0) AS b{n}")
            shown.append(f"CAST(v{i} IS NULL AS INTEGER)::DOUBLE AS n{n}")
        shown.append("dated")
        for i in range(self.targets):
            centre, scale = scales[f"y{i}"]
            shown.append(f"(y{i} - {centre!r}::DOUBLE) / {scale!r}::DOUBLE AS y{i}")
        self.sql(
            f"CREATE OR REPLACE TEMP TABLE base_values AS SELECT __row, f0, f1, f2, {', '.join(shown)} FROM "
            f"raw JOIN folds USING (__row)"
        )
        self.moments = self._own_moments()

    def _value_columns(self) -> list[str]:
        pairs = [c for i in range(len(self.features)) for c in (f"b{i}", f"n{i}")]
        return [*pairs, *(f"y{i}" for i in range(self.targets))]

    @property
    def date(self) -> Column | None:
        """The column that dates the rows, where one clearly does."""
        dates = [c for c in self.table.columns if c.meaning is Family.DATE]
        return dates[0] if len(dates) == 1 and dates[0] is not self.target else None

    def days(self) -> Any:
        """(rows,) whole days of the rows' own dates, NaN where there is none."""
        self._read_targets()
        return np.floor(self._targets_of_rows[:, -1])

    def day_form(self) -> str | None:
        """SQL of the rows' own date in whole days."""
        form = self._date_form()
        return None if form is None else f"floor({form})"

    def _date_form(self) -> str | None:
        """The rows' own date in days, where one column clearly is it."""
        return number_form(self.lake.index, self.date) if self.date is not None else None

    def _target_forms(self) -> list[str]:
        name = quoted(self.target.name)
        if self.classes:
            return [f"CAST(CAST({name} AS VARCHAR) = {literal(v)} AS INTEGER)::DOUBLE" for v in self.classes]
        return [number_form(self.lake.index, self.target) or name]

    def _encoding(self) -> tuple[tuple[Feature, ...], str]:
        wanted = None if self.spec.features is None else {self._column(f).name for f in self.spec.features}
        without = {self.target.name, *self.keys}
        if wanted is not None:
            without |= {c.name for c in self.table.columns if c.name not in wanted}
            without -= wanted - {self.target.name}
        return row_features(self.lake.index, self.table.name, without, "base_rows", "__row")

    def _strength_in_sql(self, offered: Sequence[int]) -> list[float]:
        """How much each feature correlates with the first target, whichever way."""
        told = self.sql(
            "SELECT " + ", ".join(f"coalesce(abs(corr(v{i}, y0)), 0)" for i in offered) + " FROM raw"
        ).fetchone()
        return [0.0 if math.isnan(r) else r for r in told]

    def _best(self, strength: Callable[[Sequence[int]], Sequence[float]], offered: list[int]) -> list[int]:
        if len(offered) <= _MOST_FEATURES:
            return offered
        told = dict(zip(offered, strength(offered), strict=True))
        order = sorted(offered, key=lambda i: (-told[i], i))[:_MOST_FEATURES]
        # what the best of so many correlate with by chance (docs/decisions/0500)
        chance = 2 * math.log(len(offered)) / self.rows
        kept = [i for i in order if told[i] ** 2 > chance]
        self.notes.append(
            f"of {len(offered)} features of {self.table.name} itself "
            + (
                f"the {len(kept)} that correlate most with the target are used"
                if kept
                else "none is used: the best of so many correlate as much with the target by chance"
            )
        )
        return sorted(kept)

    def _own_moments(self) -> Any:
        """(seeds, folds, d, d) over 1, features with flags, targets."""
        columns = ["1.0", *self._value_columns()]
        d = len(columns)
        # The matrix is symmetric: half of its cells are summed.
        cells = [(i, j) for i in range(d) for j in range(i, d)]
        shown = ", ".join(f"sum({columns[i]} * {columns[j]})" for i, j in cells)
        found = np.zeros((len(SEEDS), FOLDS, d, d))
        for s in SEEDS:
            for row in self.sql(f"SELECT f{s}, {shown} FROM base_values GROUP BY f{s}").fetchall():
                for (i, j), value in zip(cells, row[1:], strict=True):
                    found[s, row[0], i, j] = found[s, row[0], j, i] = value
        return found

    def _aggregate(self, groupings: tuple[int, ...], seed: int | None) -> Grouped:
        """By key and the seed's folds; None: by key alone. Few rows are summed here, many by DuckDB."""
        return self._in_memory(groupings, seed) if self.rows <= _IN_MEMORY else self._in_sql(groupings, seed)

    def _in_memory(self, groupings: tuple[int, ...], seed: int | None) -> Grouped:
        folds = np.zeros(self.rows, dtype=np.int64) if seed is None else self.folds(seed)
        keys = np.column_stack([*(self.row_groups(n) for n in groupings), folds])
        order = np.lexsort(keys.T)
        differs = np.r_[True, (np.diff(keys[order], axis=0) != 0).any(axis=1)]
        first = np.flatnonzero(differs)
        told = keys[order[first]]
        counts = np.diff(np.r_[first, self.rows]).astype(float)
        return Grouped(
            told[:, :-1], told[:, -1], counts, np.add.reduceat(self.row_values()[order], first, axis=0)
        )

    def _in_sql(self, groupings: tuple[int, ...], seed: int | None) -> Grouped:
        for n in groupings:
            self._in_tables(n)
        columns = self._value_columns()
        groups = "".join(f", g{n}.g AS g{n}" for n in groupings)
        joins = "".join(f" JOIN groups_{n} g{n} USING (__row)" for n in groupings)
        by = "".join(f", g{n}.g" for n in groupings)
        sums = "".join(f", sum({c}) AS s{i}" for i, c in enumerate(columns))
        # a constant in GROUP BY would be the number of a column
        fold, by = ("0", by.removeprefix(", ")) if seed is None else (f"f{seed}", f"f{seed}{by}")
        found = self.sql(
            f"SELECT {fold} AS f{groups}, count(*) AS n{sums} FROM base_values{joins} GROUP BY {by}"
        ).fetchnumpy()
        return Grouped(
            np.column_stack([np.asarray(found[f"g{n}"], dtype=np.int64) for n in groupings]),
            np.asarray(found["f"], dtype=np.int64),
            np.asarray(found["n"], dtype=np.float64),
            np.column_stack([np.asarray(found[f"s{i}"], dtype=np.float64) for i in range(len(columns))]),
        )


def _found(lake: Lake, spec: BaseSpec) -> tuple[Table, Column]:
    table = lake.index.table(spec.table)
    if table is None:
        raise AugmentError(f"the lake has no table {spec.table}", sqlstate="42P01")
    if not spec.target:
        raise AugmentError("say which column is to be predicted")
    target = table.column(spec.target)
    if target is None:
        near = [c.name for c in table.columns if set(names.words(c.name)) & set(names.words(spec.target))]
        hint = f": did you mean {', '.join(near)}?" if near else ""
        raise AugmentError(f"table {table.name} has no column {spec.target}{hint}", sqlstate="42703")
    if target.rows - target.nulls <= 0:
        raise AugmentError(f"{target.name} has no value in any row")
    return table, target
