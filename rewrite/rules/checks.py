"""CHECK constraints of a scanned table as conditions on its rows.

A validated CHECK is never FALSE on a stored row, and may be NULL (F8): a conjunct of it that compares one
column with constants is TRUE wherever that column is not NULL. Only built-in immutable expressions are read.
Must not know any rule.
"""

from __future__ import annotations

from functools import lru_cache

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.facts import may_differ, usable_checks
from rewright.sql.records import Table
from rewright.sql.walk import bottom_up, conjuncts, has_subquery, renumber, walk


def checks_of(scan: a.Scan, ctx: Context) -> list[tuple[a.Expr, str]]:
    """Conjuncts of the table's usable CHECKs over the scan's columns, with the constraint's name."""
    if not ctx.catalog.has_table(scan.table):
        return []
    table = ctx.catalog.table(scan.table)
    found: list[tuple[a.Expr, str]] = []
    for check, _ in usable_checks(ctx.catalog, scan):
        bound = _bound(_Known(ctx.catalog), table, check.text)
        if bound is not None:
            rel, expr = bound
            found += [(renumber(c, {rel: scan.rel}), check.name) for c in conjuncts(expr)]
    return found


class _Known:
    """A catalog as a key: told apart by identity."""

    # lru_cache would hash and compare whole catalogs otherwise
    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def __hash__(self) -> int:
        return id(self.catalog)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and other.catalog is self.catalog


# a CHECK is bound once a catalog, not once for each statement that reads its table
@lru_cache(maxsize=512)
def _bound(known: _Known, table: Table, text: str) -> tuple[int, a.Expr] | None:
    name = f'"{table.ref.schema}"."{table.ref.name}"'
    try:
        query = bind(f"select ({text}) from {name}", known.catalog)
    # a CHECK with syntax that the binder does not know says nothing, which is always safe
    except (BindError, Unsupported):
        return None
    if not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
        return None
    scan, expr = query.from_[0], query.targets[0].expr
    # a CHECK over functions that are not immutable need not hold of stored rows any more
    if not isinstance(scan, a.Scan) or has_subquery(expr) or may_differ(expr) or not _immutable(expr):
        return None
    return scan.rel, bottom_up(expr, _as_list)


def _immutable(expr: a.Expr) -> bool:
    for n in walk(expr):
        match n:
            case a.Call(func=f) | a.Op(op=a.OperatorRef(function=f)):
                if not f.is_builtin or f.volatility is not a.Volatility.IMMUTABLE:
                    return False
            # a system column or a parameter has no value that was checked when the row was stored
            case a.SystemColumn() | a.WholeRow() | a.Opaque() | a.ValueFunction() | a.Param():
                return False
            case _:
                pass
    return True


def _as_list(node: a.Node) -> a.Node:
    """``x = ANY (ARRAY[…])``, as the server shows IN, as the list it is."""
    if isinstance(node, a.ArrayOp) and isinstance(node.array, a.ArrayExpr):
        return a.InList(node.op, node.left, node.array.args, node.all)
    return node
