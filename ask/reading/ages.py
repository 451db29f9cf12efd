"""Ages: `the average age of volunteers`, `older than 60`, of rows with a date of birth.

Owns these forms: an age is in completed years, today. Must not know what else a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Age, Column, Compared, Measured
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root

_BIRTH = frozenset(map(root, listed("birth born birthday birthdate dob")))
_OLDER = {"older": ">", "younger": "<"}
_BOUNDS = {">", "<", ">=", "<="}
_IN_YEARS = 0.93
_NAMED = 0.9
_EXTREMES = {"minimum": "min", "maximum": "max", "average": "avg"}


def births(links: list[Link], scope: Scope) -> None:
    """Marks `age` where a date of birth says it and no column does."""
    held = _births(links, scope)
    # with two such dates (of a parent and a child) `age` could be either's
    if len(held) == 1:
        _ages_of_others(links, held[0])
    for at, link in enumerate(links):
        if link.word in {"age", "ages"} and link.mark == "unknown" and len(held) == 1:
            link.mark, link.columns = "age", tuple(held)
        # `under 30 years old`
        if (
            link.word == "old"
            and link.mark == "unknown"
            and at > 2
            and links[at - 1].word in {"years", "year"}
        ):
            number, bound = links[at - 2], links[at - 3]
            if len(held) == 1 and number.mark == "number" and bound.mark in _BOUNDS:
                link.mark, link.columns = "age", tuple(held)


def _ages_of_others(links: list[Link], birth: ColumnContext) -> None:
    """`the minimum age of the children`, where rooms have a min_age_months: the children's own."""
    # backwards, as an insertion moves only what has been looked at
    for at in reversed(range(len(links))):
        link = links[at]
        *before, last = link.word.split() or [""]
        # a column called age, matched exactly, stays what it is
        loose = link.mark == "column" and max(link.fits.values(), default=1.0) < _NAMED
        function = _EXTREMES.get(before[-1]) if before else None
        if last not in {"age", "ages"} or not loose or any(c.table == birth.table for c in link.columns):
            continue
        if before and function is None:
            continue
        link.mark, link.columns, link.fits = "age", (birth,), {}
        if function is not None:
            links.insert(at, Link(" ".join(before), function))


def _births(links: Sequence[Link], scope: Scope) -> list[ColumnContext]:
    # only tables that the question names: a date of birth of others would be somebody else's age
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    dates = (c for t in scope.context.tables if t.ref in spoken for c in t.columns if c.kind == "date")
    return [c for c in dates if {root(w) for w in scope.words(c)} & _BIRTH]


def ages(draft: Draft) -> None:
    """Raises Unclear for an age that is neither shown nor compared."""
    for at, link in enumerate(draft.links):
        if link.mark == "age" and not link.used:
            _age(draft, at)
        elif link.mark == "comparative" and link.word in _OLDER and not link.used:
            _older_than(draft, at)


def _age(draft: Draft, at: int) -> None:
    age = Age(draft.links[at].columns[0])
    draft.scope.doubt("whether completed years are meant", _IN_YEARS)
    if draft.links[at].word == "old":
        draft.where.append(Compared(age, draft.links[at - 3].mark, draft.links[at - 2].number))
        draft.use(*range(at - 3, at + 1))
        return
    before = draft.links[at - 1] if at else None
    bound = draft.links[at + 1] if at + 2 < len(draft.links) else None
    if bound is not None and bound.mark in _BOUNDS and draft.links[at + 2].mark == "number":
        draft.where.append(Compared(age, bound.mark, draft.links[at + 2].number))
        draft.use(at, at + 1, at + 2)
        return
    # ages that are added up mean nothing
    if before is not None and before.mark in FUNCTIONS and before.mark != "sum" and not before.used:
        draft.outputs.append((at, Measured(FUNCTIONS[before.mark], age)))
        draft.use(at - 1, at)
        return
    of = draft.next(at, "table")
    each = draft.next(at, "each")
    table = draft.scope.context.table(age.column.table)
    # a bare `age` is to be shown for each of the rows, so it needs them named and nothing measured
    if (of is None and each is None) or any(link.mark in FUNCTIONS for link in draft.links):
        raise Unclear("it is not clear whose age is wanted")
    draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]
    draft.outputs.append((at, age))
    draft.head = table
    draft.use(at, of)


def _older_than(draft: Draft, at: int) -> None:
    """`older than 60`, of people with a date of birth; what has none is left to comparisons."""
    than = draft.next(at, "than")
    number = draft.next(at if than is None else than, "number")
    held = _births(draft.scope.links, draft.scope)
    if number is None or len(held) != 1:
        return
    # `older than 60 days` is not an age of people
    years = draft.next(number, "unit", "seconds")
    if years is not None and draft.links[years].word not in {"years", "year"}:
        return
    draft.scope.doubt("whether completed years are meant", _IN_YEARS)
    amount = draft.links[number].number
    draft.where.append(Compared(Age(held[0]), _OLDER[draft.links[at].word], amount))
    draft.use(at, than, number, years)
