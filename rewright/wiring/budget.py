"""[optimiser] max_runs_per_hour, kept for all databases together.

Must not know what is run.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.decomposition.search import at_once
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.model import Explained, Figure, Timed
from rewright.rewrite.ports import DatabaseError, ResultColumn
from rewright.sql.plans import plan_from_json


class RunBudget:
    """Measured runs in the last hour, all databases together."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._runs: deque[float] = deque()
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Whether one more may be made; it counts from now."""
        with self._lock:
            now = self._clock()
            while self._runs and now - self._runs[0] > 3600:
                self._runs.popleft()
            if len(self._runs) >= self._limit:
                return False
            self._runs.append(now)
            return True


@dataclass(slots=True)
class FrugalDatabase:
    """The rewriter's ``Database`` port with [optimiser] max_runs_per_hour."""

    inner: PostgresDatabase
    budget: RunBudget
    # where only estimates decide, those that the planner forgets must not be missing
    count_subplans: bool = False
    # called before each estimate, where others may go first
    between: Callable[[], None] = at_once

    def explain(self, sql: str) -> Explained:
        self.between()
        return self._counted(self.inner.explain(sql))

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        self.between()
        return self._counted(self.inner.explain_with_pages(sql, price))

    def _counted(self, explained: Explained) -> Explained:
        # measured runs show what subplans cost; estimates must not forget them
        if not self.count_subplans:
            return explained
        return replace(explained, cost=plan_from_json([{"Plan": explained.plan}]).work)

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        return self.inner.describe(sql)

    def measure(self, sql: str, seconds: float) -> Timed:
        if not self.budget.take():
            raise DatabaseError("53400", "[optimiser] max_runs_per_hour is used up")
        return self.inner.measure(sql, seconds)

    def figures(self, sql: str) -> Sequence[Figure]:
        return self.inner.figures(sql)

    def executed(self, sql: str, seconds: float) -> Explained | None:
        # no run left: the plan alone is shown, which is no failure
        return self.inner.executed(sql, seconds) if self.budget.take() else None

    def schema_text(self, sql: str) -> str:
        return self.inner.schema_text(sql)
