"""Rules that take DISTINCT rows apart: by the arm that shows them, and by a condition that they show.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, subst_block
from rewright.equivalence.prover.build import negate, not_null
from rewright.equivalence.prover.context import identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    FALSE,
    TRUE,
    Bag,
    Block,
    Distinct,
    Row,
    Term,
    Var,
    free_in_source,
    source_types,
)
from rewright.sql.types import BOOL

from .base import At, Place, parts_of

# arms beyond which their conditions on each other are too many
_MOST_ARMS = 4


def union_apart(p: Place, at: At) -> Bag | None:
    """9: rows of a UNION are those of its first arm, and those of the others that are not among them.
    ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or not 1 < len(source.bag) <= _MOST_ARMS or source.either:
        return None
    types = source_types(source)
    if Row(v) in parts_of(b) or not all(identity(t) for t in types):
        return None
    first, *others = source.bag
    row = [Var(v, c, t) for c, t in enumerate(types)]
    among = exists(
        tuple(
            x
            for r in fresh_copy((first,))
            for x in block(r.vars, (*r.preds, *map(identical, r.outs, row)), ())
        )
    )
    one = block((*b.vars[:n], (v, Distinct((first,))), *b.vars[n + 1 :]), b.preds, b.outs)
    vars_ = (*b.vars[:n], (v, Distinct(tuple(others))), *b.vars[n + 1 :])
    rest = block(vars_, (*b.preds, negate(among)), b.outs)
    return p.with_block(i, (*one, *fresh_copy(rest)))


def flag_apart(p: Place, at: At) -> Bag | None:
    """9, 16: DISTINCT rows that show a condition which is never NULL are those of which it is TRUE, and those
    of which it is FALSE. ``at``: block, variable, column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag) != 1 or source.either or Row(v) in parts_of(b):
        return None
    (inner,) = source.bag
    flag = inner.outs[c]
    if flag.type != BOOL or flag in {TRUE, FALSE} or any(v in free_in_source(s) for _, s in b.vars):
        return None
    if not p.engine.entails(p.ctx.within(Block(inner.vars, inner.preds, ())), not_null(flag)):
        return None
    made: list[Block] = []
    for value, asked in ((TRUE, flag), (FALSE, negate(flag))):

        def env(t: Term, value: Term = value) -> Term | None:
            return value if isinstance(t, Var) and (t.var, t.pos) == (v, c) else None

        outs = (*inner.outs[:c], value, *inner.outs[c + 1 :])
        vars_ = (*b.vars[:n], (v, Distinct(block(inner.vars, (*inner.preds, asked), outs))), *b.vars[n + 1 :])
        made += fresh_copy(subst_block(replace(b, vars=vars_), env))
    return p.with_block(i, tuple(made))
