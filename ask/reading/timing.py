"""Which column says when: a time of the question on a column named beside it, or the only one of the tables
spoken of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    During,
    With,
    Without,
)
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.moment import Moment
from rewright.ask.reading.pairs import lasting
from rewright.ask.reading.sets import several_of_the_first
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.words import listed, root

FOUNDED = frozenset(
    {
        "founded",
        "established",
        "formed",
        "built",
        "opened",
        "released",
        "born",
        "painted",
        "made",
        "published",
        "started",
        "since",
    }
)
"""Columns of numbers that hold years."""


_STATES = {"open", "active", "valid", "running", "current", "live", "alive"}
"""`open in May`, of dates opens_on and closes_on: all that were open then, not those that opened."""
_UNTELLING = frozenset(map(root, listed("date time year by on at to from of in")))
"""Words of dates that a question may hold without speaking of them."""
_ROLLING = 0.95
_BOTH = 0.95
_CAME = 0.75
_OF_ANOTHER = 0.78
_BY_DEED = 0.95
_COMPARES = frozenset((">", "<", ">=", "<=", "="))
_OF_A_PARENT = 0.9
BEGINNING = 0.93
"""The doubt that rows with a beginning and an end are dated by their beginning."""
_COMING = {
    root(w)
    for w in listed(
        "join joined birth born hired hire registered registration signup founded established enrolled "
        "terminated termination fired left signed dropped opened built launched installed since"
    )
}
"""Dates at which people and firms come to be known, not of what they do."""
_OF_LIVES = {root(w) for w in listed("birth born death died deceased")}
"""Dates that are meant only where somebody says so."""
SAME_TIMES = tuple(
    line.split()
    for line in """
