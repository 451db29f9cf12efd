"""``rewright.mode = inline``: asks the optimiser's process about a held query, and finds what it kept in the
store.

Owns the proxy's ``Inline`` port. What the optimiser finds after the relay has stopped waiting is served from
the next time on. Must not know how anything is found.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from rewright.processes.jobs import Job, job_of
from rewright.proxy.ports import Candidate, Event, SlowQuery, Templater, no_event
from rewright.proxy.serving.index import RewriteIndex
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.wiring.asking import ask
from rewright.wiring.served import SERVABLE, served


@dataclass(frozen=True, slots=True)
class SocketInline:
    """``accept``: reservations with which a proof still counts as proved. ``event``: where it is told why
    nobody helped.
    """

    path: str
    store: Store
    templater: Templater | None
    accept: frozenset[str]
    event: Event = no_event

    async def optimise(self, query: SlowQuery) -> Candidate | None:
        """None: not worth it, nothing found, or nobody there. The caller limits the time."""
        try:
            reply = await ask(self.path, inline_job(query))
            number = reply.get("rewrite")
            if not isinstance(number, int):
                return None
            return await asyncio.to_thread(self._candidate, number, query)
        except (OSError, ValueError, StoreError) as error:
            self.event("inline.failed", {"database": query.database, "reason": type(error).__name__})
            return None

    def _candidate(self, number: int, query: SlowQuery) -> Candidate | None:
        rewrite = self.store.rewrites.get(number)
        record = served(rewrite, self.accept) if rewrite.state in SERVABLE else None
        if record is None:
            return None
        index = RewriteIndex(self.templater)
        index.replace([record])
        return index.find(query.database, query.text.encode(), query.parameter_types, query.search_path)


def inline_job(query: SlowQuery) -> Job:
    settings = query.settings
    return replace(job_of(query), kind="inline", min_cost=settings.min_cost, budget=settings.budget)
