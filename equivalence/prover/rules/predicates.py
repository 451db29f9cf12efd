"""Rules on single predicates and blocks: contradictions, what follows, plain equality.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import app, disj, eq
from rewright.equivalence.prover.symbols import EQ, OR, SAME, identity
from rewright.equivalence.prover.terms import App, Bag, Block, Lit, Nested, Term, Var, free_vars

from .base import At, Place


def drop_contradiction(p: Place, at: At) -> Bag | None:
    """A block whose predicates can't hold together has no rows."""
    (i,) = at
    b = p.block(i)
    if b.preds and p.engine.inconsistent(p.ctx.within(b)):
        return p.with_block(i, ())
    return None


def drop_redundant(p: Place, at: At) -> Bag | None:
    """A predicate that follows from the others and the context."""
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    rest = replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k != n))
    if p.engine.entails(p.ctx.within(rest), goal):
        return p.with_block(i, (rest,))
    return None


def impossible_alternative(p: Place, at: At) -> Bag | None:
    """One of several alternatives that the others of the block and the context rule out. ``at``: block,
    predicate, alternative.
    """
    i, n, k = at
    b = p.block(i)
    goal = b.preds[n]
    if not isinstance(goal, App) or goal.sym != OR:
        return None
    rest = replace(b, preds=tuple(q for m, q in enumerate(b.preds) if m != n))
    if not p.engine.inconsistent(p.ctx.within(rest).having((goal.args[k],))):
        return None
    return p.with_predicate(i, n, disj((*goal.args[:k], *goal.args[k + 1 :])))


def plain_equality(p: Place, at: At) -> Bag | None:
    """IS NOT DISTINCT FROM is = where one side is not NULL. ``at``: block, predicate."""
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    if not (isinstance(goal, App) and goal.sym == SAME):
        return None
    x, y = goal.args
    rest = replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k != n))
    ctx = p.ctx.within(rest)
    if not (p.engine.plainly_not_null(ctx, x) or p.engine.plainly_not_null(ctx, y)):
        return None
    preds = (*b.preds[:n], app(EQ, (x, y), goal.type), *b.preds[n + 1 :])
    return p.with_block(i, block(b.vars, preds, b.outs))


def met_outside(p: Place, at: At) -> Bag | None:
    """7d: EXISTS of a row one column of which equals two values from outside says that these are equal, of
    types whose equality is identity. ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    met = equal_outside(b.preds[n])
    if met is None:
        return None
    pair, inner = met
    preds = (*b.preds[:n], eq(*pair), exists((inner,)), *b.preds[n + 1 :])
    return p.with_block(i, block(b.vars, preds, b.outs))


def equal_outside(goal: Term) -> tuple[tuple[Term, Term], Block] | None:
    """Two terms from outside that one column of an EXISTS equals, and its block without the second
    equality.
    """
    if not isinstance(goal, Nested) or goal.kind != "exists" or len(goal.bag) != 1:
        return None
    (inner,) = goal.bag
    own = {v for v, _ in inner.vars}
    first: dict[Var, Term] = {}
    for q in inner.preds:
        if not (isinstance(q, App) and q.sym == EQ):
            continue
        for x, y in (q.args, q.args[::-1]):
            if not (isinstance(x, Var) and x.var in own) or free_vars(y) & own or isinstance(y, Lit):
                continue
            if x.type != y.type or not identity(x.type):
                continue
            earlier = first.get(x)
            if earlier is not None and earlier != y:
                rest = tuple(other for other in inner.preds if other != q)
                return (earlier, y), replace(inner, preds=rest)
            first.setdefault(x, y)
    return None
