"""What reading questions needs of the store and of [models], [ask].

Owns the adapters. Must not know processes or the wire.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rewright import logs
from rewright.ask import ports
from rewright.ask.answer import Answer
from rewright.ask.api import Assistance
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.sessions import Remembered
from rewright.ask.sources.api import Source
from rewright.ask.sources.postgres import PostgresSource
from rewright.config.model import Config, Models
from rewright.models.api import Model
from rewright.sql.printer.names import quote_literal
from rewright.store.api import Store
from rewright.store.errors import NotFound, StoreError
from rewright.store.records import AskLesson, AskSeen, LogEntry, QuestionValidated
from rewright.wiring.scratch import Scratch

log = logs.logger()
_LONGEST_DOCUMENT = 1 << 20
_CHECK_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class StoreQuestionLog:
    """`rewright.ask.sessions.QuestionLog` over the store, for one role of one database."""

    store: Store
    database: str
    role: str
    application_name: str
    client_address: str
    remember: float

    def validated(self, question: str) -> Remembered | None:
        try:
            found = self.store.validated.find(self.database, question)
        except StoreError:
            # a store that cannot be read knows no answers
            return None
        # what a person found right is certain
        return None if found is None else Remembered(found.sql, found.reading, 1.0)

    def again(self, key: str) -> Remembered | None:
        if not self.remember:
            return None
        try:
            found = self.store.asks.again(key, since=time.time() - self.remember)
        except StoreError:
            return None
        return None if found is None else Remembered(found.sql, found.reading, found.confidence)

    def add(self, answer: Answer, key: str, role: str) -> int:
        try:
            number = self.store.asks.add(
                AskSeen(
                    self.database,
                    role,
                    answer.question,
                    # a query that failed is not to be answered again from here
                    sql="" if answer.error else answer.sql,
                    reading=answer.reading,
                    confidence=answer.confidence,
                    refused=answer.refused,
                    error=answer.error,
                    tokens=answer.tokens,
                    money=answer.money,
                    seconds=answer.seconds,
                    trajectory=[event.document() for event in answer.trajectory] or None,
                    key=key,
                )
            )
            self.store.log.add([self._entry(answer, role, number)])
        except StoreError as error:
            log.warning("ask.not_kept", reason=str(error))
            return 0
        return number

    def _entry(self, answer: Answer, role: str, number: int) -> LogEntry:
        became = "refused" if answer.refused else "failed" if answer.error else "answered"
        return LogEntry(
            at=time.time(),
            database=self.database,
            role=role,
            client=self.client_address,
            application_name=self.application_name,
            # as a literal: where literals are not shown, no word of it is
            query=f"ASK {quote_literal(answer.question)}",
            template="ASK ?",
            route="asked",
            # words of the question stand in rewright.asks alone: pages show reasons
            reason=f"question {number}, {became}",
            overhead_ms=answer.seconds * 1000,
        )


@dataclass(frozen=True, slots=True)
class StoreLessons:
    """`rewright.ask.ports.Lessons` over the store, of one role: what its questions taught may hold what only
    it may see.
    """

    store: Store
    role: str

    def list(self, database: str) -> Sequence[ports.Lesson]:
        try:
            return [_lesson(one) for one in self.store.ask_lessons.read(database=database, role=self.role)]
        except StoreError:
            return []

    def propose(self, database: str, stage: ports.Stage, text: str, question: str) -> ports.Lesson:
        if not self.store.asks.options.literals:
            # a lesson is free text: any word of it may be somebody's
            return ports.Lesson("", database, stage, text, question)
        try:
            lesson = AskLesson(database, stage, text, question, role=self.role)
            return _lesson(self.store.ask_lessons.propose(lesson))
        except StoreError:
            return ports.Lesson("", database, stage, text, question)

    def adopt(self, id: str, reason: str = "") -> ports.Lesson:
        return self._change(id, "adopted", reason)

    def remove(self, id: str, reason: str = "") -> ports.Lesson:
        return self._change(id, "removed", reason)

    def _change(self, number: str, status: str, reason: str) -> ports.Lesson:
        try:
            return _lesson(self.store.ask_lessons.change(int(number), status, reason=reason))
        except (ValueError, NotFound, StoreError) as error:
            raise KeyError(number) from error


def _lesson(one: AskLesson) -> ports.Lesson:
    return ports.Lesson(
        str(one.id),
        one.database,
        one.stage,  # type: ignore[arg-type] # it was proposed with one
        one.text,
        one.question,
        one.status,
        one.version,
        one.reason,
    )


@dataclass(frozen=True, slots=True)
class StoreValidated:
    """`rewright.ask.ports.Validated` over the store."""

    store: Store

    def list(self, database: str) -> Sequence[ports.ValidatedQuestion]:
        try:
            found = self.store.validated.read(database=database)
        except StoreError:
            return []
        return [ports.ValidatedQuestion(one.question, one.sql, one.evidence, one.reading) for one in found]

    def add(self, database: str, question: ports.ValidatedQuestion) -> None:
        kept = QuestionValidated(
            database, question.question, question.sql, question.evidence, question.reading
        )
        try:
            self.store.validated.add(kept)
        except StoreError as error:
            log.warning("ask.not_kept", reason=str(error))


def assistance_of(config: Config, store: Store | None, role: str = "") -> Assistance | None:
    """The model with all that goes with it for the questions of a role; None: no model reads questions."""
    model = _model(config)
    if not config.ask.model or model is None:
        return None
    return Assistance(
        model,
        settings_of(config),
        None if store is None else StoreLessons(store, role),
        None if store is None else StoreValidated(store),
        documents(config.ask.documents),
        partial(_comparer, config),
    )


@dataclass(frozen=True, slots=True)
class _Checking:
    """The checker over one database's schema, on a scratch server that is started for the first two queries
    to compare.
    """

    source: PostgresSource
    scratch: Scratch

    def compare(self, first: str, second: str) -> ports.Comparison:
        from rewright.ask.sameness import CheckerComparer
        from rewright.equivalence.api import Checker, Options

        # without a scratch server queries are told apart by their rows
        server = self.scratch.server()
        if server is None:
            return ports.Comparison("open")
        known = self.source.known
        options = Options(seconds=_CHECK_SECONDS, search_path=known.state.path)
        with Checker(known.catalog, server, options) as checker:
            return CheckerComparer(checker).compare(first, second)


_scratches: dict[str, Scratch] = {}


def _comparer(config: Config, source: Source) -> _Checking | None:
    """The checker reads PostgreSQL's queries; those of a lake are told apart by their rows."""
    if not isinstance(source, PostgresSource):
        return None
    url = config.verify.scratch
    if url not in _scratches:
        _scratches[url] = Scratch(url, lambda reason: log.warning("ask.no_checker", reason=reason))
    return _Checking(source, _scratches[url])


