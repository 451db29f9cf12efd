"""What minimum, maximum and count of a bag say about its rows: lemmas for one question of entailment.

``EXISTS(r with f(r) < t)`` is ``min(f) < t``; a row of the bag is not below its minimum; a bag has as many
rows that satisfy p as rows in all exactly when none of them fails to. Each lemma is a theorem, whatever the
context; those that can matter are found by the terms of the question. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rewright.sql.types import BOOL

from .bags import aggregate, block, exists, subst, subst_block
from .build import app, conj, disj, eq, integer, is_null, is_true, negate, not_null
from .shapes import shape
from .symbols import EQ, LE, LT, NOT, domain
from .terms import (
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

if TYPE_CHECKING:
    from .asking import Searched
    from .context import Context

_MOST = 40


def lemmas(engine: Searched, opened: Context, goal: Term) -> Iterator[Term]:
    """Facts about the extremes and counts of the question and of its context (with witnesses)."""
    met = [t for p in (goal, *opened.preds) for t in walk_shallow(p) if isinstance(t, Nested)]
    nested = list(dict.fromkeys(met))
    extremes = [n for n in nested if n.kind == "agg" and n.name.startswith(("min ", "max "))]
    counts = [n for n in nested if n.name == "cnt"]
    found = (
        *_tests(engine, opened, nested, extremes),
        *_counted(counts),
        *_told_apart(engine, opened, counts, extremes),
        *_members(engine, opened, extremes),
    )
    # more lemmas than this make the solver slower than they help
    yield from found[:_MOST]


def _equivalent(a: Term, b: Term) -> Iterator[Term]:
    yield disj((negate(a), b))
    yield disj((a, negate(b)))


# --------------------------------------------------------------------------- EXISTS with an inequality


def _tests(engine: Searched, opened: Context, nested: list[Nested], extremes: list[Nested]) -> Iterator[Term]:
    """16: each EXISTS with a comparison, as a comparison with the extreme of the same rows."""
    # without an extreme in the question the test of rows is as good as any
    if not extremes:
        return
    for n in nested:
        # of a union each arm would need the extreme of all arms
        if n.kind != "exists" or len(n.bag) != 1:
            continue
        (b,) = n.bag
        for p in b.preds:
            found = _compared(p, {v for v, _ in b.vars})
            if found is None:
                continue
            x, t, kind = found
            rest = tuple(q for q in b.preds if q != p)
            rows = block(b.vars, (*rest, not_null(x)), (x,))
            test = _by_extremes(engine, opened, extremes, rows, x, t, kind)
            if test is not None:
                yield from _equivalent(n, is_true(test))


def _compared(p: Term, own: set[int]) -> tuple[Term, Term, str] | None:
    """(x, t, kind) of a comparison of the rows' x with an outer t: kind is <, <=, >, >= or <>."""
    negated = isinstance(p, App) and p.sym == NOT and isinstance(p.args[0], App) and p.args[0].sym == EQ
    core = p.args[0] if negated and isinstance(p, App) else p
    if not isinstance(core, App) or not (negated or core.sym in {LT, LE}):
        return None
    a, b = core.args
    # compared under two collations, the extreme's order is another one
    if not domain(a.type) or domain(a.type) != domain(b.type) or a.type.collation != b.type.collation:
        return None
    inner, outer = free_vars(a) & own, free_vars(b) & own
    # both sides of the comparison are the row's, or neither is
    if bool(inner) == bool(outer):
        return None
    if inner:
        return a, b, "<>" if negated else core.sym.name
    # turned round: t < x is x > t
    return b, a, "<>" if negated else {"<": ">", "<=": ">="}[core.sym.name]


def _by_extremes(
    engine: Searched, opened: Context, extremes: list[Nested], rows: Bag, x: Term, t: Term, kind: str
) -> Term | None:
    """``EXISTS(x kind t)`` over the rows by their minimum or maximum."""

    def extreme(name: str) -> Nested | None:
        return _same_extreme(engine, opened, extremes, rows, x, name)

    if kind in {"<", "<="}:
        low = extreme("min")
        return None if low is None else app(LT if kind == "<" else LE, (low, t), BOOL)
    if kind in {">", ">="}:
        high = extreme("max")
        return None if high is None else app(LT if kind == ">" else LE, (t, high), BOOL)
    low, high = extreme("min"), extreme("max")
    # x <> t for some x: not both extremes are t
    if low is None or high is None:
        return None
    return disj((negate(eq(low, t)), negate(eq(high, t))))


def _same_extreme(
    engine: Searched, opened: Context, extremes: list[Nested], rows: Bag, x: Term, name: str
) -> Nested | None:
    """The minimum or maximum of the rows, if the question has it: by its very words
    or by the rows it sees.
    """
    from .match import same_bags

    for e in extremes:
        # the extreme goes by its own collation
        if not e.name.startswith(f"{name} ") or e.type.collation != x.type.collation:
            continue
        made = aggregate(e.name, rows, e.type)
        if not isinstance(made, Nested):
            # the bag may be empty, or of one constant: no extreme is left
            continue
        if shape(_with_nulls(made)) == shape(_with_nulls(e)):
            return e
        # bags that are the same by what is known are asked for only at the top: each such question is a proof
        if engine.shallow and same_bags(engine, opened, made, e):
            return e
    return None


