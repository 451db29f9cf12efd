"""Words that a hint says stand for a condition.

Owns which of several columns is meant, and their contrary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Compared, Condition, Known, OneOf, Spelled
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link

# the contrary of a comparison leaves out nulls as the comparison itself does
_CONTRARY = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>", "<>": "="}


def defined(draft: Draft) -> None:
    """Raises Unclear where a condition may be of several columns."""
    for at, link in enumerate(draft.links):
        if link.mark != "defined" or link.used:
            continue
        tests = tests_of(draft, link)
        # the word's rows are not there, so the condition goes inside NOT EXISTS
        if draft.before(at, "without") is not None:
            continue  # what is not there (`absences`)
        contrary = draft.before(at, "not")
        before = draft.before(at, "column")
        draft.where += tests if contrary is None else [contrary_of(tests, link.text)]
        # `diagnosed with SLE`: the column is said to have that value
        said = before is not None and before == at - 1 and _is_of(draft.links[before], tests)
        draft.use(at, contrary, before if said else None)


def tests_of(draft: Draft, link: Link) -> list[Condition]:
    """The conditions that a word stands for, on the columns that are meant. Raises Unclear."""
    found = []
    for by_column in link.tests:
        link.columns = tuple(by_column)
        found.append(by_column[draft.scope.column(link)])
    return found


def contrary_of(tests: Sequence[Condition], said: str) -> Condition:
    """What holds where the test does not, of rows where it is known. Raises Unclear where it has no plain
    contrary.
    """
    match tests:
        case [OneOf() | Known() | Spelled() as test]:
            return replace(test, negated=not test.negated)
        case [Compared(left, operator, right)]:
            return Compared(left, _CONTRARY[operator], right)
        # of several tests the contrary is a disjunction, which nobody means by `not`
        case _:
            raise Unclear(f"it is not clear what is meant by not {said}")


def _is_of(link: Link, tests: Sequence[Condition]) -> bool:
    """Whether the only column that a word names is that of the only test, one of a value."""
    only = tests[0] if len(tests) == 1 else None
    return isinstance(only, OneOf) and link.columns == (only.column,)
