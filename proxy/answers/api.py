"""The proxy's ``LocalAnswers``: from a recognised statement to its rows.

Owns the answers. Whatever blocks (the store, an evaluation) runs in a thread. Errors are SqlError; nothing
else leaves here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rewright.proxy.answers import calls
from rewright.proxy.answers.parts import Evaluator, Explainer, ExplainRequest, NoRows, Rows
from rewright.proxy.answers.questions import Question
from rewright.proxy.answers.recognition import (
    Augment,
    CallOurs,
    ExplainRewrite,
    SelectOurs,
    ShowLast,
    recognise,
)
from rewright.proxy.answers.relations import BY_NAME, RELATIONS, stored_rows
from rewright.proxy.ports import (
    NOT_KNOWN,
    Answer,
    LastQuery,
    LocalRows,
    Outcome,
    ResultColumn,
    SessionView,
    SqlError,
)
from rewright.proxy.serving.asking_ports import Asker, Augmenter
from rewright.proxy.serving.augmenting import AugmentAnswer
from rewright.proxy.serving.questions import AskAnswer
from rewright.store.api import Store
from rewright.store.errors import StoreError

T = TypeVar("T")
TEXT, JSON = 25, 114
SHOW_COLUMNS = (ResultColumn("rewright.last", TEXT),)
SettingsRows = Callable[[SessionView], Sequence[Mapping[str, Any]]]


@dataclass(slots=True)
class Answers:
    """``settings`` gives the rows of rewright.settings for a session."""

    store: Store
    evaluator: Evaluator
    settings: SettingsRows
    explainer: Explainer | None = None
    others: Rows = field(default_factory=NoRows)
    pause: calls.Pauser | None = None
    # why the session's last query, which was slow, is not rewritten; blocks, raises StoreError
    outcome: Callable[[SessionView], str] | None = None
    kill: calls.Killer | None = None
    asker: Asker | None = None
    augmenter: Augmenter | None = None
    keywords: frozenset[bytes] = frozenset({b"ask", b"augment", b"explain", b"create", b"call"})

    def match(self, text: str) -> Answer | None:
        """None for what is the server's business. Never raises: a wrong statement of ours is an answer that
        fails.
        """
        found = recognise(text)
        match found:
            case None:
                return None
            case ShowLast():
                return _Show(self.outcome)
            case SelectOurs():
                return self._select(found)
            case CallOurs():
                return _Call(self.store, found, self.pause, self.kill)
            case ExplainRewrite():
                return self._explain(found)
            case Question():
                return self._ask(found)
            case Augment():
                return self._augment(found)

    def _ask(self, question: Question) -> Answer:
        if self.asker is None:
            return _Failing(
                SqlError("0A000", "ASK is switched off", hint="[ask] enabled in the configuration.")
            )
        return AskAnswer(question, self.asker)

    def _augment(self, found: Augment) -> Answer:
        if self.augmenter is None:
            return _Failing(SqlError("0A000", "AUGMENT needs a lake, and none is configured"))
        if found.creates:
            hint = "Send it in a session with the lake, over the table as the lake names it: database.table."
            return _Failing(
                SqlError("0A000", "a view over a lake cannot be created in this database", hint=hint)
            )
        return AugmentAnswer(found.sql, self.augmenter)

    def _select(self, found: SelectOurs) -> Answer:
        unknown = [name for name in found.relations if name not in BY_NAME]
        if unknown:
            names = ", ".join(relation.name for relation in RELATIONS)
            return _Failing(
                SqlError(
                    "42P01", f'relation "rewright.{unknown[0]}" does not exist', hint=f"Relations: {names}."
                )
            )
        if found.strange:
            return _Failing(
                SqlError(
                    "0A000",
                    f"rewright.{found.relations[0]} can't be joined with {found.strange[0]}",
                    detail="Relations of Rewright are not in the database; they join with each other only.",
                )
            )
        if found.evaluated:
            return _Failing(
                SqlError(
                    "0A000",
                    f"constant expressions are not evaluated over rewright.{found.relations[0]}",
                    detail="LIMIT and the arguments of functions in FROM must be constants; only some "
                    "functions can be called without a column.",
                )
            )
        try:
            relations = [BY_NAME[name] for name in found.relations]
            columns = self.evaluator.columns(found.sql, relations, found.parameters)
        except SqlError as error:
            return _Failing(error)
        return _Select(self, found, columns)

    def _explain(self, found: ExplainRewrite) -> Answer:
        if found.problem:
            return _Failing(SqlError("22023", found.problem))
        if self.explainer is None:
            return _Failing(
                SqlError(
                    "0A000", "EXPLAIN (REWRITE) needs an optimiser: [databases] optimiser_dsn is not set"
                )
            )
        return _Explain(self.explainer, ExplainRequest(found.sql, found.analyze, found.format))

    def contents(self, found: SelectOurs, session: SessionView) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The rows this session may see, by relation. Blocks; raises SqlError."""
        try:
            return {name: self._rows(name, session) for name in found.relations}
        except StoreError as error:
            # what is wrong names files of the machine, or where the store's server is
            why = f": {error}" if session.is_admin else ""
            raise SqlError("58030", f"the store of Rewright cannot be read{why}") from error

    def _rows(self, name: str, session: SessionView) -> Sequence[Mapping[str, Any]]:
        if name == "settings":
            return self.settings(session)
        rows = stored_rows(name, self.store, session)
        return self.others(name, session) if rows is None else rows


