"""Turns a question into one query with a model: linking, stages, generation, choice and reflection.

Owns what is kept between questions over one database. Must not know prompts, nor how a query is run or
compared (`rewright.ask.ports`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rewright.ask.answering import LONGEST_QUESTION, Answering, asking_for
from rewright.ask.context import Context
from rewright.ask.describe import Description, Pairs
from rewright.ask.disclosure import Disclosure
from rewright.ask.lookups import known_names
from rewright.ask.mentions import Mentions, mentions_of
from rewright.ask.outcome import Outcome
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.ports import (
    Chooser,
    Comparer,
    Document,
    Lesson,
    Lessons,
    Likely,
    Reader,
    Runner,
    Stage,
    Turn,
    Validated,
    ValidatedQuestion,
)
from rewright.ask.reflection.lessons import Undecided, consider
from rewright.models.api import Model

_MOST_LIKELY = 24
"""How many of the reader's likeliest columns a prompt describes in full; pruning keeps them."""
__all__ = ["Outcome", "Pipeline", "PipelineSettings"]


@dataclass(slots=True)
class Pipeline:
    """Answers questions over one database, one at a time and synchronously.

    ``reader`` is the deterministic reader, whose draft is one more candidate and needs no call of the model.
    ``likely`` returns the columns that a question probably needs. ``comparer`` is the checker; without it,
    candidates are compared by their rows in this database alone. Make a new pipeline when the context
    changes.
    """

    model: Model
    runner: Runner
    context: Context
    settings: PipelineSettings = field(default_factory=PipelineSettings)
    lessons: Lessons | None = None
    documents: Sequence[Document] = ()
    validated: Validated | None = None
    reader: Reader | None = None
    comparer: Comparer | None = None
    likely: Likely | None = None
    _description: Description = field(init=False)
    _mentions: Mentions = field(init=False)

    def __post_init__(self) -> None:
        self._description = Description(self.context, hides=self.settings.share != "samples")
        self._mentions = mentions_of(self.context)

    def answer(
        self,
        question: str,
        *,
        evidence: str = "",
        history: Sequence[Turn] = (),
        choose: Chooser | None = None,
    ) -> Outcome:
        """Answer a question. What the question, the data or the model say does not raise."""
        return self._answer(question, evidence, history, choose, self.lessons)

    def learn(self) -> tuple[Lesson, ...]:
        """Adopt or remove each proposed lesson and return them. For each lesson every validated question is
        answered again, with as many calls of the model as that takes. A lesson stays proposed where the model
        fails on the way. Without a store of validated questions nothing is decided.
        """
        if self.lessons is None or self.validated is None:
            return ()
        waiting = [one for one in self.lessons.list(self.settings.database) if one.status == "proposed"]
        return tuple(
            consider(lesson, self.lessons, self.validated, self._again, self.runner, self.comparer)
            for lesson in waiting
        )

    def _again(self, question: ValidatedQuestion, lesson: Lesson) -> str:
        """The query for a validated question with one more lesson in use. Raises Undecided if the model
        fails.
        """
        tried = _Tried(self.lessons, replace(lesson, status="adopted"))
        outcome = self._answer(question.question, question.evidence, (), None, tried)
        if outcome.model_failed:
            raise Undecided(outcome.error)
        return outcome.sql

    def _answer(
        self,
        question: str,
        evidence: str,
        history: Sequence[Turn],
        choose: Chooser | None,
        lessons: Lessons | None,
    ) -> Outcome:
        if not question.strip():
            return Outcome(question, refused="an empty question")
        if len(question) > LONGEST_QUESTION:
            return Outcome(question, refused=f"a question of more than {LONGEST_QUESTION} characters")
        mentions = self._mentions
        # without a model there is no prompt that needs them
        if self.model.available("ask"):
            mentions = known_names(f"{question} {evidence}", mentions, self.runner, self._description)
        answering = Answering(
            asking_for(self.model, self.settings, question),
            self.runner,
            self._description,
            Disclosure(self.settings.share, mentions, self._description.column_name),
            self.documents,
            lessons,
            self.reader,
            self.comparer,
            choose,
            () if self.validated is None else self.validated.list(self.settings.database),
            self._likely(question, evidence),
        )
        return answering.answer(question, evidence, history)

    def _likely(self, question: str, evidence: str) -> Pairs:
        """The likeliest columns, as descriptions write them; none without a reader."""
        if self.likely is None or not self.settings.uses("reader"):
            return frozenset()
        return self._description.pairs(list(self.likely(question, evidence))[:_MOST_LIKELY])


@dataclass(frozen=True, slots=True)
class _Tried:
    """Lessons with one more adopted, for answering validated questions again. Lessons that are proposed
    meanwhile are not stored.
    """

    kept: Lessons | None
    one: Lesson

    def list(self, database: str) -> Sequence[Lesson]:
        others = self.kept.list(database) if self.kept is not None else ()
        return [*(lesson for lesson in others if lesson.id != self.one.id), self.one]

    def propose(self, database: str, stage: Stage, text: str, question: str) -> Lesson:
        return Lesson("", database, stage, text, question)

    def adopt(self, id: str, reason: str = "") -> Lesson:
        raise KeyError(id, reason)

    def remove(self, id: str, reason: str = "") -> Lesson:
        raise KeyError(id, reason)
