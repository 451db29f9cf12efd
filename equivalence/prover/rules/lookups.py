"""Rules on what DISTINCT rows look up: rows that follow from what the others show.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rewright.equivalence.prover.bags import block, subst, subst_block
from rewright.equivalence.prover.build import eq
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.standing import place_of
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Nested,
    Row,
    Source,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    walk,
)
from rewright.equivalence.prover.unique import one_row

from .base import At, Place, parts_of
from .distinct import columns_in, tied


def lookup_apart(p: Place, at: At) -> Bag | None:
    """9, 16: of a join some of whose rows are looked up by what the others show, the DISTINCT rows are those
    of the others, each with the rows that it looks up. ``at``: block, variable, and the variables inside that
    are looked up.
    """
    i, n, *chosen = at
    b = p.block(i)
    inner = _of_one_block(b, n)
    if inner is None:
        return None
    found = tuple(inner.vars[k] for k in chosen)
    gone, own = {x for x, _ in found}, {x for x, _ in inner.vars}
    rest = tuple(x for x in inner.vars if x[0] not in gone)
    # a source that follows other rows is another one for each of them
    if any(free_in_source(s) & own for _, s in found) or any(free_in_source(s) & gone for _, s in rest):
        return None

    def as_told(t: Term) -> Term | None:
        return tied(inner, t, gone) if isinstance(t, Var) and t.var in gone else None

    outs = tuple(subst(o, as_told) for o in inner.outs)
    kept = [k for k, o in enumerate(outs) if not free_vars(o) & gone]
    outs = tuple(o if k in kept else inner.outs[k] for k, o in enumerate(outs))
    asked = tuple(q for q in inner.preds if free_vars(q) & gone)
    still = tuple(q for q in inner.preds if not free_vars(q) & gone)
    others = Block(tuple(x for k, x in enumerate(b.vars) if k != n), (), ())
    around = p.ctx.within(others).within(Block(rest, still, ()))
    if not one_row(p.engine, around, (_with_witnesses(Block(found, asked, ())),)):
        return None
    return _looked_up(p, at, Block(rest, still, outs), kept, found, asked)


def looked_up_again(p: Place, at: At) -> Bag | None:
    """16: what DISTINCT rows show of a row beside its key is read from the row of that key. ``at``: block,
    variable, variable inside.
    """
    i, n, k = at
    inner = _of_one_block(p.block(i), n)
    if inner is None:
        return None
    w, source = inner.vars[k]
    if not isinstance(source, Table):
        return None
    new = fresh()
    for key in p.engine.schema.keys(source):
        columns = [Var(w, c, source.types[c]) for c in key.columns]
        # the row has one, but it must be told from what is shown
        terms = [next((t for t in (c, tied(inner, c, {w})) if t in inner.outs), None) for c in columns]
        if key.nullable or None in terms:
            continue
        kept = [k for k, o in enumerate(inner.outs) if o in terms or w not in free_vars(o)]
        again = {c: Var(new, c.pos, c.type) for o in inner.outs for c in columns_in(o, w)}
        outs = tuple(o if k in kept else subst(o, again.get) for k, o in enumerate(inner.outs))
        asked = tuple(
            eq(Var(new, c.pos, c.type), t) for c, t in zip(columns, terms, strict=True) if t is not None
        )
        made = _looked_up(p, at, replace(inner, outs=outs), kept, ((new, source),), asked)
        if made is not None and len(kept) < len(outs):
            for fact in (key.assumption, *key.not_nulls):
                p.engine.schema.use(fact)
            return made
    return None


def asked_within(p: Place, at: At) -> Bag | None:
    """9: what is asked of columns of DISTINCT rows whose equality is identity is asked of each row of which
    they are made. ``at``: block, variable, condition.
    """
    i, n, m = at
    b = p.block(i)
    v, source = b.vars[n]
    asked = b.preds[m]
    if not isinstance(source, Distinct) or free_vars(asked) & {x for x, _ in b.vars} != {v}:
        return None
    # the row as a whole is none of the rows inside; 1.0 may be shown for 1.00, of which less is asked
    if Row(v) in set(walk(asked)) or not all(identity(c.type) for c in columns_in(asked, v)):
        return None
    inner = tuple(
        x
        for r in fresh_copy(source.bag)
        for x in block(r.vars, (*r.preds, subst(asked, _row(v, r.outs))), r.outs)
    )
    if not inner:
        return p.with_block(i, ())
    vars_ = (*b.vars[:n], (v, replace(source, bag=inner)), *b.vars[n + 1 :])
    return p.with_block(i, block(vars_, (*b.preds[:m], *b.preds[m + 1 :]), b.outs))


def _row(v: int, outs: tuple[Term, ...]) -> Callable[[Term], Term | None]:
    """Columns of row ``v`` as what is shown in them."""
    return lambda t: outs[t.pos] if isinstance(t, Var) and t.var == v else None


def _of_one_block(b: Block, n: int) -> Block | None:
    """A copy of the one block whose rows a variable has once each, where nothing reads its row as a whole or
    follows it.
    """
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag) != 1 or source.either or Row(v) in parts_of(b):
        return None
    if any(v in free_in_source(s) for _, s in b.vars):
        return None
    return fresh_copy(source.bag)[0]


def _with_witnesses(b: Block) -> Block:
    """The block with the rows that it asks for: where there is one such row at most, there is one of the
    block's.
    """
    vars_ = list(b.vars)
    preds = list[Term]()
    for q in b.preds:
        if isinstance(q, Nested) and q.kind == "exists" and len(q.bag) == 1:
            (witness,) = fresh_copy(q.bag)
            vars_ += witness.vars
            preds += witness.preds
        else:
            preds.append(q)
    return Block(tuple(vars_), tuple(preds), ())


def _looked_up(
    p: Place,
    at: At,
    rest: Block,
    kept: list[int],
    found: tuple[tuple[int, Source], ...],
    asked: tuple[Term, ...],
) -> Bag | None:
    """The DISTINCT rows of what is ``kept`` of ``rest``'s columns, joined with the rows that are ``found`` by
    what these show; None where what is ``asked``, or another column, needs what they do not show.
    """
    i, n, *_ = at
    b = p.block(i)
    v, _ = b.vars[n]
    kept = sorted(kept, key=lambda k: place_of(rest.outs[k], dict(rest.vars)))
    # 1.0 looked up may be 1.00 in another of the rows that are shown as one
    shown = {
        o: Var(v, place, o.type) for place, o in enumerate(rest.outs[k] for k in kept) if identity(o.type)
    }
    moved = [subst(q, shown.get) for q in asked]
    made = {k: subst(o, shown.get) for k, o in enumerate(rest.outs) if k not in kept}
    left = {x for x, _ in rest.vars}
    if not kept or any(free_vars(t) & left for t in (*moved, *made.values())):
        return None

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        if t.pos in kept:
            return Var(v, kept.index(t.pos), t.type)
        (copied,) = fresh_copy((Block((), (), (made[t.pos],)),))
        return copied.outs[0]

    rows = Distinct(block(rest.vars, rest.preds, tuple(rest.outs[k] for k in kept)))
    new = subst_block(replace(b, vars=(*b.vars[:n], (v, rows), *found, *b.vars[n + 1 :])), env)
    return p.with_block(i, tuple(x for r in new for x in block(r.vars, (*r.preds, *moved), r.outs)))
