"""Laws on EXCEPT ALL (a row max(m - n, 0) times) and INTERSECT ALL (min(m, n) times).

All are of columns whose equal values are the very same. Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import block, put_rows, subst
from rewright.equivalence.prover.build import conj, is_true, negate, same
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Multi,
    Row,
    Source,
    Table,
    Term,
    Var,
    free_vars,
    max_var,
    rename_bound,
    source_types,
    walk,
)
from rewright.equivalence.recheck.comparing import aligned
from rewright.equivalence.recheck.laws.stating import Bindings, Follows, Impossible, Instance
from rewright.equivalence.recheck.places import Place, pick, spliced


def _of(b: Block, n: int) -> tuple[int, Multi] | None:
    v, source = pick(b.vars, n)
    if isinstance(source, Multi) and all(map(identity, source_types(source))):
        return v, source
    return None


def _over(b: Block, n: int, source: Source) -> Bag:
    rows = tuple((v, source if k == n else s) for k, (v, s) in enumerate(b.vars))
    return block(rows, b.preds, b.outs)


def _one(x: Bag, y: Bag) -> bool:
    """Whether two bags are written alike but for the names of their rows."""
    above = max(max_var(x), max_var(y)) + 1
    return rename_bound(x, above) == rename_bound(y, above)


def multi_arms(p: Place, at: Bindings) -> Iterator[Instance]:
    """(A ⊎ C) ∖ (B ⊎ C) = A ∖ B; (A ∖ B) ∖ C = A ∖ (B ⊎ C); A ∖ (A ∖ B) = A ∩ B; A ∖ ∅ = A; A ∩ A = A.
    Bindings: block, row.
    """
    i, n = at
    b = pick(p.bag, i)
    found = _of(b, n)
    if found is None:
        return
    _, source = found
    left, right = source.left, source.right
    if source.op == "except":
        for new in _differences(left, right):
            yield Instance(spliced(p.bag, i, _over(b, n, new)))
    whole = not right if source.op == "except" else _one(left, right)
    if whole:
        yield Instance(spliced(p.bag, i, put_rows(b, n, left)))


def _differences(left: Bag, right: Bag) -> Iterator[Multi]:
    for i, x in enumerate(left):
        for k, y in enumerate(right):
            if _one((x,), (y,)):
                yield Multi("except", spliced(left, i, ()), spliced(right, k, ()))
    within = _difference_of(left)
    if within is not None:
        yield Multi("except", within.left, (*within.right, *right))
    within = _difference_of(right)
    if within is not None and _one(left, within.left):
        yield Multi("intersect", left, within.right)


def _difference_of(bag: Bag) -> Multi | None:
    match bag:
        case (Block(((v, Multi("except") as source),), (), outs),):
            whole = tuple(Var(v, c, t) for c, t in enumerate(source_types(source)))
            return source if outs == whole else None
    return None


def multi_within(p: Place, at: Bindings) -> Iterator[Instance]:
    """({a | P} ⊎ C) ∖ ({a | Q} ⊎ D) = ({a | P ∧ ¬Q} ⊎ C) ∖ D where P follows from Q and Q's rows are shown as
    P's; ¬Q where Q is FALSE or NULL. Of tables alone. Bindings: block, row, block of the left side, block of
    the right side, and for each row of the one its partner in the other.
    """
    i, n, k, m, *pairing = at
    b = pick(p.bag, i)
    found = _of(b, n)
    if found is None or found[1].op != "except":
        return
    v, source = found
    kept, (other,) = pick(source.left, k), fresh_copy((pick(source.right, m),))
    gone = aligned(kept, other, tuple(pairing))
    if gone is None or gone.vars != kept.vars or any(not isinstance(s, Table) for _, s in kept.vars):
        return
    ctx = Context((*p.ctx.vars, *(x for x in b.vars if x[0] != v)), p.ctx.preds).within(gone)
    needs = tuple(Follows(ctx, q) for q in kept.preds)
    needs += tuple(Follows(ctx, identical(x, y)) for x, y in zip(kept.outs, gone.outs, strict=True))
    further = [is_true(q) for q in gone.preds if q not in kept.preds]
    rest = block(kept.vars, (*kept.preds, negate(is_true(conj(further)))), kept.outs)
    made = replace(source, left=spliced(source.left, k, rest), right=spliced(source.right, m, ()))
    yield Instance(spliced(p.bag, i, _over(b, n, made)), needs)


def multi_filter(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x ∈ A ∖ B . q(x) = Σ x ∈ {a ∈ A | q(a)} ∖ B, and so of ∩. Bindings: block, row, condition."""
    i, n, m = at
    b = pick(p.bag, i)
    found, asked = _of(b, n), pick(b.preds, m)
    if found is None:
        return
    v, source = found
    others = {x for x, _ in b.vars} - {v}
    if v not in free_vars(asked) or free_vars(asked) & others or Row(v) in set(walk(asked)):
        return
    made = replace(source, left=_meeting(source.left, v, asked))
    rest = replace(b, preds=(*b.preds[:m], *b.preds[m + 1 :]))
    yield Instance(spliced(p.bag, i, _over(rest, n, made)))


