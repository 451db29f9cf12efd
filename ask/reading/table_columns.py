"""Of which column of a table an adjective or a time speaks: `the oldest`, `in 2023`.

Owns these choices and what they cost in confidence. Must not know the grammar; raises Unclear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.comments import named_by
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.unit_names import Unit, measures, unit_of
from rewright.ask.reading.words import listed, root
from rewright.lake import names

_ENDED = frozenset(listed("completed closed resolved finished ended delivered approved read verified"))
_AUDIT = frozenset({"created", "updated", "modified", "inserted", "deleted", "crtd", "timestamp"})
_JOINED = frozenset(listed("hired hire joined employed onboarded enrolled admitted registered signup signed"))
_NO_AGE = 0.85
"""The oldest of rows that have a date, but none of their birth."""
# units that dates are called by as well: a column `day` of kind date is no duration
_TIMES = frozenset({"hour", "day"})
"""Units that a number of a row may be called by; a date called so is one."""
_COUNTED_LENGTHS = {"page", "word"}
_LENGTHS = {*_COUNTED_LENGTHS, "second", "minute", "hour", "day", "time", "distance", "length"}
_RATES = frozenset(listed("rate price cost fee fare salary wage pay charge"))
"""An `hourly_rate` has no hours, a `cost_per_page` no pages; nor have `spots_per_day` days."""
_COUNTS = frozenset(map(root, listed("count number num no total")))
_TAKES_PLACE = frozenset(listed("held hold occurred happened performed played visited event"))
_BESIDE = frozenset(
    listed("announced planned scheduled booked reported expected due created updated registered published")
)
"""Dates before or after what happens, of which none speaks who does not say so."""
_OF_DATES = frozenset(listed("date dt day on at time ts timestamp"))
_BOUNDS = frozenset(listed("min max minimum maximum required recommended allowed legal"))
_OF_TWO_DATES = 0.93
_OF_TWO_KINDS = 0.75
_EXACTLY = 0.96
_ALWAYS_THERE = 0.88


class Words(Protocol):
    """Who knows the words of names, and takes doubts."""

    def words(self, what: ColumnContext | TableContext) -> tuple[str, ...]: ...

    def doubt(self, about: str, worth: float, *, once: bool = False) -> None: ...


def property_of(
    scope: Words, table: TableContext, steps: Sequence[tuple[str, str]], units: Sequence[Unit] = ()
) -> tuple[ColumnContext, str]:
    """The first column of the table that an adjective may be of, and which way. Raises Unclear.

    ``units``: those of the number that it is compared with; a column in another kind of unit is not meant.
    """
    held = [
        c
        for c in table.columns
        if c.kind in {"number", "date"}
        and not c.key
        and not audits(scope, c)
        # None for a column of no unit: only a unit that is another kind's excludes it
        and measures(scope.words(c), units) is not False
    ]
    aged = any(word == "age" for _, word in steps)
    if aged:
        # who was hired first is not the oldest
        held = [c for c in held if not (c.kind == "date" and set(scope.words(c)) & _JOINED)]
    kinds = [
        # steps in order: the first kind of column that the table has is what the adjective means
        [c for c in held if _is_of(scope, c, table, word) and (c.kind == "number" or word not in _TIMES)]
        for _, word in steps
    ]
    for (way, word), several in zip(steps, kinds, strict=True):
        found = _exactly(scope, several, word)
        if len(found) == 1:
            scope.doubt("which column an adjective is about", 0.97)
            # a trip is longest by its distance or by its time, if no unit says which
            if word == "distance" and not units and any(c.kind == "date" for c in table.columns):
                # `the longest trip`, of trips that begin and end, too
                scope.doubt(f"whether {found[0].name} is what is measured", _OF_TWO_KINDS)
            if not units and any(_of_another_kind(scope, found[0], c) for of in kinds for c in of):
                scope.doubt(f"whether {found[0].name} is what is measured", _OF_TWO_KINDS)
            return found[0], way
        if len(found) > 1:
            raise Unclear(f"several columns of {table.ref.name} could be meant by its {word}")
    dated = next((way for way, word in steps if word == "date"), None)
    # with several dates the one at which it happens, if there is one
    dates = [c for c in times(scope, table) if c.kind == "date"]
    if dated is not None and len(dates) > 1 and (happened := happening(scope, dates)) is not None:
        return happened, dated
    others = {"birth", "born", *(_JOINED if aged else ())}
    # a date of joining tells no age, and a date of birth would have been found before
    if dated is not None and len(dates) == 1 and not others & set(scope.words(dates[0])):
        scope.doubt("which date an adjective is about", _NO_AGE if aged else 0.95)
        return dates[0], dated
    raise Unclear(f"{table.ref.name} has no such measure")


def _exactly(scope: Words, found: list[ColumnContext], word: str) -> list[ColumnContext]:
    """Of a rating and a peak_rating the one that is the word and no more."""
    exact = [c for c in found if scope.words(c) == (word,)]
    # only where there is a choice, and just one column is exactly the word
    if len(found) < 2 or len(exact) != 1:
        return found
    scope.doubt("which of two columns is meant", _EXACTLY)
    return exact


def _of_another_kind(scope: Words, one: ColumnContext, other: ColumnContext) -> bool:
    """`the longest trip`, of trips with a duration and a distance."""
    units = unit_of(scope.words(other)) if other.kind == "number" else ()
    return one.kind == "number" and one != other and measures(scope.words(one), units) is False


def happening(scope: Words, dates: Sequence[ColumnContext]) -> ColumnContext | None:
    """Of `announced_on` and `held_on` the date at which it takes place; none where the others are not its
    preparation.
    """
    held = [c for c in dates if set(scope.words(c)) & _TAKES_PLACE]
    # nothing says `held` in its name, but the rows' own date is what they are dated by
    if not held and len(own := [c for c in dates if _names_its_rows(c)]) == 1:
        scope.doubt("which of two dates is meant", _OF_TWO_DATES, once=True)
        return own[0]
    others = [c for c in dates if c not in held]
    # all others must be known to lie before or after: any other may be just as meant
    if len(held) != 1 or not all(set(scope.words(c)) & _BESIDE for c in others):
        return None
    scope.doubt("which of two dates is meant", _OF_TWO_DATES, once=True)
    return held[0]


def always_there(scope: Words, dates: Sequence[ColumnContext], said: Sequence[str]) -> ColumnContext | None:
    """`filed_on` before a resolved_on that some rows lack: each row was filed, and not each is resolved. None
    where a word of the question is of another date.
    """
    full = [c for c in dates if not c.nulls]
    # the first date and the only one that each row has: the others came later
    if len(full) != 1 or len(dates) < 2 or dates[0] != full[0]:
        return None
    spoken = {root(w) for w in said}
    if any(spoken & {root(w) for w in scope.words(c) if w not in _OF_DATES} for c in dates[1:]):
        return None
    scope.doubt("which of two dates is meant", _ALWAYS_THERE, once=True)
    return full[0]


def _names_its_rows(column: ColumnContext) -> bool:
    """A deferral's `dfr_on`, a request's `request_date`: the date of the row itself."""
    table = names.normal(column.table.name).split()
    own = [w for w in names.normal(column.name).split() if w not in _OF_DATES]
    # letters that the table's name was cut to as well: `dfr_on` of deferrals
    return len(own) == 1 and any(root(own[0]) == root(w) or cut_from(w, own[0]) for w in table)


def _is_of(scope: Words, column: ColumnContext, table: TableContext, word: str) -> bool:
    """Whether a column is that of which a word of an adjective speaks; `page_views` has no pages."""
    # the comment may spell the name out: `loa`, the length over all
    roots = {root(w) for w in (*scope.words(column), *named_by(column))}
    if word in _LENGTHS and set(scope.words(column)) & {*_RATES, "per"}:
        return False
    if word == "age" and set(scope.words(column)) & _BOUNDS:
        return False  # the min_age of a game is its players'
    if word in _COUNTED_LENGTHS:
        # words of the count and of the table leave just the unit: `num_pages` of books
        roots -= _COUNTS | {root(w) for w in scope.words(table)}
        return roots == {root(word)}
    return root(word) in roots


def times(scope: Words, table: TableContext) -> list[ColumnContext]:
    """Columns that say when: dates, years, names of months."""
    dates = [c for c in table.columns if c.kind == "date"]
    # where all dates are about rows being written, they are the only times there are
    kept = [c for c in dates if not audits(scope, c)] or dates
    if len(kept) == 1 and set(scope.words(kept[0])) & _ENDED:
        kept = dates  # `created_at` and `completed_at`: both tell when
    years = [c for c in table.columns if c.kind == "number" and "year" in scope.words(c)]
    return kept or years


def months(scope: Words, table: TableContext) -> list[ColumnContext]:
    return [c for c in table.columns if scope.words(c) == ("month",) and c.kind in {"number", "text"}]


def audits(scope: Words, column: ColumnContext) -> bool:
    """Whether a date only says when a row was written."""
    return bool(set(scope.words(column)) & _AUDIT)
