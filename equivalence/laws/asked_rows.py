"""Blocks that do not count their rows, whose joined rows are only asked for: EXISTS.

    SELECT DISTINCT c.id, c.name FROM c JOIN o ON o.c = c.id JOIN l ON l.o = o.id JOIN v ON v.c = c.id
    WHERE l.price > 9
    -->
    SELECT DISTINCT c.id, c.name FROM c WHERE EXISTS (SELECT 1 FROM o, l WHERE o.c = c.id AND l.o = o.id AND
    l.price > 9) AND EXISTS (SELECT 1 FROM v WHERE v.c = c.id)

A row that is shown is there if some choice of the others meets all conditions; what no condition ties to each
other is chosen by itself. Conditions are asked of other rows, and in another order: what they may raise is a
reservation. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.chance import left_open
from rewright.equivalence.laws.either import ignores_duplicates
from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.join_steps import Step, Steps, needed, steps_of
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.types import INT4
from rewright.sql.walk import conjoin, free_rels, from_rels, has_window, returns_set, used_rels

_ONE = (a.Target("one", a.Const("1", INT4)),)
_Rels = frozenset[int]


def asking_for_rows(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, which asks EXISTS of such rows."""
    return _AskingForRows(catalog).form(query)


class _AskingForRows(Walk):
    def block(self, block: a.Select) -> a.Select:
        if not ignores_duplicates(block) or is_volatile(block) or has_window(block):
            return block
        if any(returns_set(t.expr) for t in block.targets):
            return block
        found = steps_of(block.from_, block.where)
        kept = _shown(found, used_rels(replace(block, from_=(), where=None)))
        groups = None if kept is None else _tied(found, kept)
        if kept is None or not groups:
            return block
        self.reserve_failures(*found.where, *(p for step in found.steps for p in step.on))
        for item in (*found.items, *(step.item for step in found.steps)):
            self._found_elsewhere(item, kept)
        rest = _part(found, kept)
        asked = [a.Exists(a.Select(_ONE, g.from_, conjoin(g.where))) for g in groups]
        return replace(block, from_=rest.from_, where=conjoin((*rest.where, *asked)))

    def _found_elsewhere(self, item: a.FromItem, kept: _Rels) -> None:
        """What is joined within an item, or computed in a subquery: EXISTS ends with the first row of it, and
        a LATERAL one is found before or after others.
        """
        if from_rels((item,)) & kept and not free_rels(item):
            return
        rows = a.Select(_ONE, (item,))
        # overflow aside, which is the same where the same values are computed
        self.reserve({"errors"} if self.facts.errors(rows) - OVERFLOW else ())
        loose, basis = left_open(rows, self.catalog)
        self.reserve(loose)
        self.rest_on(basis)


def _shown(found: Steps, read: _Rels) -> _Rels | None:
    """The range variables of FROM that stay: those that are read outside it, and what they are joined by.
    None where all do, or no item of FROM.
    """
    kept = read & found.rels
    while True:
        more = kept | _Rels().union(
            *(from_rels((i,)) | free_rels(i) for i in found.items if from_rels((i,)) & kept),
            *(s.rels | s.asks for s in needed(found.steps, kept)),
            # what outer joins add to rows that stay is there or NULL: they are asked for nothing
            *(s.rels for s in found.steps if s.asks & found.rels <= kept),
        )
        more &= found.rels
        if more == kept:
            # what an outer join adds by a condition on itself alone (ON o.x = 1) needs a row to be added to
            based = any(from_rels((i,)) & kept for i in found.items)
            return kept if based and kept != found.rels else None
        kept = more


@dataclass(slots=True)
class _Group:
    rels: _Rels
    items: list[a.FromItem]
    steps: list[Step]
    where: list[a.Expr]


def _tied(found: Steps, kept: _Rels) -> list[Steps] | None:
    """What is only asked for, by what conditions tie to each other; None where FROM would not be one of
    it.
    """
    parts = [_Group(from_rels((i,)), [i], [], []) for i in found.items if not from_rels((i,)) & kept]
    ties: list[_Rels] = [free_rels(g.items[0]) | g.rels for g in parts]
    ties += [s.rels | s.asks for s in found.steps if not s.rels & kept]
    ties += [free_rels(p) for p in found.where]
    parts += [_Group(s.rels, [], [s], []) for s in found.steps if not s.rels & kept]
    for tie in ties:
        parts = _joined(parts, tie - kept)
    for pred in found.where:
        asks = free_rels(pred) & found.rels - kept
        if asks:
            next(g for g in parts if asks <= g.rels).where.append(pred)
    # a LEFT JOIN has something to be joined to
    if not all(g.items for g in parts):
        return None
    return [Steps(tuple(g.items), tuple(g.steps), tuple(g.where)) for g in parts]


def _joined(parts: Sequence[_Group], tie: _Rels) -> list[_Group]:
    one = [g for g in parts if g.rels & tie]
    if len(one) < 2:
        return list(parts)
    made = _Group(
        _Rels().union(*(g.rels for g in one)),
        [i for g in one for i in g.items],
        [s for g in one for s in g.steps],
        [],
    )
    return [g if g is not one[0] else made for g in parts if g is one[0] or not any(g is x for x in one)]


def _part(found: Steps, kept: _Rels) -> Steps:
    """What stays, with the conditions on it alone."""

    def stays(rels: Iterable[int]) -> bool:
        return not (set(rels) & found.rels) - kept

    items = tuple(i for i in found.items if from_rels((i,)) & kept)
    steps = tuple(s for s in found.steps if s.rels & kept)
    return Steps(items, steps, tuple(p for p in found.where if stays(free_rels(p))))
