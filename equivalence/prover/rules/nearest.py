"""Rules on values that are read in one other row: lag, lead, the first and last of a frame, the first of an array.

In a total order each is the value of the row that no other is nearer, or NULL where there is none: what a scalar subquery with ORDER BY
and LIMIT 1 is. Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rewright.equivalence.prover.bags import block, exists, the
from rewright.equivalence.prover.build import integer, negate
from rewright.equivalence.prover.conditions import holds
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.positions import WindowName, before, labels, read_window, total
from rewright.equivalence.prover.terms import (
    TRUE,
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Term,
    walk_shallow,
)

from .base import At, Place

# whether the first row's terms come before the second's
Before = Callable[[tuple[Term, ...], tuple[Term, ...]], Term | None]
_ARRAY = "array_agg anynonarray "


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The row that is read. ``side``: that a row (the first keys) is on the side of the current one (the second) where it is looked for;
    ``nearer``: that of two such rows the first one is meant rather than the second.
    """

    side: Before
    nearer: Before


def nearest_row(p: Place, at: At) -> Bag | None:
    """14: lag and lead by one row, first_value, last_value and nth_value(…, 1) over a total order. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    name = read_window(term.name) if term.kind == "win" else None
    if name is None or len(term.bag) != 1 or not name.keys:
        return None
    wanted = _wanted(name, term)
    if wanted is None:
        return None
    count = len(name.keys)
    ctx = p.ctx.within(replace(b, preds=tuple(q for q in b.preds if term not in set(walk_shallow(q)))))
    if not holds("total", total(p.engine, ctx, term.bag, slice(count))):
        return None
    found = _nearest(term.bag, slice(count), count, term.args[:count], wanted)
    return None if found is None else p.with_block(i, replace_term(b, term, the(found, term.type)))


def first_of_array(p: Place, at: At) -> Bag | None:
    """14: (array_agg(x ORDER BY k))[1] over a total order; of no rows both are NULL. ``at``: block, subscript."""
    i, n = at
    b = p.block(i)
    term = subscripts(b)[n]
    array, index = term.args
    if not isinstance(array, Nested) or array.kind != "agg" or index != integer(1) or len(array.bag) != 1:
        return None
    # an array of arrays has more dimensions than one
    keys = labels(array.name.removeprefix(_ARRAY)) if array.name.startswith(_ARRAY) else None
    if not keys:
        return None
    ctx = p.ctx.within(replace(b, preds=tuple(q for q in b.preds if term not in set(walk_shallow(q)))))
    at_end = slice(len(array.bag[0].outs) - len(keys), None)
    if not holds("total", total(p.engine, ctx, array.bag, at_end)):
        return None
    comes = _in_order(keys)
    found = _nearest(array.bag, at_end, 0, (), _Wanted(_anywhere, comes))
    return None if found is None else p.with_block(i, replace_term(b, term, the(found, term.type)))


def subscripts(b: Block) -> list[App]:
    """The elements of arrays that a block reads."""
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym.name == "subscript" and len(s.args) == 2:
                found[s] = None
    return list(found)


def _wanted(name: WindowName, term: Nested) -> _Wanted | None:
    comes = _in_order(name.keys)
    (rows,) = term.bag
    after_value = rows.outs[len(name.keys) + 1 :]
    if name.func in {"lag", "lead"}:
        one = name.types == ("anyelement",) or (
            name.types == ("anyelement", "int4") and after_value[:1] == (integer(1),)
        )
        back = _Wanted(comes, _swapped(comes))
        ahead = _Wanted(_swapped(comes), comes)
        return None if not one else back if name.func == "lag" else ahead
    if name.exclude:
        return None
    # the current row is in the frame, and so is all that comes before it, or after it
    from_start = name.start == "unbounded_preceding" and name.end in {"current", "unbounded_following"}
    to_end = name.end == "unbounded_following" and name.start in {"current", "unbounded_preceding"}
    first = name.func == "first_value" or (
        name.func == "nth_value" and after_value[:1] == (Lit("1", integer(1).type),)
    )
    if first and from_start:
        return _Wanted(_anywhere, comes)
    if name.func == "last_value" and to_end:
        return _Wanted(_anywhere, _swapped(comes))
    return None


def _in_order(keys: tuple[str, ...]) -> Before:
    return lambda x, y: before(tuple(zip(keys, x, y, strict=True)))


def _swapped(comes: Before) -> Before:
    return lambda x, y: comes(y, x)


def _anywhere(_: tuple[Term, ...], __: tuple[Term, ...]) -> Term:
    return TRUE


def _nearest(bag: Bag, keys: slice, value: int, current: tuple[Term, ...], wanted: _Wanted) -> Bag | None:
    """The row of the bag on the wanted side of the current one that no other there is nearer; its output number ``value``."""
    (row,) = fresh_copy(bag)
    (other,) = fresh_copy(bag)
    mine, others = row.outs[keys], other.outs[keys]
    side, also, nearer = wanted.side(mine, current), wanted.side(others, current), wanted.nearer(others, mine)
    if side is None or also is None or nearer is None:
        return None
    none = negate(exists(block(other.vars, (*other.preds, also, nearer), ())))
    return block(row.vars, (*row.preds, side, none), (row.outs[value],))
