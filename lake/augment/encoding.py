"""Columns as numbers: the SQL that makes target-free features of a table's columns.

Owns which columns are features, their encodings, and the aggregation of many rows per key to one. Must not
know the target, folds or scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake import names
from rewright.lake.augment.keyed import as_key
from rewright.lake.augment.labels import label_of, labelled_apart, without_label
from rewright.lake.augment.months import is_monthly, month_form
from rewright.lake.augment.parts import PARTS, PartKind, first_parts, is_cut, part_kinds
from rewright.lake.augment.periods import PERIODS, period_form, period_of
from rewright.lake.catalog.counting import family_of
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.scores import own_key, year_like
from rewright.lake.noise.values import date_formats

Kind = Literal["number", "decimal", "text", "date", "month", "week", "quarter", "bare"] | PartKind
TIMES: frozenset[Kind] = frozenset({"date", "month", "week", "quarter"})
"""Keys that say when."""
Aggregates = Literal["standard", "all"]
"""`standard`: the latest row per key, else means and most frequent values; `all`: also minimum, maximum, sum
and mean.
"""
How = Literal["row", "latest", "mean"]
"""What becomes of the rows of one key: any of them, the latest, or means and most frequent values."""
_LEVELS = 8
"""Most frequent values of a text column that become 0/1 columns."""
_FEW = 60
"""A text column with more different values than this is encoded by how frequent its value is."""
MOST_COLUMNS = 2000
# values of a text that are looked at for 0/1 columns
_FREQUENT = 200
_FEWEST_DATES = 3
_SPARSE = 3
"""Integers per different value, from which on a column is no serial number."""
_UNIQUE = 0.98
_TIME_OF_DAY = r"(?:\s+|[tT])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]m)?$"
_STROKES, _UNSTRUCK = "øØłŁđĐ", "oOlLdD"
"""Letters with a stroke, which is no accent, and those without."""
_LARGEST = "1e100"
"""Larger numbers, whose squares have no sum, count as missing, as do infinite ones and NaN."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One numeric column made of `column`; `how` says by which aggregate and encoding (`mean`, `latest`, `=
    value`).
    """

    table: str
    column: str
    how: str

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}" + (f" ({self.how})" if self.how else "")


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a table's features are. `write` gives their SQL and its quicker form, see the properties: it is
    written when it is asked for, most tables that are looked at never need it.
    """

    write: Callable[[], tuple[str, str]]
    features: tuple[Feature, ...]
    keys: int
    left_out: tuple[tuple[str, str], ...]
    time: str | None
    offered: tuple[Column, ...]
    """The columns of the features, in their order."""
    how: How
    further: bool
    """Minimum, maximum and sum, too."""
    as_of: bool = False
    """Not one row per key but one per key and day (column `day__`): the latest counts that is not after the
    base row's own.
    """

    @property
    def counted(self) -> bool:
        """Is there a feature of how many rows a key has?"""
        return _counted(self.how, further=self.further)

    @property
    def sql(self) -> str:
        """A SELECT of the key columns `k0, k1, ...` and one DOUBLE `v0, v1, ...` per feature, one row per
        key.
        """
        return self.write()[0]

    @property
    def repeating(self) -> str:
        """The same, but a key may come several times, of which any row will do; quicker where the key is
        unique but for its spelling.
        """
        return self.write()[1]

    @property
    def shape(self) -> tuple[str, ...]:
        """What the features of given rows by a given key depend on."""
        return (self.how, str(self.time), str(self.further), *(column.name for column in self.offered))


@lru_cache(maxsize=8192)
def key_kind(a: Column, b: Column) -> Kind:
    """As what two key columns are compared."""
    # Months before dates: days beside months are compared as months, or nothing would meet.
    if (is_monthly(a) or is_monthly(b)) and all(is_monthly(c) or _dated(c) for c in (a, b)):
        return "month"
    if (period := period_of(a) or period_of(b)) and all(period_of(c) == period or _dated(c) for c in (a, b)):
        return period
    one, two = as_key(a), as_key(b)
    if one.numeral and two.numeral:
        return "number"
    if all(c.numeral or c.family is Family.FLOAT for c in (one, two)):
        return "decimal"
    if Family.DATE in {a.family, b.family} or (_dated(a) and _dated(b)):
        return "date"
    return "bare" if labelled_apart(a, b) else "text"


@lru_cache(maxsize=8192)
def _dated(column: Column) -> bool:
    return column.meaning is Family.DATE or _written_date(column) is not None


def _written_date(column: Column) -> str | None:
    """The format of a text that says dates, all in one way; None: it says none, or not surely which."""
    if column.meaning is not Family.TEXT or column.digits:
        return None
    # the last in its order is often the one that tells a day from a month
    ends = (value for value in (column.minimum, column.maximum) if value)
    return _format_of((*column.samples, *ends))


@lru_cache(maxsize=4096)
def _format_of(samples: tuple[str, ...]) -> str | None:
    told = [set(date_formats(_without_time(value))) for value in samples if value.strip()]
    common = set.intersection(*told) if len(told) >= _FEWEST_DATES else set()
    return next(iter(common)) if len(common) == 1 else None


def _without_time(value: str) -> str:
    """A day without the time of day that follows it."""
    return re.sub(_TIME_OF_DAY, "", value.strip(), flags=re.IGNORECASE)


def key_form(index: LakeIndex, column: Column, kind: Kind) -> str:
    """SQL of a key column by which values that differ in blanks, case, accents, punctuation or zeros before a
    number only are the same.
    """
    if kind == "number":
        number = quoted(column.name)
        if family_of(column.type) is Family.FLOAT:
            # a cast would round: 104.5 is no key, 104.0 is 104
            number = f"CASE WHEN {number} = floor({number}) THEN {number} END"
        return f"TRY_CAST({number} AS BIGINT)"
    cleaned = index.cleaning(column) or quoted(column.name)
    if kind == "decimal":
        # adding 0 makes -0.0 and 0.0 one
        return f"CAST(TRY_CAST({cleaned} AS DOUBLE) + 0.0 AS VARCHAR)"
    if kind == "month":
        return month_form(column, cleaned, lambda: _day_form(column, cleaned))
    for period in PERIODS:
        if kind == period:
            return period_form(column, cleaned, period, lambda: _day_form(column, cleaned))
    if kind == "date":
        return f"CAST({_day_form(column, cleaned)} AS VARCHAR)"
    for part in PARTS:
        if kind == part and is_cut(column, part):
            return _text_form(first_parts(cleaned, part))
    return _text_form(without_label(column, cleaned) if kind == "bare" else cleaned)


def _text_form(cleaned: str) -> str:
    """SQL of a text's words and numbers: `B-012`, `b012` and `b 12` are one, and so are `Ødegård` and
    `ODEGARD`.
    """
    plain = f"translate(CAST({cleaned} AS VARCHAR), {literal(_STROKES)}, {literal(_UNSTRUCK)})"
    form = f"regexp_replace(lower(strip_accents({plain})), '[^\\pL\\pN]+', ' ', 'g')"
    # letters beside digits are parted as by a sign; zeros before a number say nothing
    form = f"regexp_replace({form}, '(\\pL)(\\pN)', '\\1 \\2', 'g')"
    form = f"regexp_replace({form}, '(\\pN)(\\pL)', '\\1 \\2', 'g')"
    form = f"regexp_replace({form}, '(^| )0+(\\pN)', '\\1\\2', 'g')"
    return f"nullif(trim({form}), '')"


def _day_form(column: Column, cleaned: str) -> str:
    """SQL of a column's days as dates."""
    date = f"TRY_CAST({cleaned} AS DATE)"
    if (form := _written_date(column)) is not None:
        day = f"regexp_replace(trim({cleaned}), {literal(_TIME_OF_DAY)}, '', 'i')"
        date = f"coalesce({date}, CAST(try_strptime({day}, {literal(form)}) AS DATE))"
    return date


def key_kinds(column: Column) -> list[Kind]:
    """As what a column's values may be compared with those of others, its own way first: a day is also one of
    a month, a week and a quarter, a label may be left out, and the first parts of a code may be a key.
    """
    own = key_kind(column, column)
    if own == "text":
        return [own, *held_kinds(column)]
    return [own, "month", "week", "quarter"] if own == "date" else [own]


def held_kinds(column: Column) -> list[Kind]:
    """As what a text is kept as a key besides as it is."""
    bare: list[Kind] = ["bare"] if label_of(column) else []
    return [*bare, *part_kinds(column)]


def hash_form(parts: Sequence[str]) -> str:
    """SQL of a 64-bit hash of a key's parts, 0 where one of them is NULL."""
    filled = " AND ".join(f"{part} IS NOT NULL" for part in parts)
    return f"CASE WHEN {filled} THEN hash({', '.join(parts)}) ELSE 0::UBIGINT END"


Levels = Callable[[Column], Sequence[str] | None]
"""A text's values that become a 0/1 column each; None: it is encoded by how frequent its value is."""


def is_number(column: Column) -> bool:
    """Is it told by a number of its own (see `number_form`), not by which values it has?"""
    return column.meaning is Family.BOOLEAN or bool(column.meaning.numeric) or column.meaning is Family.DATE


def number_form(index: LakeIndex, column: Column) -> str | None:
    """SQL of the column as a DOUBLE that can be squared and summed (dates as days), or None where it is no
    number.
    """
    if column.meaning is Family.BOOLEAN:
        form = index.cleaning(column) or quoted(column.name)
        return f"CAST(TRY_CAST({form} AS BOOLEAN) AS DOUBLE)"
    if column.meaning.numeric:
        form = index.cleaning(column) or quoted(column.name)
        number = f"TRY_CAST({form} AS DOUBLE)"
        return f"CASE WHEN abs({number}) < {_LARGEST} THEN {number} END"
    if column.meaning is Family.DATE:
        form = index.cleaning(column) or quoted(column.name)
        return f"epoch(TRY_CAST({form} AS TIMESTAMP)) / 86400.0"
    return None


def time_column(columns: Sequence[Column]) -> Column | None:
    """The column that dates the rows: a year, else a date."""
    years = [c for c in columns if year_like(c) and {"year", "yr", "season"} & set(names.words(c.name))]
    return next(iter(years), None) or next((c for c in columns if c.meaning is Family.DATE), None)


def encoded(
    index: LakeIndex,
    table: str,
    keys: Sequence[tuple[str, Kind]],
    *,
    unique: bool,
    aggregates: Aggregates = "standard",
    without: Collection[str] = (),
    levels: Levels | None = None,
    as_of: Column | None = None,
) -> Encoded:
    """Features of a table, one row per key.

    `unique`: the key already identifies a row; `without`: columns that are no features; `levels`: by which
    values a text is told, where that is known already; `as_of`: the column that dates the rows, where each
    base row has a date of its own.
    """
    levels = levels or (lambda column: indicated(level_values(index, column)))
    offered, left_out = usable(index, table, {name for name, _ in keys} | set(without))
    time = as_of or (None if unique else time_column(offered))
    # With a day for each base row, the row that counts of a key differs from row to row.
    unique = unique and as_of is None
    how: How = "row" if unique else "latest" if time is not None else "mean"
    features = [feature for column in offered for feature in _features(column, how, levels)]
    further = aggregates == "all" and not unique and as_of is None
    if _counted(how, further=further):
        features.append(Feature(table, "*", "count"))
    more = further_aggregates(offered, dated=how == "latest") if further else []
    features += [Feature(table, column.name, aggregate) for column, aggregate in more]
    write = cache(
        lambda: _written(
            index, table, keys, offered, how, time, more, further=further, as_of=as_of is not None
        )
    )
    at = time.name if time is not None else None
    return Encoded(
        write, tuple(features), len(keys), left_out, at, tuple(offered), how, further, as_of is not None
    )


def _counted(how: How, *, further: bool) -> bool:
    return how == "mean" or (how == "latest" and further)


def _written(
    index: LakeIndex,
    table: str,
    keys: Sequence[tuple[str, Kind]],
    offered: Sequence[Column],
    how: How,
    time: Column | None,
    more: Sequence[tuple[Column, str]],
    *,
    further: bool,
    as_of: bool,
) -> tuple[str, str]:
    """The SQL of a table's features, and its quicker form."""
    found = index.tables[table]
    columns = [(found.column(name), kind) for name, kind in keys]
    forms = [key_form(index, column, kind) for column, kind in columns if column is not None]
    by = ", ".join(f"k{i}" for i in range(len(forms)))
    listed = [f"{form} AS k{i}" for i, form in enumerate(forms)]
    if time is not None:
        told = number_form(index, time) or quoted(time.name)
        listed.append(f"floor({told}) AS day__" if as_of else f"{told} AS t")
    rows = f"SELECT {', '.join([*listed, *_inner(index, offered)])} FROM {quoted(table)}"
    outer = _outer(index, offered)
    counted = _counted(how, further=further)
    if counted:
        outer.append("CAST(n AS DOUBLE)")
    shown = "".join(f", {expression} AS v{i}" for i, expression in enumerate(outer))
    if as_of:
        sql = f"SELECT {by}, day__{shown} FROM ({_daily(rows, by)})"
        return sql, sql
    reduced = (
        _averaged(rows, by, offered)
        if how == "mean"
        else _first_rows(rows, by, counted=counted, dated=time is not None)
    )
    sql = f"SELECT {by}{shown} FROM ({reduced})"
    if more:
        sql = _beside(sql, rows, _listed(offered, more), len(forms), len(outer))
    return sql, f"SELECT {by}{shown} FROM ({rows})" if how == "row" else sql


def _averaged(rows: str, by: str, offered: Sequence[Column]) -> str:
    """One row per key: the mean of its rows' numbers, the most frequent of their texts."""
    told = "".join(f", {'avg' if is_number(c) else 'mode'}(c{i}) AS c{i}" for i, c in enumerate(offered))
    return f"SELECT {by}{told}, count(*) AS n FROM ({rows}) GROUP BY {by}"


def _first_rows(rows: str, by: str, *, counted: bool, dated: bool) -> str:
    """One row per key: the latest where rows are dated, else any."""
    order = " ORDER BY t DESC NULLS LAST" if dated else ""
    count = f", count(*) OVER (PARTITION BY {by}) AS n" if counted else ""
    return f"SELECT *{count} FROM ({rows}) QUALIFY row_number() OVER (PARTITION BY {by}{order}) = 1"


def _daily(rows: str, by: str) -> str:
    """One row per key and day: ASOF JOIN takes one of a day, and does not say which of several."""
    first = f"row_number() OVER (PARTITION BY {by}, day__) = 1"
    return f"SELECT * FROM ({rows}) WHERE day__ IS NOT NULL QUALIFY {first}"


def row_features(
    index: LakeIndex, table: str, without: Collection[str], source: str, carried: str
) -> tuple[tuple[Feature, ...], str]:
    """Features of each row of `source` (the table's columns and `carried`), and the SELECT of `carried` and
    v0, v1, ...
    """
    offered, _ = usable(index, table, without)
    features = [
        feature
        for column in offered
        for feature in _features(column, "row", lambda told: indicated(level_values(index, told)))
    ]
    shown = "".join(f", {expression} AS v{i}" for i, expression in enumerate(_outer(index, offered)))
    rows = f"SELECT {', '.join([carried, *_inner(index, offered)])} FROM {source}"
    return tuple(features), f"SELECT {carried}{shown} FROM ({rows})"


def usable(
    index: LakeIndex, table: str, keys: Collection[str]
) -> tuple[list[Column], tuple[tuple[str, str], ...]]:
    """Columns that may be features, and the others with the reason."""
    offered: list[Column] = []
    left_out: list[tuple[str, str]] = []
    for column in index.tables[table].columns:
        if column.name in keys:
            continue
        filled = column.rows - column.nulls
        if filled == 0 or column.distinct == 0:
            left_out.append((column.name, "it is empty"))
        elif _identifies(index, column):
            left_out.append((column.name, "it is a key: it names the row and does not describe it"))
        elif column.family is Family.NESTED or column.family is Family.TIME:
            left_out.append((column.name, f"a column of type {column.type} is no feature"))
        elif len(offered) >= MOST_COLUMNS:
            left_out.append((column.name, f"only the first {MOST_COLUMNS} columns of a table are looked at"))
        else:
            offered.append(column)
    return offered, tuple(left_out)


def _identifies(index: LakeIndex, column: Column) -> bool:
    """Is it a serial number, a code or a name that is different in nearly every row?"""
    keyed = bool(set(names.words(column.name)) & names.KEY_WORDS)
    if column.meaning.numeric or column.family is Family.INTEGER:
        serial = column.unique and own_key(column, index.tables[column.table])
        # what is called after its table may be what it measures: a serial number leaves few numbers out
        return column.numeral and (keyed or (serial and (column.position == 0 or _dense(column))))
    if column.meaning is Family.TEXT:
        return column.uniqueness >= _UNIQUE or (keyed and column.distinct > _FEW)
    return False


def _dense(column: Column) -> bool:
    """Are most of the integers from its least to its greatest there?"""
    bounds = column.bounds()
    return bounds is not None and bounds[1] - bounds[0] < _SPARSE * column.distinct


def _inner(index: LakeIndex, offered: Sequence[Column]) -> list[str]:
    """Each column as a number, or as a text where it is none."""
    return [
        f"{number_form(index, c) or f'CAST({quoted(c.name)} AS VARCHAR)'} AS c{i}"
        for i, c in enumerate(offered)
    ]


def _features(column: Column, how: How, levels: Levels) -> list[Feature]:
    """What becomes of one column: a number, or a 0/1 column for each of a text's most frequent values, else
    its value's frequency.
    """
    if is_number(column):
        return [Feature(column.table, column.name, "" if how == "row" else how)]
    prefix = {"mean": "most frequent ", "latest": "latest "}.get(how, "")
    told = levels(column)
    names_of = ["frequency"] if told is None else [f"= {value}" for value in told]
    return [Feature(column.table, column.name, f"{prefix}{name}") for name in names_of]


def _outer(index: LakeIndex, offered: Sequence[Column]) -> list[str]:
    """SQL of the features over the columns c0, c1, ... of one row per key."""
    outer: list[str] = []
    for i, column in enumerate(offered):
        if is_number(column):
            outer.append(f"CAST(c{i} AS DOUBLE)")
        else:
            outer += _texts(index, column, f"c{i}")
    return outer


def level_values(index: LakeIndex, column: Column) -> dict[str, int]:
    """The values by which a text is encoded: its most frequent ones, each to be a 0/1 column (mapped to 0),
    or many of them with the rows that have each.
    """
    if column.distinct > _FEW:
        return {v: n for v, n in index.frequent(column, _FREQUENT) if n > 1}
    levels = [v for v, _ in index.frequent(column, _LEVELS)]
    if len(levels) == column.distinct and len(levels) > 1:
        # the last of all values follows from the others
        levels = levels[:-1]
    return dict.fromkeys(levels, 0)


def indicated(told: Mapping[str, int]) -> tuple[str, ...] | None:
    """Of what `level_values` gives the values that become a 0/1 column each; None: none does, their counts
    are used.
    """
    return None if any(told.values()) else tuple(told)


def _texts(index: LakeIndex, column: Column, value: str) -> list[str]:
    """Encodings of a text: a 0/1 column for each of its most frequent values, else its value's frequency."""
    told = level_values(index, column)
    if (shown := indicated(told)) is not None:
        return [
            f"CASE WHEN {value} IS NOT NULL THEN CAST({value} = {literal(v)} AS INTEGER)::DOUBLE END"
            for v in shown
        ]
    cases = " ".join(f"WHEN {literal(v)} THEN {n}" for v, n in told.items())
    return [f"CASE WHEN {value} IS NOT NULL THEN ln(1.0 + (CASE {value} {cases} ELSE 1 END)) END"]


def further_aggregates(offered: Sequence[Column], *, dated: bool) -> list[tuple[Column, str]]:
    """Columns with the aggregates that are made of them, too."""
    hows = ["minimum", "maximum", "sum", *(["mean"] if dated else [])]
    return [(column, how) for column in offered if column.meaning.numeric for how in hows]


def _listed(offered: Sequence[Column], more: Sequence[tuple[Column, str]]) -> list[str]:
    function = {"minimum": "min", "maximum": "max", "sum": "sum", "mean": "avg"}
    at = {column.name: i for i, column in enumerate(offered)}
    return [f"CAST({function[how]}(c{at[column.name]}) AS DOUBLE)" for column, how in more]


def _beside(sql: str, rows: str, more: list[str], keys: int, first: int) -> str:
    """The further aggregates of the same keys as further columns, numbered from `first`."""
    by = ", ".join(f"k{i}" for i in range(keys))
    shown = ", ".join(f"{expression} AS v{first + i}" for i, expression in enumerate(more))
    on = " AND ".join(f"a.k{i} IS NOT DISTINCT FROM b.k{i}" for i in range(keys))
    further = f"SELECT {by}, {shown} FROM ({rows}) GROUP BY {by}"
    return f"SELECT a.*, b.* EXCLUDE ({by}) FROM ({sql}) a LEFT JOIN ({further}) b ON {on}"
