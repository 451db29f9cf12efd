"""Words that are a language and a people: `German guests` by their country, `tours in German` by the tours'.

Owns choosing between the two. Must not know the lists of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rewright.ask.reading.link import Link
from rewright.ask.reading.places import people_of


def peoples(links: Sequence[Link]) -> None:
    """Right before rows that have a country it is that; else what the data spells so, if it does."""
    for link, noun in zip_longest(links, links[1:]):
        of_a_country = [(c, v) for c, v in link.values if link.word in people_of(v)]
        if not of_a_country or len(of_a_country) == len(link.values):
            continue
        rows = noun.tables[0].ref if noun is not None and noun.mark == "table" and noun.glued else None
        theirs = [(c, v) for c, v in of_a_country if c.table == rows]
        link.values = tuple(theirs or [pair for pair in link.values if pair not in of_a_country])
