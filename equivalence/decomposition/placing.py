"""Subqueries in FROM that two queries share: in what form, and whether they stand at the same place in both.

One at the same place is computed of the same rows, or of none, in both: what leaves its type in it does so in
both. Must not know what is put in their places, nor how anything is proved.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from rewright.equivalence.prover.held_back import asks_before_rows
from rewright.sql import algebra as a
from rewright.sql.facts import may_vary
from rewright.sql.walk import canonical, has_window, is_closed, leaves, walk


def form_of(node: a.Derived) -> a.Query | None:
    """The canonical form of a subquery that gives the same rows wherever it stands."""
    # LATERAL reads rows, and a volatile query is another each time
    if node.lateral or node.security_barrier or not is_closed(node.query) or may_vary(node.query):
        return None
    return canonical(node.query, keep_names=False)


def forms_of(query: a.Query, rels: Container[int] | None = None) -> Iterator[a.Query]:
    """Those of all subqueries, or of those that are called so."""
    found = (n for n in walk(query) if isinstance(n, a.Derived) and (rels is None or n.rel in rels))
    yield from (form for form in map(form_of, found) if form is not None)


def alike(x: a.Query, y: a.Query) -> tuple[frozenset[int], frozenset[int]]:
    """The range variables of subqueries that are the same at the same place in both."""
    ours, theirs = set[int](), set[int]()
    _alike(x, y, ours, theirs, clauses=False)
    return frozenset(ours), frozenset(theirs)


def elsewhere(x: a.Query, y: a.Query) -> set[a.Query]:
    """The forms of subqueries of which a copy does not stand at the same place in the other query, below the
    same clauses: HAVING is asked of groups, what WHERE is asked of rows.
    """
    ours, theirs = set[int](), set[int]()
    _alike(x, y, ours, theirs, clauses=True)
    moved = (
        n
        for q, placed in ((x, ours), (y, theirs))
        for n in walk(q)
        if isinstance(n, a.Derived) and n.rel not in placed
    )
    return {form for form in map(form_of, moved) if form is not None}


def _alike(x: a.Query, y: a.Query, ours: set[int], theirs: set[int], *, clauses: bool) -> None:
    if isinstance(x, a.SetOp) and isinstance(y, a.SetOp):
        _alike(x.left, y.left, ours, theirs, clauses=clauses)
        _alike(x.right, y.right, ours, theirs, clauses=clauses)
    # blocks of different kinds have no places in common
    if not isinstance(x, a.Select) or not isinstance(y, a.Select):
        return
    mine, others = list(leaves(x.from_)), list(leaves(y.from_))
    # the second query may join more at its end, and not less
    if len(mine) > len(others):
        return
    if clauses and (_clauses(x) is None or _clauses(x) != _clauses(y)):
        return
    for one, other in zip(mine, others, strict=False):
        if isinstance(one, a.Derived) and isinstance(other, a.Derived):
            form = form_of(one)
            if form is not None and form == form_of(other):
                ours.add(one.rel)
                # a different subquery may hold one in common
                theirs.add(other.rel)
            else:
                _alike(one.query, other.query, ours, theirs, clauses=clauses)


def _clauses(block: a.Select) -> tuple[Any, ...] | None:
    """Which clauses a block has that decide of what rows an expression below it is computed; None where they
    may decide that it is not computed at all.
    """
    if asks_before_rows(block):
        return None
    windows = any(has_window(t.expr) for t in block.targets)
    has = (block.group_by, block.having, block.distinct)
    return (*(x is None for x in has), windows, block.limit, block.offset)
