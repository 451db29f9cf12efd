"""Rows sorted by their number, as sorted by what numbered them.

    SELECT … FROM (SELECT …, row_number() OVER (ORDER BY points, id) AS n FROM player) x WHERE x.n <= 4 ORDER
    BY x.n -->
    SELECT … FROM (SELECT …, points AS k1, id AS k2, row_number() … AS n FROM player) x WHERE x.n <= 4 ORDER
    BY x.k1, x.k2

Where the order leaves ties the numbers say which comes first, and the keys do not: a reservation. Must not
know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile


def sorted_by_keys(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, no block of it sorted by numbers of rows."""
    return _SortedByKeys(catalog).form(query)


class _SortedByKeys(Walk):
    def block(self, block: a.Select) -> a.Select:
        item = block.from_[0] if len(block.from_) == 1 else None
        if not isinstance(item, a.Derived) or len(block.order_by) != 1 or is_volatile(block):
            return block
        (key,) = block.order_by
        inner = item.query
        if block.with_ties:  # numbers do not tie
            return block
        # descending numbers would need each key turned round, and where its NULLs stand
        if key.descending or not isinstance(key.expr, a.Column) or key.expr.rel != item.rel:
            return block
        if not isinstance(inner, a.Select) or block.group_by is not None or block.distinct is not None:
            return block
        number = inner.targets[key.expr.pos].expr
        # DISTINCT within chooses among rows by their numbers, too
        if not _numbers_all(number) or inner.distinct is not None or not isinstance(number, a.WindowCall):
            return block
        order = number.window.order_by
        # where the keys leave ties the number has chosen, and the keys do not
        self.reserve_ties(replace(inner, order_by=order))
        start = len(inner.targets)
        names = tuple(f"k{i + 1}" for i in range(len(order)))
        keys = tuple(a.Target(n, k.expr) for n, k in zip(names, order, strict=True))
        shown = replace(
            item, query=replace(inner, targets=(*inner.targets, *keys)), names=(*item.names, *names)
        )
        by = tuple(
            replace(k, expr=a.Column(item.rel, start + i, k.expr.type, names[i])) for i, k in enumerate(order)
        )
        return replace(block, from_=(shown,), order_by=by)


def _numbers_all(expr: a.Expr) -> bool:
    """Whether this is the number of a row among all, in a stated order."""
    if not isinstance(expr, a.WindowCall) or not expr.func.is_builtin or expr.func.name != "row_number":
        return False
    # the distances of a frame are checked though no number depends on them: a negative one fails
    frame = expr.window.frame
    if frame.start_offset is not None or frame.end_offset is not None:
        return False
    return not expr.window.partition_by and bool(expr.window.order_by)
