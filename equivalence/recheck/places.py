"""Where in a form a step is made, and what holds there.

A place is named by a path of block and slot numbers: a block's slots are the bags of its sources, in order,
then those of the nested values of its conditions and outputs, in order of their first occurrence. Must not
know laws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rewright.equivalence.prover.bags import DUPLICATE_FREE, block, remake
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Limited,
    Multi,
    Nested,
    Source,
    Term,
    free_in_source,
    free_vars,
    map_bags,
    map_source,
    walk_shallow,
)

Path = tuple[int, ...]
Item = TypeVar("Item")


class NoPlace(Exception):
    """A path or number leads nowhere."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A bag in a block: number ``part`` of the source of row number ``row``, or that of ``value``. ``sets``:
    duplicates do not count.
    """

    bag: Bag
    sets: bool
    row: int = -1
    part: int = 0
    value: Nested | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A bag with what holds around it. ``sets``: how often its rows come does not count."""

    ctx: Context
    bag: Bag
    sets: bool
    # whose references laws may look for
    schema: Schema | None = None


def pick(items: Sequence[Item], number: int) -> Item:
    """The item of a number. Raises NoPlace."""
    if not 0 <= number < len(items):
        raise NoPlace
    return items[number]


def values_in(b: Block) -> list[Nested]:
    """The nested values of a block's conditions and outputs, not those inside them."""
    found = (t for x in (*b.preds, *b.outs) for t in walk_shallow(x))
    return list(dict.fromkeys(t for t in found if isinstance(t, Nested)))


def as_sets(value: Nested) -> bool:
    """Whether the value is the same however often its rows come."""
    return value.kind == "exists" or (value.kind == "agg" and value.name.partition(" ")[0] in DUPLICATE_FREE)


def slots(b: Block) -> list[Slot]:
    found: list[Slot] = []
    for row, (_, source) in enumerate(b.vars):
        match source:
            case Distinct(bag):
                found.append(Slot(bag, True, row))
            case Limited(bag):
                found.append(Slot(bag, False, row))
            case Multi(_, left, right):
                found += [Slot(left, False, row), Slot(right, False, row, 1)]
    return found + [Slot(n.bag, as_sets(n), value=n) for n in values_in(b)]


def place_at(form: Bag, path: Path) -> Place:
    """Raises NoPlace."""
    place = Place(Context(), form, sets=False)
    if len(path) % 2:
        raise NoPlace
    for number, at in zip(path[::2], path[1::2], strict=True):
        b = pick(place.bag, number)
        slot = pick(slots(b), at)
        place = Place(_around(place.ctx, b, slot), slot.bag, slot.sets)
    return place


def _around(ctx: Context, b: Block, slot: Slot) -> Context:
    """What holds where a block's slot is read: of a source, what does not depend on its rows."""
    if slot.value is not None:
        return without_value(ctx, b, slot.value)
    v = b.vars[slot.row][0]
    rows = tuple(x for n, x in enumerate(b.vars) if n != slot.row and v not in free_in_source(x[1]))
    return Context((*ctx.vars, *rows), (*ctx.preds, *(p for p in b.preds if v not in free_vars(p))))


def without_value(ctx: Context, b: Block, value: Term) -> Context:
    """The block's rows and the conditions that do not look at a value in it."""
    preds = (p for p in b.preds if value not in set(walk_shallow(p)))
    return Context((*ctx.vars, *b.vars), (*ctx.preds, *preds))


def with_bag(form: Bag, path: Path, new: Bag) -> Bag:
    """The form with another bag at a place."""
    if not path:
        return new
    b = form[path[0]]
    slot = slots(b)[path[1]]
    inner = with_bag(slot.bag, path[2:], new)
    if slot.value is not None:
        return spliced(form, path[0], with_value(b, slot.value, remake(replace(slot.value, bag=inner))))
    number = -1

    def put(bag: Bag) -> Bag:
        nonlocal number
        number += 1
        return inner if number == slot.part else bag

    v, source = b.vars[slot.row]
    changed: Source = map_source(source, put, lambda t: t)
    rows = (*b.vars[: slot.row], (v, changed), *b.vars[slot.row + 1 :])
    return spliced(form, path[0], block(rows, b.preds, b.outs))


def spliced(bag: Bag, number: int, new: Bag) -> Bag:
    """The bag with others in the place of one block."""
    return (*bag[:number], *new, *bag[number + 1 :])


def with_value(b: Block, old: Term, new: Term) -> Bag:
    """The block with one value for another in its conditions and outputs, not inside other bags."""
    swap = _swapping(old, new)
    return block(b.vars, tuple(swap(p) for p in b.preds), tuple(swap(o) for o in b.outs))


def _swapping(old: Term, new: Term) -> Callable[[Term], Term]:
    def swap(t: Term) -> Term:
        if t == old:
            return new
        changed = map_bags(t, lambda bag: bag, swap)
        return t if changed == t else remake(changed)

    return swap