def _with_nulls(e: Nested) -> Nested:
    """The extreme without the condition that its argument is not NULL, which makes no difference to it."""
    bag = tuple(replace(b, preds=tuple(p for p in b.preds if p != not_null(b.outs[0]))) for b in e.bag)
    return replace(e, bag=bag)


# --------------------------------------------------------------------------- values told apart


def _told_apart(
    engine: Searched, opened: Context, counts: list[Nested], extremes: list[Nested]
) -> Iterator[Term]:
    """15: of the different values of rows, NULLs left out, there is none, one or more as their minimum is
    NULL, is their maximum, or is below it.
    """
    for c in counts if extremes else ():
        rows = different_values(c)
        if rows is None:
            continue
        x = rows[0].outs[0]
        low, high = (_same_extreme(engine, opened, extremes, rows, x, name) for name in ("min", "max"))
        # without both extremes nothing can be told
        if high is None or low is None:
            continue
        yield from _equivalent(eq(c, integer(1)), is_true(eq(low, high)))
        yield from _equivalent(app(LT, (integer(1), c), BOOL), is_true(app(LT, (low, high), BOOL)))
        yield from _equivalent(eq(c, integer(0)), is_null(low))


def different_values(count: Nested) -> Bag | None:
    """The rows whose different values are counted, one column each, none of which is NULL."""
    match count.bag:
        case (Block(((v, Distinct(bag, ())),), preds, _),) if bag and all(len(b.outs) == 1 for b in bag):
            told = not_null(Var(v, 0, bag[0].outs[0].type))
        case _:
            return None
    if any(p != told for p in preds) or not domain(bag[0].outs[0].type):
        return None
    # one NULL among the values would be a row of DISTINCT, and none of the count
    if not preds and any(not_null(b.outs[0]) not in (TRUE, *b.preds) for b in bag):
        return None
    return tuple(n for b in bag for n in block(b.vars, (*b.preds, not_null(b.outs[0])), b.outs)) or None


# --------------------------------------------------------------------------- rows of the bag


def _members(engine: Searched, opened: Context, extremes: list[Nested]) -> Iterator[Term]:
    """A row of the context that is in the bag is not beyond its extreme."""
    for e in extremes:
        for b in e.bag:
            for bound in _assignments(engine, opened, b, {}):
                out = subst(b.outs[0], rows_renamed(bound))
                pair = (e, out) if e.name.startswith("min ") else (out, e)
                yield is_true(app(LE, pair, BOOL))


def _assignments(
    engine: Searched, opened: Context, b: Block, bound: dict[int, int]
) -> Iterator[dict[int, int]]:
    """Rows of the context for the block's variables, all of whose predicates hold."""
    # complete: each row of the bag has one of the context that stands for it
    if len(bound) == len(b.vars):
        done = [subst(p, rows_renamed(bound)) for p in b.preds]
        if all(engine.scalar(opened, p) for p in done):
            yield bound
        return
    v, source = b.vars[len(bound)]
    for w, other in opened.vars:
        if other == source:
            yield from _assignments(engine, opened, b, {**bound, v: w})


# --------------------------------------------------------------------------- counts


def _counted(counts: list[Nested]) -> Iterator[Term]:
    """15: of two counts over the same rows, one with more conditions: not larger, equal when nothing fails
    these.
    """
    for c in counts:
        # rows that are there whatever holds
        sure = sum(1 for b in c.bag if not b.vars and not b.preds)
        if sure and len(c.bag) > sure:
            more = tuple(b for b in c.bag if b.vars or b.preds)
            yield app(LE, (integer(sure), c), BOOL)
            yield from _equivalent(negate(exists(more)), is_true(eq(c, integer(sure))))
        for d in counts:
            # two counts over other rows have nothing to do with each other
            if c is d or len(c.bag) != 1 or len(d.bag) != 1 or len(c.bag[0].vars) != len(d.bag[0].vars):
                continue
            (all_,), (some,) = c.bag, d.bag
            mapping = {v: w for (v, _), (w, _) in zip(some.vars, all_.vars, strict=True)}
            moved = subst_block(replace(some, vars=()), rows_renamed(mapping))
            sources = [s for _, s in some.vars], [s for _, s in all_.vars]
            # the second must ask all that the first asks
            if sources[0] != sources[1] or len(moved) != 1 or not set(all_.preds) <= set(moved[0].preds):
                continue
            extra = [p for p in moved[0].preds if p not in all_.preds]
            # the same rows twice
            if not extra:
                continue
            yield app(LE, (d, c), BOOL)
            failing = exists(block(all_.vars, (*all_.preds, negate(is_true(conj(extra)))), ()))
            yield from _equivalent(negate(failing), is_true(eq(c, d)))
