"""Rules on unions: disjoint blocks as one, covered blocks, INTERSECT and EXCEPT ALL as sets.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rewright.equivalence.prover.bags import as_set, block, exists, subst_block
from rewright.equivalence.prover.build import (
    case,
    conj,
    disj,
    exists_value,
    negate,
)
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Multi,
    Term,
    Var,
    bag_types,
    rows_renamed,
    source_types,
)
from rewright.equivalence.prover.unique import duplicate_free

from .base import At, Place

if TYPE_CHECKING:
    from rewright.equivalence.prover.asking import Searched


def merge_blocks(p: Place, at: At) -> Bag | None:
    """9: two blocks over the same variables, never both, are one with a disjunction. ``at``: blocks i < j,
    and for each variable of i the position of its partner in j.
    """
    i, j, *pairing = at
    left, right = p.block(i), p.block(j)
    if len(left.vars) != len(right.vars) or sorted(pairing) != list(range(len(left.vars))):
        return None
    aligned = align(left, right, pairing)
    # blocks over other tables, or in another order, are not merged
    if aligned is None or left.vars != aligned.vars:
        return None
    right = aligned
    common = tuple(q for q in left.preds if q in right.preds)
    only_left = tuple(q for q in left.preds if q not in common)
    only_right = tuple(q for q in right.preds if q not in common)
    shared = p.ctx.within(replace(left, preds=common))
    # a row that both blocks have comes twice in a bag
    if p.mode == "bag" and not p.engine.inconsistent(shared.having((*only_left, *only_right))):
        return None
    a = conj(exists_value(q) for q in only_left)
    b = conj(exists_value(q) for q in only_right)
    # a row that both blocks have would show the one's outputs or the other's, and must not lose either
    test = a if p.mode == "bag" else None
    found = [
        _either(p.engine, shared, (only_left, x), (only_right, y), test)
        for x, y in zip(left.outs, right.outs, strict=True)
    ]
    outs = tuple(o for o in found if o is not None)
    # an output that neither block can show for both
    if len(outs) < len(found):
        return None
    merged = block(left.vars, (*common, disj((a, b))), outs)
    return (*p.bag[:i], *merged, *p.bag[i + 1 : j], *p.bag[j + 1 :])


def align(left: Block, right: Block, pairing: list[int]) -> Block | None:
    mapping = {right.vars[k][0]: left.vars[n][0] for n, k in enumerate(pairing)}

    ordered = tuple((right.vars[k][0], right.vars[k][1]) for k in pairing)
    result = subst_block(replace(right, vars=ordered), rows_renamed(mapping))
    # a condition that can't hold has emptied the block
    if len(result) != 1:
        return None
    (done,) = result
    return replace(done, vars=tuple((mapping[v], s) for v, s in done.vars))


def _either(
    engine: Searched,
    shared: Context,
    left: tuple[tuple[Term, ...], Term],
    right: tuple[tuple[Term, ...], Term],
    test: Term | None,
) -> Term | None:
    """One output for both blocks: of which the other's is a case, else by ``test``, true of the left one's
    rows.
    """
    (lp, x), (rp, y) = left, right
    if x == y or engine.entails(shared.having(lp), identical(x, y)):
        return y
    if engine.entails(shared.having(rp), identical(x, y)):
        return x
    # in a set the row may be met by both conditions, so that a CASE by the first would lose the second's
    # output
    if test is None:
        return None
    return case((test, x, y), bag_types((Block((), (), (x,)), Block((), (), (y,))))[0])


def union_of_sets(p: Place, at: At) -> Bag | None:
    """In set context a block that another covers adds nothing. ``at``: the block, the covering one."""
    i, j = at
    if p.mode != "set" or i == j:
        return None
    b, cover = p.block(i), p.block(j)
    rows = fresh_copy((cover,))
    # the other block must have such a row, with the very same outputs
    tied = tuple(
        n
        for r in rows
        for n in block(
            r.vars, (*r.preds, *(identical(o, x) for o, x in zip(r.outs, b.outs, strict=True))), ()
        )
    )
    if p.engine.entails(p.ctx.within(b), exists(tied)):
        return p.with_block(i, ())
    return None


def multi_to_set(p: Place, at: At) -> Bag | None:
    """9: EXCEPT ALL and INTERSECT ALL over a left side without duplicates, and INTERSECT ALL where duplicates
    do not count. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Multi):
        return None
    others = Context(tuple(x for x in b.vars if x[0] != v), ())
    ctx = Context((*p.ctx.vars, *others.vars), p.ctx.preds)
    left, right = source.left, source.right
    # a set does not count copies; INTERSECT ALL keeps a row that both sides have
    as_sets = p.mode == "set" and source.op == "intersect"
    if not as_sets and not duplicate_free(p.engine, ctx, left):
        if source.op == "except" or not duplicate_free(p.engine, ctx, right):
            return None
        left, right = right, left
    columns = [Var(v, c, t) for c, t in enumerate(source_types(source))]
    # either side's look may come out
    if any(not identity(c.type) for c in columns):
        return None
    rows = fresh_copy(right)
    met = exists(
        tuple(
            n
            for r in rows
            for n in block(
                r.vars, (*r.preds, *(identical(o, c) for o, c in zip(r.outs, columns, strict=True))), ()
            )
        )
    )
    test = met if source.op == "intersect" else negate(met)
    vars_ = tuple((x, Distinct(as_set(left)) if x == v else s) for x, s in b.vars)
    return p.with_block(i, block(vars_, (*b.preds, test), b.outs))
