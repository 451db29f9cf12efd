"""Two columns of a row compared: `paid after due`, `cost above budget`, `more goals than assists`.

Owns that form.
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Versus


def of_two_columns(draft: Draft, at: int, operator: str) -> bool:
    """`paid after due`, `cost above budget`: two columns of one row."""
    left, right = draft.before(at, "column"), draft.next(at, "column")
    if left is None or right is None or operator not in {">", "<", ">=", "<="}:
        return False
    return _versus(draft, (left, at, right), operator)


def _versus(draft: Draft, places: tuple[int, int, int], operator: str) -> bool:
    """The first and last place compared, where both are columns of one kind of one table."""
    one, other = draft.links[places[0]], draft.links[places[2]]
    pairs = [
        (a, b)
        for a in one.columns
        for b in other.columns
        if a.table == b.table and a.kind == b.kind and a.kind in {"number", "date"} and a != b
    ]
    refer = {j.many for j in draft.scope.context.joins}
    if len(pairs) != 1 or any(c.key or c in refer for c in pairs[0]):
        return False
    for link, column in zip((one, other), pairs[0], strict=True):
        draft.scope.sure(link.fit(column))
    draft.where.append(Versus(pairs[0][0], operator, pairs[0][1]))
    draft.use(*places)
    return True


def more_than_another(draft: Draft, at: int) -> bool:
    """`more goals than assists`: two columns of one row."""
    left, than = draft.next(at, "column"), at + 2
    if left is None or draft.next(left, "than") is None or draft.next(than, "column") is None:
        return False
    return _versus(draft, (left, than, than + 1), ">" if draft.links[at].mark == "more" else "<")
