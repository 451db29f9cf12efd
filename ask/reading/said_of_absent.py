"""What is said by way of rows that must not be there: `employees who have not completed Fire safety`, where
completions say of which course.

Owns moving such conditions to the rows that are not there: of rows that are, they would ask for the contrary.
Must not know the grammar.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.ask.reading.intent import Condition, Intent, Without
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.scope import Scope
from rewright.sql.algebra import TableRef

_SAID_OF_THEM = 0.95


def said_of_absent(intent: Intent, scope: Scope) -> Intent:
    """The intent, conditions and rows that only the absent rows lead to said of them."""
    absent = [c for c in intent.where if isinstance(c, Without)]
    # of two absences it is not clear which of them a condition belongs to
    if len(absent) != 1:
        return intent
    none = absent[0]
    moved = tuple(c for c in intent.where if not isinstance(c, Without) and _beyond(c, none, scope))
    beyond = [t for t in intent.rows if _leads_by_way_of(none, t, scope)]
    # two tables beyond: only one can be what is not there
    if not moved and len(beyond) != 1:
        return intent
    if moved:
        scope.doubt("whether a condition is said of what is not there", _SAID_OF_THEM)
    # `have not joined any club`: no club by way of a membership
    gone = beyond[0] if len(beyond) == 1 else none.gone
    said = replace(none, gone=gone, where=(*none.where, *moved))
    kept = tuple(said if c is none else c for c in intent.where if c not in moved)
    return replace(intent, where=kept, rows=tuple(t for t in intent.rows if t != gone))


def _beyond(condition: Condition, none: Without, scope: Scope) -> bool:
    """Whether a condition is of rows that only those that are not there lead to."""
    tables = set(tables_of(condition)) - {none.kept}
    # all its tables lie beyond: a condition that also reads rows that are there stays outside
    return bool(tables) and all(_leads_by_way_of(none, table, scope) for table in tables)


def _leads_by_way_of(none: Without, table: TableRef, scope: Scope) -> bool:
    if table in {none.kept, none.gone}:
        return False
    try:
        steps = direct(scope.context, none.kept, table, scope.roles)
    except Unclear:
        # no way or several: nothing is moved on a guess
        return False
    # one row of each: its place is said of the absent row, not which of several
    at = next((i for i, step in enumerate(steps) if step.new == none.gone), None)
    return at is not None and not any(step.multiplies for step in steps[at + 1 :])
