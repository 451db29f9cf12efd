"""Rules on the first n rows, and on what asks how many or whether any come before: counts and extremes as
EXISTS.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from rewright.equivalence.prover.bags import aggregate, block, exists, subst, subst_block
from rewright.equivalence.prover.build import app, conj, disj, eq, integer, is_true, negate, not_null
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.positions import before, read_window, total
from rewright.equivalence.prover.symbols import (
    AND,
    EQ,
    LE,
    LT,
    NOT,
    OR,
    SAME,
    arithmetic,
    domain,
    identity,
    one_representation,
)
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Nested,
    Row,
    Sym,
    Term,
    Var,
    free_vars,
    rows_renamed,
    walk_shallow,
)
from rewright.equivalence.prover.unique import one_row
from rewright.sql.types import BOOL

from .base import At, Place, parts_of

_ON_COUNTS = frozenset({"+ int8", "- int8"})
# counts do not leave bigint
_MINUS = replace(arithmetic("-", "int8", "int8", "int8"), fails="")
_SMALL = frozenset("123456789")


def first_rows(p: Place, at: At) -> Bag | None:
    """13, 14: the rows that LIMIT and OFFSET keep in a total order are those with so many rows before them;
    those that WITH TIES keeps are so in any order. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Limited) or source.on or not source.keys or Row(v) in parts_of(b):
        # DISTINCT ON has its own rule; without keys any n rows are kept, and Row(v) asks for the identity of
        # one
        return None
    skipped = 0 if source.offset is None else _number(source.offset)
    kept = None if source.limit is None else _number(source.limit)
    # LIMIT $1 is no number that is known; OFFSET may cut a group of ties that WITH TIES counts from
    if skipped is None or (kept is None and source.limit is not None) or (source.ties and skipped):
        return None
    others = tuple(x for x in b.vars if x[0] != v)
    # what is asked of the limited rows themselves is asked after they were chosen
    ctx = p.ctx.within(Block(others, tuple(q for q in b.preds if v not in free_vars(q)), ()))
    keys = slice(len(source.bag[0].outs) - len(source.keys), None)
    # with ties left, the count of rows before one is no place: several rows have the same
    if not source.ties and not total(p.engine, ctx, source.bag, keys):
        return None
    result: list[Block] = []
    for inner in fresh_copy(source.bag):
        # each block of the source may hold the chosen row, and each counts those of all blocks
        place = _place(source, inner.outs[keys], keys)
        if place is None:
            return None
        bounds = [app(LT, (integer(skipped), place), BOOL)] if skipped else []
        bounds += [app(LE, (place, integer(skipped + kept)), BOOL)] if kept is not None else []

        def env(t: Term, row: Block = inner) -> Term | None:
            return row.outs[t.pos] if isinstance(t, Var) and t.var == v else None

        for r in subst_block(replace(b, vars=others), env):
            result.extend(block((*r.vars, *inner.vars), (*r.preds, *inner.preds, *bounds), r.outs))
    return p.with_block(i, tuple(result))


def _number(end: Term) -> int | None:
    """The rows that LIMIT or OFFSET says, where it is a number of them."""
    plain = isinstance(end, Lit) and end.value is not None and end.value.isdigit()
    return int(str(end.value)) if plain and isinstance(end, Lit) else None


def _place(source: Limited, mine: tuple[Term, ...], keys: slice) -> Term | None:
    """One more than the rows that come before the one with these keys."""
    counted: list[Block] = [Block((), (), ())]
    for other in fresh_copy(source.bag):
        earlier = before(tuple(zip(source.keys, other.outs[keys], mine, strict=True)))
        # a key whose order is not known has no "before"
        if earlier is None:
            return None
        counted.extend(block(other.vars, (*other.preds, earlier), ()))
    return aggregate("cnt", tuple(counted), INTEGER)


