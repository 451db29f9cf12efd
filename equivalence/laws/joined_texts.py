"""Texts of an array that is made of rows and written out at once: string_agg of the rows.

    array_to_string(array_agg(t.name ORDER BY t.id), ', ')   -->   string_agg(t.name, ', ' ORDER BY t.id)

Both are NULL of no rows, and both leave out NULLs, but of rows that are all NULL the first is the empty text:
only what is never NULL is taken (hazards M3, 15). An integer in an array is written as its cast to text
writes it. DISTINCT sorts by the value, and numbers otherwise than their texts: it is left alone there. Must
not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.catalog import Catalog
from rewright.sql.types import EXACT_INTEGERS, TEXT
from rewright.sql.walk import QUERIES, has_subquery, map_parts


def joined_at_once(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its arrays that are written out as string_agg."""
    return _JoinedAtOnce(catalog).form(query)


class _JoinedAtOnce(Walk):
    def block(self, block: a.Select) -> a.Select:
        # an array of no rows is NULL in both forms, but only groups are looked at here: they have rows
        if block.group_by is None:
            return block
        nonnull = self.facts.nonnull_columns(a.Select((), block.from_, block.where))

        def visit(n: Any) -> Any:
            if isinstance(n, QUERIES):
                return n
            call = _written(n)
            basis = None if call is None else self.facts.never_null(call.args[0], nonnull)
            if call is None or basis is None:
                return map_parts(n, visit)
            self.rest_on(basis)
            return call

        # from_ and group_by are put aside: their subqueries have blocks, and groups, of their own
        above: a.Select = map_parts(replace(block, from_=(), where=None, group_by=None), visit)
        return replace(above, from_=block.from_, where=block.where, group_by=block.group_by)


def _written(node: Any) -> a.Aggregate | None:
    """string_agg for array_to_string of array_agg; None for anything else."""
    if not isinstance(node, a.Call) or not node.func.is_builtin or node.func.name != "array_to_string":
        return None
    made, *rest = node.args
    # a third argument of array_to_string() stands for NULLs; a NULL separator makes all NULL
    if len(rest) != 1 or not isinstance(rest[0], a.Const) or rest[0].value is None or rest[0].type != TEXT:
        return None
    if not isinstance(made, a.Aggregate) or not made.func.is_builtin or made.func.name != "array_agg":
        return None
    (value,) = made.args
    if has_subquery(made) or not value.type.is_builtin:
        return None
    # DISTINCT as integers sorts 2 before 10, as texts '10' before '2'
    if value.type.name in EXACT_INTEGERS and not made.distinct:
        value = a.Cast(value, TEXT, method="io")
    ref = function("string_agg", "text", "text")
    # array_to_string() of other types writes them as their output functions do, which need not be their casts
    if ref is None or value.type != TEXT or node.type != TEXT:
        return None
    return replace(made, func=ref, args=(value, rest[0]), type=TEXT)
