"""Words that are a language and a people: `German guests` by their country, `tours in German` by the tours'.

Owns choosing between the two. Must not know the lists of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.places import people_of


def peoples(links: Sequence[Link]) -> None:
    """Right before rows that have a country it is that; else what the data spells so, if it does."""
    # `guests from Germany` and `German guests` are both read here, the country's way first
    for noun, link in pairwise(links):
        if noun.mark == "table" and noun.tables and link.preposition == "from":
            link.values = _of_a_people(noun.tables[0], link) or link.values
    for link, noun in zip_longest(links, links[1:]):
        of_a_country = [(c, v) for c, v in link.values if link.word in people_of(v)]
        # nothing to choose: all its values are countries', or none is
        if not of_a_country or len(of_a_country) == len(link.values):
            continue
        rows = noun.tables[0].ref if noun is not None and noun.mark == "table" and noun.glued else None
        theirs = [(c, v) for c, v in of_a_country if c.table == rows]
        link.values = tuple(theirs or [pair for pair in link.values if pair not in of_a_country])


def _of_a_people(rows: TableContext, country: Link) -> tuple[tuple[ColumnContext, str], ...]:
    """`players from Denmark`, of players with a nationality `Danish`: theirs, not the country of a team."""
    # rows with that very country need no people's name
    if any(c.table == rows.ref for c, _ in country.values):
        return ()
    called = {said for _, value in country.values for said in people_of(value)}
    return tuple((c, v) for c in rows.columns for v in c.values if v.lower() in called)
