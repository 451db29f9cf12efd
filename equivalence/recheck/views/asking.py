"""Blocks that do not count their rows: what is joined and only asked for, as EXISTS.

    SELECT DISTINCT c.id FROM c, o, l WHERE o.c = c.id AND l.o = o.id
    is  SELECT DISTINCT c.id FROM c WHERE EXISTS (SELECT 1 FROM o, l WHERE o.c = c.id AND l.o = o.id)

A row of what is shown belongs to the set if some rows of the others meet all conditions with it. Conditions
that have none of the others in common are met by rows that are chosen apart. Conditions are asked of other
rows, in another order. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.either import is_set
from rewright.equivalence.recheck.views.joined import NO_RELS, Joined, Rels, joined
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.types import INT4
from rewright.sql.walk import bottom_up, conjoin, free_rels, from_rels, used_rels

_ONE = a.Target("one", a.Const("1", INT4))


def asking(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) and is_set(node) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    rows = joined(block)
    if rows is None:
        return block
    stays = _closed(rows, used_rels(replace(block, from_=(), where=None)) & rows.own)
    apart = _apart(rows, stays) if stays and stays != rows.own else []
    found = [_of(rows, one) for one in apart]
    rest = _of(rows, stays)
    # an outer join adds to rows: to those that are asked for, and to those that stay
    if not found or not all(x.base for x in (rest, *found)):
        return block
    asked = [a.Exists(x.block(_ONE)) for x in found]
    for pred in (*rows.asked, *(p for x in rows.added for p in x.on)):
        if changes.known.errors(pred):
            changes.modulo.add("errors")
    for item in (*rows.base, *(x.item for x in rows.added)):
        # a subquery that reads no other item is computed as before where it stays
        if free_rels(item) or not from_rels((item,)) & stays:
            _asked_first(a.Select((_ONE,), (item,)), changes)
    kept = tuple(p for p in rows.asked if free_rels(p) & rows.own <= stays)
    made = rest.block()
    return replace(block, from_=made.from_, where=conjoin((*kept, *asked)))


def _asked_first(rows: a.Select, changes: Changes) -> None:
    """EXISTS reads rows up to one, and reads them before or after what was joined with them."""
    if changes.known.errors(rows) - OVERFLOW:
        changes.modulo.add("errors")
    changes.leave_to_chance(rows)


def _closed(rows: Joined, rels: Rels) -> Rels:
    """With what they are added to or read, and what is added to them alone."""
    while True:
        more = rels
        for item in rows.base:
            own = from_rels((item,))
            more |= (own | free_rels(item)) if own & rels else NO_RELS
        for one in rows.added:
            taken = one.own & rels or one.sees & rows.own <= rels
            more |= (one.own | one.sees) if taken else NO_RELS
        more &= rows.own
        if more == rels:
            return rels
        rels = more


def _apart(rows: Joined, stays: Rels) -> list[Rels]:
    """What does not stay, in parts that no condition ties."""
    ties = [from_rels((i,)) | free_rels(i) for i in rows.base]
    ties += [x.own | x.sees for x in rows.added]
    ties += [free_rels(p) for p in rows.asked]
    parts = [frozenset({rel}) for rel in sorted(rows.own - stays)]
    for tie in ties:
        tied = [p for p in parts if p & tie]
        if len(tied) > 1:
            place = parts.index(tied[0])
            parts[place] = NO_RELS.union(*tied)
            parts = [p for p in parts if p not in tied[1:]]
    return parts


def _of(rows: Joined, rels: Rels) -> Joined:
    """The part of what is joined that gives these, asked what asks of them."""
    return Joined(
        tuple(i for i in rows.base if from_rels((i,)) & rels),
        tuple(x for x in rows.added if x.own & rels),
        tuple(p for p in rows.asked if free_rels(p) & rels),
    )
