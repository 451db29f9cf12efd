"""Averages of counts: `the average number of orders per customer`, `how many orders did each customer have on
average?`.

Owns that form, as all rows divided by all to which one of them belongs; where some have none it is doubtful
whether they count.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import count_of
from rewright.ask.reading.intent import Aggregate, Ratio
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link

# an average over rows without any would be lower: which is meant is not said
_ROWS_WITHOUT = 0.85


def averages_of_counts(draft: Draft) -> None:
    """Raises Unclear where a counted row belongs to several of those over which it is averaged."""
    at = next((i for i, link in enumerate(draft.links) if link.mark == "avg" and not link.used), None)
    if at is None:
        return
    counted = _counted(draft, at)
    if counted is None:
        return
    each = next((i for i in range(counted, len(draft.links) - 1) if draft.links[i].mark == "each"), None)
    # without `per` the average is over a column, which others read
    if each is None or draft.links[each + 1].mark not in {"table", "column"}:
        return
    table = draft.scope.table(draft.links[counted])
    over = _over(draft, table, draft.links[each + 1])
    # `check-ins per business`, of rows that each stand for several
    draft.outputs.append((at, Ratio(count_of(draft, table), Aggregate("count", over, distinct=True))))
    draft.use(at, counted, each, each + 1)
    draft.use(*(i for i in range(counted) if draft.links[i].mark == "count" and i >= counted - 2))


def _counted(draft: Draft, at: int) -> int | None:
    """The place of the table whose rows are counted."""
    links = draft.links
    follows = draft.next(at, "count")
    if "number of" in links[at].word or follows is not None:
        return draft.next(at if follows is None else follows, "table")
    said = links[at].word == "on average"
    if (
        # the last word, behind `how many orders ..`: else it is said of something nearer
        said
        and at == len(links) - 1
        and len(links) > 3
        and links[0].mark == "count"
        and links[1].mark == "table"
    ):
        return 1
    return None


def _over(draft: Draft, counted: TableContext, link: Link) -> ColumnContext:
    """The column whose values are those over which is averaged."""
    if link.mark == "column":
        return draft.scope.column(link)
    table = draft.scope.table(link)
    if table == counted:
        raise Unclear("each row would be counted by itself")
    steps = direct(draft.scope.context, counted.ref, table.ref, draft.scope.roles)
    # a row counted under two of them would be in both averages
    if any(step.multiplies for step in steps):
        raise Unclear(f"a row of {counted.ref.name} may belong to several of {table.ref.name}")
    for step in steps:
        draft.scope.doubt("a join that is not declared", step.join.likelihood)
    one_column = len(steps) == 1 and not steps[0].join.more
    key = steps[0].join.many if one_column else draft.scope.key(table)
    # references of fewer rows than there are: some have none, and the quotient leaves them out
    reached = steps[0].join.many.distinct
    if not one_column or reached < table.rows:
        draft.scope.doubt(f"whether {table.ref.name} without {counted.ref.name} count too", _ROWS_WITHOUT)
    return key
