"""Scalar subqueries grouped by columns that their conditions tie: one group, where there is any row.

    (SELECT sum(x) FROM t WHERE t.k = o.k GROUP BY t.k)   -->   (SELECT sum(x) FROM t WHERE t.k = o.k)
    (SELECT count(*) FROM t WHERE t.k = o.k GROUP BY t.k) -->   (SELECT CASE WHEN count(*) > 0 THEN count(*)
    END FROM t WHERE t.k = o.k)

All rows that equal one value fall into one group, by whatever equality their type has. Without rows there is
no group and the subquery is NULL, as an aggregate over no rows is that is NULL then (hazards 1c, 1d).
Expressions around aggregates are computed for no rows now: only those that can't fail of what the aggregates
are then, as NULL * 1.5 can't. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import compare, function, int8
from rewright.sql.catalog import Catalog
from rewright.sql.facts import null_on_empty
from rewright.sql.facts.aggregates import NOT_NULL_ON_EMPTY
from rewright.sql.facts.strictness import is_strict_in
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    as_product,
    children,
    conjuncts,
    from_rels,
    has_subquery,
    has_window,
    map_kind,
    map_parts,
    returns_set,
    walk,
)

_PLACES = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})


def without_tied_groups(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without such groupings."""
    return _WithoutTiedGroups(catalog).form(query)


