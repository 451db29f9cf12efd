"""Retiring rewrites that lose against their originals in practice.

"Slower" as docs/guide/serving.md defines it. Must not know who measured.
"""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator, Sequence

from rewright.wiring.served import plain_of
from store.api import Store
from store.life import Action, IllegalTransition, State
from store.records import Rewrite, Timing

# medians of at least so many runs each; the replacement loses beyond both the ratio and the difference
RUNS = 5
RATIO = 1.10
DIFFERENCE_MS = 20.0


def retire_losers(store: Store) -> Iterator[Rewrite]:
    """Retire what is served and slower; yields those retired. Raises StoreError."""
    for rewrite in store.rewrites.find(states=(State.ACTIVE,), limit=10_000):
        if rewrite.original_ms is None or rewrite.replacement_ms is None:
            continue
        originals = store.rewrites.timings(rewrite.id, "original", limit=25)
        replacements = store.rewrites.timings(rewrite.id, "replacement", limit=25)
        if loses(originals, replacements):
            reason = f"slower: {_median(replacements):.0f} ms, the original {_median(originals):.0f} ms"
            with contextlib.suppress(IllegalTransition):
                plain = plain_of(rewrite.proposal)
                if rewrite.proposal.hints and plain not in {None, rewrite.proposal.original}:
                    # the hints may be what loses: the rewrite gets its chance without them
                    from rewright.wiring.hint_referee import without_hints

                    yield without_hints(store, rewrite, reason)[0]
                    continue
                yield store.rewrites.act(rewrite.id, Action.EXPIRE, reason=reason, by="referee")


def loses(originals: Sequence[Timing], replacements: Sequence[Timing]) -> bool:
    """Whether the replacement is slower, by backend CPU where both have it, else by duration."""
    if len(originals) < RUNS or len(replacements) < RUNS:
        return False
    before, after = _median(originals), _median(replacements)
    return after > RATIO * before and after - before > DIFFERENCE_MS


def _median(timings: Sequence[Timing]) -> float:
    cpu = [one.cpu_ms for one in timings if one.cpu_ms is not None]
    if len(cpu) == len(timings):
        return statistics.median(cpu)
    return statistics.median(one.duration_ms for one in timings)
