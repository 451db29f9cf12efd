"""How long things last: the time between two dates of a row, asked for, ranked by or compared with a number.

Owns the grammar of `how long`, `the number of days between`,
`longer than 3 days`. Raises Unclear where it is not clear which two dates are meant.
"""

from __future__ import annotations

from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.gaps import gap_at
from rewright.ask.reading.intent import Column, Compared, Function, Measured, Span
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.pairs import DULL, lasting
from rewright.ask.reading.phrases import FUNCTIONS
from rewright.ask.reading.words import root
from rewright.sql.algebra import TableRef

_COMPARED = {">", "<", ">=", "<="}
_UNSAID = 0.93
# among several dates the first is a likely beginning, no more
_OF_SEVERAL = 0.8


def durations(draft: Draft) -> None:
    """Raises Unclear for a length of time that nothing in the data holds."""
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if link.mark == "how long":
            _how_long(draft, at)
        elif link.mark == "duration":
            _named_so(draft, at)
        elif link.mark == "seconds":
            _between(draft, at)
        elif link.mark in _COMPARED or link.mark == "comparative":
            _longer_than(draft, at)
    # the unit of a number that is compared with a column of such units
    numbered = {
        id(link)
        for number, link in pairwise(draft.links)
        if link.mark == "seconds" and number.mark == "number" and not link.used
    }
    draft.links = [link for link in draft.links if id(link) not in numbered]


# ------------------------------------------------------------------ what is asked for


def _how_long(draft: Draft, at: int) -> None:
    """`how long do patients stay on average`, `how long did each outage last, in hours`."""
    span = _span(draft, at, _unit(draft, at))
    function = _function(draft, at)
    draft.use(at, *_its_verbs(draft, span))
    _use_verbs(draft)
    if function is not None:
        draft.outputs.append((at, Measured(function, span)))
        return
    table = draft.scope.context.table(span.start.table)
    draft.head = table
    draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]
    draft.outputs.append((at, span))


def _its_verbs(draft: Draft, span: Span) -> list[int]:
    """`how long does a complaint take to close`: the verb of its end. Raises Unclear for another
    time's.
    """
    found = [i for i, link in enumerate(draft.links) if link.preposition == "to" and _dates(draft, i)]
    others = {c for c in draft.scope.context.table(span.start.table).columns if c.kind == "date"}
    if found and len(others) > 2:
        draft.scope.doubt(f"whether {span.start.name} is when it begins", _OF_SEVERAL)
    for i in found:
        if span.end not in draft.links[i].columns:
            raise Unclear(f"it is not clear how long it is to {draft.links[i].text}")
    return found


def _named_so(draft: Draft, at: int) -> None:
    """`the average session duration in seconds`, `longest duration of a loan`."""
    function = _function(draft, at)
    if function is None:
        raise Unclear("it is not clear whether the average or the longest duration is wanted")
    draft.outputs.append((at, Measured(function, _span(draft, at, _unit(draft, at)))))
    draft.use(at, draft.before(at, "table"))


def _between(draft: Draft, at: int) -> None:
    """`the average number of days between A and B`, `how many days are lots open on average`."""
    first = at
    # all functions that stand before the unit belong to it: `the average number of days`
    while first and draft.links[first - 1].mark in {"count", "sum", "avg", "max", "min", "difference"}:
        first -= 1
    follows = _after_verbs(draft, at)
    between = follows if follows is not None and draft.links[follows].mark == "between" else None
    if first == at and between is None:
        return
    function, unit = _function(draft, at), root_unit(draft.links[at].word)
    if between is not None and gap_at(draft, between, function, unit):
        draft.use(*range(first, at + 1))
        return
    span = _two_dates(draft, between, unit) if between is not None else _of_rows(draft, at, unit)
    if span is None:
        raise Unclear(f"it is not clear between what the {draft.links[at].text} are counted")
    draft.use(*range(first, at + 1))
    _use_verbs(draft)
    if function is not None:
        draft.outputs.append((at, Measured(function, span)))
        return
    draft.head = draft.head or draft.scope.context.table(span.start.table)
    draft.outputs.append((at, span))


