"""Lists that LEFT JOINs put beside each other under DISTINCT, of which either must match, are asked for it.

    SELECT DISTINCT c.id, c.name FROM cust c
      LEFT JOIN ord o ON o.cust = c.id LEFT JOIN sale s ON s.cust = c.id WHERE o.total > 100 OR s.qty > 5
    -->
    SELECT DISTINCT c.id, c.name FROM cust c
     WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id AND o.total > 100)
        OR EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.id AND s.qty > 5)

Arms that ask the same list ask it once. Beside a condition on what is shown, which no list answers, a list is
asked by IN: the planner counts EXISTS within OR as if it were evaluated for each row, however it is run.

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
from rewright.rewrite.rules.or_exists import as_member
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
    own = [arm for arm in asked[0].args if not free_rels(arm) & lists.keys()]
    paths = _by_path(asked[0].args, lists, ctx)
    if paths is None:
        return None
    asked_once = [_matched(path, arms, lists) for path, arms in paths.items()]
    arms = [*own, *((as_member(x) or x) if own else x for x in asked_once)]
    rest = [p for p in preds if p is not asked[0]]
    either = arms[0] if len(arms) == 1 else a.Or(tuple(arms))
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


def _by_path(
    arms: Sequence[a.Expr], lists: Mapping[int, a.Join], ctx: Context
) -> dict[tuple[int, ...], list[a.Expr]] | None:
    """The arms that ask lists, by the tables that lead to the one they read; None where one is not so."""
    found: dict[tuple[int, ...], list[a.Expr]] = {}
    for arm in arms:
        own = free_rels(arm) & lists.keys()
        if not own:
            continue
        path = _path(own, lists)
        if has_subquery(arm) or path is None:
            return None
        if not ctx.holds("null-is-refused", own <= {rel for rel, _ in rejected_columns(arm)}):
            return None
        found.setdefault(tuple(path), []).append(arm)
    return found


def _matched(path: Sequence[int], arms: Sequence[a.Expr], lists: Mapping[int, a.Join]) -> a.Exists:
    """Arms of OR asked of their own list alone: of the table that they read and those that this one hangs
    on.
    """
    conditions = [p for rel in path for p in conjuncts(lists[rel].on)]
    asked = conjuncts(arms[0]) if len(arms) == 1 else (a.Or(tuple(arms)),)
    return a.Exists(a.Select(_ONE, tuple(lists[rel].right for rel in path), conjoin((*conditions, *asked))))


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
