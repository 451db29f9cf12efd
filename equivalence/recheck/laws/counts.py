"""Laws on what is asked of counts and extremes: bounds and equalities as EXISTS.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

from rewright.equivalence.prover.bags import aggregate, block, exists, subst
from rewright.equivalence.prover.build import (
    app,
    conj,
    disj,
    eq,
    integer,
    is_true,
    negate,
    not_null,
    predicates,
    same,
)
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.symbols import (
    AND,
    EQ,
    INTS,
    LE,
    LT,
    NOT,
    OR,
    SAME,
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
    Lit,
    Nested,
    Sym,
    Table,
    Term,
    Var,
    free_vars,
    rows_renamed,
    source_types,
    walk_shallow,
)
from rewright.equivalence.recheck.counting import equated
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Follows,
    Impossible,
    Instance,
    Keyed,
    OneRow,
)
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.equivalence.recheck.shapes import shape
from rewright.sql.types import BOOL

_MINUS = Sym("- int8", total=True)
# rows that are told apart two by two, at most
_MOST_ROWS = 4
_ONE_ROW = Block((), (), ())


def _is_count(term: Term) -> bool:
    return isinstance(term, Nested) and (term.kind, term.name) == ("agg", "cnt")


def _with_condition(p: Place, i: int, n: int, new: Term) -> Bag:
    b = p.bag[i]
    preds = (*b.preds[:n], *predicates(new), *b.preds[n + 1 :])
    return spliced(p.bag, i, block(b.vars, preds, b.outs))


def bounded_count(p: Place, at: Bindings) -> Iterator[Instance]:
    """K + count{Q} < n is count{Q} < n - k; count{Q} < 1 is NOT EXISTS(Q), 0 < count{Q} is EXISTS(Q);
    k + count{Q} < k + count{R} is count{Q} < count{R}. Bindings: block, condition.
    """
    i, n = at
    goal = pick(pick(p.bag, i).preds, n)
    found = _asked(goal)
    if found is None:
        if isinstance(goal, App) and goal.sym in {EQ, LT, LE} and all(_is_count(x) for x in goal.args):
            less = _less_on_both(goal)
            if less != goal:
                yield Instance(_with_condition(p, i, n, less))
        return
    term, op, number = found
    # rows without variables and conditions are there whatever holds
    rest = fresh_copy(tuple(x for x in term.bag if x.vars or x.preds))
    number -= len(term.bag) - len(rest)
    counted = aggregate("cnt", rest, INTEGER)
    match op:
        # fewer than one is none, more than none is some
        case "<" if number == 1:
            new = negate(exists(rest))
        case ">" if number == 0:
            new = exists(rest)
        case "=" if number == 0:
            new = negate(exists(rest))
        case "=":
            new = eq(counted, integer(number))
        case _:
            new = app(LT, (counted, integer(number)) if op == "<" else (integer(number), counted), BOOL)
    yield Instance(_with_condition(p, i, n, new))


def _less_on_both(goal: App) -> Term:
    """Both counts without the rows that are on both sides whatever holds."""
    bags = [x.bag for x in goal.args if isinstance(x, Nested)]
    # as many as both sides have may go
    for_certain = [[x for x in bag if x == _ONE_ROW] for bag in bags]
    k = min(map(len, for_certain))
    rest = [
        (*ones[k:], *(x for x in bag if x != _ONE_ROW)) for ones, bag in zip(for_certain, bags, strict=True)
    ]
    return app(goal.sym, tuple(aggregate("cnt", fresh_copy(bag), INTEGER) for bag in rest), BOOL)


def several(p: Place, at: Bindings) -> Iterator[Instance]:
    """N ≤ count{x . Q(x)} is EXISTS(x₁ … xₙ . Q(x₁) … ∧ no two agree on k) where k is a key without NULLs of
    the relation of x; what is under is its negation, and equal n is n and not n + 1. Columns of k that Q
    equates with something outside tell no rows apart; where one column of integers does, rows come in its
    order. Where x is of different rows, all columns together are the key, compared as NULLs are where one may
    be NULL. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    found = _asked(pick(b.preds, n))
    if found is None or p.schema is None or len(found[0].bag) != 1 or len(found[0].bag[0].vars) != 1:
        return
    term, op, number = found
    (inner,) = term.bag
    v, source = inner.vars[0]
    least = number + 1 if op == ">" else number
    # more than four rows make more pairs than are worth a solver's time
    if not (1 if op == "=" else 2) <= least <= _MOST_ROWS:
        return
    if isinstance(source, Distinct):
        types = source_types(source)
        # of equal values that look different DISTINCT keeps one, and nobody says which
        if not types or not all(one_representation(t) for t in types):
            return
        columns = [Var(v, c, t) for c, t in enumerate(types)]
        ctx = p.ctx.within(replace(b, preds=(*b.preds[:n], *b.preds[n + 1 :])))
        shown = [(x, o) for x in fresh_copy(source.bag) for o in x.outs]
        filled = tuple(Follows(ctx.within(x), not_null(o)) for x, o in shown)
        for equal, needs in ((eq, filled), (same, ())):
            new = _asked_of(op, partial(_so_many, inner, columns, equal), least)
            yield Instance(_with_condition(p, i, n, new), needs)
        return
    if not isinstance(source, Table):
        return
    for key in p.schema.keys(source):
        columns = [Var(v, c, source.types[c]) for c in key.columns]
        # columns of the key that Q fixes are the same for all rows and tell none apart
        open_ = [c for c in columns if all(v in free_vars(t) for t in equated(inner.preds, c))] or columns
        new = _asked_of(op, partial(_so_many, inner, open_, None), least)
        yield Instance(_with_condition(p, i, n, new), (Keyed(source, key.columns, filled=True),))


