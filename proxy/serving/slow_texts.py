"""How often one text is reported as slow: on an overloaded server every query is slow, and reporting each
would cost the proxy more than the query itself.

Owns the count, for all sessions of a process. Texts that differ in digits alone are one. Must not know what a
report says.
"""

from __future__ import annotations

# reports of one text in a second
PER_SECOND = 20
# texts that are counted in a second; what comes beyond is reported as well, so that a text nobody has seen is
_MOST = 10_000
_DIGITS = b"0123456789"


class SlowTexts:
    """``wanted`` says whether another execution of a text is to be reported, and counts it."""

    def __init__(self) -> None:
        self._second = -1
        self._counts: dict[bytes, int] = {}

    def wanted(self, text: bytes, now: float) -> bool:
        """``now``: seconds of a clock that only goes on."""
        if int(now) != self._second:
            self._second = int(now)
            self._counts.clear()
        bare = text.translate(None, _DIGITS)
        count = self._counts.get(bare, 0)
        if count or len(self._counts) < _MOST:
            self._counts[bare] = count + 1
        return count < PER_SECOND
