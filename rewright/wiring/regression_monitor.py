"""Retiring rewrites that lose against their originals in practice.

"Slower" as docs/guide/serving.md defines it. Must not know who measured.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

from rewright.store.api import Store
from rewright.store.life import Action, IllegalTransition, State
from rewright.store.records import Rewrite, Side, Timing
from rewright.wiring.doubting import SLOWER
from rewright.wiring.served import plain_of

# medians of at least so many runs each; the replacement loses beyond both the ratio and the difference
RUNS = 5
# a tenth, and 20 ms below: what nobody notices is no loss
RATIO = 1.10
DIFFERENCE_MS = 20.0
# of the newest runs of a side
LOOKED_AT = 200
SIDES: tuple[Side, Side] = ("original", "replacement")
# a pair that was compared often enough is compared again when data may have changed
COMPARE_AGAIN_SECONDS = 3600.0


def retire_losers(store: Store) -> Iterator[Rewrite]:
    """Retire what is slower on the optimiser's own account; yields those retired. Raises StoreError."""
    for rewrite in _measured(store):
        originals, replacements = (
            [
                one
                # times of sessions concern their roles alone, see doubt_losers()
                for one in store.rewrites.timings(rewrite.id, side, limit=LOOKED_AT)
                if one.source == "optimiser"
            ]
            for side in SIDES
        )
        if loses(originals, replacements):
            reason = f"{SLOWER}: {_median(replacements):.0f} ms, the original {_median(originals):.0f} ms"
            with contextlib.suppress(IllegalTransition):
                yield _retire(store, rewrite, reason)


def _retire(store: Store, rewrite: Rewrite, reason: str) -> Rewrite:
    """Raises IllegalTransition."""
    plain = plain_of(rewrite.proposal)
    if rewrite.proposal.hints and plain not in {None, rewrite.proposal.original}:
        # the hints may be what loses: the rewrite gets its chance without them
        from rewright.wiring.hint_regressions import without_hints

        return without_hints(store, rewrite, reason)[0]
    return store.rewrites.act(rewrite.id, Action.EXPIRE, reason=reason, by="regression monitor")


def doubt_losers(store: Store, *, now: float | None = None) -> Iterator[tuple[Rewrite, str]]:
    """Where a role's own sessions saw a served rewrite lose, keep it from that role; yields both. Raises
    StoreError.

    A session can make a replacement slow, by settings or by locks: what it sees concerns nobody else
    (``doubting``).
    """
    now = time.time() if now is None else now
    for rewrite in _measured(store):
        doubts = {doubt.role: doubt for doubt in store.doubts.of(rewrite.id)}
        originals, replacements = (
            store.rewrites.timings(rewrite.id, side, limit=LOOKED_AT) for side in SIDES
        )
        for role in sorted({one.role for one in replacements if one.role}):
            known = doubts.get(role)
            # it is kept from this role already
            if known is not None and known.until > now:
                continue
            # what was seen before the last doubt was judged then
            since = 0.0 if known is None else known.at
            mine = [one for one in replacements if one.role == role and one.at > since]
            # the role's own, and the optimiser's
            theirs = [one for one in originals if one.role == role or one.source == "optimiser"]
            if loses(theirs, mine):
                store.doubts.add(rewrite.id, role, "slow", now=now)
                yield rewrite, role


def _measured(store: Store) -> Iterator[Rewrite]:
    """What is served and has times of both sides."""
    for rewrite in store.rewrites.find(states=(State.ACTIVE,), limit=10_000):
        if rewrite.original_ms is not None and rewrite.replacement_ms is not None:
            yield rewrite


def to_compare(store: Store, now: float, tried: Mapping[int, float]) -> Rewrite | None:
    """The served rewrite whose original was measured by us longest ago; None: all are fresh. Raises
    StoreError.

    ``tried``: when each was tried last, whatever came of it. For ``[optimiser] measure = "both"``.
    """
    waiting: list[tuple[float, int, Rewrite]] = []
    for rewrite in store.rewrites.find(states=(State.ACTIVE,), limit=10_000):
        ours = [one.at for one in store.rewrites.timings(rewrite.id, "original") if one.source == "optimiser"]
        # a rewrite whose comparison failed is not tried at once again
        last = max([*ours, tried.get(rewrite.id, 0.0)])
        if rewrite.served and now - last > COMPARE_AGAIN_SECONDS:
            waiting.append((last, rewrite.id, rewrite))
    return min(waiting, key=lambda one: one[:2])[2] if waiting else None


def judge(store: Store, rewrite: Rewrite, runs: Sequence[Timing]) -> Rewrite | None:
    """Keep what was measured; the rewrite if it lost and is retired now. Raises StoreError."""
    store.rewrites.add_timings(runs)
    originals = [one for one in runs if one.side == "original"]
    replacements = [one for one in runs if one.side == "replacement"]
    if not loses(originals, replacements):
        return None
    reason = f"{SLOWER}: {_median(replacements):.0f} ms, the original {_median(originals):.0f} ms"
    with contextlib.suppress(IllegalTransition):
        return _retire(store, rewrite, reason)
    return None


def loses(originals: Sequence[Timing], replacements: Sequence[Timing]) -> bool:
    """Whether the replacement is slower, by backend CPU where both have it, else by duration."""
    if len(originals) < RUNS or len(replacements) < RUNS:
        return False
    before, after = _median(originals), _median(replacements)
    return after > RATIO * before and after - before > DIFFERENCE_MS


def _median(timings: Sequence[Timing]) -> float:
    cpu = [one.cpu_ms for one in timings if one.cpu_ms is not None]
    # CPU does not depend on who else was busy; both sides need it
    if len(cpu) == len(timings):
        return statistics.median(cpu)
    return statistics.median(one.duration_ms for one in timings)
