"""Rules on rows that are counted beside others among which they are.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import eq, negate
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import EQ, LE, LT, identity
from rewright.equivalence.prover.terms import (
    FALSE,
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Table,
    Term,
    Var,
    source_types,
)
from rewright.equivalence.prover.unique import duplicate_free

from .base import At, Place

# a key of more columns is not tried in each order
_MOST_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """Counted rows by what tells them apart: the rows of a bag, with as many outputs."""

    bag: Bag
    distinct: bool  # each is there once whatever the rows are


def part_counted(p: Place, at: At) -> Bag | None:
    """15: of rows that are all among others there are as many as of those where none of those is missing:
    counted and compared, it is EXISTS. ``at``: block, predicate, which of the counts is that of the part, of
    how many numbers the way is in which the part is seen, this way, and that of the whole.
    """
    i, n, side, width, *told = at
    b = p.block(i)
    counts = compared_counts(b.preds[n])
    if counts is None:
        return None
    part = _shown(counts[side].bag[0], tuple(told[:width]))
    whole = _shown(counts[1 - side].bag[0], tuple(told[width:]))
    if part is None or whole is None:
        return None
    others = tuple(q for q in b.preds if q != b.preds[n])
    ctx = p.ctx.within(replace(b, preds=others))
    # part of the whole, and both without duplicates: only then do counts compare sets
    if not _is_among(p, ctx, part, whole):
        return None
    missing = exists(
        tuple(
            x
            for w in fresh_copy(whole.bag)
            for x in block(w.vars, (*w.preds, negate(exists(_rows_that_show(part, w.outs)))), ())
        )
    )
    return p.with_predicate(i, n, _as_missing(b.preds[n], side, missing))


def compared_counts(goal: Term) -> tuple[Nested, Nested] | None:
    """The two counts that a predicate compares."""
    if not isinstance(goal, App) or goal.sym not in {EQ, LE, LT}:
        return None
    one, other = goal.args
    if not (isinstance(one, Nested) and isinstance(other, Nested)):
        return None
    counted = all(c.kind == "agg" and c.name == "cnt" and len(c.bag) == 1 for c in (one, other))
    return (one, other) if counted else None


def ways_told_apart(p: Place, bag: Bag) -> Iterator[At]:
    """Counted rows by what may tell them apart: nothing for those of DISTINCT, or the number of a row that is
    read and the columns of a key or a reference of it, in each order.
    """
    (b,) = bag
    if _is_distinct(b):
        yield ()
        return
    for n, (_, source) in enumerate(b.vars):
        if isinstance(source, Table):
            told = [k.columns for k in p.engine.schema.keys(source)]
            told += [r.columns for r in p.engine.schema.references(source)]
            # each order of the columns, since parent and child may list them differently
            found = (o for k in told if len(k) <= _MOST_COLUMNS for o in permutations(k))
            yield from ((n, *columns) for columns in dict.fromkeys(found))


def _is_distinct(b: Block) -> bool:
    return len(b.vars) == 1 and isinstance(b.vars[0][1], Distinct)


def _shown(b: Block, way: At) -> Shown | None:
    """Counted rows in one of these ways."""
    if not way:
        # no way given: the rows of DISTINCT tell themselves apart
        if not _is_distinct(b):
            return None
        ((v, source),) = b.vars
        assert isinstance(source, Distinct)
        columns = tuple(Var(v, c, t) for c, t in enumerate(source_types(source)))
        plain = not b.preds and not source.either
        return Shown(source.bag if plain else (replace(b, outs=columns),), distinct=True)
    n, *told = way
    v, source = b.vars[n]
    if not isinstance(source, Table):
        return None
    return Shown((replace(b, outs=tuple(Var(v, c, source.types[c]) for c in told)),), distinct=False)


def _is_among(p: Place, ctx: Context, part: Shown, whole: Shown) -> bool:
    """Whether the rows of each are told apart by what they show, and the part's are among the whole's."""
    shown = [o for x in (*part.bag, *whole.bag) for o in x.outs]
    widths = {len(x.outs) for x in (*part.bag, *whole.bag)}
    # rows of different widths, or of several looks, are never the same row
    if len(widths) != 1 or not all(identity(o.type) for o in shown):
        return False
    rows = list(zip(*(x.outs for x in (*part.bag, *whole.bag)), strict=True))
    if any(len({(o.type.name, o.type.collation) for o in column}) > 1 for column in rows):
        return False
    with p.engine.schema.recording() as used:
        answer = all(x.distinct or duplicate_free(p.engine, ctx, x.bag) for x in (part, whole)) and all(
            p.engine.entails(ctx.within(x), exists(_rows_that_show(whole, x.outs)))
            for x in fresh_copy(part.bag)
        )
        # what one of the two questions rests on is no part of the proof if the other one fails
        if not answer:
            used.clear()
    return answer


def _rows_that_show(shown: Shown, values: tuple[Term, ...]) -> Bag:
    """The rows that show these values, none of which is NULL."""
    return tuple(
        y
        for x in fresh_copy(shown.bag)
        for y in block(x.vars, (*x.preds, *(eq(o, v) for o, v in zip(x.outs, values, strict=True))), ())
    )


def _as_missing(goal: Term, side: int, missing: Term) -> Term:
    """What a comparison of the counts says of rows of the whole that are missing in the part."""
    assert isinstance(goal, App)
    # as many as the whole: none is missing
    if goal.sym == EQ:
        return negate(missing)
    # fewer than the whole: one is missing; at most as many they are always
    if side == 0:
        return missing if goal.sym == LT else TRUE
    return negate(missing) if goal.sym == LE else FALSE
