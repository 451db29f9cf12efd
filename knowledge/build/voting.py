"""A model's vote on whether a pair is a rewrite worth keeping. The pipeline asks several times and counts.

What the pair's author wrote is data of a stranger: it reaches the model through the redactor only, and all
that comes back is a yes or a no. Must not know the pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewright.knowledge.build.build_state import Pair
from rewright.models.api import Model, ModelError, Request
from rewright.models.prompts import FreeText, Instruction, SqlText, messages
from rewright.models.redact import Redactor
from rewright.models.typed import ask

_SYSTEM = "You judge whether a pair of PostgreSQL queries is a rewrite for speed that is worth remembering."
_QUESTION = (
    "Is the second query meant to return the same rows as the first, only faster, for a reason that applies "
    "to other"
    " queries, too? Reply with keep true or false, and why in one sentence."
)


@dataclass(frozen=True, slots=True)
class Opinion:
    keep: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class ModelVoter:
    """One vote a call. A model that fails or says nothing usable votes no."""

    model: Model
    seconds: float = 60.0

    def keep(self, pair: Pair) -> bool:
        redactor = Redactor("schema")
        redactor.sql(pair.before)
        redactor.sql(pair.after)
        parts = (
            SqlText("First query", pair.before[:8000]),
            SqlText("Second query", pair.after[:8000]),
            FreeText("What was said about them", f"{pair.title}. {pair.answer}"[:2000]),
            Instruction(_QUESTION),
        )
        said = messages(parts, redactor, system=_SYSTEM)
        request = Request("assistant", said, max_tokens=200, seconds=self.seconds, scope="knowledge build")
        try:
            return ask(self.model, request, Opinion).value.keep
        except ModelError:
            return False