@dataclass(frozen=True, slots=True)
class _Local:
    """What every answer of ours is: rows made here."""

    @property
    def redirects(self) -> bool:
        return False

    @property
    def rights(self) -> bool:
        return True

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return ()

    @property
    def parameters(self) -> tuple[int, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class _Failing(_Local):
    error: SqlError

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del session, parameters
        raise self.error


@dataclass(frozen=True, slots=True)
class _Show(_Local):
    outcome: Callable[[SessionView], str] | None = None

    @property
    def rights(self) -> bool:
        return False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return SHOW_COLUMNS

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del parameters
        last = session.last
        if self.outcome is not None and last.reason == NOT_KNOWN and last.text:
            last = await _in_thread(lambda: self._explained(session))
        return LocalRows(SHOW_COLUMNS, ((last_text(last),),), "SHOW")

    def _explained(self, session: SessionView) -> LastQuery:
        """A slow query's reason is in the store, where whoever found it out has written it."""
        assert self.outcome is not None
        try:
            return replace(session.last, reason=self.outcome(session))
        except StoreError:
            return session.last


@dataclass(frozen=True, slots=True)
class _Select(_Local):
    answers: Answers
    found: SelectOurs
    described: tuple[ResultColumn, ...]

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return self.described

    @property
    def parameters(self) -> tuple[int, ...]:
        return self.found.parameters

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        return await _in_thread(lambda: self._rows(session, parameters))

    def _rows(self, session: SessionView, parameters: Sequence[object]) -> LocalRows:
        _all_given(self.parameters, parameters)
        contents = self.answers.contents(self.found, session)
        relations = [BY_NAME[name] for name in self.found.relations]
        rows = self.answers.evaluator.rows(self.found.sql, relations, contents, parameters)
        return LocalRows(self.described, tuple(rows))


@dataclass(frozen=True, slots=True)
class _Call(_Local):
    store: Store
    found: CallOurs
    pauser: calls.Pauser | None
    killer: calls.Killer | None

    @property
    def parameters(self) -> tuple[int, ...]:
        return self.found.parameters

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        _all_given(self.parameters, parameters)
        call = self.found.filled(parameters)
        if call.name == "kill":
            return LocalRows((), (), "CALL", (await calls.kill(call, session, self.killer),))
        notice = await _in_thread(lambda: calls.run(call, self.store, session, self.pauser))
        return LocalRows((), (), "CALL", (notice,))


@dataclass(frozen=True, slots=True)
class _Explain(_Local):
    explainer: Explainer
    request: ExplainRequest

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return (ResultColumn("QUERY PLAN", JSON if self.request.format == "json" else TEXT),)

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del parameters
        lines = await self.explainer.explain(self.request, session)
        return LocalRows(self.columns, tuple((line,) for line in lines), "EXPLAIN")


def _all_given(wanted: Sequence[int], given: Sequence[object]) -> None:
    """A text with parameters that came as a simple query has none."""
    if len(given) < len(wanted):
        raise SqlError("42P02", f"there is no parameter ${len(given) + 1}")


async def _in_thread(work: Callable[[], T]) -> T:
    return await asyncio.to_thread(work)


def last_text(last: LastQuery) -> str:
    """One line: the route, then what was done or why nothing.

    >>> last_text(LastQuery(route="original", reason="not rewritten: volatile function random()"))
    'original | not rewritten: volatile function random()'
    """
    if not last.route:
        return f"original | {NOT_KNOWN}"
    parts = [last.route]
    if last.rewrite_id is not None:
        parts.append(f"rewrite {last.rewrite_id}")
    if last.reason:
        parts.append(last.reason)
    if last.duration:
        parts.append(f"{last.duration * 1000:.1f} ms")
    if last.overhead:
        parts.append(f"overhead {last.overhead * 1000:.2f} ms")
    return " | ".join(parts)
