"""Which rows a running window has to read: those that the outer block shows, and those before them.

    SELECT s.id, (SELECT sum(p.cost) FROM sale p WHERE p.day >= 5 AND p.day <= s.day) FROM sale s
     WHERE s.day BETWEEN 10 AND 20

needs the rows from 5 to 20: the subquery's own condition holds where the block's does, and no row after 20
comes before one that is shown. Must not know windows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rewright.rewrite.rules.conditions import turned
from rewright.rewrite.rules.ranges import allowed, column_of
from rewright.rewrite.rules.running_order import Order
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.walk import has_subquery

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>"}


def needed_rows(preds: Sequence[a.Expr], asked: Sequence[tuple[Order, Collection[a.Expr]]]) -> list[a.Expr]:
    """Conditions that may be asked of the rows before any window is taken of them. ``preds``: the outer
    block's of these rows; ``asked``: the order and the own conditions of each subquery.

    A row that fails one of them is neither shown nor in the frame of a row that is. Those that are not among
    ``preds`` follow from them for these constants.
    """
    # asked by every subquery, or an end that none looks beyond
    found = [p for p in preds if all(p in own or _ends(p, order) for order, own in asked)]
    # what all subqueries ask of their rows may go first only where the shown rows meet it anyway
    everyone = [p for p in asked[0][1] if all(p in own for _, own in asked)] if asked else []
    return [*found, *(p for p in everyone if p not in found and _follows(p, preds))]


def _ends(pred: a.Expr, order: Order) -> bool:
    """Whether what fails a condition comes after all that meets it."""
    found = turned(pred)
    # a frame by distance looks on both sides of a bound
    if found is None or order.frame is not None or has_subquery(pred):
        return False
    key, falling = order.keys[0]
    # for rising order `day <= 20` fails only of rows after all that are shown
    return found[1] == key and found[0] in ({">", ">="} if falling else {"<", "<="})


def _follows(pred: a.Expr, preds: Sequence[a.Expr]) -> bool:
    """Whether a comparison with a constant is TRUE wherever the others are."""
    found = turned(pred)
    column = None if found is None else column_of(found[1])
    if found is None or column is None or found[0] not in _OPPOSITE:
        return False
    fails = compare(_OPPOSITE[found[0]], found[1], found[2])
    known, place = allowed(preds), (column.rel, column.pos)
    # NULL fails the comparison and its opposite alike: what is compared must be filled
    if fails is None or place not in known or not known[place].filled:
        return False
    # the opposite together with the others leaves nothing: the comparison holds
    return allowed((*preds, fails))[place].nothing
