"""Where a query looks at which of several equal values DISTINCT, GROUP BY or a set operation has kept.

Of 1.0 and 1.00 either may stand for both. A query that shows it, or compares it, is open to ``tie-order`` at
most. One that filters by, groups by or adds up what tells the two apart (a cast to text, a scale) may have
other rows: no reservation covers that. Hazards M4. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql.facts.effects import SURE
from rewright.sql.facts.looks import (
    DAYS_AND_TIME,
    SECONDS,
    SETTLED_DIFFERENCE,
    WHOLE_NUMBER,
    are_two_moments,
    shown_as,
)
from rewright.sql.types import SqlType

from .symbols import AND, CASE, EQ, IS_NULL, IS_TRUE, LE, LT, NOT, OR, SAME, one_representation
from .terms import (
    App,
    Bag,
    Block,
    Distinct,
    Lit,
    Multi,
    Nested,
    Sym,
    Term,
    Var,
    block_vars,
    source_types,
    walk_bag,
    walk_shallow,
)

# what they give is equal for equal arguments, or TRUE or FALSE alike
_CONGRUENT = frozenset({AND, CASE, EQ, IS_NULL, IS_TRUE, LE, LT, NOT, OR, SAME})
# of numbers: values are computed, however they are written (a quotient's digits depend on its arguments'
# scales)
_EXACT = frozenset({"+", "-", "*", "abs", "ceil", "ceiling", "floor", "sign", "identical"})
_NUMBERS = frozenset({"numeric", "float4", "float8"})
# a built-in operator that subtracts, by itself or settled
_DIFFERENCES = ("op -(", f"{SURE}.{SETTLED_DIFFERENCE}")


def tells_equal_apart(form: Bag) -> bool:
    """Whether anything but the result's own columns depends on which of several equal values was kept."""
    kept = chosen_among_equals(form)
    return bool(kept) and any(_looks(term, kept) for term in _inside(form))


def chosen_among_equals(form: Bag) -> set[tuple[int, int]]:
    """The columns (variable, position) of deduplicated sources that hold one of several equal values."""
    return {
        # rows of tables and LIMIT were never put together with their equals
        (v, place)
        for b in form
        for v, source in block_vars(b)
        if isinstance(source, Distinct | Multi)
        for place, type_ in enumerate(source_types(source))
        # extract(year …) is a numeric of one look
        if not one_representation(type_) and not _look_alike(source, place)
    }


def shown_type(term: Term) -> SqlType:
    """The type that says how a value looks: numeric leaves open that most fields of a date are whole and how
    many decimals seconds have, and interval that what passed between two moments is written in one way.
    """
    match term:
        case App(Sym(name), args) if name.startswith(_DIFFERENCES):
            return DAYS_AND_TIME if are_two_moments([x.type for x in args]) else term.type
        case App(Sym(name), (Lit(field), x)) if name.startswith("pg_catalog.extract("):
            return shown_as(field, x.type) or term.type
        case _:
            return term.type


def _look_alike(source: Distinct | Multi, place: int) -> bool:
    """Whether equal values of the column look alike for what they are computed of."""
    rows = source.bag if isinstance(source, Distinct) else (*source.left, *source.right)
    elsewhere = isinstance(source, Distinct) and place in source.either
    # `either`: the column may come from the other side of an INTERSECT
    shown = {shown_type(b.outs[place]) for b in rows}
    return not elsewhere and shown in ({WHOLE_NUMBER}, {SECONDS}, {DAYS_AND_TIME})


def _inside(form: Bag) -> Iterator[Term]:
    """All terms but those of the form's own outputs, unless these are in bags."""
    # what only the result shows is left open as tie-order; all else decides on rows
    yield from walk_bag(tuple(Block(b.vars, b.preds, ()) for b in form))
    for b in form:
        for out in b.outs:
            for term in walk_shallow(out):
                if isinstance(term, Nested):
                    yield from walk_bag(term.bag)


def _looks(term: Term, kept: set[tuple[int, int]]) -> bool:
    # comparisons and exact arithmetic give the same for equal values
    if not isinstance(term, App) or _congruent(term):
        return False
    return any(isinstance(t, Var) and (t.var, t.pos) in kept for arg in term.args for t in walk_shallow(arg))


def _congruent(term: App) -> bool:
    if term.sym in _CONGRUENT:
        return True
    # a quotient shows more or fewer digits by its arguments' scales
    return term.sym.name.partition(" ")[0] in _EXACT and all(a.type.name in _NUMBERS for a in term.args)
