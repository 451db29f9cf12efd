"""Columns of two recursions in one order: a recursion with its columns in another order is the same.

Which is which is told by what each column is made of in either term; where that does not say, the order stays
as it is. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.equivalence.laws.idle_columns import with_columns
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, is_plain, walk


def aligned(first: a.Query, second: a.Query) -> a.Query:
    """The second query with the columns of its recursions in the order in which the first has them, where
    they say the same of both.
    """
    for mine, other in zip(first.ctes, second.ctes, strict=True):
        ours, theirs = (list(_looks(c)) for c in (mine, other))
        if ours == theirs or sorted(ours) != sorted(theirs) or _is_read_whole(second, other):
            continue
        order: list[int] = []
        for look in ours:
            order.append(next(i for i, x in enumerate(theirs) if x == look and i not in order))
        second = with_columns(second, other, order)
    return second


def _is_read_whole(query: a.Query, cte: a.Cte) -> bool:
    """Whether rows of the recursion are read as values, which show the order of their columns."""
    rels = {n.rel for n in walk(query) if isinstance(n, a.CteScan) and n.cte == cte.cte}
    return any(isinstance(n, a.WholeRow) and n.rel in rels for n in walk(query))


def _looks(cte: a.Cte) -> Iterator[str]:
    """What each column of a recursion is in its first term, and in its step, but for numbers of relations."""
    body = cte.query
    if not isinstance(body, a.SetOp):
        return
    terms = [t for t in (body.left, body.right) if isinstance(t, a.Select) and is_plain(t) and not t.order_by]
    if len(terms) < 2:
        return
    for i, column in enumerate(cte.columns):
        yield " ".join([column.type.name, *(_look(t.targets[i].expr, t, i) for t in terms)])


def _look(expr: a.Expr, block: a.Select, at: int) -> str:
    items = {i.rel: i for i in as_product(block)[0] if isinstance(i, a.Scan | a.CteScan)}
    words: list[str] = []
    for n in walk(expr):
        item = items.get(n.rel) if isinstance(n, a.Column) else None
        if isinstance(n, a.Column) and isinstance(item, a.Scan):
            words.append(f"{item.table.schema}.{item.table.name}.{n.pos}")
        elif isinstance(n, a.Column) and item is not None:
            words.append("own" if n.pos == at else "other")
        else:
            words.append(n.value or "" if isinstance(n, a.Const) else type(n).__name__)
    return " ".join(words)
