"""Rules on EXCEPT ALL and INTERSECT ALL, which count how often a row comes on either side.

All want columns whose equal values are the very same: the server shows rows of one side for those of both.
Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, put_rows, subst
from rewright.equivalence.prover.build import conj, exists_value, is_true, negate, same
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Multi,
    Row,
    Table,
    Term,
    Var,
    free_vars,
    max_var,
    rename_bound,
    source_types,
    walk,
)

from .base import At, Place
from .unions import align


def _counted(b: Block, n: int) -> Multi | None:
    """The set operation that row ``n`` is of, where its equal values are the same."""
    source = b.vars[n][1]
    # 1.0 and 1.00 count as one row, of which either side's may be shown
    plain = isinstance(source, Multi) and all(identity(t) for t in source_types(source))
    return source if plain and isinstance(source, Multi) else None


def multi_arms(p: Place, at: At) -> Bag | None:
    """9: what both sides of EXCEPT ALL have goes away; EXCEPT ALL twice takes away the sum; what is left when
    that is taken away which B leaves of A is their intersection; A INTERSECT ALL A is A. ``at``: block,
    variable.
    """
    i, n = at
    b = p.block(i)
    source = _counted(b, n)
    if source is None:
        return None
    new = _without_shared(source) or _taken_twice(source) or _left_over(source)
    if new is not None:
        return p.with_block(i, _ranging(b, n, new))
    # nothing is taken away
    if source.op == "except" and not source.right:
        return p.with_block(i, put_rows(b, n, source.left))
    # min(n, n) is n
    if source.op == "intersect" and _alike(source.left, source.right):
        return p.with_block(i, put_rows(b, n, source.left))
    return None


def _ranging(b: Block, n: int, source: Multi) -> Bag:
    return block((*b.vars[:n], (b.vars[n][0], source), *b.vars[n + 1 :]), b.preds, b.outs)


def _alike(one: Bag, other: Bag) -> bool:
    """Whether two bags are one but for the names of their rows."""
    start = 1 + max(max_var(one), max_var(other))
    return rename_bound(one, start) == rename_bound(other, start)


def _without_shared(source: Multi) -> Multi | None:
    """Without one block that both sides of EXCEPT ALL have."""
    if source.op != "except":
        return None
    for i, x in enumerate(source.left):
        for k, y in enumerate(source.right):
            # one copy on the right takes one of the left's away
            if _alike((x,), (y,)):
                left = (*source.left[:i], *source.left[i + 1 :])
                return replace(source, left=left, right=(*source.right[:k], *source.right[k + 1 :]))
    return None


def _inner(bag: Bag) -> Multi | None:
    """The EXCEPT ALL whose rows a bag is."""
    # conditions on the difference itself make other rows of it
    if len(bag) != 1 or len(bag[0].vars) != 1 or bag[0].preds:
        return None
    ((v, source),) = bag[0].vars
    columns = tuple(Var(v, c, t) for c, t in enumerate(source_types(source)))
    # columns in another order would be counted by other rows
    return source if isinstance(source, Multi) and source.op == "except" and bag[0].outs == columns else None


def _taken_twice(source: Multi) -> Multi | None:
    """(A EXCEPT ALL B) EXCEPT ALL C is A EXCEPT ALL (B UNION ALL C)."""
    inner = _inner(source.left) if source.op == "except" else None
    return None if inner is None else replace(source, left=inner.left, right=(*inner.right, *source.right))


def _left_over(source: Multi) -> Multi | None:
    """A EXCEPT ALL (A EXCEPT ALL B) is A INTERSECT ALL B."""
    inner = _inner(source.right) if source.op == "except" else None
    # the very rows that the difference was taken from
    if inner is None or not _alike(source.left, inner.left):
        return None
    return Multi("intersect", source.left, inner.right)


def multi_within(p: Place, at: At) -> Bag | None:
    """9: what EXCEPT ALL takes away are those rows of its left side that meet further conditions: the others
    stay, a condition that is NULL among them. ``at``: block, variable, block of the left side, block of the
    right side, and for each variable of the first the position of its partner in the second.
    """
    i, n, k, m, *pairing = at
    b = p.block(i)
    source = _counted(b, n)
    if source is None or source.op != "except" or k >= len(source.left) or m >= len(source.right):
        # a block that has gone since the proof was made, or INTERSECT
        return None
    mine, (theirs,) = source.left[k], fresh_copy((source.right[m],))
    if len(mine.vars) != len(theirs.vars) or sorted(pairing) != list(range(len(mine.vars))):
        return None
    taken = align(mine, theirs, pairing)
    # two reads of other sources may choose unlike rows
    # LIMIT or functions may choose other rows at the second time
    if taken is None or taken.vars != mine.vars or not all(isinstance(s, Table) for _, s in mine.vars):
        return None
    ctx = _beside(p, b, n).within(taken)
    among = all(p.engine.entails(ctx, q) for q in mine.preds)
    as_shown = all(p.engine.entails(ctx, identical(x, y)) for x, y in zip(mine.outs, taken.outs, strict=True))
    # the rows taken away must be rows of the left, shown alike
    if not (among and as_shown):
        return None
    met = conj(exists_value(q) for q in taken.preds if q not in mine.preds)
    # IS NOT TRUE: a row whose condition is NULL was not taken away
    left = block(mine.vars, (*mine.preds, negate(is_true(met))), mine.outs)
    new = replace(
        source,
        left=(*source.left[:k], *left, *source.left[k + 1 :]),
        right=(*source.right[:m], *source.right[m + 1 :]),
    )
    return p.with_block(i, _ranging(b, n, new))


def multi_filter(p: Place, at: At) -> Bag | None:
    """7a: a condition on the rows that come out is asked of the left side's. ``at``: block, variable,
    predicate.
    """
    i, n, m = at
    b = p.block(i)
    source, (v, _) = _counted(b, n), b.vars[n]
    asked = b.preds[m]
    own = {x for x, _ in b.vars}
    # a condition that reads other rows beside would be asked of pairs
    if source is None or free_vars(asked) & own != {v} or Row(v) in set(walk(asked)):
        return None
    rest = replace(b, preds=(*b.preds[:m], *b.preds[m + 1 :]))
    return p.with_block(i, _ranging(rest, n, replace(source, left=_where(source.left, v, asked))))


def _where(bag: Bag, v: int, asked: Term) -> Bag:
    """The rows of one side of which the condition holds."""
    found: list[Block] = []
    for x in fresh_copy(bag):

        def env(t: Term, row: Block = x) -> Term | None:
            return row.outs[t.pos] if isinstance(t, Var) and t.var == v else None

        # a fresh copy for each block, or nested rows would be bound twice
        (holder,) = fresh_copy((Block((), (asked,), ()),))
        found.extend(block(x.vars, (*x.preds, *(subst(q, env) for q in holder.preds)), x.outs))
    return tuple(found)


def multi_condition(p: Place, at: At) -> Bag | None:
    """9: of rows on the right only those are counted that are on the left: what holds of these need not be
    asked there. ``at``: block, variable, block of the right side, predicate of it.
    """
    i, n, k, m = at
    b = p.block(i)
    source = _counted(b, n)
    if source is None or k >= len(source.right) or m >= len(source.right[k].preds):
        return None
    mine = source.right[k]
    asked = mine.preds[m]
    rest = replace(mine, preds=(*mine.preds[:m], *mine.preds[m + 1 :]))
    ctx = _beside(p, b, n).within(rest)
    for x in fresh_copy(source.left):
        # a row of the right side that no row of the left is like is counted with nothing
        alike = (same(u, v) for u, v in zip(x.outs, mine.outs, strict=True))
        # each row on the left that is like one on the right must meet what was asked there
        if not p.engine.entails(ctx.within(x).having(alike), asked):
            return None
    right = (*source.right[:k], rest, *source.right[k + 1 :])
    return p.with_block(i, _ranging(b, n, replace(source, right=right)))


def _beside(p: Place, b: Block, n: int) -> Context:
    """The rows around a side of the operation."""
    return Context((*p.ctx.vars, *(x for k, x in enumerate(b.vars) if k != n)), p.ctx.preds)


def multi_apart(p: Place, at: At) -> Bag | None:
    """9: a block of one side that has no row in common with the other is not counted with it: on the left of
    EXCEPT ALL it stands beside, on the right and in INTERSECT ALL it is nothing. ``at``: block, variable,
    side, block of it.
    """
    i, n, side, k = at
    b = p.block(i)
    source = _counted(b, n)
    if source is None:
        return None
    mine, others = (source.left, source.right) if side == 0 else (source.right, source.left)
    if k >= len(mine):
        return None
    # not one row in common, with any block of the other side
    if not all(_unlike(p, _beside(p, b, n), mine[k], y) for y in others):
        return None
    rest = (*mine[:k], *mine[k + 1 :])
    new = replace(source, left=rest) if side == 0 else replace(source, right=rest)
    # EXCEPT ALL leaves what has nothing in common untouched
    beside = put_rows(b, n, (mine[k],)) if side == 0 and source.op == "except" else ()
    return p.with_block(i, (*_ranging(b, n, new), *beside))


def _unlike(p: Place, ctx: Context, x: Block, y: Block) -> bool:
    """Whether no row of the one is one of the other's."""
    (one,), (other,) = fresh_copy((x,)), fresh_copy((y,))
    both = ctx.within(one).within(other)
    alike = (same(u, v) for u, v in zip(one.outs, other.outs, strict=True))
    return p.engine.inconsistent(both.having(alike))
