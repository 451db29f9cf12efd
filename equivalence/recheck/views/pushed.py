"""Conditions on what whole groups of a subquery in FROM agree on, made of the rows that it groups.

Such rows stay or go together, partitions and sets of equal rows too. The conditions can't fail; what is no
longer computed of the other rows is left open. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.restrictions import of_whole_groups
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    as_product,
    bottom_up,
    conjoin,
    conjuncts,
    from_rels,
    has_subquery,
    replace_item,
    substitute,
    walk,
)


def pushed(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    for item in as_product(block)[0]:
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            continue
        groups = item.query
        if not isinstance(groups, a.Select) or groups.group_by is None or is_volatile(groups):
            continue
        if groups.limit is not None or groups.offset is not None or groups.ctes:
            continue
        told = {(item.rel, at): e for e, at in of_whole_groups(groups).items()}
        rels = from_rels(block.from_)
        preds = conjuncts(block.where)
        down = [p for p in preds if _is_of(p, told, rels, changes)]
        if not down:
            continue
        changes.compute_again(groups)
        where = conjoin((*conjuncts(groups.where), *(substitute(p, told) for p in down)))
        made = replace(item, query=replace(groups, where=where))
        from_ = tuple(replace_item(i, item, made) for i in block.from_)
        block = replace(block, from_=from_, where=conjoin(p for p in preds if p not in down))
    return block


def _is_of(pred: a.Expr, told: dict[tuple[int, int], a.Expr], rels: frozenset[int], changes: Changes) -> bool:
    """Whether it reads of the block's rows such columns alone, and one at least."""
    if has_subquery(pred) or is_volatile(pred) or changes.known.errors(pred):
        return False
    if not changes.known.cannot_fail(pred):
        return False
    if any(isinstance(n, a.WholeRow | a.SystemColumn) and n.rel in rels for n in walk(pred)):
        return False
    read = [(n.rel, n.pos) for n in walk(pred) if isinstance(n, a.Column) and n.rel in rels]
    return bool(read) and all(c in told for c in read)
