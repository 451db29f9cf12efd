"""Rules on references that are shown for themselves: each is one row of what is referenced.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, subst, subst_block
from rewright.equivalence.prover.build import eq, not_null
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.schema import KeyFact, Reference
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Row,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
)
from rewright.equivalence.prover.unique import one_row

from .base import At, Place, parts_of


def distinct_to_parent(p: Place, at: At) -> Bag | None:
    """5b, F5, F6: distinct values of foreign keys are the keys of the rows referenced, those that a row
    refers to, or that are among them by themselves. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or source.either or Row(v) in parts_of(b):
        return None
    if any(v in free_in_source(s) for _, s in b.vars):
        return None
    around = p.ctx.within(Block(tuple(x for x in b.vars if x[0] != v), (), ()))
    for target, key in _targets(p, source.bag):
        with p.engine.schema.recording() as used:
            columns = _columns_of_all(p, around, source.bag, target, key)
            if columns is None:
                used.clear()
                continue
        p.engine.schema.use(key.assumption)
        w = fresh()
        parent = [Var(w, c, target.types[c]) for c in columns]
        child = tuple(
            x
            for c in fresh_copy(source.bag)
            for x in block(
                c.vars, (*c.preds, *(identical(o, x) for o, x in zip(c.outs, parent, strict=True))), ()
            )
        )
        values = {(v, at): x for at, x in enumerate(parent)}

        def env(t: Term, values: dict[tuple[int, int], Var] = values) -> Term | None:
            return values.get((t.var, t.pos)) if isinstance(t, Var) else None

        vars_ = (*b.vars[:n], (w, target), *b.vars[n + 1 :])
        new = subst_block(Block(vars_, b.preds, b.outs), env)
        return p.with_block(
            i, tuple(x for r in new for x in block(r.vars, (*r.preds, exists(child)), r.outs))
        )
    return None


def _targets(p: Place, bag: Bag) -> list[tuple[Table, KeyFact]]:
    """The relations that one of the blocks refers to, each with the key by which it does."""
    found: list[tuple[Table, KeyFact]] = []
    for inner in bag:
        found += [(target, key) for _, target, key in _references(p, inner) if (target, key) not in found]
    return found


def _columns_of_all(p: Place, around: Context, bag: Bag, target: Table, key: KeyFact) -> list[int] | None:
    """The target's key columns in the order of the outputs, where each block's outputs are keys of rows of
    the target: of those it refers to, or its own.
    """
    agreed: list[int] | None = None
    for inner in bag:
        columns = _key_shown(p, around, inner, target, key)
        # two blocks must show the key in one order, or one parent would stand for two different values
        if columns is None or (agreed is not None and columns != agreed):
            return None
        agreed = columns
    return agreed


def _key_shown(p: Place, around: Context, inner: Block, target: Table, key: KeyFact) -> list[int] | None:
    own = dict(inner.vars)
    read = {o.var if isinstance(o, Var) else -1 for o in inner.outs}
    # rows of the parent itself, by its whole key
    if len(read) == 1 and own.get(next(iter(read))) == target:
        columns = [o.pos for o in inner.outs if isinstance(o, Var)]
        if sorted(columns) == sorted(key.columns) and all(identity(o.type) for o in inner.outs):
            return columns if _filled(p, around, inner) else None
    # rows that refer to it
    for ref, other, by in _references(p, inner):
        found = _columns(inner, ref, target) if (other, by) == (target, key) else None
        if found is not None and _filled(p, around, inner):
            p.engine.schema.use(ref.assumption)
            return found
    return None


def _filled(p: Place, around: Context, inner: Block) -> bool:
    return all(p.engine.entails(around.within(inner), not_null(o)) for o in inner.outs)


def child_to_parent(p: Place, at: At) -> Bag | None:
    """5b, F5, F6: a row that is shown by its foreign key alone, or only counted, and that this determines, is
    the row it refers to. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Table) or any(v in free_in_source(s) for _, s in b.vars):
        return None
    # what is neither shown nor counted is a semi-join already
    if b.outs and not any(v in free_vars(o) for o in b.outs):
        return None
    rest = tuple(x for x in b.vars if x[0] != v)
    kept = tuple(q for q in b.preds if v not in free_vars(q))
    alone = Block(((v, source),), tuple(q for q in b.preds if v in free_vars(q)), ())
    for ref in p.engine.schema.references(source):
        target = p.engine.schema.source_of(ref.target)
        if target is None:
            continue
        own = [Var(v, c, source.types[c]) for c in ref.columns]
        w = fresh()
        keys = [Var(w, c, target.types[c]) for c in ref.target_columns]
        key = next(
            (k for k in p.engine.schema.keys(target) if set(k.columns) == set(ref.target_columns)), None
        )
        # of two types, or with looks of their own, the parent's key is not what the child shows
        if key is None or any(
            x.type != y.type or not identity(x.type) for x, y in zip(own, keys, strict=True)
        ):
            continue
        # it must be shown by the key alone, which the parent has as well
        outs = tuple(subst(o, dict(zip(own, keys, strict=True)).get) for o in b.outs)
        # a column beside the key is the child's own
        if any(v in free_vars(o) for o in outs):
            continue
        tied = replace(alone, preds=(*alone.preds, *(eq(x, y) for x, y in zip(own, keys, strict=True))))
        ctx = p.ctx.within(Block((*rest, (w, target)), kept, ()))
        with p.engine.schema.recording() as used:
            filled = all(p.engine.entails(p.ctx.within(b), not_null(x)) for x in own)
            # NULL in the key refers to no parent; a parent of several children would be shown too seldom
            if not filled or (p.mode == "bag" and not one_row(p.engine, ctx, (tied,))):
                used.clear()
                continue
        for fact in (ref.assumption, key.assumption):
            p.engine.schema.use(fact)
        vars_ = (*b.vars[:n], (w, target), *b.vars[n + 1 :])
        return p.with_block(i, block(vars_, (*kept, exists((tied,))), outs))
    return None


def _references(p: Place, inner: Block) -> list[tuple[Reference, Table, KeyFact]]:
    """References of the rows inside to rows that a key tells apart."""
    read = {o.var for o in inner.outs if isinstance(o, Var)}
    sources = [s for v, s in inner.vars if v in read]
    # outputs of two tables together are no reference
    if len(sources) != 1:
        return []
    found: list[tuple[Reference, Table, KeyFact]] = []
    for ref in p.engine.schema.references(sources[0]):
        target = p.engine.schema.source_of(ref.target)
        if target is None:
            continue
        key = next(
            (k for k in p.engine.schema.keys(target) if set(k.columns) == set(ref.target_columns)), None
        )
        if key is not None:
            found.append((ref, target, key))
    return found


def _columns(inner: Block, ref: Reference, target: Table) -> list[int] | None:
    """The target's columns in the order of the outputs, where these are the
    reference's columns, each once.
    """
    at = [o.pos if isinstance(o, Var) else -1 for o in inner.outs]
    # each column of the reference once
    if sorted(at) != sorted(ref.columns):
        return None
    columns = [ref.target_columns[ref.columns.index(c)] for c in at]
    alike = (identity(o.type) and o.type == target.types[c] for o, c in zip(inner.outs, columns, strict=True))
    return columns if all(alike) else None
