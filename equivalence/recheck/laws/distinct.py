"""Laws on DISTINCT rows: asked to exist, read as they are, with a column less; multiset operations as
conditions.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import as_set, block, exists, open_source, subst, subst_block
from rewright.equivalence.prover.build import conj, eq, negate, same
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Lit,
    Multi,
    Row,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    null,
    source_types,
    walk_shallow,
)
from rewright.equivalence.recheck.counting import equated
from rewright.equivalence.recheck.judging import rows_like
from rewright.equivalence.recheck.laws.rows import chained, collated, elsewhere
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Follows,
    Impossible,
    Instance,
    Keyed,
    NoRowTwice,
)
from rewright.equivalence.recheck.places import Place, pick, spliced
from rewright.sql.types import SqlType


def _mentions_row(b: Block, v: int) -> bool:
    return any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs))


def _read_by_sources(b: Block, v: int) -> bool:
    return any(v in free_in_source(s) for _, s in b.vars)


def _others(b: Block, v: int) -> Block:
    """The other rows with what is asked of them."""
    rows = tuple(x for x in b.vars if x[0] != v)
    return Block(rows, tuple(q for q in b.preds if v not in free_vars(q)), ())


def _where(bag: Bag, condition: Term) -> Bag:
    return tuple(n for r in bag for n in block(r.vars, (*r.preds, condition), r.outs))


def distinct_to_exists(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄, d ∈ δ(B) . d = v(x̄) ∧ P(d) = Σ x̄ . P(v) ∧ v ∈ B: each row of δ(B) is there once. Bindings:
    block, d.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or _read_by_sources(b, v) or _mentions_row(b, v):
        return
    value = elsewhere(b, v)
    given = [value(Var(v, c, t)) for c, t in enumerate(source_types(source))]
    values = tuple(x for x in given if x is not None)
    if len(values) == len(given):
        rest = subst_block(replace(b, vars=tuple(x for x in b.vars if x[0] != v)), value)
        member = exists(rows_like(fresh_copy(source.bag), values))
        yield Instance(spliced(p.bag, i, _where(rest, member)))


def open_distinct(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(B) . P(d) = Σ d ∈ B . P(d) where no row of B comes twice, or none that meets P, or duplicates
    do not count. Bindings: block, d, and the one row of B's block that is kept while its other rows are only
    asked to exist.
    """
    i, n, *kept = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or len(kept) > 1 or _mentions_row(b, v):
        return
    bag = _by_one_row(source.bag, kept[0]) if kept else source.bag
    if bag is None:
        return
    needs = () if p.sets else (NoRowTwice(p.ctx.within(_others(b, v)), bag),)
    opened = replace(b, vars=(*b.vars[:n], (v, Distinct(bag)), *b.vars[n + 1 :]))
    after = spliced(p.bag, i, open_source(opened, n))
    yield Instance(after, needs)
    if not p.sets:
        yield from (Instance(after, why) for why in _never_two(p, b, v, bag))


def _never_two(p: Place, b: Block, v: int, bag: Bag) -> Iterator[tuple[Condition, ...]]:
    """Why no two rows of one relation, shown alike by values whose equality is identity, both meet P."""
    match bag:
        case (Block(((_, Table() as source),), _, outs),) if p.schema is not None:
            if not all(identity(o.type) for o in outs):
                return
        # several blocks, or joined rows, have no one key
        case _:
            return
    (x,), (y,) = fresh_copy(bag), fresh_copy(bag)
    asked = [q for q in b.preds if v in free_vars(q)]

    def seen(q: Term, row: Block) -> Term:
        return subst(q, lambda t: row.outs[t.pos] if isinstance(t, Var) and t.var == v else None)

    both = p.ctx.within(_others(b, v)).within(x).within(y)
    both = both.having([seen(q, row) for row in (x, y) for q in asked])
    both = both.having([same(s, t) for s, t in zip(x.outs, y.outs, strict=True)])
    for key in p.schema.keys(source):
        pairs = [(Var(x.vars[0][0], c, t), Var(y.vars[0][0], c, t)) for c, t in _typed(source, key.columns)]
        # not the same row, though alike in all that is asked: that must be impossible
        unlike = negate(conj(eq(s, t) for s, t in pairs))
        yield Keyed(source, key.columns, filled=True), Impossible(both.having((unlike,)))


def _typed(source: Table, columns: tuple[int, ...]) -> list[tuple[int, SqlType]]:
    return [(c, source.types[c]) for c in columns]


def _by_one_row(bag: Bag, keep: int) -> Bag | None:
    """The rows of a block by one of its variables; the others are asked to exist, and shown by what is
    identical to them.
    """
    if len(bag) != 1 or len(bag[0].vars) < 2:
        return None
    (b,) = bag
    kept = pick(b.vars, keep)
    gone = {v for v, _ in b.vars} - {kept[0]}
    if free_in_source(kept[1]) & gone:
        return None

    def env(t: Term) -> Term | None:
        return chained(b, t, gone) if isinstance(t, Var) and t.var in gone else None

    outs = tuple(subst(o, env) for o in b.outs)
    if any(free_vars(o) & gone for o in outs):
        return None
    own = tuple(q for q in b.preds if not free_vars(q) & gone)
    rows = tuple(x for x in b.vars if x[0] in gone)
    asked = Block(rows, tuple(q for q in b.preds if free_vars(q) & gone), ())
    return block((kept,), (*own, exists((asked,))), outs)


