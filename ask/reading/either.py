"""One of two conditions on one column: `founded before 1950 or after 2000`, `above 90 or below 20`.

Owns that form; of values `or` is read where they are.
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import AnyOf, Compared, Condition, During

_TIMED = {"moment"}
_COMPARES = {">", "<", ">=", "<=", "=", "comparative", "before", "after", "between"}


def either(draft: Draft) -> None:
    """Joins the last two conditions where an `or` stands between what they were read from."""
    for at, link in enumerate(draft.links):
        if link.mark != "or" or link.used or at == 0 or at + 1 >= len(draft.links):
            continue
        # a comma may follow: `above 90 or, below 20`
        behind = at + 2 if draft.links[at + 1].mark == "comma" and at + 2 < len(draft.links) else at + 1
        before, after = draft.links[at - 1], draft.links[behind]
        # both sides must have been read as conditions; an `or` between nouns is read elsewhere
        if not (before.used and after.used and after.mark in _TIMED | _COMPARES):
            continue
        pair = _last_two(draft, timed=after.mark in _TIMED)
        if pair is not None:
            first, second = pair
            draft.where[draft.where.index(first)] = AnyOf((first, second))
            draft.where.remove(second)
            draft.use(at)


def _last_two(draft: Draft, *, timed: bool) -> tuple[Condition, Condition] | None:
    """The only two conditions of that kind, if they are of one column."""
    # Ranged and others have no such pair, so their `or` stays unread and is refused
    kind = During if timed else Compared
    found = [c for c in draft.where if isinstance(c, kind)]
    # of three conditions it is not clear which two the `or` joins
    if len(found) != 2:
        return None
    first, second = found
    of = [c.column if isinstance(c, During) else c.left for c in (first, second)]
    return (first, second) if of[0] == of[1] else None
