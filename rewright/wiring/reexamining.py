"""Rewrites in the store, looked at again: do their facts still hold, are they still faster, do they fail?

Owns what is asked of the database for that. Must not know how rewrites are found, nor when a look is due.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.session import Run, Session
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.processes.jobs import Job
from rewright.rewrite.adapters.live import Place, path_of, second_look
from rewright.rewrite.row_facts import row_facts, to_look_at
from rewright.rewrite.search.chains import CONFIRM_SECONDS
from rewright.sql.row_facts import RowFact
from rewright.store.api import Store
from rewright.store.errors import NotFound
from rewright.store.life import Action, Level
from rewright.store.records import Event, Rewrite, Timing
from rewright.wiring import guards, hint_regressions
from rewright.wiring.accounts import Accounts
from rewright.wiring.budget import RunBudget
from rewright.wiring.doubting import (
    FAILED,
    RECONSIDERED,
    SLOWER,
    Finding,
    compare_failures,
    condition,
    restore,
    unreproduced,
)
from rewright.wiring.proposals import filled, replacement_for, timing_of
from rewright.wiring.refusals import NotOptimised, NotYet
from rewright.wiring.regression_monitor import RUNS, SIDES, judge, loses
from rewright.wiring.row_facts import FactMemory, Looks, declared_only, every, policy_of, renew, repeated
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import SERVABLE, guard_of, has_values, schemas_of, starts_active, values_of

# an original that takes so many times as long needs no second look
CLEARLY = 2.0
# seconds; a statement_timeout below is none
SHORTEST = 0.01
RUNS_ALLOWED = frozenset({"run", "both"})


@dataclass(frozen=True, slots=True)
class Reexamining:
    """Looks again, on the optimiser's own account. Not for several threads at once.

    All methods raise NotOptimised where the database can't be asked, and StoreError.
    """

    accounts: Accounts
    store: Store
    budget: RunBudget
    scratch: Scratch
    memory: FactMemory
    # what made rewrites fail here, to be tried again before they come back
    failing: dict[int, Job] = field(default_factory=dict)

    # -- what others saw

    def examine(self, job: Job) -> Rewrite | None:
        """Whether what a role saw of a rewrite can be seen here, too: then it is retired. None: it stands.

        Raises NotOptimised where that can't be found out; the role's doubt then ends by itself.
        """
        rewrite = self._served(job)
        if rewrite is None:
            return None
        # no SQLSTATE: the role saw it slower
        if not job.sqlstate:
            return self._measured_again(rewrite, job.role)
        # the role's text has literals of its own
        replacement = replacement_for(rewrite.proposal, job.text)
        if replacement is None:
            raise NotOptimised("the text is not the rewrite's")
        finding, sqlstate = self._failures(rewrite, job, replacement)
        # the role's doubt goes on until it ends by itself
        if finding == "unknown":
            raise NotOptimised("the failure of a rewrite could not be compared with its original's")
        if finding == "blamed":
            # kept for a later look, see reconsider()
            self.failing[rewrite.id] = job
            return self._retire(rewrite, f"{FAILED}: {condition(sqlstate)}")
        # the original fails as well: nobody is to blame
        if finding == "alike":
            self.store.doubts.forget(rewrite.id, job.role)
        else:
            # it works here: the role's settings or rights may be the cause
            self.store.doubts.settle(rewrite.id, job.role)
        return None

    def recheck(self, job: Job) -> Rewrite | None:
        """Retire a rewrite whose names or schema facts no longer hold here, either; None: they do."""
        rewrite = self._served(job)
        guard = None if rewrite is None else guard_of(rewrite.proposal.guard)
        if guard is None or rewrite is None:
            return None
        with self.accounts.session(job.database, schemas_of(rewrite.proposal)) as session:
            # names and constraints, as this account sees them
            if guards.holds(session, guard):
                return None
        return self._retire(rewrite, "a name or schema fact it rests on has changed")

    # -- what was retired

    def may_reconsider(self, rewrite: Rewrite) -> bool:
        """Whether it can be found out that a retired rewrite was retired by mistake, or that what was wrong
        is over.
        """
        # without the text that failed nothing could be tried again
        if not unreproduced(rewrite) and not rewrite.reason.startswith(SLOWER):
            return rewrite.id in self.failing
        return self._may_run or not rewrite.reason.startswith(SLOWER)

    def reconsider(self, rewrite: Rewrite) -> Rewrite | None:
        """Look at a retired rewrite again: its facts, a counterexample, its failure, its time. None: it stays
        retired.
        """
        # every reason is looked at before it is served again
        against = self._against(rewrite)
        if against:
            self.store.events.add([Event(rewrite.id, "", RECONSIDERED, {"outcome": against})])
            return None
        self.failing.pop(rewrite.id, None)
        trust = Level(self.accounts.trust(rewrite.proposal.database))
        active = starts_active(rewrite.proposal, trust, self.accounts.accept)
        return restore(self.store, rewrite, active=active)

    def _against(self, rewrite: Rewrite) -> str:
        """Why it stays retired; empty where nothing speaks against it."""
        proposal = rewrite.proposal
        replacement = filled(proposal)
        # what an older checker proved is not trusted today
        if replacement is None or proposal.checker_version not in {"", CHECKER_VERSION}:
            return "its evidence is not of today"
        with self.accounts.session(proposal.database, schemas_of(proposal)) as session:
            changed = self._disproved(session, rewrite, replacement)
        if changed:
            return changed
        job = self.failing.get(rewrite.id)
        text = None if job is None else replacement_for(proposal, job.text)
        # an unclear outcome counts against it
        if job is not None and (
            text is None or self._failures(rewrite, job, text)[0] in {"blamed", "unknown"}
        ):
            return "it still fails, or that could not be found out"
        # not measured: its evidence alone decides
        if not self._may_run or not has_values(proposal):
            return ""
        runs = self.compare(rewrite)
        self.store.rewrites.add_timings(runs)
        before, after = ([one for one in runs if one.side == side] for side in SIDES)
        return "it is slower" if not runs or loses(before, after) else ""

    def _disproved(self, session: Session, rewrite: Rewrite, replacement: str) -> str:
        guard = guard_of(rewrite.proposal.guard)
        if guard is None:
            return "its evidence is not of today"
        if not guards.holds(session, guard):
            return "a name or schema fact it rests on has changed"
        place = Place(session, snapshot(session.connection), path_of(session))
        with second_look(place, self.scratch.server()) as checker:
            seen = checker.check(rewrite.proposal.original, replacement, CONFIRM_SECONDS)
        return "a counterexample was found" if seen.level == "refuted" else ""

    # -- times

    def compare(self, rewrite: Rewrite) -> Sequence[Timing]:
        """Run replacement and original again in turn, until either clearly wins or the regression monitor has
        runs enough.

        Empty where that can't be done: no values for parameters, no runs left in this hour, or the
        replacement takes longer than ``run_timeout``. An original is stopped there: its time is then a lower
        bound.
        """
        proposal = rewrite.proposal
        replacement = filled(proposal)
        if replacement is None or not has_values(proposal):
            return ()
        limit = self.accounts.config.optimiser.run_timeout
        found: list[Timing] = []
        with self.accounts.session(proposal.database, schemas_of(proposal)) as session:
            session.bind(proposal.original, values_of(proposal))
            for _ in range(RUNS):
                if not self._two_runs():
                    break
                after = session.run(replacement, stop_after=limit)
                if not after.finished:
                    return ()
                # where originals are not run, one is stopped when it can't be the faster one any more
                both = self.accounts.config.optimiser.measure == "both"
                # a lower bound is enough to see that the original takes longer
                enough = limit if both else after.duration
                before = session.run(proposal.original, stop_after=max(enough, SHORTEST))
                found += [timing_of(rewrite, "replacement", after), timing_of(rewrite, "original", before)]
                # decided: more runs would only cost time
                if not before.finished or _clearly_longer(before, after):
                    break
        return found

    def measure_hints(self, *, interval: float = hint_regressions.INTERVAL) -> Rewrite | None:
        """Run one served rewrite with its hints and without, if one is due; which."""
        if not self._may_run:
            return None
        rewrite = hint_regressions.due(self.store, interval=interval)
        if rewrite is None:
            return None
        limit = self.accounts.config.optimiser.run_timeout
        with self.accounts.hinting_session(
            rewrite.proposal.database, schemas_of(rewrite.proposal)
        ) as session:
            found = hint_regressions.measure(session, rewrite, limit, self.budget.take)
        self.store.rewrites.add_timings(found)
        return rewrite if found else None

    def _measured_again(self, rewrite: Rewrite, role: str) -> Rewrite | None:
        if not self._may_run:
            raise NotOptimised("nothing may be run: [optimiser] measure")
        runs = self.compare(rewrite)
        lost = judge(self.store, rewrite, runs)
        if lost is None and runs:
            # measured and not slower: the doubt is answered
            self.store.doubts.settle(rewrite.id, role)
        return lost

    # -- facts that rows may break

    def look_again(self, rewrite: Rewrite) -> Rewrite | None:
        """Look at the rows under a served rewrite; retired when a fact that it rests on is not kept, None: it
        stands.
        """
        policy, proposal = policy_of(self.accounts.config), rewrite.proposal
        facts = repeated(proposal)
        # [optimiser] foreign_keys may have changed since it was found
        if policy == "never" and any(fact.kind == "foreign key" for fact in facts):
            why = "foreign keys are not relied on: [optimiser] foreign_keys is never"
        elif policy == "verified" and declared_only(proposal):
            why = "foreign keys are not relied on: no rows were looked at when it was found"
        else:
            why = self._broken_under(proposal.database, to_look_at(facts, policy))
        if not why:
            renew(self.store, rewrite, time.time(), every(self.accounts.config))
            return None
        return self._retire(rewrite, why)

    def _broken_under(self, database: str, facts: Collection[RowFact]) -> str:
        """The first of the facts that is not kept, with the reason."""
        limit = self.accounts.config.optimiser.run_timeout
        with self.accounts.session(database) as session:
            # a key that was dropped or disabled is not enforced any more
            known = set(row_facts(snapshot(session.connection)))
            broken = dict.fromkeys(set(facts) - known, "it is no longer enforced for all rows")
            looks = Looks(lambda: session.connection, database, self.memory, lambda: limit)
            broken |= looks([fact for fact in facts if fact in known])
            for fact in sorted(broken):
                # no answer is no evidence, neither for nor against
                if session.connection.closed:
                    raise NotOptimised(f"{fact}: {broken[fact]}")
                return f"{fact} is not relied on: {broken[fact]}"
        return ""

    # -- common to them

    @property
    def _may_run(self) -> bool:
        return self.accounts.config.optimiser.measure in RUNS_ALLOWED

    def _two_runs(self) -> bool:
        return self.budget.take() and self.budget.take()

    def _served(self, job: Job) -> Rewrite | None:
        """The rewrite that a job is about, if it may be served."""
        try:
            rewrite = self.store.rewrites.get(job.rewrite_id)
        except NotFound as error:
            raise NotOptimised(str(error)) from error
        return rewrite if rewrite.state in SERVABLE else None

    def _failures(self, rewrite: Rewrite, job: Job, replacement: str) -> tuple[Finding, str]:
        if self._may_run and not self._two_runs():
            raise NotYet("no runs are left in this hour")
        limit = self.accounts.config.optimiser.run_timeout if self._may_run else None
        with self.accounts.session(job.database, schemas_of(rewrite.proposal)) as session:
            session.bind(job.text, job.values)
            return compare_failures(session, job.text, replacement, limit)

    def _retire(self, rewrite: Rewrite, reason: str) -> Rewrite:
        return self.store.rewrites.act(rewrite.id, Action.RETIRE, reason=reason, by="optimiser")


def _clearly_longer(one: Run, other: Run) -> bool:
    """By the backend's CPU time where both have it, as losers are judged: on a busy machine a duration says
    little.
    """
    if one.cpu is not None and other.cpu is not None:
        return one.cpu > CLEARLY * other.cpu
    return one.duration > CLEARLY * other.duration