class _WithoutTiedGroups(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if isinstance(node, a.ScalarSubquery) and isinstance(node.query, a.Select):
            made = self._ungrouped(node.query)
            return node if made is None else replace(node, query=made)
        return node

    def _ungrouped(self, select: a.Select) -> a.Select | None:
        # GROUPING SETS have several groups, also where each key is tied
        keys = select.group_by[0] if select.group_by is not None and len(select.group_by) == 1 else ()
        if (
            not keys
            or select.distinct
            or select.offset is not None
            or select.ctes
            or len(select.targets) != 1
        ):
            return None
        # LIMIT 0 gives NULL always; what is sorted by is computed, and would be no more
        if not _keeps_one(select) or any(not self.facts.cannot_fail(k.expr) for k in select.order_by):
            return None
        inside = from_rels(as_product(select)[0]) | from_rels(select.from_)
        ties = [t for p in conjuncts(select.where) if (t := as_tie(p, inside)) is not None and _is_own(t)]
        values = [next((t for t in ties if k in (t.inner, t.key)), None) for k in keys]
        # one key that is not tied leaves as many groups as it has values
        if any(t is None for t in values):
            return None
        tied = {k: t for k, t in zip(keys, values, strict=True) if t is not None}
        value, having = (
            None if e is None else _of_group(e, tied, inside) for e in (select.targets[0].expr, select.having)
        )
        # what is shown, or HAVING, reads something that is one value only within a group
        if value is None or (having is None) != (select.having is None):
            return None
        # 1 / count(*) fails of no rows, where there was no group
        if not all(self._may_be_computed(e) for e in (value, having) if e is not None):
            return None
        target = replace(select.targets[0], expr=_where_any(value, having))
        return replace(
            select, targets=(target,), group_by=((),), having=None, order_by=(), distinct=None, limit=None
        )

    def _may_be_computed(self, expr: a.Expr) -> bool:
        """Whether what is done with the aggregates can't fail where these are of no rows."""
        plain = self._of_no_rows(expr)
        return (
            not has_subquery(expr)
            and not has_window(expr)
            and not returns_set(expr)
            and all(self._asks_of_none(n) for n in walk(expr) if isinstance(n, a.Aggregate))
            and self.facts.cannot_fail(plain)
        )

    def _asks_of_none(self, call: a.Aggregate) -> bool:
        """Whether an aggregate's direct arguments fail for no rows: they are computed and checked once."""
        # rank(5) only sorts it in; the shares of percentiles are checked before there is a row
        if call.func.is_builtin and call.func.name in _PLACES:
            return all(map(self.facts.cannot_fail, call.direct))
        return not call.direct or (call.func.is_builtin and all(map(_is_share, call.direct)))

    def _of_no_rows(self, node: Any) -> Any:
        """An expression with what its aggregates are of no rows; NULL stands for what is not called then."""
        if isinstance(node, a.Aggregate):
            return _on_empty(node)
        made = map_parts(node, self._of_no_rows)
        parts = list(children(made)) if isinstance(made, a.Op | a.Call | a.Cast) else []
        null = [p for p in parts if isinstance(p, a.Const) and p.value is None]
        # strict functions are not called with NULL, but their other arguments are computed: NULL * (1 / 0)
        if null and all(map(self.facts.cannot_fail, parts)) and is_strict_in(made, null[0]):
            return a.Const(None, made.type)
        return made


def _is_share(expr: a.Expr) -> bool:
    """A constant between 0 and 1."""
    if isinstance(expr, a.Cast) and expr.implicit:
        expr = expr.arg
    if not isinstance(expr, a.Const) or expr.type.name not in {"float8", "numeric"}:
        return False
    digits = (expr.value or "").replace(".", "", 1)
    # no exponent, no NaN: what float() makes of those is not asked
    return digits.isdecimal() and 0 <= float(expr.value or "") <= 1


def _on_empty(call: a.Aggregate) -> a.Expr:
    """What an aggregate is of no rows; a column of any value where that is not known."""
    if not call.func.is_builtin:
        return a.Column(-1, 0, call.type)
    if call.func.name not in NOT_NULL_ON_EMPTY:
        return a.Const(None, call.type)
    return a.Const("0", call.type) if call.func.name == "count" else a.Column(-1, 0, call.type)


def _is_own(tie: Tie) -> bool:
    """Whether what the tie calls equal is one group: not under a collation of the other side's that tells
    fewer texts apart.
    """
    types = [tie.inner.type, tie.key.type, tie.outer.type]
    return tie.op.op.is_builtin and all(
        t.is_builtin and (not t.collation or equality_is_identity(t)) for t in types
    )


def _keeps_one(select: a.Select) -> bool:
    """Whether LIMIT keeps the one row."""
    limit = select.limit
    return limit is None or (
        isinstance(limit, a.Const) and (limit.value or "").isdigit() and int(limit.value or 0) > 0
    )


def _of_group(expr: a.Expr, tied: dict[a.Expr, Tie], inside: frozenset[int]) -> a.Expr | None:
    """The expression with each key as the value it is tied to; None where a key's own looks would be seen."""

    def visit(node: Any) -> Any:
        if isinstance(node, a.Aggregate):
            return node
        tie = tied.get(node) if isinstance(node, a.Expr) else None
        # the tied value for the key, which has no row to be read from where there is none
        if tie is not None and tie.outer.type == node.type and equality_is_identity(node.type):
            return tie.outer
        return map_parts(node, visit)

    made: a.Expr = visit(expr)
    # a column that is left outside of aggregates is of no group any more
    bare = map_kind(made, a.Aggregate, lambda g: a.Const(None, g.type))
    if any(isinstance(n, a.Column | a.SystemColumn | a.WholeRow) and n.rel in inside for n in walk(bare)):
        return None
    return None if any(isinstance(n, a.Grouping) for n in walk(bare)) else made


def _where_any(value: a.Expr, having: a.Expr | None) -> a.Expr:
    """The value of a group that is there and meets HAVING; NULL without one."""
    # sum() of no rows is NULL as an absent group is
    if having is None and null_on_empty(value):
        return value
    counted = function("count")
    assert counted is not None
    rows = compare(">", a.Aggregate(counted, (), a.COUNT_TYPE, star=True), int8(0))
    assert rows is not None
    condition = rows if having is None else a.And((rows, having))
    return a.Case(((condition, value),), a.Const(None, value.type), value.type)
