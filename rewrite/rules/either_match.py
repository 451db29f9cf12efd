"""Lists that LEFT JOINs put beside each other under DISTINCT, of which either must match, are asked for it.

    SELECT DISTINCT c.id, c.name FROM cust c
      LEFT JOIN ord o ON o.cust = c.id LEFT JOIN sale s ON s.cust = c.id WHERE o.total > 100 OR s.qty > 5
    -->
    SELECT DISTINCT c.id, c.name FROM cust c
     WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id AND o.total > 100)
        OR EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.id AND s.qty > 5)

What ORMs print for ``filter(Q(...) | Q(...)).distinct()``. The rows of an outer row are a product of lists
none of which is empty, since a missing partner is a row of NULLs; so one of them passes if and only if some
arm of OR is TRUE of a row of its own list. The row of NULLs is none where the arm refuses NULL. Lists that no
arm asks only multiply. Hazards 4a, 5d, 8.

Known as OR-expansion; Calcite: JoinToSemiJoinRule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import rejected_columns
from rewright.sql.types import INT4
from rewright.sql.walk import as_product, conjoin, conjuncts, free_rels, from_rels, has_subquery, used_rels

_ONE = (a.Target("?column?", a.Const("1", INT4)),)


def either_match(block: a.Select, ctx: Context) -> a.Select | None:
    """The block, whose duplicates do not count, without the lists that it shows nothing of; None where they
    are not asked in this way.
    """
    items, preds = as_product(block)
    lists: dict[int, a.Join] = {}
    bare = [_without_lists(i, lists) for i in items]
    shown = used_rels(replace(block, from_=(), where=None))
    asked = [p for p in preds if free_rels(p) & lists.keys()]
    if len(asked) != 1 or not isinstance(asked[0], a.Or) or shown & lists.keys():
        return None
    arms = [_matched(arm, lists, ctx) for arm in asked[0].args]
    if None in arms:
        return None
    rest = [p for p in preds if p is not asked[0]]
    either = a.Or(tuple(x for x in arms if x is not None))
    return replace(block, from_=tuple(bare), where=conjoin((*rest, either)))


def _without_lists(item: a.FromItem, lists: dict[int, a.Join]) -> a.FromItem:
    """What the LEFT JOINs at the top of an item are joined to; ``lists`` is given these by their right
    sides.
    """
    while isinstance(item, a.Join) and item.kind == "left" and _is_list(item):
        lists[next(iter(from_rels((item.right,))))] = item
        item = item.left
    return item


def _is_list(join: a.Join) -> bool:
    plain = isinstance(join.right, a.Scan | a.CteScan) and join.on is not None
    return plain and join.on is not None and not has_subquery(join.on)


def _matched(arm: a.Expr, lists: Mapping[int, a.Join], ctx: Context) -> a.Expr | None:
    """An arm of OR asked of its own list alone: of the table that it reads and those that this one hangs
    on.
    """
    own = free_rels(arm) & lists.keys()
    if not own:
        return arm
    path = _path(own, lists)
    if has_subquery(arm) or path is None:
        return None
    conditions = [p for rel in path for p in conjuncts(lists[rel].on)]
    if not ctx.holds("null-is-refused", own <= {rel for rel, _ in rejected_columns(arm)}):
        return None
    where = conjoin((*conditions, *conjuncts(arm)))
    return a.Exists(a.Select(_ONE, tuple(lists[rel].right for rel in path), where))


def _path(own: frozenset[int], lists: Mapping[int, a.Join]) -> Sequence[int] | None:
    """The one table of ``own``, after those on which it hangs by conditions that refuse NULL of them."""
    found: list[int] = []
    while own:
        if len(own) > 1:
            return None
        (rel,) = own
        found.insert(0, rel)
        on = lists[rel].on
        assert on is not None
        own = (free_rels(on) & lists.keys()) - {rel}
        if not own <= {r for r, _ in rejected_columns(on)}:
            return None
    return found
