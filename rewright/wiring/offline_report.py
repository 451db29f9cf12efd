"""The outcomes of ``rewright rewrite`` as the console's report."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rewright.console.report import Entry, report
from rewright.processes.jobs import Job
from rewright.rewrite.offline import Done
from rewright.rewrite.page import cancelled, summary
from rewright.store.life import State
from rewright.store.records import Rewrite
from rewright.wiring.proposals import proposal_of


def html_report(done: Sequence[Done]) -> str:
    """One page."""
    return report([_entry(number, one) for number, one in enumerate(done, 1)], summary(done))


def _entry(number: int, done: Done) -> Entry:
    outcome, best = done.outcome, done.outcome.best
    rewrite = None
    if best is not None:
        job = Job("", done.work.sql, (), done.work.observed or 0.0, "", "", model=False, hints=True)
        before = best.seconds_before if best.seconds_before is not None else done.work.observed
        now = time.time()
        rewrite = Rewrite(
            number,
            proposal_of(outcome, job, best.checked.candidate.sql),
            State.ACTIVE if outcome.servable else State.PROPOSED,
            approved=False,
            reason="",
            changed_by="",
            created_at=now,
            changed_at=now,
            original_ms=None if before is None else before * 1000,
            replacement_ms=None if best.seconds_after is None else best.seconds_after * 1000,
        )
    return Entry(
        done.work.name,
        done.work.sql,
        rewrite,
        outcome.servable,
        outcome.reason,
        done.work.calls,
        stopped=cancelled(done),
        advice=done.advice,
    )
