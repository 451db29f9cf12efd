"""The search for one job: from a session, a catalog and a query to what was found.

Owns how the configuration and a job's kind become the rewriter's settings. Must not know what is kept of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rewright.config.model import Config
from rewright.engines.postgres.session import Session
from rewright.models.api import Model, NoModel
from rewright.processes.jobs import Job
from rewright.rewrite.adapters.journal import StoreJournal
from rewright.rewrite.adapters.live import Extras, Place, Terms, composed, path_of
from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Deadline, Settings
from rewright.rewrite.ports import Hinter, NoHints, NoKnowledge
from rewright.rewrite.row_facts import Searched, search
from rewright.sql.catalog import Catalog
from rewright.store.api import Store
from rewright.store.records import NewRewrite
from rewright.wiring.accounts import Accounts
from rewright.wiring.budget import FrugalDatabase, RunBudget
from rewright.wiring.knowledge_provider import knowledge_of
from rewright.wiring.learning import Experienced, Learning
from rewright.wiring.ports.hinting import HintPort
from rewright.wiring.priority_gate import PriorityGate
from rewright.wiring.proposals import hinted_original, hinted_text, proposal_of
from rewright.wiring.reporting import normalized, template_key
from rewright.wiring.row_facts import FactMemory, Looks, Rests, looks_for, policy_of
from rewright.wiring.scratch import Scratch


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to. ``rewrite``: the proposal, without its guard; None: there is none."""

    outcome: Outcome
    rewrite: NewRewrite | None
    # the replacement without hints
    plain: str
    rests: Rests


@dataclass(frozen=True, slots=True)
class Searching:
    """Searches with the optimiser's means, within its limits. Not for several threads at once."""

    accounts: Accounts
    store: Store
    budget: RunBudget
    scratch: Scratch
    model: Model
    priority_gate: PriorityGate
    memory: FactMemory

    def find(self, session: Session, catalog: Catalog, job: Job, seconds: float) -> Found:
        """A rewrite of the job's query, or hints for its own text."""
        return self._search(session, catalog, job, seconds).found(seconds_for_hints=self._budget)

    def explain(self, session: Session, catalog: Catalog, job: Job) -> Mapping[str, Any]:
        """The outcome's document (docs/reference/json.md), with what the hinter says of the original."""
        return self._search(session, catalog, job, self._budget).document(self._budget)

    @property
    def _budget(self) -> float:
        return self.accounts.config.optimiser.budget

    def _search(self, session: Session, catalog: Catalog, job: Job, seconds: float) -> _Search:
        return _Search(
            self, session, catalog, job, looks_for(session, job, self.accounts.config, self.memory, seconds)
        ).run(Deadline.after(seconds))


