"""Plain subqueries that only one query of a pair has, put where they are read: also those that join tables or
compute what they show.

    FROM (SELECT m.id, coalesce(s.n, 0) AS n FROM m LEFT JOIN s ON s.m = m.id WHERE m.k > 1) v WHERE v.n > 2
    -->
    FROM m LEFT JOIN s ON s.m = m.id WHERE m.k > 1 AND coalesce(s.n, 0) > 2

As the planner does before anything else, so that also what may fail is evaluated on the same rows. Not on the
sides of outer joins, where what is computed would be computed of padded rows too. What both queries have
stays, as a proof need not look into it. Must not know rules or provers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import reduce

from rewright.equivalence.laws.flattening import is_read_within, product_items, read_apart
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    Fresh,
    bottom_up,
    canonical,
    conjoin,
    conjuncts,
    free_rels,
    has_aggregate,
    has_subquery,
    highest_number,
    is_plain,
    keeps_keys_apart,
    leaves,
    references_whole,
    replace_item,
    walk,
)

# nodes of an expression that may be written in several places: nested ones do not grow without bound
_SMALL = 12


def opened(before: a.Query, after: a.Query) -> tuple[a.Query, a.Query]:
    """Both queries, which hold no CTEs, without such subqueries."""
    forms = [{d.rel: canonical(d.query, keep_names=False) for d in _derived(q)} for q in (before, after)]
    shared = set(forms[0].values()) & set(forms[1].values())
    made = []
    for query, form in zip((before, after), forms, strict=True):
        own = frozenset(rel for rel, one in form.items() if one not in shared)
        changed = _Opened(own, Fresh(highest_number(query))).of(query) if own else query
        made.append(changed if keeps_keys_apart(query, changed) else query)
    return made[0], made[1]


def _derived(query: a.Query) -> list[a.Derived]:
    return [n for n in walk(query) if isinstance(n, a.Derived)]


class _Opened:
    """``own``: the subqueries to be opened."""

    def __init__(self, own: frozenset[int], fresh: Fresh) -> None:
        self.own, self.fresh = own, fresh

    def of(self, query: a.Query) -> a.Query:
        return bottom_up(query, lambda n: self._block(n) if isinstance(n, a.Select) else n)

    def _block(self, block: a.Select) -> a.Select:
        for item in [i for top in block.from_ for i in product_items(top)]:
            inner = _plain(item) if item.rel in self.own else None
            if inner is None or not isinstance(item, a.Derived) or not _may_be_opened(block, item, inner):
                continue
            from_ = _in_place(block.from_, item, inner.from_)
            if from_ is None:
                continue
            values = {(item.rel, i): t.expr for i, t in enumerate(inner.targets)}
            where = conjoin((*conjuncts(inner.where), *conjuncts(block.where)))
            block = read_apart(replace(block, from_=from_, where=where), values, self.fresh)
        return block


def _plain(item: a.Leaf) -> a.Select | None:
    """The subquery, where the server would put it in its place."""
    if not isinstance(item, a.Derived) or item.security_barrier:
        # a security barrier must not see conditions of others before its own
        return None
    query = item.query
    if not isinstance(query, a.Select) or not is_plain(query) or query.order_by or is_volatile(query):
        return None
    if any(has_aggregate(t.expr) for t in query.targets):
        return None
    # of what stands beside it ON and subqueries in FROM could read nothing, once they are out of LATERAL
    beside = item.lateral or bool(free_rels(query))
    plain = all(isinstance(i, a.Scan) for i in query.from_)
    return query if plain or not beside else None


def _may_be_opened(block: a.Select, item: a.Derived, inner: a.Select) -> bool:
    """Whether nothing reads it as a whole, and what it computes is not written out time and again."""
    # the row as a whole (SELECT v FROM …) has the subquery's columns and no others
    if references_whole(block, item.rel):
        return False
    computed = {i: t.expr for i, t in enumerate(inner.targets) if not isinstance(t.expr, a.Column)}
    read = Counter(n.pos for n in walk(block) if isinstance(n, a.Column) and n.rel == item.rel)
    for i, expr in computed.items():
        if read[i] > 1 and (has_subquery(expr) or sum(1 for _ in walk(expr)) > _SMALL):
            return False
    # a subquery sees the columns that a group is made by, and nothing that is made of them
    return not (computed and block.group_by is not None and is_read_within(block, item.rel))


def _in_place(
    items: tuple[a.FromItem, ...], old: a.Derived, new: tuple[a.FromItem, ...]
) -> tuple[a.FromItem, ...] | None:
    """FROM with what the subquery reads in its place; None where it reads nothing and stands in a join."""
    if any(i is old for i in items):
        return tuple(x for i in items for x in (new if i is old else (i,)))
    if not new:
        return None
    joined = reduce(lambda left, right: a.Join("inner", left, right, None), new)
    return tuple(replace_item(i, old, joined) if old in leaves((i,)) else i for i in items)
