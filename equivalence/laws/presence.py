"""A row that is looked for by way of a value that is never NULL: EXISTS.

    (SELECT e.ticket FROM event e WHERE e.ticket = t.id LIMIT 1) IS NOT NULL   -->   EXISTS (SELECT 1 FROM
    event e WHERE e.ticket = t.id)

A subquery without rows is NULL, and with one that is cut to one row it is that row's value. Of how many rows
its conditions are asked until one is found differs: what they may raise is a reservation. Must not know
rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, is_volatile
from rewright.sql.types import INT4
from rewright.sql.walk import has_window, returns_set


def as_exists(node: a.Node, facts: Facts) -> tuple[a.Expr, a.Select, Assumptions] | None:
    """[NOT] EXISTS for ``node``, the subquery that it asked, and why its value is never NULL; None where it
    is no such question.
    """
    if not isinstance(node, a.IsNull) or node.row_form or not isinstance(node.arg, a.ScalarSubquery):
        return None
    query = node.arg.query
    if not isinstance(query, a.Select) or query.ctes or query.group_by is not None or is_volatile(query):
        return None
    # without LIMIT 1 two rows are an error, which EXISTS does not raise
    if not _is_one(query.limit) or query.offset is not None or query.with_ties or query.having is not None:
        return None
    # an output that makes rows makes none of some
    if len(query.targets) != 1 or has_window(query) or returns_set(query.targets[0].expr):
        return None
    rows = replace(query, limit=None, order_by=(), distinct=None)
    (basis,) = facts.nonnull_outputs(rows)
    # a row whose value is NULL would count as no row
    if basis is None:
        return None
    found = a.Exists(replace(rows, targets=(a.Target("one", a.Const("1", INT4)),)))
    return (found if node.negated else a.Not(found)), query, basis


def _is_one(limit: a.Expr | None) -> bool:
    while isinstance(limit, a.Cast) and limit.implicit:
        limit = limit.arg
    return isinstance(limit, a.Const) and limit.value == "1"


def with_presence(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, which asks EXISTS in place of such values."""
    return _Presence(catalog).form(query)


class _Presence(Walk):
    def changed(self, node: a.Node) -> a.Node:
        found = as_exists(node, self.facts)
        if found is None:
            return node
        exists, asked, basis = found
        computed = (*(k.expr for k in asked.order_by), *(asked.distinct or ()))
        self.reserve_failures(asked.targets[0].expr, *computed)
        # a cut ends the search at its first row, a sort does not, and EXISTS may be asked of all at once
        self.reserve_other_rows(exists)
        self.rest_on(basis)
        return exists
