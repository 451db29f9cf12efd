"""Extremes of integers that are written out: flags such as ``max(CASE WHEN c THEN 1 ELSE 0 END)``.

Which of a few numbers is the greatest is asked of the rows: whether one of them gives it. Must not know bags.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewright.sql.types import BOOL

from .build import case
from .symbols import CASE, exact_integer
from .terms import FALSE, TRUE, App, Lit, Term

# more would be asked of the rows one after the other
_MOST = 3


def written_out(outs: Iterable[Term]) -> tuple[int, ...]:
    """The integers that terms may be where they are not NULL, in order; none for other terms, or too many."""
    found: set[int] = set()
    chosen = False
    for out in outs:
        results = _results(out)
        if not all(isinstance(r, Lit) and exact_integer(r.type) for r in results):
            return ()
        chosen |= len(results) > 1
        found |= {int(r.value) for r in results if isinstance(r, Lit) and r.value is not None}
    return tuple(sorted(found)) if chosen and len(found) <= _MOST else ()


def gives(out: Term, value: int) -> Term:
    """Whether one of the terms is the integer."""
    if isinstance(out, App) and out.sym == CASE:
        last = len(out.args) - 1
        return case(tuple(_is(x, value) if i % 2 or i == last else x for i, x in enumerate(out.args)), BOOL)
    return _is(out, value)


def _is(result: Term, value: int) -> Term:
    return TRUE if isinstance(result, Lit) and result.value == str(value) else FALSE


def _results(out: Term) -> tuple[Term, ...]:
    """What a CASE may give, or the term itself."""
    if not (isinstance(out, App) and out.sym == CASE):
        return (out,)
    last = len(out.args) - 1
    return tuple(x for i, x in enumerate(out.args) if i % 2 or i == last)
