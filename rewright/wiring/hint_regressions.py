"""Hints are measured on while they are served, and dropped by themselves when they lose: the rewrite stays.

Now and then each served rewrite with hints is run on the optimiser's own account, with them and without, on
equal terms; where they have become slower the rewrite goes on without them. Owns both steps. No client's
query is ever slowed for it.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import Run, SessionError
from rewright.store.api import Store
from rewright.store.life import Action, IllegalTransition, State
from rewright.store.records import NewRewrite, Rewrite, Timing
from rewright.wiring.regression_monitor import loses
from rewright.wiring.served import has_values, parameter_document, plain_of, values_of

# seconds between two looks at one rewrite
INTERVAL = 600.0
# a text without hints that runs into this many times the hinted one has lost
PATIENCE = 3.0


def due(store: Store, *, interval: float = INTERVAL, now: float | None = None) -> Rewrite | None:
    """The served rewrite whose hints have not been looked at for longest; raises StoreError."""
    found: list[tuple[float, Rewrite]] = []
    for one in store.rewrites.find(states=(State.ACTIVE,), limit=10_000):
        if (
            one.proposal.hints
            # "any": for all literals, of which none is at hand to run it with
            and one.proposal.scope != "any"
            and has_values(one.proposal)
            and plain_of(one.proposal)
        ):
            last = store.rewrites.timings(one.id, "plain", limit=1)
            found.append((last[0].at if last else 0.0, one))
    # never measured first
    at, rewrite = min(found, key=lambda pair: pair[0], default=(0.0, None))
    return rewrite if (time.time() if now is None else now) - at >= interval else None


def measure(
    session: HintingSession, rewrite: Rewrite, limit: float, allow: Callable[[], bool]
) -> tuple[Timing, ...]:
    """One run each; nothing where hints mean nothing to the session, or a run failed. ``limit``: seconds."""
    plain = plain_of(rewrite.proposal)
    # two runs, or none
    if not session.support.extension or plain is None or not (allow() and allow()):
        return ()
    try:
        session.bind(rewrite.proposal.original, values_of(rewrite.proposal))
        hinted = session.run(rewrite.proposal.replacement, stop_after=limit)
        # a second more, so that quick queries are not judged by noise
        other = session.run(plain, stop_after=min(limit, PATIENCE * hinted.duration + 1.0))
    except SessionError:
        return ()
    return (_timing(rewrite, "hinted", hinted), _timing(rewrite, "plain", other))


def _timing(rewrite: Rewrite, side: Literal["hinted", "plain"], run: Run) -> Timing:
    # CPU of a run that was stopped says how long it was allowed
    cpu = None if run.cpu is None or not run.finished else run.cpu * 1000
    return Timing(rewrite.id, side, run.duration * 1000, cpu_ms=cpu, source="optimiser")


def drop_losing_hints(store: Store) -> Iterator[tuple[Rewrite, Rewrite | None]]:
    """Every active rewrite whose hints lose, with the one that goes on without them (None: hints were all of
    it).

    A pinned rewrite keeps its hints. Raises StoreError.
    """
    for rewrite in store.rewrites.find(states=(State.ACTIVE,), limit=10_000):
        if not rewrite.proposal.hints:
            continue
        plain = store.rewrites.timings(rewrite.id, "plain", limit=25)
        hinted = store.rewrites.timings(rewrite.id, "hinted", limit=25)
        if loses(plain, hinted):
            reason = f"its hints lose: {_median(hinted):.0f} ms with, {_median(plain):.0f} ms without"
            with contextlib.suppress(IllegalTransition):
                yield without_hints(store, rewrite, reason)


def without_hints(store: Store, rewrite: Rewrite, reason: str) -> tuple[Rewrite, Rewrite | None]:
    """Retire ``rewrite`` and serve its text without hints instead, on the same evidence and with the same
    approval.

    Raises IllegalTransition when a person was faster.
    """
    old, plain = rewrite.proposal, plain_of(rewrite.proposal)
    expired = store.rewrites.act(rewrite.id, Action.EXPIRE, reason=reason, by="regression monitor")
    # nothing but hints: without them there is only the original
    if plain is None or plain == old.original:
        return expired, None
    types = old.parameters.get("types", ()) if isinstance(old.parameters, dict) else ()
    parameters = parameter_document(types, values=values_of(old))
    new = replace(old, replacement=plain, hints="", parameters=parameters, plans=_unhinted(old))
    kept = store.rewrites.add(new, by="regression monitor")
    # a person's approval goes on with the text that was approved
    action = Action.APPROVE if rewrite.approved else Action.ACTIVATE
    why = f"rewrite {rewrite.id} without its hints"
    return expired, store.rewrites.act(kept.id, action, reason=why, by="regression monitor")


def _unhinted(old: NewRewrite) -> object:
    return {k: v for k, v in old.plans.items() if k != "hints"} if isinstance(old.plans, dict) else old.plans


def _median(timings: Sequence[Timing]) -> float:
    return statistics.median(one.duration_ms for one in timings)
