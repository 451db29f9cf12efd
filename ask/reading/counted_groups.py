"""How many have so many: `how many members have more than 3 loans?`.

Owns that form: what the other passes take for groups with a measured condition is counted, so that the
condition is said of each row that is counted.
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Compared, Condition, Many
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.sql.algebra import TableRef

_DOUBT = 0.96


def counted_groups(draft: Draft) -> None:
    """Raises Unclear where it is not clear of what another condition is said."""
    kept = _counted(draft)
    if kept is None or not draft.having:
        return
    compared = draft.having[0]
    # counts of rows only: a sum per row and a count of rows would have to be told apart again
    of = compared.left.of if isinstance(compared, Compared) and isinstance(compared.left, Aggregate) else None
    if len(draft.having) != 1 or not isinstance(compared, Compared) or not isinstance(of, TableRef):
        return
    # `more than average` is no number that the subquery could be compared with
    if of == kept or not compared.right.isdigit() or draft.order or draft.limit:
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
    draft.scope.doubt("how many have so many", _DOUBT)


def _counted(draft: Draft) -> TableRef | None:
    """The table whose rows are counted, where nothing else is shown and they are what is grouped by."""
    shown = [e for _, e in draft.outputs]
    if len(shown) != 1 or not isinstance(shown[0], Aggregate) or shown[0].function != "count":
        return None
    of = shown[0].of
    return of if isinstance(of, TableRef) and draft.grouped_rows == [of] else None


def _many(kept: TableRef, of: TableRef, compared: Compared, inside: list[Condition]) -> Many:
    return Many(kept, of, compared.operator, compared.right, tuple(inside))
