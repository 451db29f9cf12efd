"""The two questions that choice asks a model: which of two readings, told apart by one or two rows; which of
several candidates.

Owns those prompts. Rows of a distinguishing database are made up by the checker; what of them could tell of a
value of the database is hidden as `[models] share` says. Must not count votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rewright.ask.asking import Asking
from rewright.ask.compression import compress
from rewright.ask.disclosure import Disclosure
from rewright.ask.forms import says
from rewright.ask.outcome import Candidate
from rewright.ask.ports import Difference
from rewright.ask.quoting import block
from rewright.ask.shown import rows_told
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError
from rewright.models.made_up import MadeUp
from rewright.models.redact import Redactor

_APART = (
    "Two queries were made for one question. Decide which reading the question means. Where a made-up "
    "database follows, it shows the "
    "smallest case in which they part. Say unsure if both may be meant."
)
_SELECT = (
    "Several queries were made for one question; all run. Choose the one most likely right: it has "
    "every constraint of the question "
    "and none of its own; it compares with values that were verified; it filters tables that mix kinds "
    "of rows; its joins neither "
    "lose nor repeat rows; its ratios survive zeros."
)
# rows of each candidate that a model sees: enough to see kinds and order of values
_ROWS = 5


@dataclass(frozen=True, slots=True)
class Picked:
    """Of two."""

    choice: Literal["A", "B", "unsure"]
    why: str = says("a few words", default="")


@dataclass(frozen=True, slots=True)
class Selected:
    """Of several."""

    best: int = says("number of the candidate")
    why: str = says("a few words", default="")


def pick(
    asking: Asking,
    disclosure: Disclosure,
    subject: Subject,
    schema: str,
    first: Candidate,
    second: Candidate,
    difference: Difference | None,
) -> Literal["first", "second"] | None:
    """Which of two; None where the model can't tell."""
    messages = prompt(
        "choose between two readings",
        _APART,
        f"Schema:\n{schema}",
        _candidate("A", first, disclosure),
        _candidate("B", second, disclosure),
        _told(difference, first, second, disclosure) if difference is not None else "",
        subject.text(),
    )
    try:
        found = asking.form("choice", messages, Picked)
    except ModelError:
        # a choice without a reply is none: votes decide then
        return None
    asking.note("chose", "choice", f"{found.choice}: {found.why}")
    return {"A": "first", "B": "second", "unsure": None}[found.choice]


def select(
    asking: Asking, disclosure: Disclosure, subject: Subject, schema: str, heads: Sequence[Candidate]
) -> Candidate | None:
    """Which of several; None where the model gives no number of theirs."""
    messages = prompt(
        "choose a candidate",
        _SELECT,
        f"Schema:\n{schema}",
        "\n\n".join(_candidate(str(i), head, disclosure) for i, head in enumerate(heads, 1)),
        subject.text(),
    )
    try:
        found = asking.form("selection", messages, Selected)
    except ModelError:
        return None
    asking.note("chose", "selection", f"{found.best}: {found.why}")
    return heads[found.best - 1] if 1 <= found.best <= len(heads) else None


def _candidate(name: str, candidate: Candidate, disclosure: Disclosure) -> str:
    # the reader's words may quote the database; a model's were made from what it was shown
    reading = candidate.reading if candidate.origin == "model" or not disclosure.hides else ""
    lines = [f"Candidate {name}" + (f": {reading}" if reading else ""), disclosure.query(candidate.sql)]
    if candidate.rows is not None:
        lines.append(f"Here it gives {compress(candidate.rows, disclosure, whole=_ROWS)}")
    return "\n".join(lines)


def _told(difference: Difference, first: Candidate, second: Candidate, disclosure: Disclosure) -> str:
    # one redactor for both queries, so that a value has the same mark in all that is shown
    redactor = Redactor(disclosure.share)
    redactor.sql(first.sql)
    redactor.sql(second.sql)
    made_up = MadeUp(redactor)
    setup = "\n".join(made_up.statement(statement) for statement in rows_told(difference.setup))
    gives = (
        f"A gives:\n{block(made_up.result(difference.first))}\n"
        f"B gives:\n{block(made_up.result(difference.second))}"
    )
    # without any row that tells them apart it is the columns that differ
    if not setup:
        return f"On any database they return other columns.\n{gives}"
    return f"A database on which they part (columns not shown are NULL):\n{block(setup)}\n{gives}"
