"""Two values that one thing has both: `patients who got both Ibuprofen and Paracetamol`.

Owns that form: no row has two values of a column, two rows of one thing may.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Compared, OneOf, With, Without
from rewright.ask.reading.joins import direct
from rewright.sql.algebra import TableRef

_DOUBT = 0.95
_EITHER = 0.75
_MEASURES = {"sum", "avg", "max", "min", "each"}


def both(draft: Draft, at: int, first: OneOf, second: OneOf) -> bool:
    """Whether the conditions, the second at a place, were taken for values of two rows of one thing. Raises
    Unclear.
    """
    # two values of the first condition are alternatives already
    if first.negated or len(first.values) != 1:
        return False
    # without `both` an `and` may just as well mean either
    if "both" not in draft.scope.roles:
        return _in_two_rows(draft, at, first, second)
    for place in range(at - 1, -1, -1):
        link = draft.links[place]
        table = draft.scope.table(link) if link.mark == "table" else draft.scope.said_table(link)
        if table is not None and table.ref != first.column.table:
            steps = direct(draft.scope.context, table.ref, first.column.table, draft.scope.roles)
            # a row that refers to one has one value: both at once can be said of no row
            if not any(step.multiplies for step in steps):
                continue
            draft.where.remove(first)
            # two EXISTS: each value is held by a row of its own
            draft.where += [With(table.ref, c.column.table, (c,)) for c in (first, second)]
            draft.scope.doubt("both of two values", _DOUBT)
            noun = draft.links[at + 1] if at + 1 < len(draft.links) else None
            if noun is not None and noun.mark == "column" and noun.glued and first.column in noun.columns:
                draft.use(at + 1)  # `a morning and an afternoon session`
            return True
        if link.mark == "column" and not link.used and _holder(draft, place, first) is not None:
            _held_by(draft, place, first, second)
            return True
    return False


def several_of_the_first(draft: Draft, at: int, of: ColumnContext) -> TableRef | None:
    """The first table said before a place, where it is what is asked for and has several rows of this one."""
    place = next((i for i in range(at) if draft.links[i].mark == "table"), None)
    # a measure before it would be of the rows that are met, not of those asked for
    if place is None or any(link.mark in _MEASURES for link in draft.links[:place][:-1]):
        return None
    head = draft.scope.table(draft.links[place]).ref
    # counted or shown are rows of the first table, else it is only part of a phrase
    if head == of.table or (place and draft.links[place - 1].mark not in {"count", "distinct"}):
        return None
    steps = direct(draft.scope.context, head, of.table, draft.scope.roles)
    return head if any(step.multiplies for step in steps) else None


def _in_two_rows(draft: Draft, at: int, first: OneOf, second: OneOf) -> bool:
    """`which artists played in Berlin and Oslo`: one concert is not in both, an artist's two may be."""
    head = several_of_the_first(draft, at, first.column)
    if head is None or second.negated:
        return False
    # a place behind a preposition belongs to what was done, so each may be another row's
    named = any(o.mark == "table" and o.tables[0].ref == first.column.table for o in draft.links[:at])
    placed = draft.links[at - 1].preposition in {"in", "at", "from"}
    clear = placed and not named
    draft.scope.doubt("whether both values are meant or any of them", _DOUBT if clear else _EITHER)
    draft.where.remove(first)
    draft.where += [With(head, c.column.table, (c,)) for c in (first, second)]
    return True


def one_without_the_other(draft: Draft, at: int, second: OneOf) -> bool:
    """`artists who played in Berlin and not in Oslo`: the row of the one says nothing of the other."""
    first = next((c for c in draft.where if isinstance(c, OneOf) and c.column == second.column), None)
    if first is None or first.negated or not second.negated:
        return False
    head = several_of_the_first(draft, at, first.column)
    if head is None:
        return False
    draft.where.remove(first)
    # the contrary is said by NOT EXISTS, so the value inside is not negated
    gone = OneOf(second.column, second.values)
    draft.where += [With(head, first.column.table, (first,)), Without(head, gone.column.table, (gone,))]
    draft.scope.doubt("one value without the other", _DOUBT)
    return True


def _holder(draft: Draft, place: int, of: OneOf) -> ColumnContext | None:
    """`which mechanic fixed both A and B`: a column of the same rows, several of which hold one value."""
    column = draft.scope.column(draft.links[place])
    # a unique column has one row for each value, which cannot have both
    fits = column.table == of.column.table and column != of.column and not column.unique
    return column if fits and column.kind in {"text", "number"} else None


def _held_by(draft: Draft, place: int, first: OneOf, second: OneOf) -> None:
    column = _holder(draft, place, first)
    assert column is not None
    draft.where[draft.where.index(first)] = OneOf(first.column, (*first.values, *second.values))
    draft.groups.append(Column(column))
    draft.outputs.append((place, Column(column)))
    # both of the two values in each group
    draft.having.append(Compared(Aggregate("count", first.column, distinct=True), "=", "2"))
    draft.use(place)
    draft.scope.doubt("both of two values", _DOUBT)
