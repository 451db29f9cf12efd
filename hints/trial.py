"""Trying hint sets on one query: plan, execute, remember.

Keeps what was planned and executed so that nothing is done twice, and what was learnt of row counts. Every
execution is limited by the best time so far: one that is slower is stopped, not waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rewright.engines.postgres.hinting import HintingSession, HintReport
from rewright.engines.postgres.session import SessionError
from rewright.hints.base import HintSet
from rewright.hints.cardinality import Judgement, Knowledge, estimates_of
from rewright.hints.injection import Refusal, inject
from rewright.hints.levels import Names, names_of
from rewright.hints.moves import SEEN, SUPPOSED
from rewright.hints.options import always
from rewright.sql.plans import Plan


@dataclass(frozen=True, slots=True)
class Planned:
    """A hint set's plan and the extension's report of it."""

    text: str
    plan: Plan
    report: HintReport


@dataclass(slots=True)
class Trial:
    """One query under trial. ``limit``: seconds that any execution may take; ``deadline``: monotonic time of
    the end; ``allow`` is asked before each execution.
    """

    session: HintingSession
    text: str
    limit: float
    deadline: float
    allow: Callable[[], bool] = always
    names: Names = field(init=False)
    known: Knowledge = field(default_factory=Knowledge)
    best_seconds: float = field(init=False)
    _planned: dict[HintSet, Planned | None] = field(default_factory=dict)
    _seconds: dict[str, float | None] = field(default_factory=dict)
    executed: dict[str, Plan] = field(default_factory=dict)
    supposed: dict[frozenset[str], float] = field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    refused: str = ""
    _path: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self.names = names_of(self.text, self._view)
        self.best_seconds = self.limit

    def _view(self, schema: str, name: str) -> str | None:
        # read when a view is met: most queries read none
        if self._path is None:
            self._path = self.session.search_path()
        table = self.session.catalog.find_table(name, (schema,) if schema else self._path)
        return table.definition if table is not None and table.kind == "view" else None

    @property
    def rows(self) -> Mapping[frozenset[str], float]:
        """Row counts by set of aliases: those seen, and where none were seen those supposed."""
        # what was seen goes over what is supposed
        return {**self.supposed, **self.known.rows}

    @property
    def verb(self) -> str:
        """How row counts are spoken of: seen, or supposed."""
        return SEEN if self.known.rows else SUPPOSED

    @property
    def out_of_time(self) -> bool:
        return time.monotonic() >= self.deadline

    def plan(self, hints: HintSet) -> Planned | None:
        """The plan under ``hints``; None when the text cannot carry them or the server refuses."""
        if hints not in self._planned:
            self._planned[hints] = self._plan(hints)
        return self._planned[hints]

    def _plan(self, hints: HintSet) -> Planned | None:
        text = inject(self.text, hints)
        if isinstance(text, Refusal):
            return None
        try:
            plan, report = self.session.plan(text)
        except SessionError as error:
            self.refused = self.refused or str(error)
            return None
        return Planned(text, plan, report)

    def seconds(self, planned: Planned, *, patience: float = 1.05) -> float | None:
        """Execution time of a plan, None when it was stopped; equal plans are executed once.

        ``patience`` × the best time so far is the limit.
        """
        # by the plan's shape: two hint sets with one plan have one time
        if planned.plan.shape not in self._seconds:
            self._seconds[planned.plan.shape] = self._execute(planned, None, patience)
        return self._seconds[planned.plan.shape]

    def explore(self, settings: Mapping[str, str]) -> Plan | None:
        """Execute the plan that the planner makes under session ``settings``: it teaches row counts, and if
        it is fast, what to imitate. None when it was no new plan or was stopped.
        """
        try:
            plan, report = self.session.plan(self.text, settings)
        except SessionError:
            return None
        planned = Planned(self.text, plan, report)
        # under these settings it is a plan that was run already
        if plan.shape in self._seconds:
            return None
        self._seconds[plan.shape] = self._execute(planned, settings, 1.5)
        return self.executed.get(plan.shape)

    def _execute(self, planned: Planned, settings: Mapping[str, str] | None, patience: float) -> float | None:
        # Fifty milliseconds more, since a limit below the noise of the clock would stop good plans, too.
        allowed = min(self.limit, self.best_seconds * patience + 0.05, self.deadline - time.monotonic())
        if allowed <= 0 or not self.allow():
            return None
        try:
            done = self.session.execute_plan(planned.text, allowed, settings)
        except SessionError:
            return None
        self.executed[planned.plan.shape] = done
        # Also of a plan that lost: the row counts are those of the query, whatever plan found them.
        self.known.learn(estimates_of(done, self.names))
        seconds = done.execution_seconds
        if seconds is not None:
            self.best_seconds = min(self.best_seconds, seconds)
        return seconds
