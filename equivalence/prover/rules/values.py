"""Rules on other nested values: scalar subqueries, single rows, CASE around aggregates.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.atoms import strict_value
from rewright.equivalence.prover.bags import NULL_OF_NO_ROWS, exists, the
from rewright.equivalence.prover.build import (
    integer,
    negate,
    not_null,
    predicates,
)
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.symbols import CASE, IS_NULL, NOT, TO_NUMERIC
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Term,
    null,
    walk_shallow,
)
from rewright.equivalence.prover.unique import one_row

from .base import At, Place


def split_scalar(p: Place, at: At) -> Bag | None:
    """1f: a scalar subquery of at most one row: its row joined, or NULL where there is none. ``at``: block,
    term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    bag = _single(p, b, term) if term.kind == "the" else None
    if bag is None:
        return None
    result: list[Block] = []
    for inner in fresh_copy(bag):
        wider = replace(b, vars=(*b.vars, *inner.vars), preds=(*b.preds, *inner.preds))
        result.extend(replace_term(wider, term, inner.outs[0]))
    none = replace(b, preds=(*b.preds, negate(exists(bag))))
    result.extend(replace_term(none, term, null(term.type)))
    return p.with_block(i, tuple(result))


def lone_row(p: Place, at: At) -> Bag | None:
    """6d: the minimum, maximum or sum of at most one value is that value. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if (
        term.kind != "agg"
        or term.name.partition(" ")[0] not in {"min", "max", "isum", "sum"}
        or term.name.startswith("sum float")
    ):
        return None
    bag = _single(p, b, term)
    return None if bag is None else p.with_block(i, replace_term(b, term, the(bag, term.type)))


def _single(p: Place, b: Block, term: Nested) -> Bag | None:
    """The rows of a nested value if there is one at most; also one whose value is NULL, as it is of none,
    where that leaves one at most.
    """
    ctx = p.beside(b, term)
    bags = dict.fromkeys((nulls_among(term.bag), term.bag))
    return next((bag for bag in bags if one_row(p.engine, ctx, bag)), None)


def nulls_among(bag: Bag) -> Bag:
    """The rows of a bag of single values, with those whose value is NULL."""
    rows = ((x, predicates(not_null(x.outs[0]))) for x in bag)
    return tuple(replace(x, preds=tuple(q for q in x.preds if q not in there)) for x, there in rows)


def simplify_case(p: Place, at: At) -> Bag | None:
    """1c, M3: CASE around an aggregate that gives what the aggregate gives on no rows anyway. ``at``: block,
    case.
    """
    i, n = at
    b = p.block(i)
    cases = case_terms(b)
    term = cases[n]
    if len(term.args) != 3:
        return None
    test, yes, no = term.args
    ctx = p.beside(b, term)
    if p.engine.entails(ctx, test):
        return p.with_block(i, replace_term(b, term, yes))
    if p.engine.entails(ctx, negate(test)):
        return p.with_block(i, replace_term(b, term, no))
    for value, other, when in ((yes, no, test), (no, yes, negate(test))):
        found = _empty_gives(value, other)
        if found is not None and p.engine.entails(ctx.having(predicates(exists(found.bag))), when):
            return p.with_block(i, replace_term(b, term, value))
    return None


def case_terms(b: Block) -> list[App]:
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym == CASE:
                found[s] = None
    return list(found)


def _empty_gives(value: Term, other: Term) -> Nested | None:
    """An aggregate inside ``value`` on whose empty bag ``value`` is ``other``."""
    if isinstance(value, Nested) and value.name == "cnt" and other == integer(0):
        return value
    if isinstance(value, App) and value.sym == TO_NUMERIC and isinstance(other, Lit) and other.value == "0":
        inner = value.args[0]
        return inner if isinstance(inner, Nested) and inner.name == "cnt" else None
    # coalesce(array_agg(x), '{}') is '{}' of no rows
    match value:
        case App(sym, (App(denied, (App(asked, (x,)),)), _, none)) if (sym, denied, asked) == (
            CASE,
            NOT,
            IS_NULL,
        ):
            return _null_of_none(x) if none == other else None
        case _:
            return _null_of_none(value) if isinstance(other, Lit) and other.value is None else None


def _null_of_none(value: Term) -> Nested | None:
    """An aggregate on whose empty bag the ``value`` is NULL."""
    for part in strict_value(value):
        if isinstance(part, Nested) and part.kind == "agg":
            short = part.name.partition(" ")[0]
            if short in NULL_OF_NO_ROWS:
                return part
    return None
