"""The best of all rows where it is asked for alone: how much it is, what it has or belongs to.

Owns those forms, and what an adjective ranks rows by. Must not know top n.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import property_of, time_of_rows
from rewright.ask.reading.heads import rank_head
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression, Function, Measured, Span
from rewright.ask.reading.joins import direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.ordering import Whole

_OF_ALL = 0.95
_HAVE = frozenset(("has", "have", "had", "with"))
_AS_A_NUMBER = frozenset(("highest", "lowest", "largest", "smallest", "biggest"))
_SUMS = frozenset(("amount", "total"))


def those_of(draft: Draft, asked: int, at: int, table: TableContext) -> bool:
    """`which department has the oldest employee?`: the one that the oldest of all belongs to."""
    owner = draft.scope.table(draft.links[asked])
    steps = direct(draft.scope.context, owner.ref, table.ref, draft.scope.roles) if owner != table else []
    # only an owner of many: what a row refers to once has no oldest of its own
    belongs = bool(steps) and all(step.multiplies for step in steps)
    if not belongs or not _plainly_of(draft, at) or asked != 0:
        return False
    ranked, way = measured(draft, at, table)
    draft.use(at, at + 1)
    draft.order.insert(0, (farthest(ranked, way), way))
    limited(draft)
    rank_head(draft, asked, shown=False)
    draft.scope.doubt("whose best is wanted", _OF_ALL)
    return True


def place_of(draft: Draft, at: int, table: TableContext) -> bool:
    """`which continent has the highest volcano?`: what the best of all has or lies in."""
    link = draft.links[0]
    behind = draft.next(at, "table")
    if behind is None or not _plainly_of(draft, at) or link.mark != "column" or at != 1 or link.used:
        return False
    column = draft.scope.column(link)
    # a unique column names another row; a text of few values is what rows lie in
    if column.unique or column.kind != "text" or column.table not in draft.scope.told_by(table.ref):
        return False
    ranked, way = measured(draft, at, table)
    draft.use(0, at, at + 1)
    draft.outputs.append((0, Column(column)))
    draft.groups.append(Column(column))
    draft.order.insert(0, (farthest(ranked, way), way))
    limited(draft)
    draft.scope.doubt("whose best is wanted", _OF_ALL)
    return True


def _plainly_of(draft: Draft, at: int) -> bool:
    """Whether nothing else is asked, and the best is what something has."""
    # with groups or an order the best is of each of them, or no longer of all
    plain = not (draft.groups or draft.order or draft.limit or draft.whole)
    last = at + 2 >= len(draft.links) or draft.links[at + 2].mark in {"stop", "value", "moment"}
    # `which customer placed the largest order`
    related = set(draft.scope.roles) & _HAVE or any(o.mark == "relation" for o in draft.scope.links)
    return plain and last and asks_which(draft) and bool(related)


def of_a_text(draft: Draft, at: int) -> bool:
    """`the longest headline` of an article, of which a text is no measure."""
    noun = draft.links[at + 1] if at + 1 < len(draft.links) else None
    if noun is None or noun.mark not in {"column", "label"} or not noun.glued or not noun.columns:
        return False
    return all(c.kind == "text" for c in noun.columns) and draft.scope.said_table(noun) is None


def is_a_sum_itself(draft: Draft, at: int, place: int, column: ColumnContext) -> bool:
    """`what was the highest bid?`, of bids with an amount and no name: how much it was."""
    table = draft.scope.context.table(column.table)
    asked = draft.scope.roles[:1] == ("what",) and draft.scope.roles[1:2] in {("is",), ("was",)}
    first = (
        place == at + 1 and not draft.links[place].used and not (draft.limit or draft.whole or draft.order)
    )
    # a second column to show means that a row is wanted, not how much
    alone = not any(link.mark in {"column", "label"} and not link.used for link in draft.links)
    sums = draft.links[at].word in _AS_A_NUMBER and bool(_SUMS & set(draft.scope.words(column)))
    return asked and first and alone and sums and all(c.key for c in draft.scope.label(table))


def farthest(of: Expression, way: Direction) -> Expression:
    """The highest or lowest of several rows."""
    function: Function = "max" if way == "desc" else "min"
    if isinstance(of, Span):
        # a time between two columns has no column of its own to aggregate
        return Measured(function, of)
    assert isinstance(of, Column)
    return Aggregate(function, of.column)


def measured(draft: Draft, at: int, table: TableContext) -> tuple[Expression, Direction]:
    """What an adjective is said of, and which end of it. Raises Unclear."""
    if (lasts := time_of_rows(draft, at, table)) is not None:
        return lasts, end_of(draft.links[at])
    column, way = property_of(draft, at, table)
    return Column(column), way


def end_of(link: Link) -> Direction:
    return "desc" if link.mark == "top" else "asc"


def asks_which(draft: Draft) -> bool:
    return draft.scope.roles[:1] in {("which",), ("who",), ("what",)} and draft.scope.roles[1:2] not in {
        ("is",),
        ("are",),
    }


def limited(draft: Draft) -> None:
    if draft.whole and not draft.limit:
        # `all` of the ranked rows (no limit) beside an order for it: the order by the whole is dropped
        draft.order = [(e, w) for e, w in draft.order if not isinstance(e, Whole)] or draft.order
        return
    if not draft.limit:
        draft.limit, draft.ties = 1, True
