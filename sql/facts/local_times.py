"""Equations of instants with dates or times without a zone, where the server takes for one what is not.

    ts = tz AND tz = ts2          d = tz, d being a key

Two local times may be one instant (the hour that is left out in spring, a day that is skipped). The three
types are of one operator family, so that the planner concludes ts = ts2 and asks for that in place of one of
the others, or takes a unique index of dates for at most one row per instant; which it does depends on how the
query is written. Must not know proofs.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.walk import walk

_LOCAL = frozenset({"date", "timestamp"})
_INSTANT = "timestamptz"
# the last as NOT (x <> y)
_EQUATES = frozenset({"=", "<>"})
_COMPARES = frozenset({"<", "<=", ">", ">=", *_EQUATES})
# the operator, and the operands as far as they are expressions
_Comparison = tuple[a.OperatorRef, tuple[a.Expr | None, a.Expr | None]]


def concludes_wrongly(query: a.Query, catalog: Catalog) -> bool:
    """Whether the server's answer may depend on what it concludes from such equations: two that are of local
    times and so perhaps of one class, or one of what may be taken for a key or prunes partitions.
    """
    asked = [c for c in _comparisons(query) if c[0].schema == "pg_catalog" and c[0].name in _COMPARES]
    mixed = [c for c in asked if _INSTANT in _types(c[0]) and _types(c[0]) & _LOCAL]
    if not mixed:
        return False
    if any(op.name in _EQUATES for op, _ in mixed):
        local = [op for op, _ in asked if op.name in _EQUATES and _types(op) & _LOCAL]
        if len(local) > 1:
            return True
    scans = {n.rel: n for n in walk(query) if isinstance(n, a.Scan)}
    return any(_may_tell_rows(op, operands, scans, catalog) for op, operands in mixed)


def _types(op: a.OperatorRef) -> set[str]:
    return {op.left, op.right}


def _comparisons(query: a.Query) -> Iterator[_Comparison]:
    for n in walk(query):
        match n:
            case a.Op(op, (left, right)):
                yield op, (left, right)
            case a.InList(op, left, items):
                yield from ((op, (left, item)) for item in items)
            case a.ArrayOp(op, left, _):
                yield op, (left, None)
            case a.RowCompare(_, ops, lefts, rights):
                yield from ((op, (x, y)) for op, x, y in zip(ops, lefts, rights, strict=True))
            case a.Quantified(_, ops, lefts, _):
                yield from ((op, (x, None)) for op, x in zip(ops, lefts, strict=True))


def _may_tell_rows(
    op: a.OperatorRef,
    operands: tuple[a.Expr | None, a.Expr | None],
    scans: dict[int, a.Scan],
    catalog: Catalog,
) -> bool:
    """Whether the local time may be of a key, or what partitions are chosen by."""
    local = operands[0] if op.left in _LOCAL else operands[1]
    if isinstance(local, a.Const) or (isinstance(local, a.Cast) and isinstance(local.arg, a.Const)):
        return False
    if op.name in _EQUATES:
        # rows of a subquery may be distinct by it, and of a table there may be an index that nobody told of
        return True
    scan = scans.get(local.rel) if isinstance(local, a.Column) else None
    table = None if scan is None else catalog.table(scan.table)
    return table is not None and (table.kind == "partitioned" or table.partition_of is not None)
