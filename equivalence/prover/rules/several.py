"""The rule on small numbers of rows: so many that differ in a key.

It checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the search.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import app, conj, disj, eq, negate, not_null, same
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.shapes import shape
from rewright.equivalence.prover.symbols import EQ, INTS, LT, NOT, one_representation
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Table,
    Term,
    Var,
    free_vars,
    source_types,
)
from rewright.equivalence.prover.unique import ties
from rewright.sql.types import BOOL

from .base import At, Place
from .tops import asked_of_count

# so many rows are told apart at most: each two of them by a condition
_MOST = 4


def several_rows(p: Place, at: At) -> Bag | None:
    """15: that there are n rows of a relation is that some n differ in a key of it, two by two; of different
    rows, that some n differ in their columns. ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    found = asked_of_count(b.preds[n])
    if found is None:
        return None
    counted, kind, number = found
    # more than one variable would need a key of each
    if len(counted.bag) != 1 or len(counted.bag[0].vars) != 1:
        return None
    (inner,) = counted.bag
    least = number + 1 if kind == "over" else number
    # one row is EXISTS, and more than four make too many pairs
    if not (1 if kind == "equal" else 2) <= least <= _MOST - (kind == "equal"):
        return None
    ctx = p.ctx.within(replace(b, preds=tuple(q for q in b.preds if q != b.preds[n])))
    found_columns = _telling(p, ctx, inner)
    if found_columns is None:
        return None
    columns, filled = found_columns
    some = _so_many(inner, columns, least, filled=filled)
    new = negate(some) if kind == "under" else some
    if kind == "equal":
        # exactly n: n, and not n + 1
        new = conj((some, negate(_so_many(inner, columns, least + 1, filled=filled))))
    return p.with_predicate(i, n, new)


def one_value(p: Place, at: At) -> Bag | None:
    """15: minimum and maximum of some rows are equal where there are rows, and no two whose values differ.
    ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    found = both_extremes(b.preds[n])
    if found is None:
        return None
    least, equal = found
    (one,), (other,) = fresh_copy(least.bag), fresh_copy(least.bag)
    differ = (*one.preds, *other.preds, negate(eq(one.outs[0], other.outs[0])))
    apart = exists(block((*one.vars, *other.vars), differ, ()))
    filled = block(one.vars, (*one.preds, not_null(one.outs[0])), ())
    new = conj((exists(filled), negate(apart))) if equal else apart
    return p.with_predicate(i, n, new)


def both_extremes(goal: Term) -> tuple[Nested, bool] | None:
    """The minimum of rows whose maximum a predicate compares with it, and whether it says that they are
    equal.
    """
    told = goal.args[0] if isinstance(goal, App) and goal.sym == NOT else goal
    # NOT (min < max) is also TRUE of one value, and NULL of none
    if not isinstance(told, App) or told.sym not in {EQ, LT} or (told.sym == LT and told is not goal):
        return None
    for least, most in (told.args, told.args[::-1]) if told.sym == EQ else (told.args,):
        if not (isinstance(least, Nested) and isinstance(most, Nested) and least.kind == most.kind == "agg"):
            continue
        if not (least.name.startswith("min ") and most.name == f"max {least.name.removeprefix('min ')}"):
            continue
        # of equal values that look different minimum and maximum may be two
        one_look = one_representation(least.type) and least.type == most.type
        if one_look and len(least.bag) == 1 and shape(replace(most, name=least.name)) == shape(least):
            return least, told is goal and told.sym == EQ
    return None


def _telling(p: Place, ctx: Context, inner: Block) -> tuple[tuple[int, ...], bool] | None:
    """The columns that tell the block's rows apart, and whether none of them is NULL."""
    source = inner.vars[0][1]
    if isinstance(source, Distinct):
        types = source_types(source)
        # a DISTINCT row is told by all its columns
        if not types or not all(one_representation(t) for t in types):
            return None
        rows = fresh_copy(source.bag)
        filled = all(p.engine.entails(ctx.within(x), not_null(o)) for x in rows for o in x.outs)
        return tuple(range(len(types))), filled
    if not isinstance(source, Table):
        return None
    # a nullable unique key has several rows without a value
    key = next((k for k in p.engine.schema.keys(source) if not k.nullable), None)
    if key is None:
        return None
    for fact in (key.assumption, *key.not_nulls):
        p.engine.schema.use(fact)
    own = {v for v, _ in inner.vars}
    # a column that something outside gives tells no two rows apart
    given = {
        c for c in key.columns if any(not free_vars(o) & own for o in ties(inner.preds, _column(inner, c)))
    }
    # all columns given: then by all of them, and no two rows differ
    return tuple(c for c in key.columns if c not in given) or key.columns, True


def _so_many(inner: Block, columns: tuple[int, ...], number: int, *, filled: bool) -> Term:
    """That there are so many rows of the block, by copies of it."""
    copies = [fresh_copy((inner,))[0] for _ in range(number)]
    in_order = isinstance(inner.vars[0][1], Table)
    apart = tuple(_apart(x, y, columns, filled=filled, in_order=in_order) for x, y in combinations(copies, 2))
    rows = tuple(x for c in copies for x in c.vars)
    return exists(block(rows, (*(q for c in copies for q in c.preds), *apart), ()))


def _column(b: Block, c: int) -> Var:
    v, source = b.vars[0]
    return Var(v, c, source_types(source)[c])


def _apart(x: Block, y: Block, columns: tuple[int, ...], *, filled: bool, in_order: bool) -> Term:
    """Two rows differ in a column; where integers tell a relation's rows apart, they come in order."""
    pairs = [(_column(x, c), _column(y, c)) for c in columns]
    (one, other) = pairs[0]
    # integers in order count each choice of rows once
    if in_order and len(pairs) == 1 and one.type.is_builtin and one.type.name in INTS:
        return app(LT, (one, other), BOOL)
    return disj(negate(eq(a, b) if filled else same(a, b)) for a, b in pairs)
