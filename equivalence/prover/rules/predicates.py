"""Rules on single predicates and blocks: contradictions, what follows, plain equality.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block
from rewright.equivalence.prover.build import (
    app,
)
from rewright.equivalence.prover.symbols import EQ, SAME
from rewright.equivalence.prover.terms import (
    App,
    Bag,
)

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
