"""Conditions that read no row of their block: asked once, before the rows are made (`Result` with a One-Time
Filter). Where one is not TRUE, nothing in FROM is computed that may fail there.

    SELECT x FROM (SELECT DISTINCT 10 / z AS x FROM u) a WHERE NOT EXISTS (SELECT FROM t)

Written as a join, as LEFT JOIN t … WHERE t.id IS NULL, it is asked of rows that are made by then. Must not
know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import all_queries, conjoin, conjuncts, from_rels, walk

from .fences import conditions
from .read_tables import Place, Places


def asks_before_rows(block: a.Select) -> bool:
    """Whether a condition of the block reads none of its rows."""
    return any(_is_asked_before(c, from_rels(block.from_)) for c in conditions(block))


def held_back_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries of which one asks so before it makes rows that may fail, the other not."""
    ours = _held_back(first, Places(first, second), Facts(catalog, first))
    theirs = _held_back(second, Places(second, first), Facts(catalog, second))
    return frozenset(word for word, _ in (ours - theirs) + (theirs - ours))


def _held_back(query: a.Query, places: Places, facts: Facts) -> Counter[tuple[str, Place]]:
    """What may fail behind such conditions, and where."""
    found: Counter[tuple[str, Place]] = Counter()
    ctes = {n.cte: n.query for n in walk(query) if isinstance(n, a.Cte)}
    for block in all_queries(query):
        if not isinstance(block, a.Select) or not any(_is_asked(c, block) for c in conditions(block)):
            continue
        made = list(_made(block, ctes))
        where = places.of(*block.from_)
        if any(facts.errors(q) - OVERFLOW for q in made):
            found["errors", where] += 1
        elif any(facts.errors(q) & OVERFLOW for q in made):
            found["overflow", where] += 1
    return found


def _made(block: a.Select, ctes: Mapping[int, a.Query]) -> Iterator[a.Query]:
    """The rows that the block reads, with the conditions that it asks of them, and those of CTEs."""
    asked = conjoin(c for c in conjuncts(block.where) if not _is_asked(c, block))
    rows = replace(block, targets=(), where=asked, group_by=None, having=None, distinct=None, order_by=())
    yield rows
    left: list[a.Node] = [*block.from_]
    met = set[int]()
    while left:
        for n in walk(left.pop()):
            if isinstance(n, a.Derived):
                yield n.query
            elif isinstance(n, a.CteScan) and n.cte in ctes.keys() - met:
                met.add(n.cte)
                left.append(ctes[n.cte])
                yield ctes[n.cte]


def _is_asked(condition: a.Expr, block: a.Select) -> bool:
    # what is written as FALSE is folded, and known to forms
    return not isinstance(condition, a.Const) and _is_asked_before(condition, from_rels(block.from_))


def _is_asked_before(condition: a.Expr, own: frozenset[int]) -> bool:
    if isinstance(condition, a.Const) and condition.value == "t":
        return False
    return not any(isinstance(n, a.Column | a.WholeRow) and n.rel in own for n in walk(condition))
