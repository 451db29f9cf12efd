"""Whether a row for which something fails would have counted for something: then no query that computes the
same leaves it out.

    sum(a / b)                              a row without b fails, and has a value that is added up
    min(x + a / b), count(*) FILTER (WHERE a / b > 1)     where x is NULL, or FILTER is FALSE, it counts not

A query that drops such rows beforehand (WHERE x IS NOT NULL) gives the same, and does not fail for them. Must
not know translations.
"""

from __future__ import annotations

from collections.abc import Iterable

from .symbols import CASE
from .terms import App, Lit, Term


def counts_where_it_fails(part: Term, values: Iterable[Term]) -> bool:
    """Whether one of the values that a row is counted by is there wherever ``part``, in it, has a value."""
    return any(_is_there_with(part, value) for value in values)


def _is_there_with(part: Term, value: Term) -> bool:
    if value == part:
        return True
    match value:
        # where a result of CASE is evaluated it is the value; a condition is none
        case App(sym, args) if sym == CASE:
            return any(_is_there_with(part, x) for x in (*args[1:-1:2], args[-1]))
        case App(sym, args) if sym.strict and sym.total:
            return any(
                _is_there_with(part, x) and all(_is_written(y) for y in (*args[:n], *args[n + 1 :]))
                for n, x in enumerate(args)
            )
    return False


def _is_written(term: Term) -> bool:
    return isinstance(term, Lit) and term.value is not None
