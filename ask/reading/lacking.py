"""States that a comment says null stands for: `pending complaints`, of a date of which it says `null: still
pending`.

Owns marking them as what rows lack. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.reading.comments import lacks
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope


def lacking(links: Sequence[Link], scope: Scope) -> None:
    """Marks the words of such a state, of one column of the rows spoken of."""
    told = {table.ref for link in links if (table := scope.said_table(link)) is not None}
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]} | told
    states = [(words, c) for t in scope.context.tables for c in t.columns if (words := lacks(c))]
    for link in links if states else ():
        held = [c for words, c in states if words == link.word and c.table in spoken]
        if link.mark == "unknown" and len(held) == 1:
            link.mark, link.columns, link.fits = "undone", (held[0],), {}
