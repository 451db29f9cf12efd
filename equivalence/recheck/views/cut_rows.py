"""One row, the first of an order, that rows are left-joined with ON true: what is read of it as subqueries.

There is one such row at most for each row, and NULLs where there is none; a subquery gives the same. Read
column by column it must be the same row each time: the order decides it, or what is read is in the order and
looks one way. It is found for rows that a condition might have refused: it must not fail. Must not know the
other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.facts.looks import look_of_type
from rewright.sql.types import BOOL
from rewright.sql.walk import (
    Fresh,
    copy_fresh,
    has_window,
    map_parts,
    references_whole,
    replace_item,
    returns_set,
    walk,
)


def cut_rows(block: a.Select, fresh: Fresh, changes: Changes) -> a.Select:
    """The block without such joins."""
    seen: set[int] = set()
    while True:
        # one that reads another is itself changed with that one
        left = [j for item in block.from_ for j in _unpadded(item)]
        pairs = ((j, j.right) for j in left if isinstance(j.right, a.Derived) and j.right.rel not in seen)
        join, item = next(pairs, (None, None))
        if join is None or item is None:
            return block
        seen.add(item.rel)
        if join.on in {None, a.Const("t", BOOL)} and _is_first(item):
            block = _read_apart(block, join, item, fresh, changes) or block


def _unpadded(item: a.FromItem) -> Iterator[a.Join]:
    """Left joins of which no other join makes NULLs."""
    left = [item]
    while left:
        join = left.pop(0)
        if not isinstance(join, a.Join):
            continue
        match join.kind:
            case "left":
                yield join
                left.append(join.left)
            case "inner" | "cross":
                left += [join.left, join.right]


def _is_first(item: a.Derived) -> bool:
    query = item.query
    if item.security_barrier or not isinstance(query, a.Select) or is_volatile(query):
        return False
    if query.ctes or query.distinct is not None or query.with_ties or query.offset is not None:
        return False
    if not isinstance(query.limit, a.Const) or query.limit.value != "1" or query.group_by == ((),):
        return False
    computed = [t.expr for t in query.targets] + [k.expr for k in query.order_by]
    return not any(has_window(x) or returns_set(x) for x in computed)


def _read_apart(
    block: a.Select, join: a.Join, item: a.Derived, fresh: Fresh, changes: Changes
) -> a.Select | None:
    cut = item.query
    assert isinstance(cut, a.Select)
    if references_whole(block, item.rel):
        return None
    rest = replace(block, from_=tuple(replace_item(i, join, join.left) for i in block.from_))
    read = sorted({n.pos for n in walk(rest) if isinstance(n, a.Column) and n.rel == item.rel})
    keys = [k.expr for k in cut.order_by]
    shown = [cut.targets[pos].expr for pos in read]
    if not all(x in keys and look_of_type(x.type) is not None for x in shown):
        total = changes.known.exprs_determine(replace(cut, targets=(), limit=None, order_by=()), keys)
        if total is None and len(read) > 1:
            return None
        if total is None:
            changes.modulo.add("tie-order")
        else:
            changes.rest_on(total)
    changes.ask_of_others(replace(cut, limit=None))
    made = {}
    for pos in read:
        copied, _ = copy_fresh(replace(cut, targets=(cut.targets[pos],)), fresh)
        made[pos] = a.ScalarSubquery(copied, cut.targets[pos].expr.type)

    def visit(n: Any) -> Any:
        return made[n.pos] if isinstance(n, a.Column) and n.rel == item.rel else map_parts(n, visit)

    whole: a.Select = visit(rest)
    return whole
