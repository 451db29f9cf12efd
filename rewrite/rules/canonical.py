"""A form of queries in which two that differ only in numbers, aliases and inner names are equal values.

Owns renumbering in order of appearance, sorting of conjuncts and of comma lists. Used to find repeated
subqueries and states already seen. Must not know rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.tree import ITEMS, bound_rels, map_children, renumber, walk
from rewright.sql import algebra as a


def canonical(query: a.Query, *, keep_names: bool = False) -> a.Query:
    """``query`` with its own numbers replaced by 1000001, … in order of appearance.

    With ``keep_names`` the top block's output names count, else no name does.
    """
    rels: dict[int, int] = {}
    ctes: dict[int, int] = {}
    for node in _in_order(query):
        if isinstance(node, ITEMS) and node.rel not in rels:
            rels[node.rel] = 1_000_001 + len(rels)
        if isinstance(node, a.Cte) and node.cte not in ctes:
            ctes[node.cte] = 1_000_001 + len(ctes)
    renamed: a.Query = _nameless(renumber(query, rels, ctes))
    if keep_names and isinstance(query, a.Select) and isinstance(renamed, a.Select):
        named = tuple(replace(t, name=o.name) for t, o in zip(renamed.targets, query.targets, strict=True))
        renamed = replace(renamed, targets=named)
    return renamed


def _in_order(query: Any) -> list[Any]:
    """Definitions in the order they stand (walk visits last children first)."""
    found = [n for n in walk(query) if isinstance(n, (*ITEMS, a.Cte))]
    return found[::-1]


def _nameless(node: Any) -> Any:
    node = map_children(node, _nameless)
    return replace(node, name="") if isinstance(node, a.Target) else node


def is_closed(query: a.Query) -> bool:
    """Whether a query refers to nothing outside itself, CTEs aside."""
    used = {n.rel for n in walk(query) if isinstance(n, a.Column | a.SystemColumn | a.WholeRow)}
    return used <= bound_rels(query)
