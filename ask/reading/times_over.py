"""So many times: `objects treated more than 2 times`, where the verb says the table whose rows are counted.

Owns making the times those rows. Must not know what a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope

_COMPARED = frozenset((">", "<", ">=", "<=", "="))
_DOUBT = 0.96


def times_over(links: Sequence[Link], scope: Scope) -> None:
    """Marks `times` behind a comparison as the rows of the table that the verb before it says."""
    for at in range(3, len(links)):
        times, number, compared, verb = links[at], links[at - 1], links[at - 2], links[at - 3]
        said = times.word in {"times", "time"} and number.mark == "number" and compared.mark in _COMPARED
        if not said or verb.mark not in {"relation", "table"} or len(verb.tables) != 1:
            continue
        if not verb.word.endswith(("ed", "en")) or not any(o.mark == "table" for o in links[: at - 3]):
            continue
        times.mark, times.tables, times.fits, times.glued = "table", verb.tables, dict(verb.fits), True
        verb.mark = "relation"
        scope.doubt("what is counted so many times", _DOUBT)
