"""Subqueries that only filter a table and pick columns, put where they are read: one form for both queries of
a pair.

    FROM (SELECT id, name FROM cust WHERE region = 1) c, ord o WHERE o.cust = c.id
    -->
    FROM cust c, ord o WHERE o.cust = c.id AND c.region = 1

As the planner does before anything else, so that also what may fail is evaluated on the same rows. Not on the
sides of outer joins. IN over a list of constants is one form whether it is written with VALUES or not.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rewright.equivalence.laws.forms import fresh_subqueries
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_volatile, reads_only
from rewright.sql.walk import (
    SUBQUERIES,
    Fresh,
    bottom_up,
    conjoin,
    conjuncts,
    is_plain,
    map_parts,
    outer_exprs,
    references_whole,
    returns_set,
    substitute,
    used_rels,
    walk_block,
)


def flattened(query: a.Query, catalog: Catalog, fresh: Fresh | None = None) -> a.Query:
    """A query that holds no CTEs, without such subqueries; with ``fresh`` also without those that compute
    what they show.
    """
    return bottom_up(query, partial(_changed, Facts(catalog, query), fresh))


def _changed(facts: Facts, fresh: Fresh | None, node: a.Node) -> a.Node:
    if isinstance(node, a.Quantified):
        return _listed(node)
    return _block(node, facts, fresh) if isinstance(node, a.Select) else node


def _listed(test: a.Quantified) -> a.Expr:
    """IN (VALUES …) of constants as IN (…)."""
    query = test.query
    # only `x IN (VALUES …)`: neither x <> ALL (…) nor IN of rows with several values
    if test.kind != "=" or test.all or len(test.ops) != 1 or not isinstance(query, a.Values):
        return test
    # VALUES … LIMIT 2 are the first two only
    if query.limit is not None or query.offset is not None or query.ctes:
        return test
    items = tuple(row[0] for row in query.rows)
    # VALUES (t.x) reads the row outside, and VALUES (1/0) fails only when it is reached
    if not items or not all(isinstance(x, a.Const) for x in items):
        return test
    return a.InList(test.ops[0], test.left[0], items)


def _block(block: a.Select, facts: Facts, fresh: Fresh | None) -> a.Select:
    for item in (i for top in block.from_ for i in product_items(top)):
        scan = _filtered(item, facts, computing=fresh is not None)
        # the row as a whole (SELECT c FROM …) has the subquery's columns and no others
        if scan is None or not isinstance(item, a.Derived) or references_whole(block, item.rel):
            continue
        if fresh is not None and block.group_by is not None and is_read_within(block, item.rel):
            continue  # a subquery sees the columns that a group is made by, and nothing that is made of them
        assert isinstance(item.query, a.Select)
        mapping = {(item.rel, i): t.expr for i, t in enumerate(item.query.targets)}
        from_ = tuple(_with(i, item, replace(scan, alias=item.alias)) for i in block.from_)
        where = conjoin((*conjuncts(block.where), *conjuncts(item.query.where)))
        block = replace(block, from_=from_, where=where)
        block = substitute(block, mapping) if fresh is None else read_apart(block, mapping, fresh)
    return block


def is_read_within(block: a.Select, rel: int) -> bool:
    """Whether a subquery above FROM and WHERE reads it."""
    inner = (n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, SUBQUERIES))
    return any(rel in used_rels(n.query) for n in inner)


def read_apart(block: a.Select, values: Mapping[tuple[int, int], a.Expr], fresh: Fresh) -> a.Select:
    """The block with values in place of columns, whose subqueries have numbers of their own at each place."""

    def visit(n: Any) -> Any:
        if isinstance(n, a.Column) and (n.rel, n.pos) in values:
            return fresh_subqueries(values[n.rel, n.pos], fresh)
        return map_parts(n, visit)

    made: a.Select = map_parts(block, visit)
    return made


def product_items(item: a.FromItem) -> list[a.Leaf]:
    """The items of a product, those on the sides of outer joins left out."""
    if isinstance(item, a.Join):
        # on the padded side of an outer join the subquery's condition would have to go to ON, not to WHERE
        return [*product_items(item.left), *product_items(item.right)] if item.kind == "inner" else []
    return [item]


def _filtered(item: a.FromItem, facts: Facts, *, computing: bool) -> a.Scan | None:
    """The table that a subquery filters, and no more; or of whose rows it computes what it shows."""
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        # a security barrier must not see conditions of others before its own
        return None
    query = item.query
    if not isinstance(query, a.Select) or not is_plain(query) or is_volatile(query):
        return None
    scan = query.from_[0] if len(query.from_) == 1 else None
    # a subquery that is sorted is not pulled up: what it is sorted by is computed, and may fail
    if not isinstance(scan, a.Scan) or not all(reads_only(k.expr, facts) for k in query.order_by):
        return None
    own = all(isinstance(t.expr, a.Column) and t.expr.rel == scan.rel for t in query.targets)
    plain = not any(returns_set(t.expr) for t in query.targets)
    # what it shows may be computed where it is read, unless it makes rows or is sorted first
    return scan if own or (computing and plain and not query.order_by) else None


def _with(item: a.FromItem, old: a.Derived, new: a.Scan) -> a.FromItem:
    if isinstance(item, a.Join):
        if item.kind != "inner":
            return item
        return replace(item, left=_with(item.left, old, new), right=_with(item.right, old, new))
    return new if item.rel == old.rel else item
