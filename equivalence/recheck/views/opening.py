"""Both queries without the subqueries in FROM that only pick, join, filter and compute, and that one of the
two alone has.

In a product such a subquery is what it reads, its condition one of the block's, and each of its columns the
expression that it shows: the server puts it there before it plans. What it computes is evaluated where it is
read in either spelling. Not of rows that an outer join pads, nor below grouping sets that would take two keys
for one. Must not know the other forms but what a product holds, and how values are written again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.plain import product
from rewright.equivalence.recheck.views.stating import Queries, View
from rewright.equivalence.recheck.views.values import written_again
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    SUBQUERIES,
    Fresh,
    canonical,
    conjoin,
    conjuncts,
    free_rels,
    has_aggregate,
    has_subquery,
    highest_number,
    is_plain,
    keeps_keys_apart,
    map_parts,
    references_whole,
    replace_item,
    used_rels,
    walk,
)

# how large an expression may be that is written more than once
_WRITTEN_AGAIN = 12


def opening(view: View) -> View:
    return replace(view, pairs=tuple(map(_both, view.pairs)))


def _both(pair: Queries) -> Queries:
    shown = [{n.rel: _form(n) for n in walk(q) if isinstance(n, a.Derived)} for q in pair]
    first, second = (
        _without(q, {rel for rel, form in mine.items() if form not in theirs.values()})
        for q, mine, theirs in zip(pair, shown, reversed(shown), strict=True)
    )
    return first, second


def _form(item: a.Derived) -> a.Query:
    return canonical(item.query, keep_names=False)


def _without(query: a.Query, rels: set[int]) -> a.Query:
    fresh = Fresh(highest_number(query))

    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        return _block(node, rels, fresh) if isinstance(node, a.Select) else node

    made: a.Query = visit(query) if rels else query
    return made if keeps_keys_apart(query, made) else query


def _block(block: a.Select, rels: set[int], fresh: Fresh) -> a.Select:
    for top in block.from_:
        for item in product(top):
            if isinstance(item, a.Derived) and item.rel in rels and _is_open(item):
                block = _read_there(block, item, fresh)
    return block


def _is_open(item: a.Derived) -> bool:
    """Whether the server looks through it: rows of a product or join, a condition, and values of a row."""
    inner = item.query
    if item.security_barrier or not isinstance(inner, a.Select) or not is_plain(inner) or inner.order_by:
        return False
    if is_volatile(inner) or any(has_aggregate(t.expr) for t in inner.targets):
        return False
    tables = all(isinstance(i, a.Scan) for i in inner.from_)
    return tables or not (item.lateral or free_rels(inner))


def _read_there(block: a.Select, item: a.Derived, fresh: Fresh) -> a.Select:
    """The block that reads what the subquery reads; as it is where that would show or compute otherwise."""
    inner = item.query
    assert isinstance(inner, a.Select)
    if references_whole(block, item.rel):
        return block
    values = {i: t.expr for i, t in enumerate(inner.targets)}
    readers = [n for n in walk(block) if isinstance(n, a.Column) and n.rel == item.rel]
    made = {i for i, e in values.items() if not isinstance(e, a.Column)}
    for i in made:
        large = has_subquery(values[i]) or len(list(walk(values[i]))) > _WRITTEN_AGAIN
        if large and sum(n.pos == i for n in readers) > 1:
            return block
    # what a group is not made by is no column of it
    if made and block.group_by is not None and _asked_of_groups(block, item.rel):
        return block
    from_: list[a.FromItem] = []
    for top in block.from_:
        if top is item:
            from_ += inner.from_
        elif inner.from_:
            one, *others = inner.from_
            for other in others:
                one = a.Join("inner", one, other, None)
            from_.append(replace_item(top, item, one))
        else:
            from_.append(top)
    if tuple(from_) == block.from_:
        return block

    def visit(node: Any) -> Any:
        if not isinstance(node, a.Column) or node.rel != item.rel:
            return map_parts(node, visit)
        return written_again(values[node.pos], fresh)

    asked = (*conjuncts(inner.where), *conjuncts(block.where))
    changed: a.Select = map_parts(replace(block, from_=tuple(from_), where=conjoin(asked)), visit)
    return changed


def _asked_of_groups(block: a.Select, rel: int) -> bool:
    above = replace(block, from_=(), where=None, group_by=None)
    return any(isinstance(n, SUBQUERIES) and rel in used_rels(n.query) for n in walk(above))
