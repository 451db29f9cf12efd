"""Numbers that stand for values: `merchant with ID 1`, `policy 5003`, `rooms with 2 or 3 beds`.

Owns which column such a number is of. Must not know comparisons.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import OneOf

_NUMBERED = 0.95


def number(draft: Draft, at: int) -> None:
    """A number that stands for a value: `merchant with ID 1`, `rating of 5`, `sender_type = 0`."""
    link = draft.links[at]
    named = draft.before(at, "named")
    before = draft.before(at if named is None else named, "column", "identifier")
    # `top 5`: a limit, which superlatives read
    if at > 0 and draft.links[at - 1].mark in {"first", "last", "top", "bottom"}:
        return
    if draft.next(at, "top", "bottom") is not None:
        return  # `the price of the 5 dearest cars`
    if before is not None and (key := _row_of_column(draft, before)) is not None:
        draft.use(at)
        draft.where.append(OneOf(key, (link.number,)))
        draft.scope.doubt("a number that names a row", _NUMBERED)
        return
    if before is None and (key := _numbered_row(draft, at)) is not None:
        draft.use(at)
        draft.where.append(OneOf(key, (link.number,)))
        draft.scope.doubt("a number that names a row", _NUMBERED)
    # no column before it: only a column behind may say what there are so many of
    if before is None:
        _so_many(draft, at)
        return
    if draft.links[before].mark == "identifier":
        column = draft.scope.key(draft.about(before))
    else:
        column = draft.scope.column(draft.links[before])
    held = (link.number, *_other_numbers(draft, at))
    if column.kind == "text":
        # a text compared with a number's digits: `flight 42` may be written `042`
        value = OneOf(column, held)
        draft.scope.doubt("a number compared with a text", 0.9)
    elif column.kind == "number":
        value = OneOf(column, held)
    else:
        return
    draft.use(at, before, named)
    draft.where.append(value)


def _so_many(draft: Draft, at: int) -> None:
    """`hotels with 5 stars`, `rooms that have 2 or 3 beds`: a column that counts, of the rows spoken of."""
    numbers, last = [draft.links[at].number], at
    while (joint := draft.next(last, "or", "comma")) is not None:
        number = draft.next(joint, "number")
        if number is None:
            return
        numbers, last = [*numbers, draft.links[number].number], number
    after, said = draft.next(last, "column"), draft.table_before(at)
    # the noun stands right behind and its rows were named before; a limit takes the number itself
    if after is None or said is None or not draft.links[after].glued or draft.limit:
        return
    table = draft.scope.table(draft.links[said])
    held = [
        c for c in draft.links[after].columns if c.table == table.ref and c.kind == "number" and not c.key
    ]
    # a fraction of beds, or two columns that fit: left to be refused
    if len(held) != 1 or not all(n.isdigit() for n in numbers):
        return
    draft.where.append(OneOf(held[0], tuple(numbers)))
    draft.use(*range(at, after + 1))
    draft.scope.doubt("a number of what a column counts", _NUMBERED)


def _numbered_row(draft: Draft, at: int) -> ColumnContext | None:
    """`policy 5003`: the key of a row, told by its number."""
    # `policies 5003` would be several, and `policy, 5003` two things
    place, link = draft.before(at, "table"), draft.links[at]
    if place is None or not link.glued or not link.number.isdigit() or draft.links[place].word.endswith("s"):
        return None
    # an undeclared key may be any unique number, which a bare number does not name
    key = draft.scope.key(draft.scope.table(draft.links[place]))
    return key if key.kind == "number" and key.key else None


def _row_of_column(draft: Draft, at: int) -> ColumnContext | None:
    """`the fee of play 17`: the number is that of the play."""
    link = draft.links[at]
    table = draft.scope.said_table(link)
    words = link.word.split()
    # `fee of plays 17` has no one row
    if table is None or len(words) < 3 or words[-2] != "of" or words[-1].endswith("s"):
        return None
    key = draft.scope.key(table)
    return key if key.kind == "number" and key.key else None


def _other_numbers(draft: Draft, at: int) -> list[str]:
    """`a price of 12 or 15`."""
    found = []
    while (joint := draft.next(at, "or", "comma")) is not None:
        number = draft.next(joint, "number")
        if number is None:
            break
        draft.use(joint, number)
        found.append(draft.links[number].number)
        at = number
    return found
