"""Which calls of generate_series fail for no rows, and which give no value twice.

Whole numbers end where their type does (int.c, int8.c: a sum that overflows stops the series); moments are
added to, which fails past the last one. A step of 0 is an error. Must not know what is made of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.sql.facts.moments import STEP

from .days import ADDS_DAYS, unsettled
from .terms import App, Lit, Term, walk_shallow

_WHOLE = re.compile(r"pg_catalog\.generate_series\((int[48])(,\1){1,2}\) ")
_MOMENTS = "pg_catalog.generate_series(timestamp,timestamp,interval) "
_SPANS = (_MOMENTS, "pg_catalog.generate_series(timestamptz,timestamptz,interval) ")
# what a date or a moment becomes with a zone or without; a text is read in the session's
_SHOWN_IN_A_ZONE = frozenset(
    {
        "cast pg_catalog.date to pg_catalog.timestamptz(-1) func",
        "cast pg_catalog.timestamp to pg_catalog.timestamptz(-1) func",
        "cast pg_catalog.date to pg_catalog.timestamp(-1) func",
        "cast pg_catalog.timestamptz to pg_catalog.date(-1) func",
        "cast pg_catalog.timestamptz to pg_catalog.timestamp(-1) func",
        "cast pg_catalog.unknown to pg_catalog.timestamptz(-1) io",
    }
)
# a zone that is named by its offset moves it by a day at most
_MOMENT = re.compile(r"[1-9]\d{3}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{1,6})?)?([+-]\d\d(:\d\d)?)?)?")


def never_fails(name: str, args: Sequence[Term]) -> bool:
    """Whether the function in FROM, as the calculus names it, fails for no values of its arguments."""
    if _WHOLE.match(name):
        return len(args) == 2 or _is_step(args[2])
    spans = name.startswith(_SPANS) and len(args) == 3
    return spans and all(map(_is_moment, args[:2])) and is_forward(args[2])


def only_rises(name: str, args: Sequence[Term]) -> bool:
    """Whether each value of the function in FROM comes after the one before, or before it in all: a constant
    step that is not 0, or an interval of one unit, which moves every moment on, in whatever zone.
    """
    if _WHOLE.match(name):
        return len(args) == 2 or _is_step(args[2])
    return name.startswith(_SPANS) and len(args) == 3 and is_forward(args[2])


def _is_step(term: Term) -> bool:
    return isinstance(term, Lit) and term.value is not None and int(term.value) != 0


def _is_moment(term: Term) -> bool:
    """A moment of the years 1000 to 9999, in whatever zone, or the server's own, and some days from it: far
    from the ends of its type.
    """
    if isinstance(term, App) and term.sym.name in _SHOWN_IN_A_ZONE:
        return _is_moment(term.args[0])
    if isinstance(term, App) and term.sym.name in ADDS_DAYS:
        return any(_is_fixed(x) and _is_few(days) for x, days in (term.args, term.args[::-1]))
    if isinstance(term, App):
        return term.sym.name == "pg_catalog.now()"
    return isinstance(term, Lit) and is_moment_written(term.value or "")


def _is_fixed(term: Term) -> bool:
    # days that are added again and again lead anywhere
    return _is_moment(term) and not any(
        isinstance(t, App) and t.sym.name in ADDS_DAYS for t in walk_shallow(term)
    )


def _is_few(days: Term) -> bool:
    return isinstance(days, Lit) and re.fullmatch(r"-?\d{1,5}", days.value or "") is not None


def is_forward(term: Term) -> bool:
    """A constant interval that is longer than none."""
    if not isinstance(term, App) or not term.sym.name.startswith(
        "cast pg_catalog.unknown to pg_catalog.interval(-1)"
    ):
        return False
    text = term.args[0].value if isinstance(term.args[0], Lit) else None
    return is_span_written(text or "")


def moved(term: App) -> tuple[int, bool] | None:
    """Which argument a local moment is moved from by a constant span longer than none, and whether it comes
    out later (an infinite one stays). None for other terms, and for moments with a zone: where a zone left
    out a day, a day before midnight may be that midnight.
    """
    name = unsettled(term.sym.name)
    later = name.startswith("op +(")
    if not (later or name.startswith("op -(")) or len(term.args) != 2:
        return None
    at = next((n for n, x in enumerate(term.args) if x.type == term.type), None)
    local = term.type.is_builtin and term.type.name == "timestamp"
    if at is None or not local or not is_forward(term.args[1 - at]) or (at == 1 and not later):
        return None
    return at, later


def is_span_written(text: str) -> bool:
    """Whether a text is an interval of one unit that is longer than none."""
    return STEP.fullmatch(text) is not None


def is_moment_written(text: str) -> bool:
    """Whether a text is a moment or day of the years 1000 to 9999."""
    return _MOMENT.fullmatch(text) is not None
