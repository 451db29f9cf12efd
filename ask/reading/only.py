"""`customers who only made buy transactions`, `collectors who collected only in Portugal`: those that have
rows with a value, and none with another.

Owns that form, where the value is of rows that refer to those before it; any other `only` stays unread. Must
not know SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import OneOf, With, Without
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.values import column_of_value
from rewright.sql.algebra import TableRef

MARK = "only"
_WORDS = frozenset({"only", "exclusively"})
_DOUBT = 0.95
_UNKNOWN = 0.8
"""Where some rows do not say which they are."""
_SAYS_MORE = frozenset({"moment", "number", "quoted", "without", "not", "top", "bottom", "count"})


def said_only(links: Sequence[Link]) -> None:
    """Marks the word where a verb or a preposition and a known value stand behind it, rows before it."""
    for at, (link, behind) in enumerate(pairwise(links)):
        if link.word not in _WORDS or not any(o.mark == "table" for o in links[:at]):
            continue
        value = links[at + 2] if behind.mark == "relation" and at + 2 < len(links) else behind
        if value.mark == "value" and (behind.mark == "relation" or value.preposition):
            link.mark = MARK


def only_of_a_kind(draft: Draft) -> None:
    """Takes the whole form. Raises Unclear where it is said of anything else."""
    at = next((i for i, link in enumerate(draft.links) if link.mark == MARK), None)
    if at is None:
        return
    value, head = draft.next(at, "value"), draft.table_before(at)
    others = [link for i, link in enumerate(draft.links) if link.mark == "value" and i != value]
    if value is None or head is None or others or any(link.mark in _SAYS_MORE for link in draft.links):
        raise Unclear("it is not clear what is said by only")
    kept = draft.scope.table(draft.links[head]).ref
    column = column_of_value(draft, value, draft.links[value], list(draft.links[value].values))
    steps = direct(draft.scope.context, kept, column.table, draft.scope.roles) if kept != column.table else []
    # a row that has one value is that alone: `only` would say something else
    if not any(step.multiplies for step in steps):
        raise Unclear("it is not clear what is said by only")
    kind = tuple(v for c, v in draft.links[value].values if c == column)
    draft.where.append(With(kept, column.table, (OneOf(column, kind),)))
    draft.where.append(Without(kept, column.table, (OneOf(column, kind, negated=True),)))
    draft.scope.doubt("whether only says of all their rows", _UNKNOWN if column.nulls else _DOUBT)
    draft.use(at, value, _noun_behind(draft, value, {column.table, *(step.new for step in steps)}))


def _noun_behind(draft: Draft, value: int, told: set[TableRef]) -> int | None:
    """`buy transactions`: the rows that the value is of, or that lead to them."""
    noun = draft.next(value, "table")
    glued = noun is not None and draft.links[noun].glued
    return noun if glued and noun is not None and draft.scope.table(draft.links[noun]).ref in told else None
