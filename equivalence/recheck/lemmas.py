"""What is always so of extremes and counts, for one question.

Some row is below t exactly when the minimum is; no row of a bag is below its minimum; of two counts over the
same rows the one with more conditions is not larger, and equal when no row fails these. Must not know laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rewright.equivalence.prover.bags import aggregate, block, exists, subst, subst_block
from rewright.equivalence.prover.build import app, conj, disj, eq, integer, is_true, negate, not_null
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.symbols import EQ, LE, LT, NOT, domain
from rewright.equivalence.prover.terms import (
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Term,
    Var,
    free_vars,
    rows_renamed,
    walk_shallow,
)
from rewright.equivalence.recheck.shapes import shape
from rewright.sql.types import BOOL

if TYPE_CHECKING:
    from rewright.equivalence.recheck.judging import Judge

_MOST = 40


def lemmas(judge: Judge, world: Context, goal: Term) -> list[Term]:
    """Theorems about the values of a question over an opened context."""
    met = (t for p in (goal, *world.preds) for t in walk_shallow(p))
    values = list(dict.fromkeys(t for t in met if isinstance(t, Nested)))
    extremes = [n for n in values if n.kind == "agg" and n.name.startswith(("min ", "max "))]
    counts = [n for n in values if n.kind == "agg" and n.name == "cnt"]
    found = [*_of_counts(counts)]
    # without an extreme in the question nothing would be compared with it
    if extremes:
        found += [*_of_tests(judge, world, values, extremes), *_of_members(judge, world, extremes)]
        found += _of_different(judge, world, counts, extremes)
    return found[:_MOST]


def _means(x: Term, y: Term) -> Iterator[Term]:
    yield disj((negate(x), y))
    yield disj((x, negate(y)))


# --------------------------------------------------------------------------- EXISTS with a comparison


def _of_tests(judge: Judge, world: Context, values: list[Nested], extremes: list[Nested]) -> Iterator[Term]:
    for n in values:
        # of a union the extreme would be that of all arms
        if n.kind != "exists" or len(n.bag) != 1:
            continue
        (b,) = n.bag
        for p in b.preds:
            found = _comparison(p, {v for v, _ in b.vars})
            if found is None:
                continue
            x, t, op = found
            rest = tuple(q for q in b.preds if q != p)
            rows = block(b.vars, (*rest, not_null(x)), (x,))
            low, high = (_extreme(judge, world, extremes, rows, name) for name in ("min", "max"))
            test = _test(low, high, t, op)
            if test is not None:
                yield from _means(n, is_true(test))


def _comparison(p: Term, own: set[int]) -> tuple[Term, Term, str] | None:
    """(x, t, operator): a comparison of the rows' x with a t from outside; <> is the negation of =."""
    core, differs = p, False
    if isinstance(p, App) and p.sym == NOT and isinstance(p.args[0], App) and p.args[0].sym == EQ:
        core, differs = p.args[0], True
    if not isinstance(core, App) or not (differs or core.sym in {LT, LE}):
        return None
    x, y = core.args
    # two collations are two orders
    if not domain(x.type) or domain(x.type) != domain(y.type) or x.type.collation != y.type.collation:
        return None
    op = "<>" if differs else core.sym.name
    match bool(free_vars(x) & own), bool(free_vars(y) & own):
        case True, False:
            return x, y, op
        case False, True:
            return y, x, {"<": ">", "<=": ">=", "<>": "<>"}[op]
        # the comparison is between two of the rows' own values, or two from outside
        case _:
            return None


def _test(low: Term | None, high: Term | None, t: Term, op: str) -> Term | None:
    match op:
        case "<" | "<=" if low is not None:
            return app(LT if op == "<" else LE, (low, t), BOOL)
        case ">" | ">=" if high is not None:
            return app(LT if op == ">" else LE, (t, high), BOOL)
        # x ≠ t for some x: one extreme is not t
        case "<>" if low is not None and high is not None:
            return disj((negate(eq(low, t)), negate(eq(high, t))))
    return None


def _extreme(judge: Judge, world: Context, extremes: list[Nested], rows: Bag, name: str) -> Nested | None:
    """The extreme of the question that is over these rows."""
    for e in extremes:
        shown = {o.type.collation for b in rows for o in b.outs}
        # the extreme must go by the collation of what it is compared with
        if not e.name.startswith(f"{name} ") or shown != {e.type.collation}:
            continue
        made = aggregate(e.name, rows, e.type)
        if isinstance(made, Nested) and (
            shape(_of_any(made)) == shape(_of_any(e)) or judge.same_rows(world, made.bag, e.bag)
        ):
            return e
    return None


