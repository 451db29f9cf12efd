"""PostgreSQL's functions on dates, times and intervals in DuckDB's words, by signature.

Owns the equivalents, each compared with a server on nasty values. What depends on TimeZone holds in UTC only, which is what a lake's
sessions have (``ZONED``). Must not know trees.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.engines.duckdb.dialect.numbers import COMPARED, comparisons

STAMP, STAMPTZ = "timestamp without time zone", "timestamp with time zone"
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
        if prefix != "interval":
            for way, choice in {"larger": "greatest", "smaller": "least"}.items():
                yield f"{prefix}_{way}({name}, {name})", f"{choice}({{0}}, {{1}})"
    for name, symbol in COMPARED.items():
        yield f"date_{name}_timestamp(date, {STAMP})", f"(CAST({{0}} AS TIMESTAMP) {symbol} {{1}})"
        yield f"timestamp_{name}_date({STAMP}, date)", f"({{0}} {symbol} CAST({{1}} AS TIMESTAMP))"


def _zoned() -> Iterator[tuple[str, str]]:
    for name, symbol in COMPARED.items():
        yield f"date_{name}_timestamptz(date, {STAMPTZ})", f"(CAST({{0}} AS TIMESTAMPTZ) {symbol} {{1}})"
        yield f"timestamptz_{name}_date({STAMPTZ}, date)", f"({{0}} {symbol} CAST({{1}} AS TIMESTAMPTZ))"
        yield f"timestamp_{name}_timestamptz({STAMP}, {STAMPTZ})", f"(CAST({{0}} AS TIMESTAMPTZ) {symbol} {{1}})"
        yield f"timestamptz_{name}_timestamp({STAMPTZ}, {STAMP})", f"({{0}} {symbol} CAST({{1}} AS TIMESTAMPTZ))"
    yield "timestamptz(date)", "CAST({0} AS TIMESTAMPTZ)"
    yield f"timestamptz({STAMP})", "CAST({0} AS TIMESTAMPTZ)"
    yield f"date({STAMPTZ})", "CAST({0} AS DATE)"
    yield f"timestamp({STAMPTZ})", "CAST({0} AS TIMESTAMP)"
    yield f"timestamptz_pl_interval({STAMPTZ}, interval)", "({0} + {1})"
    yield f"timestamptz_mi_interval({STAMPTZ}, interval)", "({0} - {1})"
    yield "now()", "now()"


def _arithmetic() -> Iterator[tuple[str, str]]:
    yield "date_pli(date, integer)", "({0} + {1})"
    yield "date_mii(date, integer)", "({0} - {1})"
    yield "integer_pl_date(integer, date)", "({1} + {0})"
    yield "date_mi(date, date)", "CAST({0} - {1} AS INTEGER)"
    yield "date_pl_interval(date, interval)", "(CAST({0} AS TIMESTAMP) + {1})"
    yield "date_mi_interval(date, interval)", "(CAST({0} AS TIMESTAMP) - {1})"
    yield f"timestamp_pl_interval({STAMP}, interval)", "({0} + {1})"
    yield f"timestamp_mi_interval({STAMP}, interval)", "({0} - {1})"
    yield "interval_pl(interval, interval)", "({0} + {1})"
    yield "interval_mi(interval, interval)", "({0} + (-1 * {1}))"
    yield "interval_um(interval)", "(-1 * {0})"
    yield "timestamp(date)", "CAST({0} AS TIMESTAMP)"
    yield f"date({STAMP})", "CAST({0} AS DATE)"
    yield f"time({STAMP})", "CAST({0} AS TIME)"
    yield "isfinite(date)", "isfinite({0})"
    yield f"isfinite({STAMP})", "isfinite({0})"


ZONED: dict[str, str] = dict(_zoned())
TIMES: dict[str, str] = dict([*_comparisons(), *_arithmetic(), *ZONED.items()])
