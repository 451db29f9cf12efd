"""Averages of a row's own group: `paid above the average of their own hotel`, `in their department`.

Owns which rows such an average is over: those that refer to the same row, or have the same value.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft

_OWN = {"own", "their", "its", "same", "his", "her"}
_DOUBT = 0.92


def own_group(draft: Draft, at: int, measured: ColumnContext) -> ColumnContext | None:
    """The column that says the group, named behind a place after `their own` or the like; None for none."""
    # two places only: `their own` stands right behind the average, or behind the column's own name
    for place in range(at + 1, min(at + 3, len(draft.links))):
        link = draft.links[place]
        if link.used or link.mark not in {"table", "column"} or not _whose(draft, link.word):
            continue
        held = _referring(draft, place, measured) if link.mark == "table" else _column(draft, place, measured)
        if len(held) == 1:
            draft.use(place)
            draft.scope.doubt("the average of a group of its own", _DOUBT)
            return held[0]
    return None


def _whose(draft: Draft, word: str) -> bool:
    words, first = draft.scope.roles, word.split(maxsplit=1)[0]
    return any(w == first and words[i - 1] in _OWN for i, w in enumerate(words) if i)


def _referring(draft: Draft, place: int, measured: ColumnContext) -> list[ColumnContext]:
    table = draft.scope.table(draft.links[place])
    joins = draft.scope.context.joins
    found = [j for j in joins if j.one.table == table.ref and j.many.table == measured.table]
    # of a key of several columns no single one says the group
    return [] if any(j.more for j in found) else [j.many for j in found]


def _column(draft: Draft, place: int, measured: ColumnContext) -> list[ColumnContext]:
    # a unique column makes groups of one row, whose average is the row itself
    column = draft.scope.column(draft.links[place])
    return [column] if column.table == measured.table and not column.unique else []
