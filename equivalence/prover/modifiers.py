"""Values that obey a type's modifier already: numeric(15,2) of the latest of some numeric(15,2).

PostgreSQL describes what a window function, an aggregate or a subquery shows without the modifier of what it
read; a cast to that modifier changes no such value and raises nothing. Must not know queries.
"""

from __future__ import annotations

from rewright.sql.types import SqlType

from .positions import read_window
from .symbols import CASE
from .terms import App, Lit, Nested, Term, Var

# functions that show one of the values they read, with the arguments that they may have: a third one of lag
# would be another value
_READING = {
    "lag": 2,
    "lead": 2,
    "first_value": 1,
    "last_value": 1,
    "nth_value": 2,
}
_EXTREMES = ("min ", "max ")


def obeys(term: Term, target: SqlType) -> bool:
    """Whether each value of the term, where it has one, is one of ``target``, modifier included."""
    match term:
        case Var(_, _, type_):
            return type_ == target
        case Lit(value):
            return value is None
        case App(sym, args) if sym == CASE:
            # conditions and results take turns, the default comes last
            return all(obeys(x, target) for i, x in enumerate(args) if i % 2 or i == len(args) - 1)
        case Nested("the", _, bag):
            return all(obeys(x, target) for b in bag for x in b.outs)
        case Nested("agg", name, bag) if name.startswith(_EXTREMES):
            return all(obeys(b.outs[0], target) for b in bag)
        case Nested("win", name, bag):
            window = read_window(name)
            if window is None or len(window.types) > _READING.get(window.func, 0):
                return False
            # behind the sort keys stand the arguments
            return all(obeys(b.outs[len(window.keys)], target) for b in bag)
        case _:
            return False
