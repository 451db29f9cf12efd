"""What was found, into the store: with the guard it is served under, its trace and its timings.

Must not know how rewrites are found.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rewright.engines.postgres.session import Session
from rewright.engines.postgres.values import NO_VALUES
from rewright.processes.jobs import Job
from rewright.proxy.ports import Guard
from rewright.rewrite.adapters.live import path_of
from rewright.rewrite.api import Outcome
from rewright.rewrite.row_facts import is_lasting
from rewright.sql.catalog import Catalog
from rewright.store.api import Store
from rewright.store.life import Action, Level, State
from rewright.store.records import Event, NewRewrite, Rewrite, Side, Timing
from rewright.wiring import guards
from rewright.wiring.accounts import Accounts
from rewright.wiring.refusals import NotYet
from rewright.wiring.row_facts import Rests, every, renew, repeated, with_facts
from rewright.wiring.served import guard_document, parameter_document, starts_active


@dataclass(frozen=True, slots=True)
class Keeping:
    """Keeps rewrites in ``store``. Its methods raise StoreError, and the session's errors."""

    accounts: Accounts
    store: Store

    def keep(
        self,
        session: Session,
        catalog: Catalog,
        job: Job,
        new: NewRewrite,
        rests: Rests,
        plain: str,
    ) -> Rewrite:
        """Kept with what it is served under, and active where its evidence is enough.

        ``catalog``: as declared; ``plain``: the replacement without hints, with the original's literals.
        """
        guard = self._guard(session, new.original, plain, catalog, rests)
        new = replace(
            with_facts(new, rests, {fact for fact in rests.facts if is_lasting(catalog, fact)}),
            guard=guard_document(guard) if guard is not None else None,
            parameters=parameter_document(
                job.param_types,
                plain if new.hints else None,
                # they say as much as literals do
                job.values if self.accounts.config.store.literals else NO_VALUES,
            ),
            catalog_digest=catalog.digest(),
            search_path=", ".join(path_of(session)),
            server_version=_version_text(session.server_version),
        )
        kept = self.store.rewrites.add(new)
        if repeated(new):
            renew(self.store, kept, time.time(), every(self.accounts.config))
        trust = Level(self.accounts.trust(job.database))
        # a rewrite that stood before keeps what a person decided of it; one without a guard is never served
        if (
            kept.state is State.PROPOSED
            and guard is not None
            and starts_active(new, trust, self.accounts.accept)
        ):
            reason = f"{new.level} evidence"
            kept = self.store.rewrites.act(kept.id, Action.ACTIVATE, by="optimiser", reason=reason)
        return kept

    def keep_trace(self, kept: Rewrite, outcome: Outcome) -> None:
        self.store.events.add(
            [Event(kept.id, outcome.job, str(one.get("state", "")), dict(one)) for one in outcome.events]
        )

    def keep_timings(self, kept: Rewrite, outcome: Outcome, job: Job) -> None:
        timings = [Timing(kept.id, "original", job.observed * 1000, source="client")]
        best = outcome.best
        if best is not None and best.seconds_after is not None:
            side: Side = "plain" if kept.proposal.hints else "replacement"
            timings.append(Timing(kept.id, side, best.seconds_after * 1000, source="optimiser"))
        self.store.rewrites.add_timings(timings)

    @staticmethod
    def _guard(
        session: Session, original: str, replacement: str, catalog: Catalog, rests: Rests
    ) -> Guard | None:
        """None when it can't be written; the rewrite is then kept for people to see, and not served. Raises
        NotYet where the schema was changed meanwhile.
        """
        try:
            return guards.capture(
                session,
                original,
                replacement,
                catalog,
                foreign_keys=rests.on_foreign_keys,
                looked_at=rests.snapshot,
            )
        except guards.SchemaChanged as error:
            raise NotYet(str(error)) from error
        except (guards.GuardFailed, ModuleNotFoundError):
            return None


def _version_text(number: int) -> str:
    return f"{number // 10000}.{number % 10000}"
