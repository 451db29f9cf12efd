"""Which tables of a product may be grouped together before they are joined with the others.

A table alone, then with those that are tied to it and bring no more keys: of lines and their orders only the
customer is asked for by the other tables, where lines alone are asked for their order. Must not know what is
aggregated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality
from rewright.sql.walk import columns_used, free_rels, from_rels, has_subquery, is_lateral

# with more tables a side is nearly the whole join
_MOST_TABLES = 3


def sides_of(
    shown: Sequence[a.Node], items: Sequence[a.FromItem], preds: Sequence[a.Expr], item: a.FromItem
) -> Iterator[list[a.FromItem]]:
    """The sides that begin with an item, each with one more table; never all tables. ``shown``: what is read
    above the joins, LATERAL items included.
    """
    # a LATERAL item belongs to the rows that it is asked for
    able = [i for i in items if isinstance(i, a.Scan | a.Derived | a.CteScan) and not is_lateral(i)]
    side = [item]
    while item in able and len(side) < len(items) and len(side) <= _MOST_TABLES:
        yield side
        rels = from_rels(side)
        near = [i for i in able if i not in side and any(_ties(p, rels, from_rels((i,))) for p in preds)]
        wider = [(len(keys_of(shown, preds, from_rels((*side, i)))), i) for i in near]
        # more keys make more groups: those of the table alone are fewer
        if not wider or min(n for n, _ in wider) > len(keys_of(shown, preds, rels)):
            return
        side = [*side, min(wider, key=lambda found: found[0])[1]]


def keys_of(shown: Sequence[a.Node], preds: Sequence[a.Expr], rels: frozenset[int]) -> list[a.Column]:
    """The columns of a side that are read outside of it."""
    return columns_used((*shown, *(p for p in preds if not is_local(p, rels))), rels)


def is_local(pred: a.Expr, rels: frozenset[int]) -> bool:
    """Whether a condition is asked of a side alone."""
    return bool(free_rels(pred)) and free_rels(pred) <= rels and not has_subquery(pred)


def decide_rows(
    keys: Sequence[a.Column], side: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context
) -> bool:
    """Whether keys decide one row of a side, so that each group would be that row: they hold a key of each
    table, or what equals one.
    """
    known, whole = {(k.rel, k.pos) for k in keys}, set[int]()
    ties = [p.args for p in preds if isinstance(p, a.Op) and is_equality(p)]
    # as often as there are tables: each round reaches one further
    for _ in side:
        for item in side:
            (rel,) = from_rels((item,))
            if any({(rel, c) for c in columns} <= known for columns, _ in ctx.keys(item)):
                whole.add(rel)
        for pair in ties:
            ends = {(c.rel, c.pos) for c in pair if isinstance(c, a.Column)}
            if len(ends) == len(pair) and any(e in known or e[0] in whole for e in ends):
                known |= ends
    return whole >= from_rels(side)


def _ties(pred: a.Expr, one: frozenset[int], other: frozenset[int]) -> bool:
    used = free_rels(pred)
    return is_equality(pred) and used <= one | other and bool(used & one) and bool(used & other)
