"""Which calls of generate_series fail for no rows.

Whole numbers end where their type does (int.c, int8.c: a sum that overflows stops the series); moments are
added to, which fails past the last one. A step of 0 is an error. Must not know what is made of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .terms import App, Lit, Term

_WHOLE = re.compile(r"pg_catalog\.generate_series\((int[48])(,\1){1,2}\) ")
_MOMENTS = "pg_catalog.generate_series(timestamp,timestamp,interval) "
_MOMENT = re.compile(r"[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?")
# read alike under every IntervalStyle
_FORWARD = re.compile(r"[1-9]\d{0,3} ?(day|week|month|mon|year|hour|minute|second)s?")


def never_fails(name: str, args: Sequence[Term]) -> bool:
    """Whether the function in FROM, as the calculus names it, fails for no values of its arguments."""
    if _WHOLE.match(name):
        return len(args) == 2 or _is_step(args[2])
    return name.startswith(_MOMENTS) and all(map(_is_moment, args[:2])) and _is_forward(args[2])


def _is_step(term: Term) -> bool:
    return isinstance(term, Lit) and term.value is not None and int(term.value) != 0


def _is_moment(term: Term) -> bool:
    return isinstance(term, Lit) and _MOMENT.fullmatch(term.value or "") is not None


def _is_forward(term: Term) -> bool:
    """A constant interval that is longer than none."""
    if not isinstance(term, App) or not term.sym.name.startswith(
        "cast pg_catalog.unknown to pg_catalog.interval(-1)"
    ):
        return False
    text = term.args[0].value if isinstance(term.args[0], Lit) else None
    return _FORWARD.fullmatch(text or "") is not None
