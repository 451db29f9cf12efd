"""A block's FROM and WHERE as steps: range variables that are multiplied, what is joined to them by LEFT JOIN
in turn, and the conditions that all rows pass.

    FROM a JOIN b ON p LEFT JOIN c ON q, d WHERE r   -->   a, b, d; LEFT JOIN c ON q; p AND r

An outer join's ON asks of what stands left of it alone, so that a product with more, an inner join's
condition and another outer join that does not ask about it may come before or after. What WHERE or an inner
join asks of a padded row, and a NULL does not meet, makes the outer join an inner one (hazards 4a). Other
joins stay whole. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.facts import rejected_columns
from rewright.sql.walk import conjoin, conjuncts, free_rels, from_rels


@dataclass(frozen=True, slots=True)
class Step:
    """An item that is joined by LEFT JOIN, and on what."""

    item: a.FromItem
    on: tuple[a.Expr, ...]

    @property
    def rels(self) -> frozenset[int]:
        return from_rels((self.item,))

    @property
    def asks(self) -> frozenset[int]:
        """The range variables beside its own that it is joined by or reads."""
        asked = free_rels(self.item).union(*(free_rels(p) for p in self.on))
        return asked - self.rels


@dataclass(frozen=True, slots=True)
class Steps:
    """``items``: multiplied, in their order; ``steps``: then joined by LEFT JOIN; ``where``: what is asked of
    all rows.
    """

    items: tuple[a.FromItem, ...]
    steps: tuple[Step, ...]
    where: tuple[a.Expr, ...]

    @property
    def from_(self) -> tuple[a.FromItem, ...]:
        """As FROM. WHERE is apart."""
        if not self.steps:
            return self.items
        # inner joins of all that is multiplied stand below the outer ones, in the order written
        tree = self.items[0]
        for item in self.items[1:]:
            tree = a.Join("inner", tree, item, None)
        for step in self.steps:
            tree = a.Join("left", tree, step.item, conjoin(step.on))
        return (tree,)

    @property
    def rels(self) -> frozenset[int]:
        return from_rels((*self.items, *(s.item for s in self.steps)))


def steps_of(from_: Iterable[a.FromItem], where: a.Expr | None) -> Steps:
    """With as few outer joins as the conditions leave."""
    items: list[a.FromItem] = []
    steps: list[Step] = []
    preds: list[a.Expr] = []
    whole = tuple(from_)
    for item in whole:
        # an item after the joins may be LATERAL and read a padded column: the order decides what it sees
        _take_apart(item, items, steps, preds)
    padded = frozenset[int]().union(*(s.rels for s in steps))
    if any(free_rels(item) & padded for item in items):
        return Steps(whole, (), conjuncts(where))  # LATERAL items that read what is padded come after it
    return _inner_where_asked(Steps(tuple(items), tuple(steps), (*preds, *conjuncts(where))))


def _take_apart(item: a.FromItem, items: list[a.FromItem], steps: list[Step], preds: list[a.Expr]) -> None:
    if isinstance(item, a.Join) and item.kind in {"inner", "left"}:
        _take_apart(item.left, items, steps, preds)
        if item.kind == "left":
            steps.append(Step(item.right, conjuncts(item.on)))
        else:
            _take_apart(item.right, items, steps, preds)
            # an inner join's ON is asked of all rows; a LEFT JOIN's only says which partners a row has
            preds += conjuncts(item.on)
    else:
        items.append(item)


def _inner_where_asked(found: Steps) -> Steps:
    while True:
        # WHERE o.x = 1 refuses the padded row, in which o.x is NULL
        asked = frozenset(rel for p in found.where for rel, _ in rejected_columns(p))
        # each step that has become inner may refuse NULLs of another one: until none changes
        step = next((s for s in found.steps if s.rels & asked and may_be_inner(found, s)), None)
        if step is None:
            return found
        found = with_inner(found, step)


def may_be_inner(found: Steps, step: Step) -> bool:
    """Whether what the step's item itself reads is there before any outer join."""
    # a LATERAL item that reads another padded side can't move before it
    return not free_rels(step.item) & frozenset[int]().union(*(s.rels for s in found.steps))


def with_inner(found: Steps, step: Step) -> Steps:
    """With an outer join as an inner one, which `may_be_inner`."""
    items: list[a.FromItem] = list(found.items)
    steps = [s for s in found.steps if s is not step]
    preds: list[a.Expr] = []
    more: list[Step] = []
    # what is joined within the item becomes items and steps of the whole
    _take_apart(step.item, items, more, preds)
    return Steps(tuple(items), (*more, *steps), (*found.where, *preds, *step.on))


def padded_with(step: Step, steps: Sequence[Step]) -> frozenset[int]:
    """The range variables that are NULL where the step finds no row: its own, and those of steps that are
    joined by them.
    """
    rels = step.rels
    for other in steps:
        rejected = frozenset(rel for p in other.on for rel, _ in rejected_columns(p))
        # l JOIN … ON l.ord = o.id: where o is padded there is no l either
        if other is not step and rejected & rels:
            rels |= other.rels
    return rels


def needed(steps: Sequence[Step], rels: frozenset[int]) -> tuple[Step, ...]:
    """The steps that some of the range variables come from, and what these are joined by."""
    for step in reversed(steps):
        # from the last one back: what a step is joined by stands before it
        if step.rels & rels:
            rels |= step.asks
    return tuple(s for s in steps if s.rels & rels)
