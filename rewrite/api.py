"""The rewriter's public API: it takes one query and returns an `Outcome`. The optimiser process and the
command line both use it.

Owns how a run is put together from ports and settings, and the JSON form of an outcome. Must not know which
database, checker, store or model is behind the ports.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.models.api import Usage
from rewright.models.redact import Redactor
from rewright.rewrite.agents.assistant import Assistant
from rewright.rewrite.agents.decision import Decision
from rewright.rewrite.agents.executed import with_executed_plans
from rewright.rewrite.agents.guard import parse_one
from rewright.rewrite.agents.mdp import ModelStrategy
from rewright.rewrite.agents.memory import Memory, QueryFacts
from rewright.rewrite.agents.reasoning import Reasoning
from rewright.rewrite.agents.report import report
from rewright.rewrite.agents.runs import Runs
from rewright.rewrite.machine.drive import Driver, Trace
from rewright.rewrite.model import Deadline, Evidence, Explained, Settings, Weighed, digest
from rewright.rewrite.ports import DatabaseError, NoKnowledge, Ports, Scoped


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one query. ``best`` is the best verified replacement, or None. ``servable`` says whether
    its evidence meets the trust that was asked for; otherwise the replacement is only proposed. ``reason``
    says why nothing is served. ``observed``, ``seconds`` and ``first_verified`` are seconds; the latter two
    count from the start of the run.
    """

    original: str
    best: Weighed | None
    servable: bool
    reason: str
    scoped: Scoped
    report: Mapping[str, Any]
    hints: Mapping[str, Any] | None = None
    before: Explained | None = None
    observed: float | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    first_verified: float | None = None
    job: str = ""
    events: tuple[Mapping[str, Any], ...] = ()

    @property
    def evidence(self) -> Evidence | None:
        return self.best.checked.evidence if self.best else None

    def to_json(self) -> dict[str, Any]:
        """The document of `rewright rewrite --json` (docs/rewriting.md)."""
        best, evidence = self.best, self.evidence
        candidate = best.checked.candidate if best else None
        return {
            "original": self.original,
            "rewritten": candidate.sql if candidate and self.servable else None,
            "proposed": candidate.sql if candidate and not self.servable else None,
            "hints": self.hints.get("hints") if self.hints else None,
            "verdict": evidence.level if evidence else None,
            "assumptions": list(evidence.assumptions) if evidence else [],
            "modulo": list(evidence.modulo) if evidence else [],
            "scope": self.scoped.scope if best else None,
            "steps": [s.to_json() for s in candidate.steps] if candidate else [],
            "source": candidate.source if candidate else None,
            "units": list(candidate.units) if candidate else [],
            "cost_before": self.before.cost if self.before else None,
            "cost_after": best.cost_after if best else None,
            # an original that was only seen elsewhere has a time nevertheless
            "seconds_before": best.seconds_before if best and best.measured else self.observed,
            "seconds_after": best.seconds_after if best else None,
            "tokens": self.usage.tokens,
            "money": self.usage.money,
            "reason": self.reason,
            "report": dict(self.report),
            "evidence": dict(evidence.document) if evidence else None,
            "seconds": round(self.seconds, 3),
            "first_verified_seconds": self.first_verified,
            "job": self.job,
        }


