"""GROUP BY: grouping sets expanded, and the rule that everything else is aggregated or depends on the keys.

After parse_agg.c: an ungrouped column is allowed when the grouping columns contain the primary key of its
table. The server allows it of an inheritance parent too, whose key says nothing of its children's rows: which
of a group's rows is shown then depends on the plan: such a query is not taken. Must not know other clauses.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from rewright.sql.algebra import (
    Aggregate,
    Column,
    Expr,
    FromItem,
    Grouping,
    Join,
    Scan,
    Select,
    Target,
    WholeRow,
)
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import ordering_operator
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.targets import find_target

Sets = list[list[Expr]]
_MAX_SETS = 4096


def bind_group_by(scope: Scope, node: Any, targets: list[Target]) -> tuple[tuple[Expr, ...], ...] | None:
    """None without GROUP BY, else the grouping sets, in PostgreSQL's order, without doubles inside a set."""
    if not node.groupClause:
        return None
    parts: list[Sets] = [_bind_item(scope, item, targets) for item in node.groupClause]
    total = 1
    for p in parts:
        total *= len(p)
    if total > _MAX_SETS:
        raise BindError("54011", f"too many grouping sets present (maximum {_MAX_SETS})")
    sets = [_unique([e for part in choice for e in part]) for choice in product(*parts)]
    if node.groupDistinct:
        sets = _distinct_sets(sets)
    # CUBE makes thousands of sets of a few expressions
    for type_ in dict.fromkeys(e.type for s in sets for e in s):
        ordering_operator(scope.context, type_, "=")
    return tuple(sets)


def _distinct_sets(sets: list[tuple[Expr, ...]]) -> list[tuple[Expr, ...]]:
    """The sets without those that hold the same expressions as an earlier one."""
    first: dict[frozenset[Expr], tuple[Expr, ...]] = {}
    for s in sets:
        first.setdefault(frozenset(s), s)
    return list(first.values())


def _unique(exprs: list[Expr]) -> tuple[Expr, ...]:
    kept: list[Expr] = []
    for e in exprs:
        if e not in kept:
            kept.append(e)
    return tuple(kept)


def _bind_item(scope: Scope, node: Any, targets: list[Target]) -> Sets:
    if not isinstance(node, ast.GroupingSet):
        return [_bind_exprs(scope, node, targets)]
    kind = node.kind.name
    if kind == "GROUPING_SET_EMPTY":
        return [[]]
    if kind == "GROUPING_SET_SETS":
        return [s for item in node.content for s in _bind_item(scope, item, targets)]
    units = [_bind_exprs(scope, item, targets) for item in node.content]
    if kind == "GROUPING_SET_ROLLUP":
        return [[e for u in units[:n] for e in u] for n in range(len(units), -1, -1)]
    if kind == "GROUPING_SET_CUBE":
        return [
            [e for u in chosen for e in u]
            for n in range(len(units), -1, -1)
            for chosen in combinations(units, n)
        ]
    return [[e for u in units for e in u]]


def _bind_exprs(scope: Scope, node: Any, targets: list[Target]) -> list[Expr]:
    """One item: an expression, or a row of them (``GROUP BY (a, b)``)."""
    if isinstance(node, ast.RowExpr) and node.row_format.name == "COERCE_IMPLICIT_CAST":
        return [e for arg in node.args or () for e in _bind_exprs(scope, arg, targets)]
    return [find_target(scope, node, targets, "GROUP BY")]


# --------------------------------------------------------------------------- what may stand ungrouped


def check_grouped(scope: Scope, query: Select) -> None:
    """42803 for a column that is neither grouped, aggregated, nor determined by a grouped primary key."""
    assert query.group_by is not None
    everywhere = _unique([e for s in query.group_by for e in s])
    common = [e for e in everywhere if all(e in s for s in query.group_by)]
    checker = _Checker(scope, everywhere, *_determined(scope, query, common))
    for t in query.targets:
        checker.check(t.expr)
    if query.having is not None:
        checker.check(query.having)
    for k in query.order_by:
        checker.check(k.expr)
    for e in query.distinct or ():
        checker.check(e)


def _determined(scope: Scope, query: Select, common: list[Expr]) -> tuple[frozenset[int], frozenset[int]]:
    """Range variables whose primary key is among the columns of every grouping set: those of whose rows it is
    a key, and those with children's rows.
    """
    grouped = {(e.rel, e.pos) for e in common if isinstance(e, Column)}
    found: set[int] = set()
    with_children: set[int] = set()
    for scan in _scans(query.from_):
        key = scope.context.catalog.table(scan.table).primary_key
        if key is None or key.deferrable or not key.columns:
            continue
        table = scope.context.catalog.table(scan.table)
        if all((scan.rel, table.position(c)) in grouped for c in key.columns):
            (with_children if table.has_children and not scan.only else found).add(scan.rel)
    return frozenset(found), frozenset(with_children)


def _scans(items: tuple[FromItem, ...]) -> list[Scan]:
    found: list[Scan] = []
    for item in items:
        match item:
            case Scan():
                found.append(item)
            case Join():
                found.extend(_scans((item.left, item.right)))
    return found


class _Checker:
    def __init__(
        self,
        scope: Scope,
        grouped: tuple[Expr, ...],
        determined: frozenset[int],
        with_children: frozenset[int],
    ) -> None:
        self.rels = scope.rels
        self.grouped = set(grouped)
        self.columns = {(e.rel, e.pos) for e in grouped if isinstance(e, Column)}
        self.determined = determined
        self.with_children = with_children

    def check(self, expr: Expr) -> None:
        from rewright.sql.walk import children, subqueries

        if expr in self.grouped or isinstance(expr, Aggregate):
            return
        if isinstance(expr, Grouping):
            self._check_grouping(expr)
            return
        if isinstance(expr, Column | WholeRow):
            self._check_column(expr)
            return
        for child in children(expr):
            self.check(child)
        for query in subqueries(expr):
            self._check_subquery(query)

    def _check_column(self, expr: Column | WholeRow) -> None:
        if expr.rel not in self.rels or expr.rel in self.determined:
            return
        if isinstance(expr, Column) and (expr.rel, expr.pos) in self.columns:
            return
        if expr.rel in self.with_children:
            raise Unsupported("a column beside the key of a parent, whose children may repeat it")
        name = expr.name if isinstance(expr, Column) else "row"
        raise BindError(
            "42803", f'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function'
        )

    def _check_grouping(self, expr: Grouping) -> None:
        if any(a not in self.grouped for a in expr.args):
            raise BindError(
                "42803", "arguments to GROUPING must be grouping expressions of the associated query level"
            )

    def _check_subquery(self, query: Any) -> None:
        from rewright.sql.walk import all_exprs_of_query

        for expr in all_exprs_of_query(query):
            if isinstance(expr, Column | WholeRow):
                self._check_column(expr)
