"""Counting what the columns of a file hold that does not fit into memory: the file is read several times
instead.

Owns the profiling SQL whose memory is bounded however large the file. Columns of few distinct values are
counted exactly, as `counting` does. Of others a sample is counted, taken by the hash of the value, so that a
value is in it with all its rows: distinct values and uniqueness are estimates (within 1 % or so), and a
column is called unique when no value of the sample comes twice.
docs/decisions/0230-columns-larger-than-memory.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.catalog.counting import Counted, bounds, countable, counted, forms, portions
from rewright.lake.catalog.model import SKETCH_SIZE, VALUE_LIMIT, Values

_FEW = 50_000
"""Up to about as many distinct values are counted exactly."""
_SAMPLED = 65_536
"""Distinct values in a sample, about."""
_ROWS_LOOKED_AT = 500_000
"""Rows among which frequent values are looked for."""
_HASHES = 2**64


@dataclass(frozen=True, slots=True)
class _Rough:
    """What one reading tells of a column; `distinct` may be off by a fifth."""

    column: tuple[str, str]
    filled: int
    distinct: int
    low: str | None
    high: str | None


def sampled(connection: Any, source: str, columns: Sequence[tuple[str, str]]) -> tuple[int, list[Counted]]:
    """Rows of `source`, a table expression, and what is counted or estimated of each column."""
    rows, out = 0, []
    for part in portions(columns):
        rows, rough = _rough(connection, source, part)
        for one in rough:
            if one.distinct <= _FEW:
                out += counted(connection, source, [one.column])[1]
            else:
                out.append(_estimated(connection, source, one))
    return rows, out


def _rough(connection: Any, source: str, columns: Sequence[tuple[str, str]]) -> tuple[int, list[_Rough]]:
    listed = ", ".join(
        f"count({c}), approx_count_distinct({c}), {bounds(c)}" for c in (countable(*one) for one in columns)
    )
    found = connection.execute(f"SELECT count(*), {listed} FROM {source}").fetchone()
    return found[0], [_Rough(column, *found[1 + 4 * i : 5 + 4 * i]) for i, column in enumerate(columns)]


def _estimated(connection: Any, source: str, rough: _Rough) -> Counted:
    hashes, counts, share = _by_hash(connection, source, rough)
    unique = len(counts) > 0 and int(counts.max()) == 1
    distinct = rough.filled if unique else min(rough.filled, round(len(hashes) / share))
    # where no value is frequent, any show what the column holds
    listed = _any_values if 2 * distinct > rough.filled else _frequent_values
    values = Values(tuple(listed(connection, source, rough)), complete=False, sketch=hashes[:SKETCH_SIZE])
    return Counted(rough.filled, distinct, rough.low, rough.high, values)


def _by_hash(connection: Any, source: str, rough: _Rough) -> tuple[Any, Any, float]:
    """The smallest hashes, sorted (at least a sketch full of them, or all there are), how many rows each has,
    and the share of all hashes below their bound.
    """
    _, hashed = forms(*rough.column)
    share = min(1.0, _SAMPLED / rough.distinct)
    while True:
        below = (
            f"WHERE {hashed} <= {int(share * (_HASHES - 1))}::UBIGINT AND {quoted(rough.column[0])} IS NOT "
            f"NULL"
        )
        found = connection.execute(
            f"SELECT {hashed} AS h, count(*) AS n FROM {source} {below} GROUP BY h ORDER BY h"
        ).fetchnumpy()
        if len(found["h"]) >= SKETCH_SIZE or share >= 1.0:
            return np.asarray(found["h"], dtype=np.uint64), np.asarray(found["n"]), share
        # The estimate of distinct values was far off: too few hashes lie below the bound.
        share = min(1.0, 16 * share)


def _any_values(connection: Any, source: str, rough: _Rough) -> list[tuple[str, int]]:
    """Values with their rows, chosen by hash: twice as many as are kept are about as many as can be hoped
    for.
    """
    text, hashed = forms(*rough.column)
    most = int(min(1.0, 2 * VALUE_LIMIT / rough.distinct) * (_HASHES - 1))
    rows = connection.execute(
        f"SELECT {text} AS v, count(*) AS n FROM {source} WHERE {hashed} <= {most}::UBIGINT "
        f"AND {quoted(rough.column[0])} IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT {VALUE_LIMIT}"
    ).fetchall()
    return [(value, n) for value, n in rows]


def _frequent_values(connection: Any, source: str, rough: _Rough) -> list[tuple[str, int]]:
    """What is frequent among some rows, with its number in all of them."""
    text, _ = forms(*rough.column)
    percent = min(100.0, 100.0 * _ROWS_LOOKED_AT / rough.filled)
    some = f"(SELECT {text} AS v FROM {source}) TABLESAMPLE bernoulli({percent:.6f} PERCENT) REPEATABLE (1)"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE _frequent AS SELECT v FROM {some} WHERE v IS NOT NULL "
        f"GROUP BY v ORDER BY count(*) DESC, v LIMIT {VALUE_LIMIT}"
    )
    rows = connection.execute(
        f"SELECT v, count(*) AS n FROM (SELECT {text} AS v FROM {source}) SEMI JOIN _frequent USING (v) "
        "GROUP BY v ORDER BY n DESC, v"
    ).fetchall()
    connection.execute("DROP TABLE _frequent")
    return [(value, n) for value, n in rows]
