"""The best of each group: `the oldest act of each genre`, `the top 3 acts by fee in each edition`.

Owns that form: rows are ranked within the groups that `each` names; all that tie for the first place are
shown, and just as many as a number says. The highest value of each group, without whose it is, is an ordinary
measure (`outputs`).
"""

from __future__ import annotations

from rewright.ask.context import TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import behind, is_commonness, is_measure, property_of, ranked_by
from rewright.ask.reading.grouping import group
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.phrases import measure_at

_ASKS = {"which", "who", "what"}
_DOUBT = 0.9
# what is high as a number, and no thing that stands high
_AMOUNTS = {"amount", "total"}
_LEFT = {"number", "count", "sum", "avg", "first", "last", "order"}
_RANKING = {"by", "based on", "in terms of", "according to"}


def bests(draft: Draft) -> None:
    """Raises Unclear where there is a best of each group and something else that is not clear beside it."""
    groups = [i for i, link in enumerate(draft.links) if link.mark == "each" and not link.used]
    groups = [i for i in groups if not is_measure(draft, i)]
    tops = [i for i, link in enumerate(draft.links) if link.mark in {"top", "bottom"} and not link.used]
    if not tops and _firsts(draft, groups):
        return
    # two of either are two questions
    if len(groups) != 1 or len(tops) != 1 or draft.order or is_commonness(draft.links[tops[0]]):
        return
    at, of = tops[0], groups[0]
    found = _of_property(draft, at, of) or _of_measure(draft, at, of)
    if found is None:
        return
    table, measure, way = found
    limit = _numbered(draft, at)
    draft.use(at)
    group(draft, of)
    if any(link.mark in _LEFT and not link.used for link in draft.links):
        raise Unclear("it is not clear what is wanted beside the best of each group")
    _ranked(draft, table, measure, way, limit)


def _numbered(draft: Draft, at: int) -> int:
    """`the two oldest acts of each genre`: how many, 0 for the best."""
    # a number before the adjective limits each group; without one all ties for the first place are the best
    place = draft.before(at, "number")
    if place is None or not draft.links[place].number.isdigit():
        return 0
    draft.use(place)
    return int(draft.links[place].number)


def _firsts(draft: Draft, groups: list[int]) -> bool:
    """`the top 3 acts by fee in each edition`: whether it was that. Raises Unclear."""
    firsts = [i for i, link in enumerate(draft.links) if link.mark in {"first", "last"} and not link.used]
    by = [i for i in groups if draft.links[i].word in _RANKING]
    by += [i for i, o in enumerate(draft.links) if o.word in _RANKING and not o.used and is_measure(draft, i)]
    # one rank, one thing ranked by and one group: with more of any the parts could pair otherwise
    of = [i for i in groups if i not in by]
    if len(firsts) != 1 or len(by) != 1 or len(of) != 1:
        return False
    at, number = firsts[0], draft.next(firsts[0], "number")
    place = draft.next(number, "table") if number is not None else None
    if number is None or place is None or not draft.links[number].number.isdigit():
        return False
    table = draft.scope.table(draft.links[place])
    measure, end = _measured(draft, by[0])
    draft.use(at, number, place, *range(by[0], end))
    group(draft, of[0])
    if any(link.mark in _LEFT and not link.used for link in draft.links):
        raise Unclear("it is not clear what is wanted beside the best of each group")
    way: Direction = "desc" if draft.links[at].mark == "first" else "asc"
    _ranked(draft, table, _added_up(draft, table, measure), way, int(draft.links[number].number))
    return True


def _measured(draft: Draft, by: int) -> tuple[Expression, int]:
    """What is ranked by, and the place after it. Raises Unclear."""
    found = measure_at(draft, by + 1) if by + 1 < len(draft.links) else None
    if found is not None:
        return found
    column = draft.next(by, "column")
    if column is None:
        raise Unclear("it is not clear by what the top of each group is to be found")
    held = draft.scope.column(draft.links[column], ("number", "date"))
    if draft.links[column].word.startswith("total ") and held.kind == "number":
        return Aggregate("sum", held), column + 1
    return Column(held), column + 1


