"""Recursions without the columns on which no row depends, and in the order of another's. Must not know other
forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.facts.growth import outgrowing
from rewright.sql.walk import as_product, bottom_up, has_subquery, is_plain, walk


def slim(query: a.Query, cte: a.Cte, changes: Changes) -> a.Query:
    """Without the columns of a UNION ALL recursion that only rows of its own next rounds are given, in the
    same columns or in others of that kind: no row depends on them, and computing them does nothing else.
    """
    body = cte.query
    assert isinstance(body, a.SetOp)
    terms = [t for t in (body.left, body.right) if isinstance(t, a.Select) and is_plain(t) and not t.order_by]
    if not body.all or len(terms) < 2:
        return query
    own = {n.rel for n in walk(query) if isinstance(n, a.CteScan) and n.cte == cte.cte}
    if any(isinstance(n, a.WholeRow) and n.rel in own for n in walk(query)):
        return query

    def asked(node: a.Node) -> set[int]:
        return {n.pos for n in walk(node) if isinstance(n, a.Column) and n.rel in own}

    def idle(expr: a.Expr) -> bool:
        silent = not changes.known.errors(expr) and changes.known.cannot_fail(expr)
        return silent and not has_subquery(expr) and not is_volatile(expr)

    needed = asked(_beside(query, cte)) | asked(replace(terms[1], targets=()))
    needed |= {i for t in terms for i, shown in enumerate(t.targets) if not idle(shown.expr)}
    # what doubles round by round is too long for a value after a few of them
    needed |= outgrowing([t.expr for t in terms[1].targets], own)
    for _ in cte.columns:
        needed = needed.union(*(asked(terms[1].targets[i].expr) for i in needed))
    places = sorted(needed) if needed else [0]
    return query if len(places) == len(cte.columns) else _picked(query, cte.cte, own, places)


def in_order_of(model: a.Cte, query: a.Query, cte: a.Cte) -> a.Query:
    """The query with a recursion's columns in the order in which another has such; as it is where they do not
    say which is which. In whatever order, the recursion is the same.
    """
    wanted, given = _described(model), _described(cte)
    if wanted == given or sorted(wanted) != sorted(given):
        return query
    places: list[int] = []
    for words in wanted:
        places.append(next(i for i, x in enumerate(given) if x == words and i not in places))
    own = {n.rel for n in walk(query) if isinstance(n, a.CteScan) and n.cte == cte.cte}
    whole = any(isinstance(n, a.WholeRow) and n.rel in own for n in walk(query))
    return query if whole else _picked(query, cte.cte, own, places)


def _described(cte: a.Cte) -> list[str]:
    """Each column's type, and of what it is made in either term."""
    body = cte.query
    terms = [body.left, body.right] if isinstance(body, a.SetOp) else []
    blocks = [t for t in terms if isinstance(t, a.Select) and is_plain(t) and not t.order_by]
    if len(blocks) < 2:
        return []
    made = [[_parts(t.expr, block, i) for i, t in enumerate(block.targets)] for block in blocks]
    return [f"{c.type.name}: {first}; {step}" for c, first, step in zip(cte.columns, *made, strict=True)]


def _parts(expr: a.Expr, block: a.Select, place: int) -> str:
    tables = {i.rel: i.table for i in as_product(block)[0] if isinstance(i, a.Scan)}

    def part(node: a.Node) -> str:
        match node:
            case a.Column(rel, pos):
                ref = tables.get(rel)
                own = "itself" if pos == place else "another"
                return own if ref is None else f"{ref.schema} {ref.name} {pos}"
            case a.Const(value=value):
                return f"{value!r}"
            case _:
                return type(node).__name__

    return ", ".join(part(n) for n in walk(expr))


def _picked(query: a.Query, number: int, own: set[int], places: list[int]) -> a.Query:
    """The query whose recursion has the columns at these places alone."""

    def visit(node: a.Node) -> a.Node:
        if isinstance(node, a.Column) and node.rel in own:
            return replace(node, pos=places.index(node.pos)) if node.pos in places else node
        if isinstance(node, a.CteScan) and node.cte == number:
            return replace(node, columns=tuple(node.columns[i] for i in places))
        if isinstance(node, a.Cte) and node.cte == number and isinstance(node.query, a.SetOp):
            terms = [
                replace(t, targets=tuple(t.targets[i] for i in places))
                for t in (node.query.left, node.query.right)
                if isinstance(t, a.Select)
            ]
            columns = tuple(node.columns[i] for i in places)
            return replace(node, columns=columns, query=replace(node.query, left=terms[0], right=terms[1]))
        return node

    return bottom_up(query, visit)


def _beside(query: a.Query, cte: a.Cte) -> a.Query:
    """The query but for the recursion itself."""
    return replace(query, ctes=tuple(c for c in query.ctes if c.cte != cte.cte))
