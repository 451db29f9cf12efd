"""Recursions down the trees of a table: from the rows that have no parent to those whose parent came before.

Where a column without NULLs tells the table's rows apart, and both terms show it, a row of the table is in at
most one round, once: it has a parent or none, and of its one parent there was at most one row. Such
recursions end, and drop no duplicates, as they make none. Must not know other forms.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumption
from rewright.sql.facts.assumptions import not_null, stored_table, usable_keys
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import as_product, is_plain, walk

Place = tuple[int, frozenset[Assumption]]


def told_apart(cte: a.Cte, catalog: Catalog) -> Place | None:
    """The column of which no two rows of the recursion have the same value, and by which constraints."""
    body = cte.query
    if not isinstance(body, a.SetOp) or body.op != "union" or body.order_by or body.ctes:
        return None
    if body.limit is not None or body.offset is not None:
        return None
    terms = [t for t in (body.left, body.right) if isinstance(t, a.Select) and is_plain(t)]
    scans = [sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(t)) for t in terms]
    if scans != [0, 1]:
        return None
    (tops, top_where), (rows, where) = (as_product(t) for t in terms)
    before = next((i for i in rows if isinstance(i, a.CteScan) and i.cte == cte.cte), None)
    child = next((i for i in rows if isinstance(i, a.Scan)), None)
    if before is None or child is None or len(rows) != 2 or len(tops) != 1 or not isinstance(tops[0], a.Scan):
        return None
    top = tops[0]
    if top.table != child.table or top.only != child.only or stored_table(catalog, child) is None:
        return None
    for number, (first, later) in enumerate(zip(terms[0].targets, terms[1].targets, strict=True)):
        key = later.expr
        why = _key(key, child, catalog) if isinstance(key, a.Column) else None
        if why is None or not isinstance(key, a.Column) or not _is_column(first.expr, top.rel, {key.pos}):
            continue
        shown = a.Column(before.rel, number, cte.columns[number].type)
        parents = {c.pos for p in where for c in _tied(p, shown) if c.rel == child.rel}
        rootless = (p.arg for p in top_where if isinstance(p, a.IsNull) and not p.negated)
        if any(_is_column(x, top.rel, parents) for x in rootless):
            return number, why
    return None


def as_bag(query: a.Query, cte: a.Cte) -> a.Query:
    """The query with UNION ALL in this recursion."""
    body = cte.query
    assert isinstance(body, a.SetOp)
    made = replace(cte, query=replace(body, all=True))
    return replace(query, ctes=tuple(made if c.cte == cte.cte else c for c in query.ctes))


def _key(column: a.Column, scan: a.Scan, catalog: Catalog) -> frozenset[Assumption] | None:
    if column.rel != scan.rel or not equality_is_identity(column.type):
        return None
    filled = not_null(catalog, scan, column.pos)
    name = catalog.table(scan.table).columns[column.pos].name
    key = next((why for key, why in usable_keys(catalog, scan) if key.columns == (name,)), None)
    return frozenset({key, filled}) if key is not None and filled is not None else None


def _is_column(expr: a.Expr, rel: int, positions: Collection[int]) -> bool:
    return isinstance(expr, a.Column) and expr.rel == rel and expr.pos in positions


def _tied(pred: a.Expr, shown: a.Column) -> list[a.Column]:
    """The columns that a condition says to have the value of the one shown."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or pred.op.name != "=" or shown not in pred.args:
        return []
    if not equality_is_identity(shown.type):
        return []
    others = [x for x in pred.args if isinstance(x, a.Column) and x != shown]
    return [x for x in others if x.type == shown.type]
