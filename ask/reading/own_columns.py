"""Verbs of what a row holds itself: `bikes that cost 1000` by their price, `authors born in 1950` by their
year of birth, though only another table has a column of that very name.

Owns that choice. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.adjectives import SAME
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root, stem

_HELD = frozenset(listed("cost costs costing weigh weighs weighing earn earns earning earned born"))
"""Verbs of what a thing has, not of what happens to it."""
_FIT = 0.9


def verbs_of_rows(links: Sequence[Link], scope: Scope) -> None:
    """Verbs of something held get the column of the rows spoken of right before, where it is the only one."""
    for at, link in enumerate(links):
        table = next((one.tables[0] for one in reversed(links[:at]) if one.mark == "table"), None)
        if link.mark != "column" or link.word not in _HELD or table is None:
            continue
        # the word's best column may be of a table far off, such as the cost of a repair
        best = max(link.columns, key=link.fit)
        own = list(_held_by(table, link.word, scope))
        # a column that the row's parents tell may be meant; one of others is not what the row holds
        if len(own) == 1 and (best in own or best.table not in scope.told_by(table.ref)):
            link.columns, link.fits = (own[0],), {(own[0].table, own[0].name): _FIT}


def _held_by(table: TableContext, verb: str, scope: Scope) -> Iterator[ColumnContext]:
    said = {root(verb), *map(root, SAME.get(stem(verb), ()))}
    for column in table.columns:
        if (
            not column.key
            and column.kind in {"number", "date"}
            and said & set(map(root, scope.words(column)))
        ):
            yield column
