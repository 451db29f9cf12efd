"""Constant expressions that PostgreSQL evaluated: their texts as values that DuckDB's literals are made of.

Must not know expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from rewright.engines.duckdb.dialect.types import BOOL, INT2, INT4, INT8, NUMERIC, TEXT, VARCHAR


def _numeric(text: str) -> Any:
    return Decimal(text)


def _days(text: str) -> int:
    return date.fromisoformat(text).toordinal() - date(2000, 1, 1).toordinal()


IMMUTABLE_INPUT = frozenset({BOOL, INT2, INT4, INT8, TEXT, VARCHAR, 701, NUMERIC})
FOLDED: Mapping[int, Callable[[str], Any]] = {
    BOOL: lambda text: text in {"t", "true"},
    INT2: int,
    INT4: int,
    INT8: int,
    TEXT: str,
    VARCHAR: str,
    701: float,
    NUMERIC: _numeric,
    1082: _days,
}
