"""Zeros that a sum adds for rows of no interest: the sum of the others, or 0 where there are none.

    SELECT k, sum(CASE WHEN p THEN v ELSE 0 END) FROM t GROUP BY k
    -->
    SELECT k, coalesce(sum(v) FILTER (WHERE p), 0) FROM t GROUP BY k

A group has rows; each of them adds v, where p is TRUE, or 0. Where v is never NULL one of them adds
something, so that the sum is not NULL: it is that of the rows that p is TRUE of, and 0 without (hazards
15). Not without GROUP BY, where a sum of no rows is NULL. The zero of a numeric must not show decimals. v is
computed where p is TRUE, on both sides. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, is_volatile
from rewright.sql.types import INT8, NUMERIC
from rewright.sql.walk import QUERIES, group_keys, has_subquery, map_parts

_ADDED = frozenset({"int2", "int4", "int8", "numeric"})


def without_zeros(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its sums without such zeros."""
    return _WithoutZeros(catalog).form(query)


class _WithoutZeros(Walk):
    def block(self, block: a.Select) -> a.Select:
        # of no rows the sum with zeros is NULL, and COALESCE would make it 0
        if not group_keys(block):
            return block
        rows = a.Select((), block.from_, block.where)
        nonnull = self.facts.nonnull_columns(rows)

        def filled(expr: a.Expr) -> Assumptions | None:
            return self.facts.never_null(expr, nonnull)

        def visit(n: Any) -> Any:
            if isinstance(n, QUERIES):
                return n
            if not isinstance(n, a.Aggregate):
                return map_parts(n, visit)
            parts = _parts(n)
            basis = None if parts is None else filled(parts[1])
            # a v that may be NULL: rows of p that are all NULL, and no others, add nothing
            if parts is None or basis is None:
                return n
            self.rest_on(basis)
            test, value = parts
            return a.Coalesce((replace(n, args=(value,), filter=test), _zero(n)), n.type)

        above: a.Select = map_parts(replace(block, from_=(), where=None, group_by=None), visit)
        return replace(above, from_=block.from_, where=block.where, group_by=block.group_by)


def _parts(g: a.Aggregate) -> tuple[a.Expr, a.Expr] | None:
    """When a sum adds something, and what; None for anything else."""
    plain = g.func.is_builtin and g.func.name == "sum" and g.filter is None and not g.distinct
    if not plain or len(g.args) != 1 or g.type.name not in {"int8", "numeric"}:
        # sum(float) of zeros and values is rounded on its way; int2 and int4 give bigint
        return None
    added = g.args[0]
    if not isinstance(added, a.Case) or len(added.whens) != 1 or has_subquery(g) or is_volatile(g):
        return None
    ((test, value),) = added.whens
    # numeric(10, 2) for the CASE shows 0.00 where no row is of interest
    plain = value.type.is_builtin and value.type.name in _ADDED and added.type.typmod == -1
    if not plain or not _is_zero(added.default) or not value.type.same_base(added.type):
        return None
    return test, value


def _is_zero(expr: a.Expr) -> bool:
    # 0.00 has decimals that the sum would show
    bare = expr.arg if isinstance(expr, a.Cast) and expr.type.typmod == -1 else expr
    return isinstance(bare, a.Const) and bare.value == "0" and bare.type.name in _ADDED


def _zero(g: a.Aggregate) -> a.Expr:
    return a.Const("0", NUMERIC) if g.type == NUMERIC else a.Const("0", INT8)