def drop_column(p: Place, at: Bindings) -> Iterator[Instance]:
    """A column of δ(B) that is always one value from outside, or another column's, is that. Bindings: block,
    row, column.
    """
    i, n, c = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or len(source.bag) != 1:
        return
    (inner,) = source.bag
    out = pick(inner.outs, c)
    ctx = p.ctx.within(replace(_others(b, v), preds=())).within(inner)
    keep = [k for k in range(len(inner.outs)) if k != c]
    shown: list[Term] = list(_values_outside(inner, out))
    shown += [Var(v, keep.index(k), out.type) for k in keep]
    for value in shown:
        inside = inner.outs[keep[value.pos]] if isinstance(value, Var) and value.var == v else value

        def env(t: Term, value: Term = value) -> Term | None:
            if not isinstance(t, Var) or t.var != v:
                return None
            return value if t.pos == c else Var(v, keep.index(t.pos), t.type)

        needs = (Follows(ctx, identical(inside, out)),)
        if keep:
            smaller = Distinct((replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
            rows = tuple((x, smaller if x == v else s) for x, s in b.vars)
            yield Instance(spliced(p.bag, i, subst_block(replace(b, vars=rows), env)), needs)
        else:
            rest = subst_block(replace(b, vars=tuple(x for x in b.vars if x[0] != v)), env)
            yield Instance(spliced(p.bag, i, _where(rest, exists(source.bag))), needs)


def _values_outside(inner: Block, out: Term) -> Iterator[Term]:
    """What a column may be shown as that does not depend on the rows inside."""
    own = {x for x, _ in inner.vars}
    found = [o for o in equated(inner.preds, out, nulls=True) if not free_vars(o) & own]
    found += [out] if not free_vars(out) & own else []
    yield from (x for t in found if (x := collated(t, out)) is not None)
    yield null(out.type)


def bind_column(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(B) . d.c = v ∧ P(d) = Σ d ∈ δ(σ[c = v] B without c) . P(d with v for c) where v is outside the
    block. Bindings: block, d, c.
    """
    i, n, c = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or _read_by_sources(b, v) or _mentions_row(b, v):
        return
    types = source_types(source)
    value = elsewhere(b, v)(Var(v, c, pick(types, c)))
    if value is None or len(types) < 2 or free_vars(value) & {x for x, _ in b.vars}:
        return
    keep = [k for k in range(len(types)) if k != c]
    inner = tuple(
        m
        for x in fresh_copy(source.bag)
        for m in block(x.vars, (*x.preds, identical(x.outs[c], value)), tuple(x.outs[k] for k in keep))
    )

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return value if t.pos == c else Var(v, keep.index(t.pos), t.type)

    rows = tuple((x, Distinct(inner) if x == v else s) for x, s in b.vars)
    yield Instance(spliced(p.bag, i, subst_block(replace(b, vars=rows), env) if inner else ()))


def determined_column(p: Place, at: Bindings) -> Iterator[Instance]:
    """A column of δ(B) that is a function of its other columns is that function of them. Bindings: block,
    row, column.
    """
    i, n, c = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or len(source.bag) != 1 or source.either or _mentions_row(b, v):
        return
    (inner,) = source.bag
    out = pick(inner.outs, c)
    keep = [k for k in range(len(inner.outs)) if k != c]
    kept = ((inner.outs[k], at) for at, k in enumerate(keep))
    shown = {o: Var(v, at, o.type) for o, at in kept if isinstance(o, Var) and identity(o.type)}
    value = subst(out, shown.get)
    if not keep or isinstance(out, Var | Lit) or free_vars(value) & {x for x, _ in inner.vars}:
        return

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        if t.pos != c:
            return Var(v, keep.index(t.pos), t.type)
        (copied,) = fresh_copy((Block((), (), (value,)),))
        return copied.outs[0]

    smaller = Distinct((replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    rows = tuple((x, smaller if x == v else s) for x, s in b.vars)
    yield Instance(spliced(p.bag, i, subst_block(replace(b, vars=rows), env)))


def multi_to_set(p: Place, at: Bindings) -> Iterator[Instance]:
    """L EXCEPT ALL R and L INTERSECT ALL R are the rows of L that are not, or are, in R where no row of L
    comes twice (of INTERSECT ALL, or of R, or where duplicates do not count). Bindings: block, row.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Multi):
        return
    ctx = Context((*p.ctx.vars, *(x for x in b.vars if x[0] != v)), p.ctx.preds)
    columns = tuple(Var(v, c, t) for c, t in enumerate(source_types(source)))
    if not all(identity(c.type) for c in columns):
        return
    sides = [(source.left, source.right)]
    sides += [(source.right, source.left)] if source.op == "intersect" else []
    for left, right in sides:
        met = exists(rows_like(fresh_copy(right), columns))
        rows = tuple((x, Distinct(as_set(left)) if x == v else s) for x, s in b.vars)
        test = met if source.op == "intersect" else negate(met)
        needs = () if p.sets and source.op == "intersect" else (NoRowTwice(ctx, left),)
        yield Instance(spliced(p.bag, i, block(rows, (*b.preds, test), b.outs)), needs)
