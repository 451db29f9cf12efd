"""Lessons: what failed or surprised on one database, kept short and typed, for the next run (REFLECT-SQL's
memory).

A lesson holds for one catalog (its digest) and one server version; when either changes it has expired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rewright.store.records import Lesson as Record

Kind = Literal["refuted", "slower", "planner", "hint_lost", "failed"]
MAX_TEXT = 500
MANY = 1000
SEVERAL = 5


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

    def learn(self, kind: Kind, subject: str, text: str, *, query: str = "") -> None:
        """Keep one sentence; ``subject`` is a rule, a unit or a template's key, ``query`` the key of the
        template it was learned from. The same lesson is kept once.
        """
        text = " ".join(text.split())[:MAX_TEXT]
        known = self.recall(kind, subject, MANY)
        # what was learned from one query is kept once, however it was told
        if any((query and _query(old) == query) or (not query and old.text == text) for old in known):
            return
        evidence = {
            "database": self.database,
            "catalog": self.now.catalog_digest,
            "version": self.now.server_version,
            "query": query,
        }
        self.lessons.add(Record(kind=kind, subject=subject, text=text, evidence=evidence))

    def recall(self, kind: Kind | None = None, subject: str | None = None, limit: int = 5) -> list[Record]:
        """What still holds here, the newest first."""
        found = self.lessons.read(kind=kind, subject=subject)
        return [lesson for lesson in found if self._holds(lesson)][:limit]

    def about(self, query: str, limit: int = 5) -> list[Record]:
        """What was learned from this query."""
        return [lesson for lesson in self.recall(limit=MANY) if _query(lesson) == query][:limit]

    def losers(self, query: str) -> frozenset[str]:
        """Subjects that failed for this query, or for at least ``SEVERAL`` others."""
        queries: dict[str, set[str]] = {}
        for lesson in self.recall(limit=MANY):
            queries.setdefault(lesson.subject, set()).add(_query(lesson))
        # failed here, or for so many others that it is no accident
        return frozenset(s for s, seen in queries.items() if query in seen or len(seen) >= SEVERAL)

    def _holds(self, lesson: Record) -> bool:
        evidence = lesson.evidence
        return (
            isinstance(evidence, dict)
            and evidence.get("database") == self.database
            and evidence.get("catalog") == self.now.catalog_digest
            and evidence.get("version") == self.now.server_version
        )


def _query(lesson: Record) -> str:
    evidence = lesson.evidence
    return str(evidence.get("query", "")) if isinstance(evidence, dict) else ""
