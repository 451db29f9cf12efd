"""One slow query, from the report to a rewrite in the store.

Owns the assembly of the rewriter for one database and the translation of its outcome. Must not know
sockets or processes. Everything is done on the optimiser's own account and within [optimiser]'s limits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import psycopg

from rewright.config.model import Config, Database
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.policies import filtered_tables
from rewright.engines.postgres.session import Limits, Run, Session, SessionError, Untrusted
from rewright.engines.postgres.values import NO_VALUES
from rewright.equivalence.api import Checker, Options
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.models.api import Model, NoModel
from rewright.processes.jobs import Job
from rewright.rewrite.adapters.checker import SecondLook
from rewright.rewrite.adapters.journal import StoreJournal
from rewright.rewrite.adapters.live import by_steps
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.adapters.scoping import TemplateScoper
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.eligible import eligible
from rewright.rewrite.model import Deadline, Settings
from rewright.rewrite.ports import NoKnowledge, Ports, TheseLiterals
from rewright.rewrite.references import Reference, Searched, references, rests_on, search, trusted
from rewright.rewrite.search.chains import CONFIRM_SECONDS, Derivations
from rewright.rewrite.search.proposer import RuleProposer
from rewright.sql.catalog import Catalog
from rewright.store.api import Store
from rewright.store.errors import NotFound
from rewright.store.life import SERVED_STATES, Action, Level, State
from rewright.store.records import Event, NewRewrite, Rewrite, Side, Timing
from rewright.wiring import guards, hint_regressions
from rewright.wiring.budget import FrugalDatabase, RunBudget
from rewright.wiring.doubting import (
    FAILED,
    RECONSIDERED,
    SLOWER,
    Finding,
    compare_failures,
    condition,
    replacement_for,
    restore,
    unreproduced,
)
from rewright.wiring.estimating import Estimator
from rewright.wiring.knowledge_provider import knowledge_of
from rewright.wiring.learning import Experienced, Learning
from rewright.wiring.ports.hinting import HintPort
from rewright.wiring.priority_gate import PoliteChecker, PriorityGate
from rewright.wiring.proposals import (
    filled,
    hinted_original,
    hinted_text,
    job_key,
    proposal_of,
    timing_of,
    widened,
)
from rewright.wiring.references import (
    BrokenReferences,
    Looks,
    policy_of,
    references_of,
    renew,
    with_references,
)
from rewright.wiring.refusals import Cheap, NotAllowed, NotOptimised, NotYet
from rewright.wiring.regression_monitor import RUNS, SIDES, judge, loses
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import (
    SERVABLE,
    guard_document,
    guard_of,
    has_values,
    parameter_document,
    starts_active,
    values_of,
)

# what a unit of the planner's cost takes, about: a query is not held for longer than it would run (the default min_cost makes 0.5 s)
SECONDS_A_COST = 1e-5
# an original that takes so many times as long needs no second look
CLEARLY = 2.0
# seconds; a statement_timeout below is none
SHORTEST = 0.01
RUNS_ALLOWED = frozenset({"run", "both"})
# a rewrite that failed on the optimiser's account is not found again for so long
FAILED_SECONDS = 86_400.0


def _clearly_longer(one: Run, other: Run) -> bool:
    """By the backend's CPU time where both have it, as losers are judged: on a busy machine a duration says little."""
    if one.cpu is not None and other.cpu is not None:
        return one.cpu > CLEARLY * other.cpu
    return one.duration > CLEARLY * other.duration