def dense_rank_as_count(p: Place, at: At) -> Bag | None:
    """14: dense_rank() is one more than the different keys that come before. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    name = read_window(term.name) if term.kind == "win" else None
    # over a union of rows dense ranks would have to be counted across the blocks
    if name is None or name.func != "dense_rank" or len(term.bag) != 1 or not name.keys:
        return None
    (rows,) = fresh_copy(term.bag)
    count = len(name.keys)
    earlier = before(tuple(zip(name.keys, rows.outs, term.args, strict=False)))
    # which of equal values stands for them is not asked
    if earlier is None or not all(one_representation(k.type) for k in rows.outs[:count]):
        return None
    keys = Distinct(block(rows.vars, (*rows.preds, earlier), rows.outs[:count]))
    counted = (Block((), (), ()), *block(((fresh(), keys),), (), ()))
    return p.with_block(i, replace_term(b, term, aggregate("cnt", counted, INTEGER)))


def bounded_count(p: Place, at: At) -> Bag | None:
    """15: a bound of how many rows there are is one of those that may be there or not; that there is none, or
    some, is EXISTS. Two counts compare as they do without the rows that both have for certain. ``at``: block,
    predicate.
    """
    i, n = at
    b = p.block(i)
    found = asked_of_count(b.preds[n])
    if found is None:
        fewer = without_certain_rows(b.preds[n])
        return None if fewer is None else p.with_predicate(i, n, fewer)
    term, kind, number = found
    rest = fresh_copy(tuple(x for x in term.bag if x.vars or x.preds))
    plain = len(rest) == len(term.bag) and b.preds[n].sym != LE  # type: ignore[union-attr] # asked_of_count found a comparison, an App
    # rows that are there whatever holds count towards the number without being looked for
    number -= len(term.bag) - len(rest)
    counted = aggregate("cnt", rest, INTEGER)
    # under 1 is none, over 0 is some
    if number == (1 if kind == "under" else 0):
        new = exists(rest) if kind == "over" else negate(exists(rest))
    elif plain:
        # `<` and `=` as they stand; a `<=` would still become `<`
        return None  # there is nothing to take away
    elif kind == "equal":
        new = eq(counted, integer(number))
    else:
        pair = (counted, integer(number)) if kind == "under" else (integer(number), counted)
        new = app(LT, pair, BOOL)
    return p.with_predicate(i, n, new)


def asked_of_count(goal: Term) -> tuple[Nested, Literal["under", "over", "equal"], int] | None:
    """A count that a predicate bounds by a number: it is under it, over it, or equal to it."""
    if not isinstance(goal, App) or goal.sym not in {EQ, LE, LT}:
        return None
    # n < 5 has the count on the left, 5 < n on the right
    for below, (term, end) in ((True, goal.args), (False, goal.args[::-1])):
        if (
            not isinstance(term, Nested)
            or not _is_count(term)
            or not isinstance(end, Lit)
            or end.value is None
        ):
            continue
        number = int(end.value)
        if goal.sym == EQ:
            return term, "equal", number
        if below:
            # n <= 4 is n < 5
            return term, "under", number + (goal.sym == LE)
        return term, "over", number - (goal.sym == LE)
    return None


def without_certain_rows(goal: Term) -> Term | None:
    """Two counts compared without as many rows as both count whatever there is; None where one has none."""
    if not isinstance(goal, App) or goal.sym not in {EQ, LE, LT} or not all(map(_is_count, goal.args)):
        return None
    one, other = (n.bag for n in goal.args if isinstance(n, Nested))
    # as many as both have: the rest of the larger side stays
    fewest = min(sum(not (x.vars or x.preds) for x in bag) for bag in (one, other))
    if not fewest:
        return None
    pair = tuple(aggregate("cnt", _without_certain(bag, fewest), INTEGER) for bag in (one, other))
    return app(goal.sym, pair, BOOL)


def _without_certain(bag: Bag, number: int) -> Bag:
    """The bag without so many of its rows that are there whatever holds."""
    certain = [x for x in bag if not (x.vars or x.preds)]
    return fresh_copy((*certain[number:], *(x for x in bag if x.vars or x.preds)))


def counted_sum(p: Place, at: At) -> Bag | None:
    """15: a count and a number are the count of so many rows more, or less where as many are there whatever
    holds. ``at``: block, sum.
    """
    i, n = at
    b = p.block(i)
    term = sums_with_counts(b)[n]
    counted, number = term.args if _is_count(term.args[0]) else term.args[::-1]
    assert isinstance(counted, Nested)
    assert isinstance(number, Lit)
    rows = int(str(number.value))
    if term.sym.name == "- int8":
        bag = _without_certain(counted.bag, rows)
        # the number is subtracted from the count, and the count has so many certain rows
        if counted is not term.args[0] or len(bag) > len(counted.bag) - rows:
            return None
    else:
        bag = (*(Block((), (), ()) for _ in range(rows)), *counted.bag)
    return p.with_block(i, replace_term(b, term, aggregate("cnt", bag, INTEGER)))


def some_first(p: Place, at: At) -> Bag | None:
    """14: where there are rows there is one that no other comes before: EXISTS asks for no first row. ``at``:
    block, predicate.
    """
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    other = lone_negation(goal)
    if other is None or p.mode != "set" or b.outs or len(b.vars) != 1:
        return None
    ((v, source),) = b.vars
    ((w, same_source),) = other.vars
    rest = tuple(q for q in b.preds if q != goal)
    moved = {_either_way(subst(q, rows_renamed({v: w}))) for q in rest}
    order = tuple(q for q in other.preds if _either_way(q) not in moved)
    # the other rows must be asked the same, so that they are of the same set, and something more: the order
    if source != same_source or not moved <= set(map(_either_way, other.preds)) or not order:
        return None
    if not _is_strict_order(p, replace(b, preds=rest), v, w, order):
        return None
    return p.with_block(i, block(b.vars, rest, ()))


def _either_way(q: Term) -> Term:
    """An equality with its sides in one order: which of them is written first says nothing."""
    if isinstance(q, App) and q.sym == EQ:
        # sorted by their text, as either spelling is met
        return App(EQ, tuple(sorted(q.args, key=str)), q.type)
    return q


def lone_negation(goal: Term) -> Block | None:
    """The block of which a predicate says that it has no row, where it reads one relation."""
    if not isinstance(goal, App) or goal.sym != NOT or not isinstance(goal.args[0], Nested):
        return None
    inner = goal.args[0]
    if inner.kind != "exists" or len(inner.bag) != 1 or len(inner.bag[0].vars) != 1:
        return None
    return inner.bag[0]


def _is_strict_order(p: Place, b: Block, v: int, w: int, order: tuple[Term, ...]) -> bool:
    """Whether the predicates, of ``w`` and ``v``, say that one row of the block comes before another:
    finitely many have a first one.
    """
    ((_, source),) = b.vars
    one, two, three = fresh(), fresh(), fresh()

    def before_(x: int, y: int) -> tuple[Term, ...]:
        return tuple(subst(q, rows_renamed({w: x, v: y})) for q in order)

    ctx = p.ctx.within(Block(((one, source), (two, source), (three, source)), (), ()))
    # nothing comes before itself
    if not p.engine.inconsistent(ctx.having(before_(one, one))):
        return False
    chained = ctx.having((*before_(one, two), *before_(two, three)))
    # and what comes before what comes before another comes before that
    return all(p.engine.entails(chained, q) for q in before_(one, three))


def sums_with_counts(b: Block) -> list[App]:
    """The sums of a count and a small number that a block reads."""
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym.name in _ON_COUNTS and len(s.args) == 2:
                counted, number = s.args if _is_count(s.args[0]) else s.args[::-1]
                small = isinstance(number, Lit) and str(number.value) in _SMALL
                if _is_count(counted) and small:
                    found[s] = None
    return list(found)


def _is_count(term: Term) -> bool:
    return isinstance(term, Nested) and term.kind == "agg" and term.name == "cnt"


def extreme_as_exists(p: Place, at: At) -> Bag | None:
    """16: a value is the greatest of some rows if it is one of theirs and none is greater; it is above the
    greatest if it is above one, and none is as great; it is below it if it is below one. ``at``: block,
    predicate.
    """
    i, n = at
    goal = p.block(i).preds[n]
    found = equated_extreme(goal)
    if found is None:
        new = bounded_extreme(goal)
        return None if new is None else p.with_predicate(i, n, new)
    term, value = found
    beyond = (lambda x: (x, value)) if term.name.startswith("min ") else (lambda x: (value, x))
    # `= max(x)` of no rows is NULL, as EXISTS finds none: both keep no row
    among = exists(_where(term.bag, lambda x: eq(x, value)))
    none = negate(exists(_where(term.bag, lambda x: is_true(app(LT, beyond(x), BOOL)))))
    return p.with_predicate(i, n, conj((among, none)))


def bounded_extreme(goal: Term) -> Term | None:
    """A comparison of a minimum or maximum with a value, as one of the rows' own with it."""
    if not isinstance(goal, App) or goal.sym not in {LT, LE}:
        return None
    for side, (term, value) in enumerate((goal.args, goal.args[::-1])):
        if not isinstance(term, Nested) or not _is_extreme(term):
            continue
        # two extremes compared with each other are of two sets of rows
        if not _is_extreme(value) and _in_one_order(term, value):
            return _of_each_row(term, value, goal.sym, side)
    return None


