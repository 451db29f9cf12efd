"""Rules on columns that others determine.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, subst, subst_block
from rewright.equivalence.prover.context import identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Lit,
    Row,
    Term,
    Var,
    free_vars,
    source_types,
    walk_bag,
)
from rewright.equivalence.prover.unique import ties

from .base import At, Place, parts_of


def referred_column(p: Place, at: At) -> Bag | None:
    """5a: what is shown of one row is shown of another that has the very same in a column. ``at``: block, the
    other's variable and column, the one's.
    """
    i, n, c, m, k = at
    b = p.block(i)
    (v, source), (w, target) = b.vars[n], b.vars[m]
    shown, other = Var(w, k, source_types(target)[k]), Var(v, c, source_types(source)[c])
    outs = tuple(subst(o, {shown: other}.get) for o in b.outs)
    if v == w or shown.type != other.type or outs == b.outs:
        return None
    if not p.engine.entails(p.ctx.within(b), identical(shown, other)):
        return None
    return p.with_block(i, block(b.vars, b.preds, outs))


def determined_column(p: Place, at: At) -> Bag | None:
    """17: a column of DISTINCT rows that is a function of their other columns. ``at``: block, variable,
    column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag) != 1 or source.either or Row(v) in parts_of(b):
        return None
    (inner,) = source.bag
    if len(inner.outs) < 2 or isinstance(inner.outs[c], Var | Lit):
        return None
    keep = [k for k in range(len(inner.outs)) if k != c]
    # shown by columns of the DISTINCT rows, as they will be numbered
    shown = {
        inner.outs[k]: Var(v, keep.index(k), inner.outs[k].type)
        for k in keep
        if isinstance(inner.outs[k], Var) and identity(inner.outs[k].type)
    }
    value = subst(inner.outs[c], shown.get)
    if free_vars(value) & {x for x, _ in inner.vars}:
        return None
    smaller = Distinct((replace(inner, outs=tuple(inner.outs[k] for k in keep)),))

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        if t.pos != c:
            return Var(v, keep.index(t.pos), t.type)
        (copied,) = fresh_copy((Block((), (), (value,)),))
        return copied.outs[0]

    vars_ = tuple((x, smaller if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


def tied_outside(p: Place, at: At) -> Bag | None:
    """7d: a column that a block equates with something outside it is that, in what else the block asks.
    ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    own = {v for v, _ in b.vars}
    others = (*b.preds[:n], *b.preds[n + 1 :])
    values: dict[Term, Term] = {}
    for t in walk_bag((Block((), (goal,), ()),)):
        if isinstance(t, Var) and t.var in own and identity(t.type):
            found = [x for x in ties(others, t, nulls=True) if not free_vars(x) & own and identity(x.type)]
            if found and found[0].type == t.type:
                values[t] = found[0]
    if not values:
        return None
    new = subst(goal, values.get)
    return p.with_block(i, block(b.vars, (*others[:n], new, *others[n:]), b.outs))
