"""`members of two clubs`, of memberships: by whose rows they belong together.

Owns what such a word joins, or counts. Must not know measures.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.reading.link import Link
from rewright.ask.reading.vocabulary import THOSE_OF
from rewright.sql.algebra import TableRef

_COUNTED = {"number", "without"}


def memberships(left: Sequence[Link], links: Sequence[Link]) -> list[TableRef]:
    """The tables that must be joined. Where it is asked of how many they are members, or of none, the
    memberships are what is counted: the link behind is marked so.
    """
    found = []
    for at, link in enumerate(links):
        if link.mark != "relation" or not link.tables or link.fit(link.tables[0]) != THOSE_OF:
            continue
        table = link.tables[0]
        counted = next((i for i in range(at + 1, len(links)) if links[i].mark == "table"), None)
        if counted is not None and links[counted - 1].mark in _COUNTED and links[counted] in left:
            links[counted].tables, links[counted].fits = (table,), {table.ref: 1.0}
        else:
            found.append(table.ref)
    return found
