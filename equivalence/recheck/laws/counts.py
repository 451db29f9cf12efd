"""Laws on what is asked of counts and extremes: bounds and equalities as EXISTS.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists, subst
from rewright.equivalence.prover.build import app, conj, eq, integer, is_true, negate, predicates
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.symbols import EQ, LE, LT, NOT, arithmetic, identity
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Term,
    free_vars,
    rows_renamed,
    walk_shallow,
)
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Follows,
    Impossible,
    Instance,
    OneRow,
)
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.sql.types import BOOL

_PLUS = arithmetic("+", "int8", "int8", "int8")
_ONE_ROW = Block((), (), ())


def _is_count(term: Term) -> bool:
    return isinstance(term, Nested) and (term.kind, term.name) == ("agg", "cnt")


def _with_condition(p: Place, i: int, n: int, new: Term) -> Bag:
    b = p.bag[i]
    preds = (*b.preds[:n], *predicates(new), *b.preds[n + 1 :])
    return spliced(p.bag, i, block(b.vars, preds, b.outs))


def bounded_count(p: Place, at: Bindings) -> Iterator[Instance]:
    """K + count{Q} < n is count{Q} < n - k; count{Q} < 1 is NOT EXISTS(Q), 0 < count{Q} is EXISTS(Q).
    Bindings: block, condition.
    """
    i, n = at
    goal = pick(pick(p.bag, i).preds, n)
    found = _asked(goal)
    if found is None:
        return
    term, op, number = found
    rest = fresh_copy(tuple(x for x in term.bag if x.vars or x.preds))
    number -= len(term.bag) - len(rest)
    counted = aggregate("cnt", rest, INTEGER)
    match op:
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


def _asked(goal: Term) -> tuple[Nested, str, int] | None:
    """A count that a condition compares with a number: under it, over it, or equal to it."""
    if not isinstance(goal, App) or goal.sym not in {EQ, LE, LT}:
        return None
    for turned, (term, end) in ((False, goal.args), (True, goal.args[::-1])):
        if isinstance(term, Nested) and _is_count(term) and isinstance(end, Lit) and end.value is not None:
            more = int(goal.sym == LE)
            if goal.sym == EQ:
                return term, "=", int(end.value)
            return (term, ">", int(end.value) - more) if turned else (term, "<", int(end.value) + more)
    return None


def counted_sum(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{Q} + k is the count of Q and k rows more. Bindings: block, sum."""
    i, n = at
    b = pick(p.bag, i)
    terms = (t for x in (*b.preds, *b.outs) for t in walk_shallow(x))
    sums = dict.fromkeys(t for t in terms if isinstance(t, App) and _counts_more(t) is not None)
    term = pick(list(sums), n)
    found = _counts_more(term)
    if found is not None:
        counted, more = found
        bag = (*(_ONE_ROW for _ in range(more)), *counted.bag)
        yield Instance(spliced(p.bag, i, with_value(b, term, aggregate("cnt", bag, INTEGER))))


def _counts_more(term: App) -> tuple[Nested, int] | None:
    if term.sym != _PLUS or len(term.args) != 2:
        return None
    counted, number = term.args if _is_count(term.args[0]) else term.args[::-1]
    if isinstance(counted, Nested) and _is_count(counted) and isinstance(number, Lit):
        digit = str(number.value)
        return (counted, int(digit)) if len(digit) == 1 and digit in "123456789" else None
    return None


def extreme_as_exists(p: Place, at: Bindings) -> Iterator[Instance]:
    """V = max{e | Q} is EXISTS(Q, e = v) ∧ NOT EXISTS(Q, e > v), of one type whose equality is identity.
    Bindings: block, condition.
    """
    i, n = at
    goal = pick(pick(p.bag, i).preds, n)
    if not isinstance(goal, App) or goal.sym != EQ:
        return
    for term, value in (goal.args, goal.args[::-1]):
        if not isinstance(term, Nested) or term.kind != "agg" or not term.name.startswith(("min ", "max ")):
            continue
        types = {t.type for t in (*(x.outs[0] for x in term.bag), value, term)}
        if not all(identity(t) for t in types) or len({(t.name, t.collation) for t in types}) > 1:
            continue
        least = term.name.startswith("min ")

        def beyond(x: Term, value: Term = value, least: bool = least) -> Term:
            return is_true(app(LT, (x, value) if least else (value, x), BOOL))

        def among(x: Term, value: Term = value) -> Term:
            return eq(x, value)

        both = conj((exists(_where(term.bag, among)), negate(exists(_where(term.bag, beyond)))))
        yield Instance(_with_condition(p, i, n, both))


def _where(bag: Bag, f: Callable[[Term], Term]) -> Bag:
    return tuple(m for x in fresh_copy(bag) for m in block(x.vars, (*x.preds, f(x.outs[0])), ()))


def own_row(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{Q, e ≤ v} = 1 + count{Q, e < v} where exactly one row of Q has e = v. Bindings: block, value,
    block in it, condition.
    """
    i, n, k, m = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    inner = pick(value.bag, k)
    pred = pick(inner.preds, m)
    own = {v for v, _ in inner.vars}
    if not _is_count(value) or not isinstance(pred, App) or pred.sym != LE:
        return
    sides = [bool(free_vars(x) & own) for x in pred.args]
    if sides[0] == sides[1] or not all(identity(x.type) for x in pred.args):
        return
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    (alike,) = fresh_copy((replace(inner, preds=(*rest, eq(*pred.args)), outs=()),))
    sooner = block(inner.vars, (*rest, app(LT, pred.args, BOOL)), inner.outs)
    bag = (_ONE_ROW, *value.bag[:k], *sooner, *value.bag[k + 1 :])
    ctx = without_value(p.ctx, b, value)
    needs = (OneRow(ctx, (alike,)), Follows(ctx, exists((alike,))))
    yield Instance(spliced(p.bag, i, with_value(b, value, aggregate("cnt", bag, INTEGER))), needs)


def some_first(p: Place, at: Bindings) -> Iterator[Instance]:
    """EXISTS(x . P(x) ∧ NOT EXISTS(y . P(y) ∧ y < x)) = EXISTS(x . P(x)) of a strict order: finitely many
    rows have a first. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
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
    moved = {subst(q, rows_renamed({v: w})) for q in rest}
    order = tuple(q for q in other.preds if q not in moved)
    if not moved <= set(other.preds) or not order:
        return
    one, two, three = fresh(), fresh(), fresh()

    def sooner(x: int, y: int) -> tuple[Term, ...]:
        return tuple(subst(q, rows_renamed({w: x, v: y})) for q in order)

    ctx = p.ctx.within(Block(tuple((x, source) for x in (one, two, three)), (), ()))
    chain = ctx.having((*sooner(one, two), *sooner(two, three)))
    needs: tuple[Condition, ...] = (
        Impossible(ctx.having(sooner(one, one))),
        *(Follows(chain, q) for q in sooner(one, three)),
    )
    yield Instance(spliced(p.bag, i, block(b.vars, rest, ())), needs)