@dataclass(frozen=True, slots=True)
class Rewriter:
    """Finds a faster equivalent of one query at a time. Safe to call from several
    threads if the ports are.
    """

    ports: Ports

    def optimise(
        self, sql: str, *, observed_seconds: float | None = None, settings: Settings | None = None
    ) -> Outcome:
        """Run the state machine on ``sql``. Errors of the query, a model or the server do not raise: they
        become the outcome's ``reason``.

        ``observed_seconds``: how long the original has been seen to run. If it is still running, this is the
        time so far. Runs of a replacement are stopped after that.
        """
        settings = settings or Settings()
        started = time.monotonic()
        deadline = Deadline.after(settings.budget)
        sql = sql.strip().rstrip(";").rstrip()
        prepared = self._prepare(sql, settings)
        if isinstance(prepared, str):
            # refused before it began: no events, no report beyond the reason
            return self._unchanged(sql, prepared, None, observed_seconds, started)
        run = _Session(self.ports, sql, prepared, observed_seconds, settings)
        trace = run.driver().drive(run.rounds, deadline)
        return self._outcome(run, trace, started, deadline)

    def _prepare(self, sql: str, settings: Settings) -> QueryFacts | str:
        """The facts of the query, or the reason why it is not rewritten."""
        # the statement itself first, then what the catalog says of it
        statement = parse_one(sql)
        if isinstance(statement, str):
            return f"not rewritten: {statement}"
        try:
            if (reason := self.ports.eligible(sql)) is not None:
                return f"not rewritten: {reason}"
            # a plan is made only where costs are compared, and the schema's text only for a model's prompts
            explained = None if settings.measure == "off" else self.ports.database.explain(sql)
            schema = self.ports.database.schema_text(sql) if self._with_model(settings) else ""
        except DatabaseError as error:
            return f"not rewritten: the server says {error}"
        except Exception as error:  # noqa: BLE001 - principle 1: in doubt the original
            return f"not rewritten: {type(error).__name__}: {error}"[:500]
        return QueryFacts(sql, schema, explained)

    def _with_model(self, settings: Settings) -> bool:
        return settings.model and self.ports.model.available("reasoning")

    def _outcome(self, run: _Session, trace: Trace, started: float, deadline: Deadline) -> Outcome:
        best = trace.finish.best
        if best is None:
            # nothing was both verified and better; the notes say what the agents met on the way
            reason = "; ".join((trace.finish.reason, *trace.finish.notes))
            outcome = self._unchanged(run.sql, reason, run.facts.explained, run.observed, started)
            return _with_trace(outcome, trace, run.job, run.first_verified(started))
        evidence = best.checked.evidence
        settings = run.settings
        servable = evidence.meets(settings.trust, settings.accept)
        shortfall = evidence.shortfall(settings.trust, settings.accept)
        reason = "" if servable else "; ".join((shortfall, *trace.finish.notes))
        outcome = Outcome(
            original=run.sql,
            best=best,
            servable=servable,
            reason=reason,
            scoped=self._scope(run.sql, best, settings, deadline),
            report=with_executed_plans(run.sql, best, self.ports.inspector, settings, deadline),
            hints=self._hints(best.checked.candidate.sql, deadline),
            before=run.facts.explained,
            observed=run.observed,
            seconds=time.monotonic() - started,
        )
        return _with_trace(outcome, trace, run.job, run.first_verified(started))

    def _scope(self, sql: str, best: Weighed, settings: Settings, deadline: Deadline) -> Scoped:
        """For which literals it holds. What is not proved for its own ones, or only with reservations, is not
        proved for all.
        """
        # the template of a pair that is not proved itself cannot be proved either
        if best.checked.evidence.counts_as(settings.accept) != "proved":
            return Scoped("these", reason="not proved without reservations for its own literals")
        try:
            return self.ports.scoper.scope(sql, best.checked.candidate.sql, deadline)
        except Exception as error:  # noqa: BLE001 - the narrow scope is always sound
            return Scoped("these", reason=f"{type(error).__name__}: {error}"[:200])

    def _hints(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        try:
            # hints are extra: they are not looked for when the time is up
            return None if deadline.passed else self.ports.hinter.recommend(sql, deadline)
        except Exception:  # noqa: BLE001 - no hints is an answer
            return None

    def _unchanged(
        self, sql: str, reason: str, before: Explained | None, observed: float | None, started: float
    ) -> Outcome:
        """An outcome that keeps the original. Its report holds what is known of the original's cost."""
        document = report(before, None, seconds=(observed, None), other=[reason] if reason else [])
        return Outcome(
            original=sql,
            best=None,
            servable=False,
            reason=reason,
            scoped=Scoped("these"),
            report=document,
            before=before,
            observed=observed,
            seconds=time.monotonic() - started,
        )


@dataclass(slots=True)
class _Session:
    """The agents of one run. They share the memory, the redactor and the account of runs on the server."""

    ports: Ports
    sql: str
    facts: QueryFacts
    observed: float | None
    settings: Settings
    job: str = field(default_factory=lambda: uuid.uuid4().hex)
    _assistant: Assistant | None = None

    def driver(self) -> Driver:
        settings, ports = self.settings, self.ports
        memory = Memory()
        memory.remember(self.facts)
        # without a model that reasons, the other roles have nobody to talk about
        model = ports.model if settings.model and ports.model.available("reasoning") else None
        redactor = Redactor(settings.share)
        # everything that names come from, before anything is redacted by them
        redactor.sql(self.sql)
        redactor.sql(self.facts.schema)
        # a budget is per original text, whatever candidate is talked about
        scope = digest(self.sql)
        strategy = None if model is None else ModelStrategy(model, redactor, scope, samples=settings.samples)
        before = self.facts.explained
        runs = Runs(self.sql, before, self.observed, ports.database, settings)
        self._assistant = Assistant(
            self.sql,
            ports.database,
            ports.checker,
            memory,
            settings,
            model,
            redactor,
            scope,
            runs,
            ports.prover,
            ports.derivations,
            ports.guard,
        )
        decision = Decision(
            self.sql,
            before,
            runs,
            ports.database,
            ports.knowledge,
            memory,
            settings,
            model,
            redactor,
            scope,
            self._assistant.confirm,
            ports.gates,
        )
        reasoning = Reasoning(
            self.sql,
            before.cost if before else None,
            ports.database,
            ports.proposer,
            strategy,
            memory,
            settings,
            ports.knowledge if settings.knowledge else NoKnowledge(),
            ports.inspector,
            ports.derivations,
            ports.guard,
            self._assistant.stood_back,
            self._assistant.look_early,
        )
        return Driver(self.job, reasoning, self._assistant, decision, ports.journal)

    @property
    def rounds(self) -> int:
        """A model gets one round more: the first round belongs to the rules, and the model should still have
        a round in which it sees what became of its own proposals.
        """
        asked = self.settings.model and self.ports.model.available("reasoning")
        return self.settings.rounds + (1 if asked and self.settings.rounds > 1 else 0)

    def first_verified(self, started: float) -> float | None:
        first = self._assistant.first_passed if self._assistant else None
        return None if first is None else round(first - started, 4)


def _with_trace(outcome: Outcome, trace: Trace, job: str, first: float | None) -> Outcome:
    return replace(outcome, usage=trace.usage, events=trace.events, job=job, first_verified=first)
