"""FROM and WHERE as certificates' forms read them: items that are multiplied, items that outer joins add, and
conditions on all rows.

An outer join adds its item's rows that meet its condition, or one of NULLs; the condition sees what stands
left of it, so that whatever it does not see may be multiplied before or after. Where all rows are asked for
more than NULLs of an added item, it adds its rows alone. Must not know forms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.facts import rejected_columns
from rewright.sql.walk import conjoin, conjuncts, free_rels, from_rels

Rels = frozenset[int]
NO_RELS: Rels = frozenset()


@dataclass(frozen=True, slots=True)
class Added:
    """What an outer join adds, and on what condition."""

    item: a.FromItem
    on: tuple[a.Expr, ...]

    @property
    def own(self) -> Rels:
        return from_rels((self.item,))

    @property
    def sees(self) -> Rels:
        return NO_RELS.union(free_rels(self.item), *map(free_rels, self.on)) - self.own


@dataclass(frozen=True, slots=True)
class Joined:
    """``base`` are multiplied, then each of ``added`` is added in turn; ``asked`` of all rows."""

    base: tuple[a.FromItem, ...]
    added: tuple[Added, ...] = ()
    asked: tuple[a.Expr, ...] = ()

    @property
    def own(self) -> Rels:
        return from_rels(self.base).union(*(x.own for x in self.added))

    def block(self, *targets: a.Target) -> a.Select:
        """As a block."""
        if not self.added:
            return a.Select(targets, self.base, conjoin(self.asked))
        tree = self.base[0]
        for item in self.base[1:]:
            tree = a.Join("inner", tree, item, None)
        for more in self.added:
            tree = a.Join("left", tree, more.item, conjoin(more.on))
        return a.Select(targets, (tree,), conjoin(self.asked))

    def nulls_beside(self, one: Added) -> Rels:
        """What is NULL where an outer join finds nothing: its item, and what is added by more than NULLs of
        such.
        """
        rels = one.own
        for more in self.added:
            if any(rel in rels for p in more.on for rel, _ in rejected_columns(p)):
                rels |= more.own
        return rels

    def multiplied(self, one: Added) -> Joined | None:
        """With an outer join as an inner one; None where its item reads what another one adds."""
        if free_rels(one.item) & NO_RELS.union(*(x.own for x in self.added)):
            return None
        found = _read((one.item,))
        rest = tuple(x for x in self.added if x is not one)
        return Joined((*self.base, *found.base), (*found.added, *rest), (*self.asked, *found.asked, *one.on))


def joined(block: a.Select) -> Joined | None:
    """A block's FROM and WHERE; None where an item reads what an outer join adds before it."""
    found = _read(block.from_)
    if any(free_rels(i) & NO_RELS.union(*(x.own for x in found.added)) for i in found.base):
        return None
    found = Joined(found.base, found.added, (*found.asked, *conjuncts(block.where)))
    while True:
        seen = {rel for p in found.asked for rel, _ in rejected_columns(p)}
        made = (m for x in found.added if x.own & seen and (m := found.multiplied(x)) is not None)
        following = next(made, None)
        if following is None:
            return found
        found = following


def _read(items: Iterable[a.FromItem]) -> Joined:
    base: tuple[a.FromItem, ...] = ()
    added: tuple[Added, ...] = ()
    asked: tuple[a.Expr, ...] = ()
    for item in items:
        if not isinstance(item, a.Join) or item.kind not in {"inner", "left"}:
            base = (*base, item)
            continue
        left = _read((item.left,))
        base, added, asked = (*base, *left.base), (*added, *left.added), (*asked, *left.asked)
        if item.kind == "left":
            added = (*added, Added(item.right, conjuncts(item.on)))
        else:
            right = _read((item.right,))
            base, added = (*base, *right.base), (*added, *right.added)
            asked = (*asked, *right.asked, *conjuncts(item.on))
    return Joined(base, added, asked)
