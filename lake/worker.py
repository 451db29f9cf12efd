"""Runs one query at a time in a separate process that can be killed, so that no query can block the next.

Owns the process, its deadline and its restart. Must not know what is done with the lines.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from rewright import interrupts
from rewright.engines.duckdb.locked import Limits
from rewright.lake.api import open_lake
from rewright.lake.batch import AnsweredBy, answer_line, empty_line
from rewright.lake.model_driver import Driving
from rewright.lake.resolve.loop import Options
from rewright.models.api import Model

_START_SECONDS = 600.0
"""For a process to open the lake; its catalog is up to date by then."""
# the query's own limit comes first; then the process is ended
_GRACE = 2.0
_SOFT = 0.75
"""Of the time for one query the share after which the resolver looks for nothing more and runs the best it
has.
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker opens. `model` is called in the worker's process, so it must be importable by name; None:
    no model.
    """

    folder: Path
    over: Path | None = None
    catalog: Path | None = None
    seconds: float = 60.0
    model: Callable[[], Model] | None = None
    driving: Driving = field(default_factory=Driving)
    dsn: str = ""
    answered: AnsweredBy | None = None
    """Who answers by the server at `dsn`, called in the worker's process, too; None: the lake itself."""


class Worker:
    """Answers queries in a child process, started when first needed and again after it was killed."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._process: Any = None
        self._connection: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A late answer would be taken for that of the next query: the process ends with its question.
        self.close()

    def answer(self, name: Any, query: Any, *, refuse_below: float) -> dict[str, Any]:
        """The line of one query; an error line where it took too long or its process died. Never raises for
        the query's sake.
        """
        started = time.monotonic()
        try:
            connection = self._started()
            started = time.monotonic()
            connection.send((name, query, refuse_below))
            if connection.poll(self._task.seconds + _GRACE):
                line: dict[str, Any] = connection.recv()
                return line
            error = f"57014: no answer within {self._task.seconds:g} s"
        except (EOFError, OSError):
            error = "58000: the process that answered it ended, perhaps out of memory"
        self.close()
        return {**empty_line(name), "error": error, "seconds": round(time.monotonic() - started, 4)}

    def close(self) -> None:
        """End the process at once."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _started(self) -> Connection:
        if self._connection is None:
            # a fork would inherit DuckDB's and NumPy's threads half alive
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._task), daemon=True)
            with interrupts.held_back():
                self._process.start()
            # So that the child's end closes with the child, and ``recv`` meets EOF when it dies.
            theirs.close()
            self._connection = ours
            if not ours.poll(_START_SECONDS):
                raise EOFError
            ours.recv()
        return self._connection


def _serve(connection: Connection, task: Task) -> None:
    """The child: opens the lake, says so, answers until the other end is closed."""
    interrupts.ignore()
    options = Options(seconds=task.seconds * _SOFT)
    limits = Limits(seconds=task.seconds)
    model = task.model() if task.model is not None else None
    with (
        contextlib.suppress(EOFError, OSError),
        open_lake(task.folder, task.over, catalog=task.catalog, options=options, limits=limits) as lake,
    ):
        if model is not None:
            lake.drive(model, task.driving)
        answered = task.answered
        ask = (
            (lambda query: answered(lake, task.dsn, query, "resolve", 0.0)) if answered is not None else None
        )
        connection.send("ready")
        while True:
            name, query, refuse_below = connection.recv()
            connection.send(answer_line(lake, name, query, refuse_below=refuse_below, ask=ask))
