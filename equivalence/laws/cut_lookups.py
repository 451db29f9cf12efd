"""A cut to one row that every row is left-joined with: its columns, each looked up by itself.

    FROM a LEFT JOIN LATERAL (SELECT r.x, r.y FROM r WHERE r.a = a.id ORDER BY r.at, r.id LIMIT 1) l ON true
    -->   (SELECT r.x FROM r WHERE r.a = a.id ORDER BY r.at, r.id LIMIT 1) for l.x, likewise for l.y

The join keeps each row once and shows NULLs where the cut has no row, as a subquery without rows is NULL
(manual, 4.2.11). Two lookups are of one row where the order leaves no choice of it, or of what they show.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Walk
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    Fresh,
    copy_fresh,
    from_rels,
    has_window,
    map_parts,
    references_whole,
    replace_item,
    returns_set,
    walk,
)


def without_first_rows(block: a.Select, law: Walk, fresh: Fresh) -> a.Select:
    """The block without such joins. ``law``: told what that leaves open and rests on."""
    tried: set[frozenset[int]] = set()
    while True:
        # as FROM has become: what reads a cut that is looked up by now (LATERAL) is another join than before
        joins = (j for item in block.from_ for j in _joins_that_keep(item))
        join = next((j for j in joins if from_rels((j.right,)) not in tried), None)
        if join is None:
            return block
        tried.add(from_rels((join.right,)))
        cut = _first_row(join)
        block = block if cut is None else _apart(block, join, cut, law, fresh) or block


def _apart(block: a.Select, join: a.Join, cut: a.Select, law: Walk, fresh: Fresh) -> a.Select | None:
    """The block with the columns of a cut to one row looked up."""
    (rel,) = from_rels((join.right,))
    if references_whole(block, rel):
        return None
    block = replace(block, from_=tuple(replace_item(item, join, join.left) for item in block.from_))
    read = sorted({n.pos for n in walk(block) if isinstance(n, a.Column) and n.rel == rel})
    rows, order = replace(cut, limit=None, order_by=()), [k.expr for k in cut.order_by]
    shown = [cut.targets[pos].expr for pos in read]
    # tied rows that show the same leave no choice that is seen
    alike = all(e in order and look_of_type(e.type) is not None for e in shown)
    basis = frozenset() if alike else law.facts.exprs_determine(replace(rows, targets=()), order)
    if basis is None and len(read) > 1:
        return None
    law.reserve({"tie-order"} if basis is None else ())
    law.reserve_other_rows(rows)
    law.reserve_failures(*order)
    law.rest_on(basis or ())
    made = {}
    for pos in read:
        copied, _ = copy_fresh(replace(cut, targets=(cut.targets[pos],)), fresh)
        made[pos] = a.ScalarSubquery(copied, cut.targets[pos].expr.type)

    def visit(n: Any) -> Any:
        return made[n.pos] if isinstance(n, a.Column) and n.rel == rel else map_parts(n, visit)

    whole: a.Select = visit(block)
    return whole


def _joins_that_keep(item: a.FromItem) -> Iterator[a.Join]:
    """Left joins, outermost first, whose rows no outer join pads: a subquery would find a row for NULLs."""
    if not isinstance(item, a.Join):
        return
    if item.kind == "left":
        yield item
    if item.kind in {"left", "inner", "cross"}:
        yield from _joins_that_keep(item.left)
    if item.kind in {"inner", "cross"}:
        yield from _joins_that_keep(item.right)


def _first_row(join: a.Join) -> a.Select | None:
    """The cut to one row that is joined on nothing."""
    item = join.right
    if join.on is not None and not _is_true(join.on):
        return None
    if not isinstance(item, a.Derived) or item.security_barrier or not isinstance(item.query, a.Select):
        return None
    query = item.query
    # a count of no rows is a row
    bare = query.group_by != ((),) and query.distinct is None
    plain = bare and not query.ctes and not query.with_ties
    # LIMIT 0 has no row, and OFFSET -1 is an error
    one = isinstance(query.limit, a.Const) and query.limit.value == "1" and query.offset is None
    if not plain or not one or is_volatile(query):
        return None
    shown = (*(t.expr for t in query.targets), *(k.expr for k in query.order_by))
    return None if any(has_window(e) or returns_set(e) for e in shown) else query


def _is_true(on: a.Expr) -> bool:
    return isinstance(on, a.Const) and on.value == "t" and on.type.name == "bool"
