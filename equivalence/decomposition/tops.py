"""Two blocks that are alike above FROM and WHERE: which columns of what they read stand for each other.

By the names of the tables that both read, or by the places where the columns are read. Must not know what is
proved of the rows.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.walk import (
    QUERIES,
    canonical,
    defined_rels,
    from_rels,
    highest_number,
    is_closed,
    leaves,
    renumber,
    substitute,
    walk,
)

Columns = list[tuple[a.Expr, a.Expr]]


def shared_columns(x: a.Select, y: a.Select) -> Columns | None:
    """The columns that both blocks read above FROM and WHERE, of tables that both have."""
    if above(x) != above(y):
        return None
    shared, own = from_rels(x.from_) & from_rels(y.from_), from_rels(x.from_) | from_rels(y.from_)
    read = {(n.rel, n.pos, n) for n in walk(above(x)) if isinstance(n, a.Column) and n.rel in own}
    columns = sorted(read, key=lambda c: c[:2])
    return None if any(rel not in shared for rel, _, _ in columns) else [(c, c) for _, _, c in columns]


def matched_columns(x: a.Select, y: a.Select) -> Columns | None:
    """The columns that stand for each other in two blocks that are alike above FROM and WHERE but for what
    they are read from.
    """
    pairs: dict[a.Column, a.Column] = {}
    mine, theirs = from_rels(x.from_), from_rels(y.from_)

    def alike(p: Any, q: Any) -> bool:
        if isinstance(p, tuple) and isinstance(q, tuple):
            return len(p) == len(q) and all(alike(m, n) for m, n in zip(p, q, strict=True))
        if isinstance(p, QUERIES) and isinstance(q, QUERIES):
            return asked_alike(p, q)
        if type(p) is not type(q):
            return False
        if isinstance(p, a.Column) and (p.rel in mine or q.rel in theirs):
            own = p.rel in mine and q.rel in theirs
            return own and p.type == q.type and pairs.setdefault(p, q) == q
        if isinstance(p, a.Target):
            return alike(p.expr, q.expr)  # names carry no meaning
        if is_dataclass(p):
            named = [f.name for f in fields(p) if f.compare]
            return all(alike(getattr(p, n), getattr(q, n)) for n in named)
        return bool(p == q)

    def asked_alike(p: a.Query, q: a.Query) -> bool:
        """Subqueries that are one query of the columns that they read of the blocks' rows."""
        ours, others = _read(p, mine), _read(q, theirs)
        if ours is None or others is None or len(ours) != len(others):
            return False
        if not all(alike(m, n) for m, n in zip(ours, others, strict=True)):
            return False
        marks = [replace(c, rel=unused + i, pos=0) for i, c in enumerate(ours)]
        one, other = (
            substitute(b, {(c.rel, c.pos): m for c, m in zip(read, marks, strict=True)})
            for b, read in ((p, ours), (q, others))
        )
        return canonical(one, keep_names=False) == canonical(other, keep_names=False)

    tops = [above(b) for b in (x, y)]
    unused = max(highest_number(b) for b in (x, y)) + 1
    parts = [tuple(getattr(b, f.name) for f in fields(b) if f.compare) for b in tops]
    if not alike(*parts) or len(set(pairs.values())) < len(pairs):
        return None
    return [(c, pairs[c]) for c in sorted(pairs, key=lambda c: (c.rel, c.pos))]


def _read(query: a.Query, rels: frozenset[int]) -> list[a.Column] | None:
    """The columns of some range variables that a subquery reads, once each; None where it reads more of them
    than columns.
    """
    nodes = [n for n in walk(query) if getattr(n, "rel", None) in rels]
    columns = [n for n in nodes if isinstance(n, a.Column)]
    return list(dict.fromkeys(columns)) if len(columns) == len(nodes) else None


def above(block: a.Select) -> a.Select:
    """A block without FROM and WHERE."""
    return replace(block, from_=(), where=None)


def aligned(x: a.Select, y: a.Select) -> tuple[a.Select, a.Select] | None:
    """The second block with the first's numbers for the tables both read under the same alias; other numbers
    of its own. None where that says nothing.
    """
    mine = {name: i.rel for i in leaves(x.from_) if (name := _name(i)) is not None}
    matched = {i.rel: mine[name] for i in leaves(y.from_) if (name := _name(i)) is not None and name in mine}
    if not matched or len(set(matched.values())) < len(matched):
        return None
    start = max(highest_number(x), highest_number(y)) + 1
    others = {r: start + k for k, r in enumerate(sorted(frozenset(defined_rels(y)) - set(matched)))}
    moved: a.Select = renumber(y, {**matched, **others})
    return x, moved


def _name(item: a.FromItem) -> tuple[object, str] | None:
    """What is read, and what it is called."""
    match item:
        case a.Scan():
            return (item.table, item.only), item.alias
        case a.Derived(lateral=False, security_barrier=False) if is_closed(item.query):
            return canonical(item.query, keep_names=False), item.alias
        case _:
            return None
