"""A follow-up changes the reading before it: a condition more, another group, another limit.

Owns telling a follow-up from a question of its own, and the change. Must not know SQL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rewright.ask.reading.asked_again import LISTED, OF_THEM, SHORT, asked_again, listed, of_them, with_number
from rewright.ask.reading.conditions import conditions
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.grouping import groups
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Condition,
    During,
    Expression,
    Intent,
    Known,
    OneOf,
    Spelled,
)
from rewright.ask.reading.intent_parts import aggregates_of, columns_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.moments import Moment, moment_at
from rewright.ask.reading.ordering import order, settle
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.states import denied
from rewright.ask.reading.superlatives import superlatives
from rewright.ask.reading.words import tokens
from rewright.sql.algebra import TableRef

_OPENINGS = re.compile(
    r"^\s*(?:(?:and|but|now|then|ok|okay|also|so|please|show me|only|just|what about|how about|what "
    r"if|same|again|instead|make it|"
    r"break (?:it|that|this|them) down|group (?:it|that|this|them)|sort (?:it|that|this|them)|order "
    r"(?:it|that|this|them)|limit (?:it|that|this|them)|"
    r"for|by|in|per|without|except|excluding|the same)\b[\s,]*)+",
    re.IGNORECASE,
)
# words that point back at the answer before and say nothing for themselves
_REST = re.compile(
    r"\b(?:instead|too|as well|again|please|it|that|this|them|those|only|just|down|to)\b", re.IGNORECASE
)
# `and/or` within a question opens nothing
_SORTS = re.compile(r"\b(?:sort|order)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"^\s*(?:and|but|also|or)\b(?!\s*/)", re.IGNORECASE)
# longer sentences have all they need and stand by themselves
_MOST_WORDS = 12
_LOOSE = {"comma", "stop", "relation", "return", "than", "there", "named", "distinct"}


def follows(question: str) -> bool:
    """Whether a question can only be read after another: `and only for 2009?`, `what about Italy?`, `now by
    year`, `top 3`.
    """
    words = question.split()
    return 0 < len(words) <= _MOST_WORDS and bool(
        _OPENINGS.match(question)
        or OF_THEM.match(question)
        or SHORT.match(question)
        or LISTED.match(question)
        or re.match(r"\s*(?:the )?top \w+\W*$", question, re.IGNORECASE)
    )


def goes_on(question: str) -> bool:
    """Whether it says nothing by itself: `and in Canada?`, where what it follows up was not answered."""
    return bool(_GOES_ON.match(question))


def kept_words(question: str) -> str:
    """The follow-up without the words that only say that it is one."""
    opening = _OPENINGS.match(question)
    start = opening.group(0) if opening else ""
    # prepositions that open the change itself are kept: `for 2009`, `by year`
    prepositions = re.findall(r"\b(?:for|by|in|per|without|except|excluding)\b", start, re.IGNORECASE)
    rest = _REST.sub(" ", OF_THEM.sub("", question[len(start) :]))
    if prepositions[-1:] == ["by"] and _SORTS.search(start):
        # `sort it by year` sorts; a bare `by year` would group
        prepositions = ["sorted by"]
    return " ".join([*prepositions[-1:], *rest.split()])


def changed(previous: Intent, links: Sequence[Link], scope: Scope, question: str) -> Intent:
    """The intent before with what the follow-up, as it was asked, says. Raises Unclear."""
    # tables of the reading before are mentioned: `and the cheapest?` finds its columns there
    for column in [c for e in (*previous.outputs, *previous.groups, *previous.where) for c in columns_of(e)]:
        table = scope.context.table(column.table)
        if table not in scope.mentioned:
            scope.mentioned.append(table)
    counted = [m.of for e in previous.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)]
    refs = [of if isinstance(of, TableRef) else of.table for of in counted]
    for ref in (*([previous.head] if previous.head else []), *refs):
        table = scope.context.table(ref)
        if table not in scope.mentioned:
            # what is shown or counted comes first, as it is what `them` means
            scope.mentioned.insert(0, table)
    if LISTED.match(question):
        return listed(previous, scope)
    said = [link for link in links if link.mark not in {"stop", "comma", "relation"}]
    # a bare number changes a number said before; only where it cannot be a year
    if len(said) == 1 and said[0].mark == "number" and not _maybe_year(said[0], previous):
        return with_number(previous, said[0].number)
    if (
        len(said) == 1
        and said[0].mark == "number"
        and (again := _another_year(previous, said[0])) is not None
    ):
        return again
    _contraries(links, scope)
    unknown = [link.text for link in links if link.mark in {"unknown", "unread"}]
    # a new word that the data does not hold may be the whole point of the follow-up
    if unknown:
        raise Unclear(f"the data does not say, or not in these words: {', '.join(unknown)}")
    them = OF_THEM.match(question)
    if them is None and (again := asked_again(previous, links, scope)) is not None:
        return again
    # after `asked_again`: there a verb asks for a date, here it is a condition
    _done(links, scope)
    draft = Draft([link for link in links if link.mark not in {"relation", "return", "there"}], scope)
    _years(draft)
    conditions(draft)
    order(draft)
    limit = _limit(draft, previous)
    # `top 3` repeats the order before, so no superlative needs to be found
    if not limit:
        superlatives(draft)
    groups(draft)
    added, draft.outputs = draft.outputs, list(enumerate(previous.outputs))
    # settled with the outputs before in place: doubts about them were raised when they were shown
    settle(draft)
    draft.outputs = added
    left = [
        link.text for link in draft.links if not link.used and link.mark not in _LOOSE | {"first", "last"}
    ]
    if left:
        raise Unclear(f"it is not clear what is meant by {', '.join(left)}")
    if them is not None:
        return of_them(previous, them["what"].lower(), draft)
    # nothing was added: the words were read as grammar only, which changes nothing
    if not (draft.where or draft.groups or draft.order or limit or draft.limit):
        raise Unclear("it is not clear what is to be changed")
    return _merged(previous, draft, limit)


def _maybe_year(link: Link, previous: Intent) -> bool:
    """`and 2009?`: a year, unless a number of that size was said before."""
    # a limit makes `and 2009?` just as well another number of rows
    return len(link.number) == 4 and link.number[:2] in {"18", "19", "20"} and not previous.limit


def _another_year(previous: Intent, link: Link) -> Intent | None:
    """`and 2022?` after 2023."""
    made = moment_at(tokens(f"in {link.text}"), 0)
    dated = [c for c in previous.where if isinstance(c, During) and c.moment.years is not None]
    # two times, or open ones (`since 2020`), would not be replaced by one year
    if made is None or len(dated) != 1 or not _one_year(dated[0].moment) or not _one_year(made[0]):
        return None
    now = replace(dated[0], moment=made[0])
    return replace(previous, where=tuple(now if c == dated[0] else c for c in previous.where))


def _one_year(moment: Moment) -> bool:
    """A year and nothing else: not since one, nor until one."""
    closed = moment.start is not None and moment.end is not None and moment.years is not None
    return closed and moment.whole_years and len(set(moment.years or ())) == 1


def _contraries(links: Sequence[Link], scope: Scope) -> None:
    """`and the public ones?`, of what is private or not; `and unpaid?`"""
    spoken = {table.ref for table in scope.mentioned}
    for link in links:
        held = tuple(c for c in denied(link, scope) if c.table in spoken)
        # a flag that two spoken tables have: neither may be turned round
        if len(held) == 1:
            link.mark, link.columns, link.fits = "undone", held, {}


def _done(links: Sequence[Link], scope: Scope) -> None:
    """`only the ones that are retired`, of what has a date retired_on that most lack."""
    spoken = {table.ref for table in scope.mentioned}
    for link in links:
        if link.mark not in {"relation", "column"} or not link.word.endswith("ed"):
            continue
        held = [c for c in link.columns if c.table in spoken and c.kind == "date" and c.nulls]
        if len(held) == 1:
            link.mark, link.columns, link.fits = "done", (held[0],), {}


def _years(draft: Draft) -> None:
    """`only for 2009`: a year by itself, after what has years."""
    for at, link in enumerate(draft.links):
        if link.mark == "number" and not link.used and len(link.number) == 4 and len(draft.links) == 1:
            for table in draft.scope.mentioned:
                years = [c for c in draft.scope.times(table) if c.kind == "number"]
                if len(years) == 1:
                    draft.where.append(OneOf(years[0], (link.number,)))
                    draft.use(at)
                    return


def _limit(draft: Draft, previous: Intent) -> int:
    """`top 3` of what was ordered or measured before."""
    for at, link in enumerate(draft.links):
        number = draft.next(at, "number") if link.mark in {"first", "last"} else None
        last = number is not None and all(o.mark == "stop" for o in draft.links[number + 1 :])
        if number is not None and last and draft.links[number].number.isdigit():
            measured = [e for e in previous.outputs if aggregates_of(e)]
            # the top of an unordered list is whatever comes first
            if not previous.order and not measured:
                raise Unclear("it is not clear by what the top is to be found")
            draft.use(at, number)
            # ranked by what was measured, as nothing else could order the rows
            if not previous.order:
                draft.order.append((measured[0], "desc" if link.mark == "first" else "asc"))
            return int(draft.links[number].number)
    return 0


def _merged(previous: Intent, draft: Draft, limit: int) -> Intent:
    where: list[Condition] = [c for c in previous.where if not any(_replaces(new, c) for new in draft.where)]
    added = [g for g in draft.groups if g not in previous.groups]
    # a list has rows for each group already; grouping it would show the same rows
    if added and not any(aggregates_of(e) for e in previous.outputs):
        raise Unclear("groups without a measure")
    shown: tuple[Expression, ...] = previous.outputs
    grouped: tuple[Expression, ...] = previous.groups
    # new groups replace the old ones: the measures are what stays
    if added:
        measures = tuple(e for e in previous.outputs if aggregates_of(e))
        new = [e for _, e in draft.outputs] or [g for g in added if isinstance(g, Column)]
        shown, grouped = (*dict.fromkeys(new), *measures), tuple(added)
    order = tuple((_as_measured(e, shown, grouped), way) for e, way in draft.order)
    return replace(
        previous,
        outputs=shown,
        groups=grouped,
        where=(*where, *draft.where),
        having=(*previous.having, *draft.having),
        # an order or limit of other groups says nothing of the new ones
        order=order or (() if added else previous.order),
        limit=limit or draft.limit or (0 if added else previous.limit),
        ties=False if limit or added else previous.ties,
    )


def _as_measured(by: Expression, shown: Sequence[Expression], groups: Sequence[Expression]) -> Expression:
    """`sort it by wage` after the average wage per job: by that average. Raises Unclear."""
    measures = [e for e in shown if aggregates_of(e)]
    # ordering groups by a column that is no group is an error in SQL
    if not isinstance(by, Column) or not measures or by in (*shown, *groups):
        return by
    told = [e for e in measures if by.column in columns_of(e)]
    if len(told) != 1:
        raise Unclear(f"it is not clear which {by.column.name} of a group is meant")
    return told[0]


def _replaces(new: Condition, old: Condition) -> bool:
    """`what about Italy?` after Spain: another value of the same column, another time."""
    if isinstance(new, During) and isinstance(old, During):
        # two times replace one another only if both are points in time or both hours of the day
        return new.column == old.column and new.moment.of_each_day == old.moment.of_each_day
    if isinstance(new, Known) and isinstance(old, Known):
        return new.column == old.column  # `and public ones?` after the private
    return isinstance(new, OneOf | Spelled) and isinstance(old, OneOf | Spelled) and new.column == old.column
