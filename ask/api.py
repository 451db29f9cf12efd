"""Answers a question: reads it as a query (with a model where one is configured, and without), decides
whether the query may run, and runs it.

Owns the order of these steps. Must not know the command line, the wire, or what kind of database is asked
(`rewright.ask.sources`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import psycopg

from rewright.ask.answer import Answer, History, linked_of, of_outcome, steps_of
from rewright.ask.answering import LONGEST_QUESTION
from rewright.ask.context import Context
from rewright.ask.emptiness import doubted
from rewright.ask.execution import ExecutionError, Limits
from rewright.ask.outcome import Alternative
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.ports import Chooser, Comparer, Document, Draft, Lesson, Lessons, Validated
from rewright.ask.reading.api import Reader, Reading, read, reader_of
from rewright.ask.reading.follow import follows
from rewright.ask.safety import Refused
from rewright.ask.sources.api import Source
from rewright.ask.sources.postgres import PostgresSource
from rewright.models.api import Model

__all__ = ["LONGEST_QUESTION", "THRESHOLD", "Answer", "Asker", "Assistance"]

THRESHOLD = 0.75
"""Confidence below which a question is refused."""
_UNSURE = "not sure enough of this reading"
_DOUBTS_TOLD = 2


@dataclass(frozen=True, slots=True)
class Assistance:
    """A model and what it works with. ``settings.database`` is replaced by the name of the source.
    ``comparer_of`` returns the checker for a source; where it returns None, candidates are compared by their
    rows alone.
    """

    model: Model
    settings: PipelineSettings = field(default_factory=PipelineSettings)
    lessons: Lessons | None = None
    validated: Validated | None = None
    documents: Sequence[Document] = ()
    comparer_of: Callable[[Source], Comparer | None] = lambda _source: None


class Asker:
    """Answers questions over one source, one at a time."""

    def __init__(
        self,
        source: Source | psycopg.Connection[Any],
        *,
        threshold: float = THRESHOLD,
        limits: Limits | None = None,
        assistance: Assistance | None = None,
        history: History | None = None,
        follows: bool = False,
    ) -> None:
        """Raises psycopg.Error where the catalog of a connection can't be read. ``limits`` are those of a
        connection.

        ``follows``: a question may follow up those before it; otherwise each stands for itself.
        """
        self.source = PostgresSource(source, limits) if isinstance(source, psycopg.Connection) else source
        self.threshold = threshold
        self.history = history or History()
        self._follows = follows
        self._assistance = assistance
        self._pipeline: Pipeline | None = None
        self._drafts: dict[tuple[str, str], Draft | None] = {}

    @property
    def context(self) -> Context:
        return self.source.context

    @cached_property
    def reader(self) -> Reader:
        """The deterministic reader of this source."""
        return Reader(self.source.context)

    def ask(self, question: str, *, evidence: str = "", choose: Chooser | None = None) -> Answer:
        """Answer a question. What the question says never raises: it is refused in the answer. ``evidence``:
        hints that came with the question; ``choose`` lets a person pick one of several readings. ``seconds``
        of the answer is wall time.
        """
        began = time.perf_counter()
        answer = self.read(question, evidence=evidence, choose=choose)
        if answer.sql and not (answer.refused or answer.error):
            answer = self.run(answer)
        return replace(answer, seconds=time.perf_counter() - began)

    def read(
        self, question: str, *, evidence: str = "", choose: Chooser | None = None, look: bool = True
    ) -> Answer:
        """Read a question as a query that may run; its answer is not fetched. With ``follows``, the answer
        becomes part of the history.

        ``look``: whether the reader may look if its query gives anything at all; without, nothing of it runs.
        """
        began = time.perf_counter()
        answer, reading = self._read(question, evidence, choose, look=look)
        # a question that stands for itself must not become what the next one refers to
        if self._follows:
            self.history = self.history.then(answer, reading)
        return replace(answer, seconds=time.perf_counter() - began)

    def learn(self) -> tuple[Lesson, ...] | None:
        """Decide on each proposed lesson (`Pipeline.learn`) and return them; None where there is no model."""
        assistance = self._assistance
        if assistance is None or not assistance.model.available("ask"):
            return None
        return self._pipeline_of(assistance).learn()

    def run(self, answer: Answer) -> Answer:
        """Run an answer's query: the answer with its rows, or with why it was refused or failed."""
        try:
            # an edited query, or one whose tables have changed since, is refused only here
            found = self.source.run(answer.sql)
        except Refused as refused:
            return replace(answer, sql="", refused=str(refused))
        except ExecutionError as error:
            return replace(answer, error=str(error), error_state=error.sqlstate)
        return replace(answer, columns=found.columns, rows=found.rows, truncated=found.truncated)

    def edited(self, answer: Answer, sql: str) -> Answer:
        """Run a query that a person has edited. It is checked and limited like any other."""
        # what was said against the former query is not said of the edited one
        return self.run(replace(answer, sql=sql, refused="", error="", rows=(), columns=(), truncated=False))

    def _read(
        self, question: str, evidence: str, choose: Chooser | None, *, look: bool
    ) -> tuple[Answer, Reading | None]:
        if problem := unfit(question):
            return Answer(question, refused=problem), None
        plain = read(question, self.source.context, evidence=evidence, previous=self.history.reading)
        reading = plain if isinstance(plain, Reading) else None
        assistance = self._assistance
        if assistance is not None and assistance.model.available("ask"):
            answer = self._assisted(assistance, question, evidence, reading, choose)
        elif reading is not None:
            answer = replace(self._plain(reading), trajectory=steps_of(plain))
        else:
            assert not isinstance(plain, Reading)
            answer = Answer(
                question,
                refused=plain.why,
                linked=linked_of(plain.links),
                links=plain.links,
                trajectory=steps_of(plain),
            )
        answer = self._judged(answer)
        # a model's candidates were run already
        if look and reading is not None and not answer.candidates:
            answer = doubted(answer, self.source, self.threshold)
        return answer, reading if reading is not None and self._is_its(reading, answer) else None

    def _plain(self, reading: Reading) -> Answer:
        answer = Answer(
            reading.question,
            confidence=reading.confidence,
            reading=reading.plain,
            linked=linked_of(reading.links),
            links=reading.links,
        )
        if reading.confidence >= self.threshold:
            return replace(answer, sql=reading.sql)
        unsure = Alternative(reading.sql, reading.plain, reading.confidence)
        return replace(answer, refused=_unsure(reading), alternatives=(unsure,))

    def _assisted(
        self,
        assistance: Assistance,
        question: str,
        evidence: str,
        reading: Reading | None,
        choose: Chooser | None,
    ) -> Answer:
        """The pipeline's answer. Where the model fails and the deterministic reading is sure enough, that
        reading is used instead.
        """
        if self.history.turns and self.history.reading is None and follows(question):
            # it follows a question that only the model could read, so the reader lacks what it refers to
            reading = None
        draft = None if reading is None else Draft(reading.sql, reading.plain, reading.confidence)
        # the pipeline asks for this question's draft by its text: it is not read twice
        self._drafts = {(question, evidence): draft}
        pipeline = self._pipeline_of(assistance)
        outcome = pipeline.answer(question, evidence=evidence, history=self.history.turns, choose=choose)
        answer = of_outcome(outcome)
        if outcome.error and reading is not None and reading.confidence >= self.threshold:
            plain = self._plain(reading)
            # what was spent on the model is told all the same
            return replace(plain, trajectory=answer.trajectory, tokens=answer.tokens, money=answer.money)
        if answer.sql and answer.confidence < self.threshold:
            # the unsure query is shown as a reading to choose, not run
            unsure = Alternative(answer.sql, answer.reading, answer.confidence)
            why = answer.refused or _UNSURE
            return replace(answer, sql="", refused=why, alternatives=(unsure, *answer.alternatives))
        return answer

    def _pipeline_of(self, assistance: Assistance) -> Pipeline:
        if self._pipeline is None:
            self._pipeline = Pipeline(
                model=assistance.model,
                runner=self.source,
                context=self.source.context,
                settings=replace(assistance.settings, database=self.source.name),
                lessons=assistance.lessons,
                validated=assistance.validated,
                documents=assistance.documents,
                reader=self._drafted,
                likely=lambda asked, hint: reader_of(self.source.context).columns(asked, evidence=hint),
                comparer=assistance.comparer_of(self.source),
            )
        return self._pipeline

    def _drafted(self, question: str, evidence: str) -> Draft | None:
        """The reader's draft. The current question was read already; validated questions that are answered
        again while learning are read here.
        """
        if (question, evidence) in self._drafts:
            return self._drafts[question, evidence]
        found = read(question, self.source.context, evidence=evidence)
        return Draft(found.sql, found.plain, found.confidence) if isinstance(found, Reading) else None

    def _is_its(self, reading: Reading, answer: Answer) -> bool:
        """Whether an answer's query is the reading's own, or in its group, that is compared equal."""
        mine = {c.group for c in answer.candidates if c.origin == "reader" and c.group >= 0}
        chosen = {c.group for c in answer.candidates if checked_text(self.source, c.sql) == answer.sql}
        return bool(answer.sql) and (
            bool(mine & chosen) or answer.sql == checked_text(self.source, reading.sql)
        )

    def _judged(self, answer: Answer) -> Answer:
        """The answer with the checked text of its query. A query that may not run becomes a refusal;
        alternatives that may not run are dropped.
        """
        fit = []
        # an alternative that may not run is no choice for a person
        for one in answer.alternatives:
            try:
                fit.append(replace(one, sql=self.source.check(one.sql).sql))
            except Refused:
                continue
        answer = replace(answer, alternatives=tuple(fit))
        if not answer.sql:
            return answer
        try:
            return replace(answer, sql=self.source.check(answer.sql).sql)
        except Refused as refused:
            return replace(answer, sql="", refused=str(refused))


def checked_text(source: Source, sql: str) -> str:
    """The text that runs for a query: that of a lake has no schemas. As it is where it may not run."""
    try:
        return source.check(sql).sql
    except Refused:
        return sql


def unfit(question: str) -> str:
    """The reason why a text cannot be asked, or an empty text."""
    if not question.strip():
        return "an empty question"
    if len(question) > LONGEST_QUESTION:
        return f"a question of more than {LONGEST_QUESTION} characters"
    return "a zero byte" if "\x00" in question else ""


def _unsure(reading: Reading) -> str:
    """The refusal with the gravest doubts, so that the person can ask again in other words."""
    grave = list(dict.fromkeys(doubt.about for doubt in reading.doubts))[:_DOUBTS_TOLD]
    return f"{_UNSURE}: {'; '.join(grave)}" if grave else _UNSURE
