"""A law on rows that are asked for with a partner, or without any.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists
from rewright.equivalence.prover.build import conj, disj, negate
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import AND, NOT, OR
from rewright.equivalence.prover.terms import App, Block, Nested, Term, walk_shallow
from rewright.equivalence.recheck.comparing import aligned
from rewright.equivalence.recheck.laws.stating import Bindings, Follows, Instance
from rewright.equivalence.recheck.places import Place, pick, spliced, with_value, without_value


def with_or_without(p: Place, at: Bindings) -> Iterator[Instance]:
    """EXISTS(x̄, z̄ . Q) ∨ EXISTS(x̄ . P ∧ ¬EXISTS(z̄ . Z)) = EXISTS(x̄ . P) where P follows from Q, and Q from
    P ∧ Z; the same of what is denied. Bindings: block, tests (the conditions of the block, or AND or OR), the
    two parts, the condition that there is no z̄; for each row of the first part its partner among x̄ and z̄.
    """
    i, n, x, y, m, *pairing = at
    b = pick(p.bag, i)
    term, parts = pick(_tests(b), n)
    denied = term is None or term.sym == AND
    one, other = (_rows(pick(parts, k), denied=denied) for k in (x, y))
    if one is None or other is None or x == y:
        return
    none = _rows(pick(other.preds, m), denied=True)
    if none is None:
        return
    (one,), (none,) = fresh_copy((one,)), fresh_copy((none,))
    rest = replace(other, preds=tuple(q for k, q in enumerate(other.preds) if k != m))
    pairs = replace(rest, vars=(*rest.vars, *none.vars))
    asked = aligned(one, pairs, tuple(pairing))
    given = aligned(one, replace(pairs, preds=(*rest.preds, *none.preds)), tuple(pairing))
    if asked is None or given is None or asked.vars != one.vars or given.vars != one.vars:
        return
    made = exists((rest,))
    new = (*(t for k, t in enumerate(parts) if k not in {x, y}), negate(made) if denied else made)
    if term is None:
        left = replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k not in {x, y}))
        ctx, after = p.ctx.within(left), block(b.vars, new, b.outs)
    else:
        ctx = without_value(p.ctx, b, term)
        after = with_value(b, term, conj(new) if denied else disj(new))
    needs = (
        *(Follows(ctx.within(one), q) for q in asked.preds),
        *(Follows(ctx.within(given), q) for q in one.preds),
    )
    yield Instance(spliced(p.bag, i, after), needs)


def _tests(b: Block) -> list[tuple[App | None, tuple[Term, ...]]]:
    """The conditions of a block, then its terms with AND and OR, with their parts."""
    found = (t for part in (*b.preds, *b.outs) for t in walk_shallow(part))
    terms = dict.fromkeys(t for t in found if isinstance(t, App) and t.sym in {AND, OR})
    return [(None, b.preds), *((t, t.args) for t in terms)]


def _rows(part: Term, *, denied: bool) -> Block | None:
    """The rows that EXISTS, or NOT EXISTS, asks for."""
    if denied and not (isinstance(part, App) and part.sym == NOT):
        return None
    found = part.args[0] if denied and isinstance(part, App) else part
    if not isinstance(found, Nested) or found.kind != "exists" or len(found.bag) != 1:
        return None
    return found.bag[0]
