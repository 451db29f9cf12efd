"""Rules on different values that are counted, and on zeros that are added.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists
from rewright.equivalence.prover.build import app, coalesce, eq, exists_value, negate, not_null, predicates
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.symbols import CASE, LE, LT, one_representation
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Lit,
    Nested,
    Term,
    free_vars,
)
from rewright.sql.types import BOOL

from .base import At, Place

_SUMS = frozenset({"isum", "sum numeric"})


def own_value_counted(p: Place, at: At) -> Bag | None:
    """14: of the different values up to one that is among them, this is one: the others are below.
    ``at``: block, term, predicate of the counted values.
    """
    i, n, m = at
    b = p.block(i)
    term = nested_terms(b)[n]
    inner = lone_values(term)
    if inner is None or m >= len(inner.preds):
        return None
    pred = inner.preds[m]
    # `<` leaves the value itself out already
    if not isinstance(pred, App) or pred.sym != LE:
        return None
    (shown,) = inner.outs
    own = {v for v, _ in inner.vars}
    others = [x for x in pred.args if x != shown]
    # the counted value on one side, one from outside on the other
    if len(others) != 1 or free_vars(others[0]) & own or not free_vars(shown) & own or not _one_order(pred):
        return None
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    (alike,) = fresh_copy((replace(inner, preds=(*rest, eq(*pred.args)), outs=()),))
    ctx = p.beside(b, term)
    # the bound is one of the counted values itself
    if not p.engine.entails(ctx, exists((alike,))):
        return None
    below = block(inner.vars, (*rest, app(LT, pred.args, BOOL)), inner.outs)
    ((v, _),) = term.bag[0].vars
    bag = (Block((), (), ()), *block(((v, Distinct(below)),), (), ()))
    return p.with_block(i, replace_term(b, term, aggregate("cnt", bag, INTEGER)))


def lone_values(term: Nested) -> Block | None:
    """The block whose different values, of one column, a count counts."""
    if term.kind != "agg" or term.name != "cnt" or len(term.bag) != 1 or term.bag[0].preds:
        return None
    if len(term.bag[0].vars) != 1:
        return None
    source = term.bag[0].vars[0][1]
    # a value of several looks is counted once and shown as one of them
    if not isinstance(source, Distinct) or source.either or len(source.bag) != 1:
        return None
    (inner,) = source.bag
    return inner if len(inner.outs) == 1 else None


def _one_order(pred: App) -> bool:
    """Whether both sides are values of one type, under one collation, of which equal ones look the same."""
    one, other = (x.type for x in pred.args)
    same_order = (one.schema, one.name, one.collation) == (other.schema, other.name, other.collation)
    return same_order and one_representation(one) and one_representation(other)


def drop_zeros(p: Place, at: At) -> Bag | None:
    """15: zeros that are added change a sum only where there is nothing else: then it is 0. Where there is
    something to add, the sum is that of the rest, or 0. ``at``: block, term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    parts = without_zeros(term)
    if parts is None:
        return None
    zero, rest = parts
    ctx = p.beside(b, term)
    # a sum of no rows is NULL, with zeros or without
    if not p.engine.entails(ctx, exists(term.bag)):
        return None
    total = aggregate(term.name, rest, term.type)
    return p.with_block(i, replace_term(b, term, coalesce((total, zero), term.type)))


def without_zeros(term: Nested) -> tuple[Lit, Bag] | None:
    """The zero that CASE puts into an exact sum, and the rows that add something else."""
    if term.kind != "agg" or term.name not in _SUMS:
        return None
    zeros: set[Lit] = set()
    rest: list[Block] = []
    for x in term.bag:
        for arm in _arms(x):
            out = arm.outs[0]
            # 0 of a bounded type shows decimals, which the sum would have, too
            if isinstance(out, Lit) and out.value == "0" and out.type.typmod == -1:
                zeros.add(out)
            elif not (isinstance(out, Lit) and out.value is None):
                # a NULL arm adds nothing and is left out
                rest.extend(block(arm.vars, (*arm.preds, not_null(out)), arm.outs))
    # two zeros of different types would show different decimals
    return (zeros.pop(), tuple(rest)) if len(zeros) == 1 else None


def _arms(b: Block) -> Bag:
    """The block once for each result of a CASE that it puts out; that this is not NULL is left out."""
    out = b.outs[0]
    if not (isinstance(out, App) and out.sym == CASE):
        return (b,)
    # that the CASE is not NULL was asked of the sum; arm by arm each asks for itself
    kept = tuple(q for q in b.preds if q not in predicates(not_null(out)))
    *pairs, default = out.args
    found: list[Block] = []
    missed: tuple[Term, ...] = ()
    for test, result in zip(pairs[::2], pairs[1::2], strict=True):
        found.extend(block(b.vars, (*kept, *missed, test), (result,)))
        missed = (*missed, negate(exists_value(test)))
    found.extend(block(b.vars, (*kept, *missed), (default,)))
    return tuple(found)
