"""Lessons: kept in memory, adopted only if no validated question loses its answer by them.

Owns that rule (REFLECT-SQL, section 3: backwards preservation) and a store that forgets. Must not know how
questions are answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rewright.ask.execution import ExecutionError
from rewright.ask.ports import Comparer, Lesson, Lessons, Runner, Stage, Validated, ValidatedQuestion
from rewright.ask.safety import Refused
from rewright.ask.sameness import same_rows

# a longer lesson is a story about one question
_LONGEST = 300
MOST_ADOPTED = 5
"""Lessons of one stage that stand in its instructions; the latest count."""

_NOT_ALLOWED = "42501"
Answer = Callable[[ValidatedQuestion, Lesson], str]
"""The query for a validated question with a lesson in use; empty where there is none. Raises Undecided."""


class Undecided(Exception):
    """The model could not be asked to the end: nothing is known of the lesson."""


@dataclass(slots=True)
class MemoryLessons:
    """As long as the process."""

    _kept: dict[str, Lesson] = field(default_factory=dict)
    _versions: dict[str, int] = field(default_factory=dict)

    def list(self, database: str) -> Sequence[Lesson]:
        return [lesson for lesson in self._kept.values() if lesson.database == database]

    def propose(self, database: str, stage: Stage, text: str, question: str) -> Lesson:
        text = text.strip()[:_LONGEST]
        # the same lesson learnt again is the same: it keeps its state, adopted or removed
        id = hashlib.sha256(f"{database}\0{stage}\0{text}".encode()).hexdigest()[:12]
        return self._kept.setdefault(id, Lesson(id, database, stage, text, question))

    def adopt(self, id: str, reason: str = "") -> Lesson:
        return self._changed(id, replace(self._kept[id], status="adopted", reason=reason))

    def remove(self, id: str, reason: str = "") -> Lesson:
        return self._changed(id, replace(self._kept[id], status="removed", reason=reason))

    def _changed(self, id: str, lesson: Lesson) -> Lesson:
        version = self._versions.get(lesson.database, 0) + 1
        self._versions[lesson.database] = version
        self._kept[id] = replace(lesson, version=version)
        return self._kept[id]


@dataclass(slots=True)
class MemoryValidated:
    """As long as the process."""

    _kept: dict[tuple[str, str], ValidatedQuestion] = field(default_factory=dict)

    def list(self, database: str) -> Sequence[ValidatedQuestion]:
        return [question for (of, _), question in self._kept.items() if of == database]

    def add(self, database: str, question: ValidatedQuestion) -> None:
        self._kept[database, question.question] = question


def adopted(lessons: Lessons | None, database: str) -> dict[Stage, tuple[str, ...]]:
    """The texts in use, by stage."""
    found: dict[Stage, tuple[str, ...]] = {}
    for lesson in lessons.list(database) if lessons is not None else ():
        if lesson.status == "adopted":
            found[lesson.stage] = (*found.get(lesson.stage, ()), lesson.text)[-MOST_ADOPTED:]
    return found


def consider(
    lesson: Lesson,
    lessons: Lessons,
    validated: Validated,
    answer: Answer,
    runner: Runner,
    comparer: Comparer | None,
) -> Lesson:
    """Replays every validated question with the lesson, and adopts or removes it; where the model fails it
    stays as it is. A question whose query the asker may not run is none of hers to lose.
    """
    for question in validated.list(lesson.database):
        # a query that she may not run has no rows to compare, and would condemn any lesson
        if _is_forbidden(question.sql, runner):
            continue
        try:
            again = answer(question, lesson)
        except Undecided as undecided:
            return replace(lesson, reason=f"not tried to the end: {undecided}")
        # no answer is a loss as much as another answer
        if not again:
            return lessons.remove(lesson.id, f"no answer any more to: {question.question}")
        if not _keeps(question.sql, again, runner, comparer):
            return lessons.remove(lesson.id, f"another answer to: {question.question}")
    return lessons.adopt(lesson.id, "every validated question keeps its answer")


def _is_forbidden(sql: str, runner: Runner) -> bool:
    try:
        runner.run(sql)
    except ExecutionError as error:
        return error.sqlstate == _NOT_ALLOWED
    except Refused:
        return False
    return False


def _keeps(before: str, now: str, runner: Runner, comparer: Comparer | None) -> bool:
    """The checker's word; the rows here where it has none or finds no difference that matters."""
    # the same text needs no checker and no database
    if " ".join(before.split()) == " ".join(now.split()):
        return True
    verdict = comparer.compare(before, now).verdict if comparer is not None else "open"
    if verdict != "open":
        # a refutation counts even where the rows here are equal
        return verdict == "same"
    try:
        return same_rows(runner.run(before), runner.run(now))
    except (Refused, ExecutionError):
        return False
