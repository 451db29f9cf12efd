"""Laws on single conditions and whole blocks: what cannot hold, what follows, blocks of which one holds at
most.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from rewright.equivalence.prover.bags import block, exists, subst
from rewright.equivalence.prover.build import (
    app,
    case,
    conj,
    disj,
    eq,
    exists_value,
    negate,
    not_null,
    predicates,
)
from rewright.equivalence.prover.context import identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import EQ, NOT, OR, SAME, identity
from rewright.equivalence.prover.terms import (
    App,
    Block,
    Distinct,
    Limited,
    Nested,
    Row,
    Term,
    Var,
    bag_types,
    free_in_source,
    free_vars,
    source_types,
    walk,
    walk_shallow,
)
from rewright.equivalence.recheck.comparing import aligned
from rewright.equivalence.recheck.judging import rows_like
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Follows,
    Impossible,
    Instance,
    OneRow,
)
from rewright.equivalence.recheck.places import Place, pick, spliced

# outputs in which two merged blocks may differ
_MOST_OUTPUTS = 4


def _without(b: Block, number: int) -> Block:
    return replace(b, preds=(*b.preds[:number], *b.preds[number + 1 :]))


def contradiction(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄ . P = ∅ where P never holds. Bindings: block."""
    (i,) = at
    yield Instance(spliced(p.bag, i, ()), (Impossible(p.ctx.within(pick(p.bag, i))),))


