"""Of which rewrites the answer is held back, how much of it that may be, and of which more has come.

Owns what this process remembers of answers that were too large: the replacement ran in vain, and would again.
Must not know messages.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from rewright.proxy.ports import ServedRewrite

# bytes of one answer
DEFAULT_LIMIT = 1 << 20
# rewrites that are remembered; the one that was met longest ago is forgotten
MAX_REMEMBERED = 10_000
# an answer may be smaller later, or with other literals: after so many seconds it is tried again, and after
# twice as many each time that it was in vain
FIRST_SECONDS, MOST_SECONDS = 600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class _Outgrown:
    """``limit``: what there was no more room than. ``until``: when it is tried again."""

    said: tuple[object, ...]
    limit: int
    seconds: float
    until: float


class Holding:
    """Of all sessions of a process. ``limit`` is asked each time: the configuration may be read again."""

    def __init__(
        self, limit: Callable[[], int] = lambda: DEFAULT_LIMIT, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limit = limit
        self._clock = clock
        self._outgrown: OrderedDict[int, _Outgrown] = OrderedDict()

    @property
    def off(self) -> bool:
        """Whether no answer is held back, as configured."""
        return self._limit() == 0

    def room_for(self, rewrite: ServedRewrite) -> int:
        """The bytes of its answer that may be held back; 0: it must not run, since more would come."""
        limit = self._limit()
        known = self._outgrown.get(rewrite.id)
        if known is None or known.said != _said(rewrite) or limit > known.limit:
            return limit
        return limit if self._clock() >= known.until else 0

    def outgrown(self, rewrite: ServedRewrite, limit: int) -> None:
        """More came than ``limit`` bytes."""
        before = self._outgrown.pop(rewrite.id, None)
        said = _said(rewrite)
        seconds = FIRST_SECONDS
        if before is not None and before.said == said:
            seconds = min(2 * before.seconds, MOST_SECONDS)
        self._outgrown[rewrite.id] = _Outgrown(said, limit, seconds, self._clock() + seconds)
        if len(self._outgrown) > MAX_REMEMBERED:
            self._outgrown.popitem(last=False)


def _said(rewrite: ServedRewrite) -> tuple[object, ...]:
    """What makes it another rewrite when it changes."""
    return rewrite.database, rewrite.original, rewrite.replacement, rewrite.plain_replacement
