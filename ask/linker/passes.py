"""The two passes of pruning, and how their words are fused (APEX-SQL, section 3.2.2, equation 2).

Owns the rule alone: what is deleted by one pass and not kept by the other goes. Must not know what is pruned.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeVar

T = TypeVar("T")
Pass = Literal["delete", "keep"]
PASSES: tuple[Pass, ...] = ("delete", "keep")


def stays(one: T, deleted: Collection[T] | None, kept: Collection[T] | None) -> bool:
    """With one pass alone (None: the other did not run) its word counts."""
    # only KEEP ran: what it does not name goes; neither ran: all stays
    if deleted is None:
        return kept is None or one in kept
    # deleted by one and kept by the other is a doubt, and doubts stay
    return one not in deleted or (kept is not None and one in kept)
