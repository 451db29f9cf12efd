"""Groupings of the same rows by the same keys that show or ask other things of their groups are made once.

    SELECT c.name FROM cust c WHERE c.id IN (SELECT cust FROM sale GROUP BY cust HAVING sum(amount) > 0.5 *
      (SELECT max(t.s) FROM (SELECT cust, sum(amount) AS s FROM sale GROUP BY cust) t))
    -->
    WITH shared AS MATERIALIZED (SELECT cust AS c1, sum(amount) AS c2 FROM sale GROUP BY cust)
    SELECT c.name FROM cust c WHERE c.id IN (SELECT cust FROM shared WHERE c2 > 0.5 * (SELECT max(t.s) FROM
      (SELECT c1 AS cust, c2 AS s FROM shared) t))

The best of all, those above the average, the total beside the few. What HAVING asks of groups is asked of the
shared rows; `share_subqueries` is the case of equal ones. Only closed subqueries without volatile functions.
Calcite: CommonRelSubExprRegisterRule. Hazards 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.grouped_below import over_groups, read_of_groups
from rewright.rewrite.rules.share_subqueries import closed_queries, placed
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    canonical,
    conjoin,
    copy_fresh,
    free_rels,
    from_rels,
    group_keys,
    leaves,
    map_parts,
    renumber,
    twins,
)


@dataclass(frozen=True, slots=True)
class _Grouping:
    """A grouping, and what it reads of its groups: as it says it, and in terms of the first one's rows."""

    query: a.Select
    read: tuple[a.Expr, ...]
    ours: tuple[a.Expr, ...]


@rule(
    QUERY.whole(),
    guards=("same-rows",),
    known_as="CommonRelSubExprRegisterRule",
    priority=79,
    category="cte",
)
def share_groupings(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    families: dict[a.Query, list[a.Select]] = {}
    for query in closed_queries(block):
        if _is_grouping(query) and not may_differ(query):
            # with the guard off all are one family, whatever they read
            form = _rows(query) if not ctx.holds("same-rows", False) else a.Select(())
            families.setdefault(form, []).append(query)
    for members in families.values():
        # equal ones are share_subqueries'
        if len({canonical(q, keep_names=False) for q in members}) < 2:
            continue
        found = [g for q in members if (g := _grouping(q, members[0])) is not None]
        if len(found) > 1:
            why = f"{len(found)} groupings of the same rows are made once"
            yield Rewrite(_shared(block, found, ctx), why)


def _rows(query: a.Select) -> a.Query:
    """What a grouping reads and by which keys, the same however its inner joins are written and in whatever
    order its conditions and keys stand.
    """
    items, preds = as_product(query)
    numbers = {rel: -1 - i for i, rel in enumerate(i.rel for i in leaves(items))}
    placed = renumber(a.Select((), tuple(items)), numbers)
    asked = sorted((renumber(p, numbers) for p in preds), key=repr)
    by = tuple(tuple(sorted((renumber(k, numbers) for k in keys), key=repr)) for keys in query.group_by or ())
    return canonical(replace(placed, where=conjoin(asked), group_by=by), keep_names=False)


def _is_grouping(query: a.Select) -> bool:
    bare = query.distinct is None and query.limit is None and query.offset is None and not query.ctes
    return bare and bool(group_keys(query)) and not query.order_by


def _grouping(query: a.Select, first: a.Select) -> _Grouping | None:
    """None where it shows something else than its groups have, or nothing of them."""
    mine = from_rels(query.from_)
    keys = frozenset(k for k in group_keys(query) if free_rels(k) & mine)
    read = tuple(dict.fromkeys(read_of_groups(_above(query), keys, mine)))
    rels = twins(query, first)
    # a column that is no key is one that a key decides
    if rels is None or not read or any(isinstance(x, a.Column) and x not in keys for x in read):
        return None
    return _Grouping(query, read, tuple(renumber(x, rels) for x in read))


def _above(query: a.Select) -> a.Select:
    """What a grouping does with its groups, HAVING as a condition on rows."""
    return replace(query, from_=(), where=query.having, group_by=None, having=None)


def _shared(block: a.Query, found: Sequence[_Grouping], ctx: Context) -> a.Query:
    first = found[0].query
    values = tuple(dict.fromkeys(x for g in found for x in g.ours))
    columns = tuple(a.OutputColumn(f"c{i}", v.type) for i, v in enumerate(values, 1))
    targets = tuple(a.Target(c.name, v) for c, v in zip(columns, values, strict=True))
    made, _ = copy_fresh(a.Select(targets, first.from_, first.where, first.group_by), ctx.fresh)
    cte = a.Cte(ctx.fresh(), "shared", made, columns, materialized=True)
    known = {g.query: g for g in found}

    def visit(n: Any) -> Any:
        if isinstance(n, a.Select) and n in known:
            # one grouping may stand in the HAVING of another
            return map_parts(_reader(known[n], values, cte, ctx), visit)
        return map_parts(n, visit)

    changed: a.Query = visit(block)
    return replace(changed, ctes=placed(changed.ctes, cte))


def _reader(g: _Grouping, values: Sequence[a.Expr], cte: a.Cte, ctx: Context) -> a.Select:
    """The grouping read from the shared rows."""
    rel = ctx.fresh()
    at = {v: i for i, v in enumerate(values)}
    shown = {
        x: a.Column(rel, at[v], v.type, cte.columns[at[v]].name) for x, v in zip(g.read, g.ours, strict=True)
    }
    made: a.Select = over_groups(_above(g.query), shown)
    return replace(made, from_=(a.CteScan(rel, cte.cte, "shared", cte.columns),))
