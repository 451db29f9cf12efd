"""How surely a resolution is right: a logistic model over its evidence.

Owns the formula and its coefficients. docs/decisions/0084-confidence.md says how they were found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signals:
    """What confidence is judged by. Scores 0 to about 1."""

    mean_column: float
    worst_column: float
    table: float
    join: float
    margin: float
    missing_values: int
    missing_columns: int
    empty: bool
    failed: bool
    extra_tables: int


_INTERCEPT = -5.2


def confidence(s: Signals) -> float:
    """Probability that the answer is what was meant, 0 to 1."""
    if s.failed:
        return 0.02
    z = (
        _INTERCEPT
        + 4.0 * s.mean_column
        + 2.2 * s.worst_column
        + 2.0 * s.table
        + 1.2 * s.join
        + 2.5 * min(s.margin, 0.3)
    )
    z -= 1.8 * s.missing_values + 2.2 * s.missing_columns + (1.5 if s.empty else 0.0) + 0.35 * s.extra_tables
    return 1.0 / (1.0 + math.exp(-z))
