"""WITH: the queries that a block names, recursive ones too (after parse_cte.c)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import Cte, OutputColumn, Query, Select, output_columns
from rewright.sql.binder.coerce import resolve_unknown
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.recursion import bind_query
from rewright.sql.binder.scope import CteEntry, Scope
from rewright.sql.binder.setops import bind_arm, combine
from rewright.sql.binder.syntax import ast


def bind_ctes(scope: Scope, clause: Any) -> tuple[Cte, ...]:
    if clause is None:
        return ()
    made: list[Cte] = []
    names = [c.ctename for c in clause.ctes]
    for i, n in enumerate(names):
        if n in names[:i]:
            raise BindError("42712", f'WITH query name "{n}" specified more than once')
    for node in _read_first(clause.ctes) if clause.recursive else clause.ctes:
        if not isinstance(node.ctequery, ast.SelectStmt):
            raise Unsupported("data-modifying WITH")
        if node.search_clause is not None or node.cycle_clause is not None:
            raise Unsupported("SEARCH or CYCLE")
        if clause.recursive and _mentions(node.ctequery, node.ctename):
            made.append(_bind_recursive(scope, node))
        else:
            made.append(_bind_cte(scope, node))
    return tuple(made)


def _read_first(nodes: Sequence[Any]) -> list[Any]:
    """The queries of WITH RECURSIVE in an order in which each comes after those that it reads: all of them
    hide tables of their names, also from those written before them (parse_cte.c).
    """
    ordered: list[Any] = []
    waiting = list(nodes)
    while waiting:
        names = {n.ctename for n in waiting}
        ready = next(
            (n for n in waiting if not any(_mentions(n.ctequery, x) for x in names - {n.ctename})), None
        )
        if ready is None:
            # two that read each other, which the server refuses, or one that hides a name further in
            raise Unsupported("mutual recursion between WITH items")
        waiting.remove(ready)
        ordered.append(ready)
    return ordered


def _bind_cte(scope: Scope, node: Any) -> Cte:
    query = bind_query(Scope(scope.context, scope), node.ctequery)
    columns = _cte_columns(node, output_columns(query))
    cte = Cte(scope.context.cte(), node.ctename, query, columns, _materialized(node))
    scope.ctes[node.ctename] = CteEntry(cte.cte, node.ctename, columns)
    return cte


def _cte_columns(node: Any, columns: tuple[OutputColumn, ...]) -> tuple[OutputColumn, ...]:
    names = [n.sval for n in node.aliascolnames or ()]
    if len(names) > len(columns):
        raise BindError("42P10", f'WITH query "{node.ctename}" has {len(columns)} columns available')
    given = tuple(OutputColumn(n, c.type) for n, c in zip(names, columns, strict=False))
    return (*given, *columns[len(names) :])


def _materialized(node: Any) -> bool | None:
    return {"CTEMaterializeAlways": True, "CTEMaterializeNever": False}.get(node.ctematerialized.name)


def _mentions(node: Any, name: str) -> bool:
    """Whether a table of that name without schema occurs anywhere below (shadowing not considered)."""
    if isinstance(node, ast.RangeVar):
        return bool(node.relname == name and not node.schemaname)
    if isinstance(node, tuple):
        return any(_mentions(n, name) for n in node)
    if isinstance(node, ast.Node):
        return any(_mentions(getattr(node, slot), name) for slot in node)
    return False


def _bind_recursive(scope: Scope, node: Any) -> Cte:
    """A CTE that refers to itself: UNION [ALL] of a first arm and one over the CTE."""
    body = node.ctequery
    if body.op.name != "SETOP_UNION":
        raise BindError("42P19", f'recursive query "{node.ctename}" does not have the form UNION [ALL]')
    if body.sortClause or body.limitCount or body.limitOffset:
        raise BindError("0A000", "ORDER BY or LIMIT in a recursive query is not implemented")
    # in the first term the name means no table either: the server refuses it there
    if _mentions(body.larg, node.ctename):
        raise Unsupported("a recursive query whose first term reads its name")
    context = scope.context
    inner = Scope(context, scope)
    ctes = bind_ctes(inner, body.withClause)
    first = _resolved(inner, bind_query(Scope(context, inner), body.larg))
    columns = _cte_columns(node, output_columns(first))
    entry = CteEntry(context.cte(), node.ctename, columns, self_reference=True)
    inner.ctes[node.ctename] = entry
    second = bind_arm(inner, body.rarg)
    if entry.used != 1:
        raise Unsupported("a recursive query that refers to itself more or less than once")
    query = combine(inner, "union", bool(body.all), first, second)
    for want, got in zip(columns, query.columns, strict=True):
        if not want.type.same_base(got.type) or want.type.typmod != got.type.typmod:
            raise BindError("42804", f'recursive query "{node.ctename}" changes the type of {want.name}')
    made = Cte(
        entry.cte, node.ctename, replace(query, ctes=ctes), columns, _materialized(node), recursive=True
    )
    scope.ctes[node.ctename] = CteEntry(entry.cte, node.ctename, columns)
    return made


def _resolved(scope: Scope, query: Query) -> Query:
    if not isinstance(query, Select):
        return query
    return replace(
        query,
        targets=tuple(replace(t, expr=resolve_unknown(scope.context, t.expr)) for t in query.targets),
    )
