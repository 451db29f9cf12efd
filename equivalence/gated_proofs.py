"""Proofs of what stands behind a look at the rows (`gates`): the pair as it is proved, and the verdict on the
replacement as it is run.

Must not know texts or servers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rewright.equivalence.promises import Promise
from rewright.equivalence.proving import Binding
from rewright.equivalence.settled import settled
from rewright.equivalence.verdicts import Proved

GATED = "gated"


def as_kept(binding: Binding, kept: Collection[Promise] = frozenset()) -> Binding:
    """The pair over rows that keep these promises."""
    if not kept:
        return binding
    original, candidate = (
        settled(q, binding.catalog, kept).query for q in (binding.original, binding.candidate)
    )
    return replace(binding, original=original, candidate=candidate)


def behind_gate(proved: Proved, kept: Collection[Promise]) -> Proved:
    """The verdict on the replacement with its look at the rows. What it looks for is no fact of the schema
    that others would have to watch.
    """
    seen_to = {promise.fact for promise in kept}
    return replace(
        proved,
        assumptions=tuple(x for x in proved.assumptions if x not in seen_to),
        modulo=tuple(sorted({*proved.modulo, GATED})),
        scope=proved.scope,
    )