def _two_dates(draft: Draft, between: int, unit: str) -> Span | None:
    """`between A and B`: two dates that are named, or what a row begins and ends with."""
    ends = {"comma", "each", "stop", "order"}
    end = next((i for i in range(between, len(draft.links)) if draft.links[i].mark in ends), len(draft.links))
    said = list(range(between + 1, end))
    named = [i for i in said if _dates(draft, i)]
    if len(named) == 2:
        draft.use(between, *named)
        # dates named in either order span the row's own order: `between return and pickup`
        held = {c for i in named for c in draft.links[i].columns}
        pairs = {lasting(draft.scope, draft.scope.context.table(ref)) for ref in {c.table for c in held}}
        ordered = [pair for pair in pairs if pair is not None and set(pair) <= held]
        if len(ordered) == 1:
            return Span(*ordered[0], unit)
        return Span(_date(draft, named[0]), _date(draft, named[1]), unit)
    span = _span(draft, between, unit)
    own = {span.start, span.end}
    for i in said:
        link = draft.links[i]
        told = bool(set(link.columns) & own) or any(t.ref == span.start.table for t in link.tables)
        # another noun between the dates means another time than the row's own
        if not told and link.mark not in {"lasting", "relation"}:
            return None
    draft.use(between, *(i for i in said if draft.links[i].mark == "column"))
    return span


def _of_rows(draft: Draft, at: int, unit: str) -> Span | None:
    """`how many days are lots open`, `how many hours did outages last`."""
    after = _after_verbs(draft, at)
    if after is None:
        return None
    if draft.links[after].mark == "column":
        tables = {c.table for c in draft.links[after].columns}
        pairs = [lasting(draft.scope, draft.scope.context.table(ref)) for ref in tables]
        told = [pair for pair in pairs if pair and set(pair) & set(draft.links[after].columns)]
        if told:
            draft.use(after)
        held = told or [pair for pair in pairs if pair]
        return _doubted(draft, held[0], unit, _UNSAID) if len(held) == 1 else None
    return _span(draft, at, unit) if draft.links[after].mark == "table" else None


def _after_verbs(draft: Draft, at: int) -> int | None:
    verbs = {"relation", "lasting"}
    return next((i for i in range(at + 1, len(draft.links)) if draft.links[i].mark not in verbs), None)


def _longer_than(draft: Draft, at: int) -> None:
    """`stays longer than 3 days`, `lasted more than 5 hours`, `took at most 2 weeks`."""
    link = draft.links[at]
    number = next(
        (i for i in range(at + 1, min(at + 3, len(draft.links))) if draft.links[i].mark == "number"), None
    )
    unit_at = draft.next(number, "seconds") if number is not None else None
    # `longer than 500` without a unit of time is a length
    if number is None or unit_at is None:
        return
    unit = root_unit(draft.links[unit_at].word)
    try:
        span = _span(draft, at, "")
    except Unclear:
        return
    if link.preposition == "in":
        _ends_so(draft, at, span)
    way = link.mark if link.mark in _COMPARED else (">" if link.word in {"longer", "later"} else "<")
    amount = draft.links[number].number
    if span.start.type == span.end.type == "date":
        if unit not in {"day", "week"} or not amount.isdigit():
            raise Unclear(f"{span.start.name} holds days, not {draft.links[unit_at].text}")
        right = str(int(amount) * (7 if unit == "week" else 1))
    else:
        right = f"{amount} {unit}s"
    draft.where.append(Compared(span, way, right))
    draft.use(at, *range(at + 1, unit_at + 1))
    _use_verbs(draft)


def _ends_so(draft: Draft, at: int, span: Span) -> None:
    """`answered in at most 7 days`: the verb is of the end. Raises Unclear."""
    said = [link for link in draft.scope.links if link.mark != "stop"]
    place = next((i for i, link in enumerate(said) if link is draft.links[at]), 0)
    verb = said[place - 1] if place else None
    own = {root(w) for w in draft.scope.words(span.end)}
    if verb is None or not (span.end in verb.columns or root(verb.word) in own):
        raise Unclear(f"it is not clear from when on {draft.links[at].text} is counted")
    # rows without the end have no length; `not answered within 7 days` may include them
    if place > 1 and said[place - 2].mark in {"not", "without"}:
        raise Unclear(f"it is not clear whether what was never {verb.text} is meant, too")
    verb.used = True


