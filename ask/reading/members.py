"""`members of two clubs`, of memberships, `borrowed the most books`, of loans: by whose rows they belong
together.

Owns what such a word joins, or counts. Must not know measures.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.vocabulary import THOSE_OF
from rewright.sql.algebra import TableRef

_COUNTED = {"number", "without", "top", "bottom"}
_VALUES = {"value", "quoted", "named"}


def memberships(left: Sequence[Link], links: Sequence[Link], scope: Scope) -> list[TableRef]:
    """The tables that must be joined. Where it is asked how many they are members of, or of none, the
    memberships are what is counted: the link that says of what is marked so.
    """
    found = []
    for at, link in enumerate(links):
        # only a verb or noun that stands for the rows between two others, as `members` for memberships
        if link.mark not in {"relation", "table"} or not link.tables or link.fit(link.tables[0]) != THOSE_OF:
            continue
        counted = _counted(links, at)
        if link.mark == "table":
            _none_of_them(links, at)
        elif counted is not None and counted in left and _of_one(link.tables[0], counted, scope):
            # `so many books` counts loans where a verb of lending stands before: a book may be borrowed twice
            _stands_for(counted, link.tables[0])
        else:
            found.append(link.tables[0].ref)
    return found


def _counted(links: Sequence[Link], at: int) -> Link | None:
    """What the verb is said of so many of: `borrowed more than 3 books`, `how many books did she borrow`."""
    behind = next((i for i in range(at + 1, len(links)) if links[i].mark == "table"), None)
    if behind is not None:
        # a number, a superlative or a lack right before the noun counts it
        return links[behind] if links[behind - 1].mark in _COUNTED else None
    whole = [link.mark for link in links[:2]] == ["count", "table"]
    return links[1] if whole and any(link.mark in _VALUES for link in links[2:at]) else None


def _none_of_them(links: Sequence[Link], at: int) -> None:
    """`never borrowed a book`: what was not borrowed is said already."""
    behind = links[at + 1] if at + 1 < len(links) else None
    # a named title (`never borrowed Dune`) is the condition of what is not there
    named = at + 2 < len(links) and links[at + 2].mark in _VALUES
    if at and links[at - 1].mark == "without" and behind is not None and behind.mark == "table" and not named:
        behind.used = True


def _of_one(deed: TableContext, counted: Link, scope: Scope) -> bool:
    """Whether each row of the deed is of one of them: a loan of one book, not of a box of specimens."""
    told = {deed.ref, *scope.told_by(deed.ref)}
    return any(t.ref in told for t in counted.tables)


def _stands_for(link: Link, table: TableContext) -> None:
    link.tables, link.fits = (table,), {table.ref: 1.0}
