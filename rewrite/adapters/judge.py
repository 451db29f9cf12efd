"""The checker's `Judge` port over a language model: asked to find a difference, when everything else is
silent.

The model gets both queries and the schema through a redactor of their own, and replies with a verdict and,
where it sees a difference, rows that show it; the checker runs these. Must not know what becomes of an
opinion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.equivalence.judge import Opinion
from rewright.models.api import Model, ModelError, Request
from rewright.models.prompts import Instruction, SchemaText, SqlText, messages
from rewright.models.redact import Redactor, Share
from rewright.models.typed import ask

_SYSTEM = (
    "You look for differences between two PostgreSQL queries: rows, duplicates, NULLs, order where there is "
    "ORDER BY, errors."
    " Try to find a small database, valid under the schema's constraints, on which they differ."
)
_QUESTION = (
    "Do the queries give the same result on every database that satisfies the constraints? If not, give "
    "INSERT"
    " statements for a small database on which they differ. Say same only when you have tried NULLs, "
    "duplicates, empty"
    " tables and ties and found no difference; otherwise say unsure."
)
# characters of each text, and INSERTs that are tried: a prompt and a reply of this size are paid for
_LONGEST = 30_000
_MOST_INSERTS = 40


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the model is asked for."""

    answer: Literal["same", "different", "unsure"]
    reason: str
    inserts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Uses the assistant's model."""

    model: Model
    share: Share = "schema"
    seconds: float = 60.0

    def judge(self, schema_sql: str, original: str, candidate: str) -> Opinion | None:
        """None where there is no model, no usable answer, or no opinion."""
        if not self.model.available("assistant"):
            return None
        # a redactor of its own: names in an opinion must not be known from another prompt
        redactor = Redactor(self.share)
        # the original's names first, so that both queries and the schema are hidden alike
        redactor.sql(original)
        parts = (
            SchemaText(schema_sql[:_LONGEST]),
            SqlText("First query", original[:_LONGEST]),
            SqlText("Second query", candidate[:_LONGEST]),
            Instruction(_QUESTION),
        )
        said = messages(parts, redactor, system=_SYSTEM)
        try:
            ruling = ask(
                self.model, Request("assistant", said, max_tokens=2000, seconds=self.seconds), Ruling
            ).value
        except ModelError:
            return None
        # unsure is no opinion: the checker's silence stands
        if ruling.answer == "unsure":
            return None
        inserts = tuple(redactor.restore(i) for i in ruling.inserts[:_MOST_INSERTS])
        return Opinion(ruling.answer == "same", ruling.reason[:500], inserts)