def redundant(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄ . P ∧ q = Σ x̄ . P where q follows from P. Bindings: block, condition."""
    i, n = at
    b = pick(p.bag, i)
    goal, rest = pick(b.preds, n), _without(b, n)
    yield Instance(spliced(p.bag, i, (rest,)), (Follows(p.ctx.within(rest), goal),))
    # of a row that a cut keeps, which is one of those below: what follows of each of these
    for v, source in rest.vars:
        if isinstance(source, Limited) and v in free_vars(goal):
            below = tuple(_below(p, rest, goal, v, row) for row in fresh_copy(source.bag))
            if below and all(x is not None for x in below):
                yield Instance(spliced(p.bag, i, (rest,)), tuple(x for x in below if x is not None))


def _below(p: Place, rest: Block, goal: Term, v: int, row: Block) -> Condition | None:
    """That the goal follows where the row is the one that ``v`` is; None where ``v`` is told by more than
    its columns.
    """
    everything = (*rest.preds, goal)
    if any(t == Row(v) for x in everything for t in walk(x)):
        return None
    if any(v in free_in_source(s) for _, s in rest.vars):
        return None

    def column(t: Term) -> Term | None:
        return row.outs[t.pos] if isinstance(t, Var) and t.var == v else None

    met = tuple(subst(q, column) for q in rest.preds)
    others = tuple(x for x in rest.vars if x[0] != v)
    ctx = p.ctx.within(Block((*others, *row.vars), (*row.preds, *met), ()))
    return Follows(ctx, subst(goal, column))


def alternative(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄ . P ∧ (q ∨ r) = Σ x̄ . P ∧ r where P and q never hold both. Bindings: block, condition, q."""
    i, n, k = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    if isinstance(goal, App) and goal.sym == OR:
        other = disj((*goal.args[:k], *goal.args[k + 1 :]))
        preds = (*b.preds[:n], *predicates(other), *b.preds[n + 1 :])
        ctx = p.ctx.within(_without(b, n)).having((pick(goal.args, k),))
        yield Instance(spliced(p.bag, i, block(b.vars, preds, b.outs)), (Impossible(ctx),))


def arm(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(A + B) . P(d) = Σ d ∈ δ(A) . P(d) where P holds of no row of B; what P asks of columns whose
    equals may differ does not count. Bindings: block, d, B among the bags.
    """
    i, n, k = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or len(source.bag) < 2:
        return
    if any(t == Row(v) for x in (*b.preds, *b.outs) for t in walk_shallow(x)):
        return
    (rows,) = fresh_copy((pick(source.bag, k),))
    types = source_types(source)

    def of_arm(t: Term) -> Term | None:
        return rows.outs[t.pos] if isinstance(t, Var) and t.var == v else None

    read = {q: [t for t in walk(q) if isinstance(t, Var) and t.var == v] for q in b.preds}
    met = [subst(q, of_arm) for q, columns in read.items() if all(identity(types[t.pos]) for t in columns)]
    others = tuple(x for x in b.vars if x[0] != v and v not in free_in_source(x[1]))
    ctx = p.ctx.within(Block(others, (), ())).within(rows).having(met)
    fewer = Distinct((*source.bag[:k], *source.bag[k + 1 :]), source.either)
    vars_ = (*b.vars[:n], (v, fewer), *b.vars[n + 1 :])
    yield Instance(spliced(p.bag, i, block(vars_, b.preds, b.outs)), (Impossible(ctx),))


def plain_equality(p: Place, at: Bindings) -> Iterator[Instance]:
    """X IS NOT DISTINCT FROM y is x = y where one of them is not NULL. Bindings: block, condition."""
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    if isinstance(goal, App) and goal.sym == SAME:
        ctx = p.ctx.within(_without(b, n))
        plain = (*b.preds[:n], app(EQ, goal.args, goal.type), *b.preds[n + 1 :])
        after = spliced(p.bag, i, block(b.vars, plain, b.outs))
        for side in goal.args:
            yield Instance(after, (Follows(ctx, not_null(side)),))


def merge_blocks(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄ . C ∧ L → l + Σ x̄ . C ∧ R → r = Σ x̄ . C ∧ (L ∨ R) → o where L and R never hold both, or
    duplicates do not count; o is r if that is l where L holds, l if that is r where R holds, else CASE WHEN L
    THEN l ELSE r (not for sets). Bindings: blocks i < j, and for each row of i its partner in j.
    """
    i, j, *pairing = at
    left = pick(p.bag, i)
    right = aligned(left, pick(p.bag, j), tuple(pairing))
    if not i < j or right is None or left.vars != right.vars or len(left.outs) != len(right.outs):
        return
    common = tuple(q for q in left.preds if q in right.preds)
    ours = tuple(q for q in left.preds if q not in common)
    theirs = tuple(q for q in right.preds if q not in common)
    shared = p.ctx.within(replace(left, preds=common))
    apart = () if p.sets else (Impossible(shared.having((*ours, *theirs))),)
    one, other = conj(exists_value(q) for q in ours), conj(exists_value(q) for q in theirs)

    def ways(x: Term, y: Term) -> Iterator[tuple[Term, tuple[Condition, ...]]]:
        if x == y:
            yield y, ()
            return
        yield y, (Follows(shared.having(ours), identical(x, y)),)
        yield x, (Follows(shared.having(theirs), identical(x, y)),)
        if not p.sets:
            type_ = bag_types((Block((), (), (x,)), Block((), (), (y,))))[0]
            yield case((one, x, y), type_), ()

    pairs = list(zip(left.outs, right.outs, strict=True))
    if sum(x != y for x, y in pairs) > _MOST_OUTPUTS:
        return
    for chosen in product(*(tuple(ways(x, y)) for x, y in pairs)):
        merged = block(left.vars, (*common, disj((one, other))), tuple(o for o, _ in chosen))
        needs = (*apart, *(c for _, conditions in chosen for c in conditions))
        yield Instance((*p.bag[:i], *merged, *p.bag[i + 1 : j], *p.bag[j + 1 :]), needs)


def covered_block(p: Place, at: Bindings) -> Iterator[Instance]:
    """A block all of whose rows another one has adds nothing where duplicates do not count. Bindings: the
    block, the other.
    """
    i, j = at
    b, cover = pick(p.bag, i), pick(p.bag, j)
    if p.sets and i != j:
        some = exists(rows_like(fresh_copy((cover,)), b.outs))
        yield Instance(spliced(p.bag, i, ()), (Follows(p.ctx.within(b), some),))


def other_than_asked(p: Place, at: Bindings) -> Iterator[Instance]:
    """¬EXISTS(x . x.c̄ = s̄ ∧ P) = EXISTS(x . x.c̄ = s̄ ∧ P is not TRUE) where there is one row x with x.c̄ = s̄,
    s̄ from outside, and no more. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    some = goal.args[0] if isinstance(goal, App) and goal.sym == NOT else None
    if not isinstance(some, Nested) or some.kind != "exists" or len(some.bag) != 1:
        return
    (inner,) = some.bag
    if len(inner.vars) != 1 or p.schema is None:
        return
    ((row, source),) = inner.vars
    ctx = p.ctx.within(_without(b, n))
    for key in p.schema.keys(source):

        def by(q: Term, columns: tuple[int, ...] = key.columns) -> bool:
            sides = q.args if isinstance(q, App) and q.sym == EQ else ()
            own = [x for x in sides if row in free_vars(x)]
            return len(own) == 1 and isinstance(own[0], Var) and own[0].pos in columns

        ties = tuple(filter(by, inner.preds))
        asked = conj(q for q in inner.preds if not by(q))
        found = replace(inner, preds=ties)
        other = exists((replace(inner, preds=(*ties, negate(exists_value(asked)))),))
        new = block(b.vars, (*b.preds[:n], *predicates(other), *b.preds[n + 1 :]), b.outs)
        if ties and len(ties) < len(inner.preds):
            yield Instance(spliced(p.bag, i, new), (Follows(ctx, exists((found,))), OneRow(ctx, (found,))))


def met_outside(p: Place, at: Bindings) -> Iterator[Instance]:
    """EXISTS(x . x.c = s ∧ x.c = t ∧ P) = (s = t) ∧ EXISTS(x . x.c = s ∧ P) where s and t are from outside
    and the equality of their one type is identity. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    if not isinstance(goal, Nested) or goal.kind != "exists" or len(goal.bag) != 1:
        return
    (inner,) = goal.bag
    own = {v for v, _ in inner.vars}
    ties = [
        (x, y, k)
        for k, q in enumerate(inner.preds)
        if isinstance(q, App) and q.sym == EQ
        for x, y in (q.args, q.args[::-1])
        if isinstance(x, Var) and x.var in own and not free_vars(y) & own
        if x.type == y.type and identity(x.type)
    ]
    for (x, one, _), (z, other, k) in combinations(ties, 2):
        if x == z and one != other:
            preds = (*b.preds[:n], eq(one, other), exists((_without(inner, k),)), *b.preds[n + 1 :])
            yield Instance(spliced(p.bag, i, block(b.vars, preds, b.outs)))
