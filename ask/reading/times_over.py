"""So many times, and most often: `objects treated more than 2 times`, `the book borrowed most often`, where
the verb says the rows that are counted.

Owns making the times those rows. Must not know what a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope

_COMPARED = frozenset((">", "<", ">=", "<=", "="))
_OFTEN = {"most often": "most", "most frequently": "most", "least often": "fewest"}
_DOUBT = 0.96


def times_over(links: list[Link], scope: Scope) -> None:
    """Makes `times` behind a comparison the table that the verb before says; puts it behind `most often`."""
    for at in range(3, len(links)):
        times, number, compared = links[at], links[at - 1], links[at - 2]
        # three words: a comparison, its number and `times`; `three times as many` has none
        said = times.word in {"times", "time"} and number.mark == "number" and compared.mark in _COMPARED
        table = _said_by(links, at - 3, scope) if said else None
        if table is not None:
            times.mark, times.tables, times.fits, times.glued = "table", (table,), {}, True
            _only_relates(links[at - 3], scope)
    # the last word that asks for anything
    ends = {"stop", "relation", "moment"}
    last = next((i for i in range(len(links) - 1, 1, -1) if links[i].mark not in ends), 0)
    often = _OFTEN.get(links[last].word) if last > 1 and links[last].mark in {"top", "bottom"} else None
    table = _said_by(links, last - 1, scope) if often is not None else None
    if often is not None and table is not None:
        links[last].text = often
        links.insert(last + 1, Link(links[last - 1].text, "table", (table,), glued=True))
        _only_relates(links[last - 1], scope)


def _only_relates(verb: Link, scope: Scope) -> None:
    verb.mark = "relation"
    scope.doubt("what is counted so many times", _DOUBT)


def _said_by(links: Sequence[Link], at: int, scope: Scope) -> TableContext | None:
    """The table whose rows a verb says, by its own name or by a date at which it is done; something else is
    spoken of before.
    """
    verb = links[at]
    if verb.mark not in {"relation", "table", "column"} or not verb.word.endswith(("ed", "en")):
        return None
    # something else must be spoken of before, whose rows it happened to
    if not any(link.mark == "table" for link in links[:at]):
        return None
    if len(verb.tables) == 1:
        return verb.tables[0]
    dated = {c.table for c in verb.columns if c.kind == "date"}
    spoken = {t.ref for link in links[:at] for t in link.tables[:1] if link.mark == "table"}
    # `fined more than twice`, of penalties with a fine: those that refer to what is spoken of
    owners = {c.table for c in verb.columns} - spoken
    refer = {j.many.table for j in scope.context.joins if j.one.table in spoken}
    if verb.mark == "column" and len(owners) == 1 and owners <= refer:
        return scope.context.table(owners.pop())
    # a date of the spoken rows themselves happens once for each
    return scope.context.table(next(iter(dated))) if len(dated) == 1 and not dated & spoken else None
