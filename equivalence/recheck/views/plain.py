"""Queries without CTEs that are not recursive, and without subqueries that only filter a table.

A reference to a CTE is one to its query. The server computes a CTE once, apart from its readers, where
several read it or it is MATERIALIZED: in their places it may fail on other rows, and choose otherwise each
time. A subquery that picks columns of the rows of a table that meet a condition is, in a product, that table
with the condition. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from rewright.equivalence.prover.translated import Unsupported
from rewright.equivalence.prover.unread import without_unread
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import Facts, reads_only
from rewright.sql.walk import (
    QUERIES,
    Fresh,
    bottom_up,
    conjoin,
    conjuncts,
    copy_fresh,
    highest_number,
    is_plain,
    map_parts,
    references_whole,
    replace_item,
    substitute,
    walk,
)

# how many CTEs are put in their places
_MOST = 100


def plain(query: a.Query, changes: Changes) -> a.Query:
    made = inlined(query, changes)
    return bottom_up(made, partial(_flat, Facts(changes.catalog, made)))


def asked(query: a.Query, changes: Changes) -> a.Query:
    """The plain form in which each reference to a CTE is without what is not read of it there: others may
    read more. A query without CTEs stays as it is: it has lost what nobody reads, and the server computes
    the rest.
    """
    made = inlined(query, changes)
    if made is query:
        return query
    try:
        return bottom_up(without_unread(made, changes.catalog), partial(_flat, Facts(changes.catalog, made)))
    except Unsupported:
        return query


def inlined(query: a.Query, changes: Changes) -> a.Query:
    """The query without CTEs but recursive ones; as it is where there are too many."""
    made, fresh = query, Fresh(highest_number(query))
    for _ in range(_MOST):
        cte = next((n for n in walk(made) if isinstance(n, a.Cte) and not n.recursive), None)
        if cte is None:
            return made
        _reserve(cte, made, changes)
        made = _in_place(made, cte, fresh)
    return query


def _reserve(cte: a.Cte, query: a.Query, changes: Changes) -> None:
    readers = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(query))
    # NOT MATERIALIZED is put in each of its readers by the server itself
    computed = cte.materialized or (cte.materialized is None and readers > 1)
    if computed and (changes.known.errors(cte.query) or not changes.known.cannot_fail(cte.query)):
        changes.modulo.add("errors")
    if readers > 1:
        changes.leave_to_chance(cte.query)


def _in_place(query: a.Query, cte: a.Cte, fresh: Fresh) -> a.Query:
    def visit(node: Any) -> Any:
        if isinstance(node, a.CteScan) and node.cte == cte.cte:
            copied, _ = copy_fresh(cte.query, fresh)
            return a.Derived(node.rel, copied, node.alias, tuple(c.name for c in node.columns))
        if isinstance(node, QUERIES) and cte in node.ctes:
            node = replace(node, ctes=tuple(c for c in node.ctes if c != cte))
        return map_parts(node, visit)

    made: a.Query = visit(query)
    return made


def _flat(known: Facts, node: a.Node) -> a.Node:
    if not isinstance(node, a.Select):
        return node
    for item in [i for top in node.from_ for i in product(top)]:
        scan = _filtered(item, known)
        if scan is not None and isinstance(item, a.Derived) and not references_whole(node, item.rel):
            node = merged(node, item, scan)
    return node


def product(item: a.FromItem) -> Iterator[a.FromItem]:
    """The items of a product; none of the sides of outer joins, whose rows may be padded."""
    if not isinstance(item, a.Join):
        yield item
    elif item.kind == "inner":
        yield from product(item.left)
        yield from product(item.right)


def _filtered(item: a.FromItem, known: Facts) -> a.Scan | None:
    """The table that a subquery filters."""
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier or not is_plain(item.query):
        return None
    inner = item.query
    scan = inner.from_[0] if isinstance(inner, a.Select) and len(inner.from_) == 1 else None
    if not isinstance(scan, a.Scan) or not isinstance(inner, a.Select):
        return None
    if not all(reads_only(key.expr, known) for key in inner.order_by):
        return None  # what it is sorted by is computed, and may fail
    own = all(isinstance(t.expr, a.Column) and t.expr.rel == scan.rel for t in inner.targets)
    return scan if own else None


def merged(block: a.Select, item: a.Derived, read: a.FromItem) -> a.Select:
    """The block with what a subquery reads in the subquery's place, its condition among the block's."""
    inner = item.query
    assert isinstance(inner, a.Select)
    values = {(item.rel, i): t.expr for i, t in enumerate(inner.targets)}
    read = replace(read, alias=item.alias) if isinstance(read, a.Scan) else read
    from_ = tuple(replace_item(i, item, read) for i in block.from_)
    if from_ == block.from_:
        return block  # it stands elsewhere
    made: a.Select = substitute(replace(block, from_=from_), values)
    return replace(made, where=conjoin((*conjuncts(inner.where), *conjuncts(made.where))))
