"""Rules on joined rows: copies of one row, rows that are only asked to exist.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, subst, subst_block
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.symbols import EQ, same_when_equal
from rewright.equivalence.prover.terms import (
    FALSE,
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Lit,
    Row,
    Source,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    source_types,
)
from rewright.equivalence.prover.unique import determined_by, ties

from .base import At, Place


def merge_copies(p: Place, at: At) -> Bag | None:
    """10: two variables over one relation that are equal on a key are one row. ``at``: block, variable,
    other.
    """
    i, n, m = at
    b = p.block(i)
    scope = (*p.ctx.vars, *b.vars)
    sources = dict(scope)
    v, w = b.vars[n][0], scope[m][0]
    own = dict(b.vars)
    # another relation or series, or the same variable
    if v not in own or v == w or sources.get(w) != own[v] or not isinstance(own[v], Table | Function):
        return None
    types = source_types(own[v])
    ctx = p.ctx.within(b)
    rest = replace(b, vars=tuple(x for x in b.vars if x[0] != v))
    for key in p.engine.schema.keys(own[v]):
        pairs = [(Var(v, c, types[c]), Var(w, c, types[c])) for c in key.columns]
        wanted = [App(EQ, pair, FALSE.type) for pair in pairs]
        # equal on all columns of a key: one row
        if all(p.engine.entails(ctx, g) for g in wanted):
            p.engine.schema.use(key.assumption)
            return p.with_block(i, subst_block(rest, _row_for(v, w)))
    for told in p.engine.schema.told_by(own[v]):
        if all(
            p.engine.entails(ctx, App(EQ, (Var(v, c, types[c]), Var(w, c, types[c])), FALSE.type))
            for c in told
        ):
            return p.with_block(i, subst_block(rest, _row_for(v, w)))
    if _one_by_condition(p, ctx, own[v], v, w):
        return p.with_block(i, subst_block(rest, _row_for(v, w)))
    return None


def _one_by_condition(p: Place, ctx: Context, source: Source, v: int, w: int) -> bool:
    """Whether both rows meet the condition of a unique index, and agree in what it is on."""
    keys = (p.engine.conditional_keys(source, x) for x in (v, w))
    for one, other in zip(*keys, strict=True):
        pairs = zip(one.terms, other.terms, strict=True)
        # both rows must be under the index's condition
        wanted = (*one.conditions, *other.conditions, *(App(EQ, pair, FALSE.type) for pair in pairs))
        if all(p.engine.entails(ctx, g) for g in wanted):
            p.engine.schema.use(one.assumption)
            return True
    return _one_by_period(p, ctx, source, v, w)


def _one_by_period(p: Place, ctx: Context, source: Source, v: int, w: int) -> bool:
    """Whether one and the same value is in a period of both rows, which agree in the rest of a key."""
    keys = (p.engine.period_keys(source, x) for x in (v, w))
    for one, other in zip(*keys, strict=True):
        here, there = (x.values_in(ctx.preds) for x in (one, other))
        if not here & there:
            continue
        pairs = zip(one.terms, other.terms, strict=True)
        if all(p.engine.entails(ctx, App(EQ, pair, FALSE.type)) for pair in pairs):
            p.engine.schema.use(one.assumption)
            return True
    return False


def _row_for(v: int, w: int) -> Callable[[Term], Term | None]:
    def env(t: Term) -> Term | None:
        match t:
            case Var(var, pos, type_) if var == v:
                return Var(w, pos, type_)
            case Row(var) if var == v:
                return Row(w)
            case _:
                return None

    return env


def to_semijoin(p: Place, at: At) -> Bag | None:
    """2b, 5a, 5c: a row determined by the rest and not needed above is only asked to exist. ``at``: block,
    variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    # a LATERAL source reads the row, and would read nothing
    if isinstance(source, Distinct) or any(v in free_in_source(s) for _, s in b.vars):
        return None
    rest_vars = tuple(x for x in b.vars if x[0] != v)
    alone = Block(((v, source),), tuple(q for q in b.preds if v in free_vars(q)), ())
    ctx = p.ctx.within(Block(rest_vars, tuple(q for q in b.preds if v not in free_vars(q)), ()))
    # in a bag the row must be one for each of the others, or copies would be lost
    if p.mode == "bag" and v not in determined_by(p.engine, ctx, alone, ()):
        return None
    swap = columns_elsewhere(alone, v)
    outs = tuple(subst(o, swap) for o in b.outs)
    # an output of the row that nothing else has keeps it
    if any(v in free_vars(o) for o in outs):
        return None
    kept = tuple(q for q in b.preds if v not in free_vars(q))
    return p.with_block(i, block(rest_vars, (*kept, exists((alone,))), outs))


def columns_elsewhere(b: Block, v: int) -> Callable[[Term], Term | None]:
    """Each column of ``v`` by an equal term that does without ``v`` (types whose equality is identity)."""

    def env(t: Term) -> Term | None:
        if isinstance(t, Var) and t.var == v:
            for other in map(under(t), ties(b.preds, t, nulls=True)):
                if other is not None and v not in free_vars(other) and same_when_equal(t, other):
                    return other
        return None

    return env


def under(t: Term) -> Callable[[Term], Term | None]:
    """What equals ``t``, if it may stand for it: under the same collation, which functions of it will use."""

    def fitting(other: Term) -> Term | None:
        if other.type.collation == t.type.collation:
            return other
        if isinstance(other, Lit):
            return Lit(other.value, replace(other.type, collation=t.type.collation))
        return None

    return fitting