def _of_each_row(term: Nested, value: Term, sym: Sym, side: int) -> Term:
    """``extreme sym value``, or with the extreme on the other ``side``: that some row is so, and where all
    must be, that none is not.
    """
    some = exists(_where(term.bag, lambda x: app(sym, (value, x) if side else (x, value), BOOL)))
    # min(x) < v asks for one x below v; max(x) < v that there are rows and none is at or above it
    if term.name.startswith("max ") == bool(side):
        return some
    other = LE if sym == LT else LT
    beyond = exists(_where(term.bag, lambda x: app(other, (x, value) if side else (value, x), BOOL)))
    # of a value that is there no more is asked than that there are rows
    # a value that may be NULL must be compared, or NULL would count as met
    known = isinstance(value, Lit) and value.value is not None
    return conj((exists(_where(term.bag, not_null)) if known else some, negate(beyond)))


def equated_extreme(goal: Term) -> tuple[Nested, Term] | None:
    """A minimum or maximum that a predicate equates with a value, where one order is meant: of values that
    are equal in it any may be the extreme, and each of them is equal to it.
    """
    if not isinstance(goal, App) or goal.sym != EQ:
        return None
    for term, value in (goal.args, goal.args[::-1]):
        if not isinstance(term, Nested) or not _is_extreme(term):
            continue
        if not _is_extreme(value) and _in_one_order(term, value):
            return term, value
    return None


