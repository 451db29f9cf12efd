"""Keys of several grouping sets that the server finds no more in what reads them.

Before it looks for them it has simplified expressions and put plain subqueries in their places: a constant is
no key any more, nor ``x = 1`` in ``NOT (x = 1)``, and of two keys that are one column of one table the first
is taken for both (servers before 18). What is read then is a row's value where a NULL should be: the answer
is not that of the query as it is written.

The same servers sort and compare groups by what WHERE says of the rows that they are made of: with ``k = 1``
they do not sort ``GROUP BY ROLLUP (k)`` by k, although it is NULL in one of the groups, and with ``k = m``
DISTINCT takes NULLs of k and of m for one; what reads ``GROUP BY ROLLUP (k, m)`` takes it to be sorted by m,
too. Must not know forms or rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.facts import is_equality
from rewright.sql.walk import (
    conjuncts,
    finds_keys,
    from_rels,
    from_tree,
    has_window,
    is_plain,
    map_kind,
    used_rels,
    walk,
)

_Places = dict[tuple[int, int], a.Column]
_Equation = tuple[a.Expr, a.Expr]


def loses_keys(query: a.Query) -> bool:
    """Whether some block of a query reads a key that the server does not find."""
    several = [n for n in walk(query) if isinstance(n, a.Select) and len(n.group_by or ()) > 1]
    # most queries have no such block: nothing else is looked at
    if not several:
        return False
    columns = _columns(query)
    return not all(
        finds_keys(block, columns) and not _equates_keys(block, columns, read=block is not query)
        for block in several
    )


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


# --------------------------------------------------------------------------- keys that conditions equate


def _equates_keys(block: a.Select, columns: _Places, *, read: bool) -> bool:
    """Whether conditions on the rows equate a key with a constant or another key, and the groups are sorted
    or compared. ``read``: by a query around, which takes the groups to be in the order of both keys.
    """
    exprs = (*(t.expr for t in block.targets), *(k.expr for k in block.order_by))
    compared = bool(block.order_by) or block.distinct is not None or any(map(has_window, exprs))
    if not compared and not read:
        return False

    def known(x: Any) -> Any:
        return map_kind(x, a.Column, lambda c: columns.get((c.rel, c.pos), c))

    keys = {known(k) for one in block.group_by or () for k in one}
    within = _read_in(block)
    equations = [(known(x), known(y)) for x, y in _equations(block)]
    for key in keys:
        alike = _alike(key, equations)
        if any(x in keys or (compared and not used_rels(x) & within) for x in alike - {key}):
            return True
    return False


def _alike(key: a.Expr, equations: list[_Equation]) -> frozenset[a.Expr]:
    """What is equal to a key by any number of equations."""
    found = frozenset({key})
    while more := {y for pair in equations for x, y in (pair, pair[::-1]) if x in found} - found:
        found |= more
    return found


def _read_in(block: a.Select) -> frozenset[int]:
    """The range variables of FROM, and of what stands within it."""
    inner = (n for item in block.from_ for n in walk(item) if isinstance(n, a.Select))
    return from_rels(block.from_).union(*(from_rels(n.from_) for n in inner))


def _equations(block: a.Select) -> Iterator[_Equation]:
    """What the conditions of a block, and of plain subqueries in it, equate."""
    conditions = [block.where]
    for item in (x for top in block.from_ for x in from_tree(top)):
        # what an outer join asks for does not hold of the rows that it pads
        if isinstance(item, a.Join) and item.kind == "inner":
            conditions.append(item.on)
        elif isinstance(item, a.Derived) and isinstance(item.query, a.Select) and is_plain(item.query):
            yield from _equations(item.query)
    for p in (p for c in conditions for p in conjuncts(c)):
        match p:
            case a.Op(_, (x, y)) if is_equality(p):
                yield x, y
            case a.InList(_, x, (y,)):
                yield x, y
            case a.RowCompare("=", _, left, right):
                yield from zip(left, right, strict=True)
            case a.Quantified("=", _, left, a.Select() as query, False):
                yield from zip(left, (t.expr for t in query.targets), strict=False)
                yield from _equations(query)
            case a.Exists(a.Select() as query):
                yield from _equations(query)
