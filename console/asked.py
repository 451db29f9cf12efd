"""Questions asked in plain language as pages show them: what became of each, by which steps, and what was
learned.

Pure, except that it reads the store. A question, its reading and the steps are free text: any word of them
may be somebody's, so that without ``literals`` nothing of them is shown but SQL with its constants taken out.
Must not know HTTP or HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rewright.sql.redaction import WITHHELD, without_literals
from rewright.store.api import Store
from rewright.store.browsing import Asked, became
from rewright.store.records import AskSeen

_SQL = ("sql", "corrected")
_FREE = ("question", "reading", "refused", "error", "evidence", "text", "reason")
_STEP: Mapping[str, Any] = {
    "kind": "", "stage": "", "text": "", "sql": "", "tokens": 0, "money": 0.0, "seconds": 0.0,
}  # fmt: skip
# of a step: what may hold words of the question or values of the database
_PRIVATE = ("text", "sql")


def questions(store: Store, asked: Asked, literals: bool) -> tuple[Sequence[dict[str, Any]], int]:
    """A page of them without their steps, and how many there are. Words are looked for only where they are
    shown.
    """
    found, total = store.browse.asks(asked, search=literals)
    rows = [_summary(one, literals) for one in found]
    return rows, total


def question(store: Store, number: int, literals: bool) -> dict[str, Any]:
    """One with the steps that led to its query. Raises NotFound."""
    found = store.asks.get(number)
    trajectory = found.trajectory if isinstance(found.trajectory, list) else []
    hidden = () if literals else _PRIVATE
    steps = [
        {name: empty if name in hidden else one.get(name, empty) for name, empty in _STEP.items()}
        for one in trajectory
        if isinstance(one, Mapping)
    ]
    return {"asked": _summary(found, literals), "steps": steps}


def learned(store: Store, literals: bool) -> dict[str, Any]:
    """Lessons that are not removed, and questions whose query a person found right; the newest first."""
    lessons = [asdict(one) for one in store.ask_lessons.read() if one.status != "removed"]
    validated = [asdict(one) for one in store.validated.read()]
    return {
        "lessons": [_shown(one, literals) for one in reversed(lessons)],
        "validated": [_shown(one, literals) for one in reversed(validated)],
    }


def _summary(one: AskSeen, literals: bool) -> dict[str, Any]:
    row = asdict(one)
    del row["trajectory"], row["key"]
    return _shown(row, literals) | {"became": became(one).value}


def _shown(row: dict[str, Any], literals: bool) -> dict[str, Any]:
    if literals:
        return row
    hidden = {name: WITHHELD for name in _FREE if row.get(name)}
    return row | hidden | {name: without_literals(row[name]) for name in _SQL if row.get(name)}
