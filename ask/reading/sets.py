"""Two values that one thing has both: `patients who got both Ibuprofen and Paracetamol`.

Owns that form: no row has two values of a column, two rows of one thing may.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Compared, OneOf, With
from rewright.ask.reading.joins import direct

_DOUBT = 0.95


def both(draft: Draft, at: int, first: OneOf, second: OneOf) -> bool:
    """Whether the conditions, the second at a place, were taken for values of two rows of one thing. Raises
    Unclear.
    """
    if "both" not in draft.scope.roles or first.negated or len(first.values) != 1:
        return False
    for place in range(at - 1, -1, -1):
        link = draft.links[place]
        if link.mark == "table" and (table := draft.scope.table(link)).ref != first.column.table:
            steps = direct(draft.scope.context, table.ref, first.column.table, draft.scope.roles)
            if not any(step.multiplies for step in steps):
                continue
            draft.where.remove(first)
            draft.where += [With(table.ref, c.column.table, (c,)) for c in (first, second)]
            draft.scope.doubt("both of two values", _DOUBT)
            return True
        if link.mark == "column" and not link.used and _holder(draft, place, first) is not None:
            _held_by(draft, place, first, second)
            return True
    return False


def _holder(draft: Draft, place: int, of: OneOf) -> ColumnContext | None:
    """`which mechanic fixed both A and B`: a column of the same rows, several of which hold one value."""
    column = draft.scope.column(draft.links[place])
    fits = column.table == of.column.table and column != of.column and not column.unique
    return column if fits and column.kind in {"text", "number"} else None


def _held_by(draft: Draft, place: int, first: OneOf, second: OneOf) -> None:
    column = _holder(draft, place, first)
    assert column is not None
    draft.where[draft.where.index(first)] = OneOf(first.column, (*first.values, *second.values))
    draft.groups.append(Column(column))
    draft.outputs.append((place, Column(column)))
    draft.having.append(Compared(Aggregate("count", first.column, distinct=True), "=", "2"))
    draft.use(place)
    draft.scope.doubt("both of two values", _DOUBT)
