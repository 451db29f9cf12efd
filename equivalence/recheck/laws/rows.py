"""Laws on joined rows: two variables that are one row, rows that are only asked to exist.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, subst, subst_block
from rewright.equivalence.prover.context import identical
from rewright.equivalence.prover.symbols import identity, same_when_equal
from rewright.equivalence.prover.terms import (
    Block,
    Distinct,
    Function,
    Lit,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    rows_renamed,
    source_types,
    walk_bag,
)
from rewright.equivalence.recheck.counting import equated
from rewright.equivalence.recheck.laws.stating import Bindings, Determined, Follows, Instance, SameRow
from rewright.equivalence.recheck.places import Place, pick, spliced


def merge_copies(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x, y . P(x, y) = Σ y . P(y, y) where both range over one relation or series and agree on a key of it.
    Bindings: block, x, y (rows in scope first).
    """
    i, n, m = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    w, other = pick((*p.ctx.vars, *b.vars), m)
    if v != w and source == other and isinstance(source, Table | Function):
        rest = replace(b, vars=tuple(x for x in b.vars if x[0] != v))
        after = subst_block(rest, rows_renamed({v: w}))
        yield Instance(spliced(p.bag, i, after), (SameRow(p.ctx.within(b), source, v, w),))


def semijoin(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄, y . P(x̄) ∧ Q(x̄, y) → o(x̄) = Σ x̄ . P ∧ EXISTS(y . Q) → o where the rest determines y, or
    duplicates do not count. What the outputs show of y is shown by what equals it. Bindings: block, y.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if isinstance(source, Distinct) or any(v in free_in_source(s) for _, s in b.vars):
        return
    others = tuple(x for x in b.vars if x[0] != v)
    kept = tuple(q for q in b.preds if v not in free_vars(q))
    alone = Block(((v, source),), tuple(q for q in b.preds if v in free_vars(q)), ())
    outs = tuple(subst(o, elsewhere(alone, v)) for o in b.outs)
    if any(v in free_vars(o) for o in outs):
        return
    needs = () if p.sets else (Determined(p.ctx.within(Block(others, kept, ())), alone),)
    yield Instance(spliced(p.bag, i, block(others, (*kept, exists((alone,))), outs)), needs)


def elsewhere(b: Block, v: int) -> Callable[[Term], Term | None]:
    """For each column of ``v`` the first term without it that the block equates with it, where equal values
    are the very same.
    """

    def env(t: Term) -> Term | None:
        if not (isinstance(t, Var) and t.var == v):
            return None
        return next(
            (
                found
                for other in equated(b.preds, t, nulls=True)
                if (found := collated(other, t)) is not None
                and v not in free_vars(found)
                and same_when_equal(t, found)
            ),
            None,
        )

    return env


def collated(other: Term, t: Term) -> Term | None:
    """A term to stand for ``t``: under the same collation, which functions of it will use. A constant takes
    that on.
    """
    if other.type.collation == t.type.collation:
        return other
    if isinstance(other, Lit):
        return Lit(other.value, replace(other.type, collation=t.type.collation))
    return None


def referred_column(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄ . P → o(y.k) = Σ x̄ . P → o(z.c) where P makes y.k and z.c the very same. Bindings:
    block, z, c, y, k.
    """
    i, n, c, m, k = at
    b = pick(p.bag, i)
    (z, one), (y, other) = pick(b.vars, n), pick(b.vars, m)
    old, new = Var(y, k, pick(source_types(other), k)), Var(z, c, pick(source_types(one), c))
    if old.type == new.type:
        outs = tuple(subst(o, lambda t: new if t == old else None) for o in b.outs)
        after = spliced(p.bag, i, block(b.vars, b.preds, outs))
        yield Instance(after, (Follows(p.ctx.within(b), identical(old, new)),))


def tied_outside(p: Place, at: Bindings) -> Iterator[Instance]:
    """X = v ∧ Q(x) is x = v ∧ Q(v), and so with IS NOT DISTINCT FROM, of types whose equality is identity.
    Bindings: block, condition Q.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    own = {v for v, _ in b.vars}
    others = (*b.preds[:n], *b.preds[n + 1 :])
    values: dict[Term, Term] = {}
    for t in walk_bag((Block((), (goal,), ()),)):
        if isinstance(t, Var) and t.var in own and identity(t.type):
            outside = (
                x for x in equated(others, t, nulls=True) if not free_vars(x) & own and identity(x.type)
            )
            found = next(outside, None)
            if found is not None and found.type == t.type:
                values[t] = found
    if values:
        new = subst(goal, values.get)
        yield Instance(spliced(p.bag, i, block(b.vars, (*others[:n], new, *others[n:]), b.outs)))


def chained(b: Block, column: Var, gone: set[int]) -> Term | None:
    """An identical term without the rows that go, through equalities of types whose equality is identity; the
    last found first.
    """
    seen: set[Term] = {column}
    todo: list[Term] = [column]
    while todo:
        t = todo.pop()
        for x in equated(b.preds, t, nulls=True):
            other = collated(x, column)
            if other is None or other in seen or not (identity(other.type) and identity(t.type)):
                continue
            if not free_vars(other) & gone:
                return other
            seen.add(other)
            todo.append(other)
    return None
