"""Order of a question: `ordered by price, highest first`.

Owns its grammar. All rows are shown, in that order.
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Direction, Expression
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.phrases import expressions_at


def order(draft: Draft) -> None:
    """`ordered by X, highest first`: all rows in that order."""
    for at, link in enumerate(draft.links):
        if link.mark == "order" and not link.used:
            _ordered(draft, at)
    for at, link in enumerate(draft.links):
        if link.mark in {"desc", "asc"} and not link.used:
            draft.use(at)
            draft.whole = True
            draft.order = draft.order or []
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
        if settled:
            continue
        measures = [e for _, e in draft.outputs if isinstance(e, Aggregate)]
        columns = [e for _, e in draft.outputs]
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
    link = draft.links[at]
    draft.use(at)
    way: Direction | None = None
    after = draft.next(at, "desc", "asc", "top", "bottom")
    if after is not None:
        way = "desc" if draft.links[after].mark in {"desc", "top"} else "asc"
        draft.use(after)
    place = (after if after is not None else at) + 1
    found = expressions_at(draft, place, draft.head) if place < len(draft.links) else None
    end = place
    if found is not None:
        expressions, end = found
        draft.use(*range(place, end))
    trailing = next(
        (i for i in range(end, len(draft.links)) if draft.links[i].mark in {"desc", "asc", "stop"}), None
    )
    if trailing is not None and draft.links[trailing].mark != "stop":
        way = "desc" if draft.links[trailing].mark == "desc" else "asc"
        draft.use(trailing)
    for i in range(end, len(draft.links)):
        if draft.links[i].mark == "stop":
            break
        if draft.links[i].mark in {"top", "bottom"} and not draft.links[i].used:
            way = way or ("desc" if draft.links[i].mark == "top" else "asc")
            draft.use(i)
    draft.whole = True
    if found is None:
        if way is None:
            raise Unclear(f"it is not clear what is meant by {link.text}")
        draft.order.append((Whole(), way))  # type: ignore[arg-type]
        return
    draft.order += [(e, way or "asc") for e in expressions]
