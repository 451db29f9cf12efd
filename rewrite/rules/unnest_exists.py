"""EXISTS that is asked as a value, computed once for each key as a count of rows, beside other aggregates.

    SELECT c.region, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.id)) FROM cust c
     GROUP BY c.region
    -->
    SELECT c.region, count(*) FILTER (WHERE coalesce(agg.value1, 0) > 0)
      FROM cust c LEFT JOIN (SELECT cust, count(*) AS value1 FROM sale GROUP BY cust) agg ON agg.cust = c.id
     GROUP BY c.region

As a condition of a block the server makes a semi-join of it. In a list, an aggregate, a CASE or an OR it asks
row by row, or hashes each EXISTS for itself. A rule beside unnest: planners misjudge how many rows are
joined, so that what is found with an EXISTS left as it is must not be lost for what looks cheaper. Calcite:
SubQueryRemoveRule, RelDecorrelator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.unnest import ways
from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    block_exprs,
    conjuncts,
    free_rels,
    from_rels,
    replace_node,
    walk,
    walk_block,
)


def asks_values(block: a.Select) -> bool:
    return bool(_values(block))


@rule(
    SELECT.where(reads_tables, asks_values),
    known_as="SubQueryRemoveRule; RelDecorrelator",
    priority=70,
    category="join",
    slack=10.0,
    not_after=frozenset({"per_parent", "loose_scan"}),
)
def unnest_exists(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    told, exists = counted(block)
    for made in ways(told, ctx) if exists else ():
        # a rewrite that leaves all counts as EXISTS has gained nothing that unnest does not
        left = uncounted(made.block, exists) if isinstance(made.block, a.Select) else made.block
        if not all(node in walk(left) for node in exists.values()):
            yield replace(made, block=left)


def counted(block: a.Select) -> tuple[a.Select, dict[a.Op, a.Exists]]:
    """The block with counts in place of the correlated EXISTS that it asks as values, and what each was."""
    mine = from_rels(block.from_)
    found: dict[a.Op, a.Exists] = {}
    for node in dict.fromkeys(_values(block)):
        asked = _count(node) if free_rels(node.query) & mine else None
        if asked is not None:
            found[asked] = node
            block = replace_node(block, node, asked)
    return block, found


def uncounted(block: a.Select, found: Mapping[a.Op, a.Exists]) -> a.Select:
    """The block with the EXISTS again where a count is still asked."""
    for asked, node in found.items():
        block = replace_node(block, asked, node)
    return block


def _values(block: a.Select) -> list[a.Exists]:
    conditions = [
        *as_product(block)[1],
        *conjuncts(block.having),
    ]
    # conditions by themselves are semi-joins already
    own = {p.arg if isinstance(p, a.Not) else p for p in conditions}
    without = replace(block, from_=(), where=None, ctes=())
    exprs = [*block_exprs(without), *as_product(block)[1]]
    return [n for e in exprs for n in walk_block(e) if isinstance(n, a.Exists) and n not in own]


def _count(node: a.Exists) -> a.Op | None:
    query = node.query
    if (
        not isinstance(query, a.Select)
        or query.ctes
        or query.group_by is not None
        or query.having is not None
    ):
        return None
    # LIMIT 0 leaves no row to exist
    if query.offset is not None or query.with_ties or (query.limit is not None and not _some(query.limit)):
        return None
    func = function("count")
    if func is None:
        return None
    rows = (a.Target("n", a.Aggregate(func, (), INT8, star=True)),)
    # order, DISTINCT and LIMIT 1 make no difference to whether there is a row
    whole = replace(query, targets=rows, group_by=((),), order_by=(), limit=None, distinct=None)
    return compare(">", a.ScalarSubquery(whole, INT8), a.Const("0", INT8))


def _some(limit: a.Expr) -> bool:
    return isinstance(limit, a.Const) and (limit.value or "").isdigit() and limit.value != "0"