# ------------------------------------------------------------------ parts


def root_unit(word: str) -> str:
    return word.removesuffix("s")


def _unit(draft: Draft, at: int) -> str:
    """`in days`: said anywhere behind."""
    found = [i for i in range(at + 1, len(draft.links)) if draft.links[i].mark == "seconds"]
    if len(found) > 1:
        raise Unclear("it is not clear in what the time is to be counted")
    draft.use(*found)
    return root_unit(draft.links[found[0]].word) if found else ""


def _function(draft: Draft, at: int) -> Function | None:
    """The function said beside, used up."""
    found = [
        i
        for i, link in enumerate(draft.links)
        if not link.used and link.mark in FUNCTIONS and (link.mark != "sum" or link.word != "how much")
    ]
    near = [i for i in found if abs(i - at) <= 2 or draft.links[i].word == "on average"]
    if len(near) > 1:
        raise Unclear("it is not clear whether the average, the highest or the sum of a time is wanted")
    draft.use(*near)
    return FUNCTIONS[draft.links[near[0]].mark] if near else None


def _span(draft: Draft, at: int, unit: str) -> Span:
    """The time a row of what is spoken of lasts. Raises Unclear."""
    # the nearest table first: two of them may each last
    near = sorted((abs(i - at), i) for i, o in enumerate(draft.links) if o.mark == "table")
    spoken = list(dict.fromkeys(draft.scope.table(draft.links[i]).ref for _, i in near))
    # `to pay invoices`, one phrase of a column of theirs
    held = [draft.scope.said_table(link) for link in draft.links]
    spoken = spoken or list(dict.fromkeys(table.ref for table in held if table is not None))
    if (pair := _of_both(draft, spoken)) is not None:
        return _doubted(draft, pair, unit, _UNSAID)
    for ref in spoken:
        pair = lasting(draft.scope, draft.scope.context.table(ref))
        if pair is not None:
            return _doubted(draft, pair, unit, _UNSAID)
    beside = {
        pair
        for ref in spoken
        for j in draft.scope.context.joins
        for other in ((j.many.table,) if j.one.table == ref else ())
        if (pair := lasting(draft.scope, draft.scope.context.table(other))) is not None
    }
    # dates of rows that refer to the one spoken of: only `stay` says that they are its own
    stays = any(link.mark == "lasting" and link.word.startswith("stay") for link in draft.links)
    if len(beside) == 1 and stays:
        return _doubted(draft, next(iter(beside)), unit, _UNSAID * _UNSAID)
    raise Unclear("it is not clear between which two dates the time is meant")


def _of_both(draft: Draft, spoken: list[TableRef]) -> tuple[ColumnContext, ColumnContext] | None:
    """`how long do students keep a book`: the dates of the rows that refer to both, not those of either."""
    joins = draft.scope.context.joins
    found = {
        pair
        for table in draft.scope.context.tables
        if table.ref not in spoken
        and len({j.one.table for j in joins if j.many.table == table.ref} & set(spoken)) > 1
        and (pair := lasting(draft.scope, table)) is not None
    }
    return next(iter(found)) if len(found) == 1 else None


def _doubted(draft: Draft, pair: tuple[ColumnContext, ColumnContext], unit: str, worth: float) -> Span:
    said = {root(w) for w in draft.scope.roles}
    told = all(({root(w) for w in draft.scope.words(c)} - DULL) & said for c in pair)
    draft.scope.doubt(
        f"whether the time from {pair[0].name} to {pair[1].name} is meant", 1.0 if told else worth
    )
    return Span(*pair, unit)


def _dates(draft: Draft, at: int) -> bool:
    return draft.links[at].mark == "column" and any(c.kind == "date" for c in draft.links[at].columns)


def _date(draft: Draft, at: int) -> ColumnContext:
    column = draft.scope.column(draft.links[at], ("date",))
    if column.kind != "date":
        raise Unclear(f"{draft.links[at].text} is no date")
    return column


def _use_verbs(draft: Draft) -> None:
    draft.use(*(i for i, link in enumerate(draft.links) if link.mark == "lasting"))
