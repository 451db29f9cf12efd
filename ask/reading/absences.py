"""What is not there: `without orders`, `no birth date`, `not from Rome`."""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.comparisons import table_before
from rewright.ask.reading.contraries import counting_head, either_behind
from rewright.ask.reading.defined import contrary_of, tests_of
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Condition, During, Known, OneOf, Without
from rewright.ask.reading.intent_parts import columns_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.values import column_of_value
from rewright.ask.reading.words import root
from rewright.sql.algebra import TableRef

_VALUE_OR_DONE = 0.75
_SAID_OF_GONE = 0.95
# how data says in a column that never is null that there is none
_NONE = frozenset(("none", "no", "n/a", "na", "nil", "nothing", "-", "--", ""))


def without(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.mark != "without" or link.used:
            continue
        # a verb may stand between: `without having bought a ticket`
        after = next(
            (i for i in range(at + 1, min(at + 3, len(draft.links))) if draft.links[i].mark != "relation"),
            None,
        )
        target = draft.links[after] if after is not None else None
        if target is None or after is None:
            raise Unclear(f"it is not clear what is meant by {link.text}")
        if target.mark == "table":
            _no_rows(draft, at, after)
        elif target.mark == "defined":
            _not_defined(draft, at, after)
        elif target.mark == "undone" and (kept := _keeping(draft, at, target.columns[0].table)) is not None:
            # `clients without unpaid invoices`
            column = target.columns[0]
            draft.where.append(Without(kept, column.table, (Known(column, negated=True),)))
            draft.use(after, draft.next(after, "table"))
        elif target.mark == "value" and (date := _date_never(draft, link, target)) is not None:
            draft.where.append(Known(date, negated=True))
            draft.use(after)
        elif target.mark in {"value", "quoted"}:
            # no rows to be absent: the value is one of the row's own, and the reader of values turns it round
            if not _no_such_rows(draft, at, after):
                target.fits["negated"] = 1.0
        elif (value := _value_of_it(draft, at, after)) is not None:
            draft.links[value].fits["negated"] = 1.0
        elif target.mark in {"column", "done"}:
            column = draft.scope.column(target)
            # `shops without parking`, a flag of their branches: none of those has it
            kept = _keeping(draft, at, column.table) if column.kind == "boolean" else None
            if kept is not None:
                draft.where.append(Without(kept, column.table, (Known(column),)))
                draft.use(at, after)
                _said_of_them(draft, after, kept, column.table)
                continue
            # a key cannot be null, so its absence can only be that of its row
            if not column.key and (kept := _keeping(draft, at, column.table)) is not None:
                # `objects that were never lent`, of loans with a date lent_on: no loan of theirs
                # a loan with an empty date does not count as lent; where none is empty the row alone tells it
                had = (Known(column),) if column.nulls else ()
                draft.use(at, after)
                had = (*had, *_what_is_gone(draft, after, draft.scope.context.table(column.table)))
                draft.where.append(Without(kept, column.table, had))
                continue
            # `not approved` of a text approved_by: who, whether, or which is not said
            if column.kind == "text" and target.word.endswith("ed"):
                raise Unclear(f"it is not clear what of {column.table.name} was not {target.text}")
            draft.where.append(none_said(column) or Known(column, negated=True))
            draft.use(after)
        else:
            raise Unclear(f"it is not clear what is meant by {link.text} {target.text}")
        draft.use(at)


def _value_of_it(draft: Draft, at: int, after: int) -> int | None:
    """`huts that are not in canton Uri`: the value behind the column, which those rows have another of."""
    value = draft.next(after, "value", "quoted")
    if value is None or draft.links[after].mark != "column":
        return None
    of = {c for c, _ in draft.links[value].values} & set(draft.links[after].columns)
    # of rows that refer to those before, some may have it and others not
    return value if len(of) == 1 and not _multiplied(draft, at, next(iter(of)).table) else None


def none_said(column: ColumnContext) -> Condition | None:
    """`carers without a qualification`, of a column that always has one, the value `none` among them."""
    said = tuple(v for v in column.values if v.strip().lower() in _NONE)
    # among codes of two letters `NA` is one of them, of North America
    if column.values and {len(v) for v in column.values} == {2}:
        return None
    # a column with nulls says absence by null, and both ways at once would be a guess
    return OneOf(column, said) if said and not column.nulls else None


def _not_defined(draft: Draft, at: int, after: int) -> None:
    """`airlines without serious complaints`, where a hint says what is serious: no such row of theirs."""
    target = draft.links[after]
    tests = tests_of(draft, target)
    column = columns_of(tests[0])[0]
    # tests over several tables have no one row whose absence could be meant
    if any(c.table != column.table for test in tests for c in columns_of(test)):
        raise Unclear(f"it is not clear what is not {target.text}")
    kept = _keeping(draft, at, column.table)
    draft.use(after)
    # the defined rows are those asked for themselves: the contrary of the tests, not an absence
    if kept is None:
        draft.where.append(contrary_of(tests, target.text))
        return
    draft.where.append(Without(kept, column.table, tuple(tests)))
    _said_of_them(draft, after, kept, column.table)


def _date_never(draft: Draft, absent: Link, target: Link) -> ColumnContext | None:
    """`albums that were never released`, of albums with a status `released` and a date released_on: those
    that have none, as one may have been released once and be withdrawn now.
    """
    # `not released` is said of today, for which the status is the answer
    if "never" not in absent.word or not target.word.endswith("ed"):
        return None
    tables = {c.table for c, _ in target.values}
    said = root(target.word)
    held = [
        c
        for t in draft.scope.context.tables
        if t.ref in tables
        for c in t.columns
        if c.kind == "date" and c.nulls and said in {root(w) for w in draft.scope.words(c)}
    ]
    if len(held) != 1:
        return None
    draft.scope.doubt(f"whether {target.text} is a value or what was done", _SAID_OF_GONE)
    return held[0]


def _keeping(draft: Draft, at: int, gone: TableRef) -> TableRef | None:
    """The table before a place whose rows may have several of this one: `albums with 6 tracks and no explicit
    ones`, too.
    """
    if _multiplied(draft, at, gone):
        return table_before(draft, at).ref
    # the first table is tried too: `albums with 6 tracks and no explicit ones` has tracks right before
    first = next((i for i, link in enumerate(draft.links[:at]) if link.mark == "table"), None)
    if first is None or draft.links[at].word.split()[-1] not in {"no", "without", "any"}:
        return None
    return table_before(draft, first + 1).ref if _multiplied(draft, first + 1, gone) else None


def _multiplied(draft: Draft, at: int, table: TableRef) -> bool:
    """Whether a row of the table before a place may have several rows of this one."""
    # nothing named yet: there are no rows that could be without
    if not any(link.mark in {"table", "column"} for link in draft.links[:at]):
        return False
    kept = table_before(draft, at).ref
    if kept == table:
        return False
    # one that has one such row at most may still have none
    steps = direct(draft.scope.context, kept, table, draft.scope.roles)
    return any(s.new == s.join.many.table for s in steps)


def _names_rows(draft: Draft, link: Link) -> bool:
    return link.mark == "table" or draft.scope.said_table(link) is not None


def _no_such_rows(draft: Draft, at: int, after: int) -> bool:
    """`hotels without any suite`: no room of theirs is one, not: one of theirs is something else."""
    target = draft.links[after]
    # a value in quotes may be any text: only a known one says which rows of theirs
    if target.mark != "value" or not any(_names_rows(draft, link) for link in draft.links[:at]):
        return False
    held = list(target.values)
    column = column_of_value(draft, after, target, held)
    if not _multiplied(draft, at, column.table):
        return False
    either = either_behind(draft, after, column)
    values = tuple(sorted({v for link in (target, *either) for c, v in link.values if c == column}))
    # `red` ends in ed by chance
    if target.word.endswith("ed") and target.word != "red":
        # `rooms that were never booked`: have no stay at all, or none of that status
        draft.scope.doubt(f"whether {target.text} is a value or what was done", _VALUE_OR_DONE)
    kept = table_before(draft, at).ref
    draft.where.append(Without(kept, column.table, (OneOf(column, values),)))
    last = after + 2 * len(either)
    draft.use(*range(after, last + 1))
    _said_of_them(draft, last, kept, column.table)
    return True


def _said_of_them(draft: Draft, after: int, kept: TableRef, gone: TableRef) -> None:
    """`artists with no jazz album`, of albums with a genre: the albums are those that must not be."""
    noun = draft.next(after, "table")
    if noun is None:
        return
    # a noun not right behind is another thing, unless only the absent rows lead to it
    if not draft.links[noun].glued:
        # `guests who never attended an event`, of invitations to one: no row of theirs leads to any
        table = draft.scope.table(draft.links[noun]).ref
        if table in draft.scope.told_by(gone) - draft.scope.told_by(kept):
            draft.use(noun)
        return
    steps = direct(draft.scope.context, kept, gone, draft.scope.roles)
    if draft.scope.table(draft.links[noun]).ref in {gone, *(s.new for s in steps)}:
        draft.use(noun)


def _meanwhile(draft: Draft, after: int, gone: TableContext) -> tuple[Condition, ...]:
    """`plots that were not sprayed in 2023`: in that time no row is there."""
    at = draft.next(after, "moment")
    moment = draft.links[at].moment if at is not None else None
    dates = [c for c in draft.scope.times(gone) if c.kind == "date"]
    # with two dates (`ordered`, `delivered`) the time may be meant of either
    if moment is None or len(dates) != 1:
        return ()
    draft.use(at)
    draft.scope.doubt("which date is meant", 0.95)
    return (During(dates[0], moment),)


def _told_of_them(draft: Draft, after: int, kept: TableContext, gone: TableContext) -> tuple[Condition, ...]:
    """`never delivered to a pub`: the one value behind is said of what is not there, if it can be said of
    nothing else.
    """
    at = draft.next(after, "value")
    if at is None:
        return ()
    told = draft.scope.told_by(gone.ref) - draft.scope.told_by(kept.ref)
    held = [(c, v) for c, v in draft.links[at].values if c.table in told]
    columns = {c for c, _ in held}
    # a value of two columns could be said of the rows that stay: then nothing is moved inside
    if len(columns) != 1 or len({c for c, _ in draft.links[at].values}) != 1:
        return ()
    draft.scope.doubt("whether a value is said of what is not there", _SAID_OF_GONE)
    either = either_behind(draft, at, held[0][0])
    last = at + 2 * len(either)
    noun = draft.next(last, "table")
    glued = noun is not None and draft.links[noun].glued
    named = glued and noun is not None and draft.scope.table(draft.links[noun]).ref in told
    draft.use(*range(at, last + 1), noun if named else None)
    values = {v for link in (draft.links[at], *either) for _, v in link.values}
    return (OneOf(held[0][0], tuple(sorted(values))),)


def _no_rows(draft: Draft, at: int, after: int) -> None:
    gone = draft.scope.table(draft.links[after])
    kept = counting_head(draft, at) or table_before(draft, at)
    # NOT EXISTS of the row itself would be no rows at all
    if kept.ref == gone.ref:
        raise Unclear(f"{kept.ref.name} without itself is not clear")
    steps = direct(draft.scope.context, kept.ref, gone.ref, draft.scope.roles)
    for step in steps:
        draft.scope.doubt("a join that is not declared", step.join.likelihood)
    draft.use(after)
    told = (*_meanwhile(draft, after, gone), *_told_of_them(draft, after, kept, gone))
    told = (*told, *_what_is_gone(draft, after, gone))
    draft.where.append(Without(kept.ref, _by_way_of(draft, after, kept, gone), told))
    # a condition behind the absent rows that was not taken inside would change sides unnoticed
    if any(link.mark in {"moment", "value", "quoted"} and not link.used for link in draft.links[after:]):
        raise Unclear(
            f"it is not clear whether what follows is said of {gone.ref.name} or of {kept.ref.name}"
        )


def _by_way_of(draft: Draft, after: int, kept: TableContext, gone: TableContext) -> TableRef:
    """`members who have never borrowed a book`, of loans of copies of books: no book by way of a loan."""
    at = draft.next(after, "table")
    if at is None or draft.links[at].added:
        return gone.ref
    what = draft.scope.table(draft.links[at]).ref
    steps = direct(draft.scope.context, gone.ref, what, draft.scope.roles) if what != gone.ref else []
    whole = direct(draft.scope.context, kept.ref, what, draft.scope.roles) if what != kept.ref else []
    # at least one table between, no way that multiplies, and the way leads through the absent rows
    if len(steps) < 2 or any(s.multiplies for s in steps) or gone.ref not in [s.new for s in whole]:
        return gone.ref
    draft.use(at)
    return what


def _what_is_gone(draft: Draft, after: int, gone: TableContext) -> tuple[Condition, ...]:
    """`listeners who have never played an episode`, of plays each of one episode: it says what was played."""
    link = draft.links[after + 1] if after + 1 < len(draft.links) else None
    if link is None or link.mark != "table" or link.used or link.added:
        return ()
    what = draft.scope.table(link)
    steps = direct(draft.scope.context, gone.ref, what.ref, draft.scope.roles) if what.ref != gone.ref else []
    # one reference only: over more steps the noun names something that plays do not hold
    if len(steps) != 1 or steps[0].multiplies:
        return ()
    draft.use(after + 1)
    return (Known(steps[0].join.many),)
