"""Words that a hint says stand for a condition.

Owns which of several columns is meant, and their contrary.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Compared, Condition, Known, OneOf, Spelled
from rewright.ask.reading.joins import Unclear

_CONTRARY = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>", "<>": "="}


def defined(draft: Draft) -> None:
    """Raises Unclear where a condition may be of several columns."""
    for at, link in enumerate(draft.links):
        if link.mark != "defined" or link.used:
            continue
        test = dict(link.tests)[draft.scope.column(link)]
        if draft.before(at, "without") is not None:
            continue  # what is not there (`absences`)
        contrary = draft.before(at, "not")
        draft.where.append(test if contrary is None else contrary_of(test, link.text))
        draft.use(at, contrary)


def contrary_of(test: Condition, said: str) -> Condition:
    """What holds where the test does not, of rows where it is known. Raises Unclear where it has no plain
    contrary.
    """
    match test:
        case OneOf() | Known() | Spelled():
            return replace(test, negated=not test.negated)
        case Compared(left, operator, right):
            return Compared(left, _CONTRARY[operator], right)
        case _:
            raise Unclear(f"it is not clear what is meant by not {said}")
