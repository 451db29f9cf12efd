"""Deeds of which the data tells another: `games sold in 2020`, of games with a year published; `when did each
parent join`, of children with a date joined.

Owns the doubts of readings that take another time, place or measure for that of what was done. By whom it was
done `done_by` looks at. Must not know the grammar; adds doubts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.done_by import done_by
from rewright.ask.reading.intent import Aggregate, Column, During, Intent, OneOf, Part
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.shortened import cut_from
from rewright.ask.reading.words import listed, root
from rewright.sql.algebra import TableRef

_AS_LIKELY = 0.75
_SAME_DEEDS = tuple(
    frozenset(map(root, listed(line)))
    for line in """
published publication released release issued issue written write composed launched launch produced directed \
designed developed made filmed printed appeared
sold sale bought purchase purchased ordered order placed booked booking reserved
hired hire employed joined join recruited started
joined join registered registration enrolled enrolment enrollment signed signup admitted admission \
subscribed accepted
decided decision approved approval rejected refused denied declined granted resolved accepted closed awarded \
awarding
submitted submission filed filing applied application received lodged requested request sent made
built completed constructed construction founded erected finished completion
founded established opened formed started created incorporated launched
reported report recorded noted logged raised happened occurred
aired broadcast shown transmitted premiered released
paid payment settled received
shipped sent dispatched shipment dispatch delivered
arrived received delivered delivery arrival
borrowed loaned lent loan checked rented
returned return returned due
died death killed
ended finished left terminated cancelled stopped closed expired retired
collected taken sampled drawn gathered
planted sown planting
tested examined measured taken test examination measurement
""".strip().splitlines()
)
"""What is done at one time, or is called by either word where data has one of them."""
_DEEDS = frozenset[str]().union(*_SAME_DEEDS)
_CUT = tuple(
    listed(
        "built issued collected published released registered founded ordered shipped delivered paid hired"
    )
)
"""Deeds that names of dates are often cut from."""
_ANY_DEED = frozenset(
    map(root, listed("made done taken held given had used involved put got gone come been happened occurred"))
)
"""Verbs that say of any deed that it took place."""
_BEGINNINGS = frozenset(map(root, listed("start started starts begin began end ended from to date time")))
_PARTICIPLES = frozenset(listed("sold bought built sent paid lent written drawn shown born left"))
_BORN = frozenset(map(root, listed("birth born native nationality origin home hometown citizenship")))
_TIME = re.compile(r"(?:before|after|on|since|between|during|until|earlier|later)\b|(?:in|the) \d|in the")
_PLACES = frozenset(listed("country city town place state region county village district continent nation"))
_HIGH = frozenset(listed("highest lowest largest smallest biggest greatest"))


def other_deeds(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts an answer by another deed than the one that is said."""
    _dated_by_another(intent, links, scope)
    _of_another_row(intent, links, scope)
    _born_elsewhere(intent, scope)
    _told_by_its_row(intent, scope)
    _ranked_by_another(intent, links, scope)
    _days_for_dates(intent, scope)
    _high_dates(intent, links, scope)
    done_by(intent, links, scope)


def _deeds_of(column: ColumnContext, scope: Scope) -> set[str]:
    """What a date's name says that was done; nothing where it only says when."""
    own = {root(w) for w in scope.words(scope.context.table(column.table))}
    words = [w for w in scope.words(column) if root(w) not in own | _BEGINNINGS]
    told = {root(w) for w in words if w.endswith("ed") or w in _PARTICIPLES or root(w) in _DEEDS}
    # `yr_blt`
    return told | {root(deed) for deed in _CUT for w in words if 2 < len(w) < len(deed) and cut_from(deed, w)}


def tells_when(column: ColumnContext, verb: str, scope: Scope) -> bool:
    """Whether a date may be when something was done: it says so, or not what was."""
    deeds = _deeds_of(column, scope)
    return not deeds or _same(root(verb), deeds)


def is_dated(verb: str) -> bool:
    """Whether data that has it done has a date of it."""
    return root(verb) in _DEEDS


def _same(verb: str, deeds: set[str]) -> bool:
    return verb in deeds or any(verb in line and line & deeds for line in _SAME_DEEDS)