def _asked_of(op: str, so_many: Callable[[int], Term], least: int) -> Term:
    match op:
        case ">":
            return so_many(least)
        case "<":
            return negate(so_many(least))
        case _:
            return conj((so_many(least), negate(so_many(least + 1))))


def _so_many(
    inner: Block, columns: list[Var], equal: Callable[[Term, Term], Term] | None, number: int
) -> Term:
    """So many rows two by two unlike; ``equal`` None: of a relation, in the order of integers."""
    copies = [fresh_copy((inner,))[0] for _ in range(number)]
    integers = len(columns) == 1 and columns[0].type.is_builtin and columns[0].type.name in INTS
    # integers can be put in order, so that x1 < x2 < x3 counts each set of rows once
    in_order = integers and equal is None
    alike = equal or eq
    apart: list[Term] = []
    for x, y in combinations(copies, 2):
        pairs = [(replace(c, var=x.vars[0][0]), replace(c, var=y.vars[0][0])) for c in columns]
        apart += [app(LT, pairs[0], BOOL)] if in_order else [disj(negate(alike(s, t)) for s, t in pairs)]
    rows = tuple(x for c in copies for x in c.vars)
    return exists(block(rows, (*(q for c in copies for q in c.preds), *apart), ()))


def _asked(goal: Term) -> tuple[Nested, str, int] | None:
    """A count that a condition compares with a number: under it, over it, or equal to it."""
    if not isinstance(goal, App) or goal.sym not in {EQ, LE, LT}:
        return None
    for turned, (term, end) in ((False, goal.args), (True, goal.args[::-1])):
        if isinstance(term, Nested) and _is_count(term) and isinstance(end, Lit) and end.value is not None:
            more = int(goal.sym == LE)
            # count <= n is count < n + 1
            if goal.sym == EQ:
                return term, "=", int(end.value)
            return (term, ">", int(end.value) - more) if turned else (term, "<", int(end.value) + more)
    return None


