"""PostgreSQL's functions on dates, times and intervals in DuckDB's dialect, by signature.

Owns the equivalents, each compared with a server on nasty values. What depends on TimeZone holds in UTC only,
which is what a lake's sessions have (``ZONED``). Must not know trees.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.engines.duckdb.dialect.numbers import COMPARED, comparisons, raising

STAMP, STAMPTZ = "timestamp without time zone", "timestamp with time zone"
# both engines end some 5.8 million years away, but not at the same day: this far neither is near its end
_FAR = 10_000_000
"""Days that may be added to a date."""
_TIME = "time without time zone"


def _comparisons() -> Iterator[tuple[str, str]]:
    for prefix, name in {
        "date": "date",
        "timestamp": STAMP,
        "timestamptz": STAMPTZ,
        "time": _TIME,
        "interval": "interval",
    }.items():
        yield from comparisons(prefix, name, separator="_")
    for name, symbol in COMPARED.items():
        yield f"date_{name}_timestamp(date, {STAMP})", f"(CAST({{0}} AS TIMESTAMP) {symbol} {{1}})"
        yield f"timestamp_{name}_date({STAMP}, date)", f"({{0}} {symbol} CAST({{1}} AS TIMESTAMP))"


def _zoned() -> Iterator[tuple[str, str]]:
    for name, symbol in COMPARED.items():
        yield f"date_{name}_timestamptz(date, {STAMPTZ})", f"(CAST({{0}} AS TIMESTAMPTZ) {symbol} {{1}})"
        yield f"timestamptz_{name}_date({STAMPTZ}, date)", f"({{0}} {symbol} CAST({{1}} AS TIMESTAMPTZ))"
        # in UTC a moment without a zone is the same count of microseconds
        yield (
            f"timestamp_{name}_timestamptz({STAMP}, {STAMPTZ})",
            f"(CAST({{0}} AS TIMESTAMPTZ) {symbol} {{1}})",
        )
        yield (
            f"timestamptz_{name}_timestamp({STAMPTZ}, {STAMP})",
            f"({{0}} {symbol} CAST({{1}} AS TIMESTAMPTZ))",
        )
    yield "timestamptz(date)", "CAST({0} AS TIMESTAMPTZ)"
    yield f"timestamptz({STAMP})", "CAST({0} AS TIMESTAMPTZ)"
    yield f"date({STAMPTZ})", "CAST({0} AS DATE)"
    yield f"timestamp({STAMPTZ})", "CAST({0} AS TIMESTAMP)"
    yield f"timestamptz_pl_interval({STAMPTZ}, interval)", "({0} + {1})"
    yield f"timestamptz_mi_interval({STAMPTZ}, interval)", "({0} - {1})"
    yield "now()", "now()"


def _arithmetic() -> Iterator[tuple[str, str]]:
    far = raising("0A000", "dates as far away are not served on a lake")
    yield (
        "date_pli(date, integer)",
        (
            f"(CASE WHEN isfinite({{0}}) AND abs(CAST({{1}} AS BIGINT)) > {_FAR} THEN {far} "
            f"ELSE {{0}} + {{1}} END)"
        ),
    )
    yield (
        "date_mii(date, integer)",
        (
            f"(CASE WHEN isfinite({{0}}) AND abs(CAST({{1}} AS BIGINT)) > {_FAR} THEN {far} "
            f"ELSE {{0}} - {{1}} END)"
        ),
    )
    yield (
        "integer_pl_date(integer, date)",
        (
            f"(CASE WHEN isfinite({{1}}) AND abs(CAST({{0}} AS BIGINT)) > {_FAR} THEN {far} "
            f"ELSE {{1}} + {{0}} END)"
        ),
    )
    # infinity minus anything is an error for dates (date_mi)
    infinite = raising("22008", "cannot subtract infinite dates")
    yield (
        "date_mi(date, date)",
        (
            f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL AND NOT (isfinite({{0}}) AND "
            f"isfinite({{1}})) THEN {infinite}"
            " ELSE CAST({0} - {1} AS INTEGER) END)"
        ),
    )


def _intervals() -> Iterator[tuple[str, str]]:
    """Intervals added, and casts between dates, times and timestamps."""
    # a date plus an interval is a timestamp, in DuckDB only if the cast says so
    yield "date_pl_interval(date, interval)", "(CAST({0} AS TIMESTAMP) + {1})"
    yield "date_mi_interval(date, interval)", "(CAST({0} AS TIMESTAMP) - {1})"
    yield f"timestamp_pl_interval({STAMP}, interval)", "({0} + {1})"
    yield f"timestamp_mi_interval({STAMP}, interval)", "({0} - {1})"
    yield "interval_pl(interval, interval)", "({0} + {1})"
    yield "interval_mi(interval, interval)", "({0} + (-1 * {1}))"
    yield "interval_um(interval)", "(-1 * {0})"
    yield "timestamp(date)", "CAST({0} AS TIMESTAMP)"
    yield f"date({STAMP})", "CAST({0} AS DATE)"
    # a time of infinity is NULL in PostgreSQL; DuckDB raises
    yield f"time({STAMP})", "(CASE WHEN isfinite({0}) THEN CAST({0} AS TIME) END)"
    yield "isfinite(date)", "isfinite({0})"
    yield f"isfinite({STAMP})", "isfinite({0})"


ZONED: dict[str, str] = dict(_zoned())
TIMES: dict[str, str] = dict([*_comparisons(), *_arithmetic(), *_intervals(), *ZONED.items()])
