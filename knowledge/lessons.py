"""Lessons: what failed or surprised on one database, kept short and typed, for the next run (REFLECT-SQL's memory).

A lesson holds for one catalog (its digest) and one server version; when either changes it has expired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from store.records import Lesson as Record

Kind = Literal["refuted", "slower", "planner", "hint_lost", "failed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_TEXT = 500


class Lessons(Protocol):
    """What is needed of the store."""

    def add(self, lesson: Record) -> Record: ...

    def read(
        self, *, kind: str | None = None, subject: str | None = None, limit: int = 1000
    ) -> Sequence[Record]: ...


@dataclass(frozen=True, slots=True)
class Validity:
    """Under what a lesson was learned."""

    catalog_digest: str
    server_version: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Lessons about one database."""

    lessons: Lessons
    database: str
    now: Validity

    def learn(self, kind: Kind, subject: str, text: str) -> None:
        """Keep one sentence; ``subject`` is a rule, a unit or a template's key. The same lesson is kept once."""
        text = " ".join(text.split())[:MAX_TEXT]
        if any(known.text == text for known in self.recall(kind, subject)):
            return
        evidence = {
            "database": self.database,
            "catalog": self.now.catalog_digest,
            "version": self.now.server_version,
        }
        self.lessons.add(Record(kind=kind, subject=subject, text=text, evidence=evidence))

    def recall(self, kind: Kind | None = None, subject: str | None = None, limit: int = 5) -> list[Record]:
        """What still holds here, the newest first."""
        found = self.lessons.read(kind=kind, subject=subject)
        return [lesson for lesson in found if self._holds(lesson)][:limit]

    def _holds(self, lesson: Record) -> bool:
        evidence = lesson.evidence
        return (
            isinstance(evidence, dict)
            and evidence.get("database") == self.database
            and evidence.get("catalog") == self.now.catalog_digest
            and evidence.get("version") == self.now.server_version
        )
