"""One piece of advice, and the patterns that call for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewright.ask.ports import Dialect


@dataclass(frozen=True, slots=True)
class Tip:
    """``question``, ``evidence``, ``plan`` and ``schema`` are patterns, one for each text; the tip is for
    every question that one of them fits. ``weight``: what is left out last when there are too many.
    ``duckdb``: in place of ``text`` there.
    """

    name: str
    category: str
    text: str
    question: str = ""
    evidence: str = ""
    plan: str = ""
    schema: str = ""
    duckdb: str = ""
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

    def told(self, dialect: Dialect) -> str:
        return self.duckdb if dialect == "duckdb" and self.duckdb else self.text
