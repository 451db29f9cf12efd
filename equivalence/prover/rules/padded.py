"""Rules on rows that are asked for with a partner, or without any: what an outer join leaves below EXISTS.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import conj, disj, negate
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import replace_term
from rewright.equivalence.prover.symbols import AND, NOT, OR
from rewright.equivalence.prover.terms import App, Bag, Block, Nested, Term, walk_shallow

from .base import At, Place
from .unions import align


@dataclass(frozen=True, slots=True)
class Asked:
    """Tests of rows one of which holds, or all of which are ``denied``: the parts of a term, or the
    conditions of a block (no term).
    """

    term: App | None
    parts: tuple[Term, ...]
    denied: bool

    def rows(self, n: int) -> Block | None:
        """The rows that the part asks for, or denies."""
        return rows_denied(self.parts[n]) if self.denied else _rows(self.parts[n])


def with_or_without(p: Place, at: At) -> Bag | None:
    """4d, 5d: that there is a row with a partner, or one without any, is that there is a row. ``at``: block,
    tests, which asks for a partner, which for none and by which condition; for each row of the first the
    position of its counterpart among the second's and those of the partner.
    """
    i, n, x, y, m, *pairing = at
    b = p.block(i)
    tests = tests_of_rows(b)[n]
    joined, alone = tests.rows(x), tests.rows(y)
    # a condition may be without any rows
    partner = None if joined is None or alone is None or x == y else rows_denied(alone.preds[m])
    if joined is None or alone is None or partner is None:
        return None
    (joined,) = fresh_copy((joined,))
    (partner,) = fresh_copy((partner,))
    rest = replace(alone, preds=(*alone.preds[:m], *alone.preds[m + 1 :]))
    both = replace(rest, vars=(*rest.vars, *partner.vars))
    if sorted(pairing) != list(range(len(both.vars))) or len(pairing) != len(joined.vars):
        return None
    kept = align(joined, both, pairing)
    met = align(joined, replace(both, preds=(*rest.preds, *partner.preds)), pairing)
    # the partner is of another relation
    if kept is None or met is None or not kept.vars == met.vars == joined.vars:
        return None
    ctx = _around(p, b, tests, x, y)
    # the row with a partner is one of the rows, and each with such a partner is one that is asked for
    if not all(p.engine.entails(ctx.within(joined), q) for q in kept.preds):
        return None
    if not all(p.engine.entails(ctx.within(met), q) for q in joined.preds):
        return None
    made = exists((rest,))
    others = [part for k, part in enumerate(tests.parts) if k not in {x, y}]
    parts = (*others, negate(made) if tests.denied else made)
    if tests.term is None:
        return p.with_block(i, block(b.vars, parts, b.outs))
    return p.with_block(i, replace_term(b, tests.term, conj(parts) if tests.denied else disj(parts)))


def tests_of_rows(b: Block) -> list[Asked]:
    """What asks for several rows in a block, in the order in which it stands there."""
    met = dict.fromkeys(t for part in (*b.preds, *b.outs) for t in walk_shallow(part))
    found = [t for t in met if isinstance(t, App) and t.sym in {AND, OR}]
    return [Asked(None, b.preds, denied=True), *(Asked(t, t.args, denied=t.sym == AND) for t in found)]


def rows_denied(part: Term) -> Block | None:
    """The rows of which a condition says that there are none."""
    return _rows(part.args[0]) if isinstance(part, App) and part.sym == NOT else None


def _rows(part: Term) -> Block | None:
    plain = isinstance(part, Nested) and part.kind == "exists" and len(part.bag) == 1
    return part.bag[0] if plain and isinstance(part, Nested) else None


def _around(p: Place, b: Block, tests: Asked, x: int, y: int) -> Context:
    """What holds where the tests are made, whatever comes of them."""
    if tests.term is not None:
        return p.beside(b, tests.term)
    return p.ctx.within(replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k not in {x, y})))
