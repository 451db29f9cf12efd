"""The tips that fit a question, its evidence, its plan and the schema, by patterns alone (APEX-SQL, equation
4).

Owns the library and the choice. Must not call a model.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.guidance.sql import TIPS as SQL_TIPS
from rewright.ask.guidance.sql_patterns import TIPS as PATTERN_TIPS
from rewright.ask.guidance.tip import Tip
from rewright.ask.guidance.wording import TIPS as WORDING_TIPS

LIBRARY: tuple[Tip, ...] = (*WORDING_TIPS, *SQL_TIPS, *PATTERN_TIPS)
MOST = 8


def fitting(
    question: str, *, evidence: str = "", plan: Sequence[str] = (), schema: str = "", most: int = MOST
) -> tuple[Tip, ...]:
    """At most ``most``, in the library's order; the weightier are kept. ``plan``: steps with the paths that
    realise them.
    """
    texts = {
        "question": question,
        "evidence": evidence,
        "plan": "\n".join(f"- {step}" for step in plan) + "\n",
        "schema": schema,
    }
    fit = [tip for tip in LIBRARY if tip.fits(texts)]
    kept = set(sorted(fit, key=lambda tip: -tip.weight)[:most])
    return tuple(tip for tip in fit if tip in kept)


def told(tips: Sequence[Tip]) -> str:
    """A section of a prompt; empty without tips."""
    return "Advice:\n" + "\n".join(f"- {tip.text}" for tip in tips) if tips else ""
