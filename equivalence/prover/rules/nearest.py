"""Rules on values that are read in one other row: lag, lead, the first and last of a frame, the first of an
array.

In a total order each is the value of the row that no other is nearer, or NULL where there is none: what a
scalar subquery with ORDER BY and LIMIT 1 is. Each rule checks its side conditions itself and returns the new
bag or None (`kernel`). Must not know the search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rewright.equivalence.prover.bags import aggregate, block, the
from rewright.equivalence.prover.build import integer, not_null
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.positions import (
    WindowName,
    before,
    extreme_name,
    labels,
    read_window,
    reversed_label,
    total,
)
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    TRUE,
    App,
    Bag,
    Block,
    Limited,
    Nested,
    Term,
    Var,
    walk_shallow,
)
from rewright.sql.types import SqlType

from .base import At, Place

_ARRAY = "array_agg anynonarray "
# frames whose nearest row to the current one is shown, and where it stands
_FRAME: dict[tuple[str, str, str], Literal["before", "after"]] = {
    ("last_value", "unbounded_preceding", "preceding_1"): "before",
    ("first_value", "following_1", "unbounded_following"): "after",
}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which row is read: the first by ``keys`` of those that stand on the ``side`` of the current one: "" for
    anywhere.
    """

    keys: tuple[str, ...]
    side: Literal["before", "after", ""] = ""


def nearest_row(p: Place, at: At) -> Bag | None:
    """14: lag and lead by one row, first_value, last_value and nth_value(…, 1) over a total order. ``at``:
    block, term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    name = read_window(term.name) if term.kind == "win" else None
    # over a union, or without an order, no row is the nearest
    if name is None or len(term.bag) != 1 or not name.keys:
        return None
    wanted = _wanted(name, term)
    if wanted is None:
        return None
    ctx = p.beside(b, term)
    extreme = _extreme(p, ctx, term, wanted)
    # where the value shown is the sort key itself, the nearest one is an extreme, ties or not
    if extreme is not None:
        return p.with_block(i, replace_term(b, term, extreme))
    count = len(name.keys)
    # with ties any of several rows may be nearest
    if not total(p.engine, ctx, term.bag, slice(count)):
        return None
    (row,) = fresh_copy(term.bag)
    side = _side(wanted.side, name.keys, row.outs, term.args)
    if side is None:
        return None
    rows = block(row.vars, (*row.preds, side), (row.outs[count], *row.outs[:count]))
    return p.with_block(i, replace_term(b, term, _first(rows, wanted.keys, term.type)))


def _extreme(p: Place, ctx: Context, term: Nested, wanted: _Wanted) -> Term | None:
    """The first value by the key that is shown: the minimum or maximum, where no NULL comes first."""
    (row,) = term.bag
    key, label = row.outs[0], wanted.keys[0]
    name = extreme_name(label, key.type)
    # read on one side of the current row, or another column than the key: no extreme of all rows
    if wanted.side or row.outs[len(wanted.keys)] != key or name is None or not identity(key.type):
        return None
    # NULLs first: the first value is NULL where any is
    if not (" nulls last" in label or p.engine.entails(ctx.within(row), not_null(key))):
        return None
    rows = tuple(
        n for x in fresh_copy(term.bag) for n in block(x.vars, (*x.preds, not_null(x.outs[0])), x.outs[:1])
    )
    return aggregate(name, rows, term.type)


def _side(
    side: Literal["before", "after", ""],
    keys: tuple[str, ...],
    row: tuple[Term, ...],
    current: tuple[Term, ...],
) -> Term | None:
    """That a row stands there, as seen from the current one."""
    if side == "before":
        return before(tuple(zip(keys, row, current, strict=False)))
    if side == "after":
        return before(tuple(zip(keys, current, row, strict=False)))
    return TRUE


def _first(rows: Bag, keys: tuple[str, ...], type_: SqlType) -> Term:
    """The first output of the first of the rows, which end with their sort keys."""
    # no rows on that side: NULL
    if not rows:
        return the((), type_)
    v = fresh()
    source = Limited(rows, keys, integer(1), None)
    return the(block(((v, source),), (), (Var(v, 0, rows[0].outs[0].type),)), type_)


def first_of_array(p: Place, at: At) -> Bag | None:
    """14: (array_agg(x ORDER BY k))[1] over a total order; of no rows both are NULL. ``at``: block,
    subscript.
    """
    i, n = at
    b = p.block(i)
    term = subscripts(b)[n]
    array, index = term.args
    # the second element, or an array over a union, is not the first row's
    if not isinstance(array, Nested) or array.kind != "agg" or index != integer(1) or len(array.bag) != 1:
        return None
    # an array of arrays has more dimensions than one
    keys = labels(array.name.removeprefix(_ARRAY)) if array.name.startswith(_ARRAY) else None
    # array_agg of an order that is not read
    if not keys:
        return None
    ctx = p.beside(b, term)
    at_end = slice(len(array.bag[0].outs) - len(keys), None)
    if not total(p.engine, ctx, array.bag, at_end):
        return None
    rows = tuple(replace(x, outs=(x.outs[0], *x.outs[at_end])) for x in fresh_copy(array.bag))
    return p.with_block(i, replace_term(b, term, _first(rows, keys, term.type)))


def subscripts(b: Block) -> list[App]:
    """The elements of arrays that a block reads."""
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym.name == "subscript" and len(s.args) == 2:
                found[s] = None
    return list(found)


def _wanted(name: WindowName, term: Nested) -> _Wanted | None:
    (rows,) = term.bag
    number = rows.outs[len(name.keys) + 1 :][:1]
    back = tuple(map(reversed_label, name.keys))
    if name.func in {"lag", "lead"}:
        # lag(x, 2) and lag with a default read another row, or none
        one = name.types == ("anyelement",) or (
            name.types == ("anyelement", "int4") and number == (integer(1),)
        )
        found = _Wanted(back, "before") if name.func == "lag" else _Wanted(name.keys, "after")
        return found if one else None
    # EXCLUDE takes rows out of the frame
    if name.exclude:
        return None
    # all that comes before the current row, or after it, without it
    # RANGE frames have peers in them, of which nobody is the nearest
    side = _FRAME.get((name.func, name.start, name.end)) if name.mode != "range" else None
    if side is not None:
        return _Wanted(back if side == "before" else name.keys, side)
    # the current row is in the frame, and so is all that comes before it, or after it
    from_start = name.start == "unbounded_preceding" and name.end in {"current", "unbounded_following"}
    to_end = name.end == "unbounded_following" and name.start in {"current", "unbounded_preceding"}
    first = name.func == "first_value" or (name.func == "nth_value" and number == (integer(1),))
    if first and from_start:
        return _Wanted(name.keys)
    return _Wanted(back) if name.func == "last_value" and to_end else None
