"""What is measured from one time to the next: running totals, changes against the period or year before.

Owns these forms. A question is grouped by the period first, as any other; then its measure is added up or
compared. Raises Unclear where there is not just one measure and one period.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    Aggregate,
    Change,
    Column,
    Condition,
    Difference,
    During,
    Expression,
    Part,
    Ratio,
    Running,
)
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.moments import Moment, moment_at
from rewright.ask.reading.phrases import parted
from rewright.ask.reading.words import tokens

_UNIT = r"(?:year|quarter|month|week|day)"
_OVER = re.compile(
    rf"\b(?P<unit>{_UNIT})[- ](?:over|on|to|by)[- ](?P=unit)\b|\b(?P<short>[YMQ]o[YMQ])\b"
    rf"|\b(?:compared (?:to|with)|against|versus|vs\.?|relative to|over|from) the "
    rf"(?:(?:previous|prior|preceding) (?P<before>{_UNIT})|(?P<after>{_UNIT}) before)\b"
)
_SHORT = {"yoy": "year", "mom": "month", "qoq": "quarter"}
_CHANGED = (
    r"(?:change|changed|grow|grown|increase|increased|rise|risen|fall|fallen|drop|dropped|decrease|decreased"
    r"|evolve|evolved|develop|developed)"
)
_WHAT = rf"(?:did|has|have) (?P<what>.+?) {_CHANGED} (?P<rest>(?:from|between) .+)$"
_GREW = re.compile(rf"^(?:by )?how (?:much )?{_WHAT}", re.IGNORECASE)
_BY_WHAT = re.compile(rf"^by (?:what|how many) (?:percentage|percent|per ?cent) {_WHAT}", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?P<way>oldest|newest|earliest|latest|most recent|youngest|cheapest|longest|shortest) \w+ first\b",
    re.IGNORECASE,
)
_MEASURED_FIRST = re.compile(
    r"(?:\bwith )?\b(?:the )?(?P<way>highest|lowest|largest|smallest|biggest) "
    r"(?!number\b|to\b)(?P<what>\w+) first\b",
    re.IGNORECASE,
)
_ALSO_RUNNING = re.compile(
    r"\b(?:and|with|plus|also) (?:also )?(?:the |a |an |its |their )?"
    r"(?:running|cumulative|accumulated) (?:total|sum|count|number)s?"
    r"(?: of (?:them|it|that|those|these))?(?= (?:over|by|in|sorted|ordered|order|from)\b|$)"
)
"""`orders per year, and the running total`: both."""
# lag and window forms compare with the row before, which is the period before only if none is missing
_DOUBT = 0.93
_BETWEEN = {"compare", "count", "comma", "relation", "than"}
# growth is said in percent as often as in numbers
_GROWTH = 0.8


def said_plainly(question: str) -> str:
    """`How did A change from B to C?` as `change in A from B to C`; `against the month before` as
    `month-over-month`.
    """
    question = _FIRST.sub(r"\g<way> first", question)
    question = _MEASURED_FIRST.sub(r"ordered by \g<what>, \g<way> first", question)
    question = _BY_WHAT.sub(r"percent change in \g<what> \g<rest>", question)
    question = _GREW.sub(r"change in \g<what> \g<rest>", question)
    # after the others, as they move words that this one looks for
    return _OVER.sub(_over, question)


def _over(match: re.Match[str]) -> str:
    found = match.groupdict()
    # a short form is `YoY` alone; of the rest one group has matched
    unit = _SHORT.get((found["short"] or "").lower()) or found["unit"] or found["before"] or found["after"]
    return match[0] if unit is None else f"{unit}-over-{unit}"


def periods(draft: Draft) -> None:
    """Takes the words; what they do is done once the measure is known, by `measured_over`."""
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if link.mark == "running":
            draft.over = "running"
            draft.use(at)
        elif link.mark == "over":
            draft.unit = link.word.partition("-")[0]
            draft.over = draft.over or "change"
            draft.use(at)
        elif link.mark == "change":
            percent = draft.before(at, "percent")
            draft.over = "percent" if percent is not None or "percent" in link.word else "change"
            # `growth` may be a difference or a rate
            if draft.over == "change" and "growth" in link.word:
                draft.scope.doubt("whether growth is meant in percent", _GROWTH)
            draft.use(at, percent)
    if draft.over in {"change", "percent"}:
        _two_times(draft)
    if not draft.over:
        _times_beside(draft)


def _times_beside(draft: Draft) -> None:
    """`compare the claims of 2022 with those of 2023`, `how many in 2022 and how many in 2023`: a measure for
    each of two times.
    """
    _years_compared(draft)
    found = [i for i, link in enumerate(draft.links) if link.mark == "moment" and not link.used]
    compared = [i for i, link in enumerate(draft.links) if link.mark == "compare" and not link.used]
    # two times exactly: with three it is not clear which of them are compared
    if len(found) != 2:
        return
    between = range(found[0] + 1, found[1])
    again = [i for i in between if draft.links[i].mark == "count"]
    # anything else between the two belongs to one of them, and the other would lose it
    if not (compared or again) or any(draft.links[i].mark not in _BETWEEN for i in between):
        return
    first, last = (draft.links[i].moment for i in found)
    if first is None or last is None or first == last:
        return
    draft.times, draft.over = (first, last), "beside"
    draft.use(found[1], *compared, *again)


def _years_compared(draft: Draft) -> None:
    """`in 2022 vs 2023`: the second is a year too."""
    for at, link in enumerate(draft.links):
        before = draft.links[at - 1].mark if at else ""
        if link.mark == "number" and before == "compare" and at > 1 and draft.links[at - 2].mark == "moment":
            made = moment_at(tokens(f"in {link.text}"), 0)
            if made is not None and made[0].whole_years:
                link.mark, link.moment = "moment", made[0]


def _two_times(draft: Draft) -> None:
    """`from 2022 to 2023`: two times that are compared, not one that reaches from one to the other."""
    # with a period (`month over month from May to July`) the times bound the rows
    if draft.unit:
        return
    at = next((i for i, link in enumerate(draft.links) if link.mark == "moment" and not link.used), None)
    found = _parts(draft.links[at].text) if at is not None else None
    if at is None or found is None:
        return
    draft.times = found
    # the first time only, for the condition to be made; the other is set beside it later
    draft.links[at].moment = found[0]


def _parts(said: str) -> tuple[Moment, Moment] | None:
    match = re.fullmatch(r"(?:from|between) (.+?) (?:to|and|until) (.+)", said, re.IGNORECASE)
    parts = [f"in {match[1]}", f"in {match[2]}"] if match else []
    made = [moment_at(tokens(part), 0) for part in parts]
    if len(made) != 2 or made[0] is None or made[1] is None:
        return None
    return made[0][0], made[1][0]


def measured_over(draft: Draft) -> None:
    """Does what `periods` took note of to the measure. Raises Unclear."""
    if not draft.over:
        return
    if not any(aggregates_of(e) for _, e in draft.outputs):
        draft.outputs = [(p, _added_up(e)) for p, e in draft.outputs]
    measures = [(p, e) for p, e in draft.outputs if aggregates_of(e)]
    # two measures, or none: each change would need its own
    if len(measures) != 1:
        raise Unclear("it is not clear of what the change or the running total is wanted")
    place, measure = measures[0]
    draft.scope.doubt("what is measured from one time to the next", _DOUBT)
    # two times need no window: one measure for each, in one row
    if draft.times is not None:
        _between_times(draft, measure)
        return
    by: Expression | None = next((g for g in draft.groups if isinstance(g, Part)), None)
    if by is None and draft.unit:
        by = parted(draft, draft.unit, 0)
        draft.groups.append(by)
        draft.outputs.append((-1, by))
    # grouped by years and compared by months: the row before is none of that unit
    if by is None or (draft.unit and isinstance(by, Part) and by.unit != draft.unit):
        raise Unclear("it is not clear from which time to which the change or the running total is wanted")
    within = tuple(g for g in draft.groups if g != by)
    made: Expression
    if draft.over == "running":
        made = Running(measure, by, within)
        if _ALSO_RUNNING.search(" ".join(draft.scope.roles)):
            draft.outputs.append((place, made))
        else:
            draft.outputs = [(p, made if e == measure else e) for p, e in draft.outputs]
    else:
        made = Change(measure, by, within, percent=draft.over == "percent")
        draft.outputs.append((place, made))
    # a window without the order shown would look like random numbers
    draft.order = draft.order or [(g, "asc") for g in (*within, by) if g in {e for _, e in draft.outputs}]


def _added_up(expression: Expression) -> Expression:
    """`the running total of cost`."""
    if isinstance(expression, Column) and expression.column.kind == "number" and not expression.column.key:
        return Aggregate("sum", expression.column)
    return expression


def _between_times(draft: Draft, measure: Expression) -> None:
    """The measure at the later time less that at the earlier."""
    # the condition made for the first time tells which date is compared
    held = next((c for c in draft.where if isinstance(c, During) and c.moment in (draft.times or ())), None)
    if draft.times is None or held is None or not isinstance(measure, Aggregate):
        raise Unclear("it is not clear between which times the change is wanted")
    # taken from WHERE, as each measure has its own time in FILTER
    draft.where.remove(held)
    if draft.over == "beside":
        apart = [_at(measure, replace(held, moment=moment)) for moment in draft.times]
        draft.outputs = [(p, made) for p, e in draft.outputs for made in (apart if e == measure else [e])]
        return
    first, last = (_at(measure, replace(held, moment=moment)) for moment in draft.times)
    made: Expression = Difference(last, first)
    if draft.over == "percent":
        made = Ratio(made, first, percent=True)
    draft.outputs = [(p, made if e == measure else e) for p, e in draft.outputs]


def _at(measure: Aggregate, when: Condition) -> Aggregate:
    return replace(measure, where=(*measure.where, when))
