"""First terms of recursions without semi-joins that the reader's own joins make again.

What a row of a recursion has in a column that is handed on, the first term's row has that it stems from. A
reader that joins it, by an equality on such a column, with rows that meet some conditions sees none whose
value there is not among these rows: that the first term asks for this, too, changes nothing that it sees.
Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import as_product, conjuncts, free_rels, is_plain, kept_product, renumber

_MOST = 27


def repeated(block: a.Select, rel: int, first: a.Select, handed: set[int]) -> list[a.Expr]:
    """The conditions of a first term that a block makes again which reads the recursion as ``rel``."""
    items, preds = kept_product(block)
    if not any(isinstance(i, a.CteScan) and i.rel == rel for i in items):
        return []
    scans = [i for i in items if isinstance(i, a.Scan)]
    return [p for p in conjuncts(first.where) if _is_made_again(p, rel, first, handed, scans, preds)]


def _is_made_again(
    pred: a.Expr, rel: int, first: a.Select, handed: set[int], scans: list[a.Scan], preds: list[a.Expr]
) -> bool:
    if not isinstance(pred, a.Quantified) or pred.all or pred.kind != "=" or is_volatile(pred):
        return False
    query = pred.query
    if not isinstance(query, a.Select) or not is_plain(query) or free_rels(query):
        return False
    tables, asked = as_product(query)
    for number, names in enumerate(_named(tables, scans)):
        if number == _MOST:
            break
        there = all(renumber(p, names) in preds for p in asked)
        compared = zip(pred.left, pred.ops, (t.expr for t in query.targets), strict=True)
        if there and all(
            any(
                _says(p, op, rel, i, renumber(y, names))
                for i in handed
                for p in preds
                if first.targets[i].expr == x
            )
            for x, op, y in compared
        ):
            return True
    return False


def _named(tables: list[a.FromItem], scans: list[a.Scan]) -> Iterator[dict[int, int]]:
    """Each way to take tables of a query for tables of the reader."""
    if not tables:
        yield {}
        return
    table, *rest = tables
    if not isinstance(table, a.Scan):
        return
    for scan in scans:
        if (scan.table, scan.only) == (table.table, table.only):
            yield from ({table.rel: scan.rel, **more} for more in _named(rest, scans))


def _says(pred: a.Expr, op: a.OperatorRef, rel: int, pos: int, value: a.Expr) -> bool:
    """Whether a condition is that this column of the recursion equals this value."""
    if not isinstance(pred, a.Op) or pred.op != op or len(pred.args) != 2:
        return False
    left, right = pred.args
    if left == value and op.is_builtin and op.left == op.right:
        left, right = right, left
    return right == value and isinstance(left, a.Column) and (left.rel, left.pos) == (rel, pos)
