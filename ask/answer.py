"""The answer to a question, whether a model read it or not: the record and its JSON document.

Owns these shapes. Must not know how a question is read or run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.ask.outcome import Alternative, Candidate, Event, Linked, Outcome
from rewright.ask.ports import Turn
from rewright.ask.reading.api import Reading, Refusal
from rewright.ask.reading.link import Link

TURNS = 5
"""Questions of a session that a follow-up may refer to."""
_MOST_LINKED = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """``refused`` says why nothing was run, ``error`` what failed. ``money`` in US dollars, None where a
    price is unknown.

    ``alternatives``: other readings, the likeliest first; a reading that was refused for being unsure is
    among them.
    ``remembered``: it was read before on the same state of the catalog, and cost nothing now.
    """

    question: str
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    truncated: bool = False
    confidence: float = 0.0
    refused: str = ""
    reading: str = ""
    linked: Linked = Linked()  # noqa: RUF009 - a frozen record may be shared
    alternatives: tuple[Alternative, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    trajectory: tuple[Event, ...] = ()
    tokens: int = 0
    money: float | None = 0.0
    seconds: float = 0.0
    error: str = ""
    error_state: str = ""
    links: tuple[Link, ...] = ()
    remembered: bool = False

    @property
    def readings(self) -> tuple[Alternative, ...]:
        """All that can be chosen from: the one that counts, if there is one, then the others."""
        chosen = (Alternative(self.sql, self.reading, self.confidence),) if self.sql else ()
        return (*chosen, *self.alternatives)

    def document(self) -> dict[str, Any]:
        """As printed by ``rewright ask --json``."""
        return {
            "question": self.question,
            "sql": self.sql or None,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "row_count": len(self.rows),
            "truncated": self.truncated,
            "confidence": round(self.confidence, 3),
            "refused": self.refused or False,
            "reading": self.reading or None,
            "linked": self.linked.document(),
            "alternatives": [one.document() for one in self.alternatives],
            "tokens": self.tokens,
            "money": self.money,
            "seconds": round(self.seconds, 3),
            "error": self.error or None,
        }


@dataclass(frozen=True, slots=True)
class History:
    """What a session asked before, oldest first: what a follow-up follows. ``reading`` is the last one of the
    deterministic reader.
    """

    turns: tuple[Turn, ...] = ()
    reading: Reading | None = None

    def then(self, answer: Answer, reading: Reading | None) -> History:
        """With one more; a question without a query changes nothing."""
        if not answer.sql:
            return self
        turn = Turn(answer.question, answer.sql, answer.reading)
        return History((*self.turns, turn)[-TURNS:], reading)


def linked_of(links: Iterable[Link]) -> Linked:
    """The links of a deterministic reading in the words of an answer."""
    found = list(links)
    tables = {t.ref.name: None for link in found for t in link.tables}
    columns = {f"{c.table.name}.{c.name}": None for link in found for c in link.columns}
    values = {f"{c.table.name}.{c.name} = {v}": None for link in found for c, v in link.values}
    return Linked(tuple(tables), tuple(columns), tuple(values))


def steps_of(found: Reading | Refusal) -> tuple[Event, ...]:
    """How the deterministic reader came to a reading or a refusal, for the log."""
    steps = [
        Event("linked", "reader", f"{name}: {', '.join(said[:_MOST_LINKED])}")
        for name, said in linked_of(found.links).document().items()
        if said
    ]
    if isinstance(found, Refusal):
        return (*steps, Event("refused", "reader", found.why))
    steps += [Event("doubted", "reader", f"{one.about} ({one.worth:.2f})") for one in found.doubts]
    return (*steps, Event("read", "reader", found.plain, sql=found.sql))


def of_outcome(outcome: Outcome) -> Answer:
    """What the model pipeline gave; its rows are left out, the answer is run on its own."""
    return Answer(
        outcome.question,
        sql=outcome.sql,
        confidence=outcome.confidence,
        refused=outcome.refused,
        reading=outcome.reading,
        linked=outcome.linked,
        alternatives=outcome.alternatives,
        candidates=outcome.candidates,
        trajectory=outcome.trajectory,
        tokens=outcome.tokens,
        money=outcome.money,
        seconds=outcome.seconds,
        error=outcome.error,
    )


def chosen_among(answer: Answer, number: int) -> Alternative | None:
    """The reading of that number, from 1; None: there is none."""
    found: Sequence[Alternative] = answer.readings
    return found[number - 1] if 0 < number <= len(found) else None
