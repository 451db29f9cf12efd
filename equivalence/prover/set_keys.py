"""Keys of several grouping sets that the server finds no more in what reads them.

Before it looks for them it has simplified expressions and put plain subqueries in their places: a constant is
no key any more, nor ``x = 1`` in ``NOT (x = 1)``, and of two keys that are one column of one table the first
is taken for both (servers before 18). What is read then is a row's value where a NULL should be: the answer
is not that of the query as it is written. Must not know forms or rules.
"""

from __future__ import annotations

from rewright.sql import algebra as a
from rewright.sql.walk import finds_keys, is_plain, walk

_Places = dict[tuple[int, int], a.Column]


def loses_keys(query: a.Query) -> bool:
    """Whether some block of a query reads a key that the server does not find."""
    several = [n for n in walk(query) if isinstance(n, a.Select) and len(n.group_by or ()) > 1]
    # most queries have no such block: nothing else is looked at
    if not several:
        return False
    columns = _columns(query)
    return not all(finds_keys(block, columns) for block in several)


def _columns(query: a.Query) -> _Places:
    """What is read as a column of a plain subquery and is one of what that reads, wherever it comes from."""
    ctes = {n.cte: n.query for n in walk(query) if isinstance(n, a.Cte) and n.materialized is not True}
    found: _Places = {}
    for n in walk(query):
        if isinstance(n, a.Derived | a.CteScan):
            inner = n.query if isinstance(n, a.Derived) else ctes.get(n.cte)
            if isinstance(inner, a.Select) and is_plain(inner):
                shown = enumerate(t.expr for t in inner.targets)
                found |= {(n.rel, i): e for i, e in shown if isinstance(e, a.Column)}
    return {place: _origin(column, found) for place, column in found.items()}


def _origin(column: a.Column, found: _Places) -> a.Column:
    # a recursion reads itself: no column is followed for longer than there are columns
    for _ in found:
        column = found.get((column.rel, column.pos), column)
    return column
