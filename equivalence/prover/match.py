"""Whether two forms are the same bag: a correspondence of blocks and variables under which predicates imply
each other and outputs are identical.

Owns the search for the correspondence and its check; a proof keeps what was found and is checked without the
search. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from .bags import block, exists, subst_block
from .context import Context, identical, membership
from .fresh import fresh_copy
from .kernel import align
from .places import mode_of, nested_terms
from .shapes import shape
from .symbols import identity
from .terms import (
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
    source_types,
)

if TYPE_CHECKING:
    from .asking import Searched


Pairing = tuple[int, ...]


def match_bags(
    engine: Searched, ctx: Context, left: Bag, right: Bag
) -> tuple[tuple[int, Pairing], ...] | None:
    """For each block of ``left`` its partner in ``right`` and the pairing of variables."""
    # rows with and without partners on one side, and one block for both on the other: rules have to merge
    # first
    if len(left) != len(right):
        return None
    return _match(engine, ctx, left, right, ())


def _match(
    engine: Searched, ctx: Context, left: Bag, right: Bag, done: tuple[tuple[int, Pairing], ...]
) -> tuple[tuple[int, Pairing], ...] | None:
    if len(done) == len(left):
        return done
    used = {j for j, _ in done}
    for j in range(len(right)):
        if j in used:
            continue
        pairing = match_block(engine, ctx, left[len(done)], right[j])
        if pairing is not None:
            # blocks that match are interchangeable: no need to come back
            return _match(engine, ctx, left, right, (*done, (j, pairing)))
    return None


def match_block(engine: Searched, ctx: Context, left: Block, right: Block) -> Pairing | None:
    # a different number of rows can't be paired; semi-joins and merged copies have been taken care of
    if len(left.vars) != len(right.vars) or len(left.outs) != len(right.outs):
        return None
    for pairing in _pairings(left, right):
        engine.tick()
        with engine.schema.recording() as used:
            if check_block(engine, ctx, left, right, pairing):
                return pairing
            used.clear()
    return None


def _pairings(left: Block, right: Block) -> Iterator[Pairing]:
    kinds_left = [_kind(s) for _, s in left.vars]
    # relations by name before any entailment is asked: most pairings fall here
    kinds_right = [_kind(s) for _, s in right.vars]
    if sorted(kinds_left) != sorted(kinds_right):
        return
    for order in permutations(range(len(left.vars))):
        # DISTINCT sources are paired by width alone, and compared through membership afterwards
        if all(kinds_left[n] == kinds_right[k] for n, k in enumerate(order)):
            yield order


def _kind(source: Source) -> str:
    match source:
        case Table(ref, only):
            return f"table {ref.schema}.{ref.name} {only}"
        case Distinct(bag):
            return f"distinct {len(bag[0].outs) if bag else 0}"
        case Limited(_, keys):
            return f"limited {len(keys)}"
        case Multi(op):
            return f"multi {op}"
        case Function(name):
            return f"function {name}"


def check_block(engine: Searched, ctx: Context, left: Block, right: Block, pairing: Pairing) -> bool:
    """Whether the blocks are the same under the pairing."""
    # a recorded pairing may be anything: it must be a permutation
    if sorted(pairing) != list(range(len(left.vars))) or len(left.vars) != len(right.vars):
        return False
    (copy,) = fresh_copy((right,))
    other = align(left, copy, list(pairing))
    if other is None:
        return False
    if not all(
        _kind(s) == _kind(t) and _same_source(engine, ctx, s, t)
        for (_, s), (_, t) in zip(left.vars, other.vars, strict=True)
    ):
        return False
    # outputs need comparing once; predicates must follow in both directions
    return _implies(engine, ctx, left, other, outs=True) and _implies(engine, ctx, other, left, outs=False)


def _implies(engine: Searched, ctx: Context, a: Block, b: Block, *, outs: bool) -> bool:
    """Each row of ``a`` is one of ``b``'s (over the same variables), with the same outputs."""
    here = ctx.within(a)
    # that a row is one of a DISTINCT source is a goal like another
    goals = [*b.preds, *(membership(v, s) for v, s in b.vars if isinstance(s, Distinct))]
    if outs:
        goals += [identical(x, y) for x, y in zip(a.outs, b.outs, strict=True)]
    goals = [g for g in goals if g not in here.preds]
    if all(engine.entails(here, g) for g in goals):
        return True
    pairs = _equal_values(engine, here, a, b)
    # aggregates that look different may be of the same rows
    if not pairs:
        return False
    with _assuming(engine, pairs):
        return all(engine.entails(here, g) for g in goals)


