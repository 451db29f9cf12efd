"""Laws on different values counted, and on zeros in a sum.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists
from rewright.equivalence.prover.build import app, coalesce, eq, exists_value, negate, not_null, predicates
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import CASE, LE, LT, one_representation
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Lit,
    Nested,
    Term,
    free_vars,
)
from rewright.equivalence.recheck.laws.stating import Bindings, Follows, Instance
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.sql.types import BOOL

_ONE_ROW = Block((), (), ())


def own_value(p: Place, at: Bindings) -> Iterator[Instance]:
    """The count δ{e | Q, e ≤ v} is 1 + count δ{e | Q, e < v} where some row of Q has e = v: e is of these
    rows and v is not, both of one type, under one collation, whose equal values look the same; and so with ≥.
    Bindings: block, value, condition.
    """
    i, n, m = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    match value:
        case Nested("agg", "cnt", (Block(((v, Distinct((Block() as inner,), ())),), ()),)):
            pass
        case _:
            return
    pred = pick(inner.preds, m)
    if not isinstance(pred, App) or pred.sym != LE or len(inner.outs) != 1 or inner.outs[0] not in pred.args:
        return
    own = {x for x, _ in inner.vars}
    one, other = (x.type for x in pred.args)
    rest_of_it = [x for x in pred.args if x != inner.outs[0]]
    if len(rest_of_it) != 1 or free_vars(rest_of_it[0]) & own or not free_vars(inner.outs[0]) & own:
        return
    if one.without_typmod() != other.without_typmod():
        return
    if not (one_representation(one) and one_representation(other)):
        return
    rest = (*inner.preds[:m], *inner.preds[m + 1 :])
    (there,) = fresh_copy((replace(inner, preds=(*rest, eq(*pred.args)), outs=()),))
    below = Distinct(block(inner.vars, (*rest, app(LT, pred.args, BOOL)), inner.outs))
    counted = aggregate("cnt", (_ONE_ROW, *block(((v, below),), (), ())), INTEGER)
    needs = (Follows(without_value(p.ctx, b, value), exists((there,))),)
    yield Instance(spliced(p.bag, i, with_value(b, value, counted)), needs)


def zeros(p: Place, at: Bindings) -> Iterator[Instance]:
    """The sum{CASE WHEN t THEN e ELSE 0 END | Q} is COALESCE(sum{e | Q, t}, 0) where there is something to
    add; exact sums alone, and a zero without decimals. Bindings: block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    if value.kind != "agg" or value.name not in {"isum", "sum numeric"}:
        return
    parts = [part for x in value.bag for part in _results(x)]
    nothing = {o for o, _ in parts if isinstance(o, Lit) and o.value == "0" and o.type.typmod == -1}
    if len(nothing) != 1:
        return
    added = tuple(
        y
        for o, x in parts
        if o not in nothing and o != Lit(None, o.type)
        for y in block(x.vars, (*x.preds, not_null(o)), (o,))
    )
    total = coalesce((aggregate(value.name, added, value.type), nothing.pop()), value.type)
    needs = (Follows(without_value(p.ctx, b, value), exists(value.bag)),)
    yield Instance(spliced(p.bag, i, with_value(b, value, total)), needs)


def _results(b: Block) -> Iterator[tuple[Term, Block]]:
    """What a block puts out, arm by arm of its CASE, with the rows of each."""
    out = b.outs[0]
    if not (isinstance(out, App) and out.sym == CASE):
        yield out, b
        return
    given = tuple(q for q in b.preds if q not in predicates(not_null(out)))
    tests, results = out.args[:-1:2], (*out.args[1::2], out.args[-1])
    missed: tuple[Term, ...] = ()
    for test, result in zip((*tests, None), results, strict=True):
        here: Bag = block(b.vars, (*given, *missed, *((test,) if test is not None else ())), (result,))
        yield from ((result, x) for x in here)
        if test is not None:
            missed = (*missed, negate(exists_value(test)))
