"""The best by a ratio: `which section has the highest share of paywalled articles?`

Owns that form; the ratio itself `ratios` finds.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.ask.context import ColumnContext
from rewright.ask.reading.best_alone import limited
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.heads import rank_head
from rewright.ask.reading.intent import Aggregate, Column, Expression, Ratio
from rewright.ask.reading.intent_parts import aggregates_of

_BY_RATIO = 0.95
_ADDED_UP = 0.81
"""Of several rows of each both numbers are added up, where one row's ratio may be meant."""
_ENDS = frozenset({"highest", "lowest", "largest", "smallest", "greatest", "best", "worst", "biggest"})


def ratios_ranked(draft: Draft) -> None:
    """Puts a ratio behind a superlative in place of the order, where rows or values stand before it."""
    for place, found in list(draft.outputs):
        best = place - 1
        if (
            not isinstance(found, Ratio)
            or best < 1
            or draft.links[best].used
            or draft.links[best].word not in _ENDS
        ):
            continue
        head = next(
            (
                i
                for i in range(best)
                if draft.links[i].mark in {"table", "column"} and not draft.links[i].used
            ),
            None,
        )
        if head is None or draft.groups or any(o.mark == "each" and not o.used for o in draft.links):
            continue
        draft.outputs.remove((place, found))
        draft.use(best)
        ratio = (
            found
            if _of_its_row(draft, head, found)
            else replace(found, top=_summed(found.top), below=_summed(found.below))
        )
        draft.order.insert(0, (ratio, "desc" if draft.links[best].mark == "top" else "asc"))
        limited(draft)
        added_up = ratio != found
        draft.scope.doubt("by which ratio they are ranked", _ADDED_UP if added_up else _BY_RATIO)
        rank_head(draft, head, shown=False)


def _of_its_row(draft: Draft, head: int, ratio: Ratio) -> bool:
    """Whether the ratio is of columns of the rows that are ranked."""
    columns = [side.column.table for side in (ratio.top, ratio.below) if isinstance(side, Column)]
    link = draft.links[head]
    return link.mark == "table" and len(columns) == 2 and {*columns} == {draft.scope.table(link).ref}


def _summed(what: Expression) -> Expression:
    held = what.column if isinstance(what, Column) and not aggregates_of(what) else None
    return Aggregate("sum", held) if isinstance(held, ColumnContext) else what