def _of_any(e: Nested) -> Nested:
    """The extreme without the condition that its argument is not NULL: NULLs never are the extreme."""
    bag = tuple(replace(b, preds=tuple(p for p in b.preds if p != not_null(b.outs[0]))) for b in e.bag)
    return replace(e, bag=bag)


# --------------------------------------------------------------------------- different values


def _of_different(
    judge: Judge, world: Context, counts: list[Nested], extremes: list[Nested]
) -> Iterator[Term]:
    """|{x}| = 1 means min = max, |{x}| > 1 min < max, |{x}| = 0 that there is no minimum, of x that are not
    NULL.
    """
    for c in counts:
        values = _values_counted(c)
        if values is None:
            continue
        low, high = (_extreme(judge, world, extremes, values, name) for name in ("min", "max"))
        if low is not None and high is not None:
            one = integer(1)
            yield from _means(app(EQ, (c, one), BOOL), is_true(app(EQ, (low, high), BOOL)))
            yield from _means(app(LT, (one, c), BOOL), is_true(app(LT, (low, high), BOOL)))
            yield from _means(app(EQ, (c, integer(0)), BOOL), negate(not_null(low)))


def _values_counted(c: Nested) -> Bag | None:
    """The rows of which a count counts the different values of one column, without NULLs."""
    # values of one column counted once each
    if len(c.bag) != 1 or len(c.bag[0].vars) != 1:
        return None
    (b,) = c.bag
    ((v, source),) = b.vars
    if not isinstance(source, Distinct) or source.either or any(len(r.outs) != 1 for r in source.bag):
        return None
    types = {r.outs[0].type for r in source.bag}
    if not types or not all(map(domain, types)):
        return None
    filtered = bool(b.preds)
    # a condition on the value other than its being there leaves some values out
    if filtered and set(b.preds) - {not_null(Var(v, 0, r.outs[0].type)) for r in source.bag}:
        return None
    made: list[Block] = []
    for r in source.bag:
        there = not_null(r.outs[0])
        # NULL would be one of the different values, and no row of the count
        if not filtered and there != TRUE and there not in r.preds:
            return None
        made += block(r.vars, (*r.preds, there), r.outs)
    return tuple(made) or None


# --------------------------------------------------------------------------- rows of the bag


def _of_members(judge: Judge, world: Context, extremes: list[Nested]) -> Iterator[Term]:
    for e in extremes:
        for b in e.bag:
            for rows in _members(judge, world, b, {}):
                value = subst(b.outs[0], rows_renamed(rows))
                yield is_true(app(LE, (e, value) if e.name.startswith("min ") else (value, e), BOOL))


def _members(judge: Judge, world: Context, b: Block, rows: dict[int, int]) -> Iterator[dict[int, int]]:
    """Rows of the context that are rows of the block."""
    if len(rows) == len(b.vars):
        if all(judge.plain(world, subst(p, rows_renamed(rows))) for p in b.preds):
            yield rows
        return
    v, source = b.vars[len(rows)]
    for w, other in world.vars:
        # each way of taking rows of the context for the block's
        if other == source:
            yield from _members(judge, world, b, {**rows, v: w})


# --------------------------------------------------------------------------- counts


def _of_counts(counts: list[Nested]) -> Iterator[Term]:
    for c in counts:
        sure = [b for b in c.bag if not b.vars and not b.preds]
        more = tuple(b for b in c.bag if b.vars or b.preds)
        if sure and more:
            yield app(LE, (integer(len(sure)), c), BOOL)
            yield from _means(negate(exists(more)), is_true(eq(c, integer(len(sure)))))
        for d in counts:
            if c is not d and len(c.bag) == len(d.bag) == 1:
                yield from _fewer(c, d)


def _fewer(c: Nested, d: Nested) -> Iterator[Term]:
    """Of counts over the same rows, ``d`` with more conditions than ``c``."""
    (all_,), (some,) = c.bag, d.bag
    # rows of other relations say nothing of these
    if [s for _, s in all_.vars] != [s for _, s in some.vars]:
        return
    rows = {v: w for (v, _), (w, _) in zip(some.vars, all_.vars, strict=True)}
    moved = subst_block(replace(some, vars=()), rows_renamed(rows))
    # strictly more conditions: with the same ones there is nothing to say
    if len(moved) == 1 and set(all_.preds) < set(moved[0].preds):
        extra = conj(p for p in moved[0].preds if p not in all_.preds)
        yield app(LE, (d, c), BOOL)
        failing = exists(block(all_.vars, (*all_.preds, negate(is_true(extra))), ()))
        yield from _means(negate(failing), is_true(eq(c, d)))
