"""Limits of one recommendation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# in the planner's units: a quarter of an hour and more on any machine, if the estimate is right
TOO_DEAR = 1e9


def always() -> bool:
    """Every execution is allowed."""
    return True


@dataclass(frozen=True, slots=True)
class Options:
    """Limits of one recommendation. Seconds throughout.

    ``run_seconds``: time limit for one execution; ``budget_seconds``: total time; ``min_gain``: the share of
    time that hints must save; ``repeats``: timed runs each in the validation; ``execute``: False plans only
    (cost decides);
    ``scans``: scan hints too, which are off by default; ``settings``: Set() hints; ``small``: unneeded hints
    are dropped;
    ``max_cost``: a query that the planner thinks dearer is not executed; ``allow``: asked before each
    execution.
    """

    run_seconds: float = 30.0
    budget_seconds: float = 120.0
    min_gain: float = 0.10
    repeats: int = 3
    rounds: int = 8
    execute: bool = True
    scans: bool = False
    settings: bool = True
    small: bool = True
    max_cost: float = TOO_DEAR
    allow: Callable[[], bool] = always
