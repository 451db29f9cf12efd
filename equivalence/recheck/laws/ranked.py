"""The law on the value that rows of one dense rank hold. Must not know the other laws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, subst
from rewright.equivalence.prover.build import app, not_null
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.positions import extreme_name, read_window
from rewright.equivalence.prover.symbols import EQ, LT, domain, identity
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Block,
    Lit,
    Nested,
    Term,
    free_vars,
    rows_renamed,
)
from rewright.equivalence.recheck.laws.stating import Bindings, Follows, Instance
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.sql.types import BOOL

_MOST = 6


def nth_extreme(p: Place, at: Bindings) -> Iterator[Instance]:
    """max{x . P ∧ dense_rank(x DESC among P) = n} = max{x . P ∧ x < max{x . P ∧ x < …}}, n times max, where x
    is never NULL; of the least values with min and ASC. Bindings: block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    if value.kind != "agg" or len(value.bag) != 1 or len(value.bag[0].outs) != 1:
        return
    (inner,) = value.bag
    shown = inner.outs[0]
    if value.name[:4] not in {"max ", "min "} or not domain(shown.type) or not identity(shown.type):
        return
    around = without_value(p.ctx, b, value)
    for number, q in enumerate(inner.preds):
        rows = replace(inner, preds=(*inner.preds[:number], *inner.preds[number + 1 :]))
        for rank, name in _asked(q, rows):
            if name[4:] == value.name[4:]:
                made: Term = aggregate(name, fresh_copy((rows,)), value.type)
                for _ in range(rank - 1):
                    order = (shown, made) if name[:4] == "max " else (made, shown)
                    fewer = block(rows.vars, (*rows.preds, app(LT, order, BOOL)), rows.outs)
                    made = aggregate(name, fresh_copy(fewer), value.type)
                filled = Follows(around.within(replace(rows, outs=())), not_null(shown))
                yield Instance(spliced(p.bag, i, with_value(b, value, made)), (filled,))


def _asked(q: Term, rows: Block) -> Iterator[tuple[int, str]]:
    """The number that a condition says the dense rank of a row among these is, and the extreme that the first
    rank is where there are no NULLs.
    """
    sides = q.args if isinstance(q, App) and q.sym == EQ else ()
    for ranks, number in (sides, sides[::-1]) if sides else ():
        if not isinstance(ranks, Nested) or not isinstance(number, Lit) or number.type != INTEGER:
            continue
        window = read_window(ranks.name) if ranks.kind == "win" and len(ranks.bag) == 1 else None
        if window is None or window.func != "dense_rank" or len(window.keys) != 1:
            continue
        if ranks.args[:1] != rows.outs or not _just(ranks.bag[0], rows) or number.value is None:
            continue
        name = extreme_name(window.keys[0].replace("nulls first", "nulls last"), rows.outs[0].type)
        if name is not None and 1 <= int(number.value) <= _MOST:
            yield int(number.value), name


def _just(ranks: Block, rows: Block) -> bool:
    """Whether the rows that are ranked, by what the others show, are these."""
    if tuple(s for _, s in ranks.vars) != tuple(s for _, s in rows.vars) or not ranks.outs:
        return False
    pairs = dict(zip((v for v, _ in ranks.vars), (v for v, _ in rows.vars), strict=True))
    if any(free_vars(x) & set(pairs.values()) for x in ranks.preds):
        return False  # by the row that is ranked, as a partition is
    there = rows_renamed(pairs)
    asked = sorted(map(repr, (subst(x, there) for x in ranks.preds)))
    return asked == sorted(map(repr, rows.preds)) and subst(ranks.outs[0], there) == rows.outs[0]
