"""Order of a question: `ordered by price, highest first`.

Owns its grammar. All rows are shown, in that order.
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Direction, Expression, aggregates_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.phrases import expressions_at, parted

_MOST_KEYS = 4
_OF_WHICH = 0.75


def order(draft: Draft) -> None:
    """`ordered by X, highest first`, `sort by X descending and then by Y`: all rows in that order."""
    for at, link in enumerate(draft.links):
        if link.mark == "order" and not link.used:
            _ordered(draft, at)
    for at, link in enumerate(draft.links):
        if link.mark in {"desc", "asc"} and not link.used:
            if draft.order:
                raise Unclear(f"it is not clear what is to be in the order of {link.text}")
            draft.use(at)
            draft.whole = True
            draft.order.append((Whole(), link.mark))  # type: ignore[arg-type]


class Whole:
    """Stands for what the rows are measured by, until that is known."""


def settle(draft: Draft) -> None:
    """What `in descending order` orders by, once the outputs are known."""
    settled: list[tuple[Expression, Direction]] = []
    for expression, way in draft.order:
        if not isinstance(expression, Whole):
            settled.append((expression, way))
            continue
        if draft.limit and settled:
            continue
        measures = [e for _, e in draft.outputs if aggregates_of(e)]
        columns = [e for _, e in draft.outputs]
        if len(measures) > 1 and draft.measured is None:
            draft.scope.doubt("what the answer is ordered by", _OF_WHICH)
        chosen = (
            draft.measured
            or (measures[0] if len(measures) == 1 else None)
            or (columns[0] if columns else None)
        )
        if chosen is None:
            raise Unclear("it is not clear what the answer is to be ordered by")
        settled.append((chosen, way))
    draft.order = settled


def _ordered(draft: Draft, at: int) -> None:
    """What one `ordered by` says: a list, each of it with its own direction or the one at its end."""
    link = draft.links[at]
    draft.use(at)
    draft.whole = True
    keys, place = list[tuple[list[Expression], Direction | None]](), at + 1
    leading: Direction | None = None
    apart = False
    while place < len(draft.links) and draft.links[place].mark != "stop":
        if (way := _way(draft, place, first=not keys)) is not None:
            draft.use(place)
            if keys and keys[-1][1] is not None and draft.links[place].preposition == "to":
                pass  # `from the best to the worst`
            elif keys and keys[-1][1] is None:
                keys[-1] = (keys[-1][0], way)
            elif not keys:
                leading = way
            else:
                raise Unclear(f"it is not clear what is to be in the order of {draft.links[place].text}")
            place += 1
        elif draft.links[place].mark == "comma":
            place += 1
        elif keys and _again(draft, place):
            apart, place = True, place + 1
        else:
            found = _key(draft, place) if len(keys) < _MOST_KEYS else None
            if found is None or (keys and not _listed(draft, place, found[1])):
                break
            draft.use(*(i for i in range(at, found[1]) if draft.links[i].mark != "comma"))
            keys.append((found[0], leading if not keys else None))
            place = found[1]
    if len(keys) > 1 and not apart and keys[-1][1] == "desc" and all(way is None for _, way in keys[:-1]):
        draft.scope.doubt("of which columns an order is said", _OF_WHICH)
    _directed(draft, link.text, keys, leading)


def _directed(
    draft: Draft, said: str, keys: list[tuple[list[Expression], Direction | None]], leading: Direction | None
) -> None:
    if not keys:
        if leading is None:
            raise Unclear(f"it is not clear what is meant by {said}")
        draft.order.append((Whole(), leading))  # type: ignore[arg-type]
        return
    for expressions, way in keys:
        draft.order += [(e, way or "asc") for e in expressions]


def _way(draft: Draft, at: int, *, first: bool) -> Direction | None:
    link = draft.links[at]
    if link.used:
        return None
    if link.mark in {"desc", "asc"}:
        return "desc" if link.mark == "desc" else "asc"
    follows = not first and draft.next(at, "column", "table", "count") is not None
    if link.mark in {"top", "bottom"} and not follows:
        return "desc" if link.mark == "top" else "asc"
    return None


def _again(draft: Draft, at: int) -> bool:
    """`ordered by X and then by Y`."""
    link = draft.links[at]
    again = link.mark == "order" or (link.mark == "each" and link.word == "by")
    if again:
        draft.use(at)
    return again


def _key(draft: Draft, at: int) -> tuple[list[Expression], int] | None:
    if draft.links[at].used:
        return None
    if draft.links[at].mark == "count" and draft.next(at, "table", "column", "label", "distinct") is None:
        return [Whole()], at + 1  # type: ignore[list-item]
    if draft.links[at].mark == "unit":
        return [parted(draft, TIME_UNITS[draft.links[at].word], at)], at + 1
    return expressions_at(draft, at, draft.head)


def _listed(draft: Draft, at: int, end: int) -> bool:
    """Whether a further key is one, and not something else that is wanted."""
    before = draft.links[at - 1]
    joined = before.mark in {"desc", "asc", "order", "each"} or (before.mark == "comma" and at > 1)
    after = draft.links[end].mark if end < len(draft.links) else "stop"
    return (joined or after in {"desc", "asc", "stop"}) and after in {"desc", "asc", "stop", "comma", "each"}
