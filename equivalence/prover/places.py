"""Places in a form: the bags inside it, by number, with what holds there.

A path alternates block and slot numbers; the empty path is the whole. Rules are applied at paths, and replays
find the same places. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .bags import DUPLICATE_FREE, block, remake
from .context import Context
from .terms import (
    Bag,
    Block,
    Distinct,
    Limited,
    Multi,
    Nested,
    Term,
    free_in_source,
    free_vars,
    map_bags,
    map_source,
    walk_shallow,
)

Mode = Literal["bag", "set"]
Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A bag inside a block: of the source of variable number ``var``, or of the nested value ``term``."""

    bag: Bag
    mode: Mode
    var: int | None = None
    part: int = 0
    term: Nested | None = None


def slots(b: Block) -> tuple[Slot, ...]:
    """The bags directly inside a block, in a fixed order."""
    found: tuple[Slot, ...] | None = getattr(b, "_places", None)
    if found is None:
        found = _slots(b)
        object.__setattr__(b, "_places", found)
    return found


def _slots(b: Block) -> tuple[Slot, ...]:
    found: list[Slot] = []
    for i, (_, source) in enumerate(b.vars):
        match source:
            case Distinct(bag):
                found.append(Slot(bag, "set", i))
            case Limited(bag):
                found.append(Slot(bag, "bag", i))
            case Multi(_, left, right):
                found += [Slot(left, "bag", i), Slot(right, "bag", i, 1)]
    return (*found, *(Slot(n.bag, mode_of(n), term=n) for n in nested_terms(b)))


def nested_terms(b: Block) -> tuple[Nested, ...]:
    """The nested values of a block's predicates and outputs."""
    known: tuple[Nested, ...] | None = getattr(b, "_nested", None)
    if known is None:
        known = _nested_terms(b)
        object.__setattr__(b, "_nested", known)
    return known


def _nested_terms(b: Block) -> tuple[Nested, ...]:
    found: dict[Nested, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, Nested):
                found[s] = None
    return tuple(found)


def mode_of(term: Nested) -> Mode:
    as_set = term.kind == "exists" or (term.kind == "agg" and term.name.partition(" ")[0] in DUPLICATE_FREE)
    return "set" if as_set else "bag"


def context_of(ctx: Context, b: Block, slot: Slot) -> Context:
    """What holds where the slot's bag is looked at: the block's other predicates."""
    if slot.var is not None:
        v = b.vars[slot.var][0]
        preds = tuple(p for p in b.preds if v not in free_vars(p))
        others = tuple(x for i, x in enumerate(b.vars) if i != slot.var and v not in free_in_source(x[1]))
        return Context((*ctx.vars, *others), (*ctx.preds, *preds))
    preds = tuple(p for p in b.preds if slot.term not in set(walk_shallow(p)))
    return Context((*ctx.vars, *b.vars), (*ctx.preds, *preds))


def with_slot(b: Block, slot: Slot, new: Bag) -> Bag:
    """The block with another bag in the slot."""
    if slot.var is None:
        assert slot.term is not None
        return replace_term(b, slot.term, remake(replace(slot.term, bag=new)))
    seen = iter((new if slot.part == k else None) for k in range(2))

    def put(bag: Bag) -> Bag:
        fresh = next(seen)
        return bag if fresh is None else fresh

    v, source = b.vars[slot.var]
    changed = map_source(source, put, lambda t: t)
    vars_ = (*b.vars[: slot.var], (v, changed), *b.vars[slot.var + 1 :])
    return block(vars_, b.preds, b.outs)


def replace_term(b: Block, old: Term, new: Term) -> Bag:
    """The block with ``new`` for ``old`` in predicates and outputs (not inside other bags)."""

    def swap(t: Term) -> Term:
        if t == old:
            return new
        return remake_shallow(t, swap)

    return block(b.vars, tuple(swap(p) for p in b.preds), tuple(swap(o) for o in b.outs))


def remake_shallow(t: Term, f: Callable[[Term], Term]) -> Term:
    changed = map_bags(t, lambda bag: bag, f)
    return t if changed == t else remake(changed)


def at_path(ctx: Context, bag: Bag, mode: Mode, path: Path) -> tuple[Context, Bag, Mode]:
    """The bag at a path with its context. IndexError when there is no such place."""
    if not path:
        return ctx, bag, mode
    b = bag[path[0]]
    slot = slots(b)[path[1]]
    return at_path(context_of(ctx, b, slot), slot.bag, slot.mode, path[2:])


def put(bag: Bag, path: Path, new: Bag) -> Bag:
    """The form with another bag at a path."""
    if not path:
        return new
    b = bag[path[0]]
    slot = slots(b)[path[1]]
    return (*bag[: path[0]], *with_slot(b, slot, put(slot.bag, path[2:], new)), *bag[path[0] + 1 :])


def places(bag: Bag, path: Path = ()) -> Iterator[Path]:
    """Every path, inner ones first."""
    for i, b in enumerate(bag):
        for s, slot in enumerate(slots(b)):
            yield from places(slot.bag, (*path, i, s))
    yield path
