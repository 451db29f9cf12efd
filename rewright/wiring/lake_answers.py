"""Answers to a lake's queries without the wire protocol: for the command line and for reading questions. The
queries mean what they mean in a session.

Owns the server behind one lake for as long as a command runs, making an answer of what a session's binding
gives, and stopping it in time. It blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from rewright.engines.duckdb.database import Rows
from rewright.engines.duckdb.errors import LakeError, Timeout
from rewright.lake.api import Lake, Mode
from rewright.lake.resolve.letters import as_letters
from rewright.lake.resolve.resolution import Answer, Resolution
from rewright.proxy.ports import SqlError
from rewright.settings import BY_NAME
from rewright.wiring.lake_binding import Asked, Binding, Bound
from rewright.wiring.lake_explaining import explained_text
from rewright.wiring.lake_reading import read, rows_of, running
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.shadows import tables_of

_DATABASE = "lake"
_AGAIN_SECONDS = 0.2
"""Between two interrupts: one that comes just before a statement begins is lost."""
_CONFIDENCE = float(BY_NAME["lake_confidence"].default)


@contextmanager
def served(lake: Lake) -> Iterator[str]:
    """A server with the lake's tables, empty; the address at which it is asked how it reads a text.

    :raises LakeError: 57P03, it does not start.
    """
    from rewright.engines.duckdb.shadow import BACKEND_MEMORY, READER, SERVER, provision
    from rewright.engines.postgres.installation import ServerUnavailable
    from rewright.engines.postgres.scratch import ScratchServer

    try:
        with ScratchServer(SERVER, memory=BACKEND_MEMORY) as server:
            address = server.dsn(unix=True)
            provision(address, _DATABASE, tables_of(lake))
            yield make_conninfo(address, user=READER, dbname=_DATABASE, password="")
    except (ServerUnavailable, psycopg.Error) as error:
        raise LakeError(f"the server behind the lake does not start: {error}", sqlstate="57P03") from error


def answered(lake: Lake, dsn: str, sql: str, mode: Mode, threshold: float) -> Answer:
    """`Lake.query`, every expression read as PostgreSQL reads it.

    :raises LakeError: with PostgreSQL's SQLSTATE; one of what does not exist where a resolution is refused.
    """
    shadow = Shadow(dsn)
    try:
        bound = _bound(Binding(lake, shadow), Asked(sql, (), mode == "resolve", threshold))
    finally:
        shadow.close()
    prepared = bound.prepared
    rows = read(lake, dsn, prepared.query, prepared.columns)
    if bound.answer is not None:
        return Answer(bound.answer, rows)
    explained = explained_text(sql)
    doubts = tuple(as_letters(lake.index, lake.resolver.parse, explained.text if explained else sql))
    return Answer(Resolution("bound", sql, sql, 1.0, doubts=doubts), rows)


class SessionAnswers:
    """`rewright.ask.sources.lake.LakeAnswers` by the server at ``dsn``. For one thread at a time."""

    def __init__(self, lake: Lake, dsn: str) -> None:
        self._lake = lake
        self._dsn = dsn
        self._shadow = Shadow(dsn)
        self._binding = Binding(lake, self._shadow)

    def close(self) -> None:
        self._shadow.close()

    def bind(self, sql: str, seconds: float) -> None:
        """Raises LakeError, with PostgreSQL's SQLSTATE; 57014 when ``seconds`` are over."""
        with _within(seconds, self._lake.database.interrupt):
            self._bound(sql)

    def rows(self, sql: str, most: int, seconds: float) -> Rows:
        """The first ``most`` rows. Raises LakeError, with PostgreSQL's SQLSTATE; 57014 when ``seconds`` are
        over.
        """
        # what runs besides the lake's own statement has to be interrupted as well
        begun: list[Any] = []

        def interrupt() -> None:
            self._lake.database.interrupt()
            for one in begun:
                one.interrupt()

        with _within(seconds, interrupt):
            prepared = self._bound(sql).prepared
            begun.append(running(self._lake, self._dsn, prepared.query))
            return rows_of(begun[0], prepared.query, prepared.columns, most)

    def _bound(self, sql: str) -> Bound:
        return _bound(self._binding, Asked(sql, (), resolve=False, confidence=_CONFIDENCE))


@contextmanager
def session_answers(lake: Lake) -> Iterator[SessionAnswers]:
    """With a server of their own. Raises LakeError: 57P03, it does not start."""
    with served(lake) as dsn, closing(SessionAnswers(lake, dsn)) as made:
        yield made


@contextmanager
def _within(seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
    """Whatever fails once time is up failed because of that: LakeError 57014."""
    ended, late = threading.Event(), threading.Event()

    def watch() -> None:
        if ended.wait(seconds):
            return
        late.set()
        interrupt()
        while not ended.wait(_AGAIN_SECONDS):
            interrupt()

    watching = threading.Thread(target=watch, name="lake deadline", daemon=True)
    watching.start()
    try:
        yield
    except LakeError as error:
        if late.is_set():
            raise Timeout("canceling statement due to statement timeout") from error
        raise
    finally:
        ended.set()
        # an interrupt that is under way would stop the next statement
        watching.join()


def _bound(binding: Binding, asked: Asked) -> Bound:
    try:
        return binding.bind(asked)
    except SqlError as error:
        raise LakeError(error.message, hint=error.hint, sqlstate=error.sqlstate) from error
