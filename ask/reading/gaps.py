"""The time from a row to the next of the same thing: `days between two consecutive donations of a donor`.

Owns that form: whose rows follow one another, by which date, and in what unit. Raises Unclear where it is not
clear whose, or by which of several dates.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.grouping import group_rows
from rewright.ask.reading.intent import Function, Gap, Measured
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.timing import date_of

_OF_ALL = 0.85
"""Nobody says whose rows follow one another: all of them, then."""
_WHOSE = frozenset({"of", "by", "for", "from", "at", "in"})


def gap_at(draft: Draft, at: int, function: Function | None, unit: str) -> bool:
    """Takes the form whose `between` or `consecutive` stands at a place, if it is one. Raises Unclear."""
    place = at if draft.links[at].mark == "gap" else at + 1
    if place >= len(draft.links) or draft.links[place].mark != "gap":
        return False
    what = draft.next(place, "table")
    if what is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[place].text}")
    table = draft.scope.table(draft.links[what])
    draft.use(at, place, what)
    within, grouped = _whose(draft, what, table)
    date = date_of(draft, table)
    if date is None or date.kind != "date":
        raise Unclear(f"it is not clear by which date {table.ref.name} follow one another")
    # a gap for each row is a list that nobody asks for without a function
    if function is None:
        raise Unclear("it is not clear whether the average or the longest time between rows is wanted")
    draft.outputs.append((at, Measured(function, Gap(date, within, unit))))
    draft.scope.doubt("the time from a row to the next", 0.97)
    if grouped is not None:
        group_rows(draft, grouped)
    return True


def _whose(draft: Draft, what: int, table: TableContext) -> tuple[ColumnContext | None, TableContext | None]:
    """The column whose rows follow one another, and the table whose rows each have a time of their own."""
    # a comma may stand before `for each`: the mark is then one place further
    place = what + 1
    marked = place < len(draft.links) and draft.links[place].mark in {"within", "each"}
    each = marked and draft.links[place].mark == "each"
    whose = place + marked
    if not marked and draft.links[place : place + 1] and draft.links[place].mark == "comma":
        behind = draft.next(place, "each")
        marked = each = behind is not None
        whose = place + 2 if marked else whose
    link = draft.links[whose] if whose < len(draft.links) else None
    if (
        link is None
        or link.mark not in {"table", "column"}
        or (not marked and link.preposition not in _WHOSE)
    ):
        draft.scope.doubt("whose rows follow one another", _OF_ALL)
        return None, None
    draft.use(*range(place, whose + 1))
    if link.mark == "column":
        if each:
            # gaps per value need the value in the window and in the groups: not built
            raise Unclear("times between rows for each value are not understood yet")
        return draft.scope.column(link), None
    owner = draft.scope.table(link)
    joins = [j for j in draft.scope.context.joins if j.many.table == table.ref and j.one.table == owner.ref]
    # two keys (`giver_id`, `taker_id`) make two orders of the rows
    if len(joins) != 1 or joins[0].more:
        raise Unclear(f"it is not clear how {table.ref.name} belong to {owner.ref.name}")
    return joins[0].many, owner if each else None
