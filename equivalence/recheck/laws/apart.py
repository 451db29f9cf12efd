"""Laws on DISTINCT rows that are taken apart: by the arm that shows them, and by a condition that they show.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.equivalence.prover.bags import block, exists, subst_block
from rewright.equivalence.prover.build import negate, not_null
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    FALSE,
    TRUE,
    Bag,
    Block,
    Distinct,
    Row,
    Source,
    Term,
    Var,
    free_in_source,
    source_types,
    walk_shallow,
)
from rewright.equivalence.recheck.judging import rows_like
from rewright.equivalence.recheck.laws.stating import Bindings, Follows, Instance
from rewright.equivalence.recheck.places import Place, pick, spliced
from rewright.sql.types import BOOL


def union_apart(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(A ∪ B) . P(d) = Σ d ∈ δ(A) . P(d) ∪ Σ d ∈ δ(B) . P(d) ∧ ¬EXISTS(A . d), where equality of what
    is shown is identity. Bindings: block, d.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or source.either or len(source.bag) < 2 or _whole(b, v):
        return
    row = tuple(Var(v, c, t) for c, t in enumerate(source_types(source)))
    if not all(identity(x.type) for x in row):
        return
    again = negate(exists(rows_like(fresh_copy(source.bag[:1]), row)))
    first = block(_over(b, n, source.bag[:1]), b.preds, b.outs)
    rest = block(_over(b, n, source.bag[1:]), (*b.preds, again), b.outs)
    yield Instance(spliced(p.bag, i, (*first, *fresh_copy(rest))))


def flag_apart(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ δ(B → (q, o)) . P(d) = Σ d ∈ δ(B ∧ q → (TRUE, o)) . P(d) ∪ Σ d ∈ δ(B ∧ ¬q → (FALSE, o)) . P(d),
    where the condition q is never NULL. Bindings: block, d, column.
    """
    i, n, c = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or source.either or len(source.bag) != 1 or _whole(b, v):
        return
    (inner,) = source.bag
    asked = pick(inner.outs, c)
    if asked.type != BOOL or asked in {TRUE, FALSE} or any(v in free_in_source(s) for _, s in b.vars):
        return
    made: list[Block] = []
    for value, holds in ((TRUE, asked), (FALSE, negate(asked))):

        def env(t: Term, value: Term = value) -> Term | None:
            return value if isinstance(t, Var) and t.var == v and t.pos == c else None

        outs = tuple(value if k == c else o for k, o in enumerate(inner.outs))
        rows = block(inner.vars, (*inner.preds, holds), outs)
        made += fresh_copy(subst_block(Block(_over(b, n, rows), b.preds, b.outs), env))
    known = p.ctx.within(Block(inner.vars, inner.preds, ()))
    yield Instance(spliced(p.bag, i, tuple(made)), (Follows(known, not_null(asked)),))


def _over(b: Block, n: int, bag: Bag) -> tuple[tuple[int, Source], ...]:
    return (*b.vars[:n], (b.vars[n][0], Distinct(bag)), *b.vars[n + 1 :])


def _whole(b: Block, v: int) -> bool:
    """Whether the row is read as a whole."""
    return any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs))
