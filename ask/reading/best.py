"""The best of each group: `the oldest act of each genre`, `which act got the highest fee in each edition`.

Owns that form: rows are ranked within the groups that `each` names, and all that tie for the first place are
shown. The highest value of each group, without whose it is, is an ordinary measure (`outputs`).
"""

from __future__ import annotations

from rewright.ask.context import TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import is_commonness, is_measure, property_of, ranked_by
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression, tables_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.outputs import group

_ASKS = {"which", "who", "what"}
_DOUBT = 0.9
_LEFT = {"column", "label", "identifier", "number", "count", "sum", "avg", "first", "last", "order"}


def bests(draft: Draft) -> None:
    """Raises Unclear where there is a best of each group and something else that is not clear beside it."""
    groups = [i for i, link in enumerate(draft.links) if link.mark == "each" and not link.used]
    groups = [i for i in groups if not is_measure(draft, i)]
    tops = [i for i, link in enumerate(draft.links) if link.mark in {"top", "bottom"} and not link.used]
    if len(groups) != 1 or len(tops) != 1 or draft.order or is_commonness(draft.links[tops[0]]):
        return
    at, of = tops[0], groups[0]
    found = _of_property(draft, at, of) or _of_measure(draft, at, of)
    if found is None:
        return
    table, measure, way = found
    draft.use(at)
    group(draft, of)
    if any(link.mark in _LEFT and not link.used for link in draft.links):
        raise Unclear("it is not clear what is wanted beside the best of each group")
    _ranked(draft, table, measure, way)


def _of_property(draft: Draft, at: int, of: int) -> tuple[TableContext, Expression, Direction] | None:
    """`the oldest act of each genre`."""
    place = draft.next(at, "table")
    if place is None or place == of + 1 or draft.links[at].adjective is None:
        return None
    table = draft.scope.table(draft.links[place])
    column, way = property_of(draft, at, table)
    draft.use(place)
    return table, Column(column), way


def _of_measure(draft: Draft, at: int, of: int) -> tuple[TableContext, Expression, Direction] | None:
    """`which act got the highest fee in each edition`, `for every title, who earns the highest salary`."""
    asks = next((i for i, word in enumerate(draft.scope.roles) if word in _ASKS), None)
    before = [
        i for i in range(at) if draft.links[i].mark == "table" and i != of + 1 and not draft.links[i].used
    ]
    after = at + 1 if at + 1 < len(draft.links) and not draft.links[at + 1].used else None
    measure, taken = ranked_by(draft, at, after)
    if measure is None or asks is None:
        return None
    way: Direction = "desc" if draft.links[at].mark == "top" else "asc"
    if len(before) == 1:
        table = draft.scope.table(draft.links[before[0]])
    elif not before and draft.scope.roles[asks] == "who" and isinstance(measure, Column):
        table = draft.scope.context.table(measure.column.table)
    else:
        return None
    if draft.scope.roles[asks + 1 : asks + 2] in {("is",), ("are",), ("was",)} and not before:
        return None
    draft.use(*taken, *before)
    return table, _added_up(draft, table, measure), way


def _added_up(draft: Draft, table: TableContext, measure: Expression) -> Expression:
    """`which variety has the most trees`, planted in several plots: their sum."""
    if not isinstance(measure, Column) or measure.column.table == table.ref:
        return measure
    steps = direct(draft.scope.context, table.ref, measure.column.table, draft.scope.roles)
    counted = any(link.word in {"most", "the most", "fewest", "least"} for link in draft.links)
    if counted and any(step.multiplies for step in steps):
        return Aggregate("sum", measure.column)
    return measure


def _ranked(draft: Draft, table: TableContext, measure: Expression, way: Direction) -> None:
    draft.best_of = tuple(dict.fromkeys(draft.groups))
    label = tuple(Column(c) for c in draft.scope.label(table))
    shown = [e for _, e in draft.outputs]
    draft.outputs += [(0, e) for e in (*label, measure) if e not in shown]
    draft.groups = []
    if isinstance(measure, Aggregate):
        draft.groups = [*draft.best_of, Column(draft.scope.key(table)), *label]
    draft.order, draft.limit, draft.ties = [(measure, way)], 1, True
    owner = tables_of(measure)[0]
    draft.head = draft.scope.context.table(owner)
    draft.scope.doubt("the best of each group", _DOUBT)
