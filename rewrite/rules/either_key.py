"""A subquery over rows that are tied by either of several columns asks them by one key: each row stands there
once for each column.

    SELECT c.id, (SELECT count(*) FROM sale s WHERE (s.cust = c.id OR s.part = c.id) AND s.qty > 1)
      FROM cust c
    -->
    SELECT c.id, (SELECT count(*) FROM (SELECT s.cust AS key FROM sale s WHERE s.qty > 1 UNION ALL
                                        SELECT s.part FROM sale s WHERE s.qty > 1 AND (s.cust = s.part)
                                          IS NOT TRUE) e
                   WHERE e.key = c.id) FROM cust c

Sent messages and received ones, both sides of a contract. A disjunction of ties is a scan for each outer row;
by one key the subquery is computed once for all of them (unnest). The rows may be joined in any way.
`or_outer_join` is the same for a LEFT JOIN; EXISTS is split by split_exists and or_exists. Hazards 1, 11.

Known as OR-expansion of joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, reads_tables, rule, stable
from rewright.rewrite.rules.or_outer_join import by_key, tied_either
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, numbered
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    references_whole,
    substitute,
)


@rule(
    SELECT.where(reads_tables, filtered, stable),
    known_as="OR-expansion of joins",
    priority=68,
    category="join",
)
def either_key(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # of rows that are only asked to exist the disjunction is split
    if (block.group_by is None and block.limit is None) or block.ctes:
        return
    items, preds = as_product(block)
    inside = from_rels(items)
    found = tied_either(preds, inside)
    # the outer row's columns in FROM would stand in each arm
    if found is None or free_of_all(items) or any(references_whole(block, r) for r in inside):
        return
    choice, ties = found
    own = [p for p in preds if free_rels(p) <= inside]
    above = replace(block, from_=(), where=conjoin(p for p in preds if p not in own and p != choice))
    shown = columns_used((above,), inside)
    either, columns = by_key(tuple(items), own, ties, shown, ctx)
    made = _over(above, either, ties[0].with_inner(columns[0]), shown, columns[1:])
    one = len(items) == 1 and isinstance(items[0], a.Scan)
    # over one table it is seen at once; over joins as two steps: the rows first, then their keys
    way = () if one else _way(above, items, own, ties, shown, ctx)
    yield Rewrite(made, "rows tied by either of several columns are asked by one key", way=way)


def _over(
    above: a.Select, item: a.FromItem, asked: a.Expr, shown: Sequence[a.Column], columns: Sequence[a.Column]
) -> a.Select:
    """The block over the rows of one item."""
    made = substitute(above, moved_to(shown, columns))
    return replace(made, from_=(item,), where=conjoin(p for p in (asked, made.where) if p is not None))


def _way(
    above: a.Select,
    items: Sequence[a.FromItem],
    own: Sequence[a.Expr],
    ties: Sequence[Tie],
    shown: Sequence[a.Column],
    ctx: Context,
) -> tuple[a.Select, ...]:
    """The rows as one derived table, asked by either column; then by the key of two copies of that table."""
    keys = [t.inner for t in ties]
    rows = a.Select((*numbered("key", keys), *numbered("c", shown)), tuple(items), conjoin(own))
    item, columns = derived(ctx.fresh(), "rows", copy_fresh(rows, ctx.fresh)[0])
    asked = [t.with_inner(c) for t, c in zip(ties, columns, strict=False)]
    first = _over(above, item, a.Or(tuple(asked)), shown, columns[len(keys) :])
    again = [t for p in asked if (t := as_tie(p, frozenset({item.rel}))) is not None]
    either, read = by_key((item,), (), again, columns[len(keys) :], ctx)
    return first, _over(above, either, ties[0].with_inner(read[0]), shown, read[1:])
