"""What the model pipeline is given by others, and the plain records that pass between it and them.

Owns the protocols (who runs a query, who compares two, who reads a question without a model, who keeps
lessons and validated questions, who chooses between two readings) and their records. Must not know how any of
them is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rewright.ask.context import ColumnContext
from rewright.ask.execution import Rows

Stage = Literal["schema", "values", "aggregation", "predicates", "sql"]
STAGES: tuple[Stage, ...] = ("schema", "values", "aggregation", "predicates", "sql")


class Runner(Protocol):
    """Runs what a model or a reader made, SQL as PostgreSQL reads it, after judging it. Several threads may
    call it at once.
    """

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        """The rows of one SELECT, at most ``rows``, within ``seconds`` (None: the runner's own limits).

        Raises rewright.ask.safety.Refused (it may not run) or rewright.ask.execution.ExecutionError (it could
        not).
        """
        ...


# ------------------------------------------------------------------ telling queries apart


@dataclass(frozen=True, slots=True)
class Difference:
    """A small database on which two queries part: the statements that fill it, and what each gives, a row a
    line.
    """

    setup: tuple[str, ...]
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """``same``: proved; ``differ``: shown by ``difference``; ``open``: neither."""

    verdict: Literal["same", "differ", "open"]
    difference: Difference | None = None


class Comparer(Protocol):
    """Whether two queries mean the same on every database."""

    def compare(self, first: str, second: str) -> Comparison:
        """Never raises for what is in the queries."""
        ...


@dataclass(frozen=True, slots=True)
class Option:
    """One side of a choice, in plain words and in SQL."""

    reading: str
    sql: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Two readings of a question and, where one was found, the smallest database on which they part."""

    question: str
    first: Option
    second: Option
    difference: Difference | None = None


Chooser = Callable[[Choice], Literal["first", "second"] | None]
"""The user: which of two readings is meant; None: no answer, go on without."""


# ------------------------------------------------------------------ reading without a model


@dataclass(frozen=True, slots=True)
class Draft:
    """A query made without a model; ``confidence`` from 0 to 1."""

    sql: str
    reading: str
    confidence: float


Reader = Callable[[str, str], Draft | None]
"""The deterministic reader: a question and its evidence to its draft, or None when it can't tell."""


Likely = Callable[[str, str], Iterable[ColumnContext]]
"""The deterministic reader: the columns that a question, with its evidence, may need, the likeliest first."""


# ------------------------------------------------------------------ what is remembered


@dataclass(frozen=True, slots=True)
class Document:
    """Text in Markdown that the user gave: a glossary, business rules."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A question answered before in this session: what a follow-up follows."""

    question: str
    sql: str
    reading: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One sentence added to a stage's instructions for one database.

    ``version`` counts the states of the database's instructions: each adoption and each removal makes a new
    one.
    """

    id: str
    database: str
    stage: Stage
    text: str
    question: str = ""
    status: Literal["proposed", "adopted", "removed"] = "proposed"
    version: int = 0
    reason: str = ""


class Lessons(Protocol):
    """Where lessons are kept. ``database`` is any name that stays the same for one database."""

    def list(self, database: str) -> Sequence[Lesson]:
        """All, the removed ones too, oldest first."""
        ...

    def propose(self, database: str, stage: Stage, text: str, question: str) -> Lesson:
        """Keeps a lesson that is not in use yet; one with the same stage and text is given back as it is."""
        ...

    def adopt(self, id: str, reason: str = "") -> Lesson:
        """Puts a proposed lesson in use. Raises KeyError when there is none of this id."""
        ...

    def remove(self, id: str, reason: str = "") -> Lesson:
        """Takes a lesson out of use, or refuses a proposed one; it stays in the list. Raises KeyError."""
        ...


@dataclass(frozen=True, slots=True)
class ValidatedQuestion:
    """A question whose query somebody, or a check, found right."""

    question: str
    sql: str
    evidence: str = ""
    reading: str = ""


class Validated(Protocol):
    """The validated questions of databases."""

    def list(self, database: str) -> Sequence[ValidatedQuestion]:
        """Oldest first."""
        ...

    def add(self, database: str, question: ValidatedQuestion) -> None:
        """Keeps it; the same question again replaces the former."""
        ...