def _meeting(bag: Bag, v: int, asked: Term) -> Bag:
    found: list[Block] = []
    for x in fresh_copy(bag):
        (own,) = fresh_copy((Block((), (asked,), ()),))

        def shown(t: Term, outs: tuple[Term, ...] = x.outs) -> Term | None:
            return outs[t.pos] if isinstance(t, Var) and t.var == v else None

        found += block(x.vars, (*x.preds, *(subst(q, shown) for q in own.preds)), x.outs)
    return tuple(found)


def multi_condition(p: Place, at: Bindings) -> Iterator[Instance]:
    """A ∖ {b ∈ B | q(b)} = A ∖ B where q holds of each row of B that is one of A, and so of ∩. Bindings:
    block, row, block of the right side, condition of it.
    """
    i, n, k, m = at
    b = pick(p.bag, i)
    found = _of(b, n)
    if found is None:
        return
    v, source = found
    mine = pick(source.right, k)
    asked = pick(mine.preds, m)
    rest = replace(mine, preds=(*mine.preds[:m], *mine.preds[m + 1 :]))
    ctx = Context((*p.ctx.vars, *(x for x in b.vars if x[0] != v)), p.ctx.preds).within(rest)
    needs = tuple(
        Follows(ctx.within(x).having(same(o, q) for o, q in zip(x.outs, mine.outs, strict=True)), asked)
        for x in fresh_copy(source.left)
    )
    made = replace(source, right=spliced(source.right, k, (rest,)))
    yield Instance(spliced(p.bag, i, _over(b, n, made)), needs)


def multi_apart(p: Place, at: Bindings) -> Iterator[Instance]:
    """Where no row of C is one of B: (A ⊎ C) ∖ B = (A ∖ B) ⊎ C, B ∖ (A ⊎ C) = B ∖ A, and so for ∩, where
    nothing of C is left. Bindings: block, row, side, block in it.
    """
    i, n, side, k = at
    b = pick(p.bag, i)
    found = _of(b, n)
    if found is None or side not in {0, 1}:
        return
    v, source = found
    mine, others = (source.left, source.right)[:: 1 if side == 0 else -1]
    alone = pick(mine, k)
    ctx = Context((*p.ctx.vars, *(x for x in b.vars if x[0] != v)), p.ctx.preds)
    needs = tuple(_never_both(ctx, alone, y) for y in others)
    rest = spliced(mine, k, ())
    made = replace(source, left=rest) if side == 0 else replace(source, right=rest)
    kept = put_rows(b, n, (alone,)) if (side, source.op) == (0, "except") else ()
    yield Instance(spliced(p.bag, i, (*_over(b, n, made), *kept)), needs)


def _never_both(ctx: Context, x: Block, y: Block) -> Impossible:
    (one,), (other,) = fresh_copy((x,)), fresh_copy((y,))
    alike = (same(o, q) for o, q in zip(one.outs, other.outs, strict=True))
    return Impossible(ctx.within(one).within(other).having(alike))
