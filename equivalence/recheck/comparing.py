"""Whether two forms are the same bag, given which block and which row of the one is which of the other.

Each row of the one is one of the other under the stated pairing, with the same outputs, and the other way
round. For bags inside nothing is stated: the few pairings there are tried. Must not know laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from rewright.equivalence.prover.bags import subst_block
from rewright.equivalence.prover.context import Context, identical, membership
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Multi,
    Nested,
    Source,
    Table,
    Term,
    rows_renamed,
    source_types,
)
from rewright.equivalence.recheck.judging import Judge
from rewright.equivalence.recheck.places import as_sets, values_in
from rewright.equivalence.recheck.shapes import shape

Pairing = tuple[int, ...]
# rows of an inner block up to which pairings are tried
_MOST_ROWS = 5


def aligned(left: Block, right: Block, pairing: Pairing) -> Block | None:
    """The second block over the first's variables; ``pairing``: for each row of the first the number of its
    partner.
    """
    # what a certificate states as pairing may be any list of numbers
    if sorted(pairing) != list(range(len(left.vars))) or len(left.vars) != len(right.vars):
        return None
    rows = {right.vars[k][0]: left.vars[n][0] for n, k in enumerate(pairing)}
    ordered = replace(right, vars=tuple(right.vars[k] for k in pairing))
    found = subst_block(ordered, rows_renamed(rows))
    # a condition that can't hold leaves no block
    if len(found) != 1:
        return None
    return replace(found[0], vars=tuple((rows[v], s) for v, s in found[0].vars))


def same_block(judge: Judge, ctx: Context, left: Block, right: Block, pairing: Pairing) -> bool:
    """Whether the blocks are one under the pairing."""
    if len(left.outs) != len(right.outs):
        return False
    (fresh,) = judge.freshen((right,))
    other = aligned(left, fresh, pairing)
    if other is None:
        return False
    sources = zip(left.vars, other.vars, strict=True)
    if not all(_same_source(judge, ctx, s, t) for (_, s), (_, t) in sources):
        return False
    # outputs are compared one way, conditions both
    return _within(judge, ctx, left, other, outs=True) and _within(judge, ctx, other, left, outs=False)


def same_bags(judge: Judge, ctx: Context, left: Bag, right: Bag) -> bool:
    """Whether the bags are one, duplicates counted, under some pairing."""
    if len(left) != len(right):
        return False
    todo = list(right)
    for b in left:
        partner = next((c for c in todo if _paired(judge, ctx, b, c)), None)
        # blocks that are the same may be exchanged: the first partner is as good as another
        if partner is None:
            return False
        todo.remove(partner)
    return True


def _paired(judge: Judge, ctx: Context, left: Block, right: Block) -> bool:
    # more rows have too many pairings
    if len(left.vars) != len(right.vars) or len(left.vars) > _MOST_ROWS:
        return False
    for pairing in permutations(range(len(left.vars))):
        kinds = ((left.vars[n][1], right.vars[k][1]) for n, k in enumerate(pairing))
        if all(_kind(s) == _kind(t) for s, t in kinds) and same_block(judge, ctx, left, right, pairing):
            return True
    return False


def _kind(source: Source) -> tuple[object, ...]:
    return (source.ref, source.only) if isinstance(source, Table) else (type(source).__name__,)


def _same_source(judge: Judge, ctx: Context, s: Source, t: Source) -> bool:
    """Rows of DISTINCT sources are compared as conditions."""
    match s, t:
        case (Table(), Table()) | (Function(), Function()):
            # one function of the very same arguments
            return s == t
        case Distinct(bag), Distinct(other):
            return not bag or not other or len(bag[0].outs) == len(other[0].outs)
        case Limited(), Limited():
            ends = [(x.keys, x.limit, x.offset, x.ties, x.on) for x in (s, t)]
            return ends[0] == ends[1] and same_bags(judge, ctx, s.bag, t.bag)
        case Multi(), Multi():
            sides = [(t.left, t.right)]
            # INTERSECT ALL shows either side's rows, which must look alike to be turned round
            if s.op == "intersect" and all(map(identity, source_types(s))):
                sides.append((t.right, t.left))
            return s.op == t.op and any(
                same_bags(judge, ctx, s.left, x) and same_bags(judge, ctx, s.right, y) for x, y in sides
            )
    return False


def _within(judge: Judge, ctx: Context, x: Block, y: Block, *, outs: bool) -> bool:
    """Each row of the one is one of the other's over the same variables, with the same outputs."""
    here = ctx.within(x)
    goals = [*y.preds, *(membership(v, s) for v, s in y.vars if isinstance(s, Distinct))]
    if outs:
        goals += [identical(o, p) for o, p in zip(x.outs, y.outs, strict=True)]
    goals = [g for g in goals if g not in here.preds]
    if all(judge.entails(here, g) for g in goals):
        return True
    pairs = tuple(_equal_values(judge, here, x, y))
    if not pairs:
        return False
    before, judge.equal = judge.equal, (*judge.equal, *pairs)
    try:
        return all(judge.entails(here, g) for g in goals)
    finally:
        judge.equal = before


def _equal_values(judge: Judge, here: Context, x: Block, y: Block) -> Iterator[tuple[Term, Term]]:
    """Values of the two blocks that are made of the same rows although they are not written alike."""
    for m in values_in(x):
        for n in values_in(y):
            # the value of a row is what its output is, whatever modifier the subquery's type has
            types = [t.type.without_typmod() if t.kind == "the" else t.type for t in (m, n)]
            alike = (m.kind, m.name, types[0]) == (n.kind, n.name, types[1]) and m.kind != "exists"
            if alike and shape(m) != shape(n) and _same_value(judge, here, m, n):
                yield m, n


def _same_value(judge: Judge, here: Context, m: Nested, n: Nested) -> bool:
    if len(m.args) != len(n.args):
        return False
    if not all(judge.entails(here, identical(p, q)) for p, q in zip(m.args, n.args, strict=True)):
        return False
    # extremes and EXISTS do not count rows
    if as_sets(m):
        return judge.same_rows(here, m.bag, n.bag)
    return same_bags(judge, here, m.bag, n.bag)
