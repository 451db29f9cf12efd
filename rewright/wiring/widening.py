"""A second look at what was found while a client waited.

Owns what there was no time for: the search for a counterexample, and the proof of the template. Must not know
how rewrites are found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.engines.postgres.catalog import snapshot
from rewright.processes.jobs import Job
from rewright.rewrite.adapters.live import Place, Terms, path_of, second_look
from rewright.rewrite.model import Deadline
from rewright.rewrite.ports import Scoped
from rewright.rewrite.row_facts import rests_on, to_look_at, trusted
from rewright.rewrite.search.chains import CONFIRM_SECONDS
from rewright.sql.catalog import Catalog
from rewright.store.api import Store
from rewright.store.life import SERVED_STATES, Action
from rewright.store.records import Rewrite
from rewright.wiring.accounts import Accounts
from rewright.wiring.keeping import Keeping
from rewright.wiring.priority_gate import PriorityGate
from rewright.wiring.proposals import replacement_for, widened
from rewright.wiring.row_facts import FactMemory, looks_for, policy_of
from rewright.wiring.scratch import Scratch
from rewright.wiring.served import SERVABLE, schemas_of


@dataclass(frozen=True, slots=True)
class Widening:
    """Widens rewrites of single texts to their templates. Not for several threads at once."""

    accounts: Accounts
    store: Store
    scratch: Scratch
    priority_gate: PriorityGate
    memory: FactMemory
    keeping: Keeping

    def widen(self, kept: Rewrite, job: Job) -> Rewrite | None:
        """Look again at a rewrite that was found while its client waited: for a counterexample, which retires
        it, and for the literals that it holds for, which a rewrite of their template serves from then on,
        in its place.

        The rewrite that came of it; None: it stands as it is. Raises NotOptimised, StoreError.
        """
        if kept.proposal.hints or kept.state not in SERVABLE:
            return None
        # the store may not keep the literals, which the client's own text has
        replacement = replacement_for(kept.proposal, job.text)
        if replacement is None:
            return None
        with self.accounts.session(job.database, schemas_of(kept.proposal)) as session:
            declared = snapshot(session.connection)
            believed = trusted(declared, policy_of(self.accounts.config), self.memory.of(job.database))
            place = Place(session, believed, path_of(session))
            self.priority_gate.give_way()
            with second_look(place, self.scratch.server()) as checker:
                seen = checker.check(job.text, replacement, CONFIRM_SECONDS)
            if seen.level == "refuted":
                reason = "refuted: a counterexample was found"
                return self.store.rewrites.act(kept.id, Action.RETIRE, reason=reason, by="optimiser")
            wider = self._wider(place, declared, kept, job) if kept.proposal.scope == "these" else None
        if wider is not None and wider.id != kept.id and wider.state in SERVED_STATES:
            reason = f"rewrite {wider.id} serves all its literals"
            self.store.rewrites.act(kept.id, Action.RETIRE, reason=reason, by="optimiser")
        return wider

    def _wider(self, place: Place, declared: Catalog, kept: Rewrite, job: Job) -> Rewrite | None:
        """The template's rewrite, kept; None where it is not proved, or rests on what rows break."""
        proposal, session, config = kept.proposal, place.session, self.accounts.config
        scoped = self._scoped(place, kept)
        if scoped.scope != "any" or scoped.evidence is None:
            return None
        needed = rests_on(place.catalog, scoped.evidence, (proposal.original, proposal.replacement))
        looks = looks_for(session, replace(job, kind="slow"), config, self.memory, config.optimiser.budget)
        if looks(to_look_at(needed, policy_of(config))):
            return None
        new = widened(proposal, scoped, scoped.evidence)
        return self.keeping.keep(session, declared, job, new, looks.rests(needed), proposal.replacement)

    def _scoped(self, place: Place, kept: Rewrite) -> Scoped:
        terms = Terms(accept=self.accounts.accept, between=self.priority_gate.give_way)
        self.priority_gate.give_way()
        return place.scoper(terms, seconds=self.accounts.config.verify.timeout).scope(
            kept.proposal.original,
            kept.proposal.replacement,
            Deadline.after(self.accounts.config.optimiser.budget),
        )