def _dated_by_another(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`games sold in 2020`, of games with a year published; `applicants hired in 2022`, by applications."""
    dated = {c.moment: c.column for c in intent.where if isinstance(c, During)}
    dated |= {
        c.moment: c.column
        for e in intent.outputs
        for m in aggregates_of(e)
        if isinstance(m, Aggregate)
        for c in m.where
        if isinstance(c, During)
    }
    for at, link in enumerate(links):
        column = dated.get(link.moment) if link.moment is not None else None
        verb = _verb_before(links, at)
        if column is None or verb is None or root(verb.word) in _ANY_DEED:
            continue
        if not tells_when(column, verb.word, scope):
            scope.doubt(f"whether {column.name} says when something was {verb.text}", _AS_LIKELY, once=True)


def _verb_before(links: Sequence[Link], at: int) -> Link | None:
    """The participle right before a time, where no column is called so."""
    for link in reversed(links[:at]):
        # `sold in Germany in 2020`: places stand between
        if link.mark == "value" and link.preposition in {"in", "at", "from"}:
            continue
        done = link.word.endswith("ed") or link.word in _PARTICIPLES
        return link if done and " " not in link.word and link.mark in {"relation", "value"} else None
    return None


def _label(ref: TableRef, scope: Scope) -> tuple[ColumnContext, ...]:
    """What rows are called by; nothing where nothing names them."""
    try:
        return scope.label(scope.context.table(ref))
    except Unclear:
        return ()


def _spoken(links: Sequence[Link]) -> set[TableRef]:
    return {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}


def _of_another_row(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`when was each department opened`, of sites with a date opened: what has a name of its own has dates of
    its own.
    """
    spoken = _spoken(links)
    named = {t.ref for link in links if (t := scope.said_table(link)) is not None}
    measured = {
        t
        for e in (*intent.outputs, *(e for e, _ in intent.order))
        for m in aggregates_of(e)
        for t in tables_of(m)
    }
    said = {root(w) for w in scope.roles}
    shown = [e.column for e in intent.outputs if isinstance(e, Column | Part)]
    dates = [c for c in shown if c.kind == "date" or "year" in scope.words(c)]
    dates += [c.column for c in intent.where if isinstance(c, During)]
    for column in dates:
        if column.table in named | measured:
            continue
        called = any(c.kind == "text" for c in _label(column.table, scope))
        born = "born" in scope.roles and bool({root(w) for w in scope.words(column)} & _BORN)
        told = bool(_deeds_of(column, scope) & said) and called
        if spoken and column.table not in spoken and (told or born):
            scope.doubt(f"whether {column.name} of {column.table.name} is meant", _AS_LIKELY, once=True)


def _born_elsewhere(intent: Intent, scope: Scope) -> None:
    """`in which country was each employee born`, of employees at a site somewhere."""
    at = next((i for i, word in enumerate(scope.roles) if word == "born"), None)
    # `born before 1960`, `born in 1960`: when
    if at is None or _TIME.match(" ".join(scope.roles[at + 1 : at + 3])):
        return
    places = [e.column for e in intent.outputs if isinstance(e, Column)]
    places += [c.column for c in intent.where if isinstance(c, OneOf)]
    for column in places:
        words = {*scope.words(column), *scope.words(scope.context.table(column.table))}
        if (
            column.kind == "text"
            and set(scope.words(column)) & _PLACES
            and not {root(w) for w in words} & _BORN
        ):
            scope.doubt(f"whether {column.name} is where somebody was born", _AS_LIKELY, once=True)


def _ranked_by_another(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the contestant who earned the most prize money`, which is that of a season, and of all in it."""
    spoken = _spoken(links)
    rows = {e.column.table for e in intent.outputs if isinstance(e, Column)}
    by = [e.column for e, _ in intent.order if isinstance(e, Column)]
    for column in by if intent.limit and not intent.best_of else ():
        owners = {j.one.table for j in scope.context.joins if j.many.table in rows & spoken and not j.single}
        if column.kind == "number" and column.table in owners - spoken - rows:
            scope.doubt(f"whether {column.name} of {column.table.name} ranks them", _AS_LIKELY)


def _told_by_its_row(intent: Intent, scope: Scope) -> None:
    """`hosts with more than one show per day`, by the day on which a host was hired: one of each row, that is
    no group of anything; `listeners of each station in each city`, of stations with a city.
    """
    rows = {e.column.table for e in intent.groups if isinstance(e, Column) and e.column.key}
    for group in intent.groups:
        column = group.column if isinstance(group, Column | Part) else None
        if column is None or column.key or not any(column.table in scope.told_by(ref) for ref in rows):
            continue
        label = column in _label(column.table, scope)
        shown = any(column in columns_of(e) for e in intent.outputs if isinstance(e, Column))
        if isinstance(group, Part) or not (label or shown):
            scope.doubt(f"whether it is wanted for each {column.name}", _AS_LIKELY)


def _days_for_dates(intent: Intent, scope: Scope) -> None:
    """`when was each volunteer trained`, read as for how many days."""
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    if "date" not in scope.roles or any(c.kind == "date" or "year" in scope.words(c) for c in shown):
        return
    if any(c.kind == "number" and {"day", "days", "date"} & set(scope.words(c)) for c in shown):
        scope.doubt("when it was", _AS_LIKELY)


def _high_dates(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`where was the highest specimen collected`, read as the last one."""
    by = {e.column for e, _ in intent.order if isinstance(e, Column) and e.column.kind == "date"}
    for high, behind in pairwise(links):
        # a hint may say itself that the lowest date is meant
        if high.mark in {"top", "bottom"} and high.word in _HIGH and by and not by & set(behind.columns):
            scope.doubt(f"of what {high.text} is said", _AS_LIKELY)
