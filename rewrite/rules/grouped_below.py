"""A grouped block as a block over its groups, so that what is asked once a group stands in an ordinary block.

    SELECT o.cust, (SELECT avg(p.total) FROM ord p WHERE p.cust = o.cust) / sum(o.total) FROM ord o GROUP BY
    o.cust -->
    SELECT g.c1, (SELECT avg(p.total) FROM ord p WHERE p.cust = g.c1) / g.c2
      FROM (SELECT o.cust AS c1, sum(o.total) AS c2 FROM ord o GROUP BY o.cust) g

By itself it gains nothing: the subquery is asked for the same groups. What is joined to it afterwards is
joined to groups in place of rows, and needs no further grouping key. Must not know what becomes of the
subqueries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.build import derived, numbered
from rewright.sql.walk import (
    QUERIES,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    map_parts,
    outer_exprs,
    parts,
    references_whole,
    walk,
)


def grouped_below(block: a.Select, ctx: Context) -> a.Select | None:
    """The block over a derived table of its groups; None where it is not grouped in one way by expressions,
    or shows whole rows.
    """
    mine = from_rels(block.from_)
    keys = frozenset(k for k in group_keys(block) if free_rels(k) & mine)
    # GROUPING() has a meaning only in the block that groups
    told = any(isinstance(n, a.Grouping) for e in outer_exprs(block) for n in walk(e))
    if not keys or told or any(references_whole(block, r) for r in mine):
        return None
    # HAVING over subqueries becomes WHERE above the groups; what else HAVING asks stays with them
    asked = [c for c in conjuncts(block.having) if has_subquery(c)]
    bare = replace(block, from_=(), where=conjoin(asked), group_by=None, having=None, ctes=())
    shown = list(dict.fromkeys(read_of_groups(bare, keys, mine)))
    # nothing read of a group: there is no column to build upon
    if not shown:
        return None
    groups, columns = derived(ctx.fresh(), "grouped", _grouping(block, shown))
    made: a.Select = over_groups(bare, dict(zip(shown, columns, strict=True)))
    return replace(made, from_=(groups,), ctes=block.ctes)


def _grouping(block: a.Select, shown: list[a.Expr]) -> a.Select:
    """The groups themselves, under the conditions that ask no subquery."""
    having = conjoin(c for c in conjuncts(block.having) if not has_subquery(c))
    return a.Select(numbered("c", shown), block.from_, block.where, block.group_by, having)


def read_of_groups(block: a.Select, keys: frozenset[a.Expr], mine: frozenset[int]) -> Iterator[a.Expr]:
    """What a block above groups reads of them: keys, its aggregates, and columns that its keys decide."""
    return _read(block, keys, mine, inside=None)


def over_groups(block: a.Select, columns: dict[a.Expr, a.Column]) -> a.Select:
    """The block reading columns for what it read of its groups."""
    made: a.Select = _over_columns(block, columns, inside=None)
    return made


def _read(
    node: a.Node, keys: frozenset[a.Expr], mine: frozenset[int], *, inside: bool | None
) -> Iterator[a.Expr]:
    """What is read of a group: keys, the block's own aggregates, and columns that its keys decide.
    ``inside``: within a subquery, whose aggregates are its own; None: the block itself.
    """
    for part in (node,) if inside is not None else parts(node):
        within = bool(inside) or isinstance(part, QUERIES)
        # an aggregate within a subquery is the subquery's own, whatever it reads
        if isinstance(part, a.Aggregate) and not within:
            yield part
        elif part in keys:
            yield next(k for k in keys if k == part)
        elif isinstance(part, a.Column) and part.rel in mine:
            yield part
        else:
            for below in parts(part):
                yield from _read(below, keys, mine, inside=within)


def _over_columns(node: Any, columns: dict[a.Expr, a.Column], *, inside: bool | None) -> Any:
    """``node`` reading the columns; ``inside`` as in `_read`."""
    own_aggregate = isinstance(node, a.Aggregate) and inside
    if inside is not None and not own_aggregate and node in columns:
        return columns[node]
    within = inside is not None and (inside or isinstance(node, QUERIES))
    return map_parts(node, lambda n: _over_columns(n, columns, inside=within))
