"""Comparisons with an average: `longer than the average`, `above their own average`.

Owns which column is compared, and which way. What it cannot place raises Unclear.
"""

from __future__ import annotations

from itertools import pairwise

from rewright.ask.reading.adjectives import ADJECTIVES
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    Column,
    Compared,
)
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.own_groups import own_group

_WHAT_IS_AVERAGED = frozenset(("column", "table", "label", "value", "quoted", "relation"))


def against_average(draft: Draft, at: int, operator: str) -> None:
    _of_some_rows(draft, at)
    left, right = draft.before(at, "column"), draft.next(at, "column")
    link = draft.links[at]
    # the adjective ranks the table's rows by its own column; the column before it is what is shown
    if left is not None and _adjective_in(link) is not None and draft.scope.said_table(draft.links[left]):
        left = None  # `the length of articles longer than the average article`: to be shown
    if left is None and right is None and (adjective := _adjective_in(link)) is not None:
        column, way = draft.scope.property(draft.about(at), adjective)
        operator = ">" if way == "desc" else "<"
    else:
        held = (
            left
            # `salary above the average` has its column before; `above-average salary` behind
            if left is not None and (right is None or "than" in link.word or "the" in link.word.split()[:1])
            else right
        )
        if left is not None and right is not None:
            held = _fitter(draft, left, right)
        if held is None:
            raise Unclear("it is not clear what is compared with its average")
        column = draft.scope.column(draft.links[held], ("number",))
        draft.use(held)
        same = draft.next(at, "column")
        if same is not None and column in draft.links[same].columns:
            draft.use(same)
    if column.kind != "number":
        raise Unclear(f"{column.name} is not a number")
    # the average of all rows is uncorrelated; one's own group makes it an average for each row
    within = own_group(draft, at, column)
    # `their own average` without a group found would silently become that of all rows
    if within is None and set(draft.scope.roles) & {"own", "same", "respective"}:
        raise Unclear("it is not clear over which rows the average is taken")
    draft.where.append(Compared(Column(column), operator, "average", within))
    draft.use(at)


def _of_some_rows(draft: Draft, at: int) -> None:
    """`taller than the average striker`, `more than the average salary in Sales`: an average of some rows,
    not of all. Raises Unclear.
    """
    for before, link in pairwise(draft.links[at:]):
        if link.mark not in _WHAT_IS_AVERAGED:
            return
        # behind a verb a value is said of the rows again, not of those that are averaged
        if link.mark in {"value", "quoted"} and not link.verb and before.mark != "relation":
            raise Unclear("it is not clear over which rows the average is taken")


def _fitter(draft: Draft, left: int, right: int) -> int:
    """`cost more than the average budget`: of a verb and a column's own name the latter."""
    best = [max(draft.links[i].fits.values(), default=1.0) for i in (left, right)]
    # 0.9 is what a column's own name fits with; a verb or a synonym fits less
    if best[0] < 0.9 <= best[1]:
        draft.use(left)
        draft.scope.doubt("which of two columns is meant", 0.93)
        return right
    return left


def _adjective_in(link: Link) -> tuple[tuple[str, str], ...] | None:
    words = [w for w in link.word.partition(" than")[0].split() if w not in {"is", "are", "was", "were"}]
    found = ADJECTIVES.get(" ".join(words))
    return found.steps if found is not None else None
