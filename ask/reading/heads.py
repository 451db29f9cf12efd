"""What a superlative ranks: the rows or values whose best are wanted, their names and groups.

Owns that choice, and what of the ranked is shown. Must not know by what they are ranked.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression, Measured, Ratio
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.ordering import Whole
from rewright.ask.reading.phrases import parted

_RATED = frozenset(("rating", "score", "stars", "star", "grade", "mark"))
_ONE_OR_ALL, _OF_THE_BEST = 0.75, 0.96


def _several(link: Link, column: ColumnContext) -> bool:
    """`the highest costs`: of one row, or all of them together?"""
    last = link.word.rsplit(" ", maxsplit=1)[-1]
    plural = last.endswith("s") and not last.endswith("ss")
    return (
        # a column that is plural itself (`sales`) says nothing by its plural
        link.mark == "column" and plural and column in link.columns and not column.name.lower().endswith("s")
    )


def head_of(draft: Draft, at: int) -> int:
    """What is ranked: the first table or column before; else the next after. `which month had the most`:
    the months.
    """
    units = [i for i in range(at) if draft.links[i].mark == "unit" and not draft.links[i].used]
    # a time before any noun is what is asked for: `which month had the most orders`
    if len(units) == 1 and not any(draft.links[i].mark in {"table", "column"} for i in range(units[0])):
        return units[0]
    for i in range(at):
        if draft.links[i].mark in {"table", "column"} and not draft.links[i].used:
            return i
    place = draft.table_before(at)
    if place is None:
        place = draft.table_after(at)
    if place is None:
        raise Unclear("it is not clear what is to be ranked")
    return place


def for_head(
    draft: Draft, head: int, expression: Expression, way: Direction, *, counted: bool = False
) -> Expression:
    """A column of another table can't rank the head's rows by itself."""
    link = draft.links[head]
    if isinstance(expression, Column) and link.mark == "unit":
        # ranked without `most` a column of many rows in a month has no one value there
        if not counted:
            raise Unclear(f"it is not clear how the {expression.column.name} of a {link.text} is meant")
        return Aggregate("sum", expression.column)
    if isinstance(expression, Column) and link.mark == "table":
        owner = draft.scope.table(link)
        if expression.column.table != owner.ref:
            steps = direct(draft.scope.context, owner.ref, expression.column.table, draft.scope.roles)
            # several values for each of the ranked rows: they are added up, or the best is taken
            if any(s.multiplies for s in steps):
                # the player with the highest fee: that of any of the player's transfers
                if counted:
                    draft.scope.doubt("the sum over several rows of each", 0.93)
                    return Aggregate("sum", expression.column)
                # `the business with the highest rating`, of reviews: the average as well
                if _of_the_best(draft, head, expression.column):
                    draft.scope.doubt("the highest of several rows of each", _OF_THE_BEST)
                    return Aggregate("max" if way == "desc" else "min", expression.column)
                rated = bool(_RATED & set(draft.scope.words(expression.column)))
                unsure = rated or any(_several(o, expression.column) for o in draft.links)
                draft.scope.doubt("the highest of several rows of each", _ONE_OR_ALL if unsure else 0.85)
                return Aggregate("max" if way == "desc" else "min", expression.column)
    return expression


def _of_the_best(draft: Draft, head: int, by: ColumnContext) -> bool:
    """`the owner of the vessel with the highest power`: one row of the other table is spoken of."""
    behind = draft.links[head + 1] if head + 1 < len(draft.links) else None
    named = behind is not None and behind.mark == "table" and behind.preposition == "of"
    return named and behind is not None and behind.tables[0].ref == by.table


def rank_head(draft: Draft, head: int, *, shown: bool) -> None:
    """The ranked rows' names, with what they are ranked by where several are wanted."""
    link = draft.links[head]
    measured = any(
        isinstance(e, Aggregate | Measured) or (isinstance(e, Ratio) and bool(aggregates_of(e)))
        for e, _ in draft.order
    )
    if not link.used:
        if link.mark == "unit":
            period = parted(draft, TIME_UNITS[link.word], head)
            draft.outputs.append((head, period))
            draft.groups.append(period)
        elif link.mark == "table":
            table = draft.scope.table(link)
            draft.head = table
            follows = draft.next(head, "column")
            # a column of the ranked rows right behind is what is shown of them; the label is not
            if (
                follows is not None
                and not draft.links[follows].theirs
                and draft.scope.context.table(draft.links[follows].columns[0].table) == table
            ):
                return
            draft.outputs += [(head, Column(c)) for c in draft.scope.label(table)]
            # aggregates need groups: the key keeps rows of one name apart
            if measured:
                draft.groups += map(Column, draft.scope.told_apart(table))
                draft.grouped_rows.append(table.ref)
        else:
            column = draft.scope.column(link)
            draft.outputs.append((head, Column(column)))
            if measured:
                _group_by_whose(draft, head, column)
                draft.groups.append(Column(column))
        draft.use(head)
    elif link.mark == "table" and measured and draft.scope.table(link).ref not in draft.grouped_rows:
        table = draft.scope.table(link)
        draft.groups.append(Column(draft.scope.told_apart(table)[0]))
        draft.grouped_rows.append(table.ref)
    if shown:
        for expression, _ in draft.order:
            if not isinstance(expression, Whole):
                draft.outputs.append((len(draft.links), expression))


def _group_by_whose(draft: Draft, head: int, column: ColumnContext) -> None:
    """`the budget of the team that has the most players`: of each team, though two may have the same."""
    link = draft.links[head]
    behind = draft.links[head + 1] if head + 1 < len(draft.links) else None
    table = draft.scope.said_table(link) if " of the " in link.word else None
    if behind is not None and behind.mark == "table" and behind.preposition == "of":
        table = draft.scope.table(behind)
    # a unique column tells the rows by itself
    if table is None or column.unique:
        return
    if table.ref == column.table and table.ref not in draft.grouped_rows:
        draft.groups += map(Column, draft.scope.told_apart(table))
        draft.grouped_rows.append(table.ref)
