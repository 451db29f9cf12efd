"""What becomes of a certificate.

Must not know how it is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Word = Literal["good", "refused", "not rechecked"]
EXIT_CODES: dict[Word, int] = {"good": 0, "refused": 1, "not rechecked": 3}


class Refused(Exception):
    """The certificate does not show what it says."""


class NotRechecked(Exception):
    """It uses what is not stated here."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``laws``: how often each law was re-derived; ``reason``: why it is not good."""

    word: Word
    reason: str = ""
    laws: tuple[tuple[str, int], ...] = ()
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.word]

    def to_json(self) -> dict[str, Any]:
        return {
            "outcome": self.word,
            "reason": self.reason,
            "laws": dict(self.laws),
            "seconds": round(self.seconds, 4),
        }