def _of_property(draft: Draft, at: int, of: int) -> tuple[TableContext, Expression, Direction] | None:
    """`the oldest act of each genre`."""
    place = draft.next(at, "table")
    # the table right behind `each` is the group's
    if place is None or place == of + 1 or draft.links[at].adjective is None:
        return None
    table = draft.scope.table(draft.links[place])
    by = draft.next(place, "each")
    if by is not None and is_measure(draft, by):
        # `the three largest wards by capacity`
        draft.use(place, by, by + 1)
        way: Direction = "desc" if draft.links[at].mark == "top" else "asc"
        return table, Column(draft.scope.column(draft.links[by + 1], ("number",))), way
    column, way = property_of(draft, at, table)
    if draft.links[at].word in {"highest", "lowest"} and _AMOUNTS & set(draft.scope.words(column)):
        # `the lowest bid for each lot`: what it was, or which? A hut that is high is meant itself
        raise Unclear(f"it is not clear what of {table.ref.name} is {draft.links[at].text}")
    draft.use(place)
    return table, Column(column), way


def _of_measure(draft: Draft, at: int, of: int) -> tuple[TableContext, Expression, Direction] | None:
    """`which act got the highest fee in each edition`, `for every title, who earns the highest salary`."""
    asks = next((i for i, word in enumerate(draft.scope.roles) if word in _ASKS), None)
    before = [
        i for i in range(at) if draft.links[i].mark == "table" and i != of + 1 and not draft.links[i].used
    ]
    # what stands behind the adjective and may be the measure: `the highest fee`
    after = behind(draft, at)
    measure, taken = ranked_by(draft, at, after)
    # `for each station, the volunteer with the earliest joining date`
    has_it = draft.links[at].preposition == "with" and before == [at - 1]
    if measure is None or (asks is None and not has_it):
        return None
    way: Direction = "desc" if draft.links[at].mark == "top" else "asc"
    # the one table before is what is ranked
    if len(before) == 1:
        table = draft.scope.table(draft.links[before[0]])
    elif not before and asks is not None and draft.scope.roles[asks] == "who" and isinstance(measure, Column):
        # `who earns the highest salary`: no table is named, so the rows are those that hold the measure
        table = draft.scope.context.table(measure.column.table)
    else:
        return None
    # `who is the highest paid`: an adjective of the person, read elsewhere
    if (
        asks is not None
        and draft.scope.roles[asks + 1 : asks + 2] in {("is",), ("are",), ("was",)}
        and not before
    ):
        return None
    draft.use(*taken, *before)
    return table, _added_up(draft, table, measure), way


def _added_up(draft: Draft, table: TableContext, measure: Expression) -> Expression:
    """`which variety has the most trees`, planted in several plots: their sum."""
    if not isinstance(measure, Column) or measure.column.table == table.ref:
        return measure
    steps = direct(draft.scope.context, table.ref, measure.column.table, draft.scope.roles)
    # `the most trees` adds rows up, `the highest price` picks one of them
    counted = any(link.word in {"most", "the most", "fewest", "least"} for link in draft.links)
    if counted and any(step.multiplies for step in steps):
        return Aggregate("sum", measure.column)
    return measure


def _ranked(draft: Draft, table: TableContext, measure: Expression, way: Direction, limit: int = 0) -> None:
    draft.best_of = tuple(dict.fromkeys(draft.groups))
    keys = [e for e in draft.best_of if isinstance(e, Column) and e.column.key]
    # ranked by the group itself every row of a group would tie; alone in its group each row would be the best
    if measure in draft.best_of or any(e.column.table == table.ref for e in keys):
        raise Unclear("it is not clear of what the best of each group is wanted")
    label = tuple(Column(c) for c in draft.scope.label(table))
    asked = any(link.mark in {"column", "label"} and not link.used for link in draft.links)
    if asked and len(label) == 1 and label[0].column.key and label[0].column.kind == "number":
        label = ()  # a bare number beside what is asked to be shown of the row
    shown = [e for _, e in draft.outputs]
    draft.outputs += [(0, e) for e in (*label, measure) if e not in shown]
    draft.groups = []
    if isinstance(measure, Aggregate):
        # an aggregate is ranked for each row, so the row's key must be in the groups beside its label
        draft.groups = [*draft.best_of, Column(draft.scope.key(table)), *label]
    draft.order, draft.limit, draft.ties = [(measure, way)], limit or 1, limit == 0
    owner = tables_of(measure)[0]
    draft.head = draft.scope.context.table(owner)
    draft.scope.doubt("the best of each group", _DOUBT)
