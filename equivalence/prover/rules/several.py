"""The rule on small numbers of rows: so many that differ in a key.

It checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the search.
"""

from __future__ import annotations

from itertools import combinations

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import app, conj, disj, eq, negate, predicates
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.schema import KeyFact
from rewright.equivalence.prover.symbols import INTS, LT
from rewright.equivalence.prover.terms import Bag, Block, Table, Term, Var, free_vars
from rewright.equivalence.prover.unique import ties
from rewright.sql.types import BOOL

from .base import At, Place
from .tops import asked_of_count

# so many rows are told apart at most: each two of them by a condition
_MOST = 4


def several_rows(p: Place, at: At) -> Bag | None:
    """15: that there are n rows of a relation is that some n differ in a key of it, two by two. ``at``:
    block, predicate.
    """
    i, n = at
    b = p.block(i)
    found = asked_of_count(b.preds[n])
    if found is None:
        return None
    counted, kind, number = found
    if len(counted.bag) != 1 or len(counted.bag[0].vars) != 1:
        return None
    (inner,) = counted.bag
    source = inner.vars[0][1]
    if not isinstance(source, Table):
        return None
    key = next((k for k in p.engine.schema.keys(source) if not k.nullable), None)
    least = number + 1 if kind == "over" else number
    if key is None or not 2 <= least <= _MOST - (kind == "equal"):
        return None
    for fact in (key.assumption, *key.not_nulls):
        p.engine.schema.use(fact)
    some = _so_many(inner, key, least)
    new = negate(some) if kind == "under" else some
    if kind == "equal":
        new = conj((some, negate(_so_many(inner, key, least + 1))))
    preds = (*b.preds[:n], *predicates(new), *b.preds[n + 1 :])
    return p.with_block(i, block(b.vars, preds, b.outs))


def _so_many(inner: Block, key: KeyFact, number: int) -> Term:
    """That there are so many rows of the block, by copies of it."""
    copies = [fresh_copy((inner,))[0] for _ in range(number)]
    own = {v for v, _ in inner.vars}
    # a column that something outside gives tells no two rows apart
    given = {
        c for c in key.columns if any(not free_vars(o) & own for o in ties(inner.preds, _column(inner, c)))
    }
    columns = tuple(c for c in key.columns if c not in given)
    chosen = columns or key.columns
    apart = tuple(_apart(x, y, chosen) for x, y in combinations(copies, 2))
    rows = tuple(x for c in copies for x in c.vars)
    return exists(block(rows, (*(q for c in copies for q in c.preds), *apart), ()))


def _column(b: Block, c: int) -> Var:
    v, source = b.vars[0]
    assert isinstance(source, Table)
    return Var(v, c, source.types[c])


def _apart(x: Block, y: Block, columns: tuple[int, ...]) -> Term:
    """Two rows differ in a column; where integers tell rows apart, they come in order."""
    pairs = [(_column(x, c), _column(y, c)) for c in columns]
    (one, other) = pairs[0]
    if len(pairs) == 1 and one.type.is_builtin and one.type.name in INTS:
        return app(LT, (one, other), BOOL)
    return disj(negate(eq(a, b)) for a, b in pairs)
