"""Laws on what DISTINCT rows look up: rows that follow from what the others show.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    walk_shallow,
)
from rewright.equivalence.recheck.laws.rows import chained
from rewright.equivalence.recheck.laws.stating import Bindings, Instance, Keyed, OneRow
from rewright.equivalence.recheck.places import Place, pick, spliced


def lookup_apart(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(Σ x̄, s̄ . P(x̄) ∧ Q(x̄, s̄) → (f(x̄), g(x̄, s̄))) . R(d) = Σ d ∈ δ(Σ x̄ . P → f), s̄ . Q(d, s̄) ∧
    R(d, g(d, s̄)), where Q and g read of x̄ only columns that f shows, of types whose equality is identity, and
    each x̄ has one s̄ at most. Bindings: block, d, s̄.
    """
    i, n, *chosen = at
    b = pick(p.bag, i)
    inner = _joined(b, n)
    if inner is None or len(set(chosen)) < len(chosen):
        return
    looked_up = tuple(pick(inner.vars, k) for k in chosen)
    names = {x for x, _ in looked_up}
    rest = tuple(x for x in inner.vars if x not in looked_up)
    reads = {x for _, s in looked_up for x in free_in_source(s)}
    if reads & {x for x, _ in inner.vars} or any(free_in_source(s) & names for _, s in rest):
        return
    asked = tuple(q for q in inner.preds if free_vars(q) & names)
    still = tuple(q for q in inner.preds if q not in asked)

    def told(t: Term) -> Term | None:
        return chained(inner, t, names) if isinstance(t, Var) and t.var in names else None

    outs: list[Term] = []
    apart: set[int] = set()
    for k, o in enumerate(inner.outs):
        other = subst(o, told)
        outs.append(o if free_vars(other) & names else other)
        apart |= {k} if free_vars(other) & names else set()
    others = Block(tuple(x for k, x in enumerate(b.vars) if k != n), (), ())
    around = p.ctx.within(others).within(Block(rest, still, ()))
    after = _fetched(b, n, Block(rest, still, tuple(outs)), apart, looked_up, asked)
    if after is not None:
        yield Instance(spliced(p.bag, i, after), (OneRow(around, (_opened(looked_up, asked),)),))


def looked_up_again(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(Σ x̄, w ∈ T . P → (w.k, f(x̄), g(w))) . R(d) = Σ d ∈ δ(Σ x̄, w ∈ T . P → (w.k, f)), u ∈ T . u.k =
    d.k ∧ R(d, g(u)), where k is a key of T in which there is no NULL. Bindings: block, d, w.
    """
    i, n, k = at
    b = pick(p.bag, i)
    inner = _joined(b, n)
    if inner is None or p.schema is None:
        return
    w, source = pick(inner.vars, k)
    if not isinstance(source, Table):
        return
    for key in p.schema.keys(source):
        u = fresh()
        asked: list[Term] = []
        by: set[Term] = set()
        for c in key.columns:
            own = Var(w, c, source.types[c])
            for term in (own, chained(inner, own, {w})):
                if term is not None and term in inner.outs:
                    asked.append(eq(Var(u, c, source.types[c]), term))
                    by.add(term)
                    break
        apart = {place for place, o in enumerate(inner.outs) if w in free_vars(o) and o not in by}
        read = {t for o in inner.outs for t in walk(o) if isinstance(t, Var) and t.var == w}
        again: dict[Term, Term] = {t: Var(u, t.pos, t.type) for t in read}
        outs = tuple(subst(o, again.get) if place in apart else o for place, o in enumerate(inner.outs))
        if len(asked) < len(key.columns) or not apart:
            continue
        after = _fetched(b, n, replace(inner, outs=outs), apart, ((u, source),), asked)
        if after is not None:
            yield Instance(spliced(p.bag, i, after), (Keyed(source, key.columns, filled=True),))


def asked_within(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(B → o) . P(d) ∧ Q(d) = Σ d ∈ δ(σ[P(o)] B → o) . Q(d), where P reads of the block d alone, by
    columns of types whose equality is identity. Bindings: block, d, P.
    """
    i, n, m = at
    b = pick(p.bag, i)
    d, source = pick(b.vars, n)
    condition = pick(b.preds, m)
    read = {t for t in walk(condition) if isinstance(t, Var | Row) and t.var == d}
    if not isinstance(source, Distinct) or not all(isinstance(t, Var) and identity(t.type) for t in read):
        return
    if not read or free_vars(condition) & {x for x, _ in b.vars if x != d}:
        return
    arms: list[Block] = []
    for arm in fresh_copy(source.bag):
        shown: dict[Term, Term] = {t: arm.outs[t.pos] for t in read if isinstance(t, Var)}
        arms += block(arm.vars, (*arm.preds, subst(condition, shown.get)), arm.outs)
    rows = (*b.vars[:n], (d, Distinct(tuple(arms), source.either)), *b.vars[n + 1 :])
    others = tuple(q for k, q in enumerate(b.preds) if k != m)
    yield Instance(spliced(p.bag, i, block(rows, others, b.outs) if arms else ()))


def _joined(b: Block, n: int) -> Block | None:
    """The one block under δ, with rows of its own, where d is neither read as a whole nor followed."""
    d, source = pick(b.vars, n)
    match source:
        case Distinct((_,) as bag, ()):
            whole = any(Row(d) in set(walk_shallow(t)) for t in (*b.preds, *b.outs))
            return None if whole or any(d in free_in_source(s) for _, s in b.vars) else fresh_copy(bag)[0]
        case _:
            return None


def _opened(rows: tuple[tuple[int, Source], ...], asked: Sequence[Term]) -> Block:
    """Rows together with those that they ask for: of one such pair at most there is one row at most."""
    found, met = list(rows), list[Term]()
    for q in asked:
        match q:
            case Nested("exists", _, (_,) as bag):
                (x,) = fresh_copy(bag)
                found.extend(x.vars)
                met.extend(x.preds)
            case _:
                met.append(q)
    return Block(tuple(found), tuple(met), ())


def _fetched(
    b: Block,
    n: int,
    rest: Block,
    apart: set[int],
    looked_up: tuple[tuple[int, Source], ...],
    asked: Sequence[Term],
) -> Bag | None:
    """δ of the rest's own columns, beside it what is looked up; the columns ``apart`` are made of both."""
    d, _ = b.vars[n]
    within = dict(rest.vars)
    stay = [k for k in range(len(rest.outs)) if k not in apart]
    stay.sort(key=lambda k: place_of(rest.outs[k], within))
    names: dict[Term, Term] = {}
    for place, k in enumerate(stay):
        if identity(rest.outs[k].type):
            names[rest.outs[k]] = Var(d, place, rest.outs[k].type)
    conditions = tuple(subst(q, names.get) for q in asked)
    fetched = {k: subst(rest.outs[k], names.get) for k in apart}
    if not stay or any(free_vars(t) & set(within) for t in (*conditions, *fetched.values())):
        return None

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != d:
            return None
        if t.pos not in apart:
            return Var(d, stay.index(t.pos), t.type)
        (again,) = fresh_copy((Block((), (), (fetched[t.pos],)),))
        return again.outs[0]

    rows = Distinct(block(rest.vars, rest.preds, tuple(rest.outs[k] for k in stay)))
    joined = replace(b, vars=(*b.vars[:n], (d, rows), *looked_up, *b.vars[n + 1 :]))
    return tuple(x for r in subst_block(joined, env) for x in block(r.vars, (*r.preds, *conditions), r.outs))