class _Search:
    """One job's. ``searched`` once it was `run`."""

    searched: Searched

    def __init__(self, means: Searching, session: Session, catalog: Catalog, job: Job, looks: Looks) -> None:
        self.means, self.session, self.catalog, self.job, self.looks = means, session, catalog, job, looks
        self.config: Config = means.accounts.config
        self.waiting = job.kind == "inline"
        self.path = path_of(session)

    def run(self, deadline: Deadline) -> _Search:
        """With the facts that it may rely on."""

        def over(believed: Catalog) -> Outcome:
            return self._over(believed, max(deadline.left(), 0.0))

        known = self.means.memory.of(self.job.database)
        self.searched = search(self.catalog, policy_of(self.config), self.looks, over, known)
        return self

    def found(self, seconds_for_hints: float) -> Found:
        outcome = self.searched.outcome
        rests = self.looks.rests(self.searched.needed)
        # a rewrite was found: the hints that may go with it are in the outcome
        if outcome.best is not None:
            plain = outcome.best.checked.candidate.sql
            return Found(outcome, proposal_of(outcome, self.job, plain), plain, rests)
        # none: perhaps hints help the original text
        text = self.job.text
        document = self._hinter(self._learning(self.catalog)).recommend(
            text, Deadline.after(seconds_for_hints)
        )
        hinted = hinted_text(text, document)
        new = None if hinted is None else hinted_original(self.job, hinted, document)
        return Found(outcome, new, text, rests)

    def document(self, seconds_for_hints: float) -> Mapping[str, Any]:
        outcome = self.searched.outcome
        document = outcome.to_json()
        document["hinting"] = dict(outcome.hints) if outcome.hints else self._considered(seconds_for_hints)
        if document["hinting"] and outcome.best is None:
            document["hints"] = document["hinting"]["hints"] or None
        return document

    def _considered(self, seconds: float) -> Mapping[str, Any] | None:
        """What the hinter says of the original, where there is no rewrite that would carry hints."""
        hinter = self._hinter(self._learning(self.catalog))
        if self.searched.outcome.best is not None or not isinstance(hinter, HintPort):
            return None
        return hinter.consider(self.job.text, Deadline.after(seconds))

    def _over(self, catalog: Catalog, seconds: float) -> Outcome:
        """One run, which believes the ``catalog``."""
        means, job = self.means, self.job
        learning = self._learning(catalog)
        place = Place(self.session, catalog, self.path)
        # nobody who waits waits for the scratch server to start, too
        scratch = means.scratch.at_once() if self.waiting else means.scratch.server()
        extras = self._extras(place, learning)
        with composed(place, scratch, extras, self._terms(learning)) as rewriter:
            outcome = rewriter.optimise(
                job.text, observed_seconds=job.observed, settings=self._settings(seconds)
            )
            learning.after(outcome)
            return outcome

    def _extras(self, place: Place, learning: Learning) -> Extras:
        means, between = self.means, self.means.priority_gate.give_way
        # knowledge asks models and takes its time: not while a client waits
        units = (
            NoKnowledge()
            if self.waiting
            else Experienced(
                knowledge_of(self.config.store.url, place.catalog, place.search_path, place.server_major),
                learning,
            )
        )
        return Extras(
            model=self._model(),
            knowledge=units,
            hinter=self._hinter(learning),
            journal=StoreJournal(means.store.events),
            limited=lambda database: FrugalDatabase(
                database, means.budget, count_subplans=self.waiting, between=between
            ),
        )

    def _terms(self, learning: Learning) -> Terms:
        accept, between = self.means.accounts.accept, self.means.priority_gate.give_way
        terms = Terms(accept=accept, later=learning.avoid(), between=between)
        if not self.waiting:
            return terms
        # While a client waits, most of the time is for checking what was found. It is looked at once more
        # when the client
        # has its answer (`rewright.wiring.widening`), templates too, for which the store must have kept the
        # literals.
        return replace(
            terms,
            confirm=0.0,
            search=min(1.0, self.job.budget / 4),
            templates=not self.config.store.literals,
        )

    def _learning(self, catalog: Catalog) -> Learning:
        key = template_key(self.job.database, normalized(self.job.text))
        return Learning.about(
            self.means.store.lessons, self.job.database, catalog.digest(), self.session.server_version, key
        )

    def _model(self) -> Model:
        return self.means.model if self.job.model else NoModel()

    def _hinter(self, learning: Learning) -> Hinter:
        job, section = self.job, self.config.optimiser
        if not job.hints or section.measure == "off" or self.waiting:
            return NoHints()  # hints are measured, which nobody can wait for
        # they were tried for this query, and lost
        if learning.hints_lost():
            return NoHints()
        execute = section.measure in {"run", "both"} and not self._only_estimates() and not job.blind
        return HintPort(
            self.means.accounts.dsn(job.database),
            section.run_timeout,
            execute,
            learning.hint_lost,
            allow=self.means.budget.take,
            model=self._model(),
            share=self.config.models.share,
            values=job.values,
            path=job.search_path,
        )

    def _only_estimates(self) -> bool:
        """Somebody waits, or running it was not asked for."""
        return self.job.kind in {"explain", "inline"} and not self.job.analyze

    def _settings(self, budget: float) -> Settings:
        section, job = self.config.optimiser, self.job
        measure: Any = section.measure
        if job.blind or self._only_estimates():
            # where there are no values, it can't be run either
            measure = "off" if measure == "off" else "explain"
        share: Any = self.config.models.share
        settings = Settings(
            trust=self.means.accounts.trust(job.database),
            accept=self.means.accounts.accept,
            budget=budget,
            measure=measure,
            run_timeout=section.run_timeout,
            check_seconds=self.config.verify.timeout,
            model=job.model,
            share=share,
            samples=self.config.models.samples,
        )
        if not self.waiting:
            return settings
        # the first good one, quickly: what is slow all the same is looked at again with patience
        return replace(settings, width=3, run_width=1, looking=0.8, single_pass=True, model=False)