def _is_extreme(term: Term) -> bool:
    return isinstance(term, Nested) and term.kind == "agg" and term.name.startswith(("min ", "max "))


def _in_one_order(extreme: Nested, value: Term) -> bool:
    """Whether a minimum or maximum goes by the order in which the value is compared with it."""
    values = [x.outs[0] for x in extreme.bag if x.outs]
    orders = {(domain(x.type), x.type.collation) for x in (*values, value, extreme)}
    # min() of texts goes by their collation, `=` may go by another
    return len(orders) == 1 and bool(domain(value.type)) and bool(values)


def _where(bag: Bag, f: object) -> Bag:
    assert callable(f)
    return tuple(n for x in fresh_copy(bag) for n in block(x.vars, (*x.preds, f(x.outs[0])), ()))


def own_row_counted(p: Place, at: At) -> Bag | None:
    """14: of the rows that come no later than a row of a total order, that row itself is one: the others come
    before. An order of several keys is asked by OR and AND.
    ``at``: block, term, block within, predicate.
    """
    i, n, k, m = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if not _is_count(term) or k >= len(term.bag) or m >= len(term.bag[k].preds):
        return None
    inner = term.bag[k]
    own = {v for v, _ in inner.vars}
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    ctx = p.beside(b, term)
    for (x, y), deciding, sooner in _bounds(inner.preds[m]):
        # equal values must be the same to be the row's own; both sides of the condition within, or both
        # outside, compare no row with the current one
        compared = bool(free_vars(x) & own) != bool(free_vars(y) & own)
        if not compared or not (identity(x.type) and identity(y.type)):
            continue
        alike = fresh_copy(block(inner.vars, (*rest, eq(x, y), *deciding), ()))
        # exactly one row has the bound: the current one, if it is among the rows counted
        if one_row(p.engine, ctx, alike) and p.engine.entails(ctx, exists(alike)):
            earlier = block(inner.vars, (*rest, sooner), inner.outs)
            bag = (Block((), (), ()), *term.bag[:k], *earlier, *term.bag[k + 1 :])
            return p.with_block(i, replace_term(b, term, aggregate("cnt", bag, INTEGER)))
    return None


