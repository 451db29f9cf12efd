"""Lists that LEFT JOINs put beside each other, of which it only matters whether either has a match: EXISTS.

    SELECT DISTINCT c.id FROM cust c LEFT JOIN ord o ON o.cust = c.id LEFT JOIN line l ON l.ord = o.id
      LEFT JOIN sale s ON s.cust = c.id WHERE l.total > 100 OR s.qty > 5
    -->
    SELECT DISTINCT c.id FROM cust c
     WHERE EXISTS (SELECT 1 FROM ord o, line l WHERE o.cust = c.id AND l.ord = o.id AND l.total > 100)
        OR EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.id AND s.qty > 5)

How often a row is there does not count, and nothing above looks at the lists. The rows of a kept row are a
product of lists none of which is empty, since a missing partner is a row of NULLs: one of them passes if and
only if some arm of OR is TRUE of a row of what this arm reads. That is no row of NULLs where the arm refuses
NULL, and none further out where what the list is joined by does. Lists that no arm asks only multiply. Must
not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.chance import looseness
from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.join_steps import Step, Steps, needed, steps_of
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile, order_sensitive, rejected_columns
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.types import INT4
from rewright.sql.walk import (
    Fresh,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    has_subquery,
    has_window,
    highest_number,
    outer_exprs,
    returns_set,
    used_rels,
    walk_block,
)

_ONE = (a.Target("?column?", a.Const("1", INT4)),)


@dataclass(frozen=True, slots=True)
class Either:
    """``rest``: FROM and WHERE without the lists, and without the OR that asks them; ``own``: its arms that
    ask no list; ``asked``: whether a list has a match for the others.
    """

    rest: Steps
    own: tuple[a.Expr, ...]
    asked: tuple[a.Exists, ...]
    lists: tuple[Step, ...]
    disjunction: a.Or

    def where(self, asked: Sequence[a.Expr]) -> a.Expr | None:
        """WHERE, with these conditions in place of ``asked``."""
        arms = (*self.own, *asked)
        return conjoin((*self.rest.where, arms[0] if len(arms) == 1 else a.Or(arms)))


def ignores_duplicates(block: a.Select) -> bool:
    """Whether it does not count how often a row of FROM is there."""
    if block.group_by is None:
        # DISTINCT ON is not the empty tuple: it keeps a row for each key, and which one may depend on how
        # many there are
        return block.distinct == ()
    groups = [n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate)]
    once = all(
        (g.distinct or g.func.name in EXTREMES)
        and g.func.is_builtin
        and not order_sensitive(g)
        and not g.star
        for g in groups
    )
    return once and not block.distinct and (block.group_by != ((),) or bool(groups))


def are_asked_for(query: a.Query) -> bool:
    """Whether EXISTS, IN and the like ask for rows of FROM as they are: it does not count how often one is
    there, either.
    """
    return isinstance(query, a.Select) and query == a.Select(query.targets, query.from_, query.where)


def either_of_lists(block: a.Select, refused: Callable[[bool], bool] = bool) -> Either | None:
    """What a block whose duplicates do not count asks of its lists; None where it does not ask so.
    ``refused``: told whether what has to refuse NULL does.
    """
    found = steps_of(block.from_, block.where)
    shown = used_rels(replace(block, from_=(), where=None))
    # without LEFT JOINs there are no lists whose rows of NULLs count as one
    for pred in found.where if found.steps else ():
        if not isinstance(pred, a.Or):
            continue
        rest = tuple(p for p in found.where if p is not pred)
        # lists that SELECT, GROUP BY or another condition reads must stay in FROM
        kept = needed(found.steps, shown | free_of_all(rest))
        lists = tuple(s for s in found.steps if s not in kept)
        rels = frozenset[int]().union(*(s.rels for s in lists))
        asked = _asked([arm for arm in pred.args if free_rels(arm) & rels], lists, refused)
        if asked:
            own = tuple(arm for arm in pred.args if not free_rels(arm) & rels)
            return Either(replace(found, steps=kept, where=rest), own, asked, lists, pred)
    return None


def _asked(
    arms: Sequence[a.Expr], lists: Sequence[Step], refused: Callable[[bool], bool]
) -> tuple[a.Exists, ...] | None:
    """The arms asked of what they read, those that read the same at once; None where one is not so."""
    found: dict[tuple[Step, ...], list[a.Expr]] = {}
    # an arm with a subquery may read a list at any depth
    for arm in arms:
        path = None if has_subquery(arm) else _path(arm, lists, refused)
        if path is None:
            return None
        found.setdefault(path, []).append(arm)
    return tuple(_matched(path, of_path) for path, of_path in found.items())


def _path(arm: a.Expr, lists: Sequence[Step], refused: Callable[[bool], bool]) -> tuple[Step, ...] | None:
    """The lists that an arm reads and those that they hang on; None where one may be a row of NULLs."""
    path: list[Step] = []
    asked, wanted = [arm], free_rels(arm)
    for step in reversed(lists):
        if not step.rels & wanted:
            continue
        filled = {rel for p in asked for rel, _ in rejected_columns(p)}
        # from the last list back: ON of a list that has a row is TRUE, and so fills the lists that it reads
        # a row of NULLs that passes the arm (o.id IS NULL) is a row for which EXISTS finds nothing
        if not refused(bool(step.rels & filled)) or any(has_subquery(p) for p in step.on):
            return None
        path.insert(0, step)
        asked += step.on
        wanted |= step.asks
    return tuple(path)


def _matched(path: Sequence[Step], arms: Sequence[a.Expr]) -> a.Exists:
    conditions = [p for step in path for p in step.on]
    asked = conjuncts(arms[0]) if len(arms) == 1 else (a.Or(tuple(arms)),)
    return a.Exists(a.Select(_ONE, tuple(step.item for step in path), conjoin((*conditions, *asked))))


def asking_either(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, which asks EXISTS of such lists."""
    return _Asking(catalog, Fresh(highest_number(query))).form(query)


class _Asking(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def changed(self, node: a.Node) -> a.Node:
        if isinstance(node, a.Exists | a.Quantified) and are_asked_for(node.query):
            assert isinstance(node.query, a.Select)
            return replace(node, query=self._without_lists(node.query))
        return super().changed(node)

    def block(self, block: a.Select) -> a.Select:
        # count(*) would count the product of the lists
        return self._without_lists(block) if ignores_duplicates(block) else block

    def _without_lists(self, block: a.Select) -> a.Select:
        if is_volatile(block):
            return block
        # windows number the rows of the product; generate_series in SELECT makes rows of each of them
        if has_window(block) or any(returns_set(t.expr) for t in block.targets):
            return block
        found = either_of_lists(block)
        if found is None:
            return block
        self.reserve_other_rows(found.disjunction, *(p for s in found.lists for p in s.on))
        for step in found.lists:
            # the item may be a subquery with LIMIT, and is now read once for each outer row
            made = a.Select(_ONE, (step.item,))
            self.reserve_other_rows(made)
            self.reserve(looseness(made))
        asked = [copy_fresh(x, self.fresh)[0] for x in found.asked]
        return replace(block, from_=found.rest.from_, where=found.where(asked))
