"""Rules on single predicates and blocks: contradictions, what follows, plain equality.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, subst
from rewright.equivalence.prover.build import app, conj, disj, eq, is_true, negate
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import EQ, NOT, OR, SAME, identity
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Block,
    Limited,
    Lit,
    Nested,
    Row,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    walk,
)
from rewright.equivalence.prover.unique import one_row

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
    if p.engine.entails(p.ctx.within(rest), goal) or _holds_of_rows(p, rest, goal):
        return p.with_block(i, (rest,))
    return None


def _holds_of_rows(p: Place, rest: Block, goal: Term) -> bool:
    """Whether a condition follows of one of the rows that a cut keeps, from what these are made of."""
    own = free_vars(goal)
    cut = [(v, s) for v, s in rest.vars if v in own and isinstance(s, Limited) and s.bag]
    read = {t for x in (*rest.preds, goal) for t in walk(x)}
    for v, source in cut:
        # the row itself is none of those below the cut
        if Row(v) in read or any(v in free_in_source(s) for _, s in rest.vars):
            continue
        if all(_holds_of_row(p, rest, goal, v, row) for row in fresh_copy(source.bag)):
            return True
    return False


def _holds_of_row(p: Place, rest: Block, goal: Term, v: int, row: Block) -> bool:
    def shown(t: Term) -> Term | None:
        return row.outs[t.pos] if isinstance(t, Var) and t.var == v else None

    vars_ = (*(x for x in rest.vars if x[0] != v), *row.vars)
    known = Block(vars_, (*row.preds, *(subst(q, shown) for q in rest.preds)), ())
    return p.engine.entails(p.ctx.within(known), subst(goal, shown))


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


def other_than_asked(p: Place, at: At) -> Bag | None:
    """3a, F5, F6: where there is just one row that equals what it is looked up by, NOT EXISTS of one that
    also meets a condition is EXISTS of one that does not. ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    inner = row_denied(b.preds[n])
    if inner is None:
        return None
    ctx = p.ctx.within(replace(b, preds=(*b.preds[:n], *b.preds[n + 1 :])))
    for key in p.engine.schema.keys(inner.vars[0][1]):
        ties = tuple(q for q in inner.preds if _ties(q, inner.vars[0][0], key.columns))
        asked = tuple(q for q in inner.preds if q not in ties)
        found = replace(inner, preds=ties)
        if not asked or len(ties) < len(key.columns):
            continue
        if p.engine.entails(ctx, exists((found,))) and one_row(p.engine, ctx, (found,)):
            other = exists((replace(inner, preds=(*ties, negate(is_true(conj(asked))))),))
            return p.with_predicate(i, n, other)
    return None


def row_denied(goal: Term) -> Block | None:
    """The row of one relation of which a predicate says that there is none."""
    if not isinstance(goal, App) or goal.sym != NOT or not isinstance(goal.args[0], Nested):
        return None
    some = goal.args[0]
    if some.kind != "exists" or len(some.bag) != 1 or len(some.bag[0].vars) != 1:
        return None
    return some.bag[0] if isinstance(some.bag[0].vars[0][1], Table) else None


def _ties(q: Term, v: int, columns: Collection[int]) -> bool:
    """Whether the predicate says what one of these columns equals."""
    if not isinstance(q, App) or q.sym != EQ:
        return False
    return any(
        isinstance(x, Var) and x.var == v and x.pos in columns and v not in free_vars(y)
        for x, y in (q.args, q.args[::-1])
    )


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
