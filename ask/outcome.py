"""The result of the model pipeline for one question, with the steps that led to it.

Owns these records and their plain form for JSON, logs and EXPLAIN ASK. Must not know how they are filled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rewright.ask.execution import Rows
from rewright.ask.ports import Difference

EventKind = Literal[
    "asked", "linked", "rejected", "guided", "explored", "refined", "executed", "judged", "criticised",
    "compared", "chose", "lesson", "failed", "doubted", "read", "refused",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One step. ``stage`` is the part of the pipeline, ``text`` says what happened in a line or a few;
    ``tokens``, ``money`` (US dollars) and ``seconds`` are those of a call of the model. Texts may hold
    values of the database: they are for the asker and the log.
    """

    kind: EventKind
    stage: str
    text: str = ""
    sql: str = ""
    tokens: int = 0
    money: float | None = 0.0
    seconds: float = 0.0

    def document(self) -> dict[str, Any]:
        """Without what is empty."""
        found: dict[str, Any] = {"kind": self.kind, "stage": self.stage}
        for name in ("text", "sql", "tokens", "money", "seconds"):
            if value := getattr(self, name):
                found[name] = round(value, 6) if isinstance(value, float) else value
        return found


@dataclass(frozen=True, slots=True)
class Linked:
    """What of the database the question speaks of: tables as they are written in SQL, ``table.column``,
    ``table.column = value``.
    """

    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    def document(self) -> dict[str, list[str]]:
        return {"tables": list(self.tables), "columns": list(self.columns), "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One query that was made. ``rows`` are None where it did not run, then ``error`` says why. ``group``
    numbers the classes of queries that are proved equal, ``result`` the classes with equal rows here.
    """

    sql: str
    reading: str
    origin: Literal["model", "reader"]
    confidence: float = 0.0
    rows: Rows | None = None
    error: str = ""
    group: int = 0
    result: int = 0

    def document(self) -> dict[str, Any]:
        return {
            "sql": self.sql,
            "reading": self.reading,
            "origin": self.origin,
            "confidence": round(self.confidence, 3),
            "rows": None if self.rows is None else len(self.rows.rows),
            "error": self.error or None,
            "group": self.group,
            "result": self.result,
        }


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading, and where it parts from the chosen one: ``difference.first`` is the chosen one's."""

    sql: str
    reading: str
    confidence: float = 0.0
    difference: Difference | None = None

    def document(self) -> dict[str, Any]:
        parts = None
        if self.difference is not None:
            parts = {
                "setup": list(self.difference.setup),
                "chosen": self.difference.first,
                "this": self.difference.second,
            }
        return {
            "sql": self.sql,
            "reading": self.reading,
            "confidence": round(self.confidence, 3),
            "parts_on": parts,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """``sql`` is empty when ``refused`` (why the question is not answered) or ``error`` (what failed) says
    so.

    ``tokens`` and ``money`` (US dollars; None when a price is unknown) are all that were spent, ``seconds``
    the time it took. ``model_failed``: the model could not be asked to the end; the query is the reader's.
    """

    question: str
    sql: str = ""
    reading: str = ""
    confidence: float = 0.0
    linked: Linked = Linked()
    alternatives: tuple[Alternative, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    trajectory: tuple[Event, ...] = ()
    rows: Rows | None = None
    tokens: int = 0
    calls: int = 0
    money: float | None = 0.0
    seconds: float = 0.0
    refused: str = ""
    error: str = ""
    model_failed: bool = False

    def document(self) -> dict[str, Any]:
        """Everything but the answer's rows."""
        return {
            "question": self.question,
            "sql": self.sql or None,
            "reading": self.reading or None,
            "confidence": round(self.confidence, 3),
            "linked": self.linked.document(),
            "alternatives": [a.document() for a in self.alternatives],
            "candidates": [c.document() for c in self.candidates],
            "trajectory": [e.document() for e in self.trajectory],
            "tokens": self.tokens,
            "calls": self.calls,
            "money": self.money,
            "seconds": round(self.seconds, 3),
            "refused": self.refused or False,
            "error": self.error or None,
        }