@contextmanager
def _assuming(engine: Searched, pairs: list[tuple[Term, Term]]) -> Iterator[None]:
    before = engine.nested_equal
    engine.nested_equal = [*before, *pairs]
    try:
        yield
    finally:
        engine.nested_equal = before


def _equal_values(engine: Searched, here: Context, a: Block, b: Block) -> list[tuple[Term, Term]]:
    """Nested values of the two blocks that are equal although they look different."""
    pairs: list[tuple[Term, Term]] = []
    for x in nested_terms(a):
        for y in nested_terms(b):
            # two EXISTS are matched by entailment as predicates
            if x.kind == y.kind != "exists" and x.name == y.name and x.type == y.type:
                if shape(x) == shape(y):
                    # one shape is one formula already
                    continue
                if _same_args(engine, here, x, y) and same_bags(engine, here, x, y):
                    pairs.append((x, y))
    return pairs


def _same_args(engine: Searched, here: Context, x: Nested, y: Nested) -> bool:
    return len(x.args) == len(y.args) and all(
        engine.entails(here, identical(p, q)) for p, q in zip(x.args, y.args, strict=True)
    )


def same_bags(engine: Searched, ctx: Context, x: Nested, y: Nested) -> bool:
    """Whether two nested values of one kind see the same bag."""
    # min, max and bool aggregates do not count rows
    if mode_of(x) == "set":
        return _covered(engine, ctx, x.bag, y.bag) and _covered(engine, ctx, y.bag, x.bag)
    return match_bags(engine, ctx, x.bag, y.bag) is not None


def _covered(engine: Searched, ctx: Context, left: Bag, right: Bag) -> bool:
    """Each row of ``left`` is in ``right``."""
    for b in engine.freshen(left):
        rows = tuple(
            n
            for r in engine.freshen(right)
            for n in block(
                r.vars, (*r.preds, *(identical(o, x) for o, x in zip(r.outs, b.outs, strict=True))), ()
            )
        )
        if not engine.entails(ctx.within(b), exists(rows)):
            return False
    return True


def _same_source(engine: Searched, ctx: Context, s: Source, t: Source) -> bool:
    """Sources apart from DISTINCT ones, whose rows are compared through membership."""
    match s, t:
        case Table(), Table():
            return s == t
        case Distinct(), Distinct():
            return True
        case Limited(), Limited():
            # cut by the same keys to the same number, of the same rows
            ends = (s.keys, s.limit, s.offset, s.ties, s.on) == (t.keys, t.limit, t.offset, t.ties, t.on)
            return ends and match_bags(engine, ctx, s.bag, t.bag) is not None
        case Multi(), Multi():
            return s.op == t.op and (
                _same_arms(engine, ctx, s, t) or (_turns(s) and _same_arms(engine, ctx, s, _turned(t)))
            )
        case Function(), Function():
            same_arguments = len(s.args) == len(t.args) and all(
                engine.entails(ctx, identical(x, y)) for x, y in zip(s.args, t.args, strict=True)
            )
            return s.name == t.name and s.types == t.types and same_arguments
        case _:
            return False


def _same_arms(engine: Searched, ctx: Context, s: Multi, t: Multi) -> bool:
    arms = ((s.left, t.left), (s.right, t.right))
    return all(match_bags(engine, ctx, x, y) is not None for x, y in arms)


def _turns(source: Multi) -> bool:
    """Whether both sides of INTERSECT ALL show the same rows."""
    # INTERSECT ALL shows rows of either side: of one look only
    return source.op == "intersect" and all(identity(t) for t in source_types(source))


def _turned(source: Multi) -> Multi:
    return replace(source, left=source.right, right=source.left)


__all__ = ["check_block", "match_bags", "replace", "subst_block"]