def one_value(p: Place, at: Bindings) -> Iterator[Instance]:
    """Min{e | Q} = max{e | Q} is EXISTS(Q, e is not NULL) ∧ NOT EXISTS(Q, Q', e ≠ e'); that they differ, or
    the one is less than the other, is EXISTS(Q, Q', e ≠ e'). Bindings: block, condition.
    """
    i, n = at
    goal = pick(pick(p.bag, i).preds, n)
    for equal, sym, args in _compared(goal):
        for low, high in (args, args[::-1]) if sym == EQ else (args,):
            if not (isinstance(low, Nested) and isinstance(high, Nested) and len(low.bag) == 1):
                continue
            names = low.name.partition(" "), high.name.partition(" ")
            # extremes by two collations, or of two types, are of two orders
            one_order = names[0][2] == names[1][2] and low.type == high.type
            if (names[0][0], names[1][0]) != ("min", "max") or not (
                one_order and one_representation(low.type)
            ):
                continue
            # minimum and maximum of the very same rows
            if low.kind != "agg" or high.kind != "agg" or shape(replace(high, name=low.name)) != shape(low):
                continue
            (x,), (y,) = fresh_copy(low.bag), fresh_copy(low.bag)
            unlike = exists(
                block((*x.vars, *y.vars), (*x.preds, *y.preds, negate(eq(x.outs[0], y.outs[0]))), ())
            )
            some = exists(block(x.vars, (*x.preds, not_null(x.outs[0])), ()))
            yield Instance(_with_condition(p, i, n, conj((some, negate(unlike))) if equal else unlike))


def _compared(goal: Term) -> Iterator[tuple[bool, Sym, tuple[Term, ...]]]:
    match goal:
        case App(sym, args) if sym in {EQ, LT}:
            yield sym == EQ, sym, args
        case App(sym, (App(inner, args),)) if sym == NOT and inner == EQ:
            yield False, EQ, args