@dataclass(slots=True)
class Workbench:
    """Everything needed to optimise queries of the configured databases. Not for several threads at once.

    The scratch server is started when first needed and shared (``scratch``).
    """

    config: Config
    store: Store
    budget: RunBudget
    scratch: Scratch
    model: Model = field(default_factory=NoModel)
    estimator: Estimator = field(default_factory=Estimator)
    priority_gate: PriorityGate = field(default_factory=PriorityGate)
    broken: BrokenReferences = field(default_factory=BrokenReferences)
    # what made rewrites fail here, to be tried again before they come back
    failing: dict[int, Job] = field(default_factory=dict)

    def optimise(self, job: Job) -> Rewrite | None:
        """Look for a rewrite and keep it; None when there is none. Raises NotOptimised with the reason.

        A query that is held (``inline``) is looked at only if it is expensive, and not for long.
        """
        database = self._database(job.database)
        known = self._known(job)
        if known is not None:
            raise NotOptimised(f"known: rewrite {known.id} is {known.state}")
        dsn = database_dsn(database.optimiser_dsn, job.database)
        budget = self.config.optimiser.budget
        if job.kind == "inline":
            work = self._require_expensive(dsn, job)
            budget = min(budget, job.budget, work * SECONDS_A_COST)
        # without a scratch server there are only proofs
        tested = job.kind != "inline" or self.scratch.at_once() is not None
        with self._session(dsn) as session:
            session.require_trusted(job.text, _types_of(job))
            session.bind(job.text, job.values)
            catalog = snapshot(session.connection)
            looks = self._looks(session, job, budget)
            searched = self._search(session, dsn, catalog, job, budget, looks)
            outcome = searched.outcome
            found = self._found(outcome, dsn, job, self._learning(session, catalog, job))
            if found is None:
                self._keep_trace(outcome, None)
                if job.kind == "inline" and not tested:
                    raise NotYet("nothing is proved, and the scratch server is being started")
                raise NotOptimised(outcome.reason or "tried, and nothing faster was found")
            new, plain = found
            rests = Rests(searched.needed, looks.snapshot(searched.needed))
            return self._keep(session, catalog, job, outcome, new, plain, rests)

    def widen(self, kept: Rewrite, job: Job) -> Rewrite | None:
        """Look again at a rewrite that was found while its client waited: for a counterexample, which retires it, and for the
        literals that it holds for, which a rewrite of their template serves from then on, in its place.

        The rewrite that came of it; None: it stands as it is. Raises NotOptimised, StoreError.
        """
        proposal = kept.proposal
        if proposal.hints or kept.state not in SERVABLE:
            return None
        # the store may not keep the literals, which the client's own text has
        replacement = filled(replace(proposal, original=job.text))
        if replacement is None:
            return None
        dsn = database_dsn(self._database(job.database).optimiser_dsn, job.database)
        with self._session(dsn) as session:
            declared = snapshot(session.connection)
            catalog = trusted(declared, policy_of(self.config), self.broken.of(job.database))
            path = _path(session)
            options = Options(
                seconds=self.config.verify.timeout,
                search_path=path,
                server_major=session.server_version // 10000,
            )
            self.priority_gate.give_way()
            with Checker(catalog, self.scratch.server(), options) as checker:
                seen = SecondLook(checker).check(job.text, replacement, CONFIRM_SECONDS)
            if seen.level == "refuted":
                return self.store.rewrites.act(
                    kept.id, Action.RETIRE, reason="refuted: a counterexample was found", by="optimiser"
                )
            if proposal.scope != "these":
                return None
            scoper = TemplateScoper(
                catalog,
                path,
                frozenset(self.config.verify.accept),
                self.priority_gate.give_way,
                self.config.verify.timeout,
            )
            deadline = Deadline.after(self.config.optimiser.budget)
            self.priority_gate.give_way()
            scoped = scoper.scope(proposal.original, proposal.replacement, deadline)
            if scoped.scope != "any" or scoped.evidence is None:
                return None
            looks = self._looks(session, replace(job, kind="slow"), self.config.optimiser.budget)
            texts = (proposal.original, proposal.replacement)
            needed = rests_on(catalog, scoped.evidence, texts)
            if policy_of(self.config) == "verified" and any(looks(key) for key in needed):
                return None
            new = with_references(widened(proposal, scoped, scoped.evidence), needed)
            guard = self._guard(session, *texts, declared, Rests(needed, looks.snapshot(needed)))
            wider = self._keep_new(session, declared, job, new, guard)
        if wider.id != kept.id and wider.state in SERVED_STATES:
            self.store.rewrites.act(
                kept.id, Action.RETIRE, reason=f"rewrite {wider.id} serves all its literals", by="optimiser"
            )
        return wider

    def _require_expensive(self, dsn: str, job: Job) -> float:
        """Its estimated cost. Raises Cheap for a query whose estimated cost is below ``min_cost``; NotOptimised."""
        try:
            work = self.estimator.work(dsn, job.text, job.values)
        except Untrusted as error:
            raise NotOptimised(f"not optimised: {error}") from error
        except (SessionError, psycopg.Error) as error:
            raise NotOptimised(refused_by_server(error)) from error
        if work < job.min_cost:
            raise Cheap(f"its estimated cost of {work:.0f} is below rewright.min_cost")
        return work

    def standing(self, job: Job) -> Rewrite | None:
        """A rewrite of this very text that may be served already."""
        known = self._known(job)
        return known if known is not None and known.state in SERVABLE else None

    # -- what is there

    def _database(self, name: str) -> Database:
        database = self.config.databases.get(name) or self.config.databases.get("*")
        if database is None or database.engine != "postgres":
            raise NotOptimised(f"no PostgreSQL database {name} is configured")
        if not database.optimiser_dsn:
            raise NotOptimised(f"[databases.{name}] optimiser_dsn is not set")
        return database

    def _known(self, job: Job) -> Rewrite | None:
        """A rewrite of this very text that stands, or that a person rejected."""
        for one in self.store.rewrites.find(database=job.database, template_key=job_key(job), limit=20):
            old = one.proposal.checker_version not in {"", CHECKER_VERSION}
            if one.state is State.REJECTED or (one.state is not State.RETIRED and not old):
                return one
            lately = time.time() - one.changed_at < FAILED_SECONDS
            if one.state is State.RETIRED and lately and one.reason.startswith(FAILED):
                return one
        return None

    def examine(self, job: Job) -> Rewrite | None:
        """Whether what a role saw of a rewrite can be seen here, too: then it is retired. None: it stands.

        Raises NotOptimised where that can't be found out; the role's doubt then ends by itself.
        """
        rewrite = self._served(job)
        if rewrite is None:
            return None
        if not job.sqlstate:
            return self._measured_again(rewrite, job.role)
        replacement = replacement_for(rewrite.proposal, job.text)
        if replacement is None:
            raise NotOptimised("the text is not the rewrite's")
        finding, sqlstate = self._failures(job, replacement)
        if finding == "unknown":
            raise NotOptimised("the failure of a rewrite could not be compared with its original's")
        if finding == "blamed":
            self.failing[rewrite.id] = job
            reason = f"{FAILED}: {condition(sqlstate)}"
            return self.store.rewrites.act(rewrite.id, Action.RETIRE, reason=reason, by="optimiser")
        if finding == "alike":
            self.store.doubts.forget(rewrite.id, job.role)
        else:
            self.store.doubts.settle(rewrite.id, job.role)
        return None

    def _served(self, job: Job) -> Rewrite | None:
        """The rewrite that a job is about, if it may be served. Raises NotOptimised."""
        try:
            rewrite = self.store.rewrites.get(job.rewrite_id)
        except NotFound as error:
            raise NotOptimised(str(error)) from error
        return rewrite if rewrite.state in SERVABLE else None

    def _failures(self, job: Job, replacement: str) -> tuple[Finding, str]:
        """Raises NotOptimised."""
        runs = self.config.optimiser.measure in RUNS_ALLOWED
        if runs and not (self.budget.take() and self.budget.take()):
            raise NotYet("no runs are left in this hour")
        limit = self.config.optimiser.run_timeout if runs else None
        database = self._database(job.database)
        with self._session(database_dsn(database.optimiser_dsn, job.database)) as session:
            session.bind(job.text, job.values)
            return compare_failures(session, job.text, replacement, limit)

    def _measured_again(self, rewrite: Rewrite, role: str) -> Rewrite | None:
        """Raises NotOptimised."""
        if self.config.optimiser.measure not in RUNS_ALLOWED:
            raise NotOptimised("nothing may be run: [optimiser] measure")
        runs = self.compare(rewrite)
        lost = judge(self.store, rewrite, runs)
        if lost is None and runs:
            self.store.doubts.settle(rewrite.id, role)
        return lost

    def may_reconsider(self, rewrite: Rewrite) -> bool:
        """Whether it can be found out that a retired rewrite was retired by mistake, or that what was wrong is over."""
        if not unreproduced(rewrite) and not rewrite.reason.startswith(SLOWER):
            return rewrite.id in self.failing
        return self.config.optimiser.measure in RUNS_ALLOWED or not rewrite.reason.startswith(SLOWER)

    def reconsider(self, rewrite: Rewrite) -> Rewrite | None:
        """Look at a retired rewrite again: its facts, a counterexample, its failure, its time. None: it stays retired.

        Raises NotOptimised, StoreError.
        """
        against = self._against(rewrite)
        if against:
            self.store.events.add([Event(rewrite.id, "", RECONSIDERED, {"outcome": against})])
            return None
        self.failing.pop(rewrite.id, None)
        trust: Any = self._defaults_of(rewrite.proposal.database).get("trust", "proved")
        accept = frozenset(self.config.verify.accept)
        return restore(self.store, rewrite, active=starts_active(rewrite.proposal, Level(trust), accept))

    def _against(self, rewrite: Rewrite) -> str:
        """Why it stays retired; empty where nothing speaks against it."""
        proposal = rewrite.proposal
        guard, replacement = guard_of(proposal.guard), filled(proposal)
        old = proposal.checker_version not in {"", CHECKER_VERSION}
        if guard is None or replacement is None or old:
            return "its evidence is not of today"
        with self._session(
            database_dsn(self._database(proposal.database).optimiser_dsn, proposal.database)
        ) as session:
            if not guards.holds(session, guard):
                return "a name or schema fact it rests on has changed"
            path = _path(session)
            options = Options(search_path=path, server_major=session.server_version // 10000)
            with Checker(snapshot(session.connection), self.scratch.server(), options) as checker:
                seen = SecondLook(checker).check(proposal.original, replacement, CONFIRM_SECONDS)
            if seen.level == "refuted":
                return "a counterexample was found"
        job = self.failing.get(rewrite.id)
        text = None if job is None else replacement_for(proposal, job.text)
        if job is not None and (text is None or self._failures(job, text)[0] in {"blamed", "unknown"}):
            return "it still fails, or that could not be found out"
        if self.config.optimiser.measure not in RUNS_ALLOWED or not has_values(proposal):
            return ""
        runs = self.compare(rewrite)
        self.store.rewrites.add_timings(runs)
        before, after = ([one for one in runs if one.side == side] for side in SIDES)
        return "it is slower" if not runs or loses(before, after) else ""

    def recheck(self, job: Job) -> Rewrite | None:
        """Retire a rewrite whose names or schema facts no longer hold here, either; None: they do.

        Raises NotOptimised.
        """
        rewrite = self._served(job)
        guard = None if rewrite is None else guard_of(rewrite.proposal.guard)
        database = self._database(job.database)
        if guard is None or rewrite is None:
            return None
        with self._session(database_dsn(database.optimiser_dsn, job.database)) as session:
            if guards.holds(session, guard):
                return None
        return self.store.rewrites.act(
            rewrite.id, Action.RETIRE, reason="a name or schema fact it rests on has changed", by="optimiser"
        )

    def explain(self, job: Job) -> Mapping[str, Any]:
        """The outcome's document (docs/reference/json.md) for EXPLAIN (REWRITE); keeps nothing.

        Raises NotOptimised; NotAllowed when the role may not read what the query names.
        """
        database = self._database(job.database)
        dsn = database_dsn(database.optimiser_dsn, job.database)
        with self._session(dsn) as session:
            if not guards.readable(session, job.role, job.text):
                raise NotAllowed("permission denied for a relation of the query")
            session.require_trusted(job.text, _types_of(job))
            catalog = snapshot(session.connection)
            budget = self.config.optimiser.budget
            looks = self._looks(session, job, budget)
            outcome = self._search(session, dsn, catalog, job, budget, looks).outcome
            hinter = self._hinter(dsn, job, self._learning(session, catalog, job))
        document = outcome.to_json()
        document["hinting"] = dict(outcome.hints) if outcome.hints else self._considered(outcome, hinter, job)
        if document["hinting"] and outcome.best is None:
            document["hints"] = document["hinting"]["hints"] or None
        return document

    def _considered(self, outcome: Outcome, hinter: Any, job: Job) -> Mapping[str, Any] | None:
        """What the hinter says of the original, where there is no rewrite that would carry hints."""
        if outcome.best is not None or not isinstance(hinter, HintPort):
            return None
        return hinter.consider(job.text, Deadline.after(self.config.optimiser.budget))

    def compare(self, rewrite: Rewrite) -> Sequence[Timing]:
        """Run replacement and original again in turn, until either clearly wins or the regression monitor has runs enough.

        Empty where that can't be done: no values for parameters, no runs left in this hour, or the replacement takes
        longer than ``run_timeout``. An original is stopped there: its time is then a lower bound. Raises NotOptimised.
        """
        proposal = rewrite.proposal
        replacement = filled(proposal)
        if replacement is None or not has_values(proposal):
            return ()
        database = self._database(proposal.database)
        found: list[Timing] = []
        with self._session(database_dsn(database.optimiser_dsn, proposal.database)) as session:
            session.bind(proposal.original, values_of(proposal))
            for _ in range(RUNS):
                if not (self.budget.take() and self.budget.take()):
                    break
                after = session.run(replacement, stop_after=self.config.optimiser.run_timeout)
                if not after.finished:
                    return ()
                # where originals are not run, one is stopped when it can't be the faster one any more
                both = self.config.optimiser.measure == "both"
                limit = self.config.optimiser.run_timeout if both else after.duration
                before = session.run(proposal.original, stop_after=max(limit, SHORTEST))
                found += [timing_of(rewrite, "replacement", after), timing_of(rewrite, "original", before)]
                if not before.finished or _clearly_longer(before, after):
                    break
        return found

    @contextmanager
    def _session(self, dsn: str) -> Iterator[Session]:
        limit = self.config.optimiser.run_timeout
        try:
            with Session(dsn, limits=Limits(statement=limit)) as session:
                yield session
        except Untrusted as error:
            raise NotOptimised(f"not optimised: {error}") from error
        except (SessionError, psycopg.Error) as error:
            raise NotOptimised(refused_by_server(error)) from error

    def measure_hints(self, *, interval: float = hint_regressions.INTERVAL) -> Rewrite | None:
        """Run one served rewrite with its hints and without, if one is due; which. Raises NotOptimised, StoreError."""
        if self.config.optimiser.measure not in {"run", "both"}:
            return None
        rewrite = hint_regressions.due(self.store, interval=interval)
        if rewrite is None:
            return None
        name = rewrite.proposal.database
        limit = self.config.optimiser.run_timeout
        try:
            dsn = database_dsn(self._database(name).optimiser_dsn, name)
            with HintingSession(dsn, limits=Limits(statement=limit)) as session:
                found = hint_regressions.measure(session, rewrite, limit, self.budget.take)
        except (SessionError, psycopg.Error) as error:
            raise NotOptimised(refused_by_server(error)) from error
        self.store.rewrites.add_timings(found)
        return rewrite if found else None

    # -- foreign keys

    def _looks(self, session: Session, job: Job, budget: float) -> Looks:
        """While somebody waits, a look has what is left of the ``budget``."""
        waiting = job.kind == "inline"
        limit, deadline = self.config.optimiser.run_timeout, Deadline.after(budget)
        return Looks(
            lambda: session.connection,
            job.database,
            self.broken,
            (lambda: min(deadline.left(), limit)) if waiting else (lambda: limit),
            patient=not waiting,
        )

    def _search(
        self, session: Session, dsn: str, catalog: Catalog, job: Job, budget: float, looks: Looks
    ) -> Searched:
        """The runs, with the foreign keys that they may rely on."""
        deadline = Deadline.after(budget)

        def run(trusted: Catalog) -> Outcome:
            return self._run(session, dsn, trusted, job, deadline_seconds=max(deadline.left(), 0.0))

        return search(catalog, policy_of(self.config), looks, run, self.broken.of(job.database))

    def look_again(self, rewrite: Rewrite) -> Rewrite | None:
        """Look at the rows under a served rewrite; retired when a foreign key is not kept, None: it stands.

        Raises NotOptimised where the server can't be asked, StoreError.
        """
        proposal, policy = rewrite.proposal, policy_of(self.config)
        guard = guard_of(proposal.guard)
        why = ""
        if policy == "never":
            why = "[optimiser] foreign_keys is never"
        elif policy == "verified" and guard is not None and not guard.snapshot:
            why = "no rows were looked at when it was found"
        elif policy == "verified":
            why = self._broken_under(rewrite)
        if not why:
            renew(self.store, rewrite, time.time())
            return None
        return self.store.rewrites.act(
            rewrite.id, Action.RETIRE, reason=f"foreign keys are not relied on: {why}", by="optimiser"
        )

    def _broken_under(self, rewrite: Rewrite) -> str:
        """The first of its foreign keys that is not kept, with the reason. Raises NotOptimised."""
        name = rewrite.proposal.database
        dsn = database_dsn(self._database(name).optimiser_dsn, name)
        limit = self.config.optimiser.run_timeout
        with self._session(dsn) as session:
            known = set(references(snapshot(session.connection)))
            looks = Looks(lambda: session.connection, name, self.broken, lambda: limit)
            for key in references_of(rewrite.proposal):
                why = looks(key) if key in known else "it is no longer enforced for all rows"
                if session.connection.closed:
                    raise NotOptimised(f"foreign key {key}: {why}")
                if why:
                    return f"{key}: {why}"
        return ""

    # -- the run

    def _run(
        self, session: Session, dsn: str, catalog: Catalog, job: Job, *, deadline_seconds: float
    ) -> Outcome:
        path = _path(session)
        options = Options(
            seconds=self.config.verify.timeout, search_path=path, server_major=session.server_version // 10000
        )
        waiting = job.kind == "inline"
        learning = self._learning(session, catalog, job)
        between = self.priority_gate.give_way
        database = FrugalDatabase(
            PostgresDatabase(session, catalog, path), self.budget, count_subplans=waiting, between=between
        )
        derivations = Derivations()
        scratch = self.scratch.at_once() if waiting else self.scratch.server()
        with Checker(catalog, scratch, options) as checker:
            # what is held is looked at once more when the client has its answer (`widen`)
            confirm = 0.0 if waiting else CONFIRM_SECONDS
            chains = by_steps(checker, derivations, catalog, path, confirm, between)
            ports = Ports(
                database=database,
                inspector=database,
                derivations=derivations,
                checker=PoliteChecker(chains, self.priority_gate),
                prover=chains,
                proposer=RuleProposer(
                    catalog, path, derivations=derivations, later=learning.avoid(), **_search_limits(job)
                ),
                scoper=TheseLiterals()
                if waiting and self.config.store.literals
                else TemplateScoper(
                    catalog, path, frozenset(self.config.verify.accept), self.priority_gate.give_way
                ),
                eligible=partial(
                    eligible, catalog=catalog, search_path=path, filtered=filtered_tables(session)
                ),
                model=self.model if job.model else NoModel(),
                hinter=self._hinter(dsn, job, learning),
                knowledge=NoKnowledge()
                if waiting
                else Experienced(
                    knowledge_of(self.config.store.url, catalog, path, options.server_major), learning
                ),
                journal=StoreJournal(self.store.events),
            )
            outcome = Rewriter(ports).optimise(
                job.text, observed_seconds=job.observed, settings=self._settings(job, deadline_seconds)
            )
            learning.after(outcome)
            return outcome

    def _learning(self, session: Session, catalog: Catalog, job: Job) -> Learning:
        from rewright.wiring.reporting import normalized, template_key

        key = template_key(job.database, normalized(job.text))
        return Learning.about(self.store.lessons, job.database, catalog.digest(), session.server_version, key)

    def _hinter(self, dsn: str, job: Job, learning: Learning) -> Any:
        from rewright.rewrite.ports import NoHints

        section = self.config.optimiser
        if not job.hints or section.measure == "off" or job.kind == "inline":
            return NoHints()  # hints are measured, which nobody can wait for
        if learning.hints_lost():
            return NoHints()
        waited_for = job.kind in {"explain", "inline"} and not job.analyze
        execute = section.measure in {"run", "both"} and not waited_for and not job.blind
        return HintPort(
            dsn,
            section.run_timeout,
            execute,
            learning.hint_lost,
            allow=self.budget.take,
            model=self.model if job.model else NoModel(),
            share=self.config.models.share,
            values=job.values,
        )

    def _settings(self, job: Job, budget: float) -> Settings:
        section = self.config.optimiser
        measure: Any = section.measure
        if job.blind or (job.kind in {"explain", "inline"} and not job.analyze):
            # there are no values to run it with, it was not asked for, or somebody waits
            measure = "off" if measure == "off" else "explain"
        trust: Any = self._defaults(job).get("trust", "proved")
        share: Any = self.config.models.share
        settings = Settings(
            trust=trust,
            accept=frozenset(self.config.verify.accept),
            budget=budget,
            measure=measure,
            run_timeout=section.run_timeout,
            check_seconds=self.config.verify.timeout,
            model=job.model,
            share=share,
            samples=self.config.models.samples,
        )
        if job.kind != "inline":
            return settings
        # the first good one, quickly: what is slow all the same is looked at again with patience
        return replace(settings, width=3, run_width=1, looking=0.8, single_pass=True, model=False)

    def _defaults(self, job: Job) -> Mapping[str, str]:
        return self._defaults_of(job.database)

    def _defaults_of(self, name: str) -> Mapping[str, str]:
        database = self.config.databases.get(name) or self.config.databases.get("*")
        return {**self.config.defaults, **(database.defaults if database else {})}

    # -- what came of it

    def _found(
        self, outcome: Outcome, dsn: str, job: Job, learning: Learning
    ) -> tuple[NewRewrite, str] | None:
        """The proposal without its guard, and the replacement without hints."""
        if outcome.best is not None:
            plain = outcome.best.checked.candidate.sql
            return proposal_of(outcome, job, plain), plain
        hinter = self._hinter(dsn, job, learning)
        document = hinter.recommend(job.text, Deadline.after(self.config.optimiser.budget))
        hinted = hinted_text(job.text, document)
        if hinted is None:
            return None
        return hinted_original(job, hinted, document), job.text

    def _keep(
        self,
        session: Session,
        catalog: Catalog,
        job: Job,
        outcome: Outcome,
        new: NewRewrite,
        plain: str,
        rests: Rests,
    ) -> Rewrite:
        guard = self._guard(session, job.text, plain, catalog, rests)
        new = with_references(new, rests.keys)
        kept = self._keep_new(session, catalog, job, new, guard, plain if new.hints else None)
        self._keep_trace(outcome, kept)
        self._keep_timings(kept, outcome, job)
        return kept

    def _keep_new(
        self,
        session: Session,
        catalog: Catalog,
        job: Job,
        new: NewRewrite,
        guard: Any,
        unhinted: str | None = None,
    ) -> Rewrite:
        """Kept with what it is served under, and active where its evidence is enough."""
        new = replace(
            new,
            guard=guard_document(guard) if guard is not None else None,
            parameters=parameter_document(
                job.param_types,
                unhinted,
                # they say as much as literals do
                job.values if self.config.store.literals else NO_VALUES,
            ),
            catalog_digest=catalog.digest(),
            search_path=", ".join(_path(session)),
            server_version=_version_text(session.server_version),
        )
        kept = self.store.rewrites.add(new)
        if references_of(new):
            renew(self.store, kept, time.time())
        trust: Any = self._defaults(job).get("trust", "proved")
        accept = frozenset(self.config.verify.accept)
        if kept.state is State.PROPOSED and guard is not None and starts_active(new, Level(trust), accept):
            kept = self.store.rewrites.act(
                kept.id, Action.ACTIVATE, by="optimiser", reason=f"{new.level} evidence"
            )
        return kept

    def _guard(
        self, session: Session, original: str, replacement: str, catalog: Catalog, rests: Rests
    ) -> Any:
        """None when it can't be written; the rewrite is then kept for people to see, and not served."""
        try:
            return guards.capture(
                session,
                original,
                replacement,
                catalog.digest(),
                foreign_keys=bool(rests.keys),
                looked_at=rests.snapshot,
            )
        except (guards.GuardFailed, ModuleNotFoundError):
            return None

    def _keep_trace(self, outcome: Outcome, kept: Rewrite | None) -> None:
        if kept is not None:
            self.store.events.add(
                [Event(kept.id, outcome.job, str(one.get("state", "")), dict(one)) for one in outcome.events]
            )

    def _keep_timings(self, kept: Rewrite, outcome: Outcome, job: Job) -> None:
        timings = [Timing(kept.id, "original", job.observed * 1000, source="client")]
        best = outcome.best
        if best is not None and best.seconds_after is not None:
            side: Side = "plain" if kept.proposal.hints else "replacement"
            timings.append(Timing(kept.id, side, best.seconds_after * 1000, source="optimiser"))
        self.store.rewrites.add_timings(timings)


@dataclass(frozen=True, slots=True)
class Rests:
    """Foreign keys under a rewrite, and the transaction number of the look at them."""

    keys: frozenset[Reference]
    snapshot: int


def _search_limits(job: Job) -> Mapping[str, Any]:
    """While a client waits, most of the time is for checking what was found."""
    return {"seconds": min(1.0, job.budget / 4)} if job.kind == "inline" else {}


def _types_of(job: Job) -> tuple[int, ...]:
    """Declared types of the parameters, whose input functions would read the values."""
    return (*job.param_types, *job.values.types)


def database_dsn(dsn: str, name: str) -> str:
    """``dsn`` with the database that the client asked for, where it names none itself."""
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    if parts.get("dbname"):
        return dsn
    return psycopg.conninfo.make_conninfo(dsn, dbname=name)


def refused_by_server(error: SessionError | psycopg.Error) -> str:
    """Its message may hold values of rows and of literals: nobody is told."""
    return f"the server says {condition(error.sqlstate or '')}".rstrip()


def _path(session: Session) -> tuple[str, ...]:
    """Schemas of the effective search path, pg_catalog aside."""
    return tuple(schema for schema in session.search_path() if schema != "pg_catalog")


def _version_text(number: int) -> str:
    return f"{number // 10000}.{number % 10000}"