def settings_of(config: Config) -> PipelineSettings:
    """What [ask] and [models] say of the pipeline."""
    return PipelineSettings(
        share=config.models.share,  # type: ignore[arg-type] # one of the same three words
        candidates=config.ask.candidates,
        tokens=config.ask.tokens,
        # a fourteenth is kept for the last step, which has to give an answer
        forced_tokens=config.ask.tokens * 13 // 14,
        seconds=config.ask.read_timeout or 3600.0,
    )


def documents(files: Sequence[str]) -> Sequence[ports.Document]:
    """Markdown that the user gave; a file that can't be read is left out and named in the log."""
    found = []
    for name in files:
        path = Path(name).expanduser()
        try:
            with path.open("rb") as file:
                text = file.read(_LONGEST_DOCUMENT).decode("utf-8", "replace")
        except OSError as error:
            log.warning("ask.document_missing", path=name, reason=error.strerror)
            continue
        found.append(ports.Document(path.name, text))
    return found


_models: dict[Models, Model | None] = {}


def _model(config: Config) -> Model | None:
    """One for each [models], as long as the process lives: its library takes long to import."""
    if config.models not in _models:
        from rewright.wiring.modelling import make_model

        model = make_model(config)
        _models[config.models] = model if model.available("ask") else None
    return _models[config.models]


def state_with(state: str, database: str, config: Config, assistance: Assistance | None) -> str:
    """The state of all that a question's query depends on: the data's, the settings', the model's, its
    lessons' and its examples'.
    """
    # an unknown state: the question's answer is not remembered at all
    if not state:
        return ""
    parts: list[object] = [state, database, config.ask.confidence, config.ask.cost]
    if assistance is not None:
        # another model, another document or a lesson more may read the question otherwise
        parts += [config.models.of("ask"), assistance.settings, [d.text for d in assistance.documents]]
        if assistance.lessons is not None:
            adopted = [one for one in assistance.lessons.list(database) if one.status == "adopted"]
            parts += [(one.stage, one.text) for one in adopted]
        if assistance.validated is not None:
            parts += [(one.question, one.sql) for one in assistance.validated.list(database)]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
