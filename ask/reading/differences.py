"""Differences: of two columns of a row, of two measures, of two functions of a column.

Owns their grammar. Of what a difference is to be made and what the join would count twice, others decide.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Difference, Function, Measured
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.phrases import FUNCTIONS, checked, measure_at
from rewright.ask.reading.ratios import side, side_by_side

_ENDS = {"each", "order", "stop", "desc", "asc"}
_EXTREMES: dict[str, Function] = {"top": "max", "bottom": "min", "max": "max", "min": "min", "avg": "avg"}


def differences(draft: Draft) -> None:
    """Raises Unclear where it is not clear of which two things the difference is wanted."""
    for at, link in enumerate(draft.links):
        if link.mark != "difference" or link.used:
            continue
        # from the most to the least particular: each later form would read a part of an earlier one
        if not (
            _of_functions(draft, at)
            or _of_columns(draft, at)
            or _of_measures(draft, at)
            or _of_sides(draft, at)
        ):
            raise Unclear("it is not clear of which two things the difference is wanted")


def _of_functions(draft: Draft, at: int) -> bool:
    """`the difference between the highest and the lowest price`."""
    first, second = at + 1, at + 2
    if second + 1 >= len(draft.links) or draft.links[second + 1].mark != "column":
        return False
    minuend, subtrahend = (_EXTREMES.get(draft.links[i].mark) for i in (first, second))
    # `between the highest and the highest` has no difference to show
    if minuend is None or subtrahend is None or minuend == subtrahend:
        return False
    link = draft.links[second + 1]
    column = draft.scope.column(link, ("number", "date"))
    left, right = (checked(name, column, link) for name in (minuend, subtrahend))
    draft.outputs.append((at, Difference(left, right)))
    draft.use(*range(at, second + 2))
    return True


def _of_columns(draft: Draft, at: int) -> bool:
    """`the average difference between final price and reserve price`."""
    first, second = draft.next(at, "column"), None
    if first is not None:
        second = draft.next(first, "column")
    if first is None or second is None:
        return False
    left, right = (draft.scope.column(draft.links[i], ("number",)) for i in (first, second))
    # keys and texts subtract to nothing that means something
    if left == right or any(_no_amount(c) for c in (left, right)):
        return False
    function = FUNCTIONS.get(draft.links[at - 1].mark) if at and not draft.links[at - 1].used else None
    apart = Difference(Column(left), Column(right))
    draft.outputs.append((at, Measured(function, apart) if function is not None else apart))
    draft.use(at, first, second, at - 1 if function is not None else None)
    return True


def _no_amount(column: ColumnContext) -> bool:
    return column.kind != "number" or column.key


def _of_measures(draft: Draft, at: int) -> bool:
    """`the difference between the number of A and the number of B`."""
    first = measure_at(draft, at + 1) if at + 1 < len(draft.links) else None
    second = measure_at(draft, first[1]) if first is not None and first[1] < len(draft.links) else None
    # two equal measures differ by nothing: one of the two was misread
    if first is None or second is None or first[0] == second[0]:
        return False
    if not isinstance(first[0], Aggregate) or not isinstance(second[0], Aggregate):
        return False
    draft.outputs.append((at, Difference(first[0], second[0])))
    draft.use(*range(at, second[1]))
    return True


def _of_sides(draft: Draft, at: int) -> bool:
    """`the difference between the number of active and the number of paused subscriptions`: each of its own
    rows.
    """
    end = next((i for i in range(at + 1, len(draft.links)) if draft.links[i].mark in _ENDS), len(draft.links))
    measures = {"count", *FUNCTIONS}
    said = [i for i in range(at + 2, end) if draft.links[i].mark in measures]
    # the second measure is the one with `and` before it; a single one behind the first needs no word
    middle = next((i for i in said if draft.links[i].added), said[0] if len(said) == 1 else None)
    if middle is None:
        return False
    left, filters = side(draft, at + 1, middle)
    right, others = side(draft, middle, end)
    if not isinstance(left, Aggregate) or not isinstance(right, Aggregate):
        return False
    minuend, subtrahend, shared = side_by_side(draft.scope, left, filters, right, others)
    draft.where += shared
    draft.outputs.append((at, Difference(minuend, subtrahend)))
    draft.use(at)
    return True
