"""How many have so many: `how many members have more than 3 loans?`; and who has so few that one with none is
among them: `members with fewer than 3 loans`.

Owns these forms: what the other passes take for groups with a measured condition becomes a condition of each
row that is counted or listed, as groups of joined rows leave out those that have none.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Compared, Condition, Many
from rewright.ask.reading.intent_parts import aggregates_of, tables_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.sql.algebra import TableRef

_DOUBT = 0.96
# a list without those that have none answers another question
_LEFT_OUT = 0.78
_OF_NONE: dict[str, Callable[[int], bool]] = {
    "<": lambda number: number > 0,
    "<=": lambda number: number >= 0,
    ">=": lambda number: number <= 0,
    "=": lambda number: number == 0,
    "<>": lambda number: number != 0,
}


def counted_groups(draft: Draft) -> None:
    """Raises Unclear where it is not clear of what another condition is said."""
    counted = _counted(draft)
    kept = counted or _with_those_of_none(draft)
    if kept is None or not draft.having:
        return
    compared = draft.having[0]
    # counts of rows only: a sum per row and a count of rows would have to be told apart again
    of = compared.left.of if isinstance(compared, Compared) and isinstance(compared.left, Aggregate) else None
    ranked = any(aggregates_of(e) for e, _ in draft.order)
    if counted is None and (isinstance(of, ColumnContext) or len(draft.having) != 1 or ranked):
        draft.scope.doubt("whether those without any are wanted", _LEFT_OUT)
        return
    if len(draft.having) != 1 or not isinstance(compared, Compared) or not isinstance(of, TableRef):
        return
    # `more than average` is no number that the subquery could be compared with
    if of == kept or not compared.right.isdigit() or (counted and (draft.order or draft.limit)):
        return
    # a row that refers to one has one: nothing to count per row
    if not any(s.multiplies for s in direct(draft.scope.context, kept, of, draft.scope.roles)):
        return
    # what the counted row or its parents say stays outside; the rest is said of the many
    inside = [c for c in draft.where if not set(tables_of(c)) <= draft.scope.told_by(kept)]
    if any(not set(tables_of(c)) <= {of} for c in inside):
        raise Unclear(f"it is not clear whether a condition is said of {kept.name} or of {of.name}")
    draft.where = [c for c in draft.where if c not in inside]
    draft.where.append(_many(kept, of, compared, inside))
    draft.having, draft.groups, draft.grouped_rows = [], [], []
    draft.rows = [table for table in draft.rows if table != of]
    if counted is not None:
        draft.scope.doubt("how many have so many", _DOUBT)
    else:
        draft.rows.append(kept)


def holds_of_none(operator: str, number: str) -> bool:
    """Whether 0 compares so with a number: none is fewer than 3."""
    return number.isdigit() and operator in _OF_NONE and _OF_NONE[operator](int(number))


def _counted(draft: Draft) -> TableRef | None:
    """The table whose rows are counted, where nothing else is shown and they are what is grouped by."""
    shown = [e for _, e in draft.outputs]
    if len(shown) != 1 or not isinstance(shown[0], Aggregate) or shown[0].function != "count":
        return None
    of = shown[0].of
    return of if isinstance(of, TableRef) and draft.grouped_rows == [of] else None


def _with_those_of_none(draft: Draft) -> TableRef | None:
    """The table whose rows are listed, where one that has none of what is counted is among them."""
    counts = [
        c.right
        for c in draft.having
        if isinstance(c, Compared)
        and isinstance(c.left, Aggregate)
        and c.left.function == "count"
        and holds_of_none(c.operator, c.right)
    ]
    # a measure that is shown is of the rows that are met
    if len(draft.grouped_rows) != 1 or not counts or any(aggregates_of(e) for _, e in draft.outputs):
        return None
    return draft.grouped_rows[0]


def _many(kept: TableRef, of: TableRef, compared: Compared, inside: list[Condition]) -> Many:
    return Many(kept, of, compared.operator, compared.right, tuple(inside))
