"""How a search for tables is to be made: budgets, the selector, how chains are searched. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.lake.augment.encoding import Aggregates

SelectorName = Literal["ours", "exhaustive", "embedding", "joinable", "enrich", "selector"]
SELECTORS: tuple[SelectorName, ...] = ("ours", "exhaustive", "embedding", "joinable")
"""Those that need no model."""
MODEL_SELECTORS: tuple[SelectorName, ...] = ("enrich", "selector")
Strategy = Literal["auto", "bfs", "dfs", "mcts"]
STRATEGIES: tuple[Strategy, ...] = ("auto", "bfs", "dfs", "mcts")


@dataclass(frozen=True, slots=True)
class Options:
    """`seconds`, `evaluations`, `tokens`: the budget, None: no limit; `hops`: the longest chain of joins,
    `chains`: how many are looked at, at most.

    `strategy`: how chains of more than one join are searched. `similar`: tables that a model is shown,
    nearest first, in `sets` sets; `spending`: how tokens are given out (paper 4.1). `history`: whether
    earlier searches count.
    """

    tables: int = 5
    seconds: float | None = 60.0
    evaluations: int | None = None
    selector: SelectorName = "ours"
    aggregates: Aggregates = "all"
    hops: int = 1
    chains: int | None = None
    strategy: Strategy = "auto"
    seed: int = 0
    tokens: int | None = None
    similar: int = 30
    sets: int = 3
    spending: Literal["greedy", "value-per-token"] = "value-per-token"
    history: bool = True