joined started registered registration signed signup enrolled enrolment enrollment subscribed subscription \
opened began since hired hire employed start begin
cancelled cancellation ended closed left terminated termination stopped expired churned finished end expiry
ordered placed bought purchased purchase
shipped sent dispatched shipment dispatch
delivered arrived received delivery arrival
published released issued posted publication release
borrowed loaned lent loan
""".strip().splitlines()
)
"""Verbs that say the same of a date."""


def moments(draft: Draft) -> None:
    _in_two_times(draft)
    for at, link in enumerate(draft.links):
        if link.mark == "moment" and not link.used and not _of_what_is_not(draft, at):
            for column in _timed(draft, at):
                assert link.moment is not None
                # PostgreSQL's interval of a month back is no calendar month
                if (link.moment.start or "").startswith("current_date - interval"):
                    draft.scope.doubt("whether whole months or days up to today are meant", _ROLLING)
                draft.where.append(During(column, link.moment))
            draft.use(at)


def _in_two_times(draft: Draft) -> None:
    """`donors who gave both in 2023 and in 2024`, `in 2023 and not in 2024`: rows of each, of one thing."""
    found = [i for i, link in enumerate(draft.links) if link.mark == "moment" and not link.used]
    if len(found) != 2 or draft.links[found[0]].moment == draft.links[found[1]].moment:
        return
    first, last = found
    between = draft.links[first + 1 : last]
    gone = [link for link in between if link.mark == "not"]
    # only `not` may stand between: anything else belongs to one of the two times
    if len(gone) != len(between) or len(gone) > 1 or not (gone or "both" in draft.scope.roles):
        return
    (column, *more) = _timed(draft, first)
    head = several_of_the_first(draft, first, column)
    # one row has one date: without rows of something before it both times cannot be
    if head is None or more:
        raise Unclear(f"nothing is {draft.links[first].text} and {draft.links[last].text}")
    one, other = (During(column, moment) for i in found if (moment := draft.links[i].moment) is not None)
    draft.where.append(With(head, column.table, (one,)))
    draft.where.append((Without if gone else With)(head, column.table, (other,)))
    draft.scope.doubt("both of two times", _BOTH)
    draft.use(*range(first, last + 1))


def _of_what_is_not(draft: Draft, at: int) -> bool:
    """`not sprayed in 2023`: left to the rows that are not there."""
    return (
        at > 1
        and draft.links[at - 2].mark == "without"
        and draft.links[at - 1].mark == "table"
        # what stands before the absence must be there, for rows to be without
        and any(link.mark in {"table", "column"} for link in draft.links[: at - 2])
    )


def date_of(draft: Draft, table: TableContext) -> ColumnContext | None:
    """The date of a table's rows by which they are grouped: its only one, the one that words of the question
    name, or that at which they begin.
    """
    dates = [c for c in draft.scope.times(table) if c.kind == "date"]
    if len(dates) == 1:
        return dates[0]
    # a word of the question that is in just one date's name chooses it
    told = [c for c in dates if _told(draft, 0, c)] or _by_verb(draft, dates)
    if len(told) == 1:
        draft.scope.doubt("which date is meant", 0.95, once=True)
        return told[0]
    # a date that a condition is on already is what the question speaks of
    known = {c.column for c in draft.where if isinstance(c, During)} & set(dates)
    if len(known) == 1:
        return next(iter(known))
    if (happened := draft.scope.happening(dates)) is not None:
        return happened
    pair = lasting(draft.scope, table)
    if pair is not None:
        draft.scope.doubt("which of two dates is meant", BEGINNING, once=True)
        return pair[0]
    return None


def _wanted_too(link: Link) -> bool:
    """`the titles and years of books from before 2020`: to be shown as well."""
    return link.added and " of " in link.word and link.word.split(" of ")[0].endswith("s")


def _timed(draft: Draft, at: int) -> list[ColumnContext]:
    """The columns that say when: one named beside, or the only one of the tables spoken of."""
    moment = draft.links[at].moment
    assert moment is not None
    # of each day or weekday, whatever the date: another kind of column
    if moment.of_each_day:
        return [_at_the_time(draft, at, moment)]
    if (named := _beside(draft, at, moment)) is not None:
        return named
    if (said := _by_which_date(draft, at)) is not None:
        return [said]
    tables = _spoken(draft, at)
    if (compared := _of_the_compared(draft, at)) is not None:
        return [compared]
    if (deed := _of_the_deed(draft, tables)) is not None:
        return [deed]
    if (between := _of_what_joins(draft, tables)) is not None:
        return [between]
    # nearest tables first; one without any times is passed over
    for table in tables:
        if (found := _of_table(draft, at, moment, table, tables)) is not None:
            return found
    if (theirs := _of_what_they_refer_to(draft, tables)) is not None:
        return [theirs]
    raise Unclear(f"nothing in {', '.join(t.ref.name for t in tables) or 'what is spoken of'} says when")


def _beside(draft: Draft, at: int, moment: Moment) -> list[ColumnContext] | None:
    """The column named beside; None where none says when."""
    beside = draft.before(at, "column")
    if beside is None:
        return None
    link = draft.links[beside]
    held = [c for c in link.columns if c.kind == "date" or "year" in draft.scope.words(c)]
    # years may be numbers: `founded in 1990` of an integer column
    if not held and moment.years is not None and moment.whole_years:
        held = [
            c
            for c in link.columns
            if c.type in {"int2", "int4", "int8"} and FOUNDED & set(draft.scope.words(c))
        ]
    # a date that belongs to something else in the sentence says nothing of this moment
    # the date beside may be another verb's: `written by journalists who joined`
    if held and _elsewhere(draft, held, at):
        draft.use(beside)
    elif held:
        column = draft.scope.column(replace(link, columns=tuple(held)))
        # open in May: opened then, or open at any time of it
        if link.word in _STATES and _begins(draft, column):
            raise Unclear(f"it is not clear whether rows are meant that were {link.word} or became so")
        grouped = beside > 0 and draft.links[beside - 1].mark == "each"  # `per month in 2024`
        draft.use(None if grouped or _wanted_too(link) else beside)
        return [column]
    return None


def _of_table(
    draft: Draft, at: int, moment: Moment, table: TableContext, tables: Sequence[TableContext]
) -> list[ColumnContext] | None:
    """The column of one of the tables spoken of; None where it has none."""
    found = draft.scope.times(table)
    # a date of birth beside another one dates nothing that happened
    found = [c for c in found if not of_lives(draft, c)] or found
    months = draft.scope.months(table)
    years = [c for c in found if c.kind == "number"]
    if (
        moment.month
        and months
        and (years or moment.years is None)
        and not any(c.kind == "date" for c in found)
    ):
        return [months[0], *(years[:1] if moment.years is not None else [])]
    # a year of numbers cannot hold a month
    if moment.month and moment.start is not None and not any(c.kind == "date" for c in found):
        return None
    told = [c for c in found if _told(draft, at, c)]
    if not told and len(found) > 1 and (told := _by_verb(draft, found) or _cut(draft, found)):
        draft.scope.doubt("which date a verb is about", 0.95)
    if len(found) == 1 or len(told) == 1:
        # a date of birth dates nothing unless somebody says so
        if not told and {root(w) for w in draft.scope.words(found[0])} & _OF_LIVES:
            if (theirs := _of_what_they_refer_to(draft, tables)) is not None:
                return [theirs]
            raise Unclear(f"it is not clear what is {moment.said}")
        draft.scope.doubt("which date is meant", 1.0 if told else 0.97)
        # a date of joining beside another table that may be what happened
        came = {root(w) for w in draft.scope.words(found[0])} & _COMING or draft.scope.audits(found[0])
        if len(tables) > 1 and not told and came:
            draft.scope.doubt("whether a time is when they came or what they did", _CAME)
        elif not told and any(_also_happens(draft, t) for t in tables if not _refers(draft, table, t)):
            draft.scope.doubt("which of two tables' dates is meant", _OF_ANOTHER)
        return told or found
    # of a beginning and an end, the beginning dates a row
    starts = [c for c in found if {"start", "begin", "from"} & set(draft.scope.words(c))]
    if len(found) == 2 and len(starts) == 1:
        draft.scope.doubt("which of two dates is meant", 0.95)
        return starts
    if len(found) > 1 and (happened := draft.scope.happening(found)) is not None:
        return [happened]
    if len(found) > 1 and (pair := lasting(draft.scope, table)) is not None:
        draft.scope.doubt("which of two dates is meant", BEGINNING, once=True)
        if len(tables) > 1 and {root(w) for w in draft.scope.words(pair[0])} & _COMING:
            draft.scope.doubt("whether a time is when they came or what they did", _CAME)
        return [pair[0]]
    # several dates and no word to choose: a guess would be a different answer each time
    if len(found) > 1:
        raise Unclear(f"{moment.said} may be said of: {', '.join(c.name for c in found)}")
    return None


_TIMED = {"timestamp", "timestamptz", "time", "timetz"}


def _at_the_time(draft: Draft, at: int, moment: Moment) -> ColumnContext:
    """The column that a time or a kind of day is of: of those that hold such the one that words name, else
    the one at which things begin. Raises Unclear.
    """
    beside = draft.before(at, "column")
    tables = _spoken(draft, at)

    def held(column: ColumnContext) -> bool:
        return column.type in _TIMED if moment.clock else column.kind == "date"

    named = [c for c in draft.links[beside].columns if held(c)] if beside is not None else []
    if len(named) == 1:
        draft.use(beside)
        return named[0]
    for table in tables:
        found = [c for c in table.columns if held(c)]
        told = [c for c in found if _told(draft, at, c)] or _by_verb(draft, found) or _cut(draft, found)
        if not told and found and only_came(draft, table):
            continue  # `clients on weekends`, of clients with a date since when
        if len(found) == 1 or len(told) == 1:
            return (told or found)[0]
        # of two times of day the beginning is when it was
        pair = lasting(draft.scope, table)
        if pair is not None and held(pair[0]):
            draft.scope.doubt("which of two dates is meant", BEGINNING, once=True)
            return pair[0]
        if found:
            raise Unclear(f"{moment.said} may be said of: {', '.join(c.name for c in found)}")
    raise Unclear(f"nothing that is spoken of says what was {moment.said}")


def _cut(draft: Draft, dates: Sequence[ColumnContext]) -> list[ColumnContext]:
    """`requested`, of a date `req_ts`."""
    verbs = [w for w in draft.scope.roles if w.endswith("ed")]
    words = {c: draft.scope.words(c) for c in dates}
    return [c for c in dates if any(cut_from(verb, w) for verb in verbs for w in words[c])]


def _of_the_deed(draft: Draft, tables: Sequence[TableContext]) -> ColumnContext | None:
    """`students who borrowed 3 books in May`: the date that the verb names, of rows that refer to both."""
    refs = {t.ref for t in tables}
    said = {root(w) for w in draft.scope.roles if w.endswith("ed")}
    # a date of the tables themselves is named, so no other row is needed
    if any(_told(draft, 0, c) for t in tables for c in draft.scope.times(t)):
        return None
    joins = draft.scope.context.joins
    found = [
        c
        for t in draft.scope.context.tables
        # rows that refer to two of the spoken tables are what happened between them
        if t.ref not in refs and len({j.one.table for j in joins if j.many.table == t.ref} & refs) > 1
        for c in t.columns
        if c.kind == "date" and ({root(w) for w in draft.scope.words(c)} - _UNTELLING) & said
    ]
    if len(found) != 1:
        return None
    draft.scope.doubt("which date a verb is about", _BY_DEED)
    return found[0]


def _of_what_joins(draft: Draft, tables: Sequence[TableContext]) -> ColumnContext | None:
    """`students who took Genetics in 2021`, of enrolments with a year: the rows that refer to both, where
    neither happens itself.
    """
    refs = {t.ref for t in tables}
    # either of the spoken tables happens itself, so its own date is nearer
    if any(draft.scope.times(t) and not _lives(draft, t) for t in tables):
        return None
    joins = draft.scope.context.joins
    found = [
        c
        for t in draft.scope.context.tables
        if t.ref not in refs and len({j.one.table for j in joins if j.many.table == t.ref} & refs) > 1
        for c in draft.scope.times(t)
    ]
    if len(found) != 1:
        return None
    draft.scope.doubt("which date is meant", _BY_DEED)
    return found[0]


def _of_the_compared(draft: Draft, at: int) -> ColumnContext | None:
    """`patients whose uric acid was above 6.5 in 1992`, of tests with a date: when it was so."""
    back = [i for i in range(at - 1, -1, -1) if draft.links[i].mark != "relation"][:3]
    if [draft.links[i].mark for i in back[:1]] != ["number"] or len(back) < 3:
        return None
    compared, column = draft.links[back[1]], draft.links[back[2]]
    if compared.mark not in _COMPARES or column.mark != "column" or not _one_table(column.columns):
        return None
    if any(c.kind != "number" for c in column.columns):
        return None
    dates = draft.scope.times(draft.scope.context.table(column.columns[0].table))
    if len(dates) != 1 or of_lives(draft, dates[0]):
        return None
    draft.scope.doubt("which date is meant", _BY_DEED)
    return dates[0]


def _of_what_they_refer_to(draft: Draft, tables: Sequence[TableContext]) -> ColumnContext | None:
    """`points of each constructor in 2009`, of results that each are of one race: the only thing they refer
    to that happens at a time.
    """
    refs = {t.ref for t in tables}
    led = {ref for t in tables for ref in draft.scope.told_by(t.ref)} - refs
    held = [(t, draft.scope.times(t)) for t in map(draft.scope.context.table, led)]
    found = [
        dates[0]
        for t, dates in held
        if len(dates) == 1 and not only_came(draft, t) and not of_lives(draft, dates[0])
    ]
    # another one with several dates may be meant as well
    several = any(len(dates) > 1 and not _lives(draft, t) for t, dates in held)
    if len(found) != 1 or several:
        return None
    draft.scope.doubt("whose date is meant", _OF_A_PARENT)
    return found[0]


def _lives(draft: Draft, table: TableContext) -> bool:
    """Whether its only times are those of a life, of which nobody speaks."""
    # a table with a date of birth alone never happens
    return all(of_lives(draft, c) for c in draft.scope.times(table))


def of_lives(draft: Draft, column: ColumnContext) -> bool:
    """Whether a date is of a life, and nobody speaks of it."""
    return bool({root(w) for w in draft.scope.words(column)} & _OF_LIVES) and not _told(draft, 0, column)


def _refers(draft: Draft, table: TableContext, other: TableContext) -> bool:
    """Whether each row of a table has one of another at most: its own date is when that took place."""
    return other.ref in draft.scope.told_by(table.ref)


def _also_happens(draft: Draft, table: TableContext) -> bool:
    """Whether rows of a table have a date of what happens to them, not of when they came to be known."""
    # dates that audit the row say nothing of what happens
    dates = [c for c in draft.scope.times(table) if c.kind == "date" and not draft.scope.audits(c)]
    return any(not {root(w) for w in draft.scope.words(c)} & (_COMING | _OF_LIVES) for c in dates)


def _by_which_date(draft: Draft, at: int) -> ColumnContext | None:
    """`for each shop in 2022, by order date`: behind another group it says which date is in 2022."""
    # within a few words behind, or it belongs to another clause
    ends = [link for link in draft.links[at + 1 : at + 5] if link.mark != "stop"]
    marks = [link.mark for link in ends]
    grouped = any(link.mark == "each" for link in draft.links[:at])
    if marks != ["comma", "each", "column"] or ends[1].word != "by" or not grouped:
        return None
    if any(c.kind != "date" for c in ends[2].columns):
        return None
    draft.use(at + 2, at + 3)
    draft.scope.doubt("which date is meant", BEGINNING)
    return draft.scope.column(ends[2], ("date",))


def _begins(draft: Draft, column: ColumnContext) -> bool:
    """Whether a row has a date of its end beside this one."""
    pair = lasting(draft.scope, draft.scope.context.table(column.table))
    return pair is not None and column in pair


def _elsewhere(draft: Draft, held: Sequence[ColumnContext], at: int) -> bool:
    """`subscribers who joined in May`, where journalists have a date `joined` and subscribers one that says
    the same.
    """
    spoken = [o.tables[0] for o in reversed(draft.links[:at]) if o.mark == "table"]
    if not spoken or any(c.table == t.ref for c in held for t in spoken):
        return False
    return bool(_by_verb(draft, draft.scope.times(spoken[0])))


def _spoken(draft: Draft, at: int) -> list[TableContext]:
    near = sorted(
        (i for i, o in enumerate(draft.links) if o.tables and o.mark in {"table", "relation"}),
        # nearer counts, and of two as near the one before: `orders in May of customers`
        key=lambda i: abs(i - at) + (i > at) / 2,
    )
    named = {i: table for i, o in enumerate(draft.links) if (table := draft.scope.said_table(o)) is not None}
    near = sorted({*near, *named}, key=lambda i: abs(i - at) + (i > at) / 2)
    found = [named.get(i) or draft.links[i].tables[0] for i in near]
    # a verb that names a date (`ordered`, of projects with an ordered_on) speaks of its rows
    owners = [
        o.columns[0].table
        for o in (*draft.links, *(o for o in draft.scope.links if o.mark == "relation"))
        if o.mark in {"column", "relation", "defined"} and o.columns and _one_table(o.columns)
    ]
    valued = [tuple(c for c, _ in o.values) for o in draft.links if o.mark == "value"]
    owners += [columns[0].table for columns in valued if _one_table(columns)]
    owners += draft.scope.refs()
    tables = list({t.ref: t for t in [*found, *map(draft.scope.context.table, owners)]}.values())
    # `customers who made a transaction in May`: what happened then, unless a verb says when they came
    # nor is `trips from each station in May` about the stations
    grouped = {b.tables[0].ref for a, b in pairwise(draft.links) if a.mark == "each" and b.mark == "table"}
    # tables that only came to be, and groups, last: what happens is dated first
    return sorted(tables, key=lambda table: (only_came(draft, table), table.ref in grouped))


def _one_table(columns: Sequence[ColumnContext]) -> bool:
    return len({c.table for c in columns}) == 1


def only_came(draft: Draft, table: TableContext) -> bool:
    """Whether the dates of a table's rows only tell when they came to be, and no word speaks of that."""
    dates = draft.scope.times(table)
    return bool(dates) and all(
        ({root(w) for w in draft.scope.words(c)} & _COMING or draft.scope.audits(c))
        and not _told(draft, 0, c)
        for c in dates
    )


def _by_verb(draft: Draft, dates: list[ColumnContext]) -> list[ColumnContext]:
    """`members who joined in May` of members with dates `started` and `cancelled`."""
    # words of the table itself do not choose one of its dates
    own = {root(w) for c in dates for w in draft.scope.words(draft.scope.context.table(c.table))}
    said = {root(w) for w in draft.scope.roles} - own
    kinds = [{root(w) for w in verbs} for verbs in SAME_TIMES]
    asked = [kind for kind in kinds if kind & said]
    found = [c for c in dates if any({root(w) for w in draft.scope.words(c)} & kind for kind in asked)]
    # two kinds of verbs, or two dates of a kind, choose none
    return found if len(asked) == 1 and len(found) == 1 else []


def _told(draft: Draft, at: int, column: ColumnContext) -> bool:
    """Words near the moment, or of its table's rows, name the column: `joined`, `hired`, `treatments
    started`.
    """
    said = {root(w) for w in draft.scope.roles}
    own = {root(w) for w in draft.scope.words(column)} - _UNTELLING
    del at
    named = any(link.mark == "column" and link.columns == (column,) for link in draft.links)
    return named or bool(own & said)
