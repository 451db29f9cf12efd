"""Blocks that do not count their rows, whose outer joins are asked by one OR alone: EXISTS for each arm.

    SELECT DISTINCT t.id FROM t LEFT JOIN o ON o.t = t.id WHERE t.x = 1 OR o.k > 2
    is  SELECT DISTINCT t.id FROM t WHERE t.x = 1 OR EXISTS (SELECT 1 FROM o WHERE o.t = t.id AND o.k > 2)

An outer join gives each row partners, or one row of NULLs: so every choice of rows of one list meets every
choice of another, and an arm is TRUE of some row if it is of some rows of those lists that it reads. A row of
NULLs is none of these where the arm, or what is joined by it, is not TRUE of NULL. What fails is computed of
other rows. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.recheck.views.joined import NO_RELS, Added, Rels, joined
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile, order_sensitive, rejected_columns
from rewright.sql.types import INT4
from rewright.sql.walk import (
    Fresh,
    bottom_up,
    conjoin,
    copy_fresh,
    free_rels,
    has_subquery,
    has_window,
    highest_number,
    outer_exprs,
    returns_set,
    used_rels,
    walk_block,
)

_OF_SETS = frozenset({"min", "max", "bool_and", "bool_or", "every"})


def either(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.Exists | a.Quantified) and _is_bare(node.query):
            assert isinstance(node.query, a.Select)
            return replace(node, query=_block(node.query, changes, fresh))
        return _block(node, changes, fresh) if isinstance(node, a.Select) and is_set(node) else node

    return bottom_up(query, change)


def _is_bare(query: a.Query) -> bool:
    """Rows of FROM as they are, which EXISTS or a comparison with any or all of them asks for."""
    if not isinstance(query, a.Select) or is_volatile(query) or has_window(query):
        return False
    others = replace(query, targets=(), from_=(), where=None)
    return others == a.Select(()) and not any(returns_set(t.expr) for t in query.targets)


def is_set(block: a.Select) -> bool:
    """Whether it gives the same however often a row is there."""
    if is_volatile(block) or has_window(block) or any(returns_set(t.expr) for t in block.targets):
        return False
    if block.group_by is None:
        return block.distinct == ()
    calls = [n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate)]
    for call in calls:
        if not call.func.is_builtin or call.star or order_sensitive(call):
            return False
        if not call.distinct and call.func.name not in _OF_SETS:
            return False
    return not block.distinct and (all(block.group_by) or bool(calls))


def _block(block: a.Select, changes: Changes, fresh: Fresh) -> a.Select:
    rows = joined(block)
    asking = [p for p in rows.asked if isinstance(p, a.Or)] if rows is not None else []
    for test in asking:
        assert rows is not None
        others = [p for p in rows.asked if p is not test]
        read = used_rels(replace(block, from_=(), where=None)).union(*map(free_rels, others))
        for more in reversed(rows.added):
            read |= more.sees if more.own & read else NO_RELS
        lists = [x for x in rows.added if not x.own & read]
        arms = _arms(test, lists, fresh)
        if arms is not None:
            _leave_open(test, lists, changes)
            kept = tuple(x for x in rows.added if x.own & read)
            found = replace(rows, added=kept, asked=(*others, *arms)).block()
            return replace(block, from_=found.from_, where=found.where)
    return block


def _arms(test: a.Or, lists: Sequence[Added], fresh: Fresh) -> tuple[a.Expr, ...] | None:
    """The OR that asks no list; None where an arm may be TRUE of a row of NULLs, or no arm asks one."""
    every: Rels = NO_RELS.union(*(x.own for x in lists))
    made: list[a.Expr] = []
    for arm in test.args:
        if not free_rels(arm) & every:
            made.append(arm)
            continue
        found = _rows(arm, lists)
        if found is None:
            return None
        made.append(copy_fresh(a.Exists(found), fresh)[0])
    return (a.Or(tuple(made)),) if made != list(test.args) else None


def _rows(arm: a.Expr, lists: Sequence[Added]) -> a.Select | None:
    """The rows of lists of which an arm is TRUE."""
    items: list[a.FromItem] = []
    asked, wanted = [arm], free_rels(arm)
    for one in reversed(lists):
        if one.own & wanted:
            if not any(rel in one.own for p in asked for rel, _ in rejected_columns(p)):
                return None
            items.insert(0, one.item)
            asked += one.on
            wanted |= one.sees
    if any(has_subquery(p) for p in asked):
        return None
    return a.Select((a.Target("one", a.Const("1", INT4)),), tuple(items), conjoin(asked))


def _leave_open(test: a.Or, lists: Sequence[Added], changes: Changes) -> None:
    changes.compute_again(a.Select((), where=test))
    for one in lists:
        changes.compute_again(a.Select((a.Target("one", a.Const("1", INT4)),), (one.item,), conjoin(one.on)))
