"""One slow query, from the report to a rewrite in the store.

Owns the steps of a job: whether it is worth it, the search (`searching`), keeping the result (`keeping`).
Must not know sockets or processes. Everything is done with the optimiser's own account and within
[optimiser]'s limits.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewright.config.model import Config
from rewright.engines.postgres.catalog import snapshot
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.models.api import Model, NoModel
from rewright.processes.jobs import Job
from rewright.store.api import Store
from rewright.store.life import State
from rewright.store.records import Rewrite
from rewright.wiring import guards
from rewright.wiring.accounts import Accounts
from rewright.wiring.advising import ADVICE_SECONDS, Adviser
from rewright.wiring.budget import RunBudget
from rewright.wiring.covering import Covering
from rewright.wiring.doubting import FAILED
from rewright.wiring.estimating import Estimator
from rewright.wiring.keeping import Keeping
from rewright.wiring.priority_gate import PriorityGate
from rewright.wiring.proposals import job_key
from rewright.wiring.reexamining import Reexamining
from rewright.wiring.refusals import Cheap, Known, NotAllowed, NotOptimised, NotYet
from rewright.wiring.row_facts import FactMemory
from rewright.wiring.scratch import Scratch
from rewright.wiring.searching import Searching
from rewright.wiring.served import SERVABLE, schemas_of
from rewright.wiring.widening import Widening

# what a unit of the planner's cost takes, about: a query is not held for longer than it would run (the
# default min_cost makes 0.5 s)
SECONDS_A_COST = 1e-5
# rewrites of one text that are looked through: one a path, and what became of earlier ones
MOST_KNOWN = 200
# a rewrite that failed on the optimiser's account is not found again for so long
FAILED_SECONDS = 86_400.0


@dataclass(slots=True)
class JobRunner:
    """Runs the optimiser's jobs on the configured databases. Not for several threads at once.

    The scratch server is started when first needed and shared (``scratch``).
    """

    config: Config
    store: Store
    budget: RunBudget
    scratch: Scratch
    model: Model = field(default_factory=NoModel)
    estimator: Estimator = field(default_factory=Estimator)
    priority_gate: PriorityGate = field(default_factory=PriorityGate)
    memory: FactMemory = field(default_factory=FactMemory)
    # see `Reexamining`
    failing: dict[int, Job] = field(default_factory=dict)
    covering: Covering = field(init=False)

    def __post_init__(self) -> None:
        self.covering = Covering(self.store)

    @property
    def accounts(self) -> Accounts:
        return Accounts(self.config)

    @property
    def searching(self) -> Searching:
        return Searching(
            self.accounts,
            self.store,
            self.budget,
            self.scratch,
            self.model,
            self.priority_gate,
            self.memory,
        )

    @property
    def keeping(self) -> Keeping:
        return Keeping(self.accounts, self.store)

    @property
    def widening(self) -> Widening:
        return Widening(
            self.accounts, self.store, self.scratch, self.priority_gate, self.memory, self.keeping
        )

    @property
    def again(self) -> Reexamining:
        """For what is in the store already."""
        return Reexamining(self.accounts, self.store, self.budget, self.scratch, self.memory, self.failing)

    def optimise(self, job: Job) -> Rewrite | None:
        """Look for a rewrite and keep it. Raises NotOptimised with the reason where there is none.

        A query that is held (``inline``) is looked at only if it is expensive, and not for long.
        """
        self.accounts.dsn(job.database)
        known = self._known(job)
        if known is not None:
            raise Known(known)
        seconds = self.config.optimiser.budget
        if job.kind == "inline":
            # no longer than its client waits, nor than the query itself would take
            seconds = min(seconds, job.budget, self._require_expensive(job) * SECONDS_A_COST)
        # without a scratch server there are only proofs
        tested = job.kind != "inline" or self.scratch.at_once() is not None
        with self.accounts.session(job.database, job.search_path) as session:
            session.require_trusted(job.text, _types_of(job))
            session.bind(job.text, job.values)
            catalog = snapshot(session.connection)
            found = self.searching.find(session, catalog, job, seconds)
            if found.rewrite is None:
                if not tested:
                    raise NotYet("nothing is proved, and the scratch server is being started")
                raise NotOptimised(self._with_advice(found.outcome.reason, job))
            kept = self.keeping.keep(session, catalog, job, found.rewrite, found.rests, found.plain)
            self.keeping.keep_trace(kept, found.outcome)
            self.keeping.keep_timings(kept, found.outcome, job)
            return kept

    def _with_advice(self, reason: str, job: Job) -> str:
        """Why nothing was found, and what would help instead where nobody waits for it."""
        said = reason or "tried, and nothing faster was found"
        if job.kind == "inline":
            return said
        self.priority_gate.give_way()
        optimiser = self.config.optimiser
        seconds = min(optimiser.budget / 4, ADVICE_SECONDS)
        # an original is executed only where that is allowed for its own sake
        execute = optimiser.measure == "both" and self.budget.take()
        timeout = min(optimiser.run_timeout, seconds)
        dsn = self.accounts.dsn(job.database)
        with Adviser(dsn, timeout, seconds, own=False, path=job.search_path) as adviser:
            words = adviser.words(job.text, execute=execute)
        return f"{said}; {words}" if words else said

    def explain(self, job: Job) -> Mapping[str, Any]:
        """The outcome's document (docs/reference/json.md) for EXPLAIN (REWRITE); keeps nothing.

        Raises NotOptimised; NotAllowed when the role may not read what the query names.
        """
        with self.accounts.session(job.database, job.search_path) as session:
            if not guards.readable(session, job.role, job.text):
                raise NotAllowed("permission denied for a relation of the query")
            session.require_trusted(job.text, _types_of(job))
            return self.searching.explain(session, snapshot(session.connection), job)

    def standing(self, job: Job) -> Rewrite | None:
        """A rewrite of this very text that may be served already."""
        known = self._known(job)
        return known if known is not None and known.state in SERVABLE else None

    def _known(self, job: Job) -> Rewrite | None:
        """A rewrite of this very text that stands, or that a person rejected.

        Of one for another search path it is not known what its names mean here.
        """
        for one in self.store.rewrites.find(
            database=job.database, template_key=job_key(job), limit=MOST_KNOWN
        ):
            if job.search_path and schemas_of(one.proposal) not in {(), job.search_path}:
                continue
            # proved by an older checker: looked for anew
            old = one.proposal.checker_version not in {"", CHECKER_VERSION}
            if one.state is State.REJECTED or (one.state is not State.RETIRED and not old):
                return one
            lately = time.time() - one.changed_at < FAILED_SECONDS
            if one.state is State.RETIRED and lately and one.reason.startswith(FAILED):
                return one
        return self.covering.find(job)

    def _require_expensive(self, job: Job) -> float:
        """Its estimated cost. Raises Cheap for a query whose estimated cost is below ``min_cost``;
        NotOptimised.
        """
        with self.accounts.asked():
            work = self.estimator.work(self.accounts.dsn(job.database), job.text, job.values, job.search_path)
        if work < job.min_cost:
            raise Cheap(f"its estimated cost of {work:.0f} is below rewright.min_cost")
        return work


def _types_of(job: Job) -> tuple[int, ...]:
    """Declared types of the parameters, whose input functions would read the values."""
    return (*job.param_types, *job.values.types)
