"""What a superlative ranks by: a column, a count, a measure, the property that an adjective names.

Owns that choice. Must not know what is ranked.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression, OneOf, Span
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.pairs import lasting
from rewright.ask.reading.phrases import (
    FUNCTIONS,
    MONEY,
    amount_column,
    checked,
    counting_column,
    leave_prices,
    only_measure,
)

# what is common is counted, not measured by any column
_COMMON = ("common", "popular", "frequent", "often", "frequently")
_COUNTED = 0.95
_FROM_WHEN = 0.95
_LENGTHS = frozenset(
    ("length", "duration", "distance", "runtime", "time", "minute", "second", "page", "word", "hour", "day")
)
"""Of what else the longest row may be the longest."""
MOST = {"most", "least", "fewest", "the most", "the least", "the fewest"}


def ranked_by(draft: Draft, at: int, after: int | None) -> tuple[Expression | None, list[int]]:
    """What a superlative orders by, and the places it takes."""
    link = draft.links[at]
    if after is None or draft.links[after].mark in {"stop", "moment"}:
        # `the most` alone: rows of a value that is a condition already, or nothing that could be ranked by
        return (_rows_of_a_value(draft, at) or _rows_of_a_deed(draft, at) if link.word in MOST else None), []
    following = draft.links[after]
    if following.mark == "count" and (counted := draft.next(after, "table")) is not None:
        return count_of(draft, draft.scope.table(draft.links[counted])), [after, counted]
    if following.mark in FUNCTIONS and (column_at := _measure_behind(draft, after)) is not None:
        column = draft.scope.column(draft.links[column_at], ("number",))
        return checked(FUNCTIONS[following.mark], column, draft.links[column_at]), [after, column_at]
    if following.mark in FUNCTIONS and (rows_at := draft.next(after, "table")) is not None:
        # `the highest average rating`, of ratings with a number of stars
        # a sum of a grade means nothing, so `the highest total rating` is left unread
        only = (
            only_measure(draft, draft.scope.table(draft.links[rows_at])) if following.mark != "sum" else None
        )
        if only is not None:
            return Aggregate(FUNCTIONS[following.mark], only), [after, rows_at]
    counts = link.word in MOST or "number of" in link.word
    if following.mark == "table" and counts and following.word in MONEY:
        # `the most revenue`, of sales with a price: no number of sales
        money = amount_column(draft, draft.scope.table(following))
        if money is None:
            raise Unclear(f"it is not clear what adds up to the {following.text}")
        return Aggregate("sum", money), [after]
    if following.mark == "table" and counts:
        return count_of(draft, draft.scope.table(following)), [after]
    if following.mark == "column" and (lasted := _until(draft, at, following)) is not None:
        return lasted, [after]
    if following.mark == "column" and (link.adjective is None or not _property_like(link.word)):
        if counts:
            leave_prices(draft, following)
        column = draft.scope.column(following, ("number", "date"))
        if column.kind in {"number", "date"} and not column.key:
            return Column(column), [after]
        if counts:
            return Aggregate("count", column, distinct=True), [after]
    return _rows_of_a_value(draft, at) if link.word in MOST else None, []


def _until(draft: Draft, at: int, verb: Link) -> Expression | None:
    """`which applications took longest to decide`: the time until then, no late date. Raises Unclear."""
    if not of_length(draft.links[at]) or {c.kind for c in verb.columns} != {"date"}:
        return None
    # a verb of several tables' dates leaves open whose time it is
    tables = {c.table for c in verb.columns}
    table = draft.scope.context.table(tables.pop()) if len(tables) == 1 else None
    pair = lasting(draft.scope, table) if table is not None else None
    if pair is None or pair[1] not in verb.columns:
        raise Unclear(f"it is not clear from when on the time to {verb.text} is counted")
    draft.scope.doubt(f"whether the time from {pair[0].name} to {pair[1].name} is meant", _FROM_WHEN)
    return Span(*pair)


def time_of_rows(draft: Draft, at: int, table: TableContext) -> Expression | None:
    """`the longest eruption`, of eruptions that hold when they begin and end, and no number of days."""
    pair = lasting(draft.scope, table) if of_length(draft.links[at]) else None
    # a number of days in the row was put there to be used: no subtraction of dates
    if pair is None or any(c.kind == "number" and _is_length(draft, c) for c in table.columns):
        return None
    draft.scope.doubt(f"whether the time from {pair[0].name} to {pair[1].name} is meant", _FROM_WHEN)
    return Span(*pair)


def of_length(link: Link) -> bool:
    """`the longest`, which is said of times as well."""
    return link.adjective is not None and any(word == "duration" for _, word in link.adjective.steps)


def _is_length(draft: Draft, column: ColumnContext) -> bool:
    words = set(draft.scope.words(column))
    return bool(_LENGTHS & words) and "per" not in words


def _rows_of_a_value(draft: Draft, at: int) -> Expression | None:
    """`which month had the most weddings`, of events whose occasion is one: a condition already, whose rows
    are counted.
    """
    kind = draft.links[at + 1] if at + 1 < len(draft.links) else None
    # only a value that a condition took already can be passed over
    if kind is None or kind.mark != "value" or not kind.used or kind.preposition:
        return None
    held = {c for c, _ in kind.values}
    tables = {c.column.table for c in draft.where if isinstance(c, OneOf) and c.column in held}
    if len(tables) != 1:
        return None
    draft.scope.doubt("what is to be counted", _COUNTED)
    return count_of(draft, draft.scope.context.table(tables.pop()))


def deeds_ranked(links: Sequence[Link]) -> None:
    """`which volcano erupted the most`, of eruptions: the verb says what is counted, and names no rows."""
    for rows, verb, most in zip(links, links[1:], links[2:], strict=False):
        if rows.mark == verb.mark == "table" and verb.word.endswith("ed") and most.word in MOST:
            verb.mark = "relation"


def _rows_of_a_deed(draft: Draft, at: int) -> Expression | None:
    """`which volcano erupted the most`, of eruptions: how often it did."""
    # links of verbs are left out of the draft
    links = draft.scope.links
    place = next((i for i, link in enumerate(links) if link is draft.links[at]), 0)
    verb = links[place - 1] if place else None
    # with a number of its own the verb may say what is added up
    if verb is None or verb.mark != "relation" or any(c.kind != "date" for c in verb.columns):
        return None
    # a date of the deed is in the rows that tell it
    told = {t.ref for t in verb.tables} | {c.table for c in verb.columns}
    if len(told) != 1:
        return None
    draft.scope.doubt("what is to be counted", _COUNTED)
    return count_of(draft, draft.scope.context.table(told.pop()))


def _measure_behind(draft: Draft, at: int) -> int | None:
    """`the highest average number of listeners`, of a column that holds their number."""
    counted = draft.next(at, "count")
    return draft.next(at if counted is None else counted, "column")


def behind(draft: Draft, at: int) -> int | None:
    """The place behind a superlative that says what it is of; in `the most rejected claims` the claims."""
    # conditions between the superlative and its noun were taken by passes before this one
    place = at + 1
    while place + 1 < len(draft.links) and draft.links[place].used and _tells(draft.links[place]):
        place += 1
    return place if place < len(draft.links) and not draft.links[place].used else None


def _tells(link: Link) -> bool:
    """`the most billable hours`, `the most rejected claims`: which rows count."""
    flag = link.mark == "column" and all(c.kind == "boolean" for c in link.columns)
    return flag or link.mark in {"value", "undone"}


def count_of(draft: Draft, table: TableContext) -> Expression:
    counted = counting_column(draft, table)
    return Aggregate("sum", counted) if counted is not None else Aggregate("count", table.ref)


def is_commonness(link: Link) -> bool:
    """`the most common`."""
    return any(word in link.word.split() for word in _COMMON)


def property_of(draft: Draft, at: int, table: TableContext) -> tuple[ColumnContext, Direction]:
    """What `oldest` is said of, and which end of it. Raises Unclear."""
    adjective = draft.links[at].adjective
    if adjective is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    column, way = draft.scope.property(table, adjective.steps)
    return column, "desc" if way == "desc" else "asc"


def _property_like(word: str) -> bool:
    """`oldest` says what is compared; `highest`, `largest`, `best` are said of any column."""
    return word not in {
        "highest",
        "lowest",
        "largest",
        "smallest",
        "biggest",
        "best",
        "worst",
        "longest",
        "shortest",
        "earliest",
        "latest",
        "most recent",
        "greatest",
    }


def is_measure(draft: Draft, at: int) -> bool:
    """`the biggest vessel by capacity`: what it is ranked by, and no group."""
    after = draft.next(at, "column")
    if draft.links[at].word != "by" or after is None:
        return False
    columns = draft.links[after].columns
    return all(c.kind == "number" and not c.key and c.distinct > 1 for c in columns)
