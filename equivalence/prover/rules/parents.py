"""The rule on distinct references: each is one row of what is referenced.

It checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the search.
"""

from __future__ import annotations

from rewright.equivalence.prover.bags import block, exists, subst_block
from rewright.equivalence.prover.build import not_null
from rewright.equivalence.prover.context import identical
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.schema import KeyFact, Reference
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import Bag, Block, Distinct, Row, Table, Term, Var, free_in_source

from .base import At, Place, parts_of


def distinct_to_parent(p: Place, at: At) -> Bag | None:
    """5b, F5, F6: distinct values of a foreign key are the keys of the rows referenced, those that a row
    refers to. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or source.either or len(source.bag) != 1 or Row(v) in parts_of(b):
        return None
    if any(v in free_in_source(s) for _, s in b.vars):
        return None
    (inner,) = source.bag
    for ref, target, key in _references(p, inner):
        columns = _columns(inner, ref, target)
        if columns is None:
            continue
        others = Block(tuple(x for x in b.vars if x[0] != v), (), ())
        ctx = p.ctx.within(others).within(inner)
        if not all(p.engine.entails(ctx, not_null(o)) for o in inner.outs):
            continue
        for fact in (ref.assumption, key.assumption):
            p.engine.schema.use(fact)
        w = fresh()
        parent = [Var(w, c, target.types[c]) for c in columns]
        (copy,) = fresh_copy(source.bag)
        child = block(
            copy.vars, (*copy.preds, *(identical(o, x) for o, x in zip(copy.outs, parent, strict=True))), ()
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


def _references(p: Place, inner: Block) -> list[tuple[Reference, Table, KeyFact]]:
    """References of the rows inside to rows that a key tells apart."""
    read = {o.var for o in inner.outs if isinstance(o, Var)}
    sources = [s for v, s in inner.vars if v in read]
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
    if sorted(at) != sorted(ref.columns):
        return None
    columns = [ref.target_columns[ref.columns.index(c)] for c in at]
    alike = (identity(o.type) and o.type == target.types[c] for o, c in zip(inner.outs, columns, strict=True))
    return columns if all(alike) else None
