"""One piece of advice, and the patterns that call for it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tip:
    """``question``, ``evidence``, ``plan`` and ``schema`` are patterns, one for each text; the tip is for
    every question that one of them fits. ``weight``: what is left out last when there are too many.
    """

    name: str
    category: str
    text: str
    question: str = ""
    evidence: str = ""
    plan: str = ""
    schema: str = ""
    weight: int = 1

    def fits(self, texts: dict[str, str]) -> bool:
        """``texts`` by the name of the pattern's field."""
        return any(
            pattern and re.search(pattern, texts.get(source, ""), re.IGNORECASE)
            for source, pattern in (
                ("question", self.question),
                ("evidence", self.evidence),
                ("plan", self.plan),
                ("schema", self.schema),
            )
        )
