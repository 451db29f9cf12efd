"""Ties of a subquery that stand inside a grouping in its FROM or in all arms of an OR, moved out of it.

    (SELECT avg(g.n) FROM (SELECT count(*) AS n FROM ord x WHERE x.cust = c.id GROUP BY x.day) g)
    -->
    (SELECT avg(g.n) FROM (SELECT count(*) AS n, x.cust AS tied FROM ord x GROUP BY x.day, x.cust) g
      WHERE g.tied = c.id)

All rows that met the tie have one value of what is tied, so that to group by it as well makes no other
groups. A grouping of everything has a row over no rows, too: it stays as it is. What all arms of an OR ask is
asked once: AND distributes over OR with NULLs as well. Must not know where the subquery stands.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, conjoin, conjuncts, free_rels, is_plain_grouping, references_whole


def hoisted(query: a.Select) -> a.Select:
    """The subquery with ties out of its groupings and ORs; itself where there are none."""
    items, asked = as_product(query)
    preds = [c for p in asked for c in _apart(p)]
    made: list[a.FromItem] = []
    for item in items:
        found = _tied(item) if isinstance(item, a.Derived) and not references_whole(query, item.rel) else None
        if found is None or not isinstance(item, a.Derived):
            made.append(item)
            continue
        block, inner = found
        start = len(block.targets)
        keys = tuple(dict.fromkeys(t.key for t in inner.ties))
        shown = (*block.targets, *(a.Target(f"tied{i}", k) for i, k in enumerate(keys, 1)))
        columns = [a.Column(item.rel, start + i, k.type, shown[start + i].name) for i, k in enumerate(keys)]
        (own,) = block.group_by or ((),)
        grouped = replace(
            block, targets=shown, where=conjoin(inner.local), from_=inner.items, group_by=((*own, *keys),)
        )
        made.append(replace(item, query=grouped, names=tuple(t.name for t in shown)))
        preds += [t.on_key(columns[keys.index(t.key)]) for t in inner.ties]
    if all(one is other for one, other in zip(made, items, strict=True)) and len(preds) == len(asked):
        return query
    return replace(query, from_=tuple(made), where=conjoin(c for p in preds for c in conjuncts(p)))


def _apart(pred: a.Expr) -> list[a.Expr]:
    """A condition as what all of its arms ask, and what is left of them."""
    if not isinstance(pred, a.Or):
        return [pred]
    arms = [conjuncts(arm) for arm in pred.args]
    common = [c for c in arms[0] if all(c in arm for arm in arms[1:])]
    if not common:
        return [pred]
    rest = [conjoin(c for c in arm if c not in common) for arm in arms]
    left = [r for r in rest if r is not None]
    return [*common, a.Or(tuple(left))] if len(left) == len(rest) else common


def _tied(item: a.Derived) -> tuple[a.Select, Inner] | None:
    query = item.query
    if item.lateral or item.security_barrier or not isinstance(query, a.Select) or not free_rels(query):
        return None
    if not is_plain_grouping(query) or query.order_by or not (query.group_by and query.group_by[0]):
        return None
    inner = take_apart(query)
    return (query, inner) if inner is not None and inner.ties and not inner.others else None