def counted_sum(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{Q} + k is the count of Q and k rows more, and count{Q and k rows} - k is that of Q. Bindings:
    block, sum.
    """
    i, n = at
    b = pick(p.bag, i)
    terms = (t for x in (*b.preds, *b.outs) for t in walk_shallow(x))
    sums = dict.fromkeys(t for t in terms if isinstance(t, App) and _counts_more(t) is not None)
    term = pick(list(sums), n)
    found = _counts_more(term)
    if found is not None:
        counted, more = found
        bag = (*(_ONE_ROW for _ in range(more)), *counted.bag)
        if term.sym.name == "- int8":
            certain = [x for x in counted.bag if x == _ONE_ROW]
            # fewer rows are certain than are to be taken away
            if len(certain) < more:
                return
            bag = fresh_copy((*certain[more:], *(x for x in counted.bag if x != _ONE_ROW)))
        yield Instance(spliced(p.bag, i, with_value(b, term, aggregate("cnt", bag, INTEGER))))


def _counts_more(term: App) -> tuple[Nested, int] | None:
    if term.sym.name not in {"+ int8", "- int8"} or len(term.args) != 2:
        return None
    # n - count is no count
    if term.sym.name == "- int8" and not _is_count(term.args[0]):
        return None
    counted, number = term.args if _is_count(term.args[0]) else term.args[::-1]
    if isinstance(counted, Nested) and _is_count(counted) and isinstance(number, Lit):
        digit = str(number.value)
        return (counted, int(digit)) if len(digit) == 1 and digit in "123456789" else None
    return None


def extreme_as_exists(p: Place, at: Bindings) -> Iterator[Instance]:
    """V = max{e | Q} is EXISTS(Q, e = v) ∧ NOT EXISTS(Q, e > v), whichever of equal values is the extreme.
    V ≤ max{e | Q} is EXISTS(Q, v ≤ e), and max{e | Q} ≤ v is EXISTS(Q, e ≤ v) ∧ NOT EXISTS(Q, v < e),
    in one order; so with < and minima. Bindings: block, condition.
    """
    i, n = at
    goal = pick(pick(p.bag, i).preds, n)
    if not isinstance(goal, App) or goal.sym not in {EQ, LT, LE}:
        return
    for term, value in (goal.args, goal.args[::-1]):
        if not isinstance(term, Nested) or term.kind != "agg" or not term.name.startswith(("min ", "max ")):
            continue
        met = (*(x.outs[0] for x in term.bag), value, term)
        # of one order, or `=` and the extreme may disagree
        if len({(domain(t.type), t.type.collation) for t in met}) > 1 or not domain(value.type):
            continue
        if goal.sym != EQ:
            yield Instance(_with_condition(p, i, n, _bounded(goal, term, value)))
            continue
        least = term.name.startswith("min ")

        def beyond(x: Term, value: Term = value, least: bool = least) -> Term:
            return is_true(app(LT, (x, value) if least else (value, x), BOOL))

        def among(x: Term, value: Term = value) -> Term:
            return eq(x, value)

        both = conj((exists(_where(term.bag, among)), negate(exists(_where(term.bag, beyond)))))
        yield Instance(_with_condition(p, i, n, both))


def _bounded(goal: App, extreme: Nested, value: Term) -> Term:
    """What a bound of an extreme asks of the values: of one, or of all, NULLs aside."""
    below = goal.args[0] == extreme  # the extreme is to be below the value

    def rows(sym: Sym, *, lower: bool) -> Term:
        def asked(x: Term) -> Term:
            return app(sym, (x, value) if lower else (value, x), BOOL)

        return exists(_where(extreme.bag, asked))

    one = rows(goal.sym, lower=below)
    # one row on this side is enough for min(x) < v
    if extreme.name.startswith("min ") == below:
        return one
    # where a value is there, and no row is beyond it, any row is on this side
    # a constant is never NULL: that there is a row is all that is asked beside
    there = isinstance(value, Lit) and value.value is not None
    some = exists(_where(extreme.bag, not_null)) if there else one
    return conj((some, negate(rows(LE if goal.sym == LT else LT, lower=not below))))


def _where(bag: Bag, f: Callable[[Term], Term]) -> Bag:
    return tuple(m for x in fresh_copy(bag) for m in block(x.vars, (*x.preds, f(x.outs[0])), ()))


def own_row(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{Q, φ(e ≤ v)} = 1 + count{Q, φ(e < v)}, where φ is made by AND and OR and exactly one row of Q has
    e = v and is counted for that: what stands beside it in φ by AND holds, and by OR does not. Bindings:
    block, value, block in it, condition.
    """
    i, n, k, m = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    inner = pick(value.bag, k)
    pred = pick(inner.preds, m)
    own = {v for v, _ in inner.vars}
    if not _is_count(value):
        return
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    ctx = without_value(p.ctx, b, value)
    for bound, strict, alone in _no_later(pred):
        sides = [bool(free_vars(x) & own) for x in bound.args]
        # one side of the bound is the row's, the other the current row's
        if sides[0] == sides[1] or not all(identity(x.type) for x in bound.args):
            continue
        alike = fresh_copy(block(inner.vars, (*rest, eq(*bound.args), *alone), ()))
        sooner = block(inner.vars, (*rest, strict), inner.outs)
        bag = (_ONE_ROW, *value.bag[:k], *sooner, *value.bag[k + 1 :])
        needs = (OneRow(ctx, alike), Follows(ctx, exists(alike)))
        yield Instance(spliced(p.bag, i, with_value(b, value, aggregate("cnt", bag, INTEGER))), needs)


def _no_later(pred: Term) -> Iterator[tuple[App, Term, tuple[Term, ...]]]:
    """Each `<=` under AND and OR; the whole with `<` for it; what makes it the one that decides."""
    match pred:
        case App(sym) if sym == LE:
            yield pred, app(LT, pred.args, BOOL), ()
        case App(sym, args) if sym == AND:
            for at, part in enumerate(args):
                others = tuple(x for n, x in enumerate(args) if n != at)
                for bound, strict, alone in _no_later(part):
                    yield bound, conj((*args[:at], strict, *args[at + 1 :])), (*alone, *others)
        case App(sym, args) if sym == OR:
            for at, part in enumerate(args):
                others = tuple(negate(is_true(x)) for n, x in enumerate(args) if n != at)
                for bound, strict, alone in _no_later(part):
                    yield bound, disj((*args[:at], strict, *args[at + 1 :])), (*alone, *others)


def other_rows(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{Q, c} = count{Q, c is not NULL} - 1 where c is FALSE for exactly one row of Q: c says that
    columns are not all equal to others. Bindings: block, value, block in it, condition.
    """
    i, n, k, m = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    inner = pick(value.bag, k)
    pred = pick(inner.preds, m)
    # `c <> v` is NOT (c = v); anything else may be FALSE for other reasons
    if not _is_count(value) or not _says_unlike(pred):
        return
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    false = fresh_copy(block(inner.vars, (*rest, negate(pred)), ()))
    known = block(inner.vars, (*rest, not_null(pred)), inner.outs)
    counted = aggregate("cnt", (*value.bag[:k], *known, *value.bag[k + 1 :]), INTEGER)
    ctx = without_value(p.ctx, b, value)
    needs = (OneRow(ctx, false), Follows(ctx, exists(false)))
    less = app(_MINUS, (counted, integer(1)), INTEGER)
    yield Instance(spliced(p.bag, i, with_value(b, value, less)), needs)


def _says_unlike(pred: Term) -> bool:
    alternatives = pred.args if isinstance(pred, App) and pred.sym == OR else (pred,)
    for x in alternatives:
        match x:
            case App(sym, (App(inner),)) if sym == NOT and inner in {EQ, SAME}:
                continue
        return False
    return True


def _sides_sorted(q: Term) -> Term:
    """An equality with its sides in one order, whichever is written first."""
    # an equality is one condition, whichever side comes first
    return App(EQ, tuple(sorted(q.args, key=repr)), q.type) if isinstance(q, App) and q.sym == EQ else q


def some_first(p: Place, at: Bindings) -> Iterator[Instance]:
    """EXISTS(x . P(x) ∧ NOT EXISTS(y . P(y) ∧ y < x)) = EXISTS(x . P(x)) of a strict order: finitely many
    rows have a first. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    # only where duplicates do not count does one row stand for all
    if not p.sets or b.outs or len(b.vars) != 1 or not (isinstance(goal, App) and goal.sym == NOT):
        return
    (none,) = goal.args
    if not (isinstance(none, Nested) and none.kind == "exists" and len(none.bag) == 1):
        return
    (other,) = none.bag
    if [s for _, s in other.vars] != [s for _, s in b.vars]:
        return
    (v, source), w = b.vars[0], other.vars[0][0]
    rest = tuple(q for q in b.preds if q != goal)
    moved = {_sides_sorted(subst(q, rows_renamed({v: w}))) for q in rest}
    order = tuple(q for q in other.preds if _sides_sorted(q) not in moved)
    # the others must be asked all that the row is asked, and the order beside
    if not moved <= {_sides_sorted(q) for q in other.preds} or not order:
        return
    one, two, three = fresh(), fresh(), fresh()

    def sooner(x: int, y: int) -> tuple[Term, ...]:
        return tuple(subst(q, rows_renamed({w: x, v: y})) for q in order)

    ctx = p.ctx.within(Block(tuple((x, source) for x in (one, two, three)), (), ()))
    chain = ctx.having((*sooner(one, two), *sooner(two, three)))
    # irreflexive and transitive: of finitely many rows one has none before it
    needs: tuple[Condition, ...] = (
        Impossible(ctx.having(sooner(one, one))),
        *(Follows(chain, q) for q in sooner(one, three)),
    )
    yield Instance(spliced(p.bag, i, block(b.vars, rest, ())), needs)
