"""Products and differences of two numbers of a row: `the total of quantity times unit price`, `price minus
cost`.

Owns that form. Of rows that a join would repeat others decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Column, Difference, Measured, Product
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS

_SAYS = {"times": "product", "time": "product", "minus": "minus"}


def times(links: Sequence[Link]) -> None:
    """Marks the word between two numbers of a row that are multiplied or subtracted."""
    for first, word, second in zip(links, links[1:], links[2:], strict=False):
        # between two numbers of columns only: `3 times` and `many times` multiply nothing
        if word.word in _SAYS and _is_number(first) and _is_number(second):
            word.mark = _SAYS[word.word]


def _is_number(link: Link) -> bool:
    return link.mark == "column" and any(c.kind == "number" and not c.key for c in link.columns)


def products(draft: Draft) -> None:
    """Raises Unclear where the two numbers are not of one row."""
    for at, link in enumerate(draft.links):
        if link.mark not in _SAYS.values() or link.used or at == 0 or at + 1 >= len(draft.links):
            continue
        # both words together choose the table, as each may name columns of several
        left, right = _of_one_row(draft, at)
        minus = link.mark == "minus"
        product = Difference(Column(left), Column(right)) if minus else Product(left, right)
        function = (
            FUNCTIONS.get(draft.links[at - 2].mark) if at > 1 and not draft.links[at - 2].used else None
        )
        draft.use(at - 1, at, at + 1, at - 2 if function is not None else None)
        draft.outputs.append((at - 1, Measured(function, product) if function is not None else product))


def _of_one_row(draft: Draft, at: int) -> tuple[ColumnContext, ColumnContext]:
    """Of the columns that either word may mean those of one table."""
    left, link, right = draft.links[at - 1 : at + 2]
    pairs = [
        (a, b)
        for a in left.columns
        for b in right.columns
        if a.table == b.table and a != b and _multiplied(a) and _multiplied(b)
    ]
    sure = [
        # columns that fit clearly worse than the best are names of other things
        p
        for p in pairs
        if left.fit(p[0]) >= _best(left) - 0.05 and right.fit(p[1]) >= _best(right) - 0.05
    ]
    # a difference of a column with itself and products of keys are none
    if len(sure or pairs) != 1:
        raise Unclear(f"it is not clear what {link.text} {right.text} is of")
    one, other = (sure or pairs)[0]
    draft.scope.sure(min(left.fit(one), right.fit(other)))
    return one, other


def _multiplied(column: ColumnContext) -> bool:
    return column.kind == "number" and not column.key


def _best(link: Link) -> float:
    return max((link.fit(c) for c in link.columns), default=0.0)