def _bounds(pred: Term) -> Iterator[tuple[tuple[Term, ...], tuple[Term, ...], Term]]:
    """The sides of each `<=` in a condition, what must be so for it to decide (all beside it in AND hold,
    none beside it in OR does), and the condition with `<` in its place.
    """
    # `<` leaves the row itself out already
    if not isinstance(pred, App):
        return
    if pred.sym == LE:
        yield pred.args, (), app(LT, pred.args, BOOL)
    elif pred.sym in {AND, OR}:
        put = conj if pred.sym == AND else disj
        for i, x in enumerate(pred.args):
            before_, after = pred.args[:i], pred.args[i + 1 :]
            beside = tuple(o if pred.sym == AND else negate(is_true(o)) for o in (*before_, *after))
            for sides, deciding, sooner in _bounds(x):
                yield sides, (*deciding, *beside), put((*before_, sooner, *after))


def other_rows_counted(p: Place, at: At) -> Bag | None:
    """14: the rows of which a condition holds are one less than those of which it is known, where it fails
    for exactly one: the others beside a row of its own partition.
    ``at``: block, term, block within, predicate.
    """
    i, n, k, m = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if not _is_count(term) or k >= len(term.bag) or m >= len(term.bag[k].preds):
        return None
    inner = term.bag[k]
    pred = inner.preds[m]
    # `id <> t.id` and the like
    if not rules_out(pred):
        return None
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    own = fresh_copy(block(inner.vars, (*rest, negate(pred)), ()))
    ctx = p.beside(b, term)
    # exactly one row fails the condition, the row's own: without it there is nothing to take away
    if not one_row(p.engine, ctx, own) or not p.engine.entails(ctx, exists(own)):
        return None
    # NULL in the condition leaves rows out of both counts
    known = block(inner.vars, (*rest, not_null(pred)), inner.outs)
    whole = aggregate("cnt", (*term.bag[:k], *known, *term.bag[k + 1 :]), INTEGER)
    return p.with_block(i, replace_term(b, term, app(_MINUS, (whole, integer(1)), INTEGER)))


def rules_out(pred: Term) -> bool:
    """Whether a condition says that columns are not all equal to others."""
    parts = pred.args if isinstance(pred, App) and pred.sym == OR else (pred,)
    return all(
        isinstance(x, App) and x.sym == NOT and isinstance(x.args[0], App) and x.args[0].sym in {EQ, SAME}
        for x in parts
    )
