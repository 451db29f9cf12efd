"""Rows that hold the least or greatest value of their group, of which no more than both is read, as groups.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.equivalence.prover.bags import aggregate, block, subst
from rewright.equivalence.prover.build import not_null
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.positions import extreme_name
from rewright.equivalence.prover.symbols import EQ, IS_TRUE, LT, NOT, identity
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Term,
    Var,
    free_vars,
    rows_renamed,
)
from rewright.equivalence.prover.unique import determined_by

from .base import At, Place
from .order import partition_key


@dataclass(frozen=True, slots=True)
class Least:
    """That ``value`` of a row is the least (or greatest, by ``name``) ``key`` of some ``rows``; ``given``:
    only of rows whose value is not NULL is that said.
    """

    name: str
    rows: Block
    key: Term
    value: Term
    given: bool


def least_of_each(p: Place, at: At) -> Bag | None:
    """14: the row whose value is the least of its group is the group with its least value, where the value
    and the group tell rows apart and no more is read. ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    least = asked_for_least(goal)
    # the rows must be those of the very tables of the block
    if least is None or [s for _, s in least.rows.vars] != [s for _, s in b.vars]:
        return None
    own = {v for v, _ in b.vars}
    names = {w: v for (w, _), (v, _) in zip(least.rows.vars, b.vars, strict=True)}
    # the value must be that of the row itself, as its group's rows have it
    if subst(least.key, rows_renamed(names)) != least.value:
        return None
    ties = [q for q in least.rows.preds if free_vars(q) & own]
    known = [k for k in (partition_key(q, names) for q in ties) if k is not None]
    # a tie that is no partition key, or of several looks
    if not known or len(known) < len(ties) or not all(identity(k.type) for k in (*known, least.value)):
        return None
    kept = [q for q in b.preds if q != goal]
    filled = not_null(least.value)
    inside = [subst(q, rows_renamed(names)) for q in least.rows.preds if q not in ties]
    inside = [q for q in inside if q != filled]
    # the row itself must be among those that its value is the least of
    if not set(inside) <= set(kept):
        return None
    ctx = p.ctx.within(replace(b, preds=tuple(kept)))
    there = [not_null(k) for k, q in zip(known, ties, strict=True) if isinstance(q, App) and q.sym == EQ]
    # NOT EXISTS also holds of a row without value or group, which no group with a least value shows
    if not least.given and not all(p.engine.entails(ctx, q) for q in (filled, *there)):
        return None
    rows = Block(b.vars, (*inside, *there, filled), (*known, least.value))
    # two rows of one group that both have its least value would be one group
    if p.mode == "bag" and not determined_by(p.engine, p.ctx, rows, rows.outs) >= own:
        return None
    return _grouped(p, i, least, known, (rows, [q for q in kept if q not in (*inside, filled)]))


def _grouped(
    p: Place, i: int, least: Least, known: list[Term], found: tuple[Block, list[Term]]
) -> Bag | None:
    """The groups of the rows, with the least value of each; None where more of a row is read."""
    b, (rows, outside) = p.block(i), found
    w = fresh()
    columns: dict[Term, Term] = {k: Var(w, c, k.type) for c, k in enumerate(known)}
    (others,) = fresh_copy((replace(least.rows, outs=(least.key,)),))
    key = others.outs[0]
    among = (*(subst(q, columns.get) for q in others.preds), not_null(key))
    value = aggregate(least.name, block(others.vars, among, (key,)), least.value.type)

    def env(t: Term) -> Term | None:
        if t in columns or t != least.value:
            return columns.get(t)
        (copied,) = fresh_copy((Block((), (), (value,)),))
        return copied.outs[0]

    source = Distinct(block(rows.vars, rows.preds, rows.outs[:-1]))
    preds = (not_null(value), *(subst(q, env) for q in outside))
    new = block(((w, source),), preds, tuple(subst(o, env) for o in b.outs))
    own = {v for v, _ in b.vars}
    # whatever else of the row is read has no place in a group
    if any(free_vars(t) & own for x in new for t in (*x.preds, *x.outs)):
        return None
    return p.with_block(i, new)


def asked_for_least(goal: Term) -> Least | None:
    """What a predicate says to be the least or greatest of some rows: by the extreme, or by that there is
    none beyond.
    """
    if not isinstance(goal, App):
        return None
    if goal.sym == EQ:
        for term, value in (goal.args, goal.args[::-1]):
            named = isinstance(term, Nested) and term.kind == "agg" and term.name.startswith(("min ", "max "))
            # of a union each block would have an extreme of its own
            if isinstance(term, Nested) and named and len(term.bag) == 1 and term.type == value.type:
                (rows,) = term.bag
                return Least(term.name, replace(rows, outs=()), rows.outs[0], value, given=True)
        return None
    none = goal.args[0] if goal.sym == NOT else None
    if not isinstance(none, Nested) or none.kind != "exists" or len(none.bag) != 1:
        return None
    return _none_beyond(none.bag[0])


def _none_beyond(rows: Block) -> Least | None:
    """The value that none of the rows is beyond."""
    own = {v for v, _ in rows.vars}
    found = [q for q in rows.preds if _compares(q, own)]
    # with two such comparisons none of the values need be the least
    if len(found) != 1:
        return None
    (pred,) = found
    compared = pred.args[0] if isinstance(pred, App) and pred.sym == IS_TRUE else pred
    assert isinstance(compared, App)
    one, other = compared.args
    least = bool(free_vars(one) & own)
    key, value = (one, other) if least else (other, one)
    name = extreme_name(_label(key, least=least), key.type)
    # a value of another type is compared after a cast
    if name is None or key.type != value.type:
        return None
    rest = replace(rows, preds=tuple(q for q in rows.preds if q != pred), outs=())
    return Least(name, rest, key, value, given=False)


def _label(key: Term, *, least: bool) -> str:
    """How rows are sorted whose first has the least value, or the greatest."""
    # as a sort key would be labelled, so that one reader names the extreme
    start, op = ("asc", "<") if least else ("desc", ">")
    collation = key.type.collation or "default"
    under = "" if collation == "default" else f" collate {collation}"
    return f"{start} nulls last pg_catalog.{op}({key.type.name},{key.type.name}){under}"


def _compares(pred: Term, own: set[int]) -> bool:
    """Whether a predicate says that a value of the rows is beyond one that is not theirs."""
    compared = pred.args[0] if isinstance(pred, App) and pred.sym == IS_TRUE else pred
    if not (isinstance(compared, App) and compared.sym == LT):
        return False
    theirs = [free_vars(x) for x in compared.args if free_vars(x) & own]
    return len(theirs) == 1 and theirs[0] <= own
